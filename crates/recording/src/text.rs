//! Walks over texts that may be JSON, or hold JSON in their strings, and changes what a visitor wants changed. All else
//! stays as it is, byte for byte.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::secrets::{is_placeholder, secret_name};
use botdesk_api::json::{Json, Scanner};
use botdesk_api::redaction::{MESSAGES, replace_field_values};

/// How many times JSON may stand in the strings of JSON.
const MAX_DEPTH: usize = 6;

/// What is done to a text.
pub(super) trait Visitor {
    /// What stands in the place of a secret.
    fn secret(&mut self, name: &'static str, value: &str) -> String;

    /// What stands in the place of any other text.
    fn text(&mut self, text: &str) -> String;
}

/// A text as a visitor wants it.
pub(super) fn rewritten(text: &str, visitor: &mut dyn Visitor) -> String {
    nested(text, visitor, MAX_DEPTH)
}

fn nested(text: &str, visitor: &mut dyn Visitor, depth: usize) -> String {
    let source = depth.checked_sub(1).and_then(|depth| Some((depth, whole_json(text)?)));
    let Some((depth, (source, json))) = source else {
        let clean = replace_field_values(text, &secret_name, &mut |name, value| secret(name, value, visitor));
        return visitor.text(&clean);
    };
    let mut walk = Walk { visitor, depth, changes: Vec::new() };
    walk.value(Json::new(&source, json), Place::default());
    let Walk { visitor, changes, .. } = walk;
    let clean = spliced(text, changes);
    // What looks like a string of JSON may be a secret that has quotes around it.
    if clean.trim_start().starts_with('"') { visitor.text(&clean) } else { clean }
}

/// The text as a document, if it is a JSON object, array or string in whole.
fn whole_json(text: &str) -> Option<(Arc<str>, botdesk_api::json::Span)> {
    text.trim_start().starts_with(['{', '[', '"']).then_some(())?;
    Some((Arc::from(text), Scanner::whole(text).ok()?))
}

/// What stands in the place of a secret, unless something does already.
fn secret(name: &'static str, value: &str, visitor: &mut dyn Visitor) -> String {
    if is_placeholder(value) { value.to_owned() } else { visitor.secret(name, value) }
}

fn spliced(text: &str, changes: Vec<(Range<usize>, String)>) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut done = 0;
    for (range, change) in changes {
        whole.extend([text.get(done..range.start).unwrap_or_default(), &change]);
        done = range.end;
    }
    whole.push_str(text.get(done..).unwrap_or_default());
    whole
}

/// Where in a document a value stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The name of the secret that it is a part of.
    secret: Option<&'static str>,
    /// Whether messages by field stand here.
    messages: bool,
}

struct Walk<'a> {
    visitor: &'a mut dyn Visitor,
    depth: usize,
    changes: Vec<(Range<usize>, String)>,
}

impl Walk<'_> {
    fn value(&mut self, json: Json<'_>, place: Place) {
        match json.text().as_bytes().first() {
            Some(b'{') => self.object(json, place),
            Some(b'[') => self.array(json, place),
            Some(b'"') => self.string(json, place),
            Some(b'-' | b'0'..=b'9') => self.number(json, place),
            _ => {}
        }
    }

    fn object(&mut self, json: Json<'_>, place: Place) {
        for (key, value) in json.members().unwrap_or_default() {
            let name = key.lossy_string().unwrap_or_default();
            let secret = secret_name(&name);
            if secret.is_none() {
                self.string(key, Place::default());
            }
            let messages = place.messages || name == MESSAGES;
            self.value(value, Place { secret: secret.or(place.secret), messages });
        }
    }

    fn array(&mut self, json: Json<'_>, place: Place) {
        let secret = place.secret.filter(|_| !place.messages);
        for element in json.elements().unwrap_or_default() {
            self.value(element, Place { secret, ..place });
        }
    }

    fn string(&mut self, json: Json<'_>, place: Place) {
        let held = json.lossy_string().unwrap_or_default();
        let wanted = match place.secret {
            Some(name) => secret(name, &held, self.visitor),
            None => nested(&held, self.visitor, self.depth),
        };
        if wanted != held {
            self.change(json, wanted);
        }
    }

    fn number(&mut self, json: Json<'_>, place: Place) {
        let wanted = match place.secret {
            Some(name) => self.visitor.secret(name, json.text()),
            None => self.visitor.text(json.text()),
        };
        if wanted != json.text() {
            self.change(json, wanted);
        }
    }

    fn change(&mut self, json: Json<'_>, wanted: String) {
        self.changes.push((json.span().range(), Value::from(wanted).to_string()));
    }
}
