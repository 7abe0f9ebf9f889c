//! Plans as tables of strings.

use std::fmt::{Display, Formatter, Result, Write};

use bigdecimal::{BigDecimal, RoundingMode};

use super::grid_plan::{GridLevel, GridPlan};
use super::ladder_plan::LadderPlan;
use super::planned_order::{PlannedOrder, order_name};
use botdesk_api::decimal;
use botdesk_api::table::Table;
use botdesk_api::view::View;
use botdesk_trading::grid::OrderSide;
use botdesk_trading::ladder::Direction;

/// The decimal places that a table shows; the attributes have all of them.
const PLACES: i64 = 8;

/// The placeholder for a missing value.
const NOTHING: &str = "-";

impl LadderPlan {
    /// Returns the ladder as a table.
    pub fn table(&self) -> Table {
        let direction = match self.direction {
            Direction::Long => "long",
            Direction::Short => "short",
        };
        let [deal, bot] = [&self.budget, &self.bot_budget].map(brief);
        let stop_loss = self.stop_loss_price.as_ref().map(|price| format!("; stop loss at {}", brief(price)));
        Table {
            title: format!(
                "Ladder, {direction}: a deal takes {deal}, all deals of the bot {bot}{}",
                stop_loss.unwrap_or_default()
            ),
            heads: PlannedOrder::HEADS.to_vec(),
            rows: self.rungs.iter().map(|rung| rung.cells().to_vec()).collect(),
            notes: self.warnings.clone(),
            ellipsis: None,
        }
        .shortened()
    }
}

impl Display for LadderPlan {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(&self.table().text(0))
    }
}

impl Display for PlannedOrder {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str("<Rung")?;
        for (head, cell) in Self::HEADS.iter().zip(self.cells()) {
            write!(out, " {}={cell}", head.replace(' ', "_"))?;
        }
        out.write_char('>')
    }
}

impl PlannedOrder {
    /// Returns the view of the order.
    pub fn view(&self) -> View {
        view(format!("Rung: {}", order_name(self.number)), Self::HEADS.into_iter().zip(self.cells()))
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
            brief(&self.price),
            brief(&self.size),
            brief(&self.quantity),
            brief(&self.spent),
            brief(&self.average_price),
            self.take_profit_price.as_ref().map_or_else(|| NOTHING.to_owned(), brief),
            self.move_to_close.as_ref().map_or_else(|| NOTHING.to_owned(), percent),
        ]
    }
}

impl GridPlan {
    /// Returns the grid as a table.
    pub fn table(&self) -> Table {
        let profit = self.profit_per_grid.as_ref().map(|profit| format!(", profit {} a grid", brief(profit)));
        let investment = self.investment.as_ref().map(|investment| {
            let [total, quote, base] = [&investment.total, &investment.quote, &investment.base].map(brief);
            format!(", investment {total} ({quote} of the quote currency, {base} of the base currency)")
        });
        let found = [profit, investment].into_iter().flatten().collect::<String>();
        Table {
            title: format!("Grid: {} levels, step {}{found}", self.levels.len(), brief(&self.step)),
            heads: GridLevel::HEADS.to_vec(),
            rows: self.levels.iter().map(|level| level.cells().to_vec()).collect(),
            notes: self.warnings.clone(),
            ellipsis: None,
        }
        .shortened()
    }
}

impl Display for GridPlan {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(&self.table().text(0))
    }
}

impl Display for GridLevel {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let [price, side, profit] = self.cells();
        write!(out, "<GridLevel price={price} side={side} profit={profit}>")
    }
}

impl GridLevel {
    /// Returns the view of the level.
    pub fn view(&self) -> View {
        view("GridLevel".to_owned(), Self::HEADS.into_iter().zip(self.cells()))
    }

    const HEADS: [&str; 3] = ["price", "side", "profit"];

    fn cells(&self) -> [String; 3] {
        [
            brief(&self.price),
            self.side.map_or(NOTHING, OrderSide::name).to_owned(),
            self.profit.as_ref().map_or_else(|| NOTHING.to_owned(), brief),
        ]
    }
}

fn view(title: String, cells: impl Iterator<Item = (&'static str, String)>) -> View {
    View { title, shown: cells.collect(), ..View::default() }
}

fn brief(number: &BigDecimal) -> String {
    decimal::shown(&number.with_scale_round(PLACES, RoundingMode::HalfEven))
}

fn percent(number: &BigDecimal) -> String {
    const PLACES: i64 = 4;
    format!("{}%", decimal::shown(&number.with_scale_round(PLACES, RoundingMode::HalfEven)))
}
