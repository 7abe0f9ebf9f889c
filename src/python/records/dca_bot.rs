//! `DcaBot`.

use super::record_class;
use crate::service::dca_bot::{
    BotType, Direction, LeverageType, MinProfitType, ProfitCurrency, StartOrderType, StopLossType, TakeProfitType,
    VolumeType, dca_bot_rows,
};
use crate::service::deal::Deal;
use crate::service::strategy::Strategy;
use crate::service::take_profit_step::TakeProfitStep;
use crate::service::values::{Amount, Flag, Integer, List, OneOf, Open, Text, Timestamp};

dca_bot_rows!(record_class readable crate::service::dca_bot::DcaBot;);
