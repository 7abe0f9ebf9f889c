//! `Network`.

use super::record_class;
use crate::service::network::network_rows;
use crate::service::values::{Amount, Flag, Text};

network_rows!(record_class plain crate::service::network::Network;);
