//! Strategies that open and close deals.

use serde_json::Value;

use botdesk_schema::input::{Audience, ListedObject, Objects, excerpt};
use botdesk_schema::record;
use botdesk_schema::record::Record as _;
use botdesk_schema::values::{Bool, List, Object, Text};

record! {
    /// A strategy that opens or closes deals, or places safety orders.
    Strategy {
        /// Code of the strategy, such as `nonstop`, `manual`, `qfl`, `trading_view` or `rsi`.
        strategy: Text, in_repr;
        /// Settings of the strategy.
        options: Object, in_repr, sample({});
    }
}

record! {
    /// A strategy that can be used, and the settings that it takes.
    StrategyDescription {
        /// Name of the strategy, to show.
        name: Text, in_repr;
        /// Kind of the strategy, such as `signal` or `indicator`.
        strategy_type: Text, in_repr, sample("signal");
        /// True if the strategy needs a paid plan.
        payed: Bool;
        /// True if the strategy is in beta.
        beta: Bool;
        /// Settings of an indicator: for each either its values with their labels, or None for any number.
        options: Object, unlisted;
        /// Classes of the accounts that may use an indicator.
        accounts_whitelist: List<Text>, unlisted;
    }
}

impl ListedObject for Strategy {
    const OBJECTS: &'static Objects =
        &Objects { record: Self::SPEC, noun: "strategy", members: &[], unsent: &[], problem: strategy_problem };
}

/// The strategy whose options may be in a separate object.
const NONSTOP: &str = "nonstop";

fn strategy_problem(element: &Value, list: &[Value]) -> Option<String> {
    let has_code = code(element).is_some_and(|code| !code.is_empty());
    let has_nonstop = || list.iter().any(|other| code(other) == Some(NONSTOP));
    let is_well_formed = has_code || is_options_only(element) && has_nonstop();
    (!is_well_formed).then(|| {
        // The syntax of an object is the same in Python and JSON.
        let example = r#"{"strategy": "manual"}"#;
        format!(
            "each strategy needs its code as a string, such as {example}; {} has none",
            excerpt(element, Audience::Http)
        )
    })
}

fn code(strategy: &Value) -> Option<&str> {
    strategy.get("strategy")?.as_str()
}

fn is_options_only(strategy: &Value) -> bool {
    let is_alone = strategy.as_object().is_some_and(|members| members.len() == 1);
    is_alone && strategy.get("options").is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn strategies(list: &Value) -> Vec<String> {
        let list = list.as_array().unwrap();
        list.iter().filter_map(|element| strategy_problem(element, list)).collect()
    }

    #[test]
    fn a_strategy_needs_its_code() {
        for list in [
            json!([]),
            json!([{"strategy": "manual"}]),
            json!([{"strategy": "rsi", "options": {"points": 30}, "new": 1}]),
            json!([{"strategy": "nonstop"}, {"options": {}}]),
            json!([{"strategy": "nonstop", "options": {}}]),
        ] {
            assert_eq!(strategies(&list), Vec::<String>::new(), "{list}");
        }
        for element in [json!({}), json!({"strategy": 5}), json!({"strategy": ""}), json!({"options": {}})] {
            let shown = element.to_string();
            let message = format!(
                r#"each strategy needs its code as a string, such as {{"strategy": "manual"}}; {shown} has none"#
            );
            assert_eq!(strategies(&json!([{"strategy": "rsi"}, element])), [message]);
        }
    }

    #[test]
    fn only_the_options_of_nonstop_may_stand_alone() {
        for list in [
            json!([{"strategy": "rsi"}, {"options": {}}]),
            json!([{"strategy": "nonstop"}, {"options": 5}]),
            json!([{"strategy": "nonstop"}, {"options": {}, "strategy": null}]),
        ] {
            assert_eq!(strategies(&list).len(), 1, "{list}");
        }
    }
}
