//! `ReduceFundsInfo`.

use super::record_class;
use crate::service::smart_trade::reduce_funds_info_rows;
use crate::service::values::Amount;

reduce_funds_info_rows!(record_class plain crate::service::smart_trade::ReduceFundsInfo;);
