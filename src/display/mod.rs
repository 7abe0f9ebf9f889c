//! What people see: text, HTML, tables, pictures and widgets.

pub(crate) mod columns;
pub(crate) mod displayed_list;
pub(crate) mod html;
pub(crate) mod pictures;
pub(crate) mod progress;
pub(crate) mod table_methods;
pub(crate) mod tables;
pub(crate) mod terminal;
