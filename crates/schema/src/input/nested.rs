//! Inputs inside of inputs, to any depth: an object, or a list of objects, with inputs and rules of its own.

use serde_json::{Map, Value};

use super::input_type::excerpt;
use super::name::InputName;
use super::table::{Audience, Input, Inputs, RequestBuilder, unknown};
use super::violation::Violation;
use crate::values::Field;

impl Inputs {
    /// Converts an object to the form in which it is sent, or returns the violations by it; `path` is where it is in its request.
    pub(super) fn accept_object(
        &'static self,
        given: Value,
        path: &str,
        audience: Audience,
    ) -> Result<Value, Vec<Violation>> {
        let Value::Object(members) = given else {
            let message = format!("must be {}, not {}", self.object(audience), excerpt(&given, audience));
            return Err(vec![Violation::new(path, message)]);
        };
        let (request, mut violations) = self.nested(members, audience);
        violations.extend(request.type_errors.iter().cloned());
        if violations.is_empty() { Ok(request.into_object()) } else { Err(within(path, violations)) }
    }

    /// Converts a list of objects to the form in which it is sent, or returns the violations by it.
    pub(super) fn accept_objects(
        &'static self,
        given: Value,
        path: &str,
        audience: Audience,
    ) -> Result<Value, Vec<Violation>> {
        let Value::Array(elements) = given else {
            let message = format!("must be {}, not {}", self.objects(audience), excerpt(&given, audience));
            return Err(vec![Violation::new(path, message)]);
        };
        let (mut accepted, mut violations) = (Vec::with_capacity(elements.len()), Vec::new());
        for (place, element) in elements.into_iter().enumerate() {
            match self.accept_object(element, &format!("{path}[{place}]"), audience) {
                Ok(element) => accepted.push(element),
                Err(found) => violations.extend(found),
            }
        }
        if violations.is_empty() { Ok(Value::Array(accepted)) } else { Err(violations) }
    }

    /// Returns the violations of the rules inside of an accepted object, or of each object of a list.
    pub(super) fn violations_inside(&'static self, accepted: &Value, path: &str, audience: Audience) -> Vec<Violation> {
        match accepted {
            Value::Object(members) => within(path, self.nested(members.clone(), audience).0.violations_of_object()),
            Value::Array(elements) => {
                let each = elements.iter().enumerate();
                each.flat_map(|(place, element)| self.violations_inside(element, &format!("{path}[{place}]"), audience))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Describes an object with these inputs in the terms of the reader.
    pub(super) fn object(&self, audience: Audience) -> String {
        let members: Vec<_> = self.rows.iter().map(|row| row.name).collect();
        match audience {
            Audience::Python => format!("a dict with {}", members.join(", ")),
            Audience::Http => format!("an object with {}", members.join(", ")),
        }
    }

    /// Describes a list of such objects in the terms of the reader.
    pub(super) fn objects(&self, audience: Audience) -> String {
        let members: Vec<_> = self.rows.iter().map(|row| row.name).collect();
        match audience {
            Audience::Python => format!("a list of dicts with {}", members.join(", ")),
            Audience::Http => format!("an array of objects with {}", members.join(", ")),
        }
    }

    /// Returns a builder with the members of an object, and the violations by unknown ones.
    fn nested(&'static self, members: Map<String, Value>, audience: Audience) -> (RequestBuilder, Vec<Violation>) {
        let (mut given, mut violations) = (Vec::with_capacity(members.len()), Vec::new());
        for (name, value) in members {
            match self.member(&name) {
                Some(row) if value.is_null() => given.push((row.key(), Field::Null)),
                Some(row) => given.push((row.key(), Field::Value(value))),
                None => violations.push(unknown(&name, self.nearest(&name), self.subject)),
            }
        }
        (self.builder(given, audience), violations)
    }

    fn builder(&'static self, given: Vec<(InputName, Field<Value>)>, audience: Audience) -> RequestBuilder {
        match audience {
            Audience::Python => RequestBuilder::new(self, given),
            Audience::Http => RequestBuilder::for_http(self, given),
        }
    }

    /// Returns the input with a name, in Python or in JSON.
    pub(super) fn member(&self, name: &str) -> Option<&'static Input> {
        self.rows.iter().find(|row| row.name == name || row.wires().any(|wire| wire == name))
    }
}

/// Returns violations with the path of the object that they are in.
fn within(path: &str, violations: Vec<Violation>) -> Vec<Violation> {
    let inside = |violation: Violation| Violation { field: format!("{path}.{}", violation.field), ..violation };
    violations.into_iter().map(inside).collect()
}

#[cfg(test)]
mod tests {
    #![allow(dead_code, unreachable_pub, reason = "the macro defines public tables with a name for each input")]

    use serde_json::json;

    use super::*;
    use crate::input::Rule::{Above, Between, Required, RequiredIfTrue};
    use crate::input::{Group, Groups};
    use crate::values::{Bool, Decimal, Integer};

    crate::inputs! {
        /// A price.
        Price of "a price" {
            /// The price.
            value: Decimal [Required, Above("0")];
        }
    }

    crate::inputs! {
        /// A target.
        Step of "a step" {
            /// Its price.
            price: Group<Price> [Required];
            /// Its share in percent.
            volume: Integer [Between("1", "100")];
        }
    }

    crate::inputs! {
        /// Targets.
        TakeProfit of "a take profit" {
            /// True if there is one.
            enabled: Bool [Required];
            /// The targets.
            steps: Groups<Step> [RequiredIfTrue(TakeProfit::enabled)];
        }
    }

    crate::inputs! {
        /// An order.
        Order of "an order", decimals as String {
            /// Its targets.
            take_profit: Group<TakeProfit> = "takeProfit";
        }
    }

    fn order(take_profit: Value) -> RequestBuilder {
        RequestBuilder::new(Order::INPUTS, [(Order::take_profit, Field::Value(take_profit))])
    }

    fn messages(take_profit: Value) -> Vec<String> {
        let found = order(take_profit).violations();
        found.into_iter().map(|found| format!("{}: {}", found.field, found.message)).collect()
    }

    #[test]
    fn inputs_nest_to_any_depth() {
        let steps = json!([{"price": {"value": "63000.50"}, "volume": 50}, {"price": {"value": 66000}}]);
        let request = order(json!({"enabled": true, "steps": steps}));
        assert_eq!(request.violations(), []);
        // Decimals have the JSON type of the table that they are in.
        assert_eq!(
            request.body(),
            r#"{"takeProfit":{"enabled":true,"steps":[{"price":{"value":63000.50},"volume":50},{"price":{"value":66000}}]}}"#
        );
    }

    #[test]
    fn each_violation_names_the_path_of_its_input() {
        let steps = json!([{"price": {"value": "0"}, "volume": 0}, {"volume": 50}, {"price": {"value": "much"}}]);
        let found = messages(json!({"enabled": true, "steps": steps}));
        let paths: Vec<_> = found.iter().filter_map(|message| message.split(": ").next()).collect();
        assert_eq!(paths, ["take_profit.steps[2].price.value"], "{found:?}");
        let steps = json!([{"price": {"value": "0"}, "volume": 0}, {"volume": 50}]);
        assert_eq!(
            messages(json!({"enabled": true, "steps": steps})),
            [
                "take_profit.steps[0].price.value: must be greater than 0, not 0",
                "take_profit.steps[0].volume: must be between 1 and 100, not 0",
                "take_profit.steps[1].price: is required",
            ]
        );
        assert_eq!(messages(json!({"enabled": true})), ["take_profit.steps: is required when enabled is true"]);
    }

    #[test]
    fn an_unknown_member_is_refused_with_the_nearest_name() {
        let found = messages(json!({"enabled": false, "step": []}));
        assert_eq!(found, ["take_profit.step: is not a field of a take profit; did you mean steps?"]);
    }

    #[test]
    fn a_value_that_is_no_object_is_refused() {
        assert_eq!(messages(json!(5)), ["take_profit: must be a dict with enabled, steps, not 5"]);
        let found = messages(json!({"enabled": true, "steps": {"price": 1}}));
        assert_eq!(found, [r#"take_profit.steps: must be a list of dicts with price, volume, not {"price":1}"#]);
    }

    #[test]
    fn the_schema_of_a_body_has_all_levels() {
        let schema = Order::INPUTS.schema();
        let price = "/properties/takeProfit/properties/steps/items/properties/price/properties/value/type/0";
        assert_eq!(schema.pointer(price), Some(&json!("number")));
        assert_eq!(schema.pointer("/properties/takeProfit/required"), Some(&json!(["enabled"])));
    }
}
