//! The methods and functions that plan ladders and grids: they take the inputs of an edit and of the market.

use botdesk_api::dca_bots::DcaBotEdit;
use botdesk_api::grid_bots::GridBotEdit;
use botdesk_planning::grid_plan::GridMarket;
use botdesk_planning::ladder_config::{LadderMarket, LadderStrategy};
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::ArgumentStyle;

use crate::docstring::{Docstring, Example};
use crate::inputs::{list, parameters};
use crate::parameter::Parameter;
use crate::python_method::{Call, Method};

pub(crate) fn ladder() -> Method {
    let mut parameters = parameters(LadderMarket::INPUTS, ArgumentStyle::Positional, &[]);
    // The rates give the price, so it may be left out.
    if let Some(price) = parameters.first_mut() {
        price.default = Some("UNSET");
    }
    parameters.push(rates());
    Method {
        name: "ladder".to_owned(),
        docstring: Docstring {
            summary: "Plan the orders of the bot's deals: their prices, their costs, and where they take profit.".to_owned(),
            details: vec![
                "Nothing is sent. The plan follows from the fields of the record; call `refresh()` first to plan with the \
                 current ones."
                    .to_owned(),
            ],
            returns: "The ladder: its rungs, the budget, the stop loss, and warnings.".to_owned(),
            raises: raises(&[
                (
                    "ValidationError",
                    "An argument is not a price, tick, lot or fee, there is no price, or the bot has no ladder: its volumes are in percent of \
                     a balance, it has its own safety steps, or the record lacks a field that the API reference requires.",
                ),
                ("DecodeError", "A field that the ladder follows from is malformed."),
            ]),
            example: example(&[
                ">>> import botdesk",
                ">>> with botdesk.Sandbox() as sandbox:",
                "...     ladder = sandbox.client().dca_bots.get(41).ladder(\"2561.66911\", tick=\"0.01\")",
                ">>> print(*(rung.price for rung in ladder))",
                "2561.66911 2536.05 2484.81 2382.35",
                ">>> with botdesk.Sandbox() as sandbox:",
                "...     client = sandbox.client()",
                "...     rates = client.markets.rates(\"demo_spot\", \"USDT_ETH\")",
                "...     client.dca_bots.get(41).ladder(rates=rates).warnings",
                "[]",
            ]),
            ..Docstring::default()
        },
        ..method(parameters, "Ladder", "_ladder", vec![list(LadderMarket::INPUTS, &[]), "rates".to_owned()])
    }
}

pub(crate) fn levels() -> Method {
    let parameters = parameters(GridMarket::INPUTS, ArgumentStyle::Reported, &[]);
    Method {
        name: "levels".to_owned(),
        docstring: Docstring {
            summary: "Plan the levels of the bot's grid: their prices, the investment, and the profit.".to_owned(),
            details: vec![
                "Nothing is sent. Without a price, the record's `current_price` decides what each level does."
                    .to_owned(),
            ],
            returns: "The grid: its levels, the step, the investment, the profit, and warnings.".to_owned(),
            raises: raises(&[
                (
                    "ValidationError",
                    "An argument is not a price, tick or fee, or the record lacks what a grid needs: its bounds and the \
                     number of its levels.",
                ),
                ("DecodeError", "A field that the grid follows from is malformed."),
            ]),
            example: example(&[
                ">>> import botdesk",
                ">>> bot = botdesk.GridBot.from_json(",
                "...     '{\"lower_price\": \"100\", \"upper_price\": \"140\", \"grids_quantity\": \"5\", \"current_price\": \"121\"}'",
                "... )",
                ">>> print(*(f\"{level.side} {level.price}\" for level in bot.levels(tick=1)), sep=\", \")",
                "buy 100, buy 110, None 120, sell 130, sell 140",
            ]),
            ..Docstring::default()
        },
        ..method(parameters, "GridPlan", "_levels", vec![list(GridMarket::INPUTS, &[])])
    }
}

pub(crate) fn ladder_of_edit() -> Method {
    let example = ["dca_bots.get(41)", "max_safety_orders=1", "price=100", "2"];
    of_edit("Ladder", "_ladder_of_edit", LadderMarket::INPUTS, example)
}

pub(crate) fn levels_of_edit() -> Method {
    let example = ["grid_bots.enable(203)", "grids_quantity=11", "", "11"];
    of_edit("GridPlan", "_levels_of_edit", GridMarket::INPUTS, example)
}

/// Returns the private method of a preview that plans the bot after the edit, for `tune`. The example has a bot, an edit of it, the
/// arguments, and the number of orders.
fn of_edit(plan: &str, native: &str, market: &'static Inputs, [bot, edit, arguments, orders]: [&str; 4]) -> Method {
    Method {
        name: "_plan".to_owned(),
        docstring: Docstring {
            summary: "Plan the bot after the edit.".to_owned(),
            example: example(&[
                ">>> import botdesk",
                ">>> with botdesk.Sandbox() as sandbox:",
                &format!("...     preview = sandbox.client().{bot}.preview_edit({edit})"),
                &format!(">>> len(preview._plan({arguments}))"),
                orders,
            ]),
            ..Docstring::default()
        },
        ..method(parameters(market, ArgumentStyle::Reported, &[]), plan, native, vec![list(market, &[])])
    }
}

pub(crate) fn plan_ladder() -> Method {
    let mut planner =
        function(&[LadderMarket::INPUTS, LadderStrategy::INPUTS, DcaBotEdit::INPUTS], "Ladder", "_plan_ladder");
    planner.parameters.push(rates());
    planner.call.arguments.push("rates".to_owned());
    Method {
        name: "plan_ladder".to_owned(),
        docstring: Docstring {
            summary: "Plan the orders of a deal of a bot that need not exist, with the arguments of `dca_bots.edit`.".to_owned(),
            details: vec![
                "All fields of an edit are taken, so that the arguments of an edit can be planned; most do not affect a \
                 ladder. Required are the price, the volume of the base order and the number of safety orders, and with \
                 safety orders their volume and step. The defaults are 1 for coefficients and `max_active_deals`, and \
                 `total` for `take_profit_type`. Values that the service would reject are planned, with a warning."
                    .to_owned(),
            ],
            returns: "The ladder: its rungs, the budget, the stop loss, and warnings.".to_owned(),
            raises: raises(&[(
                "ValidationError",
                "A value is missing, or the values make no ladder; `errors` lists all of them.",
            )]),
            example: example(&[
                ">>> import botdesk",
                ">>> ladder = botdesk.plan_ladder(",
                "...     price=\"2561.66911\",",
                "...     tick=\"0.01\",",
                "...     base_order_volume=80,",
                "...     safety_order_volume=30,",
                "...     max_safety_orders=3,",
                "...     safety_order_step_percentage=1,",
                "...     martingale_step_coefficient=4,",
                "...     martingale_volume_coefficient=\"1.7\",",
                "... )",
                ">>> ladder[3].deviation, ladder[3].price, ladder.budget",
                "(Decimal('21'), Decimal('2023.71'), Decimal('247.7'))",
            ]),
            ..Docstring::default()
        },
        ..planner
    }
}

/// Returns the parameter for the rates of the pair.
fn rates() -> Parameter {
    Parameter::option(
        "rates",
        "PairRates | None",
        "None",
        "Prices and order limits of the pair, from `client.markets.rates`: they give the price, the tick and the lot unless you do, and \
         a warning for each order that the exchange would refuse.",
    )
}

pub(crate) fn plan_grid() -> Method {
    Method {
        name: "plan_grid".to_owned(),
        docstring: Docstring {
            summary: "Plan the levels of a grid bot that need not exist, with the arguments of `grid_bots.edit`.".to_owned(),
            details: vec![
                "All fields of an edit are taken, so that the arguments of an edit can be planned; most do not affect a \
                 grid. Required are `lower_price`, `upper_price` and `grids_quantity`; the default of `grid_type` is \
                 `arithmetic`, and that of `order_currency_type` is `base`. With `quantity_per_grid` the plan has the profit, and with a price also what each level \
                 does and the investment."
                    .to_owned(),
            ],
            returns: "The grid: its levels, the step, the investment, the profit, and warnings.".to_owned(),
            raises: raises(&[(
                "ValidationError",
                "A value is missing, or the values make no grid; `errors` lists all of them.",
            )]),
            example: example(&[
                ">>> import botdesk",
                ">>> grid = botdesk.plan_grid(lower_price=56000, upper_price=70000, grids_quantity=40, tick=\"0.1\")",
                ">>> grid.step, grid[4].price",
                "(Decimal('358.974358974358974358974358974358974359'), Decimal('57435.9'))",
            ]),
            ..Docstring::default()
        },
        ..function(&[GridMarket::INPUTS, GridBotEdit::INPUTS], "GridPlan", "_plan_grid")
    }
}

/// Returns a method that calls a native function.
pub(crate) fn method(parameters: Vec<Parameter>, returns: &str, native: &str, arguments: Vec<String>) -> Method {
    Method {
        name: String::new(),
        docstring: Docstring::default(),
        parameters,
        has_unknown: false,
        returns: returns.to_owned(),
        call: Call { target: native.to_owned(), arguments, ..Call::default() },
        is_awaited: false,
        is_function: false,
    }
}

/// Returns a function that takes the inputs of tables by name, and passes those of each table as a list.
pub(crate) fn function(tables: &[&Inputs], returns: &str, native: &str) -> Method {
    let parameters = tables.iter().flat_map(|table| parameters(table, ArgumentStyle::Named, &[])).collect();
    let mut function = method(parameters, returns, native, tables.iter().map(|table| list(table, &[])).collect());
    function.has_unknown = true;
    function.call.has_unknown = true;
    function.is_function = true;
    function
}

pub(crate) fn raises(raises: &[(&str, &str)]) -> Vec<(String, String)> {
    raises.iter().map(|(name, cause)| ((*name).to_owned(), (*cause).to_owned())).collect()
}

pub(crate) fn example(lines: &[&str]) -> Example {
    Example { verbatim: lines.iter().map(|line| (*line).to_owned()).collect(), ..Example::default() }
}
