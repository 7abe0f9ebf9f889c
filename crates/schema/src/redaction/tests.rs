//! Secrets in random escapes, in random places.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::HIDDEN;
use super::entities::closed;
use super::fields::find_values;
use super::{Redactor, SecretFinder};
use crate::secrets::{NAMES, redact_secrets, secret_name};

/// Makes random choices from a seed.
struct Choices(u64);

impl Choices {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick(&mut self, from: &[String]) -> String {
        let index = self.below(from.len());
        from[index].clone()
    }

    fn hex(&mut self, number: u32, width: usize) -> String {
        if self.below(2) == 0 { format!("{number:0width$x}") } else { format!("{number:0width$X}") }
    }
}

/// The ways to escape a character in a syntax.
#[derive(Clone, Copy, Debug)]
enum Way {
    Json,
    Query,
    Html,
    /// A random one for each character.
    Mixed,
}

impl Way {
    fn write(self, text: &str, choices: &mut Choices) -> String {
        text.chars().map(|character| self.character(character, choices)).collect()
    }

    fn character(self, character: char, choices: &mut Choices) -> String {
        match self {
            Self::Json => json_character(character, choices),
            Self::Query => query_character(character, choices),
            Self::Html => html_character(character, choices),
            // A character that begins an escape of another syntax has to be escaped.
            Self::Mixed => match (character, choices.below(3)) {
                ('\\', _) | (_, 0) => match json_character(character, choices) {
                    plain if ["%", "&", "+"].contains(&plain.as_str()) => {
                        format!("\\u{}", choices.hex(character.into(), 4))
                    }
                    backslash if backslash == "\\\\" => "\\u005c".to_owned(),
                    other => other,
                },
                (_, 1) => query_character(character, choices),
                _ => html_character(character, choices),
            },
        }
    }
}

fn json_character(character: char, choices: &mut Choices) -> String {
    let mut units = [0; 2];
    let unicode =
        character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{}", choices.hex((*unit).into(), 4)));
    let mut ways = vec![unicode.collect::<String>()];
    let short = match character {
        '"' | '\\' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '/' => "\\/".to_owned(),
        _ => character.to_string(),
    };
    ways.push(short);
    if !matches!(character, '"' | '\\') && !character.is_control() {
        ways.push(character.to_string());
    }
    choices.pick(&ways)
}

fn query_character(character: char, choices: &mut Choices) -> String {
    let bytes = character.to_string().into_bytes();
    let escapes: Vec<_> = bytes.iter().map(|byte| format!("%{}", choices.hex((*byte).into(), 2))).collect();
    let mut ways = vec![escapes.concat()];
    if character == ' ' {
        ways.push("+".to_owned());
    }
    if !character.is_control() && !"%+&#\\\"".contains(character) {
        ways.push(character.to_string());
    }
    choices.pick(&ways)
}

fn html_character(character: char, choices: &mut Choices) -> String {
    let code = u32::from(character);
    let zeros = "0".repeat(choices.below(4));
    let mut ways =
        vec![format!("&#{zeros}{code};"), format!("&#x{zeros}{};", choices.hex(code, 1)), format!("&#X{code:X};")];
    let named = ["plus", "sol", "equals", "quot", "amp", "lt", "gt", "apos", "eacute", "percnt", "bsol"];
    let named = named.iter().filter(|name| closed(name) == Some(character.to_string()));
    ways.extend(named.map(|name| format!("&{name};")));
    if !"&<>\"%\\".contains(character) {
        ways.push(character.to_string());
    }
    choices.pick(&ways)
}

fn way() -> impl Strategy<Value = Way> {
    select(vec![Way::Json, Way::Query, Way::Html])
}

/// Generates no escaping, one, two nested, or a mix.
fn ways() -> impl Strategy<Value = Vec<Way>> {
    prop_oneof![
        1 => Just(Vec::new()),
        3 => way().prop_map(|way| vec![way]),
        5 => (way(), way()).prop_map(|(inner, outer)| vec![inner, outer]),
        3 => Just(vec![Way::Mixed]),
        2 => way().prop_map(|outer| vec![Way::Mixed, outer]),
    ]
}

fn written(text: &str, ways: &[Way], choices: &mut Choices) -> String {
    ways.iter().fold(text.to_owned(), |text, way| way.write(&text, choices))
}

fn secret() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z0-9+/]{43,86}={0,2}", "[a-f0-9]{8,64}", "[ -~]{8,40}", r"[é-ü\u{1F600}-\u{1F64F}A-Z ]{8,20}",]
        // Such a secret can't be distinguished from the text around it.
        .prop_filter("white space", |text| text.trim() == text && !text.starts_with('+') && !text.ends_with('+'))
        .prop_filter("short", |text| super::view::fold(text.as_bytes()).len() >= 8)
}

/// The text around a secret.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    (r#"{"note":""#, r#"","id":1}"#),
    (r#"{""#, r#"":[1,2]}"#),
    (r#"["a",["#, "]]"),
    (r#"{"log":"{\"note\":\""#, r#"\"}"}"#),
    ("<html><pre>Signature: ", "</pre></html>"),
    ("https://host.example/?page=1&note=", "&limit=2"),
    ("https://host.example/", "/show"),
    ("no route for ", ", try again"),
];

proptest! {
    #[test]
    fn a_secret_is_hidden_in_any_escapes(
        secret in secret(), ways in ways(), seed: u64, place in select(PLACES),
    ) {
        let (before, after) = place;
        let spelled = written(&secret, &ways, &mut Choices(seed));
        let redacted = Redactor::new([secret.as_str()], NAMES).redact(&format!("{before}{spelled}{after}"));
        if secret.ends_with(['\\', '%', '&']) {
            // The text after it may be read as part of an escape.
            prop_assert!(redacted.starts_with(&format!("{before}{HIDDEN}")) && !redacted.contains(&spelled), "{}", redacted);
        } else {
            prop_assert_eq!(redacted, format!("{before}{HIDDEN}{after}"), "{}", spelled);
        }
    }

    #[test]
    fn the_value_of_a_secret_field_is_hidden_whatever_the_escapes_of_its_name(
        name in select(NAMES.iter().collect::<Vec<_>>()), value in "canary[ -~é]{0,40}", inner in any::<bool>(),
        ways in ways(), seed: u64,
    ) {
        let mut choices = Choices(seed);
        let inner: &[Way] = if inner { &[Way::Json] } else { &[] };
        let spelled_name = written(name, inner, &mut choices);
        let value = Way::Json.write(&value, &mut choices);
        let mut outer = |text: &str| written(text, &ways, &mut choices);
        let before = outer(&format!(r#"{{"a":1,"{spelled_name}":""#));
        let (value, after) = (outer(&value), outer(r#"","b":2}"#));
        let redacted = redact_secrets(&format!("{before}{value}{after}"));
        if ways.len() > 1 || matches!(ways[..], [Way::Mixed]) {
            // If quotes and backslashes are escaped in different ways, more than the value may be hidden.
            prop_assert!(redacted.contains(HIDDEN) && !redacted.contains(&value), "{}\n{}", redacted, value);
        } else {
            prop_assert_eq!(redacted, format!("{before}{HIDDEN}{after}"), "{}", value);
        }
    }

    #[test]
    fn the_value_of_a_secret_field_is_hidden_whichever_punctuation_is_escaped(
        name in select(NAMES.iter().collect::<Vec<_>>()), value in "canary[a-z0-9]{8,20}",
        separator in select(vec![":", "=>"]), ways in prop::collection::vec(select(vec![Some(Way::Mixed), None]), 9),
        seed: u64,
    ) {
        let mut choices = Choices(seed);
        let parts = ["{", "\"", name, "\"", separator, " ", "\"", &value, "\""];
        let write = |(part, way): (&str, &Option<Way>)| way.map_or(part.to_owned(), |way| way.write(part, &mut choices));
        let text: String = parts.into_iter().zip(&ways).map(write).collect();
        let redacted = redact_secrets(&format!("{text},\"id\":1}}"));
        prop_assert!(redacted.contains(HIDDEN) && !redacted.contains(&value), "{}\n{}", text, redacted);
    }

    #[test]
    fn redacting_any_string_causes_no_panic(text in r#"[\\%&#ux0-9a-f;"':={}\[\]é\n]{0,60}"#, secret in r"[\\%&a-f0-9]{8,9}") {
        let text = format!("{text}{secret}{text}");
        let clean = Redactor::new([secret.as_str()], NAMES).redact(&text);
        prop_assert!(!clean.contains(&secret), "{}", clean);
    }
}

fn hidden(secret: &str, text: &str) -> String {
    Redactor::new([secret], NAMES).redact(text)
}

#[test]
fn every_escape_is_known() {
    let secret = "ab+cd/ef=é\"<&%\\";
    for text in [
        r"ab\u002Bcd\/ef\u003d\u00E9\u0022\u003c\u0026\u0025\u005C",
        r#"ab\x2bcd\x2Fef=é\"<&%\\"#,
        "ab%2Bcd%2fef%3D%C3%A9%22%3C%26%25%5C",
        "ab%2Bcd%2fef%3D%u00e9%22%3C%26%25%5c",
        "ab&#43;cd&#x2F;ef&#0061;&eacute;&quot;&lt;&amp;&percnt;&bsol;",
        "ab&plus;cd&sol;ef&equals;&eacute&quot&lt&amp&#37&#92",
    ] {
        assert_eq!(hidden(secret, &format!("<{text}>")), format!("<{HIDDEN}>"), "{text}");
    }
}

#[test]
fn escapes_of_one_kind_may_nest_deeper() {
    let mut text = "the\"secret\\value".to_owned();
    for _ in 0..5 {
        text = json!({ "log": text }).to_string();
        assert!(!hidden("the\"secret\\value", &text).contains("value"), "{text}");
    }
}

#[test]
fn base64_is_hidden_in_either_alphabet_wrapped_and_without_padding() {
    let secret = "Zm9v+mFy/2Jheg0KcXV4+w==";
    for text in [
        "Zm9v-mFy_2Jheg0KcXV4-w==",
        "Zm9v-mFy_2Jheg0KcXV4-w",
        "Zm9v+mFy/2Jh\neg0KcXV4+w==",
        "Zm9v+mFy/2Jh\\r\\neg0KcXV4+w==",
        "Zm9v%2BmFy%2F2Jheg0KcXV4%2Bw%3D%3D",
        "Zm9v mFy/2Jheg0KcXV4 w==",
    ] {
        assert_eq!(hidden(secret, &format!("({text})")), format!("({HIDDEN})"), "{text}");
    }
}

#[test]
fn a_secret_is_hidden_inside_of_base64() {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let secret = "the-secret-value";
    for before in ["", "a", "ab", "abc"] {
        for text in
            [STANDARD.encode(format!("{before}{secret}xyz")), URL_SAFE_NO_PAD.encode(format!("{before}{secret}"))]
        {
            let clean = hidden(secret, &text);
            assert!(clean.contains(HIDDEN) && clean.len() < 24, "{text}: {clean}");
        }
    }
}

#[test]
fn the_beginning_of_a_secret_is_hidden_at_the_end_of_a_string() {
    let secret = "the-secret+value";
    for text in ["the-secr", "the-secret%2", "the-secret\\u002", "the-secret&#4", "the-secret%2Bvalu"] {
        assert_eq!(hidden(secret, &format!("cut: {text}")), format!("cut: {HIDDEN}"), "{text}");
    }
}

#[test]
fn the_beginning_of_a_secret_is_hidden_anywhere_from_eight_bytes_on() {
    let secret = "AKIA-the-secret-value";
    for (text, clean) in [
        ("key AKIA-the… is wrong", "key <hidden>… is wrong"),
        ("key AKIA-the-sec*** is wrong", "key <hidden>*** is wrong"),
        ("key AKIA-th… is wrong", "key AKIA-th… is wrong"),
        ("AKIA-the-secret-value-and-more AKIA-the", "<hidden>-and-more <hidden>"),
    ] {
        assert_eq!(hidden(secret, text), clean);
    }
}

#[test]
fn the_beginning_of_a_secret_does_not_hide_the_name_of_a_field() {
    let body = r#"{"exchange_name": "exchange-k…", "log": "{\"exchange_name\":\"a\"}"}"#;
    let clean = r#"{"exchange_name": "<hidden>…", "log": "{\"exchange_name\":\"a\"}"}"#;
    assert_eq!(hidden("exchange-key-1234", body), clean);
    assert_eq!(hidden("exchange-key-1234", "market_exchange"), "market_exchange");
    for text in ["exchange", "exchange_A", "exchangexxxx", "exchange_4", "exchange of my_bot"] {
        assert!(hidden("exchange-key-1234", text).starts_with("<hidden>"), "{text}");
    }
}

#[test]
fn a_secret_is_hidden_in_any_letter_case() {
    for secret in ["AkIa-Secret-Value", "Ab+cd/ef=1234", "word7"] {
        for text in [secret.to_ascii_lowercase(), secret.to_ascii_uppercase(), secret.to_owned()] {
            assert_eq!(hidden(secret, &format!("[{text}]")), "[<hidden>]");
        }
    }
    assert_eq!(hidden("AkIa-Secret-Value", "akia-sec%52et-val"), "<hidden>");
}

#[test]
fn a_short_secret_is_hidden_as_a_word() {
    for (text, clean) in [
        ("is hunter2, sir", "is <hidden>, sir"),
        ("is hunt\\u0065r2", "is <hidden>"),
        ("hunter22", "hunter22"),
        ("xhunter2", "xhunter2"),
        ("0.hunter2", "0.hunter2"),
    ] {
        assert_eq!(hidden("hunter2", text), clean);
    }
}

#[test]
fn a_secret_with_spaces_is_hidden() {
    assert_eq!(hidden("a b c d e", "is a b c d e or a+b+c+d+e or abcde"), "is <hidden> or <hidden> or abcde");
}

#[test]
fn overlapping_secrets_are_hidden_whole() {
    let redactor = Redactor::new(["abcdefghij", "ghijklmnop"], NAMES);
    assert_eq!(redactor.redact("-abcdefghijklmnop-"), "-<hidden>-");
}

#[test]
fn secrets_that_touch_keep_their_own_replacements() {
    let secrets = [("first-secret", "<1>"), ("other-secret", "<2>")];
    let finder = SecretFinder::new(secrets.map(|(secret, text)| (secret.to_owned(), text.to_owned()))).unwrap();
    assert_eq!(finder.replace("first-secretother%2Dsecret"), "<1><2>");
    assert_eq!(finder.first("an other&#45;secret"), Some("<2>"));
    assert_eq!(finder.first("none"), None);
}

#[test]
fn a_string_without_secrets_is_unchanged() {
    for text in
        ["", "plain", r#"{"a":"\u00e9\/","b":"50%","c":"a&b"}"#, "&#99999999999;&#xD800;%zz\\ud800\\q&unknown;&"]
    {
        assert_eq!(hidden("the-secret-value", text), text);
    }
}

#[test]
fn arrays_and_objects_of_secret_fields_are_hidden_but_not_messages() {
    for (text, clean) in [
        (r#"{"secret":["one",{"x":"]"}],"id":1}"#, r#"{"secret":"<hidden>","id":1}"#),
        (r#"{"api\u005fkey":["one"],"id":1}"#, r#"{"api\u005fkey":"<hidden>","id":1}"#),
        (
            r#"{"error_attributes":{"secret":["is wrong"]},"secret":["x"]}"#,
            r#"{"error_attributes":{"secret":["is wrong"]},"secret":"<hidden>"}"#,
        ),
        (r#"{"log":"{\"secret\":[\"one\"],\"id\":1}"}"#, r#"{"log":"{\"secret\":\"<hidden>\",\"id\":1}"}"#),
        (r#"{"SECRET":"x","secret":""}"#, r#"{"SECRET":"<hidden>","secret":"<hidden>"}"#),
        (r#"{"secret":["cut","#, r#"{"secret":"<hidden>""#),
        (r#"{"secret":"ends in \\","id":"1"}"#, r#"{"secret":"<hidden>","id":"1"}"#),
        ("{&quot;secret&quot;:&quot;a\\&quot;b&quot;}", "{&quot;secret&quot;:&quot;<hidden>&quot;}"),
        ("%7B%22secret%22:12,%22id%22:1%7D", "%7B%22secret%22:%22<hidden>%22,%22id%22:1%7D"),
    ] {
        assert_eq!(redact_secrets(text), clean);
    }
}

#[test]
fn the_parameters_of_a_url_are_hidden() {
    for (text, clean) in [
        ("see https://x/?a=1&secret=top%26x&b=2", "see https://x/?a=1&secret=<hidden>&b=2"),
        (r#"{"url":"https:\/\/x\/?api%5Fkey=top"}"#, r#"{"url":"https:\/\/x\/?api%5Fkey=<hidden>"}"#),
        ("<a href='/?id=1&amp;secret=top'>", "<a href='/?id=1&amp;secret=<hidden>'>"),
        ("?next=%3Fsecret%3Dtop%26a%3D1", "?next=%3Fsecret%3D<hidden>%26a%3D1"),
        ("invalid parameters: secret=topsecret&name=x", "invalid parameters: secret=<hidden>&name=x"),
        ("secret=topsecret&name=x", "secret=<hidden>&name=x"),
        ("name=x;secret=topsecret", "name=x;secret=<hidden>"),
        (r#"{"body":"secret=top"}"#, r#"{"body":"secret=<hidden>"}"#),
        (r#"{"body":"{\"a\":\"secret=top\"}"}"#, r#"{"body":"{\"a\":\"secret=<hidden>\"}"}"#),
        ("secret%3Dtopsecret%26name%3Dx", "secret%3D<hidden>%26name%3Dx"),
        ("secretive=kept&a_secret=kept&secret=", "secretive=kept&a_secret=kept&secret="),
        ("a=secret=kept", "a=secret=kept"),
    ] {
        assert_eq!(redact_secrets(text), clean);
    }
}

#[test]
fn the_fields_of_a_ruby_hash_are_hidden() {
    for (text, clean) in [
        (r#"{"secret"=>"topsecret", "id"=>1}"#, r#"{"secret"=>"<hidden>", "id"=>1}"#),
        (r#"{"secret" => 12, "api_key" => nil}"#, r#"{"secret" => "<hidden>", "api_key" => nil}"#),
        ("{&quot;secret&quot;=&gt;&quot;top&quot;}", "{&quot;secret&quot;=&gt;&quot;<hidden>&quot;}"),
    ] {
        assert_eq!(redact_secrets(text), clean);
    }
}

#[test]
fn the_value_of_a_field_is_hidden_when_only_its_colon_or_quote_is_escaped() {
    for (text, clean) in [
        (r#"{"secret"\u003a"topsecretvalue"}"#, r#"{"secret"\u003a"<hidden>"}"#),
        (r#""secret"%3A"topsecretvalue""#, r#""secret"%3A"<hidden>""#),
        (r#""secret"&colon;"topsecretvalue""#, r#""secret"&colon;"<hidden>""#),
        (r#"{"secret": \"topsecretvalue\"}"#, r#"{"secret": \"<hidden>\"}"#),
        (r#"{"secret": &quot;topsecretvalue&quot;}"#, r#"{"secret": &quot;<hidden>&quot;}"#),
        (r#"{"secret"\u000a:"topsecretvalue"}"#, r#"{"secret"\u000a:"<hidden>"}"#),
        (r#"{"a":1,&quot;secret":"topsecretvalue"}"#, r#"{"a":1,&quot;secret":"<hidden>"}"#),
        (r#"{"api&#9%35;key":"topsecretvalue"}"#, r#"{"api&#9%35;key":"<hidden>"}"#),
        ("%7B%22secret%22+%3A+%22topsecretvalue%22%7D", "%7B%22secret%22+%3A+%22<hidden>%22%7D"),
        (r#"{"secret":12&#51;45}"#, r#"{"secret":"<hidden>"}"#),
        (r#"{"secret":[&quot;a]b&quot;]}"#, r#"{"secret":"<hidden>"}"#),
    ] {
        assert_eq!(redact_secrets(text), clean);
    }
    let name = format!("&#{}95;", "0".repeat(300));
    let text = format!(r#"{{"api{name}key":"topsecretvalue"}}"#);
    assert_eq!(redact_secrets(&text), text.replace("topsecretvalue", HIDDEN));
}

#[test]
fn the_string_before_a_secret_is_kept_if_the_secret_begins_inside_a_character() {
    let (e, copyright) = ("caf\u{e9}", "\u{a9}");
    assert_eq!(
        hidden("%A9secret-value", &format!("{e}secret-value, {copyright}")),
        format!("caf<hidden>, {copyright}")
    );
    assert_eq!(hidden("secret-value%C3", "-secret-value\u{e9}-"), "-<hidden>-");
}

#[test]
fn a_long_string_is_redacted_quickly() {
    let secrets: Vec<_> = (0..50).map(|number| format!("the-secret-{number}+value")).collect();
    let redactor = Redactor::new(secrets.iter().map(String::as_str), NAMES);
    let text = r#"{"name":"a\/b \u00e9","pair":"USDT_BTC"},"#.repeat(25_000);
    assert_eq!(redactor.redact(&text), text);
}

#[test]
fn nested_escapes_are_redacted_quickly() {
    for (name, clean) in [("secret", r#"{"secret":"<hidden>""#), ("error_attributes", r#"{"error_attributes":{"#)] {
        let text = format!("{{{}", format!("\"{name}\":{{").repeat(100_000));
        assert!(redact_secrets(&text).starts_with(clean));
    }
}

/// The longest error body that a service may send, in bytes.
const ERROR_BODY: usize = 256 * 1024;

#[test]
fn the_search_for_values_copies_a_string_a_limited_number_of_times() {
    for part in [
        "?secret=",
        "https://h/?api_key=1,",
        "&secret=1%25252525",
        "secret=\\u0026",
        "?secret=%3Fsecret%3D",
        "\"secret\":\"",
        "\"secret\":[",
        "\"secret\"=>1,",
        "\"secret\":%22%2522",
        "\\\"secret\\\":",
        "&quot;secret&quot;:{&amp;quot;",
        "secret=&bsol;u0026secret%3D\\/",
    ] {
        // A quarter of an error's body is long enough to show a number of copies that grows with the length.
        let text = part.repeat(ERROR_BODY / 4 / part.len());
        let values = find_values(&text, &secret_name);
        let copied: usize = values.iter().map(|value| value.held.len()).sum();
        assert!(copied <= 2 * text.len(), "{part}: {copied} of {}", text.len());
        assert!(values.len() <= text.len() / 4, "{part}: {} values", values.len());
    }
}
