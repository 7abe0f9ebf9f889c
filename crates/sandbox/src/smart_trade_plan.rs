//! The plan of a SmartTrade, and the record that follows from it: quantities, totals, targets and profit agree with each other.

use bigdecimal::{BigDecimal, Zero as _};
use serde_json::Value;

use super::balance::REFUSED;
use super::defaults::object;
use super::listings::PairQuote;
use super::random::Random;
use super::record::JsonRecord;
use super::smart_trade_figures::{self as figures, at_tick, cut, profit_fields, text};
use super::smart_trade_orders::OrderId;
use super::smart_trade_status::{Allowed, WAITING_TARGETS, failed, order_status, status};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::smart_trade::{PositionFigures, Totals};
use botdesk_trading::ladder::Direction;
use botdesk_trading::rounding::quotient;

/// The fee with which a record estimates the close of a position.
pub(crate) const COMMISSION: f64 = 0.001;

/// The kind of a SmartTrade.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    SimpleBuy,
    SimpleSell,
    /// An entry to buy, and targets.
    SmartTrade,
    /// An entry to sell, and targets.
    SmartCover,
    /// Targets for a long position that is held already.
    SmartSell,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::SimpleBuy => "simple_buy",
            Self::SimpleSell => "simple_sell",
            Self::SmartTrade => "smart_trade",
            Self::SmartCover => "smart_cover",
            Self::SmartSell => "smart_sell",
        }
    }

    fn is_short(self) -> bool {
        matches!(self, Self::SimpleSell | Self::SmartCover)
    }

    fn is_instant(self) -> bool {
        matches!(self, Self::SimpleBuy | Self::SimpleSell)
    }

    fn skips_entry(self) -> bool {
        self == Self::SmartSell
    }
}

/// The entry of a SmartTrade.
#[derive(Clone)]
pub(crate) struct Entry {
    /// The order type: `market`, `limit` or `conditional`.
    pub(crate) order_type: &'static str,
    /// The price.
    pub(crate) price: BigDecimal,
    /// The quantity in the base currency, before the fee.
    pub(crate) quantity: BigDecimal,
    /// The distance at which a conditional entry follows the price, in percent.
    pub(crate) trailing: Option<&'static str>,
}

/// A take-profit step.
#[derive(Clone, Copy)]
pub(crate) struct StepPlan {
    /// The part of the position, in percent.
    pub(crate) volume: i64,
    /// The distance from the entry, in percent.
    pub(crate) distance: i64,
    pub(crate) order_type: &'static str,
    /// The distance at which the step follows the price, in percent.
    pub(crate) trailing: Option<&'static str>,
}

/// A stop loss.
#[derive(Clone, Copy)]
pub(crate) struct StopPlan {
    /// The distance from the entry, in percent.
    pub(crate) distance: i64,
    pub(crate) order_type: &'static str,
    /// The time that the price must stay beyond the trigger, in seconds.
    pub(crate) timeout: Option<u64>,
    pub(crate) is_trailing: bool,
    pub(crate) breakeven: bool,
}

/// The times of a SmartTrade, as responses have them.
#[derive(Clone)]
pub(crate) struct Times {
    pub(crate) created: String,
    pub(crate) updated: String,
    /// The time of its end, if the status is one of the end.
    pub(crate) ended: String,
}

/// The plan of a SmartTrade.
pub(crate) struct SmartTradePlan<'a> {
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    /// The code of the status.
    pub(crate) status: &'a str,
    /// The account as the record refers to it.
    pub(crate) account: JsonRecord,
    pub(crate) quote: &'a PairQuote,
    /// The leverage, on a futures account.
    pub(crate) leverage: Option<i64>,
    pub(crate) entry: Entry,
    pub(crate) steps: &'a [StepPlan],
    pub(crate) stop_loss: Option<StopPlan>,
    /// The part of the position that was reduced, in percent, and the price at that time.
    pub(crate) reduced: Option<(i64, BigDecimal)>,
    /// The price at which the position was closed, if that was done at market price.
    pub(crate) closed_at_market: Option<BigDecimal>,
    /// The fee of every order of the exchange, as a fraction.
    pub(crate) fee: BigDecimal,
    pub(crate) note: &'a str,
    pub(crate) times: Times,
}

/// Returns the reference to an account in a SmartTrade.
pub(crate) fn account_reference(id: u64, code: &str, name: &str, market: &str) -> JsonRecord {
    object! { "id": id, "type": code, "name": name, "market": market, "link": format!("/accounts/{id}") }
}

fn percent_of(number: &BigDecimal, percent: i64) -> BigDecimal {
    number * BigDecimal::new(percent.into(), 2)
}

/// A part of the position that was closed.
struct Closing {
    units: BigDecimal,
    price: BigDecimal,
}

impl SmartTradePlan<'_> {
    /// Returns the record.
    pub(crate) fn record(&self) -> JsonRecord {
        let (filled, reduction) = (self.filled(), self.reduction());
        let steps = self.steps(&filled, reduction.as_ref());
        let closings = self.closings(&filled, &steps, reduction);
        let mut record = object! {
            "id": self.id,
            "version": 2,
            "account": self.account.clone(),
            "pair": self.quote.pair.as_str(),
            "instant": self.kind.is_instant(),
            "status": self.with_reason(status(self.status)),
            "leverage": self.leverage_fields(),
            "position": self.position(&filled),
            "take_profit": self.take_profit(&steps),
            "stop_loss": self.stop_loss(),
            "reduce_funds": self.reduce_funds(),
            "market_close": self.market_close(&filled),
            "note": self.note,
            "note_raw": Some(self.note).filter(|note| !note.is_empty()),
            "skip_enter_step": self.kind.skips_entry(),
            "data": self.data(&filled, &closings),
            "profit": object! { "volume": Value::Null, "usd": Value::Null, "percent": "0.0", "roe": Value::Null },
            "margin": self.margin(&filled),
            "is_position_not_filled": filled.amount.is_zero(),
        };
        self.write_final_profit(&mut record, &filled, &closings);
        figures::write(&mut record, self.quote);
        record
    }

    fn is_filled(&self) -> bool {
        !matches!(self.status, "created" | "waiting_position" | "failed")
    }

    fn has_ended(&self) -> bool {
        matches!(self.status, "finished" | "stop_loss_finished" | "panic_sold" | "cancelled" | "failed")
    }

    fn is_completed(&self) -> bool {
        self.has_ended() && !matches!(self.status, "cancelled" | "failed")
    }

    /// The entry as it was filled; one that was held already has no fee.
    fn filled(&self) -> Filled {
        let Entry { price, quantity, .. } = &self.entry;
        if !self.is_filled() {
            return Filled::default();
        }
        let direction = if self.kind.is_short() { Direction::Short } else { Direction::Long };
        let fee = if self.kind.skips_entry() { Decimal::ZERO } else { Decimal::from(&self.fee) };
        let mut position = PositionFigures::new(direction);
        position.enter(&quantity.into(), &price.into(), &fee, self.leverage.is_some());
        let Totals { amount, total } = &position.entered;
        let average = total.div_round_down(amount, Some(&Decimal::from(&self.quote.tick)));
        Filled { amount: amount.to_big(), total: total.to_big(), average: average.unwrap_or_default().to_big() }
    }

    /// Returns the price at which targets are measured.
    fn measured_from<'a>(&'a self, filled: &'a Filled) -> &'a BigDecimal {
        if filled.average.is_zero() { &self.entry.price } else { &filled.average }
    }

    /// Returns the price at a distance from the entry; a positive one is in the direction of profit.
    fn target(&self, from: &BigDecimal, distance: i64) -> BigDecimal {
        let percent = if self.kind.is_short() { 100 - distance } else { 100 + distance };
        at_tick(&percent_of(from, percent), &self.quote.tick)
    }

    fn with_reason(&self, status: JsonRecord) -> JsonRecord {
        if self.status == "failed" { failed(status, REFUSED) } else { status }
    }

    fn leverage_fields(&self) -> JsonRecord {
        match self.leverage {
            None => object! { "enabled": false },
            Some(value) => object! {
                "enabled": true,
                "type": "isolated",
                "value": value,
                "type_editable": !self.is_filled(),
            },
        }
    }

    fn margin(&self, filled: &Filled) -> JsonRecord {
        let part = |whole: &BigDecimal| {
            let part = self.leverage.and_then(|leverage| quotient(whole, &leverage.into()));
            part.filter(|part| !part.is_zero()).map(|part| text(&cut(&part)))
        };
        object! { "amount": part(&filled.amount), "total": part(&filled.total) }
    }
}

/// A filled entry; all zero if it is not filled.
#[derive(Default)]
struct Filled {
    /// The quantity after the fee.
    amount: BigDecimal,
    /// The value with the fee.
    total: BigDecimal,
    /// The average price with the fee.
    average: BigDecimal,
}

/// A take-profit step with its figures.
struct Step {
    plan: StepPlan,
    number: u64,
    price: BigDecimal,
    /// The quantity; None while the step is idle.
    units: Option<BigDecimal>,
}

/// The position.
impl SmartTradePlan<'_> {
    fn position(&self, filled: &Filled) -> JsonRecord {
        let Entry { order_type, price, quantity, trailing } = &self.entry;
        let is_filled = self.is_filled();
        let (units, shown, total) = if is_filled {
            (&filled.amount, &filled.average, cut(&filled.total))
        } else {
            (quantity, price, quantity * price)
        };
        let skips = self.kind.skips_entry();
        let without_fee = (!skips).then(|| text(price));
        let mut position = object! {
            "type": if self.kind.is_short() { "sell" } else { "buy" },
            "editable": skips,
            "units": object! { "value": text(units), "editable": false },
            "price": object! {
                "value": text(shown),
                "value_without_commission": without_fee,
                "editable": !is_filled || skips,
            },
            "total": object! { "value": text(&total) },
            "order_type": *order_type,
            "status": self.with_reason(order_status(self.position_status())),
        };
        if *order_type == "conditional" {
            position.extend(object! { "conditional": object! {
                "editable": !is_filled,
                "order_type": "market",
                "price": object! { "value": text(price), "type": if self.kind.is_short() { "bid" } else { "ask" } },
                "trailing": trailing_fields(*trailing),
            } });
        }
        position
    }

    fn position_status(&self) -> &'static str {
        match (self.status, self.entry.order_type) {
            _ if self.kind.skips_entry() => "smart_sell",
            ("failed", _) => "failed",
            ("waiting_position", "limit") => "order_placed",
            ("created" | "waiting_position", _) => "to_process",
            _ => "finished",
        }
    }
}

/// The targets.
impl SmartTradePlan<'_> {
    fn steps(&self, filled: &Filled, reduction: Option<&Closing>) -> Vec<Step> {
        let has_steps = !matches!(self.status, "cancelled" | "failed");
        let from = self.measured_from(filled);
        let whole = &filled.amount - reduction.map(|reduced| reduced.units.clone()).unwrap_or_default();
        let planned = self.steps.iter().zip(1_u64..).filter(|_| has_steps);
        let mut steps: Vec<_> = planned
            .map(|(plan, number)| Step {
                plan: *plan,
                number,
                price: self.target(from, plan.distance),
                units: self.is_filled().then(|| cut(&percent_of(&whole, plan.volume))),
            })
            .collect();
        // The first step gets what rounding leaves over.
        let rest = cut(&whole) - steps.iter().filter_map(|step| step.units.as_ref()).sum::<BigDecimal>();
        if let Some(units) = steps.first_mut().and_then(|step| step.units.as_mut()) {
            *units += rest;
        }
        steps
    }

    fn step_status(&self, plan: StepPlan) -> &'static str {
        match (self.status, plan.order_type) {
            ("finished", _) => "finished",
            ("stop_loss_finished" | "panic_sold", _) => "cancelled",
            ("created" | "waiting_position", _) => "idle",
            (_, "limit") => "order_placed",
            _ => "to_process",
        }
    }

    fn take_profit(&self, steps: &[Step]) -> JsonRecord {
        let steps: Vec<_> = steps.iter().map(|step| Value::Object(self.step(step))).collect();
        object! { "enabled": !self.steps.is_empty(), "price_type": "value", "steps": steps }
    }

    fn step(&self, step: &Step) -> JsonRecord {
        let Step { plan, number, price, units } = step;
        let code = self.step_status(*plan);
        let is_open = !self.has_ended();
        object! {
            "id": OrderId::Step(*number).of(self.id),
            "order_type": plan.order_type,
            "editable": true,
            "units": object! { "value": units.as_ref().map(text) },
            "price": object! {
                "type": "last",
                "value": text(price),
                "percent": (!self.is_filled()).then(|| text(&plan.distance.into())),
            },
            "volume": text(&plan.volume.into()),
            "total": units.as_ref().map(|units| text(&(units * price))),
            "trailing": trailing_fields(plan.trailing),
            "status": order_status(code),
            "closed_at": Some(self.times.ended.as_str()).filter(|_| !is_open),
            "data": object! { "cancelable": is_open, "panic_sell_available": is_open && code != "idle" },
            "position": *number,
        }
    }

    fn stop_loss(&self) -> JsonRecord {
        let Some(plan) = self.stop_loss else { return object! { "enabled": false } };
        let filled = self.filled();
        let trigger = self.stop_price(&filled, plan);
        let code = match self.status {
            "stop_loss_finished" => "finished",
            "created" | "waiting_position" => "idle",
            _ if self.has_ended() => "cancelled",
            _ => "to_process",
        };
        let order_price = (plan.order_type == "limit").then(|| text(&trigger));
        let trailing = plan.is_trailing.then(|| plan.distance.to_string());
        object! {
            "enabled": true,
            "price_type": "value",
            "breakeven": plan.breakeven,
            "order_type": plan.order_type,
            "editable": true,
            "price": object! { "value": order_price, "percent": Value::Null },
            "conditional": object! {
                "price": object! { "value": text(&trigger), "type": "last", "percent": Value::Null },
                "trailing": object! {
                    "enabled": plan.is_trailing,
                    "percent": trailing.map(|percent| format!("{percent}.0")),
                },
            },
            "timeout": object! { "enabled": plan.timeout.is_some(), "value": plan.timeout },
            "status": order_status(code),
        }
    }

    fn stop_price(&self, filled: &Filled, plan: StopPlan) -> BigDecimal {
        self.target(self.measured_from(filled), -plan.distance)
    }
}

fn trailing_fields(percent: Option<&str>) -> JsonRecord {
    object! { "enabled": percent.is_some(), "percent": percent }
}

/// What closed the position, or a part of it.
impl SmartTradePlan<'_> {
    fn reduction(&self) -> Option<Closing> {
        let (percent, price) = self.reduced.as_ref()?;
        Some(Closing { units: cut(&percent_of(&self.filled().amount, *percent)), price: price.clone() })
    }

    fn closings(&self, filled: &Filled, steps: &[Step], reduction: Option<Closing>) -> Vec<Closing> {
        let rest = &filled.amount - reduction.as_ref().map(|reduced| reduced.units.clone()).unwrap_or_default();
        let at = |price: BigDecimal| Closing { units: rest.clone(), price };
        let mut closings: Vec<_> = reduction.into_iter().collect();
        match (self.status, self.stop_loss) {
            ("finished", _) => closings.extend(
                steps
                    .iter()
                    .map(|step| Closing { units: step.units.clone().unwrap_or_default(), price: step.price.clone() }),
            ),
            ("stop_loss_finished", Some(plan)) => closings.push(at(self.stop_price(filled, plan))),
            ("panic_sold", _) => closings.extend(self.closed_at_market.clone().map(at)),
            _ => {}
        }
        closings
    }

    fn closed_total(&self, closings: &[Closing]) -> BigDecimal {
        let value: BigDecimal = closings.iter().map(|closing| &closing.units * &closing.price).sum();
        let one = BigDecimal::from(1);
        value * if self.kind.is_short() { one + &self.fee } else { one - &self.fee }
    }

    fn reduce_funds(&self) -> JsonRecord {
        let steps = self.reduction().map(|reduction| {
            Value::Object(object! {
                "id": OrderId::Reduction(1).of(self.id),
                "type": "market",
                "status": order_status("finished"),
                "units": object! { "value": text(&reduction.units) },
                "price": self.closing_price(&reduction.price),
                "total": object! { "value": text(&(&reduction.units * &reduction.price)) },
                "closed_at": self.times.updated.as_str(),
                "data": object! { "cancelable": false, "panic_sell_available": false },
            })
        });
        object! { "steps": steps.into_iter().collect::<Vec<_>>() }
    }

    /// Returns a price with the fee and without it.
    fn closing_price(&self, price: &BigDecimal) -> JsonRecord {
        let one = BigDecimal::from(1);
        let with_fee = price * if self.kind.is_short() { one + &self.fee } else { one - &self.fee };
        object! { "value": text(&cut(&with_fee)), "value_without_commission": text(price) }
    }

    fn market_close(&self, filled: &Filled) -> JsonRecord {
        let Some(price) = self.closed_at_market.as_ref().filter(|_| self.status == "panic_sold") else {
            return JsonRecord::new();
        };
        object! {
            "id": OrderId::MarketClose.of(self.id),
            "type": "market",
            "status": order_status("finished"),
            "units": object! { "value": text(&filled.amount) },
            "price": self.closing_price(price),
            "total": object! { "value": text(&(&filled.amount * price)) },
        }
    }
}

/// Returns the current prices without the prices themselves: a volume and a change that are the same for all SmartTrades of a pair.
pub(crate) fn figures_of_day(quote: &PairQuote) -> JsonRecord {
    let letters = quote.pair.bytes().fold(0_u64, |sum, letter| sum.wrapping_mul(31).wrapping_add(letter.into()));
    let mut random = Random::new(0, letters);
    let volume = cut(&(&quote.price * BigDecimal::from(random.between(9_000, 90_000))));
    let change = BigDecimal::new(random.between(-350, 350).into(), 2);
    object! { "quote_volume": text(&volume), "day_change_percent": text(&change) }
}

/// The figures.
impl SmartTradePlan<'_> {
    fn data(&self, filled: &Filled, closings: &[Closing]) -> JsonRecord {
        let closed_amount: BigDecimal = closings.iter().map(|closing| &closing.units).sum();
        let closed_total = self.closed_total(closings);
        let value: BigDecimal = closings.iter().map(|closing| &closing.units * &closing.price).sum();
        let average = |total: &BigDecimal| {
            let average = quotient(total, &closed_amount)?;
            Some(text(&at_tick(&average, &self.quote.tick)))
        };
        let has_entered = self.is_filled() && !self.kind.skips_entry();
        let trails = self.entry.trailing.is_some() || self.steps.iter().any(|step| step.trailing.is_some());
        let may_add_funds = !trails && !self.kind.is_instant();
        let mut data = Allowed::of(self.status).fields(!may_add_funds);
        data.extend(object! {
            "current_price": figures_of_day(self.quote),
            "target_price_type": "price",
            "orderbook_price_currency": self.quote.pair.split('_').next(),
            "base_order_finished": true,
            "missing_funds_to_close": "0.0",
            "liquidation_price": self.liquidation_price(filled),
            "average_enter_price": has_entered.then(|| text(&filled.average)),
            "average_close_price": average(&closed_total),
            "average_enter_price_without_commission": has_entered.then(|| text(&self.entry.price)),
            "average_close_price_without_commission": average(&value),
            "finished": self.is_completed(),
            "base_position_step_finished": self.is_filled() || self.has_ended(),
            "entered_amount": text(&filled.amount),
            "entered_total": text(&filled.total),
            "closed_amount": text(&closed_amount),
            "closed_total": text(&closed_total),
            "commission": COMMISSION,
            "created_at": self.times.created.as_str(),
            "updated_at": if self.has_ended() { self.times.ended.as_str() } else { self.times.updated.as_str() },
            "type": self.kind.name(),
        });
        if self.has_ended() {
            data.extend(object! { "closed_at": self.times.ended.as_str() });
        }
        data
    }

    /// Returns the price at which the margin is lost.
    fn liquidation_price(&self, filled: &Filled) -> Option<String> {
        let leverage = self.leverage.filter(|_| self.is_filled() && !self.has_ended())?;
        Some(text(&self.target(&filled.average, -(100 / leverage.max(1)))))
    }

    /// Writes the profit of a SmartTrade whose position is closed. Open ones follow the market, others have none.
    fn write_final_profit(&self, record: &mut JsonRecord, filled: &Filled, closings: &[Closing]) {
        if !self.is_completed() || self.kind.is_instant() {
            return;
        }
        let gain = self.closed_total(closings) - &filled.total;
        let volume = if self.kind.is_short() { -gain } else { gain };
        let fields = profit_fields(record, &volume, &self.quote.usd);
        record.insert("profit".to_owned(), Value::Object(fields));
    }
}

/// Returns a plan with the usual targets: two steps and a stop loss.
pub(crate) const USUAL_STEPS: [StepPlan; 2] = [
    StepPlan { volume: 50, distance: 5, order_type: "limit", trailing: None },
    StepPlan { volume: 50, distance: 10, order_type: "limit", trailing: None },
];

/// The usual stop loss.
pub(crate) const USUAL_STOP_LOSS: StopPlan =
    StopPlan { distance: 8, order_type: "market", timeout: None, is_trailing: false, breakeven: false };

/// The usual status.
pub(crate) const USUAL_STATUS: &str = WAITING_TARGETS;
