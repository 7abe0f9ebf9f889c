//! Moments of a playback, and what happened to bots until then.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::market::time_of;
use super::state::BotEvent;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Event, EventKind, Fill, Milliseconds, OrderKind};

/// The end of a candle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybackMoment {
    /// The time.
    pub time: Milliseconds,
    /// The price of each pair whose candle ended.
    pub prices: BTreeMap<String, Decimal>,
    /// The events of bots since the moment before.
    pub events: Vec<MarketEvent>,
}

/// Something that happened to a bot in the market. A value that does not apply to the kind of event is None.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketEvent {
    /// The id of the bot.
    pub bot_id: u64,
    /// The time.
    pub time: Milliseconds,
    /// The name of the kind of event.
    pub kind: String,
    /// The id of the deal.
    pub deal_id: Option<u64>,
    /// The code of the pair.
    pub pair: Option<String>,
    /// The name of the kind of the filled order.
    pub order: Option<String>,
    /// The number of the order among those of its kind.
    pub number: Option<u64>,
    /// The side of the filled order.
    pub side: Option<String>,
    /// The price at which the order filled.
    pub price: Option<Decimal>,
    /// The quantity of the filled order.
    pub quantity: Option<Decimal>,
    /// The name of the reason for which the deal was closed or the bot was disabled.
    pub reason: Option<String>,
}

impl From<BotEvent> for MarketEvent {
    fn from(BotEvent { bot, pair: pair_of_fill, event: Event { at, kind } }: BotEvent) -> Self {
        let event = Self { bot_id: bot, time: at, kind: kind.name().to_owned(), ..Self::default() };
        match kind {
            EventKind::DealOpened { deal, pair, .. } => {
                Self { deal_id: Some(deal), pair: Some(pair.as_ref().to_owned()), ..event }
            }
            EventKind::OrderFilled(fill) => {
                Self { pair: pair_of_fill.map(|pair| pair.as_ref().to_owned()), ..event.with_fill(fill) }
            }
            EventKind::DealClosed { deal, reason } => Self {
                deal_id: Some(deal.id),
                pair: Some(deal.pair.as_ref().to_owned()),
                reason: Some(reason.name().to_owned()),
                ..event
            },
            EventKind::GridMoved(moved) => Self {
                pair: pair_of_fill.map(|pair| pair.as_ref().to_owned()),
                number: u64::try_from(moved.added).ok(),
                price: Some(moved.price),
                reason: Some(moved.kind.name().to_owned()),
                ..event
            },
            EventKind::BotDisabled(reason) => Self { reason: Some(reason.name().to_owned()), ..event },
        }
    }
}

impl MarketEvent {
    fn with_fill(self, Fill { deal, side, kind, price, quantity, profit: _ }: Fill) -> Self {
        Self {
            deal_id: deal,
            order: Some(kind.name().to_owned()),
            number: number(kind),
            side: Some(side.name().to_owned()),
            price: Some(price),
            quantity: Some(quantity),
            ..self
        }
    }

    /// Returns the names and the values of all fields.
    pub fn columns(&self) -> [(&'static str, Option<String>); 11] {
        [
            ("kind", Some(self.kind.clone())),
            ("bot_id", Some(self.bot_id.to_string())),
            ("time", Some(time_of(self.time).to_string())),
            ("deal_id", self.deal_id.map(|id| id.to_string())),
            ("pair", self.pair.clone()),
            ("order", self.order.clone()),
            ("number", self.number.map(|number| number.to_string())),
            ("side", self.side.clone()),
            ("price", self.price.as_ref().map(Decimal::to_string)),
            ("quantity", self.quantity.as_ref().map(Decimal::to_string)),
            ("reason", self.reason.clone()),
        ]
    }

    /// Returns the names and the values of the fields that apply to the event.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        self.columns().into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Returns the number of an order among those of its kind; None if a deal has only one of the kind.
fn number(kind: OrderKind) -> Option<u64> {
    match kind {
        OrderKind::Safety(number) | OrderKind::Manual(number) => Some(number.into()),
        OrderKind::TakeProfit(number) | OrderKind::StepByHand(number) | OrderKind::GridLevel(number) => {
            u64::try_from(number).ok()
        }
        OrderKind::SmartTrade(_)
        | OrderKind::Base
        | OrderKind::Trailing
        | OrderKind::StopLoss
        | OrderKind::Timeout
        | OrderKind::ByHand
        | OrderKind::Balancing => None,
    }
}

impl fmt::Display for MarketEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields();
        let Some(((_, kind), others)) = fields.split_first() else {
            return Ok(());
        };
        formatter.write_str(kind)?;
        others.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}
