//! The functions that fuzzers run, one for each parser of foreign data. Each must return for any bytes, with a consistent
//! result.
//!
//! `fuzz_targets/` runs them under libFuzzer; the tests here run them over `corpus/`, and over random bytes.

#![allow(clippy::missing_panics_doc, reason = "a panic is what a fuzzer looks for")]
#![allow(clippy::panic, reason = "a violated invariant panics, which is what a fuzzer looks for")]

use std::path::Path;

use serde_json::Value;

use botdesk_api::accounts::NetworkInfo;
use botdesk_api::accounts::{Account, DepositData, LeverageType};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;
use botdesk_api::grid_bots::GridBot;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::custom::CustomRequest;
use botdesk_client::stream::frame::{self, Frame};
use botdesk_recording::Cassette;
use botdesk_sandbox::SavedState;
use botdesk_schema::error::ErrorBody;
use botdesk_schema::id::Id;
use botdesk_schema::json::text_of;
use botdesk_schema::record::Record;
use botdesk_schema::secrets::{HIDDEN, redact_parameters, redact_secrets};

/// Checks the signed payload of a request: a line with the method, one with the path, one with a query as a JSON object, and a
/// body.
///
/// The payload must equal what is sent: in ASCII, with the path as it was written and the same JSON body.
pub fn payload(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.splitn(4, '\n').map(str::to_owned);
    let mut next = || lines.next().unwrap_or_default();
    let (method, path) = (next(), next());
    let query = match serde_json::from_str(&next()) {
        Ok(Value::Object(members)) => members.into_iter().collect(),
        _ => Vec::new(),
    };
    let json: Option<Value> = serde_json::from_str(&next()).ok();
    let Ok(call) = (CustomRequest { method, path, query, json: json.clone(), headers: Vec::new() }).spec(Vec::new())
    else {
        return;
    };
    // Whatever the key, it signs these.
    assert!(call.target().is_ascii() && call.body.as_deref().is_none_or(str::is_ascii));
    let url = BaseUrl::parse("https://host.example", false).map(|base| base.join(&call.target()));
    let Ok(url) = url else { panic!("{} is not a URL", call.target()) };
    assert_eq!(url.path(), call.path);
    assert_eq!(url.query(), call.query.as_deref());
    assert_eq!(url.fragment(), None);
    let sent = call.body.as_deref().map(serde_json::from_str::<Value>).and_then(Result::ok);
    assert_eq!(sent, json);
}

/// Checks the records of a response. A text is accepted if `serde_json` accepts it; every field is readable or has an error.
pub fn records(data: &[u8]) {
    let text = &text_of(data.to_vec());
    read_all::<Account>(text);
    read_all::<DcaBot>(text);
    read_all::<Deal>(text);
    read_all::<DepositData>(text);
    read_all::<GridBot>(text);
    read_all::<LeverageType>(text);
    read_all::<NetworkInfo>(text);
}

fn read_all<R: Record>(text: &str) {
    let parsed = parse(text);
    let list = R::list_from_json(text);
    assert_eq!(list.is_ok(), parsed.as_ref().is_some_and(Value::is_array));
    let one = R::from_json(text);
    assert_eq!(one.is_ok(), parsed.as_ref().is_some_and(Value::is_object));
    let _ = (R::SPEC.from_response(text, Some(&Id::Number(41))), R::SPEC.list_from_response(text));
    for record in list.into_iter().flatten().chain(one) {
        let fields = record.fields();
        assert!(parse(fields.text()).is_some());
        for (row, json) in fields.present() {
            let _ = (row.fits)(json);
            let _ = (row.show)(json);
        }
        let _ = (fields.extra().count(), botdesk_display::view::summary(fields));
        let Ok(again) = R::SPEC.restore(fields.text(), fields.is_malformed()) else {
            panic!("the JSON of a record is not a record")
        };
        assert_eq!(&again, fields);
    }
}

/// Parses JSON with `serde_json`. Half of a surrogate pair affects only its own string, so any character may replace it.
fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(&text.replace("\\ud", "\\ue").replace("\\uD", "\\uE")).ok()
}

/// Checks the parsing of an error body, and its redaction.
pub fn error_body(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for status in [400, 401, 403, 404, 418, 422, 429, 502] {
        let _ = ErrorBody::parse(&text).kind(status);
    }
    let clean = redact_secrets(&text);
    // A placeholder must not reveal anything of the secret.
    let is_json = serde_json::from_str::<Value>(&text).is_ok();
    assert!(!is_json || clean == text || clean.contains(HIDDEN) || clean.contains("null"));
    let _ = redact_parameters(&text);
}

/// Checks the parsing of a HAR file, of botdesk or of another program.
pub fn har(data: &[u8]) {
    let _ = Cassette::read(Path::new("fuzzed.har"), data.to_vec());
}

/// Checks the parsing of a private key in PEM. No error may repeat any of it.
pub fn key(data: &[u8]) {
    /// The shortest part of a key that an error must not contain.
    const PART: usize = 24;
    let Err(error) = PrivateKey::from_pem(data, Some("password")) else { return };
    let message = error.to_string();
    let is_shown = |part: &[u8]| std::str::from_utf8(part).is_ok_and(|part| message.contains(part));
    let is_of_a_key = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
    assert!(!data.windows(PART).any(|part| is_of_a_key(part) && is_shown(part)));
}

/// Checks the parsing of a state file of the sandbox.
pub fn state(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = SavedState::parse(text).map(drop);
}

/// Checks the reading of a text frame of a stream. Only JSON objects are frames; a change has an object, as it was written, and
/// what is shown of others is one short line.
pub fn frames(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(frame) = frame::read(text) else { return };
    assert!(parse(text).as_ref().is_some_and(Value::is_object));
    match frame {
        Frame::Change { record, .. } => {
            assert!(text.contains(&*record));
            assert!(parse(&record).as_ref().is_some_and(Value::is_object));
        }
        Frame::Disconnect { reason: shown, .. } | Frame::Unknown(shown) => {
            // With an ellipsis.
            assert!(shown.chars().count() <= 201 && !shown.contains(['\n', '\r']));
        }
        Frame::Welcome | Frame::Ping | Frame::Confirmation(_) | Frame::Rejection(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;

    type Target = fn(&[u8]);

    /// The targets by the names of their folders of the corpus.
    const TARGETS: [(&str, Target); 7] = [
        ("payload", payload),
        ("records", records),
        ("error_body", error_body),
        ("har", har),
        ("key", key),
        ("state", state),
        ("frames", frames),
    ];

    fn corpus(name: &str) -> Vec<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        files.map(|file| file.unwrap().path()).collect()
    }

    #[test]
    fn corpus_files_cause_no_panic() {
        for (name, target) in TARGETS {
            let files = corpus(name);
            assert!(!files.is_empty(), "{name}");
            for file in files {
                target(&std::fs::read(&file).unwrap());
            }
        }
    }

    #[test]
    fn truncated_corpus_files_cause_no_panic() {
        for (name, target) in TARGETS {
            for file in corpus(name) {
                let whole = std::fs::read(&file).unwrap();
                for part in 0..16 {
                    target(&whole[..whole.len() * part / 16]);
                }
            }
        }
    }

    /// The fragments of generated strings, including those that often break parsers.
    const PIECES: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ":",
        ",",
        "=",
        "&",
        "%",
        "%2e%2e/",
        "null",
        "-",
        "1e999",
        "99999999999999999999",
        "\\ud800",
        "\u{feff}",
        "\0",
        "\r\n",
        "é",
        "-----BEGIN ",
        "-----END ",
        "Proc-Type: 4,ENCRYPTED\n",
    ];

    /// One step away from a file of the corpus.
    #[derive(Clone, Debug)]
    enum Step {
        Set(Index, u8),
        Put(Index, &'static str),
        Cut(Index, Index),
        Repeat(Index, Index),
    }

    fn step() -> impl Strategy<Value = Step> {
        let place = any::<Index>;
        prop_oneof![
            (place(), any::<u8>()).prop_map(|(at, byte)| Step::Set(at, byte)),
            (place(), select(&PIECES[..])).prop_map(|(at, piece)| Step::Put(at, piece)),
            (place(), place()).prop_map(|(from, to)| Step::Cut(from, to)),
            (place(), place()).prop_map(|(from, to)| Step::Repeat(from, to)),
        ]
    }

    impl Step {
        fn take(&self, bytes: &mut Vec<u8>) {
            let place = |index: &Index| index.index(bytes.len() + 1);
            let range = |one: &Index, other: &Index| {
                let (one, other) = (place(one), place(other));
                one.min(other)..one.max(other)
            };
            match self {
                Self::Set(at, byte) => {
                    let at = place(at);
                    bytes.splice(at..bytes.len().min(at + 1), [*byte]);
                }
                Self::Put(at, piece) => {
                    let at = place(at);
                    bytes.splice(at..at, piece.bytes());
                }
                Self::Cut(from, to) => {
                    let range = range(from, to);
                    bytes.drain(range);
                }
                Self::Repeat(from, to) => {
                    let range = range(from, to);
                    let again = bytes[range.clone()].to_vec();
                    bytes.splice(range.end..range.end, again);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        // What fails is printed, as few steps as it takes.
        #[test]
        fn mutated_corpus_files_cause_no_panic(file in any::<Index>(), steps in vec(step(), 1..6)) {
            for (name, target) in TARGETS {
                let mut bytes = std::fs::read(file.get(&corpus(name))).unwrap();
                for step in &steps {
                    step.take(&mut bytes);
                }
                target(&bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn random_bytes_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for (_, target) in TARGETS {
                target(&bytes);
            }
        }

        #[test]
        fn strings_similar_to_json_cause_no_panic(text in r#"[\[\]{}:,"\\u0-9eE.+\- nultrfasé"_key]{0,120}"#) {
            for (_, target) in TARGETS {
                target(text.as_bytes());
            }
        }
    }
}
