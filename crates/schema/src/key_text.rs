//! Text that looks like a key, where a path, a name or a URL is expected: no message repeats it.

use std::path::Path;

use super::redaction::HIDDEN;
use super::text::one_line;

/// The placeholder for a path, a name or a URL that looks like a key.
pub const LOOKS_LIKE_KEY: &str = "<hidden: this looks like a key; pass its path, or use BOTDESK_PRIVATE_KEY>";

/// The environment variables with secrets that are not in PEM.
const SECRET_VARIABLES: [&str; 3] = ["BOTDESK_API_KEY", "BOTDESK_PRIVATE_KEY_PASSWORD", "BOTDESK_SECRET"];

/// The fewest bytes of a secret that is searched for. A shorter one may be part of any word.
const MIN_SECRET_LENGTH: usize = 8;

/// The maximum number of characters of a path, a name or a URL in a message.
const MAX_LENGTH: usize = 1_000;

/// The maximum number of characters of a message.
const MAX_MESSAGE_LENGTH: usize = 20_000;

/// Returns true if a text holds a PEM block or a secret of the environment, or ends with a long random string.
pub fn looks_like_key(text: &str) -> bool {
    has_pem_mark(text) || has_known_secret(text) || has_token(text)
}

/// Returns a path, or a placeholder if it looks like a key.
pub fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// Returns a path, a name or a URL in one line, or a placeholder if it looks like a key.
pub fn shown(text: &str) -> String {
    if looks_like_key(text) { LOOKS_LIKE_KEY.to_owned() } else { one_line(text, MAX_LENGTH) }
}

/// Returns a name in quotes, or a placeholder if it looks like a key.
pub fn shown_name(name: &str) -> String {
    if looks_like_key(name) { LOOKS_LIKE_KEY.to_owned() } else { format!("{:?}", one_line(name, MAX_LENGTH)) }
}

/// Returns a message in one line without PEM blocks and the secrets of the environment.
pub fn shown_message(text: &str) -> String {
    let secrets = SECRET_VARIABLES.into_iter().filter_map(secret_variable);
    let text = secrets.fold(without_pem(text), |text, secret| replaced(&text, &secret));
    one_line(&text, MAX_MESSAGE_LENGTH)
}

/// Replaces the PEM blocks in a text. A block may be cut off or have other line endings. Public blocks stay.
pub fn without_pem(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, block)) = rest.split_once(BEGIN) {
        if PUBLIC_LABELS.iter().any(|label| block.starts_with(label)) {
            clean.extend([before, BEGIN]);
            rest = block;
            continue;
        }
        clean.extend([before, HIDDEN]);
        rest = match block.split_once(END) {
            // The label and the dashes of the last line.
            Some((_, after)) => after.split_once(DASHES).map_or("", |(_, after)| after),
            None => block.trim_start_matches(is_part_of_block),
        };
    }
    clean.push_str(rest);
    clean
}

const BEGIN: &str = "-----BEGIN";
const END: &str = "-----END";
const DASHES: &str = "-----";

/// The labels of blocks that are not secret.
const PUBLIC_LABELS: [&str; 3] = [" PUBLIC KEY-----", " RSA PUBLIC KEY-----", " CERTIFICATE-----"];

/// The words of the labels of private keys.
const LABEL: &str = "PRIVATE KEY-----";

/// Returns true if a text holds a PEM block, or a part of one.
pub fn has_pem_mark(text: &str) -> bool {
    [BEGIN, END, LABEL].into_iter().any(|mark| text.contains(mark))
}

fn is_part_of_block(character: char) -> bool {
    is_encoded(character) || matches!(character, '\\')
}

/// Returns true for a character of Base64, in either alphabet and wrapped.
fn is_encoded(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/=-_".contains(character) || character.is_ascii_whitespace()
}

fn has_known_secret(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SECRET_VARIABLES.into_iter().filter_map(secret_variable).any(|secret| text.contains(&secret.to_ascii_lowercase()))
}

fn secret_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|secret| secret.len() >= MIN_SECRET_LENGTH)
}

/// Replaces a secret in any letter case.
fn replaced(text: &str, secret: &str) -> String {
    let (lower, secret) = (text.to_ascii_lowercase(), secret.to_ascii_lowercase());
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for (found, _) in lower.match_indices(&secret) {
        clean.extend([text.get(done..found).unwrap_or_default(), HIDDEN]);
        done = found + secret.len();
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    clean
}

/// Returns true if a text is a long random string, or a path with the beginning of a key in it.
fn has_token(text: &str) -> bool {
    let is_bare = text.chars().all(is_encoded) && !text.starts_with('/');
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    // Folders of systems and containers have random names too, and so have files of data.
    let may_be_random = is_bare || !has_extension(name);
    let searched = if is_bare { text } else { name };
    tokens(text).any(is_key_in_base64) || (may_be_random && tokens(searched).any(is_random))
}

fn has_extension(name: &str) -> bool {
    const MAX_EXTENSION: usize = 10;
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.len() <= MAX_EXTENSION)
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !is_of_token(character))
}

/// Returns true for the beginning of a private key, and for text that no name has: it is very long, or long and in mixed case.
fn is_key_in_base64(text: &str) -> bool {
    const BEGINNING: &str = "MII";
    const MIN_KEY: usize = 20;
    const MIN_MIXED: usize = 40;
    let has = |is_case: fn(&u8) -> bool| text.bytes().any(|byte| is_case(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    (text.len() >= MIN_KEY && text.starts_with(BEGINNING)) || (text.len() >= MIN_MIXED && is_mixed) || is_long(text)
}

/// Returns true for text that is longer than any digest, such as the secret of a system-generated key.
fn is_long(text: &str) -> bool {
    const LONGEST_DIGEST: usize = 128;
    text.len() > LONGEST_DIGEST
}

/// Returns true if a path of the service has a part that can only be a secret.
pub fn has_secret(path: &str) -> bool {
    has_known_secret(path) || tokens(path).any(is_long)
}

fn is_of_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '+'
}

/// Returns true if letters and digits alternate too often for words, dates and versions.
fn is_random(text: &str) -> bool {
    const MIN_LENGTH: usize = 20;
    const MIN_NUMBERS: usize = 3;
    let numbers = text.split(|character: char| !character.is_ascii_digit()).filter(|digits| !digits.is_empty());
    text.len() >= MIN_LENGTH && text.bytes().any(|byte| byte.is_ascii_alphabetic()) && numbers.count() >= MIN_NUMBERS
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

    #[test]
    fn a_key_in_any_form_looks_like_one() {
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n");
        for text in [
            pem.clone(),
            pem.replace('\n', "\\n"),
            pem.replace('\n', " "),
            format!("/home/me/{pem}"),
            format!("{BODY}\n{BODY}"),
            BODY.to_owned(),
            format!("/home/me/{BODY}"),
            "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de".to_owned(),
            "https://host.example/9b74c9897bac770ffc029102a200c5de".to_owned(),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U".to_owned(),
            format!("{BODY}.pem"),
            format!("/home/me/{BODY}/abc"),
            format!("./{BODY}/ab"),
            "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKl".to_owned(),
            format!("/home/me/{}.csv", "9b74c9897bac770f".repeat(10)),
        ] {
            assert!(looks_like_key(&text), "{text}");
            assert_eq!(shown(&text), LOOKS_LIKE_KEY);
            assert_eq!(shown_name(&text), LOOKS_LIKE_KEY);
            assert_eq!(shown_path(Path::new(&text)), LOOKS_LIKE_KEY);
        }
    }

    #[test]
    fn a_path_a_name_and_a_url_do_not_look_like_a_key() {
        for text in [
            "",
            "/home/me/keys/private.pem",
            "keys/2026-01-02/private-key-of-my-main-account-1",
            "/nix/store/3n58xw4373jp0ljirf06d8077j15pc4j-botdesk/profiles.toml",
            "/home/me/.local/state/botdesk/limits/9b74c9897bac770ffc029102a200c5de.requests",
            "/mnt/3f2504e0-4f89-11d3-9a0c-0305e82c3301/private",
            "candles_btc_usdt_2024_2025_1m",
            "https://api.3commas.io",
            "http://127.0.0.1:8080/prefix/of/the/service",
            "my-profile-2",
            "C:\\Users\\me\\Documents\\BotdeskPrivateKey2026",
            "/tmp/pytest-of-root/pytest-0/test_a_key_is_loaded_from_a_fi0/key",
        ] {
            assert!(!looks_like_key(text), "{text}");
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn a_message_has_no_block_of_a_key() {
        let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{BODY}=\n-----END RSA PRIVATE KEY-----");
        for (text, clean) in [
            (format!("file '{pem}' is missing"), "file '<hidden>' is missing".to_owned()),
            (format!("file {pem:?} is missing"), "file \"<hidden>\" is missing".to_owned()),
            (format!("{pem}\n{pem}\n"), "<hidden> <hidden> ".to_owned()),
            (pem.chars().take(60).collect::<String>() + "…", "<hidden>…".to_owned()),
            ("pass a key (BEGIN PRIVATE KEY)".to_owned(), "pass a key (BEGIN PRIVATE KEY)".to_owned()),
            ("it has -----BEGIN PUBLIC KEY-----".to_owned(), "it has -----BEGIN PUBLIC KEY-----".to_owned()),
        ] {
            assert_eq!(shown_message(&text), clean);
        }
    }

    #[test]
    fn a_known_secret_is_replaced_in_any_letter_case() {
        assert_eq!(replaced("of AbCdEfGh, and ABCDEFGH", "abcdefgh"), "of <hidden>, and <hidden>");
    }
}
