//! `DcaBot`.

use super::record_class;
use botdesk_api::dca_bot::{
    BotType, Direction, LeverageType, MinProfitType, ProfitCurrency, StartOrderType, StopLossType, TakeProfitType,
    VolumeType,
};
use botdesk_api::dca_bot_rows;
use botdesk_api::deal::Deal;
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Amount, Flag, Integer, List, OneOf, Open, Text, Timestamp};

dca_bot_rows!(record_class readable botdesk_api::dca_bot::DcaBot;);
