//! `Deal`.

use super::record_class;
use botdesk_api::dca_bot::{Direction, MinProfitType, ProfitCurrency, StopLossType, TakeProfitType, VolumeType};
use botdesk_api::deal::DealStatus;
use botdesk_api::deal_rows;
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Amount, Flag, Integer, List, Object, OneOf, Open, Text, Timestamp};

deal_rows!(record_class plain botdesk_api::deal::Deal;);
