//! The controls: what tests let the streams do wrong.

/// What the streams do wrong, until it is cleared.
#[allow(clippy::struct_excessive_bools, reason = "each is a control of its own")]
#[derive(Clone, Debug, Default)]
pub(super) struct Controls {
    /// The status that refuses handshakes, and the number of those that it refuses; None for no limit.
    pub(super) refusal: Option<(u16, Option<u32>)>,
    /// The number of subscriptions that are rejected.
    pub(super) rejections: u32,
    /// True to send no welcome.
    pub(super) withholds_welcome: bool,
    /// True to answer no subscription.
    pub(super) withholds_confirmation: bool,
    /// True to send nothing at all: no ping, and no data.
    pub(super) is_silent: bool,
    /// The number of times that each data frame is sent more than once.
    pub(super) repeats: u32,
    /// True to keep data frames back.
    pub(super) holds: bool,
    /// True to publish a deal at a mere price tick too.
    pub(super) publishes_ticks: bool,
}

impl Controls {
    /// Returns the status that refuses the next handshake; None if none does.
    pub(super) fn take_refusal(&mut self) -> Option<u16> {
        let (status, left) = self.refusal.as_mut()?;
        let status = *status;
        if let Some(left) = left {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.refusal = None;
            }
        }
        Some(status)
    }

    /// Returns true if the next subscription is rejected.
    pub(super) fn take_rejection(&mut self) -> bool {
        let rejects = self.rejections > 0;
        self.rejections = self.rejections.saturating_sub(1);
        rejects
    }
}
