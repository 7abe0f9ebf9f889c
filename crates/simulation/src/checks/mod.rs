//! Checks of every request, every write and every change. An error says what was wrong.

pub(crate) mod changes;
pub(crate) mod rate;
pub(crate) mod rejections;
pub(crate) mod settings;
pub(crate) mod writes;
