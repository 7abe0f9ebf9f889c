//! `NetworkInfo`.

use super::record_class;
use crate::service::network::{Network, network_info_rows};
use crate::service::values::{Flag, List, Text};

network_info_rows!(record_class plain crate::service::network::NetworkInfo;);
