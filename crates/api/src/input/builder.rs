//! The builder of a request, from the caller's inputs and the values carried over from a record.

use std::collections::BTreeSet;
use std::slice;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::encoding;
use super::input_type::{Audience, excerpt_of};
use super::same::is_same_number_or_value;
use super::{Input, InputKey, InputName, InputType, Inputs, Violation};
use crate::decimal;
use crate::json::Json;
use crate::record::Fields;
use crate::values::Field;

#[derive(Clone, Debug, Default)]
struct InputSetting {
    value: Field<Value>,
    changed: bool,
}

/// A request that is being built from the caller's inputs and the values carried over from a record.
#[derive(Clone, Debug)]
pub struct RequestBuilder {
    pub(super) inputs: &'static Inputs,
    settings: Vec<InputSetting>,
    record: Option<Fields>,
    /// The inputs that can't be sent at all.
    unsendable: Vec<Violation>,
    /// The inputs whose values have the wrong type.
    pub(super) type_errors: Vec<Violation>,
    /// The reader of the violations.
    pub(super) audience: Audience,
}

impl RequestBuilder {
    /// Returns a builder with the caller's inputs.
    pub fn new(inputs: &'static Inputs, given: impl IntoIterator<Item = (InputName, Field<Value>)>) -> Self {
        Self::with_audience(inputs, given, Audience::Python)
    }

    /// Returns a builder with the inputs of an HTTP request; its violations use the terms of JSON.
    pub fn for_http(inputs: &'static Inputs, given: impl IntoIterator<Item = (InputName, Field<Value>)>) -> Self {
        Self::with_audience(inputs, given, Audience::Http)
    }

    fn with_audience(
        inputs: &'static Inputs,
        given: impl IntoIterator<Item = (InputName, Field<Value>)>,
        audience: Audience,
    ) -> Self {
        let settings = vec![InputSetting::default(); inputs.rows.len()];
        let mut request =
            Self { inputs, settings, record: None, unsendable: Vec::new(), type_errors: Vec::new(), audience };
        for (name, value) in given {
            request.give(name, value);
        }
        for (index, input) in inputs.rows.iter().enumerate() {
            if let Some(number) = input.default().filter(|_| request.is_absent(index)) {
                request.set_derived(index, number.into());
            }
        }
        request
    }

    /// Returns the builder with the caller's inputs that can't be sent at all.
    #[must_use]
    pub fn with_unsendable(mut self, violations: Vec<Violation>) -> Self {
        self.unsendable = violations;
        self
    }

    /// Fills in every input that the caller left out and the record has.
    ///
    /// Null fields are left out, because a service may reject a null that it returned itself.
    #[must_use]
    pub fn carry_over(mut self, record: &Fields) -> Self {
        self.record = Some(record.clone());
        for (index, input) in self.inputs.rows.iter().enumerate() {
            self.carry(index, input, record);
        }
        self.inputs.derive(&mut self);
        self
    }

    /// Returns a field of the record that the request changes.
    pub fn record_value(&self, wire: &str) -> Option<Json<'_>> {
        self.record.as_ref()?.value(wire)
    }

    /// Returns the fields of the record that the request changes.
    pub(super) fn record(&self) -> Option<&Fields> {
        self.record.as_ref()
    }

    /// Returns the inputs of the operation.
    pub fn inputs(&self) -> &'static Inputs {
        self.inputs
    }

    /// Returns each input, its value, and true if the caller sets it.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static Input, &Field<Value>, bool)> {
        let settings = self.inputs.rows.iter().zip(&self.settings);
        settings.map(|(input, setting)| (input, &setting.value, setting.changed))
    }

    /// Returns true if the caller sets no input.
    pub fn is_empty(&self) -> bool {
        self.unsendable.is_empty() && self.settings.iter().all(|setting| !setting.changed)
    }

    /// Returns true if the caller sets an input.
    pub fn is_given(&self, key: impl InputKey) -> bool {
        self.setting(key).is_some_and(|setting| setting.changed)
    }

    /// Returns true if the caller changes an input. A value that the record already has is not a change.
    pub(super) fn is_changed(&self, key: impl InputKey) -> bool {
        self.is_given(key) && !self.is_unchanged(key)
    }

    /// Returns the value of an input as it would be sent.
    pub fn value(&self, key: impl InputKey) -> Option<&Value> {
        match &self.setting(key)?.value {
            Field::Value(value) => Some(value),
            Field::Absent | Field::Null => None,
        }
    }

    /// Returns the value of an input as a number.
    pub fn number(&self, key: impl InputKey) -> Option<BigDecimal> {
        decimal::of(self.value(key)?)
    }

    /// Returns true if an input is the boolean true.
    pub fn is_true(&self, key: impl InputKey) -> bool {
        self.value(key) == Some(&Value::Bool(true))
    }

    /// Returns the elements of an input that is a list.
    pub fn elements(&self, key: impl InputKey) -> &[Value] {
        self.value(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the caller left an input out and no record filled it in.
    pub fn is_absent(&self, key: impl InputKey) -> bool {
        self.setting(key).is_none_or(|setting| setting.value == Field::Absent)
    }

    /// Sets an input that follows from others.
    pub fn set_derived(&mut self, key: impl InputKey, value: Value) {
        if let Some(setting) = self.setting_mut(key) {
            setting.value = Field::Value(value);
        }
    }

    /// Removes an input, as if the caller had not set it.
    pub(super) fn remove(&mut self, key: impl InputKey) {
        if let Some(setting) = self.setting_mut(key) {
            *setting = InputSetting::default();
        }
    }

    /// Returns all violations, in the order of the inputs.
    ///
    /// Required inputs are always checked. The other rules are checked only for inputs that the caller changes: the service has
    /// already accepted the values of the record.
    pub fn violations(&self) -> Vec<Violation> {
        self.with_violations_across_fields(self.violations_of(|_| true))
    }

    /// Returns the violations by the caller's own inputs and by combinations of them, for a request without a record.
    pub fn violations_without_record(&self) -> Vec<Violation> {
        self.with_violations_across_fields(self.violations_of_changes())
    }

    /// Adds the violations of rules across fields, and sorts all by input.
    fn with_violations_across_fields(&self, mut violations: Vec<Violation>) -> Vec<Violation> {
        let changed = |name: &InputName| self.is_changed(*name);
        let fits = |name: &InputName| self.type_errors.iter().all(|violation| violation.field != name.as_str());
        let together = self.inputs.cross_field_rules().into_iter();
        let together = together.filter(|rule| rule.inputs.iter().any(changed) && rule.inputs.iter().all(fits));
        violations.extend(together.filter_map(|rule| {
            let violation = (rule.check)(self)?;
            Some(if rule.is_own { violation.own() } else { violation })
        }));
        violations.sort_by_key(|violation| self.inputs.rows.iter().position(|row| row.name == violation.field));
        violations
    }

    /// Returns the violations by the caller's own inputs, which hold for any record.
    pub fn violations_of_changes(&self) -> Vec<Violation> {
        self.violations_of(|index| self.is_given(index))
    }

    /// Returns the inputs that can't be sent, whatever the rules are.
    pub fn unsendable(&self) -> Vec<Violation> {
        self.unsendable.clone()
    }

    /// Returns the inputs that can't be sent or have the wrong type.
    pub fn type_violations(&self) -> Vec<Violation> {
        self.unsendable.iter().chain(&self.type_errors).cloned().collect()
    }

    fn violations_of(&self, is_looked_at: impl Fn(usize) -> bool) -> Vec<Violation> {
        let mut violations = self.type_violations();
        let refused: BTreeSet<String> = violations.iter().map(|violation| violation.field.clone()).collect();
        let rows = self.inputs.rows.iter().enumerate();
        for (index, input) in rows.filter(|(index, input)| is_looked_at(*index) && !refused.contains(input.name)) {
            // A missing input is reported only once.
            let found = input.rules.iter().find_map(|rule| rule.violation(self, index));
            violations.extend(found.or_else(|| self.malformed(input, index)));
        }
        violations
    }

    /// Returns the violation by malformed elements of a list. Elements that the record already has are accepted.
    fn malformed(&self, input: &Input, index: usize) -> Option<Violation> {
        const MAX_SHOWN: usize = 5;
        let list = elements(self.value(index).filter(|_| self.is_changed(index))?);
        let current = self.record_value(input.wire).and_then(Json::to_value);
        let current = current.as_ref().map_or(&[] as &[Value], elements);
        let is_new = |element: &&Value| !current.iter().any(|other| is_same_number_or_value(other, element));
        let problems = list.iter().filter(is_new).filter_map(|element| input.form.problem(element, list));
        let doubles = list.iter().enumerate().filter(|(place, pair)| {
            input.form == InputType::Pairs && list.iter().take(*place).any(|other| other == *pair)
        });
        let doubles = doubles.map(|(_, pair)| format!("{pair} is listed twice"));
        let problems: Vec<_> = problems.chain(doubles).take(MAX_SHOWN).collect();
        (!problems.is_empty()).then(|| Violation::new(input.name, problems.join("; ")))
    }

    /// Returns the values of secret inputs.
    pub fn secrets(&self) -> Vec<String> {
        let secret = self.sent().filter(|(input, _)| input.is_secret());
        secret.filter_map(|(_, value)| value?.as_str().map(str::to_owned)).collect()
    }

    /// Returns the JSON body, in ASCII.
    pub fn body(&self) -> String {
        encoding::body(self.sent(), self.inputs.decimals)
    }

    /// Returns the percent-encoded query string; None if it would be empty.
    pub fn query(&self) -> Option<String> {
        encoding::query(self.sent())
    }

    fn sent(&self) -> impl Iterator<Item = (&'static Input, Option<&Value>)> {
        self.settings().filter_map(|(input, value, _)| match value {
            Field::Absent => None,
            Field::Null => Some((input, None)),
            Field::Value(value) => Some((input, Some(value))),
        })
    }

    fn setting(&self, key: impl InputKey) -> Option<&InputSetting> {
        self.settings.get(key.place(self.inputs)?)
    }

    fn setting_mut(&mut self, key: impl InputKey) -> Option<&mut InputSetting> {
        self.settings.get_mut(key.place(self.inputs)?)
    }

    fn give(&mut self, name: InputName, given: Field<Value>) {
        let Some((input, setting)) =
            name.place(self.inputs).and_then(|place| self.inputs.rows.get(place).zip(self.settings.get_mut(place)))
        else {
            return;
        };
        setting.changed = given != Field::Absent;
        setting.value = match given {
            Field::Value(value) => match input.form.accept(value.clone(), self.audience) {
                Ok(value) => Field::Value(value),
                Err(message) => {
                    let message = if input.is_secret() { input.form.secret_rejection(self.audience) } else { message };
                    self.type_errors.push(Violation::new(input.name, message));
                    Field::Value(value)
                }
            },
            other => other,
        };
    }

    fn carry(&mut self, index: usize, input: &Input, record: &Fields) {
        let Some(json) = record.value(input.wire).filter(|json| !json.is_null()) else {
            return;
        };
        if !self.is_absent(index) || !input.rules.iter().all(|rule| rule.carries(self, json)) {
            return;
        }
        match input.form.carry(json) {
            Some(value) => self.set_derived(index, value),
            // The sandbox keeps the value that it has.
            None if self.audience == Audience::Http => {}
            // Without the input, the service might reset the field to its default and remove a stop loss or take-profit steps.
            None => self.type_errors.push(Violation::new(
                input.name,
                format!(
                    "the record holds {}, which can't be sent back; pass it as well",
                    excerpt_of(json, self.audience)
                ),
            )),
        }
    }
}

/// Returns the elements of a list; a single value is a list of one.
pub(super) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(slice::from_ref(value), Vec::as_slice)
}

#[cfg(test)]
mod tests {

    use serde_json::json;

    use super::*;
    use crate::accounts::AccountAdd;
    use crate::dca_bots::{DcaBotEdit, DcaBotList};
    use crate::record::Record;
    use crate::samples::dca_bot as bot;

    fn edit<const N: usize>(given: [(InputName, Field<Value>); N]) -> RequestBuilder {
        RequestBuilder::new(DcaBotEdit::INPUTS, given.map(|(input, value)| (input, value)))
    }

    fn rename() -> RequestBuilder {
        edit([(DcaBotEdit::name, Field::Value("Calm".into()))])
    }

    fn body(request: &RequestBuilder) -> Value {
        serde_json::from_str(&request.body()).unwrap()
    }

    #[test]
    fn an_edit_sends_the_changes_and_the_other_fields_of_the_record() {
        let bot = bot(&json!({"id": 41, "cooldown": 300, "tsl_enabled": "true", "url_secret": "s"}));
        let request = rename().carry_over(bot.fields());
        assert_eq!(request.violations(), []);
        let expected = json!({
            "name": "Calm",
            "pairs": "USDT_ETH",
            "base_order_volume": "80.0",
            "take_profit": "1.5",
            "safety_order_volume": "30.0",
            "martingale_volume_coefficient": "1.7",
            "martingale_step_coefficient": "2.0",
            "max_safety_orders": 3,
            "active_safety_orders_count": 1,
            "cooldown": "300",
            "safety_order_step_percentage": "1.0",
            "take_profit_type": "total",
            "strategy_list": [{"strategy": "nonstop", "options": {}}],
            "tsl_enabled": true,
        });
        assert_eq!(body(&request), expected);
    }

    #[test]
    fn inputs_have_the_order_of_the_api_reference() {
        let request = edit([
            (DcaBotEdit::close_deals_timeout, Field::Value(60.into())),
            (DcaBotEdit::name, Field::Value("Calm".into())),
        ]);
        assert_eq!(request.body(), r#"{"name":"Calm","close_deals_timeout":60}"#);
    }

    #[test]
    fn null_fields_of_the_record_are_not_sent() {
        let bot = bot(&json!({"min_profit_percentage": null, "trailing_enabled": null}));
        let sent = body(&rename().carry_over(bot.fields()));
        assert_eq!((sent.get("min_profit_percentage"), sent.get("trailing_enabled")), (None, None));
    }

    #[test]
    fn an_explicit_none_is_sent_and_not_replaced_by_the_record() {
        let bot = bot(&json!({"close_deals_timeout": 60}));
        let request = edit([(DcaBotEdit::close_deals_timeout, Field::Null)]).carry_over(bot.fields());
        assert_eq!(body(&request)["close_deals_timeout"], Value::Null);
        assert!(request.body().contains("close_deals_timeout"));
    }

    #[test]
    fn a_required_field_that_cannot_be_sent_back_is_reported_as_missing() {
        let bot = bot(&json!({"base_order_volume": "NaN"}));
        let message = "the record holds \"NaN\", which can't be sent back; pass it as well";
        let asked = Violation::new("base_order_volume", message);
        assert_eq!(rename().carry_over(bot.fields()).violations(), [asked]);
        let given = edit([(DcaBotEdit::base_order_volume, Field::Value("5".into()))]);
        assert_eq!(given.carry_over(bot.fields()).violations(), []);
    }

    #[test]
    fn an_undocumented_value_is_sent_only_if_the_caller_passes_it() {
        let bot = bot(&json!({"account_id": 1001}));
        assert_eq!(body(&rename().carry_over(bot.fields())).get("account_id"), None);
        let other = edit([(DcaBotEdit::account_id, Field::Value(1002.into()))]).carry_over(bot.fields());
        assert_eq!(body(&other)["account_id"], 1002);
    }

    #[test]
    fn a_field_that_cannot_be_sent_back_must_be_passed() {
        let message = "the record holds \"NaN\", which can't be sent back; pass it as well";
        let request = rename().carry_over(bot(&json!({"cooldown": "NaN"})).fields());
        assert_eq!(request.violations(), [Violation::new("cooldown", message)]);
    }

    #[test]
    fn a_service_keeps_a_field_that_cannot_be_sent_back() {
        let rename = [(DcaBotEdit::name, Field::Value("Calm".into()))];
        let request = RequestBuilder::for_http(DcaBotEdit::INPUTS, rename);
        let request = request.carry_over(bot(&json!({"cooldown": "NaN"})).fields());
        assert_eq!(request.violations(), []);
        assert!(request.is_absent(DcaBotEdit::cooldown));
    }

    #[test]
    fn the_current_value_may_be_passed_although_edits_reject_it() {
        let bot = bot(&json!({"leverage_type": "not_specified"}));
        let echo = || edit([(DcaBotEdit::leverage_type, Field::Value("not_specified".into()))]);
        let request = echo().accept_echoes(bot.fields()).carry_over(bot.fields());
        assert_eq!(request.violations(), []);
        assert_eq!(body(&request).get("leverage_type"), None);
        assert_eq!(echo().carry_over(bot.fields()).violations().len(), 1);
    }

    #[test]
    fn an_unsendable_value_is_reported_even_without_validation() {
        let refused = Violation::new("max_active_deals", "is not a number");
        let request = edit([(DcaBotEdit::cooldown, Field::Value("-1".into()))]).with_unsendable(vec![refused.clone()]);
        assert_eq!(request.unsendable(), slice::from_ref(&refused));
        let wrong = [refused, Violation::new("cooldown", "must be between 0 and 2592000, not -1")];
        assert_eq!(request.violations_of_changes(), wrong);
    }

    #[test]
    fn a_request_is_empty_until_the_caller_passes_a_value_even_none() {
        assert!(edit([]).is_empty());
        assert!(edit([(DcaBotEdit::cooldown, Field::Absent)]).carry_over(bot(&json!({})).fields()).is_empty());
        assert!(!edit([(DcaBotEdit::cooldown, Field::Null)]).is_empty());
        assert!(!edit([]).with_unsendable(vec![Violation::new("cooldown", "is not a number")]).is_empty());
    }

    #[test]
    fn a_value_of_the_wrong_type_is_reported_once() {
        let request = edit([(DcaBotEdit::take_profit_type, Field::Value("most".into()))]);
        let request = request.carry_over(bot(&json!({})).fields());
        assert_eq!(
            request.violations(),
            [Violation::new("take_profit_type", "must be one of base, total, not \"most\"")]
        );
    }

    #[test]
    fn rules_about_several_inputs_are_checked_if_one_of_them_changes() {
        let bot = bot(&json!({"stop_loss_percentage": "6.5"}));
        assert_eq!(rename().carry_over(bot.fields()).violations(), []);
        let orders = |count: u64| edit([(DcaBotEdit::max_safety_orders, Field::Value(count.into()))]);
        let message = "must be below the last safety order, so more than 15 %, not 6.5 %";
        let violation = Violation::new("stop_loss_percentage", message);
        assert_eq!(orders(4).carry_over(bot.fields()).violations(), [violation]);
        // Setting the value that the record already has is not a change.
        assert_eq!(orders(3).carry_over(bot.fields()).violations(), []);
    }

    #[test]
    fn the_current_value_of_the_record_is_accepted() {
        let record = json!({"close_deals_timeout": 5, "cooldown": "-1.0", "pairs": ["usdt_eth"]});
        let bot = bot(&record);
        let set = |timeout: u64, cooldown: &str| {
            let given = [
                (DcaBotEdit::close_deals_timeout, Field::Value(timeout.into())),
                (DcaBotEdit::cooldown, Field::Value(cooldown.into())),
                (DcaBotEdit::pairs, Field::Value("usdt_eth".into())),
            ];
            edit(given).carry_over(bot.fields()).violations().len()
        };
        assert_eq!((set(5, "-1"), set(6, "-1"), set(6, "-1.1")), (0, 1, 2));
    }

    #[test]
    fn the_current_choice_of_the_record_is_accepted_on_demand() {
        let bot = bot(&json!({"leverage_type": "not_specified"}));
        let given = |leverage: &str| [(DcaBotEdit::leverage_type, Field::Value(leverage.into()))];
        let set = |leverage: &str| RequestBuilder::for_http(DcaBotEdit::INPUTS, given(leverage));
        let record = bot.fields();
        assert_eq!(set("not_specified").carry_over(record).violations().len(), 1);
        let accepted = set("not_specified").accept_echoes(record).carry_over(record);
        assert_eq!((accepted.violations(), accepted.is_unchanged(DcaBotEdit::leverage_type)), (vec![], true));
        assert_eq!(set("unlimited").accept_echoes(record).carry_over(record).violations().len(), 1);
    }

    #[test]
    fn each_malformed_pair_is_reported_with_its_spelling() {
        let request = edit([(DcaBotEdit::pairs, Field::Value(json!(["BTC-USDT", "USDT_ETH", "usdt_xrp"])))]);
        let message =
            "'BTC-USDT' is not a pair; write it as 'USDT_BTC'; 'usdt_xrp' is not a pair; write it as 'USDT_XRP'";
        assert_eq!(request.violations_of_changes(), [Violation::new("pairs", message)]);
    }

    #[test]
    fn a_pair_is_listed_once_and_a_strategy_may_be_listed_twice() {
        let pairs = edit([(DcaBotEdit::pairs, Field::Value(json!(["USDT_BTC", "USDT_ETH", "USDT_BTC"])))]);
        assert_eq!(pairs.violations_of_changes(), [Violation::new("pairs", "\"USDT_BTC\" is listed twice")]);
        let rsi = json!({"strategy": "rsi", "options": {}});
        let strategies = edit([(DcaBotEdit::strategy_list, Field::Value(json!([rsi, rsi])))]);
        assert_eq!(strategies.violations_of_changes(), []);
    }

    #[test]
    fn malformed_elements_of_the_record_are_carried_over_and_accepted() {
        let bot = bot(&json!({"pairs": ["odd", "USDT_BTC"], "strategy_list": [{"new": 1.0}]}));
        let request = rename().carry_over(bot.fields());
        assert_eq!(request.violations(), []);
        assert_eq!(
            (&body(&request)["pairs"], &body(&request)["strategy_list"]),
            (&json!(["odd", "USDT_BTC"]), &json!([{"new": 1.0}]))
        );
        let wrong = |pairs: Value, strategies: Value| {
            let given =
                [(DcaBotEdit::pairs, Field::Value(pairs)), (DcaBotEdit::strategy_list, Field::Value(strategies))];
            let violations = edit(given).carry_over(bot.fields()).violations();
            violations.into_iter().map(|violation| violation.field).collect::<Vec<_>>()
        };
        let manual = json!({"strategy": "manual"});
        assert_eq!(wrong(json!(["odd", "USDT_ETH"]), json!([{"new": 1}, manual])), Vec::<String>::new());
        assert_eq!(wrong(json!(["odd", "eth"]), json!([{"new": 2}, manual])), ["pairs", "strategy_list"]);
    }

    #[test]
    fn a_check_that_is_not_in_the_api_reference_is_marked() {
        let given = [
            (DcaBotEdit::base_order_volume, Field::Value("-80".into())),
            (DcaBotEdit::take_profit, Field::Value("0".into())),
        ];
        let violations = edit(given).carry_over(bot(&json!({})).fields()).violations();
        let own = "(botdesk's own check; validate=False sends it anyway)";
        let messages: Vec<_> = violations.iter().map(|violation| violation.message.as_str()).collect();
        let expected = [
            format!("must be greater than 0, not -80 {own}"),
            format!("must be greater than 0 if there are neither take_profit_steps nor a close_strategy_list {own}"),
        ];
        assert_eq!(messages, expected);
        assert!(violations.iter().all(|violation| violation.is_own));
    }

    #[test]
    fn a_rule_about_several_inputs_is_checked_if_all_have_the_right_type() {
        let bot = bot(&json!({"stop_loss_percentage": "6.5"}));
        let given = |orders: Value| {
            let kind = (DcaBotEdit::take_profit_type, Field::Value("most".into()));
            let request = edit([(DcaBotEdit::max_safety_orders, Field::Value(orders)), kind]).carry_over(bot.fields());
            request.violations().into_iter().map(|violation| violation.field).collect::<Vec<_>>()
        };
        assert_eq!(given(4.into()), ["stop_loss_percentage", "take_profit_type"]);
        assert_eq!(given("many".into()), ["max_safety_orders", "take_profit_type"]);
    }

    #[test]
    fn all_violations_are_reported_in_the_order_of_the_inputs() {
        let kind = (DcaBotEdit::take_profit_type, Field::Value("most".into()));
        let request = edit([kind, (DcaBotEdit::name, Field::Value("".into()))]).carry_over(bot(&json!({})).fields());
        let fields: Vec<_> = request.violations().into_iter().map(|violation| violation.field).collect();
        assert_eq!(fields, ["name", "take_profit_type"]);
    }

    #[test]
    fn the_secrets_in_a_request_are_known() {
        let given = [
            (AccountAdd::name, Field::Value("Main".into())),
            (AccountAdd::api_key, Field::Value("hush".into())),
            (AccountAdd::passphrase, Field::Null),
        ];
        let request = RequestBuilder::new(AccountAdd::INPUTS, given.map(|(input, value)| (input, value)));
        assert_eq!(request.secrets(), ["hush"]);
        assert_eq!(rename().secrets(), Vec::<String>::new());
    }

    #[test]
    fn a_secret_of_the_wrong_type_is_not_shown_in_the_error() {
        let request = RequestBuilder::new(AccountAdd::INPUTS, [(AccountAdd::api_key, Field::Value(41.into()))]);
        assert_eq!(request.type_violations(), [Violation::new("api_key", "has the wrong type")]);
    }

    #[test]
    fn a_missing_list_has_no_elements() {
        assert_eq!(edit([]).elements(DcaBotEdit::strategy_list), &[] as &[Value]);
        let steps = (DcaBotEdit::strategy_list, Field::Value(json!([{"strategy": "manual"}])));
        assert_eq!(edit([steps]).elements(DcaBotEdit::strategy_list).len(), 1);
    }

    #[test]
    fn a_bot_with_steps_is_sent_with_a_take_profit_of_0() {
        let steps = json!([
            {"id": 0, "amount_percentage": 50, "profit_percentage": "1.5"},
            {"id": 1, "amount_percentage": 50, "profit_percentage": 2},
        ]);
        let bot = bot(&json!({"take_profit": null, "take_profit_steps": steps}));
        let request = rename().carry_over(bot.fields());
        assert_eq!(request.violations(), []);
        assert_eq!(body(&request)["take_profit"], "0");
        assert_eq!(body(&request)["take_profit_steps"][1], json!({"amount_percentage": 50, "profit_percentage": 2}));
    }

    #[test]
    fn a_request_without_values_has_an_empty_body_and_no_query() {
        assert_eq!(edit([]).body(), "{}");
        assert_eq!(RequestBuilder::new(DcaBotList::INPUTS, []).query(), None);
    }

    #[test]
    fn the_error_for_an_unknown_name_suggests_the_nearest() {
        assert_eq!(DcaBotEdit::INPUTS.named("cooldown").map(Input::key), Ok(DcaBotEdit::cooldown));
        assert_eq!(
            DcaBotEdit::INPUTS.named("take_proft").map(Input::key),
            Err(Violation::new("take_proft", "is not a field of a DCA bot; did you mean take_profit?"))
        );
    }
}
