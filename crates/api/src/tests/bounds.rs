//! The bounds of inputs.

use crate::dca_bots::{DcaBotEdit, DcaBotInputs};
use botdesk_schema::input::InputName;

fn bounds(input: InputName) -> [Option<(&'static str, bool)>; 2] {
    let bounds = DcaBotEdit::INPUTS.get(input).unwrap().bounds();
    bounds.map(|bound| bound.map(|bound| (bound.value, bound.is_inclusive)))
}

#[test]
fn an_input_has_the_bounds_of_its_rules() {
    for (input, least, most) in [
        (DcaBotInputs::max_safety_orders, Some(("0", true)), Some(("200", true))),
        (DcaBotInputs::close_deals_timeout, Some(("60", true)), None),
        (DcaBotInputs::min_price_percentage, Some(("-95", false)), Some(("1000", false))),
        (DcaBotInputs::min_profit_percentage, None, None),
        (DcaBotEdit::name, None, None),
    ] {
        assert_eq!(bounds(input), [least, most], "{input:?}");
    }
}

#[test]
fn own_rules_set_bounds_too() {
    assert_eq!(bounds(DcaBotInputs::base_order_volume), [Some(("0", false)), None]);
    assert_eq!(bounds(DcaBotInputs::trailing_deviation), [Some(("0", true)), Some(("100", false))]);
}
