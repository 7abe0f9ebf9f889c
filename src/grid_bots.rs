//! The grid bots of a client, and what a grid bot can do.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use serde_json::json;

use super::arguments::{Argument, Gathered, Identifier, Unknown};
use super::bridge::twins;
use super::calls::{edit, one};
use super::previews::{GridBotEditPreview, Previewed};
use super::records::{Acting, GridBot};
use botdesk_api::dca_bot::LeverageChoice;
use botdesk_api::grid_bot::{self, EDIT, ENABLE, GridBotEdit, GridBotNote, GridType, SET_NOTE, StopLossAction};
use botdesk_api::grid_bot_edit_rows;
use botdesk_api::grid_bot_note_rows;
use botdesk_api::record::Record;
use botdesk_api::values::{Decimal, Bool, Integer, OneOf, Text};
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::RequestSpec;

/// A bot of which only the identifier is known.
fn unread(id: u64) -> PyResult<grid_bot::GridBot> {
    Record::from_json(&json!({ "id": id }).to_string()).or_py_err()
}

/// The grid bots: `client.grid_bots`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct GridBots {
    pub(super) road: Arc<HttpClient>,
}

macro_rules! edit_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl GridBots {
                /// Change a grid bot, all of whose required fields are given.
                ///
                /// The service can't be asked for a grid bot by its identifier, so what is not given is not sent. With
                /// a record, `GridBot.edit` fills in the rest. `grids_quantity` travels under both names that the
                /// document has for it.
                ///
                /// Document: Edit Grid Bot. Permission BOTS_WRITE.
                ///
                /// Args:
                ///     grid_bot_id: Identifier of the bot.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked before anything is sent; without it the service judges.
                ///
                /// Returns:
                ///     The bot after the change.
                ///
                /// Raises:
                ///     ValidationError: A required field is missing, or the change breaks other rules, told all at
                ///         once in `errors`; nothing was sent.
                ///     RecordInvalidError: The service found fields invalid.
                ///     NotFoundError: There is no such bot.
                ///     OutcomeUnknownError: The outcome is unknown: the bot may have been changed.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     bot = sandbox.client().grid_bots.edit(
                ///     ...         203,
                ///     ...         lower_price="1900",
                ///     ...         upper_price="2100",
                ///     ...         grids_quantity=11,
                ///     ...         quantity_per_grid="0.01",
                ///     ...         upper_stop_loss_enabled=False,
                ///     ...     )
                ///     ...     bot.grids_quantity
                ///     11
                #[signature (grid_bot_id, *, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn edit | edit_async(
                    &self, grid_bot_id: Identifier $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> GridBot {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&EDIT, Some(grid_bot_id.of("grid_bot_id").or_py_err()?), given.given(unknown)).or_py_err()?;
                    one(Arc::clone(&self.road), call)
                }

                /// See what an edit would send; nothing is sent.
                ///
                /// The service can't be asked for a grid bot by its identifier, so what it holds now is not known:
                /// each field that is given is a change, whose old value is None.
                ///
                /// Document: Edit Grid Bot. Permission BOTS_WRITE, once it is applied.
                ///
                /// Args:
                ///     grid_bot_id: Identifier of the bot.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///     validate: Whether the rules are checked now; without it the service judges.
                ///
                /// Returns:
                ///     The changes, the exact body and the payload that is signed. Its `apply()` sends it.
                ///
                /// Raises:
                ///     ValidationError: A required field is missing, or the change breaks other rules, told all at
                ///         once in `errors`.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     preview = sandbox.client().grid_bots.preview_edit(
                ///     ...         203,
                ///     ...         lower_price="1900",
                ///     ...         upper_price="2100",
                ///     ...         grids_quantity=11,
                ///     ...         quantity_per_grid="0.01",
                ///     ...         upper_stop_loss_enabled=False,
                ///     ...     )
                ///     >>> preview.path
                ///     '/public/api/ver1/grid_bots/203/manual'
                #[signature (grid_bot_id, *, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn preview_edit | preview_edit_async(
                    &self, grid_bot_id: Identifier $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> Previewed<GridBotEditPreview> {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let id = grid_bot_id.of("grid_bot_id").or_py_err()?;
                    let edit = Edit::of(&EDIT, id, &unread(id)?, given.given(unknown)).or_py_err()?;
                    let preview = GridBotEditPreview::of(Arc::clone(&self.road), edit);
                    async move { Ok::<_, Error>(preview) }
                }
            }
        }

        twins! {
            impl GridBot {
                /// Change some fields of the bot and leave the others as the record holds them.
                ///
                /// All fields that the service insists on, and all others that the record holds, are sent along. What
                /// changed at the service since the record was read is thereby set back. The rules of the document are
                /// checked before anything is sent, all at once. Decimals are best given as text or Decimal; a float
                /// is taken by its shortest text.
                ///
                /// Document: Edit Grid Bot. Permission BOTS_WRITE.
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
                ///     ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
                ///     ...     bot.edit(grids_quantity=11).grids_quantity
                ///     11
                #[signature (*, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn edit | edit_async(&self $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown) -> GridBot {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    edit(self.road().or_py_err()?, &EDIT, self.id_in_path().or_py_err()?, self.core().clone(), given.given(unknown))
                }

                /// See what an edit would change and send; nothing is sent.
                ///
                /// Document: Edit Grid Bot. Permission BOTS_WRITE, once it is applied.
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
                ///     ...     sandbox.client().grid_bots.enable(203).preview_edit(grids_quantity=11).changes
                ///     [<FieldChange grids_quantity: 21 → 11>]
                #[signature (*, $($field = Argument::absent(),)* validate = true, **unknown: "None")]
                fn preview_edit | preview_edit_async(
                    &self $(, $field: Argument<$kind>)*, validate: bool, **unknown: Unknown
                ) -> Previewed<GridBotEditPreview> {
                    let given = Gathered::new($inputs::INPUTS, validate)$(.with($inputs::$field as usize, $field))*;
                    let edit = Edit::of(&EDIT, self.id_in_path().or_py_err()?, self.core(), given.given(unknown)).or_py_err()?;
                    let preview = GridBotEditPreview::of(self.road().or_py_err()?, edit);
                    async move { Ok::<_, Error>(preview) }
                }
            }
        }
    };
}

grid_bot_edit_rows!(edit_methods);

macro_rules! note_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        twins! {
            impl GridBots {
                /// Set the note of a grid bot.
                ///
                /// Document: Set a note to Grid Bot. Permission BOTS_WRITE.
                ///
                /// Args:
                ///     grid_bot_id: Identifier of the bot.
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The bot with its new note.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     NotFoundError: There is no such bot.
                ///     OutcomeUnknownError: The outcome is unknown: the note may have been set.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     sandbox.client().grid_bots.set_note(203, "Mind the range").note
                ///     'Mind the range'
                #[signature (grid_bot_id $(, $field)*)]
                fn set_note | set_note_async(&self, grid_bot_id: Identifier $(, $field: Argument<$kind>)*) -> GridBot {
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    let call = RequestSpec::with(&SET_NOTE, Some(grid_bot_id.of("grid_bot_id").or_py_err()?), given.given(None)).or_py_err()?;
                    one(Arc::clone(&self.road), call)
                }
            }
        }

        twins! {
            impl GridBot {
                /// Set the note of the bot.
                ///
                /// Document: Set a note to Grid Bot. Permission BOTS_WRITE.
                ///
                /// Args:
                $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
                ///
                /// Returns:
                ///     The bot with its new note.
                ///
                /// Raises:
                ///     ValidationError: An argument breaks a rule; nothing was sent.
                ///     ConfigurationError: The record was not made by a client.
                ///     NotFoundError: There is no such bot any more.
                ///     OutcomeUnknownError: The outcome is unknown: the note may have been set.
                ///     ApiError: The service refused.
                ///     TransportError: Nothing was sent.
                ///
                /// Example:
                ///     >>> import botdesk
                ///     >>> with botdesk.Sandbox() as sandbox:
                ///     ...     bot = sandbox.client().grid_bots.enable(203)
                ///     ...     bot.set_note("Mind the range").note
                ///     'Mind the range'
                #[signature ($($field),*)]
                fn set_note | set_note_async(&self $(, $field: Argument<$kind>)*) -> GridBot {
                    let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                    one(self.road().or_py_err()?, RequestSpec::with(&SET_NOTE, Some(self.id_in_path().or_py_err()?), given.given(None)).or_py_err()?)
                }
            }
        }
    };
}

grid_bot_note_rows!(note_methods);

twins! {
    impl GridBots {
        /// Enable a grid bot.
        ///
        /// Document: Enable Grid Bot. Permission BOTS_WRITE.
        ///
        /// Args:
        ///     grid_bot_id: Identifier of the bot.
        ///
        /// Returns:
        ///     The bot, enabled.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule; nothing was sent.
        ///     NotFoundError: There is no such bot.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been enabled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().grid_bots.enable(203).is_enabled
        ///     True
        #[signature (grid_bot_id)]
        fn enable | enable_async(&self, grid_bot_id: Identifier) -> GridBot {
            one(Arc::clone(&self.road), RequestSpec::plain(&ENABLE, Some(grid_bot_id.of("grid_bot_id").or_py_err()?)))
        }
    }
}

twins! {
    impl GridBot {
        /// Enable the bot.
        ///
        /// Document: Enable Grid Bot. Permission BOTS_WRITE.
        ///
        /// Returns:
        ///     The bot, enabled.
        ///
        /// Raises:
        ///     ConfigurationError: The record was not made by a client.
        ///     NotFoundError: There is no such bot any more.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been enabled.
        ///     ApiError: The service refused.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
        ///     ...     bot.enable().is_enabled
        ///     True
        #[signature ()]
        fn enable | enable_async(&self) -> GridBot {
            one(self.road().or_py_err()?, RequestSpec::plain(&ENABLE, Some(self.id_in_path().or_py_err()?)))
        }
    }
}
