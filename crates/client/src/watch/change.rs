//! A change of a bot, or of one of its deals.

use std::fmt::{Display, Formatter, Result};

use jiff::Timestamp;

use botdesk_api::dca_bot::DcaBot;
use botdesk_api::deal::Deal;
use botdesk_api::input::Change;
use botdesk_api::secrets::shown_line;
use botdesk_api::values::Choices;

/// Writes the kinds of changes with their names.
macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident = $name:literal;)*) => {
        /// What a change is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ChangeKind {
            $($(#[$about])* $kind),*
        }

        impl ChangeKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name.
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
    /// The bot was not there before.
    Appeared = "appeared";
    /// The bot is not there any more.
    Vanished = "vanished";
    /// The bot opens deals again.
    Enabled = "enabled";
    /// The bot opens no more deals.
    Disabled = "disabled";
    /// Settings of the bot were changed.
    Edited = "edited";
    /// A deal ended.
    DealClosed = "deal_closed";
    /// A deal changed other than by the price.
    DealChanged = "deal_changed";
    /// A deal began.
    DealOpened = "deal_opened";
}

/// A change of a bot, or of one of its deals.
#[derive(Clone, Debug)]
pub struct BotChange {
    /// What it is.
    pub kind: ChangeKind,
    /// The bot as it is now; one that vanished, as it was last.
    pub bot: DcaBot,
    /// The bot as it was before; None where it was not there.
    pub before: Option<DcaBot>,
    /// The deal as it is now; one that is gone, as it was last.
    pub deal: Option<Deal>,
    /// The deal as it was before; None where it was not there.
    pub deal_before: Option<Deal>,
    /// The fields that differ.
    pub fields: Vec<Change>,
    /// When it was seen.
    pub at: Timestamp,
}

impl BotChange {
    /// What changed, as a user reads it: the bot, and its deal.
    pub fn subject(&self) -> String {
        let name = self.bot.name().ok().flatten().map_or_else(String::new, |name| format!(" “{name}”"));
        let id = id_text(self.bot.id().ok().flatten());
        let deal = self.deal.as_ref().map_or_else(String::new, |deal| {
            let pair = deal.pair().ok().flatten().map_or_else(String::new, |pair| format!(" {pair}"));
            format!(", deal {}{pair}", id_text(deal.id().ok().flatten()))
        });
        shown_line(&format!("bot {id}{name}{deal}"), LONGEST_SHOWN)
    }
}

/// How much of what changed is shown.
const LONGEST_SHOWN: usize = 120;

/// How many fields are shown.
const MOST_SHOWN: usize = 5;

fn id_text(id: Option<i64>) -> String {
    id.map_or_else(|| "?".to_owned(), |id| id.to_string())
}

impl Display for BotChange {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{} {}", self.kind.name(), self.subject())?;
        for (index, change) in self.fields.iter().take(MOST_SHOWN).enumerate() {
            write!(formatter, "{} {change}", if index == 0 { ":" } else { ";" })?;
        }
        match self.fields.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
            Some(more) => write!(formatter, "; and {more} more"),
            None => Ok(()),
        }
    }
}
