//! The state of a bot.

use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;

/// A bot and its deals.
#[derive(Clone, Debug)]
pub(super) struct BotState {
    /// The bot.
    pub(super) bot: DcaBot,
    /// Its deals; None if they are unknown.
    pub(super) deals: Option<Vec<Deal>>,
}
