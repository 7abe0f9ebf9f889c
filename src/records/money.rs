//! `Money`.

use super::record_class;

use botdesk_api::money_rows;
use botdesk_api::values::{Amount, Text};

money_rows!(record_class plain botdesk_api::account::Money;);
