//! The settings of a backtested bot, and those of them that a backtest does not simulate.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::engine_config::{dca_bot_config, grid_bot_config};
use super::error::PlanError;
use super::grid_checks::{assumptions, equal_levels, liquidation, price_violations};
use super::grid_plan::{GridConfig, GridMarket};
use super::ladder_config::LadderConfig;
use super::reader::not_calculable;
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit, DcaBotInputs};
use botdesk_api::grid_bots::{GridBot, GridBotCreate, GridBotEdit};
use botdesk_schema::decimal;
use botdesk_schema::input::{InputName, Inputs, RequestBuilder, Violation};
use botdesk_schema::json_record::{JsonRecord, is_true, list, string};
use botdesk_schema::record::{Fields, Record as _};
use botdesk_schema::values::Field;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{self, DcaBotConfig, GridBotConfig, Market};

/// A setting that matters, but that a backtest does not simulate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NotSimulated {
    /// The field.
    pub field: Cow<'static, str>,
    /// The effect of the field on a live bot, and what the backtest does instead.
    pub reason: Cow<'static, str>,
}

impl NotSimulated {
    pub(super) const fn new(field: &'static str, reason: &'static str) -> Self {
        Self { field: Cow::Borrowed(field), reason: Cow::Borrowed(reason) }
    }
}

/// The settings of a DCA bot that is backtested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DcaBotSettings {
    /// The ladder of a deal.
    pub(super) ladder: LadderConfig,
    /// The settings for the engine.
    pub config: DcaBotConfig,
    /// The fields that have the settings.
    pub(super) fields: JsonRecord,
    /// The pairs; empty if none were given.
    pub pairs: Vec<String>,
    /// The warnings.
    pub warnings: Vec<String>,
    /// The settings that are not simulated.
    pub not_simulated: Vec<NotSimulated>,
}

/// The settings of a grid bot that is backtested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridBotSettings {
    config: GridConfig,
    fields: JsonRecord,
    /// The pair; None if none was given.
    pub pair: Option<String>,
    /// The settings that are not simulated.
    pub not_simulated: Vec<NotSimulated>,
}

impl DcaBotSettings {
    /// Reads the settings of a bot, with the changes of an edit. `has_signals` is true if signals are given.
    pub fn from_record(bot: &DcaBot, edit: Option<&RequestBuilder>, has_signals: bool) -> Result<Self, PlanError> {
        let request = match edit {
            Some(edit) => edit.clone(),
            None => RequestBuilder::new(DcaBotEdit::INPUTS, []),
        };
        let request = request.carry_over(bot.fields());
        let config = LadderConfig::from_record_for_backtest(bot, &request)?;
        let mut fields = with_inputs(record_of(bot.fields()), DcaBotEdit::INPUTS, &request);
        let is_wrong = |field: &&&str| has_value(&fields, field) && fields.get(**field).and_then(decimal::of).is_none();
        if let Some(field) = ["min_price", "max_price"].iter().find(is_wrong) {
            let value = fields.get(*field).map(Value::to_string).unwrap_or_default();
            return Err(Violation::new(*field, not_calculable(&value)).into());
        }
        assume_defaults(&mut fields);
        Ok(Self::new(&fields, config, has_signals))
    }

    /// Reads the settings from arguments with the names of an edit's fields.
    pub fn from_arguments(
        request: &RequestBuilder,
        strategy: &RequestBuilder,
        has_signals: bool,
    ) -> Result<Self, PlanError> {
        let mut request = request.clone();
        set_ones(&mut request);
        let steps = request.elements(DcaBotInputs::custom_safety_steps).len();
        if steps > 0 && request.value(DcaBotInputs::max_safety_orders).is_none() {
            request.set_derived(DcaBotInputs::max_safety_orders, steps.into());
        }
        if !has_signals && request.value(DcaBotInputs::strategy_list).is_none() {
            request.set_derived(DcaBotInputs::strategy_list, serde_json::json!([{ "strategy": NONSTOP }]));
        }
        let config = LadderConfig::for_backtest(&request, strategy)?;
        let mut fields = with_inputs(JsonRecord::new(), DcaBotEdit::INPUTS, &request);
        fields.extend(with_inputs(JsonRecord::new(), strategy.inputs(), strategy));
        if let Some(count) = fields.get("max_safety_orders").cloned() {
            assume(&mut fields, "active_safety_orders_count", count);
        }
        Ok(Self::new(&fields, config, has_signals))
    }

    fn new(fields: &JsonRecord, mut ladder: LadderConfig, has_signals: bool) -> Self {
        let config = dca_bot_config(fields);
        let mut not_simulated = not_simulated_settings(NOT_SIMULATED, fields);
        if !config.is_nonstop && !has_signals {
            not_simulated.push(NotSimulated::new(
                "strategy_list",
                "the signals of its strategies are not known, so that no deal starts; pass signals=",
            ));
        }
        let pairs = config.pairs.iter().map(ToString::to_string).collect();
        let mut warnings = std::mem::take(&mut ladder.warnings);
        if config.is_nonstop && has_signals {
            warnings.push(
                "the strategy is nonstop: deals open by themselves, and each signal asks for one more".to_owned(),
            );
        }
        Self { ladder, config, fields: fields.clone(), pairs, warnings, not_simulated }
    }
}

impl GridBotSettings {
    /// Reads the settings of a bot, with the changes of an edit.
    pub fn from_record(bot: &GridBot, edit: Option<&RequestBuilder>) -> Result<Self, PlanError> {
        // The bot starts at the first price of the candles. With a price, that of the record is neither read nor missed.
        let price = (GridMarket::price, Field::Value(Value::from("1")));
        let market = RequestBuilder::new(GridMarket::INPUTS, [price]);
        let mut config = GridConfig::from_record(bot, &market)?;
        let mut fields = record_of(bot.fields());
        if let Some(edit) = edit {
            let request = edit.clone().carry_over(bot.fields());
            config = GridConfig::from_arguments(&request, &market)?;
            fields = with_inputs(fields, GridBotEdit::INPUTS, &request);
        }
        let violations = price_violations(&fields, &config.grid.lower, &config.grid.upper);
        if !violations.is_empty() {
            return Err(PlanError::Values(violations));
        }
        Ok(Self::new(config, fields))
    }

    fn new(config: GridConfig, fields: JsonRecord) -> Self {
        let pair = Some(string(&fields, "pair")).filter(|pair| !pair.is_empty()).map(str::to_owned);
        let not_simulated = not_simulated_settings(GRID_NOT_SIMULATED, &fields);
        Self { config, fields, pair, not_simulated }
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> &[String] {
        &self.config.warnings
    }

    /// Returns warnings about a bot that starts over candles between two prices.
    pub(super) fn warnings_about(
        &self,
        bot: &engine::SimulatedGridBot,
        extremes: Option<(Decimal, Decimal)>,
    ) -> Vec<String> {
        let liquidation = extremes.and_then(|extremes| liquidation(bot, &self.fields, extremes));
        assumptions(&bot.config).chain(liquidation).collect()
    }

    /// Returns the fields that a new bot takes: its settings, without what it has done.
    pub(super) fn input_fields(&self) -> JsonRecord {
        let rows = GridBotCreate::INPUTS.rows.iter();
        let held = rows.filter_map(|row| Some((row.wire.to_owned(), self.fields.get(row.wire)?.clone())));
        held.collect()
    }

    /// Returns the bot at the price at which it starts.
    pub(super) fn start(&self, price: Decimal, market: &Market) -> Result<engine::SimulatedGridBot, Violation> {
        let size = self.config.order_size.clone();
        let order_size = size.ok_or_else(|| GridBotEdit::quantity_per_grid.violation("is required for a backtest"))?;
        let too_far = || GridBotEdit::upper_price.violation("is too far above lower_price for a grid to be calculated");
        let levels = self.config.grid.prices(&market.tick.to_big()).ok_or_else(too_far)?;
        let levels: Vec<_> = levels.into_iter().map(Decimal::from).collect();
        if let Some(violation) = equal_levels(&levels, &market.tick) {
            return Err(violation);
        }
        let config = GridBotConfig {
            levels,
            order_size,
            mode: self.config.mode,
            spacing: self.config.grid.spacing,
            // A backtest counts it in the quote currency, and says so.
            profit_in_base: false,
            ..grid_bot_config(&self.fields)
        };
        engine::SimulatedGridBot::start(config, price, market).ok_or_else(too_far)
    }
}

/// Returns all fields of a record. Its JSON is always an object, so parsing it does not fail.
fn record_of(fields: &Fields) -> JsonRecord {
    serde_json::from_str(fields.text()).unwrap_or_default()
}

/// The inputs that count as 1 without a value. The engine would take them as 0.
const ASSUMED_AS_ONE: [InputName; 3] = [
    DcaBotInputs::max_active_deals,
    DcaBotInputs::martingale_step_coefficient,
    DcaBotInputs::martingale_volume_coefficient,
];

fn assume_defaults(fields: &mut JsonRecord) {
    for row in ASSUMED_AS_ONE.iter().filter_map(|input| DcaBotEdit::INPUTS.get(*input)) {
        assume(fields, row.wire, 1.into());
    }
}

/// Sets the inputs that count as 1 without a value, so that rules across fields see them.
pub(super) fn set_ones(request: &mut RequestBuilder) {
    for input in ASSUMED_AS_ONE {
        if request.value(input).is_none() {
            request.set_derived(input, 1.into());
        }
    }
}

/// Sets a field that has no value.
fn assume(fields: &mut JsonRecord, field: &str, value: Value) {
    if !has_value(fields, field) {
        fields.insert(field.to_owned(), value);
    }
}

fn has_value(fields: &JsonRecord, field: &str) -> bool {
    fields.get(field).is_some_and(|value| !value.is_null())
}

/// Replaces fields by the values of a request.
fn with_inputs(mut fields: JsonRecord, inputs: &Inputs, request: &RequestBuilder) -> JsonRecord {
    for input in inputs.rows {
        if let Some(value) = request.value(input.key()) {
            let value = match (input.wire, value) {
                ("pairs", Value::String(pair)) => Value::Array(vec![pair.as_str().into()]),
                _ => value.clone(),
            };
            fields.insert(input.wire.to_owned(), value);
        }
    }
    fields
}

/// The strategy of bots that open deals by themselves.
const NONSTOP: &str = "nonstop";

/// A setting that is not simulated, and when it matters.
struct SettingRule {
    field: &'static str,
    matters: fn(&JsonRecord, &str) -> bool,
    reason: &'static str,
}

fn not_simulated_settings(rules: &[SettingRule], fields: &JsonRecord) -> Vec<NotSimulated> {
    let matters = rules.iter().filter(|rule| (rule.matters)(fields, rule.field));
    matters.map(|rule| NotSimulated::new(rule.field, rule.reason)).collect()
}

const NOT_SIMULATED: &[SettingRule] = &[
    SettingRule {
        field: "reinvesting_percentage",
        matters: is_not_zero,
        reason: "profits enlarge later deals; the backtest uses the configured volumes",
    },
    SettingRule {
        field: "risk_reduction_percentage",
        matters: is_not_zero,
        reason: "losses reduce later deals; the backtest uses the configured volumes",
    },
    SettingRule { field: "leverage_type", matters: has_leverage, reason: LEVERAGE },
    SettingRule {
        field: "trailing_enabled",
        matters: |fields, field| is_true(fields, field) && is_not_empty(fields, "take_profit_steps"),
        reason: "whether steps trail is not documented; the backtest fills them at their prices",
    },
    SettingRule {
        field: "sl_to_breakeven_enabled",
        matters: |fields, field| {
            is_true(fields, field)
                && is_not_empty(fields, "take_profit_steps")
                && !is_not_zero(fields, "stop_loss_percentage")
        },
        reason: "whether it sets a stop loss for a bot without one is not documented; the backtest sets none",
    },
    SettingRule {
        field: "btc_price_limit",
        matters: is_not_zero,
        reason: "it depends on the price of another pair; the backtest starts deals at any",
    },
    SettingRule {
        field: "min_volume_btc_24h",
        matters: is_not_zero,
        reason: "candles do not have the volume of 24 hours; the backtest starts deals at any",
    },
    SettingRule {
        field: "close_strategy_list",
        matters: is_not_empty,
        reason: "the signals that close deals are not known; the backtest closes at the take profit and the stop loss",
    },
    SettingRule {
        field: "safety_strategy_list",
        matters: is_not_empty,
        reason: "the signals for safety orders are not known; the backtest fills them at their prices",
    },
    SettingRule {
        field: "min_price_percentage",
        matters: is_not_zero,
        reason: "the price that it refers to is not documented; the backtest starts deals at any",
    },
    SettingRule {
        field: "max_price_percentage",
        matters: is_not_zero,
        reason: "the price that it refers to is not documented; the backtest starts deals at any",
    },
    SettingRule {
        field: "profit_currency",
        matters: |fields, field| string(fields, field) == "base_currency",
        reason: "profit is taken in the base currency; the backtest takes and counts it in the quote currency",
    },
];

const GRID_NOT_SIMULATED: &[SettingRule] = &[
    SettingRule { field: "leverage_type", matters: has_leverage, reason: LEVERAGE },
    SettingRule {
        field: "profit_currency_type",
        matters: |fields, field| string(fields, field) == "base",
        reason: "profit is taken in the base currency; the backtest takes and counts it in the quote currency",
    },
];

const LEVERAGE: &str = "leverage, margin calls and funding are not simulated; amounts are those of the orders";

fn is_not_zero(fields: &JsonRecord, field: &str) -> bool {
    fields.get(field).and_then(decimal::of).is_some_and(|number| !Decimal::from(number).is_zero())
}

fn is_not_empty(fields: &JsonRecord, field: &str) -> bool {
    !list(fields, field).is_empty()
}

fn has_leverage(fields: &JsonRecord, field: &str) -> bool {
    ["cross", "isolated"].contains(&string(fields, field))
}
