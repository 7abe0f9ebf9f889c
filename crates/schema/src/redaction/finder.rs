//! Finds known secrets in strings, in any escapes and in Base64.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::view::{decoded, each_view, fold};

/// The fewest bytes of a secret, or of its beginning, that is searched for everywhere. A shorter one may be part of any word or number.
const LONG: usize = 8;

/// The fewest bytes of a secret that is searched for among the words of a string.
const SHORT: usize = 4;

/// Finds secrets in any letter case, however many there are.
#[derive(Debug)]
pub struct SecretFinder {
    /// Searches strings without white space for the first [`LONG`] bytes of long secrets.
    beginnings: TermSearch,
    /// Searches for short secrets, and for long ones that are mostly white space. It is separate so that a short secret that
    /// begins at the same place does not hide a long one.
    exact: TermSearch,
    /// The replacement of each secret.
    replacements: Vec<String>,
}

impl SecretFinder {
    /// Builds the search for secrets, each with its replacement.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Result<Self, BuildError> {
        let (secrets, replacements): (Vec<_>, Vec<_>) = secrets.into_iter().unzip();
        let (mut folded, mut exact) = (Vec::new(), Vec::new());
        for (secret, text) in secrets.iter().enumerate() {
            if fold(text.as_bytes()).len() >= LONG {
                folded.extend(spellings(text).into_iter().map(|bytes| Term { bytes, secret }));
            } else if text.len() >= SHORT {
                let spellings = [text.clone(), text.replace(' ', "+")];
                exact.extend(spellings.map(|text| Term { bytes: text.into_bytes(), secret }));
            }
        }
        let beginnings = folded.into_iter().filter_map(|term| Some((term.bytes.get(..LONG)?.to_vec(), term)));
        Ok(Self {
            beginnings: TermSearch::new(beginnings)?,
            exact: TermSearch::new(exact.into_iter().map(|term| (term.bytes.clone(), term)))?,
            replacements,
        })
    }

    /// Returns the text with replacements for the secrets in it.
    pub fn replace(&self, text: &str) -> String {
        let clean = self.replaced(text, &self.long(text));
        let words = self.words(&clean);
        self.replaced(&clean, &words)
    }

    /// Returns the replacement of a secret that occurs in a string, if it is long enough to be distinguished from other strings.
    pub fn first(&self, text: &str) -> Option<&str> {
        let found = self.long(text);
        self.replacements.get(found.first()?.secret).map(String::as_str)
    }

    /// Returns where long secrets, or their beginnings, occur.
    fn long(&self, text: &str) -> Vec<SecretMatch> {
        let mut all = Vec::new();
        if !self.beginnings.terms.is_empty() {
            each_view(text, &mut |view| {
                let view = view.folded();
                let found = self.beginnings.find(view.bytes());
                all.extend(found.filter_map(|(range, term)| {
                    let (range, is_whole) = found_at(term, view.bytes(), range.start);
                    let source = view.source(range);
                    // The view has no white space between words.
                    let is_secret = is_whole || !is_in_field_name(text.as_bytes(), &source);
                    is_secret.then_some(SecretMatch { source, secret: term.secret })
                }));
            });
        }
        merged(all)
    }

    /// Returns where short secrets occur as words.
    fn words(&self, text: &str) -> Vec<SecretMatch> {
        let mut all = Vec::new();
        if !self.exact.terms.is_empty() {
            each_view(text, &mut |view| {
                let found = self.exact.find(view.bytes());
                let words = found.filter(|(range, term)| term.bytes.len() >= LONG || is_word(view.bytes(), range));
                all.extend(words.map(|(range, term)| SecretMatch { source: view.source(range), secret: term.secret }));
            });
        }
        merged(all)
    }

    fn replaced(&self, text: &str, found: &[SecretMatch]) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut done = 0;
        for SecretMatch { source, secret } in found {
            let replacement = self.replacements.get(*secret).map_or("", String::as_str);
            clean.extend([text.get(done..source.start).unwrap_or_default(), replacement]);
            done = source.end;
        }
        clean.push_str(text.get(done..).unwrap_or_default());
        clean
    }
}

/// The position of a secret in the source.
struct SecretMatch {
    source: Range<usize>,
    secret: usize,
}

/// Merges overlapping secrets into the one that begins first and reaches farthest.
fn merged(mut found: Vec<SecretMatch>) -> Vec<SecretMatch> {
    found.sort_by_key(|found| (found.source.start, std::cmp::Reverse(found.source.end)));
    let mut merged: Vec<SecretMatch> = Vec::with_capacity(found.len());
    for found in found {
        match merged.last_mut().filter(|last| found.source.start < last.source.end) {
            Some(last) => last.source.end = last.source.end.max(found.source.end),
            None => merged.push(found),
        }
    }
    merged
}

/// Returns the part of a text that is a secret and begins at `start`, and true if it is the whole secret.
fn found_at(term: &Term, bytes: &[u8], start: usize) -> (Range<usize>, bool) {
    let rest = bytes.get(start..).unwrap_or_default();
    let same = rest.iter().zip(&term.bytes).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count();
    let is_whole = same == term.bytes.len();
    // The last escape of a string may be cut off as well.
    let is_cut = !is_whole && is_cut_escape(rest.get(same..).unwrap_or_default());
    (start..if is_cut { bytes.len() } else { start + same }, is_whole)
}

/// Returns true if a part of a text is a word in the name of a field, as in `exchange_name`. A secret that begins with a word must not
/// hide such names.
fn is_in_field_name(bytes: &[u8], part: &Range<usize>) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let before = bytes.get(..part.start).unwrap_or_default().iter().rev().take_while(is_name).count();
    let after = bytes.get(part.end..).unwrap_or_default().iter().take_while(is_name).count();
    let name = bytes.get(part.start - before..part.end + after).unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    before + after > 0 && name.contains(&b'_') && name.iter().all(is_word)
}

/// A spelling of a secret.
#[derive(Debug)]
struct Term {
    bytes: Vec<u8>,
    secret: usize,
}

/// A search for many terms at once.
#[derive(Debug)]
struct TermSearch {
    /// None without terms. Most searches have none, and building an automaton takes longer than redacting a string.
    automaton: Option<AhoCorasick>,
    terms: Vec<Term>,
}

impl TermSearch {
    /// Builds the search for strings, each with its term.
    fn new(terms: impl Iterator<Item = (Vec<u8>, Term)>) -> Result<Self, BuildError> {
        let (texts, terms): (Vec<_>, Vec<Term>) = terms.unzip();
        // The kind that is built fastest: each error has another signature, and builds a search for a short string. Searching a long
        // one, such as a cassette, takes longer.
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        let build = || AhoCorasick::builder().kind(kind).ascii_case_insensitive(true).build(&texts);
        let automaton = (!texts.is_empty()).then(build).transpose()?;
        Ok(Self { automaton, terms })
    }

    /// Returns where terms occur, even if they overlap.
    fn find<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = (Range<usize>, &'a Term)> {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(bytes));
        found.filter_map(|found| Some((found.start()..found.end(), self.terms.get(found.pattern().as_usize())?)))
    }
}

/// Returns the spellings of a secret in strings without escapes and white space.
fn spellings(secret: &str) -> BTreeSet<Vec<u8>> {
    let plain = decoded(secret);
    let alphabets =
        plain.iter().flat_map(|text| [text.clone(), with(text, *b"+/", *b"-_"), with(text, *b"-_", *b"+/")]);
    let mut spellings: BTreeSet<_> = alphabets.map(|text| fold(&text)).collect();
    spellings.extend(in_base64(secret.as_bytes()));
    // The padding of Base64 may be left out.
    let unpadded: Vec<_> = spellings.iter().map(|text| without_padding(text).to_vec()).collect();
    spellings.extend(unpadded);
    spellings.retain(|text| text.len() >= LONG);
    spellings
}

fn without_padding(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1);
    text.get(..length).unwrap_or_default()
}

/// Returns the Base64 that all encodings of a secret share, at any offset, in both alphabets.
fn in_base64(secret: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..3_usize).flat_map(move |before| {
        let digits = STANDARD_NO_PAD.encode([&vec![0; before], secret].concat());
        let first = (before * 8).div_ceil(6);
        let last = (before + secret.len()) * 8 / 6;
        let own = digits.as_bytes().get(first..last).unwrap_or_default();
        [fold(own), fold(&with(own, *b"+/", *b"-_"))]
    })
}

/// Returns a string with some bytes replaced.
fn with(text: &[u8], from: [u8; 2], to: [u8; 2]) -> Vec<u8> {
    let other = |byte: u8| from.into_iter().zip(to).find(|(from, _)| *from == byte).map_or(byte, |(_, to)| to);
    text.iter().map(|byte| other(*byte)).collect()
}

/// Returns true if a string may be the beginning of an escape.
fn is_cut_escape(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    match text {
        [b'\\' | b'%' | b'&', rest @ ..] => rest.iter().all(is_part),
        _ => false,
    }
}

/// Returns true if the match is a word of its own, not part of a longer word or number.
fn is_word(text: &[u8], found: &Range<usize>) -> bool {
    let before = text.get(..found.start).and_then(<[u8]>::last);
    let mut after = text.iter().skip(found.end);
    let (next, then) = (after.next(), after.next());
    let joins =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii());
    let decimal = next == Some(&b'.') && then.is_some_and(u8::is_ascii_digit);
    !joins(before) && before != Some(&b'.') && !joins(next) && !decimal
}
