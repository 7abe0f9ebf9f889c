//! The bot of a sweep, and its settings with those of a combination.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backtest_settings::{DcaBotSettings, GridBotSettings, set_ones};
use crate::error::PlanError;
use crate::ladder_config::LadderStrategy;
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit, DcaBotInputs};
use botdesk_api::grid_bots::{GridBot, GridBotEdit};
use botdesk_schema::input::{Input, Inputs, RequestBuilder, Violation};
use botdesk_schema::json::Json;
use botdesk_schema::record::{Fields, Record as _};
use botdesk_schema::values::Field;

/// The name of an input, and its value; None for null.
pub type Setting = (String, Option<Value>);

/// The bot of a sweep.
#[derive(Clone, Debug)]
pub enum SweepBot {
    /// The record of a DCA bot.
    Dca(DcaBot),
    /// The record of a grid bot.
    Grid(GridBot),
    /// A DCA bot that need not exist, with the inputs of an edit.
    Inputs(Vec<Setting>),
}

/// The settings of a bot for a backtest.
pub(super) enum BotSettings {
    Dca(Box<DcaBotSettings>),
    Grid(Box<GridBotSettings>),
}

/// A bot as a pickle holds it: records as JSON.
#[derive(Serialize, Deserialize)]
pub(super) enum StoredBot {
    Dca(String),
    Grid(String),
    Inputs(Vec<Setting>),
}

impl SweepBot {
    /// Returns the input with a name, and its table; or the violation by an unknown name.
    pub fn input(&self, name: &str) -> Result<(&'static Inputs, &'static Input), Violation> {
        let strategy = LadderStrategy::INPUTS;
        match (self, strategy.named(name)) {
            (Self::Inputs(_), Ok(input)) => Ok((strategy, input)),
            (Self::Dca(_), Ok(_)) => Err(Violation::new(
                name,
                "can't be changed by an edit; to try others, pass the bot as a dict of its fields",
            )),
            _ => self.inputs().named(name).map(|input| (self.inputs(), input)),
        }
    }

    fn inputs(&self) -> &'static Inputs {
        match self {
            Self::Dca(_) | Self::Inputs(_) => DcaBotEdit::INPUTS,
            Self::Grid(_) => GridBotEdit::INPUTS,
        }
    }

    fn record(&self) -> Option<&Fields> {
        match self {
            Self::Dca(bot) => Some(bot.fields()),
            Self::Grid(bot) => Some(bot.fields()),
            Self::Inputs(_) => None,
        }
    }

    /// Returns the builder of the requests with a table's inputs, of the bot and of a combination, which come last.
    fn builder(&self, table: &'static Inputs, settings: &[Setting]) -> RequestBuilder {
        let own: &[Setting] = if let Self::Inputs(own) = self { own } else { &[] };
        let of_table = own.iter().chain(settings).filter_map(|(name, value)| {
            let value = value.clone().map_or(Field::Null, Field::Value);
            Some((table.named(name).ok()?.key(), value))
        });
        RequestBuilder::new(table, of_table)
    }

    /// Returns the value that the bot itself has for an input; None if it has none.
    pub fn own_value(&self, input: &Input) -> Option<Value> {
        let (table, _) = self.input(input.name).ok()?;
        let builder = self.builder(table, &[]);
        let builder = match self.record() {
            Some(record) => builder.carry_over(record),
            None => builder,
        };
        builder.value(input.key()).cloned()
    }

    /// Returns the rules that the edit with a combination's settings breaks.
    pub(super) fn violations(&self, settings: &[Setting]) -> Vec<Violation> {
        let mut edit = self.builder(self.inputs(), settings);
        if let Some(record) = self.record() {
            return edit.accept_echoes(record).carry_over(record).violations();
        }
        set_ones(&mut edit);
        [edit.violations(), self.builder(LadderStrategy::INPUTS, settings).violations()].concat()
    }

    /// Returns the settings of the bot with those of a combination.
    pub(super) fn with(&self, settings: &[Setting], has_signals: bool) -> Result<BotSettings, PlanError> {
        let edit = self.builder(self.inputs(), settings);
        match self {
            Self::Dca(bot) => {
                DcaBotSettings::from_record(bot, Some(&edit), has_signals).map(Box::new).map(BotSettings::Dca)
            }
            Self::Grid(bot) => GridBotSettings::from_record(bot, Some(&edit)).map(Box::new).map(BotSettings::Grid),
            Self::Inputs(_) => {
                let strategy = self.builder(LadderStrategy::INPUTS, settings);
                DcaBotSettings::from_arguments(&edit, &strategy, has_signals).map(Box::new).map(BotSettings::Dca)
            }
        }
    }

    /// Returns the pairs that the bot trades with some settings.
    pub(super) fn pairs(&self, settings: &[Setting]) -> Vec<String> {
        let edit = self.builder(self.inputs(), settings);
        let edit = match self.record() {
            Some(record) => edit.carry_over(record),
            None => edit,
        };
        match self {
            Self::Grid(bot) => bot.fields().value("pair").and_then(Json::to_value).as_ref().map_or(Vec::new(), strings),
            Self::Dca(_) | Self::Inputs(_) => edit.value(DcaBotInputs::pairs).map_or(Vec::new(), strings),
        }
    }

    /// Returns the inputs of a bot that need not exist; empty for records.
    pub(super) fn stored(&self) -> StoredBot {
        match self {
            Self::Dca(bot) => StoredBot::Dca(bot.fields().text().to_owned()),
            Self::Grid(bot) => StoredBot::Grid(bot.fields().text().to_owned()),
            Self::Inputs(inputs) => StoredBot::Inputs(inputs.clone()),
        }
    }
}

/// Returns the strings of a list; a single string is a list of one.
fn strings(value: &Value) -> Vec<String> {
    let elements = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    elements.iter().filter_map(Value::as_str).filter(|pair| !pair.is_empty()).map(str::to_owned).collect()
}

impl StoredBot {
    pub(super) fn restore(self) -> Option<SweepBot> {
        Some(match self {
            Self::Dca(record) => SweepBot::Dca(DcaBot::from_json(&record).ok()?),
            Self::Grid(record) => SweepBot::Grid(GridBot::from_json(&record).ok()?),
            Self::Inputs(inputs) => SweepBot::Inputs(inputs),
        })
    }
}
