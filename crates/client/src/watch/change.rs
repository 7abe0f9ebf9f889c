//! A change of a bot, or of one of its deals.

use std::fmt::{Display, Formatter, Result};

use jiff::Timestamp;

use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;
use botdesk_api::input::Change;
use botdesk_api::secrets::shown_line;
use botdesk_api::values::Choices;

/// Defines the kinds of changes with their names.
macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident = $name:literal;)*) => {
        /// The kind of a change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ChangeKind {
            $($(#[$about])* $kind),*
        }

        impl ChangeKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name of the kind.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),*
                }
            }
        }

        impl Choices for ChangeKind {
            const VALUES: &'static [&'static str] = &[$($name),*];
            const SAMPLE: &'static str = "null";
        }
    };
}

kinds! {
    /// The bot is new.
    Appeared = "appeared";
    /// The bot is gone.
    Vanished = "vanished";
    /// The bot was enabled.
    Enabled = "enabled";
    /// The bot was disabled.
    Disabled = "disabled";
    /// Settings of the bot were changed.
    Edited = "edited";
    /// A deal was closed.
    DealClosed = "deal_closed";
    /// A deal changed, other than by the price.
    DealChanged = "deal_changed";
    /// A deal was opened.
    DealOpened = "deal_opened";
}

/// A change of a bot, or of one of its deals.
#[derive(Clone, Debug)]
pub struct BotChange {
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The bot as it is now; if it vanished, as it was last.
    pub bot: DcaBot,
    /// The bot as it was before; None if it is new.
    pub before: Option<DcaBot>,
    /// The deal as it is now; if it is gone, as it was last.
    pub deal: Option<Deal>,
    /// The deal as it was before; None if it is new.
    pub deal_before: Option<Deal>,
    /// The fields that differ.
    pub fields: Vec<Change>,
    /// The time of the poll.
    pub at: Timestamp,
}

impl BotChange {
    /// Returns the bot and the deal that changed, for display.
    pub fn subject(&self) -> String {
        let name = self.bot.name().ok().flatten().map_or_else(String::new, |name| format!(" “{name}”"));
        let id = id_text(self.bot.id().ok().flatten());
        let deal = self.deal.as_ref().map_or_else(String::new, |deal| {
            let pair = deal.pair().ok().flatten().map_or_else(String::new, |pair| format!(" {pair}"));
            format!(", deal {}{pair}", id_text(deal.id().ok().flatten()))
        });
        shown_line(&format!("bot {id}{name}{deal}"), MAX_SHOWN_LENGTH)
    }
}

/// The highest number of characters of the subject.
const MAX_SHOWN_LENGTH: usize = 120;

/// The highest number of fields that are shown.
const MAX_SHOWN: usize = 5;

fn id_text(id: Option<i64>) -> String {
    id.map_or_else(|| "?".to_owned(), |id| id.to_string())
}

impl Display for BotChange {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{} {}", self.kind.name(), self.subject())?;
        for (index, change) in self.fields.iter().take(MAX_SHOWN).enumerate() {
            write!(formatter, "{} {change}", if index == 0 { ":" } else { ";" })?;
        }
        match self.fields.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            Some(more) => write!(formatter, "; and {more} more"),
            None => Ok(()),
        }
    }
}
