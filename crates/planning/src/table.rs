//! Plans as tables of strings.

use std::fmt::{Display, Formatter, Result, Write};

use bigdecimal::BigDecimal;

use super::grid_plan::{GridLevel, GridPlan};
use super::ladder_plan::LadderPlan;
use super::planned_order::{PlannedOrder, order_name};
use botdesk_display::figures::{Figures, Rounding, common_quote};
use botdesk_display::text_table::Table;
use botdesk_display::view::View;
use botdesk_trading::grid::OrderSide;
use botdesk_trading::ladder::Direction;

/// The decimal places that prices and quantities keep if they have them: those of most ticks and lots.
const PLACES_OF_TICKS: usize = 8;

/// The placeholder for a missing value.
const NOTHING: &str = "-";

impl LadderPlan {
    /// Returns the ladder as a table; amounts are in the quote currency of the pair.
    pub fn table(&self, pair: Option<&str>) -> Table {
        let direction = match self.direction {
            Direction::Long => "long",
            Direction::Short => "short",
        };
        let money = Rounding::money(common_quote(pair));
        let [deal, bot] = [&self.budget, &self.bot_budget].map(|budget| money.round(&digits(budget)));
        let stop_loss = self.stop_loss_price.as_ref();
        let stop_loss = stop_loss.map(|price| format!("; stop loss at {}", self.prices().round(&digits(price))));
        let quantities = places_of(self.rungs.iter().map(|rung| &rung.quantity));
        let figures = PlannedOrder::roundings(self.prices(), money, quantities);
        Table {
            title: format!(
                "Ladder, {direction}: a deal takes {deal}, all deals of the bot {bot}{}",
                stop_loss.unwrap_or_default()
            ),
            heads: PlannedOrder::HEADS.to_vec(),
            rows: self.rungs.iter().map(|rung| rung.cells().to_vec()).collect(),
            notes: self.warnings.clone(),
            figures: Figures::Columns(figures.to_vec()),
            ellipsis: None,
        }
        .shortened()
    }

    fn prices(&self) -> Rounding {
        places_of(self.rungs.iter().map(|rung| &rung.price))
    }
}

impl Display for PlannedOrder {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str("<Rung")?;
        for ((head, cell), rounding) in Self::HEADS.iter().zip(self.cells()).zip(self.own_roundings()) {
            write!(out, " {}={}", head.replace(' ', "_"), rounding.round(&cell))?;
        }
        out.write_char('>')
    }
}

impl PlannedOrder {
    /// Returns the view of the order.
    pub fn view(&self) -> View {
        view(format!("Rung: {}", order_name(self.number)), &Self::HEADS, self.cells(), self.own_roundings())
    }

    /// Returns the roundings of the cells.
    fn roundings(price: Rounding, money: Rounding, quantity: Rounding) -> [Rounding; 9] {
        let percent = Rounding::PERCENT;
        [Rounding::Exact, percent, price, money, quantity, money, price, price, percent]
    }

    fn own_roundings(&self) -> [Rounding; 9] {
        let [price, quantity] = [&self.price, &self.quantity].map(|number| places_of([number].into_iter()));
        Self::roundings(price, Rounding::NUMBER, quantity)
    }

    const HEADS: [&str; 9] = [
        "order",
        "deviation",
        "price",
        "size",
        "quantity",
        "spent",
        "average price",
        "take profit price",
        "move to close",
    ];

    fn cells(&self) -> [String; 9] {
        [
            if self.number == 0 { "base".to_owned() } else { self.number.to_string() },
            percent(&self.deviation),
            digits(&self.price),
            digits(&self.size),
            digits(&self.quantity),
            digits(&self.spent),
            digits(&self.average_price),
            self.take_profit_price.as_ref().map_or_else(|| NOTHING.to_owned(), digits),
            self.move_to_close.as_ref().map_or_else(|| NOTHING.to_owned(), percent),
        ]
    }
}

impl GridPlan {
    /// Returns the grid as a table; amounts are in the quote currency of the pair.
    pub fn table(&self, pair: Option<&str>) -> Table {
        let money = Rounding::money(common_quote(pair));
        let prices = places_of(self.levels.iter().map(|level| &level.price));
        let profit = self.profit_per_grid.as_ref();
        let profit = profit.map(|profit| format!(", profit {} a grid", money.round(&digits(profit))));
        let investment = self.investment.as_ref().map(|investment| {
            let [total, quote] = [&investment.total, &investment.quote].map(|amount| money.round(&digits(amount)));
            let base = Rounding::NUMBER.round(&digits(&investment.base));
            format!(", investment {total} ({quote} of the quote currency, {base} of the base currency)")
        });
        let found = [profit, investment].into_iter().flatten().collect::<String>();
        let step = prices.round(&digits(&self.step));
        Table {
            title: format!("Grid: {} levels, step {step}{found}", self.levels.len()),
            heads: GridLevel::HEADS.to_vec(),
            rows: self.levels.iter().map(|level| level.cells().to_vec()).collect(),
            notes: self.warnings.clone(),
            figures: Figures::Columns(vec![prices, Rounding::Exact, money]),
            ellipsis: None,
        }
        .shortened()
    }
}

impl Display for GridLevel {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let [price, side, profit] = self.cells();
        let [of_price, _, of_profit] = self.own_roundings();
        let (price, profit) = (of_price.round(&price), of_profit.round(&profit));
        write!(out, "<GridLevel price={price} side={side} profit={profit}>")
    }
}

impl GridLevel {
    /// Returns the view of the level.
    pub fn view(&self) -> View {
        view("GridLevel".to_owned(), &Self::HEADS, self.cells(), self.own_roundings())
    }

    fn own_roundings(&self) -> [Rounding; 3] {
        [places_of([&self.price].into_iter()), Rounding::Exact, Rounding::NUMBER]
    }

    const HEADS: [&str; 3] = ["price", "side", "profit"];

    fn cells(&self) -> [String; 3] {
        [
            digits(&self.price),
            self.side.map_or(NOTHING, OrderSide::name).to_owned(),
            self.profit.as_ref().map_or_else(|| NOTHING.to_owned(), digits),
        ]
    }
}

fn view<const N: usize>(
    title: String,
    heads: &[&'static str; N],
    cells: [String; N],
    roundings: [Rounding; N],
) -> View {
    let roundings = heads.iter().copied().zip(roundings).collect();
    View { title, shown: heads.iter().copied().zip(cells).collect(), roundings, ..View::default() }
}

/// Returns the rounding of prices or quantities, which keeps the digits of the tick or the lot.
fn places_of<'a>(numbers: impl Iterator<Item = &'a BigDecimal>) -> Rounding {
    let places = numbers.map(BigDecimal::fractional_digit_count).max().unwrap_or(0);
    Rounding::Significant(usize::try_from(places).unwrap_or(0).min(PLACES_OF_TICKS))
}

/// Returns every digit of a number.
fn digits(number: &BigDecimal) -> String {
    number.normalized().to_plain_string()
}

fn percent(number: &BigDecimal) -> String {
    format!("{}%", digits(number))
}
