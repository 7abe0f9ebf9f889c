//! Networks: how a currency is deposited to an exchange and withdrawn from it.

use super::api_module::ApiModule;
use super::record::{RecordSpec, record};
use super::values::{Bool, Decimal, List, Text};

record! {
    /// A network over which a currency is deposited and withdrawn.
    Network {
        /// Name of the network.
        network: Text, in_repr;
        /// True if this is the main network of the currency.
        default: Bool, in_repr, sample(true);
        /// True if deposits are possible.
        deposit_enable: Bool, in_repr, sample(true);
        /// True if withdrawals are possible.
        withdraw_enable: Bool, in_repr, sample(true);
        /// Advice before a deposit.
        deposit_tip: Text, sample(null);
        /// Advice before a withdrawal.
        withdraw_tip: Text, sample(null);
        /// Further advice.
        special_tip: Text, sample(null);
        /// Full name of the network.
        network_name: Text;
        /// Web page of the network.
        network_url: Text;
        /// Regular expression that an address matches.
        address_regexp: Text;
        /// Fee of a withdrawal.
        withdraw_fee: Decimal;
        /// Least amount of a withdrawal.
        withdraw_min: Decimal;
        /// Largest amount of a withdrawal.
        withdraw_max: Decimal = "withdrawMax";
        /// Smallest increment of a withdrawal's amount.
        withdraw_multiple: Decimal = "withdrawMultiple";
        /// Regular expression that a memo matches.
        memo_regexp: Text, sample(null);
        /// Name of the extra field, such as memo or tag.
        label: Text, sample(null);
        /// True if an address needs a tag.
        require_address_tag: Bool;
    }
}

record! {
    /// A currency, and the networks over which it is deposited and withdrawn.
    NetworkInfo {
        /// Code of the currency.
        currency: Text, identifier, in_repr;
        /// Full name of the currency.
        name: Text, in_repr;
        /// True if deposits are possible.
        deposit_enable: Bool, in_repr, sample(true);
        /// True if withdrawals are possible.
        withdraw_enable: Bool, in_repr, sample(true);
        /// The networks.
        network_list: List<Network>;
    }
}

/// This module's part of the API reference.
pub const API_MODULE: ApiModule = ApiModule {
    file: file!(),
    records: &[RecordSpec::of::<NetworkInfo>(), RecordSpec::of::<Network>()],
    operations: &[],
};
