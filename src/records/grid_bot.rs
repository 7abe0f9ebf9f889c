//! `GridBot`.

use super::record_class;
use botdesk_api::grid_bot::{GridLine, GridType, StopLossAction};
use botdesk_api::grid_bot_rows;
use botdesk_api::values::{Amount, Flag, Integer, List, OneOf, Text, Timestamp};

grid_bot_rows!(record_class acting botdesk_api::grid_bot::GridBot;);
