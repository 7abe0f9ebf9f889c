//! `TakeProfitStep`.

use super::record_class;

use botdesk_api::take_profit_step_rows;
use botdesk_api::values::{Amount, Integer};

take_profit_step_rows!(record_class plain botdesk_api::take_profit_step::TakeProfitStep;);
