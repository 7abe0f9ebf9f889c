//! Conversions of small balances to BNB.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::account_sales::{hold, rounded_down};
use super::balance::Balance;
use super::balances::usd_price;
use super::clock::later;
use super::defaults::object;
use super::exchanges::ExchangeType;
use super::funds::Amounts;
use super::inputs;
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::accounts::DustConversionInputs;
use botdesk_schema::decimal;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::rounding::quotient;

/// The currency to which balances are converted.
const BNB: &str = "BNB";

/// The time between two conversions of an account.
const PAUSE: SignedDuration = SignedDuration::from_hours(6);

/// The fee, as a fraction of the amount received.
const FEE: &str = "0.02";

/// The number before the first identifier of a transaction, which has twelve digits.
const FIRST_TRANSACTION: i64 = 130_000_000_000;

/// The conversion of a balance.
struct Transfer {
    code: String,
    amount: BigDecimal,
    received: BigDecimal,
    fee: BigDecimal,
}

/// Converts the free balances of the named currencies.
pub(super) fn convert_dust_to_bnb(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, account) = params.record_in(&state.store.accounts)?;
    let exchange = ExchangeType::of_code(string(account, "market_code"));
    if exchange.is_none_or(|exchange| !exchange.converts_dust) {
        return Err(params.error(403));
    }
    let request = inputs::validated(DustConversionInputs::INPUTS, params)?;
    let now = state.clock.now();
    if state.dust_conversions.get(&id).is_some_and(|last| now < later(*last, PAUSE)) {
        return Err(ApiError::dust_limit());
    }
    let codes = request.elements(DustConversionInputs::codes);
    let codes: Vec<_> = codes.iter().filter_map(Value::as_str).collect();
    let mut balances = state.exchange_balances(id);
    let transfers = transfers(state, &mut balances, &codes);
    let transfers = transfers.ok_or_else(|| ApiError::invalid_field("codes", "is invalid"))?;
    let mut moved: Amounts = transfers.iter().map(|transfer| (transfer.code.as_str(), -&transfer.amount)).collect();
    moved.add(BNB, transfers.iter().map(|transfer| &transfer.received).sum());
    state.post(Some(id), &moved);
    let converted = state.ledger(id);
    hold(state, id, converted);
    let now = state.clock.now();
    state.dust_conversions.insert(id, now);
    Ok(SerializedBody::serialize(&record(&transfers, now)))
}

/// Takes the free balances of the named currencies out; None if there are none, or one that can't be converted.
fn transfers(state: &State, balances: &mut [Balance], codes: &[&str]) -> Option<Vec<Transfer>> {
    let price = usd_price(BNB, &state.market);
    let with_fee = decimal::constant("1") + decimal::constant(FEE);
    let transfer = |code: &&str| {
        let balance = balances.iter_mut().find(|balance| balance.code == *code && *code != BNB)?;
        let amount = std::mem::replace(&mut balance.free, BigDecimal::zero());
        let usd = &amount * usd_price(&balance.code, &state.market);
        let received = rounded_down(&quotient(&usd, &(&price * &with_fee))?);
        let fee = rounded_down(&(&received * decimal::constant(FEE)));
        (!amount.is_zero()).then_some(Transfer { code: balance.code.clone(), amount, received, fee })
    };
    let transfers: Vec<_> = codes.iter().map(transfer).collect::<Option<_>>()?;
    (!transfers.is_empty()).then_some(transfers)
}

fn record(transfers: &[Transfer], now: Timestamp) -> JsonRecord {
    let plain = |amount: &BigDecimal| amount.normalized().to_plain_string();
    let first = FIRST_TRANSACTION.saturating_add(now.as_second().rem_euclid(1_000_000_000));
    let result = transfers.iter().zip(0_i64..).map(|(transfer, index)| {
        Value::Object(object! {
            "tranId": first.saturating_add(index),
            "fromAsset": transfer.code.as_str(),
            "amount": plain(&transfer.amount),
            "transferedAmount": plain(&transfer.received),
            "serviceChargeAmount": plain(&transfer.fee),
            "operateTime": now.as_millisecond(),
        })
    });
    let total = |part: fn(&Transfer) -> &BigDecimal| plain(&transfers.iter().map(part).sum());
    object! {
        "totalTransfered": total(|transfer| &transfer.received),
        "totalServiceCharge": total(|transfer| &transfer.fee),
        "transferResult": result.collect::<Vec<_>>(),
    }
}
