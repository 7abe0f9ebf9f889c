//! `Deal`.

use super::record_class;
use crate::service::dca_bot::{Direction, MinProfitType, ProfitCurrency, StopLossType, TakeProfitType, VolumeType};
use crate::service::deal::{DealStatus, deal_rows};
use crate::service::strategy::Strategy;
use crate::service::take_profit_step::TakeProfitStep;
use crate::service::values::{Amount, Flag, Integer, List, Object, OneOf, Open, Text, Timestamp};

deal_rows!(record_class plain crate::service::deal::Deal;);
