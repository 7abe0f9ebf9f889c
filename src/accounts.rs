//! The exchange accounts of a client, and what an account can do.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::arguments::{Argument, Gathered, Identifier};
use super::bridge::twins;
use super::calls::{one, plain};
use super::records::{Account, Acting, DepositData, LeverageType, NetworkInfo, Records};
use botdesk_api::account::{
    ADD, AccountAdd, AccountRename, DEPOSIT_DATA, DepositQuery, LEVERAGE_DATA, LOAD_BALANCES, LeverageQuery,
    NETWORKS_INFO, NetworksQuery, Purpose, RENAME,
};
use botdesk_api::account_add_rows;
use botdesk_api::account_rename_rows;
use botdesk_api::deposit_query_rows;
use botdesk_api::leverage_query_rows;
use botdesk_api::networks_query_rows;
use botdesk_api::values::{Integer, List, OneOf, Text};
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::RequestSpec;

/// The exchange accounts: `client.accounts`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Accounts {
    pub(super) road: Arc<HttpClient>,
}

/// The name of an argument as Python spells it, without the mark of Rust's own keywords.
macro_rules! argument_name {
    (r#type) => {
        "type"
    };
    ($field:ident) => {
        stringify!($field)
    };
}

macro_rules! add_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl Accounts {
                /// Add an exchange account.
                ///
                /// Document: Add exchange account. Permission ACCOUNTS_WRITE.
                ///
                /// Args:
                $(#[doc = concat!("    ", argument_name!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The new account.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     RecordInvalidError: The service found fields invalid, or the exchange's key is connected already.
                ///     OutcomeUnknownError: The outcome is unknown: the account may have been added.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     account = sandbox.client().accounts.add(
                ///     ...         type="binance", name="Spot", api_key="K1", secret="S1", types_to_create=[]
                ///     ...     )
                ///     ...     account.name
                ///     'Spot'
                #[signature (*, $($field = Argument::absent()),*)]
                fn add | add_async(&self $(, $field: Argument<$kind>)*) -> Account {
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    one(Arc::clone(&self.road), RequestSpec::with(&ADD, None, given.none_is_absent().given(None)).or_py_err()?)
                }
            }
        }
    };
}

account_add_rows!(add_methods);

macro_rules! rename_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl Accounts {
                /// Rename an account.
                ///
                /// Document: Rename exchange account. Permission ACCOUNTS_READ.
                ///
                /// Args:
                ///     account_id: Identifier of the account.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The account under its new name.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     SignatureInvalidError: The service knows another public key.
                ///     OutcomeUnknownError: The outcome is unknown: the account may have been renamed.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().accounts.rename(1001, "Main").name
                ///     'Main'
                #[signature (account_id $(, $field)*)]
                fn rename | rename_async(&self, account_id: Identifier $(, $field: Argument<$kind>)*) -> Account {
                    let id = account_id.of("account_id").or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&RENAME, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    one(Arc::clone(&self.road), call)
                }
            }
        }

        twins! {
            impl Account {
                /// Rename the account.
                ///
                /// Document: Rename exchange account. Permission ACCOUNTS_READ.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The account under its new name.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     SignatureInvalidError: The service knows another public key.
                ///     OutcomeUnknownError: The outcome is unknown: the account may have been renamed.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     account = sandbox.client().accounts.load_balances(1001)
                ///     ...     account.rename("Main").name
                ///     'Main'
                #[signature ($($field),*)]
                fn rename | rename_async(&self $(, $field: Argument<$kind>)*) -> Account {
                    let id = self.id_in_path().or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&RENAME, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    one(self.road().or_py_err()?, call)
                }
            }
        }
    };
}

account_rename_rows!(rename_methods);

twins! {
    impl Accounts {
        /// Load the balances of an account from the exchange.
        ///
        /// Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.
        ///
        /// Args:
        ///     account_id: Identifier of the account.
        ///
        /// Returns:
        ///     The account with its balances.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule; nothing was sent.
        ///     InvalidApiKeyError: The exchange refuses the API key of the account.
        ///     OutcomeUnknownError: The outcome is unknown: the balances may have been loaded.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().accounts.load_balances(1001).id
        ///     1001
        #[signature (account_id)]
        fn load_balances | load_balances_async(&self, account_id: Identifier) -> Account {
            one(Arc::clone(&self.road), RequestSpec::plain(&LOAD_BALANCES, Some(account_id.of("account_id").or_py_err()?)))
        }
    }
}

twins! {
    impl Account {
        /// Load the balances of the account from the exchange.
        ///
        /// Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.
        ///
        /// Returns:
        ///     The account with its balances.
        ///
        /// Raises:
        ///     ConfigurationError: The record was not made by a client.
        ///     InvalidApiKeyError: The exchange refuses the API key of the account.
        ///     OutcomeUnknownError: The outcome is unknown: the balances may have been loaded.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     account = sandbox.client().accounts.load_balances(1001)
        ///     ...     account.load_balances().usd_amount == account.usd_amount
        ///     True
        #[signature ()]
        fn load_balances | load_balances_async(&self) -> Account {
            one(self.road().or_py_err()?, RequestSpec::plain(&LOAD_BALANCES, Some(self.id_in_path().or_py_err()?)))
        }
    }
}

macro_rules! networks_info_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl Accounts {
                /// List the networks over which the currencies of an account are deposited and withdrawn.
                ///
                /// Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.
                ///
                /// Args:
                ///     account_id: Identifier of the account.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The currencies with their networks; a single one that the service answers comes as a list of one.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ForbiddenError: Accounts at this exchange do not have it.
                ///     RecordInvalidError: The service found fields missing.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     infos = sandbox.client().accounts.networks_info(1001, purpose="deposit")
                ///     ...     all(info.deposit_enable for info in infos)
                ///     True
                #[signature (account_id $(, $field = Argument::absent())*)]
                fn networks_info | networks_info_async(&self, account_id: Identifier $(, $field: Argument<$kind>)*) -> Records<NetworkInfo> {
                    let id = account_id.of("account_id").or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&NETWORKS_INFO, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    let road = Arc::clone(&self.road);
                    async move { Ok::<_, Error>(Records::of(road.one_or_many(call).await?)) }
                }
            }
        }

        twins! {
            impl Account {
                /// List the networks over which the currencies of the account are deposited and withdrawn.
                ///
                /// Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The currencies with their networks; a single one that the service answers comes as a list of one.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     ForbiddenError: Accounts at this exchange do not have it.
                ///     RecordInvalidError: The service found fields missing.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     account = sandbox.client().accounts.load_balances(1001)
                ///     ...     len(account.networks_info()) > 0
                ///     True
                #[signature ($($field = Argument::absent()),*)]
                fn networks_info | networks_info_async(&self $(, $field: Argument<$kind>)*) -> Records<NetworkInfo> {
                    let id = self.id_in_path().or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&NETWORKS_INFO, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    let road = self.road().or_py_err()?;
                    async move { Ok::<_, Error>(Records::of(road.one_or_many(call).await?)) }
                }
            }
        }
    };
}

networks_query_rows!(networks_info_methods);

macro_rules! deposit_data_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl Accounts {
                /// Ask where to deposit a currency into an account.
                ///
                /// Document: User deposit data. Permission ACCOUNTS_READ.
                ///
                /// Args:
                ///     account_id: Identifier of the account.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The address, and how much of the currency the account holds.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     RecordInvalidError: The service found fields missing.
                ///     MarketApiError: The exchange refused, for example where deposits are closed.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     data = sandbox.client().accounts.deposit_data(1001, currency="USDT", network="TRX")
                ///     ...     data.total_balance == data.available_balance + data.in_orders
                ///     True
                #[signature (account_id, * $(, $field)*)]
                fn deposit_data | deposit_data_async(&self, account_id: Identifier $(, $field: Argument<$kind>)*) -> DepositData {
                    let id = account_id.of("account_id").or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&DEPOSIT_DATA, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    plain(Arc::clone(&self.road), call)
                }
            }
        }

        twins! {
            impl Account {
                /// Ask where to deposit a currency into the account.
                ///
                /// Document: User deposit data. Permission ACCOUNTS_READ.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The address, and how much of the currency the account holds.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     RecordInvalidError: The service found fields missing.
                ///     MarketApiError: The exchange refused, for example where deposits are closed.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     account = sandbox.client().accounts.load_balances(1001)
                ///     ...     data = account.deposit_data(currency="USDT", network="TRX")
                ///     ...     data.total_balance == data.available_balance + data.in_orders
                ///     True
                #[signature (*, $($field),*)]
                fn deposit_data | deposit_data_async(&self $(, $field: Argument<$kind>)*) -> DepositData {
                    let id = self.id_in_path().or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&DEPOSIT_DATA, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    let road = self.road().or_py_err()?;
                    plain(road, call)
                }
            }
        }
    };
}

deposit_query_rows!(deposit_data_methods);

macro_rules! leverage_data_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl Accounts {
                /// List the kinds of leverage that an account offers.
                ///
                /// Document: Information about account leverage. Permission ACCOUNTS_READ.
                ///
                /// Args:
                ///     account_id: Identifier of the account.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The kinds on the page.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().accounts.leverage_data(1001)[0].code
                ///     'none'
                #[signature (account_id $(, $field = Argument::absent())*)]
                fn leverage_data | leverage_data_async(&self, account_id: Identifier $(, $field: Argument<$kind>)*) -> Records<LeverageType> {
                    let id = account_id.of("account_id").or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&LEVERAGE_DATA, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    let road = Arc::clone(&self.road);
                    async move { Ok::<_, Error>(Records::of(road.records(call).await?)) }
                }
            }
        }

        twins! {
            impl Account {
                /// List the kinds of leverage that the account offers.
                ///
                /// Document: Information about account leverage. Permission ACCOUNTS_READ.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The kinds on the page.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     account = sandbox.client().accounts.load_balances(1001)
                ///     ...     account.leverage_data()[0].code
                ///     'none'
                #[signature ($($field = Argument::absent()),*)]
                fn leverage_data | leverage_data_async(&self $(, $field: Argument<$kind>)*) -> Records<LeverageType> {
                    let id = self.id_in_path().or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&LEVERAGE_DATA, Some(id), given.none_is_absent().given(None)).or_py_err()?;
                    let road = self.road().or_py_err()?;
                    async move { Ok::<_, Error>(Records::of(road.records(call).await?)) }
                }
            }
        }
    };
}

leverage_query_rows!(leverage_data_methods);
