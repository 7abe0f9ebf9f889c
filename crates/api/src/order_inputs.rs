//! The inputs and the rules that SmartTrades and simple trades share.

use serde_json::Value;

use botdesk_schema::input::Rule::{Above, Own, Required};
use botdesk_schema::input::{InputName, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::pair;
use botdesk_schema::values::Decimal;

inputs! {
    /// The quantity of an order.
    QuantityInput of "a quantity", decimals as String {
        /// The quantity in the base currency.
        value: Decimal [Required, Own(&Above("0"))];
    }
}

inputs! {
    /// The limit price of an order.
    LimitInput of "a price", decimals as String {
        /// The price.
        value: Decimal [Required, Own(&Above("0"))];
    }
}

pub(super) fn is_enabled(part: Option<&Value>) -> bool {
    part.and_then(|part| part.get("enabled")) == Some(&Value::Bool(true))
}

/// Returns the violation by a limit order without a price.
pub(super) fn limit_price_is_given(request: &RequestBuilder, price: InputName, is_limit: bool) -> Option<Violation> {
    (is_limit && request.value(price).is_none())
        .then(|| price.violation("is required for a limit order, as {\"value\": \"2400\"}".to_owned()))
}

/// Returns the violation by a pair that is not written as quote and base. A pair is required anyway.
pub(super) fn pair_is_written_as_quote_and_base(request: &RequestBuilder) -> Option<Violation> {
    const PAIR: InputName = InputName::new("pair");
    let pair = request.value(PAIR)?.as_str().filter(|pair| !pair.is_empty())?;
    pair::problem(pair).map(|message| PAIR.violation(message))
}
