//! `Account`, and what its calls return.

use super::record_class;
use crate::service::account::{Money, account_rows, deposit_data_rows, leverage_type_rows};
use crate::service::values::{Amount, Flag, Integer, List, Object, Open, Text, Timestamp};

account_rows!(record_class acting crate::service::account::Account;);
deposit_data_rows!(record_class plain crate::service::account::DepositData;);
leverage_type_rows!(record_class plain crate::service::account::LeverageType;);
