//! `Account`, and what its calls return.

use super::record_class;
use botdesk_api::account::Money;
use botdesk_api::account_rows;
use botdesk_api::deposit_data_rows;
use botdesk_api::leverage_type_rows;
use botdesk_api::values::{Amount, Flag, Integer, List, Object, Open, Text, Timestamp};

account_rows!(record_class acting botdesk_api::account::Account;);
deposit_data_rows!(record_class plain botdesk_api::account::DepositData;);
leverage_type_rows!(record_class plain botdesk_api::account::LeverageType;);
