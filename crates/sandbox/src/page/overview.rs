//! The content of the page: tables of a sandbox's state, without secrets.
//!
//! All cells are strings, because a browser would round long numbers.

use botdesk_api::figures::{Figures, Rounding, common_quote};
use botdesk_api::secrets::redact_secrets;
use serde::Serialize;
use serde_json::Value;

use crate::clock::timestamp;
use crate::faults::{ANY, FaultKind};
use crate::record::JsonRecord;
use crate::request_log::LoggedRequest;
use crate::router;
use crate::server::SandboxService;
use crate::state::State;

/// The maximum number of rows of a table.
const MAX_ROWS: usize = 100;

// Only fields that are listed here are shown, so that no secret of a record is.

const DCA_BOT_FIELDS: &[&str] = &[
    "id",
    "name",
    "is_enabled",
    "pairs",
    "active_deals_count",
    "finished_deals_count",
    "finished_deals_profit_usd",
    "active_deals_usd_profit",
];

/// The columns of deals.
const DEAL_COLUMNS: &[&str] = &[
    "id",
    "bot_id",
    "bot_name",
    "pair",
    "status",
    "entry_price",
    "current_price",
    "take_profit_price",
    "stop_loss_price",
    "safety_orders",
    "profit",
];

const GRID_BOT_FIELDS: &[&str] = &[
    "id",
    "name",
    "is_enabled",
    "pair",
    "lower_price",
    "upper_price",
    "current_price",
    "grids_quantity",
    "current_profit_usd",
];

/// The content of the page.
#[derive(Serialize)]
pub(super) struct Overview {
    version: &'static str,
    clock: ClockView,
    tables: [TableView; 7],
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
    rows: Vec<Vec<String>>,
    whole: Vec<Vec<String>>,
    total: usize,
}

/// A kind of fault with the names of its options.
#[derive(Serialize)]
struct FaultKindView {
    name: &'static str,
    options: &'static [&'static str],
}

/// Returns what the page shows. Reading it changes nothing that a client could notice.
pub(super) fn overview(service: &SandboxService) -> Overview {
    let (clock, [prices, bots, deals, grids]) = {
        let state = service.state_to_read();
        let clock = ClockView { now: timestamp(state.clock.now()), follows_wall_clock: state.clock.follows_wall() };
        (clock, [prices(&state), dca_bots(&state), deals(&state), grid_bots(&state)])
    };
    Overview {
        version: env!("CARGO_PKG_VERSION"),
        clock,
        tables: [prices, requests(service), bots, deals, grids, pending_faults(service), injected_faults(service)],
        operations: std::iter::once(ANY).chain(router::operations()).collect(),
        fault_kinds: FaultKind::all()
            .map(|kind| FaultKindView { name: kind.as_str(), options: kind.option_names() })
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
        Self { name, columns, total: items.count(), whole: rows.clone(), rows }
    }

    /// Returns the table with its figures rounded; amounts are in the currency `quote` if it is known.
    fn rounded(self, figures: &[&str], quote: Option<&str>) -> Self {
        let rounding = |column: &&str| {
            if figures.contains(column) { Rounding::of_figure(column, quote) } else { Rounding::Exact }
        };
        let figures = Figures::Columns(self.columns.iter().map(rounding).collect());
        Self { rows: figures.round(&self.whole), ..self }
    }

    fn of_records<'a>(
        name: &'static str,
        fields: &'static [&'static str],
        records: impl Iterator<Item = &'a JsonRecord> + Clone,
    ) -> Self {
        Self::new(name, fields, records, |record| fields.iter().map(|field| cell(record.get(*field))).collect())
    }
}

fn prices(state: &State) -> TableView {
    TableView::new("prices", &["pair", "price", "tick"], state.market.listings.iter(), |(pair, listing)| {
        vec![pair.clone(), listing.price.to_plain_string(), listing.tick.to_plain_string()]
    })
}

fn dca_bots(state: &State) -> TableView {
    let bots = state.store.dca_bots.values();
    let figures = ["finished_deals_profit_usd", "active_deals_usd_profit"];
    TableView::of_records("dca_bots", DCA_BOT_FIELDS, bots).rounded(&figures, None)
}

fn deals(state: &State) -> TableView {
    let deals = state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot));
    let pairs = deals.clone().filter_map(|deal| deal.get("pair")?.as_str());
    let quote =
        pairs.filter_map(|pair| common_quote([pair])).find(|quote| Rounding::money(Some(quote)) == Rounding::NUMBER);
    // Coins need more digits than the currencies that all other deals are in.
    let quote = quote.or_else(|| deals.clone().find_map(|deal| common_quote([deal.get("pair")?.as_str()?])));
    let figures = ["entry_price", "current_price", "take_profit_price", "stop_loss_price", "profit"];
    TableView::new("deals", DEAL_COLUMNS, deals, deal_row).rounded(&figures, quote)
}

fn deal_row(deal: &JsonRecord) -> Vec<String> {
    // A short deal begins with a sale.
    let is_short = deal.get("strategy").and_then(Value::as_str) == Some("short");
    let entry_price = if is_short { "sold_average_price" } else { "bought_average_price" };
    let fields = ["id", "bot_id", "bot_name", "pair", "status", entry_price, "current_price"];
    let more = ["take_profit_price", "stop_loss_price", "completed_safety_orders_count", "actual_profit"];
    fields.into_iter().chain(more).map(|field| cell(deal.get(field))).collect()
}

fn grid_bots(state: &State) -> TableView {
    let figures = ["current_price", "current_profit_usd"];
    TableView::of_records("grid_bots", GRID_BOT_FIELDS, state.store.grid_bots.values()).rounded(&figures, None)
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
