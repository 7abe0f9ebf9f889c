//! The messages of the events of grid bots.

use crate::record::{JsonRecord, plain, string};
use botdesk_schema::pair::currencies;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{GridMove, GridMoveKind};
use botdesk_trading::grid::OrderSide;

/// Writes the messages of a bot.
pub(super) struct Messages<'a> {
    quote: &'a str,
    base: &'a str,
    price: &'a str,
}

impl<'a> Messages<'a> {
    pub(super) fn of(bot: &'a JsonRecord) -> Self {
        let (quote, base) = currencies(string(bot, "pair")).unwrap_or_default();
        Self { quote, base, price: string(bot, "current_price") }
    }

    pub(super) fn balancing(&self, what: &str, side: OrderSide, price: &Decimal, quantity: &Decimal) -> String {
        format!("Balancing order {what}. {}", self.order(side, price, quantity))
    }

    pub(super) fn placed(&self, side: OrderSide, price: &Decimal, quantity: &Decimal) -> String {
        let (order, current, quote) = (self.order(side, price, quantity), self.price, self.quote);
        format!("LIMIT order created. {order}. Current price: {current} {quote}. Result: success")
    }

    pub(super) fn filled(
        &self,
        side: OrderSide,
        price: &Decimal,
        quantity: &Decimal,
        profit: Option<&Decimal>,
    ) -> String {
        let order = self.order(side, price, quantity);
        let profit = profit.map(|profit| format!(". Profit: {} {}", plain(profit), self.quote)).unwrap_or_default();
        format!("LIMIT order filled. {order}{profit}")
    }

    pub(super) fn cancelled(&self, side: OrderSide, price: &Decimal, quantity: &Decimal) -> String {
        format!("LIMIT order cancelled. {}", self.order(side, price, quantity))
    }

    pub(super) fn moved(&self, moved: &GridMove) -> String {
        let what = match moved.kind {
            GridMoveKind::TrailingUp => "Trailing up",
            GridMoveKind::TrailingDown => "Trailing down",
            GridMoveKind::ExpansionUp => "Expansion up",
            GridMoveKind::ExpansionDown => "Expansion down",
        };
        format!("{what}. New grid line: {} {}", plain(&moved.price), self.quote)
    }

    pub(super) fn closed(&self, side: OrderSide, price: &Decimal, quantity: &Decimal) -> String {
        format!("Position closed. {}", self.order(side, price, quantity))
    }

    fn order(&self, side: OrderSide, price: &Decimal, quantity: &Decimal) -> String {
        let Self { quote, base, .. } = self;
        let (side, volume) = (side.name().to_ascii_uppercase(), plain(&(price * quantity)));
        format!("Side: {side}. Price: {} {quote}. Size: {volume} {quote} ({} {base})", plain(price), plain(quantity))
    }
}

/// Returns the message about the leverage of a bot; None on a spot account.
pub(super) fn leverage(bot: &JsonRecord) -> Option<String> {
    let (mode, leverage) = (string(bot, "mode"), string(bot, "leverage_type"));
    let value = string(bot, "leverage_custom_value");
    (!mode.is_empty()).then(|| format!("Leverage set. Type: {leverage}. Value: {value}. Result: success"))
}
