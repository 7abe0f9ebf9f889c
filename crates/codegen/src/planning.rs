//! The methods and functions that plan ladders and grids: they take the inputs of an edit and of the market.

use botdesk_api::dca_bots::DcaBotEdit;
use botdesk_api::grid_bots::GridBotEdit;
use botdesk_planning::grid_plan::GridMarket;
use botdesk_planning::ladder_config::{LadderMarket, LadderStrategy};
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::Style;

use crate::docstring::{Docstring, Example};
use crate::inputs::{arguments_expression, parameters};
use crate::method::{MethodBody, Owner, Parameter, PythonMethod};
use crate::source::SourceFile;

/// Returns the file of the plans.
pub(crate) fn file() -> SourceFile {
    let mut source = SourceFile::new("planning", "The methods and functions that plan ladders and grids.");
    source.add(&ladder().rust());
    source.add(&levels().rust());
    source.add(&ladder_of_edit().rust());
    source.add(&levels_of_edit().rust());
    source.add(&plan_ladder().rust());
    source.add(&plan_grid().rust());
    source
}

pub(crate) fn ladder() -> PythonMethod {
    let mut parameters = parameters(LadderMarket::INPUTS, Style::Positional, &[]);
    // The rates give the price, so it may be left out.
    if let Some(price) = parameters.first_mut() {
        price.default = Some("absent()".to_owned());
    }
    parameters.push(rates());
    PythonMethod {
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
        statements: vec![format!("let market = {};", arguments_expression(LadderMarket::INPUTS, &[]))],
        value: "Ladder::from_record(&bot.0, market, rates)".to_owned(),
        owner: Owner::Record("dca_bots", "DcaBot"),
        ..method(parameters, "Ladder")
    }
}

pub(crate) fn levels() -> PythonMethod {
    let parameters = parameters(GridMarket::INPUTS, Style::Reported, &[]);
    PythonMethod {
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
        statements: vec![format!("let market = {};", arguments_expression(GridMarket::INPUTS, &[]))],
        value: "GridPlan::from_record(&bot.0, market)".to_owned(),
        owner: Owner::Record("grid_bots", "GridBot"),
        ..method(parameters, "GridPlan")
    }
}

pub(crate) fn ladder_of_edit() -> PythonMethod {
    let example = ["dca_bots.get(41)", "max_safety_orders=1", "price=100", "2"];
    of_edit(Owner::Preview("dca_bots", "DcaBot"), "Ladder", LadderMarket::INPUTS, example)
}

pub(crate) fn levels_of_edit() -> PythonMethod {
    let example = ["grid_bots.enable(203)", "grids_quantity=11", "", "11"];
    of_edit(Owner::Preview("grid_bots", "GridBot"), "GridPlan", GridMarket::INPUTS, example)
}

/// Returns the private method of a preview that plans the bot after the edit, for `tune`. The example has a bot, an edit of it, the
/// arguments, and the number of orders.
fn of_edit(
    owner: Owner,
    plan: &str,
    market: &'static Inputs,
    [bot, edit, arguments, orders]: [&str; 4],
) -> PythonMethod {
    PythonMethod {
        owner,
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
        statements: vec![format!("let market = {};", arguments_expression(market, &[]))],
        value: format!("{plan}::of_edit(&edit.0, market)"),
        ..method(parameters(market, Style::Reported, &[]), plan)
    }
}

fn plan_ladder() -> PythonMethod {
    let tables = [LadderMarket::INPUTS, LadderStrategy::INPUTS, DcaBotEdit::INPUTS];
    let mut planner = function(&tables, &["market", "strategy", "edit"], "Ladder");
    planner.parameters.push(rates());
    PythonMethod {
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
        value: "Ladder::of_inputs(market, strategy, edit.into_inputs(unknown), rates)".to_owned(),
        ..planner
    }
}

/// Returns the parameter for the rates of the pair.
fn rates() -> Parameter {
    Parameter::option(
        "rates",
        "Option<RecordOf<markets::PairRates>>",
        "None",
        "Prices and order limits of the pair, from `client.markets.rates`: they give the price, the tick and the lot unless you do, and \
         a warning for each order that the exchange would refuse.",
    )
}

fn plan_grid() -> PythonMethod {
    let tables = [GridMarket::INPUTS, GridBotEdit::INPUTS];
    PythonMethod {
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
        value: "GridPlan::of_inputs(market, edit.into_inputs(unknown))".to_owned(),
        ..function(&tables, &["market", "edit"], "GridPlan")
    }
}

pub(crate) fn method(parameters: Vec<crate::method::Parameter>, output: &str) -> PythonMethod {
    PythonMethod {
        name: String::new(),
        docstring: Docstring::default(),
        owner: Owner::Module,
        parameters,
        has_unknown: false,
        needs_py: false,
        output: output.to_owned(),
        statements: Vec::new(),
        value: String::new(),
        body: MethodBody::Value,
    }
}

/// Returns a function that takes the inputs of tables by name, and collects those of each table under a name.
pub(crate) fn function(tables: &[&Inputs], names: &[&str], output: &str) -> PythonMethod {
    let parameters: Vec<_> = tables.iter().flat_map(|table| parameters(table, Style::Named, &[])).collect();
    let statement = |(table, name): (&&Inputs, &&str)| {
        // Unknown names are collected with the inputs of the edit.
        let absent = if *name == "edit" { ".none_is_absent()" } else { "" };
        format!("let {name} = {}{absent};", arguments_expression(table, &[]))
    };
    let mut method = method(parameters, output);
    method.has_unknown = true;
    method.statements = tables.iter().zip(names).map(statement).collect();
    method
}

pub(crate) fn raises(raises: &[(&str, &str)]) -> Vec<(String, String)> {
    raises.iter().map(|(name, cause)| ((*name).to_owned(), (*cause).to_owned())).collect()
}

pub(crate) fn example(lines: &[&str]) -> Example {
    Example { verbatim: lines.iter().map(|line| (*line).to_owned()).collect(), ..Example::default() }
}
