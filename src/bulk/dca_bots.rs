//! Many DCA bots at once.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::run::{Given, Run};
use super::targets::Targets;
use super::waiting::many;
use crate::arguments::{Argument, Gathered, Unknown};
use crate::dca_bots::DcaBots;
use crate::records::DcaBot;
use botdesk_api::dca_bot::{
    self, CANCEL_ALL_DEALS, DISABLE, DcaBotEdit, EDIT, GET, LeverageChoice, MinProfitType, ProfitCurrency,
    StartOrderType, StopLossType, TakeProfitType, VolumeType,
};
use botdesk_api::dca_bot_edit_rows;
use botdesk_api::input::Pairs;
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Decimal, Bool, Integer, List, Object, OneOf, Text};
use botdesk_client::bulk::{Bulk, BulkAction, CONCURRENCY};
use botdesk_client::error::Error;

macro_rules! edit_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        many! {
            impl DcaBots {
                /// Change the same fields of many DCA bots and leave the others as they are.
                ///
                /// Bots of which only the identifier is given are read first; for a record the edit goes by what it holds, as
                /// `bot.edit(…)` does. The rules of the document are checked for all bots before the first of them is changed, and all
                /// that breaks them is told at once, by bot. Decimals are best given as text or Decimal; a float is taken by its
                /// shortest text.
                ///
                /// Each bot has an outcome of its own; one that fails does not end the others. Once the service keeps the client
                /// out (401, 418, or a plan that does not include it), the rest is not sent. Ctrl-C, or cancelling the coroutine,
                /// lets what is under way end, sends nothing more, and then raises, with the result on the error:
                /// `BulkResult.behind(error)`.
                ///
                /// Document: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.
                ///
                /// Args:
                ///     bots: The bots: records, identifiers, or both.
                ///     preview: Whether to send nothing and give a `BulkPreview` of what would be sent.
                ///     concurrency: How many requests may be under way at once, 1 to 64.
                ///     progress: Whether a bar of tqdm shows how far it is; None for one where tqdm is installed, somebody watches and
                ///         it takes longer than two seconds.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked before anything is sent; without it the service judges.
                ///
                /// Returns:
                ///     A `BulkResult`: what is done, what failed, what is unknown and what was not started.
                ///
                /// Raises:
                ///     ValidationError: The change breaks rules, told in `errors` under names such as `41.take_profit`, or a bot is
                ///         named twice; nothing was changed.
                ///     ConfigurationError: A bar is wanted and tqdm is not installed; nothing was sent.
                ///     ApiError: The service keeps the client out while bots are read for a preview.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     client = sandbox.client()
                ///     ...     client.dca_bots.edit_many([41, 43], cooldown=60, preview=True)
                ///     ...     client.dca_bots.edit_many([41, 43], cooldown=60)
                ///     Preview of dca_bots.edit of 2
                ///       DcaBot 41 “Steady ETH long”    cooldown: 0 → 60
                ///       DcaBot 43 “Patient XRP short”  cooldown: 3600 → 60
                ///     nothing is sent until apply()
                ///     <BulkResult dca_bots.edit of 2: 2 done>
                #[signature (
                    bots, *, preview: "bool" = false, concurrency: "int" = CONCURRENCY, progress: "bool | None" = None,
                    $($field = Argument::absent(),)* validate = true, **unknown: "None"
                )]
                fn edit_many | edit_many_async(
                    &self, bots: Targets<DcaBot>, preview: bool, concurrency: i64, progress: Option<bool>
                    $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> Given<DcaBot> {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let work = BulkAction::Edit { endpoint: &EDIT, read: &GET, given: given.given(unknown) };
                    Run::first(self.many(work, bots, concurrency).or_py_err()?, preview, progress)
                }
            }
        }
    };
}

dca_bot_edit_rows!(edit_methods);

many! {
    impl DcaBots {
        /// Disable many DCA bots: they open no more deals; their open deals stay.
        ///
        /// Each bot has an outcome of its own; one that fails does not end the others. Once the service keeps the client
        /// out (401, 418, or a plan that does not include it), the rest is not sent. Ctrl-C, or cancelling the coroutine,
        /// lets what is under way end, sends nothing more, and then raises, with the result on the error:
        /// `BulkResult.behind(error)`.
        ///
        /// Document: Disable DCA Bot. Permission BOTS_WRITE.
        ///
        /// Args:
        ///     bots: The bots: records, identifiers, or both.
        ///     preview: Whether to send nothing and give a `BulkPreview` of what would be sent.
        ///     concurrency: How many requests may be under way at once, 1 to 64.
        ///     progress: Whether a bar of tqdm shows how far it is; None for one where tqdm is installed, somebody watches and
        ///         it takes longer than two seconds.
        ///
        /// Returns:
        ///     A `BulkResult`: what is done, what failed, what is unknown and what was not started.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule, or a bot is named twice; nothing was sent.
        ///     ConfigurationError: A bar is wanted and tqdm is not installed; nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     client = sandbox.client()
        ///     ...     client.dca_bots.disable_many([41, 43])
        ///     <BulkResult dca_bots.disable of 2: 2 done>
        #[signature (
            bots, *, preview: "bool" = false, concurrency: "int" = CONCURRENCY, progress: "bool | None" = None
        )]
        fn disable_many | disable_many_async(
            &self, bots: Targets<DcaBot>, preview: bool, concurrency: i64, progress: Option<bool>
        ) -> Given<DcaBot> {
            Run::first(self.many(BulkAction::Request(&DISABLE), bots, concurrency).or_py_err()?, preview, progress)
        }

        /// Cancel all open deals of many DCA bots, and disable them.
        ///
        /// Each bot has an outcome of its own; one that fails does not end the others. Once the service keeps the client
        /// out (401, 418, or a plan that does not include it), the rest is not sent. Ctrl-C, or cancelling the coroutine,
        /// lets what is under way end, sends nothing more, and then raises, with the result on the error:
        /// `BulkResult.behind(error)`.
        ///
        /// Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.
        ///
        /// Args:
        ///     bots: The bots: records, identifiers, or both.
        ///     preview: Whether to send nothing and give a `BulkPreview` of what would be sent.
        ///     concurrency: How many requests may be under way at once, 1 to 64.
        ///     progress: Whether a bar of tqdm shows how far it is; None for one where tqdm is installed, somebody watches and
        ///         it takes longer than two seconds.
        ///
        /// Returns:
        ///     A `BulkResult`: what is done, what failed, what is unknown and what was not started.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule, or a bot is named twice; nothing was sent.
        ///     ConfigurationError: A bar is wanted and tqdm is not installed; nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     client = sandbox.client()
        ///     ...     client.dca_bots.cancel_all_deals_many([41, 43])
        ///     <BulkResult dca_bots.cancel_all_deals of 2: 2 done>
        #[signature (
            bots, *, preview: "bool" = false, concurrency: "int" = CONCURRENCY, progress: "bool | None" = None
        )]
        fn cancel_all_deals_many | cancel_all_deals_many_async(
            &self, bots: Targets<DcaBot>, preview: bool, concurrency: i64, progress: Option<bool>
        ) -> Given<DcaBot> {
            Run::first(self.many(BulkAction::Request(&CANCEL_ALL_DEALS), bots, concurrency).or_py_err()?, preview, progress)
        }
    }
}

impl DcaBots {
    fn many(&self, work: BulkAction, bots: Targets<DcaBot>, concurrency: i64) -> Result<Bulk<dca_bot::DcaBot>, Error> {
        Bulk::new(Arc::clone(&self.road), work, "bots", bots.of("bots", &self.road)?, concurrency)
    }
}
