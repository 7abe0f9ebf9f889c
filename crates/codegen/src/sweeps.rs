//! The functions that sweep the settings of a bot.

use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::sweep::{MAX_STRETCHES, MIN_STRETCHES};
use botdesk_schema::operation::Style;

use crate::backtests::{ARGUMENTS, BotKind};
use crate::docstring::{Docstring, Example};
use crate::inputs::parameters;
use crate::method::{MethodBody, Owner, Parameter, PythonMethod};
use crate::planning::{method, raises};
use crate::source::SourceFile;

/// Returns the file of the sweeps.
pub(crate) fn file() -> SourceFile {
    let mut source = SourceFile::new("sweeps", "The functions that sweep the settings of a bot.");
    source.add(&sweep().rust());
    source
}

fn sweep() -> PythonMethod {
    let (first, last) = BotKind::Dca.history_parameters();
    let market = parameters(BacktestMarket::INPUTS, Style::Reported, &[]);
    let [bot, settings] = positional();
    let parameters = [bot].into_iter().chain(first).chain([settings]).chain(options()).chain(market).chain(last);
    let options = "let options = SweepOptions { objective, executor, progress, folds };".to_owned();
    PythonMethod {
        name: "sweep".to_owned(),
        docstring: docstring(),
        owner: Owner::Module,
        statements: [BotKind::Dca.statements(), vec![options]].concat(),
        value: "SweepRun::new(bot, parameters, options, market, histories)?".to_owned(),
        body: MethodBody::Run,
        ..method(parameters.collect(), "Sweep")
    }
}

fn positional() -> [Parameter; 2] {
    let parameter = |name: &str, kind: &str, about: &str| Parameter {
        name: name.to_owned(),
        kind: kind.into(),
        annotation: None,
        default: None,
        is_keyword: false,
        about: about.to_owned(),
    };
    [
        parameter(
            "bot",
            "SweepBotArgument",
            "The bot: a record, or a dict with the fields that `botdesk.backtest` takes.",
        ),
        parameter("parameters", "SweepParameters", "The values to try, by the name of the setting."),
    ]
}

fn options() -> [Parameter; 4] {
    [
        Parameter::option(
            "objective",
            "Option<String>",
            "None",
            "Figure of the summary by which combinations are compared; the default is `profit`. More is better, except for \
             `lost`, `drawdown`, `most_capital`, `budget`, `time_in_market`, `mean_duration`, `longest_duration`, \
             `most_safety_orders` and `fees`.",
        ),
        Parameter::option(
            "executor",
            "Option<SweepExecutor>",
            "None",
            "Executor of `concurrent.futures`, such as a process pool, or dask's `client.get_executor()`. Its workers need \
             botdesk. The default is all cores of this machine, without other processes.",
        ),
        Parameter::option(
            "progress",
            "Option<bool>",
            "Some(false)",
            "Show a progress bar; None shows one if the sweep takes long.",
        ),
        Parameter::option(
            "folds",
            "Option<AnyInteger>",
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
