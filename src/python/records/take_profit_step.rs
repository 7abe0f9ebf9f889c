//! `TakeProfitStep`.

use super::record_class;
use crate::service::take_profit_step::take_profit_step_rows;
use crate::service::values::{Amount, Integer};

take_profit_step_rows!(record_class plain crate::service::take_profit_step::TakeProfitStep;);
