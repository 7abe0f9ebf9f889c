//! The DCA bots of a client, and what a DCA bot can do.

mod bot;
mod walk;

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use self::walk::Walk;
pub(crate) use self::walk::{DcaBotAsyncIterator, DcaBotIterator};
use super::arguments::{Argument, Gathered, Identifier, Unknown};
use super::bridge::twins;
use super::calls::{edit, one};
use super::records::{Acting, DcaBot, Records};
use botdesk_api::dca_bot::{
    CANCEL_ALL_DEALS, DISABLE, DcaBotEdit, DcaBotList, DcaBotShow, Direction, EDIT, GET, LIST, LeverageChoice,
    MinProfitType, OrderDirection, ProfitCurrency, Scope, SortBy, StartOrderType, StopLossType, TakeProfitType,
    VolumeType,
};
use botdesk_api::dca_bot_edit_rows;
use botdesk_api::dca_bot_list_rows;
use botdesk_api::dca_bot_show_rows;
use botdesk_api::input::{Time, Pairs};
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Decimal, Bool, Integer, List, Object, OneOf, Text};
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::RequestSpec;

/// The DCA bots of an account: `client.dca_bots`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBots {
    pub(super) road: Arc<HttpClient>,
}

macro_rules! list_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl DcaBots {
                /// List one page of DCA bots.
                ///
                /// Document: Get the list of DCA Bots. Permission BOTS_READ.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The bots of the page, without their deals.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     page = sandbox.client().dca_bots.list(limit=5, scope="enable")
                ///     ...     len(page)
                ///     5
                #[signature (*, $($field = Argument::absent(),)* **unknown: "None")]
                fn list | list_async(&self $(, $field: Argument<$kind>)*, **unknown: Unknown) -> Records<DcaBot> {
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&LIST, None, given.none_is_absent().given(unknown)).or_py_err()?;
                    let road = Arc::clone(&self.road);
                    async move {
                        let records = road.records(call).await?;
                        let bots = records.into_iter().map(|record| DcaBot::made_by(Arc::clone(&road), record));
                        Ok::<_, Error>(Records(bots.collect()))
                    }
                }
            }
        }

        #[pymethods]
        impl DcaBots {
            /// Walk over all DCA bots, page after page.
            ///
            /// A page is asked for when the bots before it are used up. The walk ends at an empty page, or at one shorter
            /// than the longest before it, so a service may put fewer bots on a page than `limit`. Each bot is told once. What this client changes
            /// meanwhile hides none: the walk then goes over the list again, until it finds nothing new. What others
            /// change meanwhile may.
            ///
            /// Document: Get the list of DCA Bots. Permission BOTS_READ.
            ///
            /// Args:
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///
            /// Returns:
            ///     An iterator. `limit` is the size of its pages, 100 if it is left out.
            ///
            /// Raises:
            ///     ValidationError: An argument breaks a rule; nothing was sent.
            ///     ApiError: The service refused, at the step that asked for a page.
            ///     TransportError: No answer came, at the step that asked for a page.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox(bots=30) as sandbox:
            ///     ...     len(list(sandbox.client().dca_bots.iter(limit=10)))
            ///     30
            #[pyo3(signature = (*, $($field = Argument::absent(),)* **unknown: "None"))]
            fn iter(&self $(, $field: Argument<$kind>)*, unknown: Option<Unknown>) -> PyResult<DcaBotIterator> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                Walk::begin(&self.road, given.none_is_absent().given(unknown)).map(DcaBotIterator::new)
            }

            /// Walk over all DCA bots under `async for`: the asyncio twin of `iter`.
            ///
            /// Document: Get the list of DCA Bots. Permission BOTS_READ.
            ///
            /// Args:
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///
            /// Returns:
            ///     An asynchronous iterator. `limit` is the size of its pages, 100 if it is left out.
            ///
            /// Raises:
            ///     ValidationError: An argument breaks a rule; nothing was sent.
            ///     ApiError: The service refused, at the step that asked for a page.
            ///     TransportError: No answer came, at the step that asked for a page.
            ///
            /// Example:
            ///     >>> import asyncio
            ///     >>> import botdesk
            ///     >>> async def count(client):
            ///     ...     return len([bot async for bot in client.dca_bots.iter_async(limit=10)])
            ///     >>> with botdesk.Sandbox(bots=30) as sandbox:
            ///     ...     asyncio.run(count(sandbox.client()))
            ///     30
            #[pyo3(signature = (*, $($field = Argument::absent(),)* **unknown: "None"))]
            fn iter_async(
                &self $(, $field: Argument<$kind>)*, unknown: Option<Unknown>
            ) -> PyResult<DcaBotAsyncIterator> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                Walk::begin(&self.road, given.none_is_absent().given(unknown)).map(DcaBotAsyncIterator)
            }
        }
    };
}

dca_bot_list_rows!(list_methods);

macro_rules! get_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl DcaBots {
                /// Get a DCA bot with its open deals.
                ///
                /// Document: Get DCA Bot. Permission BOTS_READ.
                ///
                /// Args:
                ///     bot_id: Identifier of the bot.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     NotFoundError: There is no such bot.
                ///     ApiError: The service refused.
                ///     TransportError: No answer came.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().dca_bots.get(41).id
                ///     41
                #[signature (bot_id $(, $field = Argument::absent())*)]
                fn get | get_async(&self, bot_id: Identifier $(, $field: Argument<$kind>)*) -> DcaBot {
                    let bot_id = bot_id.of("bot_id").or_py_err()?;
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&GET, Some(bot_id), given.none_is_absent().given(None)).or_py_err()?;
                    one(Arc::clone(&self.road), call)
                }
            }
        }
    };
}

dca_bot_show_rows!(get_methods);

twins! {
    impl DcaBots {
        /// Disable a DCA bot: it opens no more deals; its open deals stay.
        ///
        /// Document: Disable DCA Bot. Permission BOTS_WRITE.
        ///
        /// Args:
        ///     bot_id: Identifier of the bot.
        ///
        /// Returns:
        ///     The bot after the change, with its open deals.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule; nothing was sent.
        ///     ForbiddenError: The API key may not do it.
        ///     NotFoundError: There is no such bot.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been disabled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().dca_bots.disable(41).is_enabled
        ///     False
        #[signature (bot_id)]
        fn disable | disable_async(&self, bot_id: Identifier) -> DcaBot {
            one(Arc::clone(&self.road), RequestSpec::plain(&DISABLE, Some(bot_id.of("bot_id").or_py_err()?)))
        }

        /// Cancel all open deals of a DCA bot, and disable it.
        ///
        /// Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.
        ///
        /// Args:
        ///     bot_id: Identifier of the bot.
        ///
        /// Returns:
        ///     The bot after the change, with its deals on their way out.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule; nothing was sent.
        ///     NotFoundError: There is no such bot.
        ///     OutcomeUnknownError: The outcome is unknown: the deals may have been cancelled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     bot = sandbox.client().dca_bots.cancel_all_deals(41)
        ///     ...     {deal.status for deal in bot.active_deals}
        ///     {'cancel_pending'}
        #[signature (bot_id)]
        fn cancel_all_deals | cancel_all_deals_async(&self, bot_id: Identifier) -> DcaBot {
            one(Arc::clone(&self.road), RequestSpec::plain(&CANCEL_ALL_DEALS, Some(bot_id.of("bot_id").or_py_err()?)))
        }
    }
}

macro_rules! edit_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl DcaBots {
                /// Change some fields of a DCA bot and leave the others as they are.
                ///
                /// The bot is read first; all fields that the service insists on, and all others that it has, are sent
                /// along as they are. The rules of the document are checked before the change is sent. Decimals are
                /// best given as text or Decimal; a float is taken by its shortest text.
                ///
                /// Document: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.
                ///
                /// Args:
                ///     bot_id: Identifier of the bot.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked before anything is sent; without it the service judges.
                ///
                /// Returns:
                ///     The bot after the change.
                ///
                /// Raises:
                ///     ValidationError: The change breaks rules, told all at once in `errors`; nothing was changed.
                ///     RecordInvalidError: The service found fields invalid.
                ///     NotFoundError: There is no such bot.
                ///     OutcomeUnknownError: The outcome is unknown: the bot may have been changed.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was changed.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().dca_bots.edit(41, take_profit="2.5").take_profit
                ///     Decimal('2.5')
                #[signature (bot_id, *, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn edit | edit_async(
                    &self, bot_id: Identifier $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> DcaBot {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let bot_id = bot_id.of("bot_id").or_py_err()?;
                    let road = Arc::clone(&self.road);
                    let given = given.given(unknown);
                    Edit::check(&EDIT, given.clone()).or_py_err()?;
                    async move {
                        let bot = road.record(RequestSpec::plain(&GET, Some(bot_id))).await?;
                        edit(road, &EDIT, bot_id, bot, given).await
                    }
                }
            }
        }
    };
}

dca_bot_edit_rows!(edit_methods);
