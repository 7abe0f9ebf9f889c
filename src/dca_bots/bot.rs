//! What a DCA bot can do.

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use crate::arguments::{Argument, Gathered, Unknown};
use crate::bridge::twins;
use crate::calls::{edit, one};
use crate::previews::{DcaBotEditPreview, Previewed};
use crate::records::{Acting, DcaBot};
use botdesk_api::dca_bot::{
    CANCEL_ALL_DEALS, DISABLE, DcaBotEdit, EDIT, GET, LeverageChoice, MinProfitType, ProfitCurrency, StartOrderType,
    StopLossType, TakeProfitType, VolumeType,
};
use botdesk_api::dca_bot_edit_rows;
use botdesk_api::input::Pairs;
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Decimal, Bool, Integer, List, Object, OneOf, Text};
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::request::spec::RequestSpec;

twins! {
    impl DcaBot {
        /// Get the bot as it is now, with its open deals.
        ///
        /// Document: Get DCA Bot. Permission BOTS_READ.
        ///
        /// Raises:
        ///     ConfigurationError: The record was not made by a client.
        ///     NotFoundError: There is no such bot any more.
        ///     ApiError: The service refused.
        ///     TransportError: No answer came.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     bot = sandbox.client().dca_bots.list()[0]
        ///     ...     bot.refresh().id == bot.id
        ///     True
        #[signature ()]
        fn refresh | refresh_async(&self) -> DcaBot {
            one(self.road().or_py_err()?, RequestSpec::plain(&GET, Some(self.id_in_path().or_py_err()?)))
        }

        /// Disable the bot: it opens no more deals; its open deals stay.
        ///
        /// Document: Disable DCA Bot. Permission BOTS_WRITE.
        ///
        /// Returns:
        ///     The bot after the change, with its open deals.
        ///
        /// Raises:
        ///     ConfigurationError: The record was not made by a client.
        ///     ForbiddenError: The API key may not do it.
        ///     NotFoundError: There is no such bot any more.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been disabled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().dca_bots.get(41).disable().is_enabled
        ///     False
        #[signature ()]
        fn disable | disable_async(&self) -> DcaBot {
            one(self.road().or_py_err()?, RequestSpec::plain(&DISABLE, Some(self.id_in_path().or_py_err()?)))
        }

        /// Cancel all open deals of the bot, and disable it.
        ///
        /// Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.
        ///
        /// Returns:
        ///     The bot after the change, with its deals on their way out.
        ///
        /// Raises:
        ///     ConfigurationError: The record was not made by a client.
        ///     NotFoundError: There is no such bot any more.
        ///     OutcomeUnknownError: The outcome is unknown: the deals may have been cancelled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     bot = sandbox.client().dca_bots.get(41).cancel_all_deals()
        ///     ...     {deal.status for deal in bot.active_deals}
        ///     {'cancel_pending'}
        #[signature ()]
        fn cancel_all_deals | cancel_all_deals_async(&self) -> DcaBot {
            one(self.road().or_py_err()?, RequestSpec::plain(&CANCEL_ALL_DEALS, Some(self.id_in_path().or_py_err()?)))
        }
    }
}

macro_rules! edit_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl DcaBot {
                /// Change some fields of the bot and leave the others as the record holds them.
                ///
                /// All fields that the service insists on, and all others that the record holds, are sent along. What
                /// changed at the service since the record was read is thereby set back: `refresh()` first, or edit
                /// through `client.dca_bots.edit`, which reads the bot itself. The rules of the document are checked
                /// before anything is sent, all at once. Decimals are best given as text or Decimal; a float is taken
                /// by its shortest text.
                ///
                /// Document: Edit DCA Bot. Permission BOTS_WRITE.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked before anything is sent; without it the service judges.
                ///
                /// Returns:
                ///     The bot after the change.
                ///
                /// Raises:
                ///     ValidationError: The change breaks rules, told all at once in `errors`; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     RecordInvalidError: The service found fields invalid.
                ///     NotFoundError: There is no such bot any more.
                ///     OutcomeUnknownError: The outcome is unknown: the bot may have been changed.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().dca_bots.get(41).edit(take_profit="2.5").take_profit
                ///     Decimal('2.5')
                #[signature (*, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn edit | edit_async(&self $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown) -> DcaBot {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    edit(self.road().or_py_err()?, &EDIT, self.id_in_path().or_py_err()?, self.core().clone(), given.given(unknown))
                }

                /// See what an edit would change and send; nothing is sent.
                ///
                /// Document: Edit DCA Bot. Permission BOTS_WRITE, once it is applied.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked now; without it the service judges.
                ///
                /// Returns:
                ///     The changes, what goes along unchanged, what is left out, the exact body and the payload that is
                ///     signed. Its `apply()` sends it.
                ///
                /// Raises:
                ///     ValidationError: The change breaks rules, told all at once in `errors`.
                ///     ConfigurationError: The record was not made by a client.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().dca_bots.get(41).preview_edit(take_profit="2.5").changes
                ///     [<FieldChange take_profit: 1.0 → 2.5>]
                #[signature (*, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn preview_edit | preview_edit_async(
                    &self $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> Previewed<DcaBotEditPreview> {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let edit = Edit::of(&EDIT, self.id_in_path().or_py_err()?, self.core(), given.given(unknown)).or_py_err()?;
                    let preview = DcaBotEditPreview::of(self.road().or_py_err()?, edit);
                    async move { Ok::<_, Error>(preview) }
                }
            }
        }
    };
}

dca_bot_edit_rows!(edit_methods);
