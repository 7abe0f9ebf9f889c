//! The money of accounts: what their orders reserve, and how fills move it.

mod posting;
mod reserved;
mod trades;
