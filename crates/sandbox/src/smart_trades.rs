//! The operations on SmartTrades.

use super::defaults::object;
use super::random::Random;
use super::record::{JsonRecord, string};
use super::record_type::RecordType;
use super::resource::{Resource, table};
use super::route::{Handler, RequestParams};
use super::seed::{SeedOptions, SeedRecords};
use super::state::State;
use botdesk_api::smart_trades::ReduceFundsInfo;
use botdesk_schema::record::Record as _;
use botdesk_schema::row::FieldSpec;
use botdesk_schema::values::{Integer, Text};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The ids and statuses of the initial state. The API reference documents only the status `waiting_targets`.
const SEEDED: [(u64, &str); 4] = [(301, WAITING), (302, "created"), (303, WAITING), (304, "finished")];

/// The SmartTrades.
pub(super) struct SmartTrades;

impl Resource for SmartTrades {
    table!(smart_trades);

    fn record(&self) -> RecordType {
        RecordType::of_rows("SmartTrade", "a SmartTrade", ROWS)
    }

    fn handlers(&self) -> &'static [(&'static str, Handler)] {
        &[("reduce_funds_info", reduce_funds_info)]
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        for (id, status) in SEEDED {
            let mut random = Random::new(options.seed, id);
            let reducible = format!("{}.{:08}", random.between(0, 40), random.between(1, 99_999_999));
            let mut trade = self.template();
            trade.extend(object! { "id": id, "status": status, "max_reduce_funds_amount": reducible });
            records.store.smart_trades.insert(id, trade);
        }
    }
}

const STATUS: FieldSpec = FieldSpec::of::<Text>("status").sample("\"waiting_targets\"");

/// The documented fields of a SmartTrade that are not part of `ReduceFundsInfo`.
const OWN_FIELDS: &[FieldSpec] = &[FieldSpec::of::<Integer>("id"), STATUS];

/// All fields of a SmartTrade.
const ROWS: &[&[FieldSpec]] = &[OWN_FIELDS, ReduceFundsInfo::ROWS];

/// The status in which funds can be reduced.
const WAITING: &str = "waiting_targets";

fn reduce_funds_info(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let trade = params.id().and_then(|id| state.store.smart_trades.get(&id)).ok_or_else(|| params.not_found())?;
    if string(trade, STATUS.name) != WAITING {
        return Err(ApiError::reduce_funds_not_allowed());
    }
    let info = ReduceFundsInfo::ROWS.iter().filter_map(|row| Some((row.wire.to_owned(), trade.get(row.wire)?.clone())));
    Ok(SerializedBody::serialize(&info.collect::<JsonRecord>()))
}
