//! `GridBot`.

use super::record_class;
use crate::service::grid_bot::{GridLine, GridType, StopLossAction, grid_bot_rows};
use crate::service::values::{Amount, Flag, Integer, List, OneOf, Text, Timestamp};

grid_bot_rows!(record_class acting crate::service::grid_bot::GridBot;);
