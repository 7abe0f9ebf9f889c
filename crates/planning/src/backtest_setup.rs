//! A backtest that is ready to run, and what there is to know about it.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use serde::{Deserialize, Serialize};

use super::backtest_history::PairHistory;
use super::backtest_market::{BacktestMarket, BacktestMarketValues};
use super::backtest_settings::{DcaBotSettings, GridBotSettings, NotSimulated};
use super::backtest_warnings::{first_order_warning, history_warnings, of_pair, several_quotes};
use super::error::PlanError;
use super::grid_plan::unplaced_warning;
use super::ladder_config::{LadderConfig, LadderMarketValues, too_many_deals};
use super::ladder_plan::LadderPlan;
use super::order_warnings::OrderWarnings;
use super::smart_trade_settings::{SmartTradeSettings, running_timeout};
use botdesk_api::dca_bots::DealLimit;
use botdesk_schema::json_record::JsonRecord;
use botdesk_trading::backtest::{Backtest, EngineBot, History, SimulatedBot, SimulatedSmartTrade};
use botdesk_trading::candles::{Candles, ExtremeOrder};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::smart_trade::SmartTrade;
use botdesk_trading::engine::{DcaBotConfig, GridBotConfig, Market, Milliseconds, SimulatedDcaBot, SimulatedGridBot};

/// The settings of a bot before its first deal, or a SmartTrade before its first price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BotSetup {
    /// A DCA bot.
    Dca(DcaBotConfig),
    /// A grid bot.
    Grid {
        /// The settings.
        config: Box<GridBotConfig>,
        /// The price at which it starts.
        start_price: Decimal,
    },
    /// A SmartTrade.
    SmartTrade(Box<SmartTrade>),
}

/// A pair of a backtest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairSetup {
    /// The market.
    pub market: Market,
    /// The times at which a signal asks for a deal, in order.
    pub signals: Vec<Milliseconds>,
}

/// Everything about a backtest but its candles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BacktestSetup {
    /// The bot.
    pub bot: BotSetup,
    /// Its pairs.
    pub pairs: Vec<PairSetup>,
    /// The balance in the quote currency; None if it is not known.
    pub balance: Option<Decimal>,
    /// The order of the two extremes of each candle.
    pub path: ExtremeOrder,
    /// The volume of all orders of all deals that may be open at once, or the investment of a grid, in the quote currency;
    /// None if volumes are in percent of the balance.
    pub budget: Option<Decimal>,
    /// True if the caller gave signals.
    pub has_signals: bool,
    /// Notes about the settings and the candles, each in a sentence.
    pub warnings: Vec<String>,
    /// The settings that are not simulated.
    pub not_simulated: Vec<NotSimulated>,
    /// The fields of the bot that have its settings; empty for a pickle of an older version.
    #[serde(default)]
    pub fields: SettingFields,
}

/// Fields of a record that have settings. Two of them are equal, whatever they have: the same settings may be written in several ways,
/// and the engine's settings are compared.
#[derive(Clone, Debug, Default, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingFields(pub JsonRecord);

impl PartialEq for SettingFields {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl BacktestSetup {
    /// Returns the backtest of a DCA bot over the candles of its pairs.
    pub fn of_dca_bot(
        settings: DcaBotSettings,
        market: &BacktestMarketValues,
        histories: &[PairHistory],
        has_signals: bool,
    ) -> Result<Self, PlanError> {
        if settings.config.deal.uses_balance() && market.balance.is_none() {
            let message = "is required: volumes of the bot are in percent of it";
            return Err(BacktestMarket::balance.violation(message).into());
        }
        let pairs: Vec<_> = histories.iter().map(|history| pair_setup(history, market)).collect();
        let mut config = settings.config.clone();
        config.pairs = pairs.iter().map(|pair| Arc::clone(&pair.market.pair)).collect();
        let balance = market.balance.as_ref().map(Decimal::from);
        let mut warnings = market.warnings.clone();
        warnings.extend_from_slice(&settings.warnings);
        warnings.extend(several_quotes(histories).filter(|warning| !settings.warnings.contains(warning)));
        warnings.extend(history_warnings(histories));
        warnings.extend(first_order_warning(&config.deal, balance.as_ref(), histories));
        let [pairs_count, per_pair] =
            [histories.len(), config.deals_per_pair()].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
        let limit = DealLimit { pairs: pairs_count, per_pair };
        warnings.extend(too_many_deals(&settings.ladder.deals, limit));
        let deals = settings.ladder.deals.clone().min(limit.most().into());
        let ladder = settings.ladder.of_balance(&market.balance.clone().unwrap_or_default());
        let plans: Vec<_> =
            histories.iter().zip(&pairs).filter_map(|(history, pair)| plan(&ladder, history, pair)).collect();
        warnings.extend(plan_warnings(&plans));
        // Orders in the base currency cost most where the price is highest.
        let largest = plans.into_iter().map(|(_, plan, _)| plan.budget).max();
        let budget =
            largest.filter(|_| !config.deal.uses_balance()).map(|budget| Decimal::from((budget * deals).normalized()));
        Ok(Self {
            bot: BotSetup::Dca(config),
            pairs,
            balance,
            path: market.path,
            budget,
            has_signals,
            warnings,
            not_simulated: settings.not_simulated,
            fields: SettingFields(settings.fields),
        })
    }

    /// Returns the backtest of a grid bot over the candles of its pair.
    pub fn of_grid_bot(
        settings: GridBotSettings,
        market: &BacktestMarketValues,
        history: &PairHistory,
    ) -> Result<Self, PlanError> {
        let pair = pair_setup(history, market);
        let start_price = history.first_price().unwrap_or_default();
        let bot = settings.start(start_price.clone(), &pair.market)?;
        let mut warnings = market.warnings.clone();
        warnings.extend_from_slice(settings.warnings());
        warnings.extend(unplaced_warning(bot.config.levels.iter().zip(bot.quantities.iter())));
        warnings.extend(settings.warnings_about(&bot, history.candles.extremes(0..history.candles.len())));
        warnings.extend(history_warnings(std::slice::from_ref(history)));
        Ok(Self {
            budget: Some(bot.invested.normalized()),
            bot: BotSetup::Grid { config: Box::new(Arc::unwrap_or_clone(bot.config)), start_price },
            pairs: vec![pair],
            balance: market.balance.as_ref().map(Decimal::from),
            path: market.path,
            has_signals: false,
            warnings,
            fields: SettingFields(settings.input_fields()),
            not_simulated: settings.not_simulated,
        })
    }

    /// Returns the backtest of a SmartTrade over the candles of its pair.
    pub fn of_smart_trade(
        settings: SmartTradeSettings,
        market: &BacktestMarketValues,
        history: &PairHistory,
    ) -> Result<Self, PlanError> {
        if market.balance.is_some() {
            let message = "is not needed: no amount of a SmartTrade is in percent of it";
            return Err(BacktestMarket::balance.violation(message).into());
        }
        let first_price = history.first_price().unwrap_or_default();
        let budget = settings.volume(&first_price);
        let mut warnings = market.warnings.clone();
        warnings.extend_from_slice(&settings.warnings);
        warnings.extend(history_warnings(std::slice::from_ref(history)));
        let mut not_simulated = settings.not_simulated;
        not_simulated.extend(running_timeout(&settings.trade, &first_price));
        Ok(Self {
            bot: BotSetup::SmartTrade(Box::new(settings.trade)),
            pairs: vec![pair_setup(history, market)],
            balance: None,
            path: market.path,
            budget: Some(budget.normalized()),
            has_signals: false,
            warnings,
            not_simulated,
            fields: SettingFields::default(),
        })
    }

    /// Returns the backtest over the candles of each pair. Returns None if the bot can't start.
    pub fn backtest(&self, candles: &[Candles]) -> Option<Backtest> {
        let state = match &self.bot {
            BotSetup::Dca(config) => EngineBot::Dca(SimulatedDcaBot::new(config.clone())),
            BotSetup::Grid { config, start_price } => EngineBot::Grid {
                bot: SimulatedGridBot::start((**config).clone(), start_price.clone(), &self.pairs.first()?.market)?,
                pair: Arc::clone(&self.pairs.first()?.market.pair),
            },
            BotSetup::SmartTrade(trade) => {
                let pair = Arc::clone(&self.pairs.first()?.market.pair);
                EngineBot::SmartTrade(Box::new(SimulatedSmartTrade::new((**trade).clone(), pair)))
            }
        };
        let histories = self.pairs.iter().zip(candles).map(|(pair, candles)| History {
            market: pair.market.clone(),
            candles: candles.clone(),
            signals: pair.signals.clone(),
        });
        Some(Backtest {
            bot: SimulatedBot::new(state),
            histories: histories.collect(),
            balance: self.balance.clone().unwrap_or_default(),
            path: self.path,
        })
    }
}

/// Returns the ladder of a pair at its first price, and the warnings about its orders.
fn plan<'a>(
    ladder: &LadderConfig,
    history: &'a PairHistory,
    pair: &PairSetup,
) -> Option<(&'a PairHistory, LadderPlan, OrderWarnings)> {
    let market = LadderMarketValues {
        price: history.first_price()?.to_big(),
        tick: Some(pair.market.tick.to_big()),
        lot: Some(pair.market.lot.to_big()),
        fee: pair.market.fee.to_big(),
        limits: None,
        warnings: Vec::new(),
    };
    let (plan, warnings) = LadderPlan::with_order_warnings(ladder, &market);
    Some((history, plan, warnings))
}

/// Returns the warnings about orders, each about the first pair that has it.
fn plan_warnings(plans: &[(&PairHistory, LadderPlan, OrderWarnings)]) -> impl Iterator<Item = String> {
    let at = |history: &PairHistory, warning: &String| format!("at the first price{}, {warning}", of_pair(history));
    let unplaced = plans.iter().find_map(|(.., warnings)| warnings.unplaced.clone());
    let unreached = plans.iter().find(|(.., warnings)| !warnings.unreached.is_empty());
    let unreached = unreached.map(|(.., warnings)| warnings.unreached.clone()).unwrap_or_default();
    let tick = plans.iter().find(|(.., warnings)| !warnings.tick.is_empty());
    let tick = tick.map(|(history, _, warnings)| warnings.tick.iter().map(|it| at(history, it)).collect::<Vec<_>>());
    let budget = plans.iter().find_map(|(history, _, warnings)| Some(at(history, warnings.budget.as_ref()?)));
    unplaced.into_iter().chain(unreached).chain(tick.unwrap_or_default()).chain(budget)
}

fn pair_setup(history: &PairHistory, market: &BacktestMarketValues) -> PairSetup {
    let of = |number: &BigDecimal| Decimal::from(number);
    PairSetup {
        market: Market {
            pair: Arc::from(history.pair.as_str()),
            tick: market.tick_of(history.candles.tick()),
            lot: of(&market.lot),
            fee: of(&market.fee),
            slippage: of(&market.slippage),
        },
        signals: history.signals.clone(),
    }
}
