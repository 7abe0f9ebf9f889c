//! `Money`.

use super::record_class;
use crate::service::account::money_rows;
use crate::service::values::{Amount, Text};

money_rows!(record_class plain crate::service::account::Money;);
