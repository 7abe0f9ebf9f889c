//! `Network`.

use super::record_class;

use botdesk_api::network_rows;
use botdesk_api::values::{Amount, Flag, Text};

network_rows!(record_class plain botdesk_api::network::Network;);
