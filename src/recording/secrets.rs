//! The secrets of a recording: what is one, what stands in its place, and where else it turns up.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, BuildError, Match, MatchKind};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION, SET_COOKIE};

use crate::client::signing::{API_KEY, SIGNATURE};
use crate::service::json::ascii;
use crate::service::secrets;

/// The headers that hold secrets.
static HEADERS: [HeaderName; 6] = [API_KEY, SIGNATURE, AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE];

/// The names of headers, parameters and fields that hold secrets.
static NAMES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| secrets::names().into_iter().chain(HEADERS.iter().map(HeaderName::as_str)).collect());

/// All names of secrets.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

/// The name of a secret as it is told, where a header, parameter or field of this name holds one.
pub(super) fn secret_name(name: &str) -> Option<&'static str> {
    names().find(|secret| secret.eq_ignore_ascii_case(name))
}

/// Whether a value stands in the place of a secret, such as `<api_key-1>`, or there is nothing to hide.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.is_empty() {
        return true;
    }
    let inner = value.strip_prefix('<').and_then(|value| value.strip_suffix('>')).unwrap_or_default();
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    !inner.is_empty() && inner.chars().all(is_part)
}

/// From how many bytes on a secret is looked for everywhere. A shorter one may be a part of any word or number.
const LONG: usize = 8;

/// From how many bytes on a secret is looked for among the words of a text.
const SHORT: usize = 4;

/// The secrets that were met, and their placeholders.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    placeholders: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Secrets {
    /// What stands in the place of a secret: the same for the same one.
    pub(super) fn placeholder(&mut self, name: &'static str, value: &str) -> String {
        if let Some(placeholder) = self.placeholders.get(value) {
            return placeholder.clone();
        }
        let count = self.counts.entry(name).or_default();
        *count += 1;
        let placeholder = format!("<{name}-{count}>");
        self.placeholders.insert(value.to_owned(), placeholder.clone());
        placeholder
    }

    /// What finds the secrets in other places.
    pub(super) fn finder(&self) -> Result<Finder, BuildError> {
        // A value that is a name itself, such as an API key `api_key`, hides nothing and stands everywhere.
        let sought = || self.placeholders.iter().filter(|(value, _)| secret_name(value).is_none());
        let long = sought().filter(|(value, _)| value.len() >= LONG);
        let long =
            long.flat_map(|(value, placeholder)| forms_of(value).into_iter().map(|form| (form, placeholder.clone())));
        let short = sought().filter(|(value, _)| (SHORT..LONG).contains(&value.len()));
        let short = short.map(|(value, placeholder)| (value.clone(), placeholder.clone()));
        Ok(Finder { long: Sought::new(long)?, short: Sought::new(short)? })
    }
}

/// The ways in which a secret is written inside of another text.
fn forms_of(value: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(value).to_string();
    let escaped = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(value);
    let percent = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    let unreserved = [("%2D", "-"), ("%2E", "."), ("%5F", "_"), ("%7E", "~")];
    let usual = unreserved.iter().fold(percent.clone(), |text, (encoded, plain)| text.replace(encoded, plain));
    let mut forms = vec![
        value.to_owned(),
        escaped.to_owned(),
        escaped.replace('/', "\\/"),
        ascii(escaped),
        ascii(escaped).replace('/', "\\/"),
        usual.replace("%20", "+"),
        percent,
        usual,
    ];
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Texts that are looked for, and what stands in the place of each.
#[derive(Debug)]
struct Sought {
    automaton: AhoCorasick,
    placeholders: Vec<String>,
}

impl Sought {
    fn new(sought: impl Iterator<Item = (String, String)>) -> Result<Self, BuildError> {
        let (texts, placeholders): (Vec<_>, Vec<_>) = sought.unzip();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts)?;
        Ok(Self { automaton, placeholders })
    }

    fn replaced(&self, text: &str, counts: impl Fn(&Match) -> bool) -> String {
        let mut clean = String::new();
        let mut done = 0;
        for found in self.automaton.find_iter(text).filter(counts) {
            let placeholder = self.placeholders.get(found.pattern().as_usize()).map_or("", String::as_str);
            clean.extend([text.get(done..found.start()).unwrap_or_default(), placeholder]);
            done = found.end();
        }
        clean.push_str(text.get(done..).unwrap_or_default());
        clean
    }
}

/// Finds secrets in texts, however many secrets there are.
#[derive(Debug)]
pub(super) struct Finder {
    long: Sought,
    /// Apart from the long ones, none of which may escape because a short one was found where it begins.
    short: Sought,
}

impl Finder {
    /// A text with placeholders for the secrets in it.
    pub(super) fn replaced(&self, text: &str) -> String {
        let clean = self.long.replaced(text, |_| true);
        self.short.replaced(&clean, |found| is_word(&clean, found))
    }

    /// The placeholder of a secret that stands in some bytes, if it is long enough to be told from other texts.
    pub(super) fn first(&self, bytes: &[u8]) -> Option<&str> {
        let found = self.long.automaton.find(bytes)?;
        self.long.placeholders.get(found.pattern().as_usize()).map(String::as_str)
    }
}

/// Whether what was found stands by itself: not inside of a word, nor of a number.
fn is_word(text: &str, found: &Match) -> bool {
    let before = text.get(..found.start()).unwrap_or_default().chars().next_back();
    let mut after = text.get(found.end()..).unwrap_or_default().chars();
    let (next, then) = (after.next(), after.next());
    let joins = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let decimal = next == Some('.') && then.is_some_and(|one| one.is_ascii_digit());
    !joins(before) && before != Some('.') && !joins(next) && !decimal
}
