//! Text, HTML and Arrow tables of any record, and the figures in them.

pub mod arrow;
pub mod display_options;
pub mod figures;
pub mod html;
mod number_text;
pub mod text_table;
pub mod view;
pub mod words;
