//! Adds DCA bots.

use serde_json::Value;

use super::{fields, fields::NamedValue, free_id};
use crate::dca_bots::DcaBots;
use crate::defaults::{self, object};
use crate::listings::check_pair;
use crate::record::{JsonRecord, list};
use crate::resource::Resource as _;
use crate::state::{DcaBotMut, DcaBotState, DealState, State};
use crate::{clock, dca_bots, random};
use botdesk_api::input::Violation;
use botdesk_api::pair;

/// The field with the deals, which are records themselves.
const DEALS: &str = "active_deals";

impl State {
    /// Adds a DCA bot with its open deals; returns its id.
    pub(crate) fn add_dca_bot(&mut self, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let (deals, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| name == DEALS);
        let given = fields::parse_fields(DcaBots.record(), given)?;
        let id = free_id(&given, &self.store.dca_bots)?;
        let mut record = self.dca_bot_record(id, &given).map_err(|violation| vec![violation])?;
        let deals = deals.into_iter().next().map_or(Ok(Vec::new()), |(_, deals)| parse_deals(deals))?;
        // Creating the deals is the last step that can fail. If it does, the state is unchanged.
        let (deals, records): (Vec<_>, Vec<_>) = self.new_deals(&record, deals)?.into_iter().unzip();
        self.store.deals.extend(deals.iter().map(|deal: &DealState| deal.id).zip(records));
        let created = object! { "message": "Bot created", "created_at": clock::timestamp(self.clock.now()) };
        let mut state = DcaBotState { deals, events: vec![Value::Object(created)], ..DcaBotState::default() };
        DcaBotMut { record: &mut record, deals: &mut self.store.deals, state: &mut state }.update_deal_totals();
        record.extend(given);
        self.store.dca_bots.insert(id, record);
        self.dca_bot_states.insert(id, state);
        Ok(id)
    }

    fn dca_bot_record(&self, id: u64, given: &JsonRecord) -> Result<JsonRecord, Violation> {
        let mut record = defaults::dca_bot();
        record.extend(object! { "id": id, "url_secret": random::secret(self.seed, id, "url_secret") });
        record.extend(self.creation_times());
        record.extend(self.account_fields(given)?);
        if !list(given, "take_profit_steps").is_empty() {
            record.insert("take_profit".to_owned(), Value::Null);
        }
        record.extend(given.clone());
        dca_bots::update_derived_fields(&mut record);
        let pairs = list(&record, "pairs");
        if pairs.is_empty() {
            return Err(Violation::new("pairs", "must have at least one pair, such as [\"USDT_BTC\"]"));
        }
        pairs.iter().try_for_each(|pair| check_pair("pairs", pair.as_str().unwrap_or_default()))?;
        match pair::several_quotes(pairs.iter().filter_map(Value::as_str)) {
            Some(message) => Err(Violation::new("pairs", message)),
            None => Ok(record),
        }
    }
}

fn parse_deals(deals: Result<Value, String>) -> Result<Vec<JsonRecord>, Vec<Violation>> {
    let violations = |message: &str| vec![Violation::new(DEALS, message)];
    let Value::Array(deals) = deals.map_err(|message| violations(&message))? else {
        return Err(violations("must be a list of objects with fields of a deal"));
    };
    let record = |deal| match deal {
        Value::Object(deal) => Ok(deal),
        _ => Err(violations("must be a list of objects with fields of a deal")),
    };
    deals.into_iter().map(record).collect()
}

/// Prefixes the field of a violation with the index of its deal.
pub(super) fn in_deal(index: usize, violation: Violation) -> Violation {
    Violation { field: format!("{DEALS}[{index}].{}", violation.field), ..violation }
}
