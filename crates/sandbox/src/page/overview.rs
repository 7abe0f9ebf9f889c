//! The content of the page: tables of a sandbox's state, without secrets.
//!
//! All cells are strings, because a browser would round long numbers.

use std::collections::BTreeMap;

use botdesk_display::figures::{Figures, Rounding, common_quote};
use botdesk_display::words::field_words;
use botdesk_schema::secrets::redact_secrets;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;
use serde_json::Value;

use crate::clock::timestamp;
use crate::faults::{ANY, FaultKind};
use crate::record::JsonRecord;
use crate::request_log::LoggedRequest;
use crate::resource::{PageTable, Resource};
use crate::resources::RESOURCES;
use crate::router;
use crate::server::SandboxService;
use crate::state::State;
use crate::statistics::all_profits_by_day;

/// The maximum number of rows of a table.
const MAX_ROWS: usize = 100;

/// The weeks before this one of which the calendar shows the profits.
const WEEKS_BEFORE: i64 = 4;

/// The content of the page.
#[derive(Serialize)]
pub(super) struct Overview {
    version: &'static str,
    clock: ClockView,
    calendar: Vec<DayView>,
    tables: Vec<TableView>,
    operations: Vec<&'static str>,
    fault_kinds: Vec<FaultKindView>,
}

#[derive(Serialize)]
struct ClockView {
    now: String,
    follows_wall_clock: bool,
}

/// A table. `rows` has at most `MAX_ROWS` of the `total` rows, with rounded figures; `whole` has the same rows with every digit.
#[derive(Serialize)]
struct TableView {
    name: &'static str,
    columns: &'static [&'static str],
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    whole: Vec<Vec<String>>,
    total: usize,
}

/// A day with the profit of all DCA bots in USD; empty if no deal was closed.
#[derive(Serialize)]
struct DayView {
    day: String,
    profit: String,
}

/// A kind of fault with what it does and the names of its options.
#[derive(Serialize)]
struct FaultKindView {
    name: &'static str,
    about: &'static str,
    options: &'static [&'static str],
}

/// Returns what the page shows. Reading it changes nothing that a client could notice.
pub(super) fn overview(service: &SandboxService) -> Overview {
    let (clock, calendar, prices, records) = {
        let mut state = service.state_to_read();
        let calendar = calendar(&mut state);
        let clock = ClockView { now: timestamp(state.clock.now()), follows_wall_clock: state.clock.follows_wall() };
        (clock, calendar, prices(&state), records(&state))
    };
    let faults = [pending_faults(service), injected_faults(service)];
    Overview {
        version: env!("CARGO_PKG_VERSION"),
        clock,
        calendar,
        tables: [prices, requests(service)].into_iter().chain(records).chain(faults).collect(),
        operations: std::iter::once(ANY).chain(router::operations().map(|operation| operation.name)).collect(),
        fault_kinds: FaultKind::all()
            .map(|kind| FaultKindView { name: kind.as_str(), about: kind.about(), options: kind.option_names() })
            .collect(),
    }
}

impl TableView {
    fn new<T>(
        name: &'static str,
        columns: &'static [&'static str],
        items: impl Iterator<Item = T> + Clone,
        row: impl Fn(T) -> Vec<String>,
    ) -> Self {
        let rows: Vec<_> = items.clone().take(MAX_ROWS).map(row).collect();
        let heads = columns.iter().map(|column| field_words(column)).collect();
        Self { name, columns, heads, total: items.count(), whole: rows.clone(), rows }
    }

    /// Returns the table with its figures rounded; amounts are in the currency `quote` if it is known.
    fn rounded(self, figures: &[&str], quote: Option<&str>) -> Self {
        let rounding = |column: &&str| {
            if figures.contains(column) { Rounding::of_figure(column, quote) } else { Rounding::Exact }
        };
        let figures = Figures::Columns(self.columns.iter().map(rounding).collect());
        Self { rows: figures.round(&self.whole), ..self }
    }
}

/// Returns the days of this week and of the weeks before.
fn calendar(state: &mut State) -> Vec<DayView> {
    let today = state.clock.now().to_zoned(TimeZone::UTC).date();
    let back = i64::from(today.weekday().to_monday_zero_offset()) + 7 * WEEKS_BEFORE;
    let Ok(monday) = today.checked_sub(back.days()) else { return Vec::new() };
    let first = monday.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |midnight| midnight.timestamp());
    let profits: BTreeMap<_, _> = all_profits_by_day(state, first)
        .into_iter()
        .map(|(day, profit)| (day.to_zoned(TimeZone::UTC).date(), profit.normalized().to_plain_string()))
        .collect();
    let day = |day: Date| DayView { day: day.to_string(), profit: profits.get(&day).cloned().unwrap_or_default() };
    monday.series(1.day()).take_while(|day| *day <= today).map(day).collect()
}

fn prices(state: &State) -> TableView {
    TableView::new("prices", &["pair", "price", "tick"], state.market.listings.iter(), |(pair, listing)| {
        vec![pair.clone(), listing.price.to_plain_string(), listing.tick.to_plain_string()]
    })
}

/// Returns the tables of the resources that have one.
fn records(state: &State) -> Vec<TableView> {
    let table = |resource: &&dyn Resource| {
        let PageTable { columns, figures, is_in_quote_currency } = resource.page_table()?;
        let records = resource.page_records(state);
        let quote = if is_in_quote_currency { quote_currency(&records) } else { None };
        let row = |record: &JsonRecord| {
            let fields = columns.iter().map(|column| resource.page_field(record, column));
            fields.map(|field| cell(record.get(field))).collect()
        };
        Some(TableView::new(resource.name(), columns, records.iter().copied(), row).rounded(figures, quote))
    };
    RESOURCES.iter().filter_map(table).collect()
}

/// Returns a quote currency of some records. Coins need more digits than the currencies that all others are in.
fn quote_currency<'a>(records: &[&'a JsonRecord]) -> Option<&'a str> {
    let quotes = || records.iter().filter_map(|record| common_quote([record.get("pair")?.as_str()?]));
    let coin = quotes().find(|quote| Rounding::money(Some(quote)) == Rounding::NUMBER);
    coin.or_else(|| quotes().next())
}

fn requests(service: &SandboxService) -> TableView {
    let columns = &["method", "path", "status", "ms", "executed", "fault"];
    let (newest, total) = service.newest_requests(MAX_ROWS);
    TableView { total, ..TableView::new("requests", columns, newest.iter(), request_row) }
}

/// Returns the cells of a request. Its body is left out, and its query string is redacted already.
fn request_row(request: &LoggedRequest) -> Vec<String> {
    let query = request.query.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
    vec![
        request.method.clone(),
        format!("{}{query}", request.path),
        request.status.map_or_else(|| "no response".to_owned(), |status| status.to_string()),
        format!("{:.1}", request.duration.as_secs_f64() * 1_000.0),
        yes_or_no(request.carried_out),
        request.fault.unwrap_or_default().to_owned(),
    ]
}

fn pending_faults(service: &SandboxService) -> TableView {
    let random = service
        .faults()
        .random_share()
        .map(|share| vec![ANY.to_owned(), "random".to_owned(), format!("{share} of all requests")]);
    let added = service.faults().pending().into_iter().map(|fault| {
        let times = fault.times.map_or_else(|| "no limit".to_owned(), |times| times.to_string());
        vec![fault.operation.to_owned(), fault.kind.as_str().to_owned(), times]
    });
    let rows: Vec<_> = random.into_iter().chain(added).collect();
    TableView::new("pending_faults", &["operation", "kind", "times"], rows.iter(), Clone::clone)
}

fn injected_faults(service: &SandboxService) -> TableView {
    let injected = service.faults().injected();
    TableView::new("injected_faults", &["kind", "operation", "method", "path"], injected.iter().rev(), |fault| {
        let (method, path) = fault.request.clone().unwrap_or_default();
        vec![fault.kind.as_str().to_owned(), fault.operation.unwrap_or_default().to_owned(), method, path]
    })
}

/// Returns the cell of a field of a record.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Bool(is_true)) => yes_or_no(*is_true),
        Some(Value::String(string)) => redact_secrets(string),
        Some(Value::Array(elements)) => {
            elements.iter().map(|element| cell(Some(element))).collect::<Vec<_>>().join(", ")
        }
        Some(other) => other.to_string(),
    }
}

fn yes_or_no(is_true: bool) -> String {
    if is_true { "yes" } else { "no" }.to_owned()
}
