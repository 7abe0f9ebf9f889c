//! Hints at the mode if a list is empty: in the wrong mode, the service returns an empty list and no error.

use super::client::HttpClient;
use crate::request::spec::RequestSpec;
use crate::warnings::warn_once;
use botdesk_api::reference;
use botdesk_schema::operation::Operation;
use botdesk_schema::permission::Security;

impl HttpClient {
    /// Warns once about an empty list that depends on the mode, if the client has none.
    ///
    /// Filters and later pages are often empty for another reason.
    pub(super) fn hint_at_mode(&self, spec: &RequestSpec) {
        let may_be_of_mode = self.settings.mode.is_none() && spec.security == Security::Signed;
        let Some(list) = reference::operation(&spec.operation).filter(|_| may_be_of_mode) else { return };
        if !depends_on_mode(list) || !is_first_page(list, spec) {
            return;
        }
        warn_once(format!(
            "{} returned an empty list at {}; without a mode, the service lists what belongs to accounts of the mode \
             that was last chosen there, paper or real; to choose one here, pass mode=\"paper\" or mode=\"real\" to \
             Client or with_options (on the command line: botdesk --mode)",
            list.name,
            self.destination()
        ));
    }
}

/// Returns true if a list has only what belongs to accounts of the mode: the accounts, and records on an account.
fn depends_on_mode(list: &Operation) -> bool {
    let is_of_accounts = reference::resource(list.resource())
        .and_then(|resource| resource.record)
        .is_some_and(|record| record.name == list.record().name && list.resource() == "accounts");
    is_of_accounts || list.record().rows.iter().any(|row| ["account_id", "account"].contains(&row.wire))
}

/// Returns true if a request asks for the first page without filters. Iterators and watches name the page, and end or wait silently.
fn is_first_page(list: &Operation, spec: &RequestSpec) -> bool {
    let Some(page) = list.page_inputs().filter(|_| spec.ids.is_empty()) else { return false };
    let mut parameters = spec.query.iter().flat_map(|query| query.split('&')).map(|one| one.split_once('='));
    parameters.all(|parameter| parameter.is_some_and(|(name, _)| name == page.limit.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::spec::NO_ID;
    use botdesk_api::samples::operation;

    fn is_first(name: &str, query: Option<&str>) -> bool {
        let list = operation(name);
        is_first_page(list, &RequestSpec { query: query.map(str::to_owned), ..RequestSpec::plain(list, NO_ID) })
    }

    #[test]
    fn the_lists_of_accounts_and_of_what_is_on_them_depend_on_the_mode() {
        let names = reference::operations().filter(|one| one.page_inputs().is_some() && !one.has_id());
        let names: Vec<_> = names.filter(|one| depends_on_mode(one)).map(|one| one.name).collect();
        for name in ["accounts.list", "dca_bots.list", "deals.list", "grid_bots.list", "smart_trades.list"] {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        assert!(!depends_on_mode(operation("markets.list")));
    }

    #[test]
    fn only_a_first_page_without_filters_is_hinted_at() {
        assert!(is_first("dca_bots.list", None));
        assert!(is_first("dca_bots.list", Some("limit=10")));
        assert!(is_first("accounts.list", Some("per_page=10")));
        assert!(!is_first("dca_bots.list", Some("limit=10&offset=0")));
        assert!(!is_first("dca_bots.list", Some("scope=disabled")));
        assert!(!is_first("accounts.list", Some("page=2")));
    }
}
