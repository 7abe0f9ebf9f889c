//! `Strategy`.

use super::record_class;

use botdesk_api::strategy_rows;
use botdesk_api::values::{Object, Text};

strategy_rows!(record_class plain botdesk_api::strategy::Strategy;);
