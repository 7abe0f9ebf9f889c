//! The methods and functions that backtest bots: they take candles, the market, and the inputs of an edit.

use botdesk_api::dca_bots::DcaBotEdit;
use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::ladder_config::LadderStrategy;
use botdesk_schema::operation::ArgumentStyle;

use crate::docstring::{Docstring, Example};
use crate::inputs::{list, parameters};
use crate::parameter::Parameter;
use crate::planning::{function, method, raises};
use crate::python_method::Method;

/// The market inputs that backtests of grid bots do not take.
const UNUSED_BY_GRID_BOTS: &[&str] = &["balance"];

/// The bot that a method backtests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BotKind {
    Dca,
    Grid,
}

impl BotKind {
    /// Returns the market inputs that the method does not take.
    fn without(self) -> &'static [&'static str] {
        if self == Self::Grid { UNUSED_BY_GRID_BOTS } else { &[] }
    }

    /// Returns the parameters of a backtest.
    pub(crate) fn parameters(self) -> Vec<Parameter> {
        let (first, last) = self.history_parameters();
        let market = parameters(BacktestMarket::INPUTS, ArgumentStyle::Reported, self.without());
        std::iter::once(first).chain(market).chain(last).collect()
    }

    /// Returns the parameter for the candles, and those for the signals and the times.
    pub(crate) fn history_parameters(self) -> (Parameter, Vec<Parameter>) {
        let candles =
            "Candles, or anything that `Candles` takes. For a bot of several pairs, a mapping from pair to those.";
        let candles = if self == Self::Grid { "Candles, or anything that `Candles` takes." } else { candles };
        let signals = Parameter::option(
            "signals",
            "object",
            "None",
            "Times at which a deal is asked for, as datetimes or milliseconds since 1970: each acts at the first point of a \
             candle that is not before it. Exchanges date a candle at its open, so the time of a candle is before its close. Or \
             a sequence with a boolean for each candle, known at its close: it acts at the open of the next candle. For a bot of \
             several pairs, a mapping from pair to those. Bots without the strategy `nonstop` open deals only at signals.",
        );
        let start =
            "Time from which on candles count, as a datetime or in milliseconds since 1970; the default is all.";
        let end = "Time before which candles count; the default is all.";
        let time = "int | datetime | None";
        let mut last =
            vec![Parameter::option("start", time, "None", start), Parameter::option("end", time, "None", end)];
        if self == Self::Dca {
            last.insert(0, signals);
        }
        (Parameter::required("candles", "object", candles), last)
    }

    /// Returns the arguments of the native function.
    fn arguments(self) -> Vec<String> {
        let signals = if self == Self::Grid { "None" } else { "signals" };
        let market = list(BacktestMarket::INPUTS, self.without());
        ["candles", &market, signals, "start", "end"].map(str::to_owned).into()
    }
}

fn backtest(kind: BotKind, returns: &str, native: &str, docstring: Docstring) -> Method {
    Method {
        name: "backtest".to_owned(),
        docstring,
        is_awaited: true,
        ..method(kind.parameters(), returns, native, kind.arguments())
    }
}

/// Returns the paragraph about what a backtest does.
fn about(what: &str) -> Vec<String> {
    vec![
        format!(
            "Nothing is sent. {what} All numbers are exact, except for average prices and percentages, which say how they are rounded. Orders fill as in the sandbox: limit orders at their price, \
             from the open of a candle to its close along its extremes. Between two candles the price jumps."
        ),
        "Candles are read on the calling thread, which takes longer than the backtest. Pass `botdesk.Candles(…)` to read \
         them once."
            .to_owned(),
    ]
}

pub(crate) const ARGUMENTS: &str = "The candles can't be read, a pair has none, no candle is between `start` and `end`, a signal is \
                         outside of the candles, or another argument is invalid.";

pub(crate) fn of_dca_bot() -> Method {
    let docstring = Docstring {
        summary: "Run the bot over candles, and return what it would have done.".to_owned(),
        details: about(
            "The bot has the settings of the record and no deal at the start; call `refresh()` first for the current ones.",
        ),
        returns: "The deals, the orders, the equity and the figures.".to_owned(),
        raises: raises(&[
            (
                "ValidationError",
                &format!(
                    "{ARGUMENTS} Volumes are in percent and `balance` is missing, or the record lacks a required field."
                ),
            ),
            ("DecodeError", "A field that the backtest follows from is malformed."),
        ]),
        example: example(
            &[
                ">>> import botdesk",
                ">>> with botdesk.Sandbox() as sandbox:",
                "...     bot = sandbox.client().dca_bots.get(41)",
            ],
            ["2500, 2500, 2490, 2495", "2495, 2530, 2470, 2525"],
            "bot.backtest(rows, fee=\"0.001\")",
            &["deals", "profit", "most_safety_orders"],
            "1 1.11589994857 1",
        ),
        ..Docstring::default()
    };
    backtest(BotKind::Dca, "Backtest", "_backtest", docstring)
}

pub(crate) fn of_grid_bot() -> Method {
    let docstring = Docstring {
        summary: "Run the bot over candles, and return what it would have done.".to_owned(),
        details: about("The bot has the settings of the record, and starts at the first price."),
        returns: "The orders, the equity and the figures. A grid has no deals.".to_owned(),
        raises: raises(&[
            (
                "ValidationError",
                &format!("{ARGUMENTS} Or the record lacks the bounds, the number of levels or the quantity."),
            ),
            ("DecodeError", "A field that the backtest follows from is malformed."),
        ]),
        example: example(
            &[
                ">>> import botdesk",
                ">>> bot = botdesk.GridBot.from_json(",
                "...     '{\"lower_price\": \"100\", \"upper_price\": \"140\", \"grids_quantity\": \"5\", \"quantity_per_grid\": \"2\"}'",
                "... )",
            ],
            ["120, 121, 119, 120", "120, 141, 99, 120"],
            "bot.backtest(rows)",
            &["profit", "open_profit"],
            "80 4",
        ),
        ..Docstring::default()
    };
    backtest(BotKind::Grid, "Backtest", "_backtest", docstring)
}

pub(crate) fn of_dca_bot_edit() -> Method {
    let docstring = Docstring {
        summary: "Run the bot over candles without the edit and with it, and compare the two.".to_owned(),
        details: about("The edit is not applied."),
        returns: "Both backtests, and the difference of every figure.".to_owned(),
        raises: raises(&[
            ("ValidationError", &format!("{ARGUMENTS} Volumes are in percent and `balance` is missing.")),
            ("DecodeError", "A field that the backtest follows from is malformed."),
        ]),
        example: example(
            &[
                ">>> import botdesk",
                ">>> with botdesk.Sandbox() as sandbox:",
                "...     bot = sandbox.client().dca_bots.get(41)",
                ">>> preview = bot.preview_edit(take_profit=\"2.5\")",
            ],
            ["2500, 2500, 2490, 2495", "2495, 2530, 2470, 2525"],
            "preview.backtest(rows)",
            &["deals", "profit"],
            "-1 -1.14133368",
        ),
        ..Docstring::default()
    };
    backtest(BotKind::Dca, "BacktestComparison", "_compare", docstring)
}

pub(crate) fn of_grid_bot_edit() -> Method {
    let docstring = Docstring {
        summary: "Run the bot over candles without the edit and with it, and compare the two.".to_owned(),
        details: about("The edit is not applied."),
        returns: "Both backtests, and the difference of every figure.".to_owned(),
        raises: raises(&[
            ("ValidationError", ARGUMENTS),
            ("DecodeError", "A field that the backtest follows from is malformed."),
        ]),
        example: example(
            &[
                ">>> import botdesk",
                ">>> with botdesk.Sandbox() as sandbox:",
                "...     bot = sandbox.client().grid_bots.set_note(203, \"Mind the range\")",
                ">>> preview = bot.preview_edit(grids_quantity=11)",
            ],
            ["3000, 3100, 2990, 3050", "3050, 3400, 3040, 3390"],
            "preview.backtest(rows)",
            &["profit", "most_capital"],
            "-0.6159065 -354.70939189",
        ),
        ..Docstring::default()
    };
    backtest(BotKind::Grid, "BacktestComparison", "_compare", docstring)
}

/// Returns the parameter for a SmartTrade.
fn smart_trade() -> Parameter {
    Parameter::option(
        "smart_trade",
        "SmartTrade | dict[str, Any] | None",
        "None",
        "SmartTrade to run in place of a bot: a dict with the arguments of `smart_trades.create`, of which `account_id` and `pair` \
         may be left out; or a record, which goes on from its current state.",
    )
}

pub(crate) fn of_inputs() -> Method {
    let tables = [BacktestMarket::INPUTS, LadderStrategy::INPUTS, DcaBotEdit::INPUTS];
    let mut of_inputs = function(&tables, "Backtest", "_backtest_of_inputs");
    let (candles, times) = BotKind::Dca.history_parameters();
    let inputs = of_inputs.parameters.split_off(BacktestMarket::INPUTS.rows.len());
    of_inputs.parameters.insert(0, candles);
    of_inputs.parameters.extend(times.into_iter().chain([smart_trade()]).chain(inputs));
    of_inputs.call.arguments.insert(0, "candles".to_owned());
    of_inputs.call.arguments.extend(["signals", "start", "end", "smart_trade"].map(str::to_owned));
    Method {
        name: "backtest".to_owned(),
        docstring: Docstring {
            summary: "Run a DCA bot that need not exist, or a SmartTrade, over candles.".to_owned(),
            details: [
                about("The arguments of the bot are those of `dca_bots.edit`. Values that the service would reject are taken, with a warning."),
                vec![
                    "A SmartTrade is the only deal of its backtest, from its entry on, and `status` says how it ended. An order fills as a \
                     whole. On spot, the fee of a purchase is taken in the base currency; fees are reported in the quote currency."
                        .to_owned(),
                    "Required for a bot are the volume of the base order and the number of safety orders, and with safety orders their \
                     volume and step. The defaults are 1 for coefficients and `max_active_deals`, `total` for \
                     `take_profit_type`, as many active safety orders as there are, and without signals the strategy \
                     `nonstop`."
                        .to_owned(),
                ],
            ]
            .concat(),
            returns: "The deals, the orders, the equity and the figures.".to_owned(),
            raises: raises(&[(
                "ValidationError",
                &format!("A value is missing or no bot can have it; `errors` lists all of them. {ARGUMENTS}"),
            )]),
            example: example(
                &[
                    ">>> import botdesk",
                    ">>> bot = dict(base_order_volume=120, max_safety_orders=0, take_profit=5, cooldown=3600)",
                ],
                ["120, 121, 119, 120", "120, 141, 99, 120"],
            "botdesk.backtest(rows, **bot)",
                &["deals", "profit", "open_profit"],
                "1 6 0",
            ),
            ..Docstring::default()
        },
        is_awaited: true,
        ..of_inputs
    }
}

/// Returns an example that prints figures, for a call and its `_async` version.
fn example(before: &[&str], rows: [&str; 2], call: &str, figures: &[&str], output: &str) -> Example {
    let [first, second] = rows;
    let rows = [">>> rows = [".to_owned(), format!("...     [0, {first}],"), format!("...     [60000, {second}],")];
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let result = if call.starts_with("preview") { "difference" } else { "summary" };
    let printed: Vec<_> = figures.iter().map(|figure| format!("figures.{figure}")).collect();
    let printed = [format!(">>> print({})", printed.join(", ")), output.to_owned()];
    let blocking = format!(">>> figures = {call}.{result}");
    let coroutine = call.replace(".backtest(", ".backtest_async(");
    let coroutine = [
        ">>> async def main():".to_owned(),
        format!("...     return await {coroutine}"),
        format!(">>> figures = asyncio.run(main()).{result}"),
    ];
    let start = [owned(before), rows.to_vec(), owned(&["... ]"])].concat();
    Example {
        verbatim: [start.clone(), vec![blocking], printed.to_vec()].concat(),
        verbatim_async: [vec![">>> import asyncio".to_owned()], start, coroutine.to_vec(), printed.to_vec()].concat(),
        ..Example::default()
    }
}
