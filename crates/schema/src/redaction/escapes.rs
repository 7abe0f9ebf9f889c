//! The escapes of JSON, URLs and HTML.

use super::entities;

/// A syntax that escapes characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `\u002B`, `\/`; also `\x2b` and `\'` of JavaScript.
    Json,
    /// `%2B`; also `%u002B`, which JavaScript's `escape` writes.
    Url,
    /// `&#43;`, `&#x2b;`, `&plus;`.
    Html,
}

impl Syntax {
    pub(super) const ALL: [Self; 3] = [Self::Json, Self::Url, Self::Html];

    /// Returns the length of the escape that the text begins with, and the decoded bytes.
    pub(super) fn escape(self, text: &[u8]) -> Option<(usize, Vec<u8>)> {
        match self {
            Self::Json => json(text.strip_prefix(b"\\")?),
            Self::Url => url(text.strip_prefix(b"%")?),
            Self::Html => html(text.strip_prefix(b"&")?),
        }
    }
}

fn json(after: &[u8]) -> Option<(usize, Vec<u8>)> {
    let plain = match after.first()? {
        b'u' => return json_unicode(after.get(1..)?),
        b'x' => return Some((4, utf8(hex(after.get(1..3)?)?)?)),
        plain @ (b'"' | b'\'' | b'\\' | b'/') => *plain,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    };
    Some((2, vec![plain]))
}

fn json_unicode(digits: &[u8]) -> Option<(usize, Vec<u8>)> {
    let first = hex(digits.get(..4)?)?;
    if let Some(bytes) = utf8(first) {
        return Some((6, bytes));
    }
    let second = digits.get(4..)?.strip_prefix(b"\\u").and_then(|digits| hex(digits.get(..4)?));
    let units = [first, second.unwrap_or_default()].map(|unit| u16::try_from(unit).unwrap_or_default());
    match char::decode_utf16(units).next()? {
        Ok(character) => Some((12, character.to_string().into_bytes())),
        // Half of a surrogate pair is not a character.
        Err(_) => Some((6, "\u{fffd}".to_owned().into_bytes())),
    }
}

fn url(after: &[u8]) -> Option<(usize, Vec<u8>)> {
    if let Some(digits) = after.strip_prefix(b"u") {
        return Some((6, utf8(hex(digits.get(..4)?)?)?));
    }
    Some((3, vec![u8::try_from(hex(after.get(..2)?)?).ok()?]))
}

fn html(after: &[u8]) -> Option<(usize, Vec<u8>)> {
    if let Some(number) = after.strip_prefix(b"#") {
        return html_number(number);
    }
    let length = after.iter().take(entities::MAX_LENGTH).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = std::str::from_utf8(after.get(..length)?).ok()?;
    if after.get(length) == Some(&b';')
        && let Some(text) = entities::closed(name)
    {
        return Some((length + 2, text.into_bytes()));
    }
    let prefixes = (2..=length).rev().filter_map(|length| Some((length, entities::bare(name.get(..length)?)?)));
    prefixes.map(|(length, text)| (length + 1, text.into_bytes())).next()
}

fn html_number(number: &[u8]) -> Option<(usize, Vec<u8>)> {
    let (digits, base) = match number.first()? {
        b'x' | b'X' => (number.get(1..)?, 16),
        _ => (number, 10),
    };
    let length = digits.iter().take_while(|byte| char::from(**byte).is_digit(base)).count();
    let text = std::str::from_utf8(digits.get(..length)?).ok()?;
    let bytes = utf8(u32::from_str_radix(text, base).ok()?)?;
    let closes = usize::from(digits.get(length) == Some(&b';'));
    Some((2 + number.len() - digits.len() + length + closes, bytes))
}

fn hex(digits: &[u8]) -> Option<u32> {
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    all.then(|| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())?
}

fn utf8(code: u32) -> Option<Vec<u8>> {
    char::from_u32(code).map(|character| character.to_string().into_bytes())
}
