//! `NetworkInfo`.

use super::record_class;
use botdesk_api::network::Network;
use botdesk_api::network_info_rows;
use botdesk_api::values::{Flag, List, Text};

network_info_rows!(record_class plain botdesk_api::network::NetworkInfo;);
