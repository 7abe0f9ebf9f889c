//! `Strategy`.

use super::record_class;
use crate::service::strategy::strategy_rows;
use crate::service::values::{Object, Text};

strategy_rows!(record_class plain crate::service::strategy::Strategy;);
