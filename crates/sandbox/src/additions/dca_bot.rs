//! DCA bots that are added.

use serde_json::Value;

use super::{fields, fields::Given, free_id};
use crate::defaults::{self, object};
use crate::market::check_pair;
use crate::record::{Record, list};
use crate::state::{DcaBotState, World};
use crate::{clock, dca_bots, seed};
use botdesk_api::dca_bot::DcaBot;
use botdesk_api::input::Violation;
use botdesk_api::record::Record as _;

/// The field that holds the deals, each a record of its own.
const DEALS: &str = "active_deals";

impl World {
    /// Adds a DCA bot with its open deals; gives its identifier.
    pub(crate) fn add_dca_bot(&mut self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        let (deals, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| name == DEALS);
        let given = fields::of(&DcaBot::ROWS.iter(), "a DCA bot", given)?;
        let id = free_id(&given, &self.dca_bots)?;
        let record = self.dca_bot_record(id, &given).map_err(|wrong| vec![wrong])?;
        let deals = deals.into_iter().next().map_or(Ok(Vec::new()), |(_, deals)| elements(deals))?;
        // The deals are the last thing that may be refused, and a refused one leaves the world as it was.
        let mut bot = DcaBotState { deals: self.new_deals(&record, deals)?, record, ..DcaBotState::default() };
        bot.sum_up();
        bot.record.extend(given);
        bot.events.push(Value::Object(object! {
            "message": "Bot created",
            "created_at": clock::text(self.clock.now()),
        }));
        self.dca_bots.insert(id, bot);
        Ok(id)
    }

    fn dca_bot_record(&self, id: u64, given: &Record) -> Result<Record, Violation> {
        let mut record = defaults::dca_bot();
        record.extend(object! { "id": id, "url_secret": seed::secret(self.seed, id, "url_secret") });
        record.extend(self.made_now());
        record.extend(self.account_of(given)?);
        if !list(given, "take_profit_steps").is_empty() {
            record.insert("take_profit".to_owned(), Value::Null);
        }
        record.extend(given.clone());
        dca_bots::follow(&mut record);
        let pairs = list(&record, "pairs");
        if pairs.is_empty() {
            return Err(Violation::new("pairs", "at least one pair is needed, such as [\"USDT_BTC\"]"));
        }
        pairs.iter().try_for_each(|pair| check_pair("pairs", pair.as_str().unwrap_or_default()))?;
        Ok(record)
    }
}

fn elements(deals: Result<Value, String>) -> Result<Vec<Record>, Vec<Violation>> {
    let wrong = |message: &str| vec![Violation::new(DEALS, message)];
    let Value::Array(deals) = deals.map_err(|message| wrong(&message))? else {
        return Err(wrong("a list of dicts is needed, each with fields of a deal"));
    };
    let record = |deal| match deal {
        Value::Object(deal) => Ok(deal),
        _ => Err(wrong("a list of dicts is needed, each with fields of a deal")),
    };
    deals.into_iter().map(record).collect()
}

/// The name of a field of a deal, as a message says it.
pub(super) fn of_deal(place: usize, violation: Violation) -> Violation {
    Violation { field: format!("{DEALS}[{place}].{}", violation.field), ..violation }
}
