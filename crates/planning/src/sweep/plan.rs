//! A sweep that is ready to run.

use serde::{Deserialize, Serialize};

use super::bot::{BotSettings, Setting, StoredBot, SweepBot};
use super::combinations::Combinations;
use super::outcome::{CombinationNotes, Figures, SweepOutcome, reasons};
use super::stretches::Stretch;
use crate::backtest_history::PairHistory;
use crate::backtest_market::{BacktestMarket, BacktestMarketValues};
use crate::backtest_setup::BacktestSetup;
use crate::backtest_warnings::history_warnings;
use crate::error::PlanError;
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::values::Field;
use botdesk_trading::backtest::Interrupted;
use botdesk_trading::candles::Candles;
use botdesk_trading::engine::Milliseconds;

/// The arguments that a backtest has beside those of the market and the bot.
const HISTORY_ARGUMENTS: &[&str] = &["candles", "signals", "start", "end", "folds"];

/// Everything about a sweep but its candles.
#[derive(Clone, Debug)]
pub struct SweepDefinition {
    /// The bot.
    pub bot: SweepBot,
    /// The combinations.
    pub combinations: Combinations,
    /// The inputs of the market.
    pub market: Vec<Setting>,
    /// True if the caller gave signals.
    pub has_signals: bool,
    /// The number of stretches; None if the candles are not cut.
    pub folds: Option<usize>,
}

/// A sweep that is ready to run.
#[derive(Debug)]
pub struct SweepPlan {
    definition: SweepDefinition,
    market: BacktestMarketValues,
    histories: Vec<PairHistory>,
    stretches: Vec<Stretch>,
    /// The rules that the bot breaks without a combination.
    known: Vec<Violation>,
    /// The warnings about the candles and the signals.
    warnings: Vec<String>,
}

/// A sweep without its candles, as a pickle holds it.
#[derive(Serialize, Deserialize)]
struct StoredSweep {
    bot: StoredBot,
    combinations: Combinations,
    market: Vec<Setting>,
    has_signals: bool,
    folds: Option<usize>,
    pairs: Vec<StoredHistory>,
}

/// A pair without its candles.
#[derive(Serialize, Deserialize)]
struct StoredHistory {
    pair: String,
    signals: Vec<Milliseconds>,
    signals_outside: usize,
}

impl SweepDefinition {
    /// Returns the pairs that the bot trades with any of the combinations.
    pub fn pairs(&self) -> Vec<String> {
        let mut pairs = Vec::new();
        let parameters = self.combinations.parameters();
        let values = parameters.iter().find(|parameter| parameter.name == "pairs");
        let settings: Vec<Vec<Setting>> = match values {
            Some(parameter) => parameter.values.iter().map(|value| vec![("pairs".to_owned(), value.clone())]).collect(),
            None => vec![Vec::new()],
        };
        for pair in settings.iter().flat_map(|settings| self.bot.pairs(settings)) {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        pairs
    }
}

impl SweepPlan {
    /// Returns the sweep over the histories of all pairs of the bot.
    pub fn new(definition: SweepDefinition, histories: Vec<PairHistory>) -> Result<Self, PlanError> {
        let settings = definition.market.iter().filter_map(|(name, value)| {
            Some((BacktestMarket::INPUTS.named(name).ok()?.key(), value.clone().map_or(Field::Null, Field::Value)))
        });
        let market = BacktestMarketValues::from_arguments(&RequestBuilder::new(BacktestMarket::INPUTS, settings))?;
        let stretches = Stretch::cut(&histories, definition.folds)?;
        let first: Vec<_> = definition.combinations.settings(0).collect();
        // A malformed field of the record is malformed with every combination.
        if let Err(error @ PlanError::Field { .. }) = definition.bot.with(&first, definition.has_signals) {
            return Err(error);
        }
        let known = definition.bot.violations(&[]);
        let warnings = history_warnings(&histories);
        Ok(Self { definition, market, histories, stretches, known, warnings })
    }

    /// Returns the definition.
    pub fn definition(&self) -> &SweepDefinition {
        &self.definition
    }

    /// Returns the combinations.
    pub fn combinations(&self) -> &Combinations {
        &self.definition.combinations
    }

    /// Returns the stretches of the candles.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Returns the candles of all pairs.
    pub fn candles(&self) -> impl Iterator<Item = &Candles> {
        self.histories.iter().map(|history| &history.candles)
    }

    /// Returns the market that all combinations run in.
    pub fn market(&self) -> &BacktestMarketValues {
        &self.market
    }

    /// Returns the warnings about the candles and the signals, each in a sentence.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs the combination at an index over all candles, and over each stretch, unless it breaks rules.
    pub fn outcome(&self, index: usize, should_stop: &dyn Fn() -> bool) -> Result<SweepOutcome, Interrupted> {
        let settings: Vec<_> = self.combinations().settings(index).collect();
        let violations = self.definition.bot.violations(&settings);
        let broken: Vec<_> = violations.iter().filter(|violation| !self.known.contains(violation)).collect();
        if !broken.is_empty() {
            return Ok(SweepOutcome::Refused(broken.into_iter().map(Into::into).collect()));
        }
        let (whole, notes) = match self.run_over(&settings, None, should_stop)? {
            Ok((figures, notes)) => (Box::new(figures), Box::new(notes)),
            Err(error) => return Ok(refusal(&error)),
        };
        let mut stretches = Vec::with_capacity(self.stretches.len());
        for stretch in &self.stretches {
            match self.run_over(&settings, Some(stretch), should_stop)? {
                Ok((figures, _)) => stretches.push(figures),
                Err(error) => return Ok(refusal(&error)),
            }
        }
        Ok(SweepOutcome::Done { whole, stretches, notes })
    }

    /// Returns the setup of the combination at an index, and the candles of its pairs.
    pub fn setup(&self, index: usize) -> Result<(BacktestSetup, Vec<Candles>), PlanError> {
        let settings: Vec<_> = self.combinations().settings(index).collect();
        self.setup_over(&settings, None)
    }

    fn run_over(
        &self,
        settings: &[Setting],
        stretch: Option<&Stretch>,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Result<(Figures, CombinationNotes), PlanError>, Interrupted> {
        let prepared = self.setup_over(settings, stretch).and_then(|(setup, candles)| {
            let backtest = setup.backtest(&candles);
            Ok((setup, backtest.ok_or_else(|| Violation::new("grids_quantity", "makes no grid"))?))
        });
        match prepared {
            Ok((setup, backtest)) => {
                let (summary, is_idle) = backtest.figures(should_stop)?;
                let idle = is_idle.then(|| setup.why_idle(&backtest)).flatten();
                let warnings = setup.warnings.into_iter().filter(|warning| !self.warnings.contains(warning));
                let notes =
                    CombinationNotes { not_simulated: setup.not_simulated, warnings: warnings.chain(idle).collect() };
                Ok(Ok((Figures { summary, budget: setup.budget }, notes)))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    fn setup_over(
        &self,
        settings: &[Setting],
        stretch: Option<&Stretch>,
    ) -> Result<(BacktestSetup, Vec<Candles>), PlanError> {
        let bot = self.definition.bot.with(settings, self.definition.has_signals)?;
        let pairs = match &bot {
            BotSettings::Dca(settings) => settings.pairs.as_slice(),
            BotSettings::Grid(settings) => settings.pair.as_slice(),
        };
        let histories = self.histories_of(pairs, stretch);
        let setup = match bot {
            BotSettings::Dca(settings) => {
                BacktestSetup::of_dca_bot(*settings, &self.market, &histories, self.definition.has_signals)?
            }
            BotSettings::Grid(settings) => {
                let [history] = histories.as_slice() else {
                    return Err(Violation::new("candles", "a grid bot trades one pair; pass candles of one").into());
                };
                BacktestSetup::of_grid_bot(*settings, &self.market, history)?
            }
        };
        Ok((setup, histories.into_iter().map(|history| history.candles).collect()))
    }

    /// Returns the histories of pairs in their order; all of them for a bot without pairs.
    fn histories_of(&self, pairs: &[String], stretch: Option<&Stretch>) -> Vec<PairHistory> {
        let of_pair = |pair: &String| self.histories.iter().find(|history| history.pair == *pair);
        let found: Vec<_> =
            if pairs.is_empty() { self.histories.iter().collect() } else { pairs.iter().filter_map(of_pair).collect() };
        found
            .into_iter()
            .map(|history| stretch.map_or_else(|| history.clone(), |stretch| stretch.of(history)))
            .collect()
    }

    /// Returns the sweep without its candles as JSON, for a pickle.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let SweepDefinition { bot, combinations, market, has_signals, folds } = self.definition.clone();
        let stored = |PairHistory { pair, signals, signals_outside, .. }: PairHistory| StoredHistory {
            pair,
            signals,
            signals_outside,
        };
        let pairs = self.histories.iter().cloned().map(stored).collect();
        serde_json::to_string(&StoredSweep { bot: bot.stored(), combinations, market, has_signals, folds, pairs })
    }

    /// Returns the sweep of a pickle, whose candles are given; None if it has no sweep.
    pub fn from_json(text: &str, candles: &[Candles]) -> Option<Self> {
        let stored: StoredSweep = serde_json::from_str(text).ok()?;
        let StoredSweep { bot, combinations, market, has_signals, folds, pairs } = stored;
        let definition = SweepDefinition { bot: bot.restore()?, combinations, market, has_signals, folds };
        if pairs.len() != candles.len() {
            return None;
        }
        let histories = pairs.into_iter().zip(candles).map(|(stored, candles)| {
            let StoredHistory { pair, signals, signals_outside } = stored;
            PairHistory { pair, candles: candles.clone(), signals, signals_outside }
        });
        Self::new(definition, histories.collect()).ok()
    }
}

/// Returns the outcome of a combination without a setup. Arguments that no combination changes are invalid for all of them.
fn refusal(error: &PlanError) -> SweepOutcome {
    let reasons = reasons(error);
    let is_argument = |field: &str| {
        HISTORY_ARGUMENTS.contains(&field) || BacktestMarket::INPUTS.rows.iter().any(|input| input.name == field)
    };
    if reasons.iter().any(|reason| is_argument(&reason.field)) {
        SweepOutcome::Invalid(reasons)
    } else {
        SweepOutcome::Refused(reasons)
    }
}
