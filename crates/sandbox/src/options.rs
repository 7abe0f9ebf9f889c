//! What a sandbox is made of.

/// What a sandbox is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// From which the world is made; the same seed makes the same world.
    pub seed: u64,
    /// How many DCA bots there are.
    pub bots: usize,
    /// The port to listen on; 0 for any that is free.
    pub port: u16,
    /// How many requests a key has in a minute; None for as many as it likes.
    pub rate_limit: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, bots: 12, port: 0, rate_limit: None }
    }
}
