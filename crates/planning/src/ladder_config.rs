//! The input of a plan: the configuration of a bot, and its market.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde_json::Value;

use super::error::PlanError;
use super::fraction::PlannedFee;
use super::order_limits::{MarketRates, OrderLimits};
use super::reader::{Reader, not_calculable};
use botdesk_api::dca_bots::{
    self, DcaBot, DcaBotEdit, DcaBotInputs, DealLimit, safety_steps_fit_the_number_of_orders, safety_steps_not_away,
    step_numbers, stop_loss_not_below,
};
use botdesk_api::markets::PairRates;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_schema::decimal;
use botdesk_schema::input::Rule::Required;
use botdesk_schema::input::{InputName, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::record::{FieldError, Record};
use botdesk_schema::values::{Choice, Decimal, OneOf};
use botdesk_trading::engine::VolumeUnit;
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::position::{ProfitOf, TakeProfit};

inputs! {
    /// The market that a ladder is planned for.
    LadderMarket of "a ladder" {
        /// Price of the base order, in the quote currency; the default is the last price of `rates`.
        price: Decimal [Required];
        /// Tick of the pair: prices are rounded to its multiples; the default is that of `rates`, and without them prices are not rounded.
        tick: Decimal;
        /// Lot of the pair: quantities are rounded to its multiples; the default is that of `rates`, and without them quantities are not
        /// rounded.
        lot: Decimal;
        use PlannedFee;
    }
}

inputs! {
    /// The inputs of a ladder that an edit can't change.
    LadderStrategy of "a ladder" {
        /// Direction of the bot's deals; the default is `long`.
        strategy: OneOf<dca_bots::Direction>;
    }
}

/// The market that a ladder is planned for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderMarketValues {
    /// The price of the base order.
    pub price: BigDecimal,
    /// The tick: prices are multiples of it.
    pub tick: Option<BigDecimal>,
    /// The lot: quantities are multiples of it.
    pub lot: Option<BigDecimal>,
    /// The fee, as a fraction.
    pub fee: BigDecimal,
    /// The limits of the exchange; None if they are not known.
    pub limits: Option<OrderLimits>,
    /// The warnings.
    pub warnings: Vec<String>,
}

impl LadderMarketValues {
    /// Reads the market from arguments, and from the rates of the pair, or reports everything that is wrong with them.
    pub fn from_arguments(request: &RequestBuilder, rates: Option<&PairRates>) -> Result<Self, PlanError> {
        let mut reader = Reader::new(LadderMarket::INPUTS, request);
        let rates = rates.map(|rates| MarketRates::read(rates, &mut reader));
        let (last, tick, lot, limits) = match rates {
            Some(MarketRates { last, tick, lot, limits }) => (last, tick, lot, Some(limits)),
            None => (None, None, None, None),
        };
        let price = reader.above_zero(LadderMarket::price).or(last);
        if price.is_none() {
            reader.report_missing(LadderMarket::price);
        }
        let mut market = Self {
            price: price.unwrap_or_default(),
            tick: reader.above_zero(LadderMarket::tick).or(tick),
            lot: reader.above_zero(LadderMarket::lot).or(lot),
            fee: reader.fraction(PlannedFee::fee),
            limits,
            warnings: Vec::new(),
        };
        market.warnings = std::mem::take(&mut reader.warnings);
        reader.done(market)
    }
}

/// The treatment of volumes in percent of a balance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PercentVolumes {
    Allowed,
    Refused,
}

/// The Python function that plans from arguments, for messages.
const PLANNER: &str = "botdesk.plan_ladder";

/// The volume of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderVolume {
    /// The amount.
    pub amount: BigDecimal,
    /// The unit of the amount.
    pub unit: VolumeUnit,
}

impl OrderVolume {
    /// Returns the volume with an amount in percent of a balance as an amount in the quote currency.
    fn of_balance(&mut self, balance: &BigDecimal) {
        if self.unit == VolumeUnit::Percent {
            self.amount = &self.amount * balance / BigDecimal::from(100);
            self.unit = VolumeUnit::Quote;
        }
    }
}

/// A safety order with a distance and a volume of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomSafetyOrder {
    /// The distance from the base order's price, in percent.
    pub deviation: BigDecimal,
    /// The volume.
    pub volume: OrderVolume,
}

/// The safety orders of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyOrders {
    /// The number of safety orders.
    pub count: u32,
    /// The volume of the first.
    pub volume: OrderVolume,
    /// The distance of the first from the base order's price, in percent.
    pub step: BigDecimal,
    /// The ratio of each step to the step before.
    pub step_coefficient: BigDecimal,
    /// The ratio of each order's size to the size before.
    pub volume_coefficient: BigDecimal,
    /// The orders with distances and volumes of their own, which replace the others if there are any.
    pub custom: Vec<CustomSafetyOrder>,
}

/// The configuration of a planned ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderConfig {
    /// The direction of the bot's deals.
    pub direction: Direction,
    /// The volume of the base order.
    pub base: OrderVolume,
    /// True if the base order is a market order.
    pub starts_at_market: bool,
    /// The safety orders.
    pub safety: SafetyOrders,
    /// The take profit; None if it is not known.
    pub take_profit: Option<TakeProfit>,
    /// The stop loss in percent; None if there is none.
    pub stop_loss: Option<BigDecimal>,
    /// The maximum number of deals that may be open at once.
    pub deals: BigDecimal,
    /// The warnings.
    pub warnings: Vec<String>,
}

impl LadderConfig {
    /// Reads the configuration of a bot from its record, or reports everything that prevents a plan.
    ///
    /// A missing field is assumed, with a warning, only if the API reference does not require it. A field that can't be read is
    /// an error.
    pub fn from_record(bot: &DcaBot) -> Result<Self, PlanError> {
        Self::from_edit(bot, &RequestBuilder::new(DcaBotEdit::INPUTS, []).carry_over(bot.fields()))
    }

    /// Reads the configuration of a bot with the values of an edit, as `from_record` reads it without.
    pub fn from_edit(bot: &DcaBot, request: &RequestBuilder) -> Result<Self, PlanError> {
        let mut reader = Reader::of_record(DcaBotEdit::INPUTS, request, bot, PLANNER);
        let direction = direction_of(bot, &mut reader);
        let mut config = Self::read(reader, direction, Some(bot), PercentVolumes::Refused)?;
        config.warnings.extend(bot.pairs().err().map(|unreadable| format!("{unreadable}; the ladder has no pair")));
        Ok(config)
    }

    /// Reads the configuration from arguments with the names of an edit's fields, or reports everything that is wrong with
    /// them.
    ///
    /// A value that the service would reject results only in a warning: the caller may want to see its effect.
    pub fn from_arguments(request: &RequestBuilder, strategy: &RequestBuilder) -> Result<Self, PlanError> {
        Self::read_arguments(request, strategy, PercentVolumes::Refused)
    }

    /// Reads the configuration of a backtest from arguments, which may have volumes in percent.
    pub(super) fn for_backtest(request: &RequestBuilder, strategy: &RequestBuilder) -> Result<Self, PlanError> {
        Self::read_arguments(request, strategy, PercentVolumes::Allowed)
    }

    /// Reads the configuration of a backtest from a record, with the values of an edit; volumes may be in percent.
    pub(super) fn from_record_for_backtest(bot: &DcaBot, request: &RequestBuilder) -> Result<Self, PlanError> {
        let mut reader = Reader::of_record(DcaBotEdit::INPUTS, request, bot, "botdesk.backtest");
        let direction = direction_of(bot, &mut reader);
        Self::read(reader, direction, Some(bot), PercentVolumes::Allowed)
    }

    fn read_arguments(
        request: &RequestBuilder,
        strategy: &RequestBuilder,
        percent: PercentVolumes,
    ) -> Result<Self, PlanError> {
        let direction = match strategy.value(LadderStrategy::strategy).and_then(Value::as_str) {
            Some("short") => Direction::Short,
            _ => Direction::Long,
        };
        let unusable = strategy.type_violations();
        let read = Self::read(Reader::new(DcaBotEdit::INPUTS, request), direction, None, percent);
        if !unusable.is_empty() {
            return Err(PlanError::Values(unusable).and(read.err()));
        }
        let mut config = read?;
        // The rule about the stop loss is also among `setting_warnings`, which know it for records.
        let refused = request.violations_without_record();
        let refused = refused.iter().filter(|violation| !violation.is_own).map(message_of);
        let refused: Vec<_> = refused.filter(|message| !config.warnings.contains(message)).collect();
        config.warnings.splice(0..0, refused);
        Ok(config)
    }

    fn read(
        mut reader: Reader<'_>,
        direction: Direction,
        bot: Option<&DcaBot>,
        percent: PercentVolumes,
    ) -> Result<Self, PlanError> {
        let base = OrderVolume {
            amount: reader.required(DcaBotInputs::base_order_volume).unwrap_or_default(),
            unit: unit(&mut reader, DcaBotInputs::base_order_volume_type, percent),
        };
        let safety = SafetyOrders::read(&mut reader, direction, percent);
        let (take_profit, in_steps) = take_profit(&mut reader, bot);
        let stop_loss = stop_loss(&mut reader);
        let deals = deals(&mut reader, percent);
        if percent == PercentVolumes::Allowed {
            check_of_backtest(&mut reader, safety.count > 0, stop_loss.is_some());
        }
        let starts_at_market =
            reader.request.value(DcaBotInputs::start_order_type).and_then(Value::as_str) == Some("market");
        let warnings = Vec::new();
        let mut config = Self { direction, base, starts_at_market, safety, take_profit, stop_loss, deals, warnings };
        config.warnings = config.setting_warnings(&mut reader, in_steps, percent);
        config.warnings.append(&mut reader.warnings);
        reader.done(config)
    }

    /// Returns the warnings about settings that the numbers of a ladder do not show.
    fn setting_warnings(
        &self,
        reader: &mut Reader<'_>,
        in_steps: Option<String>,
        percent: PercentVolumes,
    ) -> Vec<String> {
        let last = (self.safety.count > 0).then(|| self.safety.last_deviation());
        let stop_loss =
            self.stop_loss.as_ref().zip(last).and_then(|(percent, last)| stop_loss_not_below(percent, &last));
        let trails = self.take_profit.is_some() && reader.flag(DcaBotInputs::trailing_enabled);
        let trailing = trails.then(|| {
            "the take profit trails the price; the take-profit prices are those at which trailing begins".to_owned()
        });
        let stop_trails = self.stop_loss.is_some() && reader.flag(DcaBotInputs::tsl_enabled);
        let trailing_stop =
            stop_trails.then(|| "the stop loss trails the price; the stop-loss price is its initial price".to_owned());
        let changing = [DcaBotInputs::reinvesting_percentage, DcaBotInputs::risk_reduction_percentage];
        let changing = changing.map(|input| changes_later_deals(reader, input)).contains(&true).then(|| {
            "profits and losses change the size of later deals; the ladder uses the configured volumes".to_owned()
        });
        let refused = stop_loss.as_ref().map(message_of).into_iter().chain(self.step_warnings(reader.request));
        // The other warnings are about the numbers of a ladder. A backtest simulates these settings, or lists them as not
        // simulated.
        let of_ladder = [in_steps, trailing, trailing_stop, changing].into_iter().flatten();
        let of_ladder = of_ladder.filter(|_| percent == PercentVolumes::Refused);
        refused.chain(of_ladder).collect()
    }

    /// Returns the warnings about custom safety steps that the service would reject.
    fn step_warnings(&self, request: &RequestBuilder) -> impl Iterator<Item = String> {
        let too_many = safety_steps_fit_the_number_of_orders(request);
        let is_short = self.direction == Direction::Short;
        let not_away = safety_steps_not_away(&step_numbers(request, "deviation"), is_short);
        [too_many, not_away].into_iter().flatten().map(|violation| message_of(&violation))
    }

    /// Returns the configuration with volumes in percent of a balance as volumes in the quote currency.
    #[must_use]
    pub(super) fn of_balance(mut self, balance: &BigDecimal) -> Self {
        let custom = self.safety.custom.iter_mut().map(|order| &mut order.volume);
        for volume in custom.chain([&mut self.base, &mut self.safety.volume]) {
            volume.of_balance(balance);
        }
        self
    }
}

/// The settings that a backtest needs and a ladder does not.
const OF_BACKTEST: &[InputName] = &[
    DcaBotInputs::strategy_list,
    DcaBotInputs::deal_start_delay_seconds,
    DcaBotInputs::close_deals_timeout,
    DcaBotInputs::disable_after_deals_count,
    DcaBotInputs::allowed_deals_on_same_pair,
    DcaBotInputs::start_order_type,
];

/// The settings of a stop loss that a backtest needs.
const OF_STOP_LOSS: &[InputName] = &[
    DcaBotInputs::stop_loss_type,
    DcaBotInputs::stop_loss_timeout_enabled,
    DcaBotInputs::stop_loss_timeout_in_seconds,
    DcaBotInputs::sl_to_breakeven_enabled,
    DcaBotInputs::sl_to_breakeven_data,
];

/// Reports settings that can't be read, which the engine would take as off.
fn check_of_backtest(reader: &mut Reader<'_>, has_safety_orders: bool, has_stop_loss: bool) {
    let of_stop_loss = if has_stop_loss { OF_STOP_LOSS } else { &[] };
    for input in OF_BACKTEST.iter().chain(of_stop_loss) {
        reader.check(*input);
    }
    reader.number(DcaBotInputs::cooldown);
    check_steps(reader);
    let count = DcaBotInputs::active_safety_orders_count;
    if has_safety_orders && reader.number(count).is_none() && reader.reads_record() {
        reader.report_missing(count);
    }
    // Only a deal without steps trails.
    if is_on(reader, DcaBotInputs::trailing_enabled) && steps(reader).is_empty() {
        reader.required(DcaBotInputs::trailing_deviation);
    }
    if has_stop_loss {
        check_stop_loss(reader);
    }
}

fn check_stop_loss(reader: &mut Reader<'_>) {
    if is_on(reader, DcaBotInputs::stop_loss_timeout_enabled) {
        reader.required(DcaBotInputs::stop_loss_timeout_in_seconds);
    }
    let input = DcaBotInputs::sl_to_breakeven_data;
    let limit = reader.request.value(input).and_then(|data| data.get("upper_breakeven_limit"));
    let has_limit = limit.is_some_and(Value::is_u64);
    if is_on(reader, DcaBotInputs::sl_to_breakeven_enabled) && !has_limit {
        reader.report(
            input,
            "needs an upper_breakeven_limit, which is a whole number, such as {\"upper_breakeven_limit\": 1}",
        );
    }
}

fn is_on(reader: &Reader<'_>, input: InputName) -> bool {
    reader.request.value(input) == Some(&Value::Bool(true))
}

fn steps<'a>(reader: &Reader<'a>) -> &'a [Value] {
    let steps = reader.request.value(DcaBotInputs::take_profit_steps);
    steps.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn check_steps(reader: &mut Reader<'_>) {
    let has_number = |step: &Value, name| step.get(name).and_then(decimal::of).is_some();
    let is_wrong = |step: &Value| !has_number(step, "amount_percentage") || !has_number(step, "profit_percentage");
    if let Some(place) = steps(reader).iter().position(is_wrong) {
        let message = format!("step {} needs an amount_percentage and a profit_percentage", place + 1);
        reader.report(DcaBotInputs::take_profit_steps, message);
    }
    let profits: Vec<_> = steps(reader).iter().filter_map(|step| decimal::of(step.get("profit_percentage")?)).collect();
    if let Some(place) = profits.iter().zip(profits.iter().skip(1)).position(|(profit, next)| next < profit) {
        reader.warnings.push(format!(
            "the profit of take-profit step {} is below that of step {}; steps fill in the order of the list",
            place + 2,
            place + 1
        ));
    }
}

fn changes_later_deals(reader: &mut Reader<'_>, input: InputName) -> bool {
    reader.assume(input, "0 is assumed");
    reader.number(input).is_some_and(|percent| !percent.is_zero())
}

fn stop_loss(reader: &mut Reader<'_>) -> Option<BigDecimal> {
    let input = DcaBotInputs::stop_loss_percentage;
    reader.assume(input, "no stop loss is assumed");
    reader.at_least_zero(input).filter(|percent| !percent.is_zero())
}

/// Reads the number of deals that can be open at once. A backtest limits it by the pairs that it simulates.
fn deals(reader: &mut Reader<'_>, percent: PercentVolumes) -> BigDecimal {
    let input = DcaBotInputs::max_active_deals;
    reader.assume(input, "1 is assumed");
    let deals = reader.above_zero(input).unwrap_or_else(|| 1.into());
    match DealLimit::of(reader.request).filter(|_| percent == PercentVolumes::Refused) {
        Some(limit) => {
            reader.warnings.extend(too_many_deals(&deals, limit));
            deals.min(limit.most().into())
        }
        None => deals,
    }
}

/// Returns the warning about more deals than can be open at once.
pub(super) fn too_many_deals(deals: &BigDecimal, limit: DealLimit) -> Option<String> {
    let most = limit.most();
    (*deals > most).then(|| {
        format!(
            "max_active_deals is {}, but at most {most} can be open at once ({limit}); the budget is that of {most}",
            decimal::shown(deals)
        )
    })
}

fn direction_of(bot: &DcaBot, reader: &mut Reader<'_>) -> Direction {
    let name = "strategy";
    let Some(strategy) = reader.readable(bot.strategy(), name) else { return Direction::Long };
    match strategy.as_ref().map(Choice::as_str) {
        Some("long") => {}
        Some("short") => return Direction::Short,
        Some(other) => reader.report_other(name, format!("must be long or short, but is {other:?} in the record")),
        None => reader.report_missing_other(name),
    }
    Direction::Long
}

impl SafetyOrders {
    fn read(reader: &mut Reader<'_>, direction: Direction, percent: PercentVolumes) -> Self {
        let count = count(reader).unwrap_or_default();
        let steps = custom_steps(reader);
        if count > 0 && !steps.is_empty() {
            return Self::custom(reader, direction, count, steps, percent);
        }
        // The settings of safety orders do not matter if there are none.
        let mut required = |input| if count == 0 { None } else { reader.required(input) };
        let amount = required(DcaBotInputs::safety_order_volume).unwrap_or_default();
        let step = required(DcaBotInputs::safety_order_step_percentage).unwrap_or_default();
        let mut coefficient = |input| self::coefficient(reader, input, count).unwrap_or_else(|| 1.into());
        let step_coefficient = coefficient(DcaBotInputs::martingale_step_coefficient);
        let volume_coefficient = coefficient(DcaBotInputs::martingale_volume_coefficient);
        let unit = match count {
            0 => VolumeUnit::Quote,
            _ => unit(reader, DcaBotInputs::safety_order_volume_type, percent),
        };
        let custom = Vec::new();
        Self { count, volume: OrderVolume { amount, unit }, step, step_coefficient, volume_coefficient, custom }
    }

    /// Returns the orders of custom steps, at most as many as a deal may place.
    fn custom(
        reader: &mut Reader<'_>,
        direction: Direction,
        most: u32,
        steps: Vec<(BigDecimal, BigDecimal)>,
        percent: PercentVolumes,
    ) -> Self {
        let unit = unit(reader, DcaBotInputs::safety_order_volume_type, percent);
        let distance = |deviation: BigDecimal| if direction == Direction::Short { deviation } else { -deviation };
        let order = |(deviation, amount)| CustomSafetyOrder {
            deviation: distance(deviation),
            volume: OrderVolume { amount, unit },
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let custom: Vec<_> = steps.into_iter().take(most).map(order).collect();
        Self {
            count: u32::try_from(custom.len()).unwrap_or(u32::MAX),
            volume: OrderVolume { amount: BigDecimal::zero(), unit },
            step: BigDecimal::zero(),
            step_coefficient: 1.into(),
            volume_coefficient: 1.into(),
            custom,
        }
    }

    fn last_deviation(&self) -> BigDecimal {
        if let Some(last) = self.custom.iter().map(|order| &order.deviation).max() {
            return last.clone();
        }
        ladder::deviation(self.count, &(&self.step).into(), &(&self.step_coefficient).into()).into()
    }
}

/// Reads the deviation and the size of each custom safety step.
fn custom_steps(reader: &mut Reader<'_>) -> Vec<(BigDecimal, BigDecimal)> {
    let input = DcaBotInputs::custom_safety_steps;
    reader.check(input);
    let number = |step: &Value, name| step.get(name).and_then(decimal::of);
    let steps = reader.request.elements(input).iter();
    let steps: Vec<_> = steps.map(|step| number(step, "deviation").zip(number(step, "size"))).collect();
    if let Some(place) = steps.iter().position(Option::is_none) {
        reader.report(input, format!("step {} needs a deviation and a size", place + 1));
    }
    steps.into_iter().flatten().collect()
}

/// The maximum number of digits of a coefficient before the decimal point, and roughly of zeros after it.
const COEFFICIENT_DIGITS: i64 = 6;

/// Reads a coefficient. It is limited, because repeated multiplication by a large one would exhaust the memory; the service
/// accepts 0.1 to 10.
///
/// A record must have it only if there are at least two safety orders: the first is not multiplied.
fn coefficient(reader: &mut Reader<'_>, input: InputName, orders: u32) -> Option<BigDecimal> {
    let number = match (reader.reads_record(), orders) {
        (true, 0 | 1) => return None,
        (true, _) => reader.required(input)?,
        (false, _) => reader.above_zero(input)?,
    };
    let magnitude = i64::try_from(number.digits()).unwrap_or(i64::MAX) - number.fractional_digit_count();
    if magnitude.abs() > COEFFICIENT_DIGITS {
        reader.report(input, "is too large or too small for a ladder; it must be between 0.1 and 10");
        return None;
    }
    Some(number)
}

fn count(reader: &mut Reader<'_>) -> Option<u32> {
    let input = DcaBotInputs::max_safety_orders;
    let steps = reader.request.elements(DcaBotInputs::custom_safety_steps).len();
    let Some(number) = reader.number(input) else {
        if !reader.reads_record() && steps > 0 {
            return u32::try_from(steps).ok();
        }
        if reader.reads_record() {
            reader.report_missing(input);
        } else {
            reader.report(input, "is required; pass 0 for the base order alone");
        }
        return None;
    };
    let most = DcaBotEdit::INPUTS.most(DcaBotInputs::max_safety_orders).unwrap_or_default();
    let count = number.to_u32().filter(|count| u64::from(*count) <= most);
    if count.is_none() {
        reader.report(input, format!("must be between 0 and {most}, not {}", decimal::shown(&number)));
    }
    count
}

fn unit(reader: &mut Reader<'_>, input: InputName, percent: PercentVolumes) -> VolumeUnit {
    match reader.choice(input, "quote_currency") {
        "base_currency" => VolumeUnit::Base,
        "percent" if percent == PercentVolumes::Allowed => VolumeUnit::Percent,
        "percent" => {
            reader.report(
                input,
                "is percent, and volumes in percent have no ladder without a balance; botdesk.plan_ladder takes \
                 volumes in quote_currency or base_currency",
            );
            VolumeUnit::Quote
        }
        _ => VolumeUnit::Quote,
    }
}

/// Reads the take profit, and a warning if it has steps.
///
/// The API reference requires a take profit, and permits null; only steps can replace it.
fn take_profit(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> (Option<TakeProfit>, Option<String>) {
    let input = DcaBotInputs::take_profit;
    let plain = reader.at_least_zero(input);
    let steps = if plain.as_ref().is_none_or(Zero::is_zero) { Steps::read(reader, bot) } else { Steps::default() };
    let percent = if steps.count > 0 { steps.first } else { plain };
    if steps.count == 0 && reader.lacks(input) {
        reader.report_missing(input);
    }
    let in_steps = (steps.count > 0)
        .then(|| format!("profit is taken in {} steps; the take-profit prices are those of the first", steps.count));
    let take_profit = percent.map(|percent| TakeProfit { percent: percent.into(), of: profit_of(reader) });
    (take_profit, in_steps)
}

fn profit_of(reader: &mut Reader<'_>) -> ProfitOf {
    match reader.choice(DcaBotInputs::take_profit_type, "total") {
        "base" => ProfitOf::BaseOrder,
        _ => ProfitOf::Total,
    }
}

/// The number of take-profit steps, and the profit of the first.
#[derive(Default)]
struct Steps {
    count: usize,
    first: Option<BigDecimal>,
}

impl Steps {
    fn read(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> Self {
        let input = DcaBotInputs::take_profit_steps;
        let steps = match bot.filter(|_| !reader.is_edited(input)) {
            Some(bot) => reader.readable(Self::from_record(bot), "take_profit_steps").unwrap_or_default(),
            None => Self::from_arguments(reader.request.elements(input)),
        };
        let first = match &steps {
            (0, _) => return Self::default(),
            (_, None) => Err("the first step has no profit_percentage".to_owned()),
            (_, Some(text)) => decimal::parse(text)
                .ok_or_else(|| format!("the profit_percentage of the first step {}", not_calculable(text))),
        };
        let first = first.map_err(|problem| reader.report(input, problem)).ok();
        Self { count: steps.0, first }
    }

    /// Returns the number of steps of a bot, and the profit of the first one as a string.
    fn from_record(bot: &DcaBot) -> Result<(usize, Option<String>), FieldError> {
        let steps = bot.take_profit_steps()?.unwrap_or_default();
        let first = steps.first().map(TakeProfitStep::profit_percentage).transpose()?.flatten();
        Ok((steps.len(), first.map(|profit| profit.as_str().to_owned())))
    }

    /// Returns the number of steps among the arguments, and the profit of the first one as a string.
    fn from_arguments(steps: &[Value]) -> (usize, Option<String>) {
        let first = steps.first().and_then(|step| step.get("profit_percentage"));
        (steps.len(), first.map(|profit| profit.as_str().map_or_else(|| profit.to_string(), str::to_owned)))
    }
}

pub(super) fn message_of(violation: &Violation) -> String {
    format!("{} {}", violation.field, violation.message)
}
