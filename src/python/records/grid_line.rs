//! `GridLine`.

use super::record_class;
use crate::service::grid_bot::{Side, grid_line_rows};
use crate::service::values::{Amount, Flag, Integer, OneOf};

grid_line_rows!(record_class plain crate::service::grid_bot::GridLine;);
