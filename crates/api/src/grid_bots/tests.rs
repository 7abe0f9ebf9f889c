//! The rule about the two prices of a grid.

use serde_json::json;

use super::*;
use botdesk_schema::values::Field;

#[test]
fn the_upper_price_is_above_the_lower_price() {
    let violation = |upper: &str| {
        let given = [(GridBotEdit::upper_price, upper), (GridBotEdit::lower_price, "100")];
        let given = given.map(|(input, price)| (input, Field::Value(json!(price))));
        let found = upper_above_lower(&RequestBuilder::new(GridBotEdit::INPUTS, given));
        found.map(|violation| format!("{}: {}", violation.field, violation.plain_message()))
    };
    assert_eq!(violation("100.00000001"), None);
    for upper in ["100", "99.99999999"] {
        let message = format!("upper_price: must be above lower_price (100), not {upper}");
        assert_eq!(violation(upper), Some(message));
    }
}
