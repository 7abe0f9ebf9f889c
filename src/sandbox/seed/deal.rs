//! The open deals of the demo world: bought by the bot's own ladder, at prices near the market's.

use bigdecimal::{BigDecimal, RoundingMode, Zero};
use serde_json::Value;

use super::market::Market;
use super::random::Random;
use crate::planning::ladder;
use crate::sandbox::defaults::{self, object};
use crate::sandbox::state::{Record, number, text};
use crate::service::deal::Deal;

/// What a deal has of its own, though its bot has a field of the same name.
const ITS_OWN: [&str; 2] = ["type", "min_profit_percentage"];

/// The decimal places of an amount.
const PLACES: i64 = 8;

/// The deals of a bot.
pub(super) fn deals(bot: &Record, market: Market, count: i64, random: &mut Random) -> Vec<Record> {
    (0..count).map(|number| deal(bot, market, number, random)).collect()
}

fn deal(bot: &Record, market: Market, number: i64, random: &mut Random) -> Record {
    let position = Position::open(bot, market, random);
    let mut deal = defaults::sample::<Deal>();
    take_over(&mut deal, bot);
    identify(&mut deal, bot, market, number);
    position.write(&mut deal, market);
    deal
}

/// A deal is on its bot's terms; where the bot has null, the deal keeps its sample.
fn take_over(deal: &mut Record, bot: &Record) {
    for (field, value) in deal {
        if let Some(of_bot) = bot.get(field).filter(|of_bot| !of_bot.is_null())
            && !ITS_OWN.contains(&field.as_str())
        {
            *value = of_bot.clone();
        }
    }
}

fn identify(deal: &mut Record, bot: &Record, market: Market, number: i64) {
    let bot_id = bot.get("id").and_then(Value::as_i64).unwrap_or_default();
    deal.extend(object! {
        "id": bot_id * 10 + number,
        "bot_id": bot_id,
        "bot_name": text(bot, "name"),
        "pair": market.pair(),
        "from_currency": market.quote,
        "to_currency": market.base,
        "from_currency_id": currency(market.quote),
        "to_currency_id": currency(market.base),
        "orderbook_price_currency": market.quote,
    });
}

/// An identifier for a currency: the same code has the same one.
fn currency(code: &str) -> u32 {
    code.bytes().fold(0, |id, letter| id * 27 + u32::from(letter - b'A') + 1)
}

/// What a deal has bought, or for a short one sold, and what that is worth.
struct Position {
    long: bool,
    first_price: BigDecimal,
    filled: u32,
    amount: BigDecimal,
    volume: BigDecimal,
    price: BigDecimal,
}

impl Position {
    fn open(bot: &Record, market: Market, random: &mut Random) -> Self {
        let long = text(bot, "strategy") != "short";
        let first_price = market.price(random);
        let filled = u32::try_from(random.between(0, 2)).unwrap_or_default();
        let mut position = Self {
            long,
            price: first_price.clone(),
            first_price,
            filled,
            amount: BigDecimal::zero(),
            volume: BigDecimal::zero(),
        };
        position.fill(&number(bot, "base_order_volume"), &position.first_price.clone());
        for order in 1..=filled {
            position.fill_safety_order(bot, market, order);
        }
        let worth = BigDecimal::new(random.between(985, 1_012).into(), 3);
        position.price = rounded(position.average() * worth, market.places);
        position
    }

    fn fill_safety_order(&mut self, bot: &Record, market: Market, order: u32) {
        let step = number(bot, "safety_order_step_percentage");
        let away = ladder::deviation(order, &step, &number(bot, "martingale_step_coefficient"));
        let price = self.percent_away(&self.first_price, &-away);
        let growth = number(bot, "martingale_volume_coefficient");
        let volume = (1..order).fold(number(bot, "safety_order_volume"), |volume, _| volume * &growth);
        self.fill(&volume, &price.with_scale_round(market.places, RoundingMode::Floor));
    }

    fn fill(&mut self, volume: &BigDecimal, price: &BigDecimal) {
        self.amount += (volume / price).with_scale_round(PLACES, RoundingMode::Up);
        self.volume += volume;
    }

    fn average(&self) -> BigDecimal {
        rounded(&self.volume / &self.amount, PLACES)
    }

    /// A price that is so much better than another one; for a short deal that is lower.
    fn percent_away(&self, price: &BigDecimal, percent: &BigDecimal) -> BigDecimal {
        let part = percent / BigDecimal::from(100);
        let factor = if self.long { BigDecimal::from(1) + part } else { BigDecimal::from(1) - part };
        price * factor
    }

    fn write(&self, deal: &mut Record, market: Market) {
        let gain = &self.amount * &self.price - &self.volume;
        let profit = rounded(if self.long { gain } else { -gain }, PLACES);
        let percent = rounded(&profit / &self.volume * BigDecimal::from(100), 2);
        let target = self.take_profit_price(deal, market).to_plain_string();
        let (held, spent) = (self.amount.to_plain_string(), rounded(self.volume.clone(), PLACES).to_plain_string());
        deal.extend(object! {
            "completed_safety_orders_count": self.filled,
            "current_active_safety_orders": 1,
            "current_active_safety_orders_count": 1,
            "base_order_average_price": self.first_price.to_plain_string(),
            "bought_amount": held.as_str(),
            "bought_volume": spent.as_str(),
            "bought_average_price": self.average().to_plain_string(),
            "current_price": self.price.to_plain_string(),
            "take_profit_price": target.as_str(),
            "stop_loss_price": self.stop_loss_price(deal),
            "actual_profit": profit.to_plain_string(),
            "actual_usd_profit": profit.to_plain_string(),
            "actual_profit_percentage": percent.to_plain_string(),
            "reserved_base_coin": held.as_str(),
            "reserved_base_funds": held,
            "reserved_second_coin": spent.as_str(),
            "reserved_quote_funds": spent,
            "crypto_widget": self.widget(&target),
        });
    }

    /// Where the first part of the profit is taken, rounded away from where nothing is earned.
    fn take_profit_price(&self, deal: &Record, market: Market) -> BigDecimal {
        let steps = deal.get("take_profit_steps").and_then(Value::as_array);
        let first = steps.and_then(|steps| steps.first()?.get("profit_percentage")?.as_u64());
        let percent = first.map_or_else(|| number(deal, "take_profit"), BigDecimal::from);
        let rounding = if self.long { RoundingMode::Ceiling } else { RoundingMode::Floor };
        self.percent_away(&self.average(), &percent).with_scale_round(market.places, rounding)
    }

    fn stop_loss_price(&self, deal: &Record) -> Option<String> {
        let percent = number(deal, "stop_loss_percentage");
        (!percent.is_zero()).then(|| self.percent_away(&self.first_price, &-percent).normalized().to_plain_string())
    }

    /// The chart. The first letter of its last member is Cyrillic, as live services send it.
    fn widget(&self, target: &str) -> Record {
        let step = object! { "price": self.first_price.to_plain_string(), "filled": true };
        let mark = object! { "type": "takeProfit", "label": "TP", "price": target, "position": 100 };
        object! {
            "progressAccuracy": 2,
            "buyPrice": self.average().to_plain_string(),
            "currentPrice": self.price.to_plain_string(),
            "inverted": !self.long,
            "stopLosses": Vec::<Value>::new(),
            "LP": Value::Null,
            "buySteps": vec![Value::Object(step)],
            "marks": vec![Value::Object(mark)],
            "\u{430}ctivated": false,
        }
    }
}

fn rounded(number: impl Into<BigDecimal>, places: i64) -> BigDecimal {
    number.into().with_scale_round(places, RoundingMode::HalfEven)
}
