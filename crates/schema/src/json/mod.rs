//! JSON as text: a scanner that finds where each value begins and ends, and the values that it found.
//!
//! Records keep the text of a response and decode a field when it is read. So no digit is lost, and a field of an unexpected
//! type affects only itself. The scanner accepts everything that `serde_json` accepts, and half of a surrogate pair in a
//! string: only that string is then unreadable.

mod body;
mod layout;
mod scanner;
mod span;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use body::{text_of, without_byte_order_mark};
pub use layout::{MemberVisitor, ObjectLayout};
pub use scanner::Scanner;
pub use span::{Malformed, Span};
pub use value::{Json, ascii};
