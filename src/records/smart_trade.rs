//! `ReduceFundsInfo`.

use super::record_class;

use botdesk_api::reduce_funds_info_rows;
use botdesk_api::values::Amount;

reduce_funds_info_rows!(record_class plain botdesk_api::smart_trade::ReduceFundsInfo;);
