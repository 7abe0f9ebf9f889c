//! The rule about the two prices of a grid, and the lists that come in pages.

use serde_json::json;

use super::*;
use crate::samples::operation;
use botdesk_schema::operation::Operation;
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

#[test]
fn only_lists_of_records_with_inputs_for_a_page_are_iterated() {
    let iterator = |name: &str| Some(operation(name)).filter(|row| row.is_paged()).map(Operation::iterator);
    assert_eq!(iterator("grid_bots.list").as_deref(), Some("iter"));
    assert_eq!(iterator("grid_bots.events").as_deref(), Some("iter_events"));
    for name in ["grid_bots.profits", "grid_bots.orders", "grid_bots.get"] {
        assert_eq!(iterator(name), None, "{name}");
    }
    assert!(operation("grid_bots.list").is_list() && !operation("grid_bots.events").is_list());
    for (name, ends_empty) in [("grid_bots.events", true), ("smart_trades.list", true), ("grid_bots.list", false)] {
        assert_eq!(operation(name).ends_empty, ends_empty, "{name}");
    }
}
