//! A bot as a poll saw it.

use botdesk_api::dca_bot::DcaBot;
use botdesk_api::deal::Deal;

/// A bot as it was seen.
#[derive(Clone, Debug)]
pub(super) struct BotState {
    /// The bot.
    pub(super) bot: DcaBot,
    /// Its deals; None where they are not known.
    pub(super) deals: Option<Vec<Deal>>,
}
