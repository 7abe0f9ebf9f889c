//! `GridLine`.

use super::record_class;
use botdesk_api::grid_bot::Side;
use botdesk_api::grid_line_rows;
use botdesk_api::values::{Amount, Flag, Integer, OneOf};

grid_line_rows!(record_class plain botdesk_api::grid_bot::GridLine;);
