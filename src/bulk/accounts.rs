//! Many accounts at once.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::run::{Given, Run};
use super::targets::Targets;
use super::waiting::many;
use crate::accounts::Accounts;
use crate::records::Account;
use botdesk_api::account::LOAD_BALANCES;
use botdesk_client::bulk::{Bulk, BulkAction, CONCURRENCY};

many! {
    impl Accounts {
        /// Load the balances of many accounts from their exchanges, several at once and within the rate limit.
        ///
        /// Each account has an outcome of its own; one that fails does not end the others. Once the service keeps the client
        /// out (401, 418, or a plan that does not include it), the rest is not sent. Ctrl-C, or cancelling the coroutine, lets
        /// what is under way end, sends nothing more, and then raises, with the result on the error:
        /// `BulkResult.behind(error)`.
        ///
        /// Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.
        ///
        /// Args:
        ///     accounts: The accounts: records, identifiers, or both.
        ///     preview: Whether to send nothing and give a `BulkPreview` of what would be sent.
        ///     concurrency: How many requests may be under way at once, 1 to 64.
        ///     progress: Whether a bar of tqdm shows how far it is; None for one where tqdm is installed, somebody watches and
        ///         it takes longer than two seconds.
        ///
        /// Returns:
        ///     A `BulkResult`: what is done, what failed, what is unknown and what was not started.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule, or an account is named twice; nothing was sent.
        ///     ConfigurationError: A bar is wanted and tqdm is not installed; nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     client = sandbox.client()
        ///     ...     client.accounts.load_balances_many([1001, 1002])
        ///     <BulkResult accounts.load_balances of 2: 2 done>
        #[signature (
            accounts, *, preview: "bool" = false, concurrency: "int" = CONCURRENCY, progress: "bool | None" = None
        )]
        fn load_balances_many | load_balances_many_async(
            &self, accounts: Targets<Account>, preview: bool, concurrency: i64, progress: Option<bool>
        ) -> Given<Account> {
            let (work, accounts) = (BulkAction::Request(&LOAD_BALANCES), accounts.of("accounts", &self.road).or_py_err()?);
            let bulk = Bulk::new(Arc::clone(&self.road), work, "accounts", accounts, concurrency).or_py_err()?;
            Run::first(bulk, preview, progress)
        }
    }
}
