//! JSON as text: a scanner that finds where each value begins and ends, and the values it found.
//!
//! Records keep the text of an answer and decode a field when it is read, so that no digit is lost and a field of
//! an unexpected type spoils only itself. The scanner accepts what `serde_json` accepts, and half of a surrogate pair
//! inside a string: that string alone can't be read then.

mod body;
mod scanner;
mod shape;
mod span;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use body::{text_of, without_byte_order_mark};
pub use scanner::Scanner;
pub use shape::{Shape, Visitor};
pub use span::{Malformed, Span};
pub use value::{Json, ascii};
