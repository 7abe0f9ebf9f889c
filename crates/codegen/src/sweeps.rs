//! The functions that sweep the settings of a bot.

use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::sweep::{MAX_STRETCHES, MIN_STRETCHES};
use botdesk_schema::operation::ArgumentStyle;

use crate::backtests::{ARGUMENTS, BotKind};
use crate::docstring::{Docstring, Example};
use crate::inputs::{list, parameters};
use crate::parameter::Parameter;
use crate::planning::{method, raises};
use crate::python_method::Method;

pub(crate) fn sweep() -> Method {
    let (candles, times) = BotKind::Dca.history_parameters();
    let bot = Parameter::required(
        "bot",
        "DcaBot | GridBot | Mapping[str, Any]",
        "The bot: a record, or a dict with the fields that `botdesk.backtest` takes.",
    );
    let settings = Parameter::required(
        "parameters",
        "Mapping[str, Iterable[Any]]",
        "The values to try, by the name of the setting.",
    );
    let market = parameters(BacktestMarket::INPUTS, ArgumentStyle::Reported, &[]);
    let parameters = [bot, candles, settings].into_iter().chain(options()).chain(market).chain(times).collect();
    let market = list(BacktestMarket::INPUTS, &[]);
    let names = ["bot", "candles", "parameters", "objective", "executor", "progress", "folds", &market];
    let arguments = names.into_iter().chain(["signals", "start", "end"]).map(str::to_owned).collect();
    Method {
        name: "sweep".to_owned(),
        docstring: docstring(),
        is_awaited: true,
        is_function: true,
        ..method(parameters, "Sweep", "_sweep", arguments)
    }
}

fn options() -> [Parameter; 4] {
    [
        Parameter::option(
            "objective",
            "str | None",
            "None",
            "Figure of the summary by which combinations are compared; the default is `profit`. More is better, except for \
             `lost`, `drawdown`, `most_capital`, `budget`, `time_in_market`, `mean_duration`, `longest_duration`, \
             `most_safety_orders` and `fees`.",
        ),
        Parameter::option(
            "executor",
            "Executor | None",
            "None",
            "Executor of `concurrent.futures`, such as a process pool, or dask's `client.get_executor()`. Its workers need \
             botdesk. The default is all cores of this machine, without other processes.",
        ),
        Parameter::option(
            "progress",
            "bool | None",
            "False",
            "Show a progress bar; None shows one if the sweep takes long.",
        ),
        Parameter::option(
            "folds",
            "SupportsIndex | None",
            "None",
            &format!(
                "Number of stretches of the same length, {MIN_STRETCHES} to {MAX_STRETCHES}, into which the candles are also \
                 cut. Every combination runs on each stretch by itself, with no deal at its start; `sweep.folds` shows the best \
                 one of each stretch, and what it did on the next one."
            ),
        ),
    ]
}

fn docstring() -> Docstring {
    Docstring {
        summary: "Backtest a bot with every combination of some settings.".to_owned(),
        details: vec![
            "Nothing is sent. Combinations that break a rule of the API are not run, but listed in `refused`. Every \
             combination is run once, even if a value is passed twice."
                .to_owned(),
            "Ctrl-C ends a sweep early: it returns what is done, with `interrupted` set. Cancelling `sweep_async` raises the \
             `CancelledError`, which has what is done as `result`. If a worker of the executor dies, the combinations of the \
             others are kept, `missing` lists the rest, and `error` has the exception."
                .to_owned(),
        ],
        returns: "The settings and the figures of each combination, as a table.".to_owned(),
        raises: raises(&[
            (
                "ValidationError",
                &format!(
                    "{ARGUMENTS} Or the bot has no such setting, a setting has no values, there are more than a million \
                     combinations, a stretch has no candles, or volumes are in percent and `balance` is missing."
                ),
            ),
            ("DecodeError", "A field of the record that the backtest follows from is malformed."),
            ("ConfigurationError", "A progress bar is wanted and tqdm is not installed."),
        ]),
        example: example(),
        ..Docstring::default()
    }
}

fn example() -> Example {
    let start = [
        ">>> import botdesk",
        ">>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]",
        ">>> bot = {\"base_order_volume\": 100, \"max_safety_orders\": 0}",
        ">>> settings = {\"take_profit\": [1, 2], \"cooldown\": [0, 3600]}",
    ];
    let end = [
        ">>> best = sweep.best(1)[0]",
        ">>> best.parameters[\"take_profit\"], best.summary.deals",
        "(Decimal('1'), 2)",
    ];
    let lines = |call: &[&str], start: &[&str]| {
        start.iter().chain(call).chain(&end).map(|line| (*line).to_owned()).collect::<Vec<_>>()
    };
    let with_asyncio = [&[">>> import asyncio"], start.as_slice()].concat();
    Example {
        verbatim: lines(&[">>> sweep = botdesk.sweep(bot, rows, settings)"], &start),
        verbatim_async: lines(
            &[
                ">>> async def main():",
                "...     return await botdesk.sweep_async(bot, rows, settings)",
                ">>> sweep = asyncio.run(main())",
            ],
            &with_asyncio,
        ),
        ..Example::default()
    }
}
