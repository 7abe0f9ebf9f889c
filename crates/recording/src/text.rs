//! Rewrites strings that may be JSON, or contain JSON in their strings. Everything that the visitor does not change stays byte
//! for byte.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::secrets::{is_placeholder, secret_name};
use botdesk_schema::json::{Json, Scanner};
use botdesk_schema::redaction::{MESSAGES, replace_field_values};

/// The maximum number of levels of JSON in strings of JSON.
const MAX_DEPTH: usize = 6;

/// Rewrites the parts of a string.
pub(super) trait TextVisitor {
    /// Returns the replacement of a secret.
    fn secret(&mut self, name: &'static str, value: &str) -> String;

    /// Returns the replacement of any other string.
    fn text(&mut self, text: &str) -> String;
}

/// Returns a string as rewritten by a visitor.
pub(super) fn rewritten(text: &str, visitor: &mut dyn TextVisitor) -> String {
    nested(text, visitor, MAX_DEPTH)
}

fn nested(text: &str, visitor: &mut dyn TextVisitor, depth: usize) -> String {
    let source = depth.checked_sub(1).and_then(|depth| Some((depth, whole_json(text)?)));
    let Some((depth, (source, json))) = source else {
        let clean = replace_field_values(text, &secret_name, &mut |name, value| secret(name, value, visitor));
        return visitor.text(&clean);
    };
    let mut walk = JsonRewriter { visitor, depth, changes: Vec::new() };
    walk.value(Json::new(&source, json), ValueContext::default());
    let JsonRewriter { visitor, changes, .. } = walk;
    let clean = spliced(text, changes);
    // A string of JSON may also be a secret with quotes around it.
    if clean.trim_start().starts_with('"') { visitor.text(&clean) } else { clean }
}

/// Scans the text, if all of it is a JSON object, array or string.
fn whole_json(text: &str) -> Option<(Arc<str>, botdesk_schema::json::Span)> {
    text.trim_start().starts_with(['{', '[', '"']).then_some(())?;
    Some((Arc::from(text), Scanner::whole(text).ok()?))
}

/// Returns the replacement of a secret, unless it is a placeholder already.
fn secret(name: &'static str, value: &str, visitor: &mut dyn TextVisitor) -> String {
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

/// The context of a value.
#[derive(Clone, Copy, Default)]
struct ValueContext {
    /// The name of the secret field that contains it.
    secret: Option<&'static str>,
    /// True inside of the messages about fields.
    messages: bool,
}

struct JsonRewriter<'a> {
    visitor: &'a mut dyn TextVisitor,
    depth: usize,
    changes: Vec<(Range<usize>, String)>,
}

impl JsonRewriter<'_> {
    fn value(&mut self, json: Json<'_>, place: ValueContext) {
        match json.text().as_bytes().first() {
            Some(b'{') => self.object(json, place),
            Some(b'[') => self.array(json, place),
            Some(b'"') => self.string(json, place),
            Some(b'-' | b'0'..=b'9') => self.number(json, place),
            _ => {}
        }
    }

    fn object(&mut self, json: Json<'_>, place: ValueContext) {
        for (key, value) in json.members().unwrap_or_default() {
            let name = key.lossy_string().unwrap_or_default();
            let secret = secret_name(&name);
            if secret.is_none() {
                self.string(key, ValueContext::default());
            }
            let messages = place.messages || name == MESSAGES;
            self.value(value, ValueContext { secret: secret.or(place.secret), messages });
        }
    }

    fn array(&mut self, json: Json<'_>, place: ValueContext) {
        let secret = place.secret.filter(|_| !place.messages);
        for element in json.elements().unwrap_or_default() {
            self.value(element, ValueContext { secret, ..place });
        }
    }

    fn string(&mut self, json: Json<'_>, place: ValueContext) {
        let held = json.lossy_string().unwrap_or_default();
        let wanted = match place.secret {
            Some(name) => secret(name, &held, self.visitor),
            None => nested(&held, self.visitor, self.depth),
        };
        if wanted != held {
            self.change(json, wanted);
        }
    }

    fn number(&mut self, json: Json<'_>, place: ValueContext) {
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
