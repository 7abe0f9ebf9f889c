//! The exchanges of the sandbox: their types, currencies and networks.

use serde_json::Value;

use super::defaults::{self, object};
use super::random::Random;
use super::record::JsonRecord;
use botdesk_api::accounts::{Account, AccountAdd, LeverageType, Network, NetworkInfo};
use botdesk_schema::input::InputName;
use botdesk_schema::mode::PAPER_EXCHANGE;

/// A type of exchange account.
pub(super) struct ExchangeType {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    market: &'static str,
    /// True if `networks_info` and `deposit_data` work for it.
    pub(super) has_networks: bool,
    /// True if it lists one network at a time, so that `networks_info` requires a currency and a network.
    pub(super) lists_one_network: bool,
    /// True if small balances can be converted to BNB.
    pub(super) converts_dust: bool,
    /// An input that is required to add such an account.
    pub(super) required_input: Option<InputName>,
}

const fn exchange(code: &'static str, name: &'static str, market: &'static str) -> ExchangeType {
    ExchangeType {
        code,
        name,
        market,
        has_networks: false,
        lists_one_network: false,
        converts_dust: false,
        required_input: None,
    }
}

impl ExchangeType {
    const fn with_networks(self) -> Self {
        Self { has_networks: true, ..self }
    }

    const fn listing_one_network(self) -> Self {
        Self { lists_one_network: true, ..self }
    }

    const fn converting_dust(self) -> Self {
        Self { converts_dust: true, ..self }
    }

    const fn requiring(self, input: InputName) -> Self {
        Self { required_input: Some(input), ..self }
    }

    pub(super) fn of_code(code: &str) -> Option<&'static Self> {
        EXCHANGES.iter().find(|exchange| exchange.code == code)
    }

    pub(super) fn is_wallet(&self) -> bool {
        self.market == "wallet"
    }

    pub(super) fn is_futures(&self) -> bool {
        self.market == "futures"
    }
}

/// Four types have networks: the spot markets of two exchanges, a regional variant and a broker's. There are two regional variants,
/// because the API reference also documents the error of `networks_info` for a missing currency and network.
pub(super) const EXCHANGES: [ExchangeType; 9] = [
    exchange("demo_spot", "Demo Exchange Spot", "spot").with_networks().converting_dust(),
    exchange("pier_spot", "Pier Exchange Spot", "spot").with_networks().requiring(AccountAdd::passphrase),
    exchange("demo_regional", "Demo Exchange Regional", "spot").with_networks(),
    exchange("demo_broker", "Demo Exchange Broker", "spot").with_networks(),
    exchange("quay_regional", "Quay Exchange Regional", "spot").with_networks().listing_one_network(),
    exchange("demo_futures", "Demo Exchange Futures", "futures"),
    exchange("quay_spot", "Quay Exchange Spot", "spot").requiring(AccountAdd::customer_id),
    exchange(PAPER_EXCHANGE, "Paper Trading Account", "spot"),
    exchange("ethereumwallet", "Ethereum Wallet", "wallet"),
];

/// Returns a new account, whose balances are not loaded yet.
pub(super) fn new_account(id: u64, code: &str, api_key: &str) -> JsonRecord {
    let mut account = defaults::sample::<Account>();
    write_exchange(&mut account, code);
    account.extend(object! { "id": id, "api_key": api_key });
    account
}

/// Writes the fields that depend on the exchange type. An unknown code gives a plain spot account.
fn write_exchange(account: &mut JsonRecord, code: &str) {
    let exchange = ExchangeType::of_code(code);
    let is = |test: fn(&ExchangeType) -> bool| exchange.is_some_and(test);
    let (wallet, futures) = (is(ExchangeType::is_wallet), is(ExchangeType::is_futures));
    let name = exchange.map_or(code, |exchange| exchange.name);
    account.extend(object! {
        "exchange_name": name,
        "pretty_display_type": name.replace(' ', ""),
        "market_icon": icon(code),
        "market_code": code,
        "supported_market_types": vec![exchange.map_or("spot", |exchange| exchange.market)],
        "hedge_mode_available": futures,
        "deposit_enabled": is(|exchange| exchange.has_networks),
    });
    let trading = ["smart_trading_supported", "smart_selling_supported", "trading_supported", "market_buy_supported"];
    let trading = trading.into_iter().chain(["market_sell_supported", "conditional_buy_supported"]);
    let bots = ["bots_allowed", "bots_ttp_allowed", "bots_tsl_allowed", "multi_bots_allowed", "grid_bots_allowed"];
    for field in trading.chain(bots).chain(["fast_convert_available"]) {
        account.insert(field.to_owned(), Value::Bool(!wallet));
    }
}

/// Returns the address of an exchange's icon.
pub(super) fn icon(code: &str) -> String {
    format!("https://icons.example/{code}.png")
}

/// Returns true if accounts of an exchange type trade futures.
pub(super) fn trades_futures(code: &str) -> bool {
    ExchangeType::of_code(code).is_some_and(ExchangeType::is_futures)
}

/// Returns the type of the market on which accounts of an exchange type trade.
pub(super) fn market_type(code: &str) -> &'static str {
    if trades_futures(code) { "futures" } else { "spot" }
}

/// The largest leverage that the exchanges offer.
pub(super) const MAX_LEVERAGE: u32 = 50;

/// Returns the leverage types of an account. Only futures accounts have any.
pub(super) fn leverage(code: &str) -> Vec<Value> {
    let none = defaults::sample::<LeverageType>();
    if !trades_futures(code) {
        return vec![Value::Object(none)];
    }
    let mut cross = none.clone();
    cross.extend(object! {
        "code": "cross",
        "name": "Cross",
        "can_set_leverage_value": true,
        "max_leverage": MAX_LEVERAGE.to_string(),
        "valid": object! { "min": "1", "max": "50" },
    });
    let mut isolated = cross.clone();
    isolated.extend(object! {
        "code": "isolated",
        "name": "Isolated",
        "max_leverage": Value::Null,
        "available_leverage_values": vec!["1", "2", "3", "5", "10", "20", "50"],
        "valid": object! { "min": "1", "max": Value::Null },
    });
    [none, cross, isolated].map(Value::Object).into()
}

/// A currency of the sandbox.
pub(super) struct CurrencySpec {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    /// The identifier at CoinMarketCap.
    pub(super) coinmarketcap_id: u32,
    /// The approximate price in USD.
    pub(super) usd: &'static str,
    networks: &'static [NetworkSpec],
}

/// A network of a currency. The first one is the default.
struct NetworkSpec {
    network: &'static str,
    name: &'static str,
    address: AddressFormat,
    fee: &'static str,
    /// The increment of withdrawal amounts.
    multiple: &'static str,
    deposits: bool,
    withdrawals: bool,
    /// The name of the tag that deposits require besides the address.
    label: Option<&'static str>,
}

/// The format of the addresses of a network.
struct AddressFormat {
    prefix: &'static str,
    letters: &'static str,
    length: usize,
    regexp: &'static str,
}

const BASE58: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const HEX: AddressFormat =
    AddressFormat { prefix: "0x", letters: "0123456789abcdef", length: 40, regexp: "^0x[0-9a-f]{40}$" };

const BITCOIN: AddressFormat = AddressFormat {
    prefix: "bc1q",
    letters: "023456789acdefghjklmnpqrstuvwxyz",
    length: 38,
    regexp: "^bc1q[02-9ac-hj-np-z]{38}$",
};

const TRON: AddressFormat =
    AddressFormat { prefix: "T", letters: BASE58, length: 33, regexp: "^T[1-9A-HJ-NP-Za-km-z]{33}$" };

const RIPPLE: AddressFormat =
    AddressFormat { prefix: "r", letters: BASE58, length: 33, regexp: "^r[1-9A-HJ-NP-Za-km-z]{33}$" };

const SOLANA: AddressFormat =
    AddressFormat { prefix: "", letters: BASE58, length: 44, regexp: "^[1-9A-HJ-NP-Za-km-z]{44}$" };

const fn open(
    network: &'static str,
    name: &'static str,
    address: AddressFormat,
    fee: &'static str,
    multiple: &'static str,
) -> NetworkSpec {
    NetworkSpec { network, name, address, fee, multiple, deposits: true, withdrawals: true, label: None }
}

impl NetworkSpec {
    const fn without_deposits(self) -> Self {
        Self { deposits: false, ..self }
    }

    const fn without_withdrawals(self) -> Self {
        Self { withdrawals: false, ..self }
    }

    const fn with_tag(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }
}

/// The currencies, among them the quote currencies of the seeded pairs. SOL allows no deposits, DOGE no withdrawals.
pub(super) const CURRENCIES: [CurrencySpec; 7] = [
    CurrencySpec {
        code: "BTC",
        name: "Bitcoin",
        coinmarketcap_id: 1,
        usd: "61890.42",
        networks: &[
            open("BTC", "Bitcoin", BITCOIN, "0.0001", "0.00000001"),
            open("BEP20", "Smart Chain (BEP20)", HEX, "0.0000043", "0.00000001").without_deposits(),
        ],
    },
    CurrencySpec {
        code: "ETH",
        name: "Ethereum",
        coinmarketcap_id: 1027,
        usd: "3421.15",
        networks: &[
            open("ETH", "Ethereum (ERC20)", HEX, "0.0012", "0.00000001"),
            open("ARBITRUM", "Arbitrum One", HEX, "0.0001", "0.00000001").without_withdrawals(),
        ],
    },
    CurrencySpec {
        code: "USDT",
        name: "Tether",
        coinmarketcap_id: 825,
        usd: "1",
        networks: &[
            open("TRX", "Tron (TRC20)", TRON, "1", "0.000001"),
            open("ETH", "Ethereum (ERC20)", HEX, "4.5", "0.000001"),
        ],
    },
    CurrencySpec {
        code: "XRP",
        name: "XRP",
        coinmarketcap_id: 52,
        usd: "0.6025",
        networks: &[open("XRP", "Ripple", RIPPLE, "0.2", "0.000001").with_tag("Tag")],
    },
    CurrencySpec {
        code: "SOL",
        name: "Solana",
        coinmarketcap_id: 5426,
        usd: "128.74",
        networks: &[open("SOL", "Solana", SOLANA, "0.008", "0.00000001").without_deposits()],
    },
    CurrencySpec {
        code: "DOGE",
        name: "Dogecoin",
        coinmarketcap_id: 74,
        usd: "0.14127",
        networks: &[open("BEP20", "Smart Chain (BEP20)", HEX, "5", "0.00000001").without_withdrawals()],
    },
    CurrencySpec {
        code: "USDC",
        name: "USD Coin",
        coinmarketcap_id: 3408,
        usd: "1",
        networks: &[
            open("ETH", "Ethereum (ERC20)", HEX, "4.5", "0.000001"),
            open("ARBITRUM", "Arbitrum One", HEX, "0.1", "0.000001"),
        ],
    },
];

/// The currency to which small balances are converted. No account has it before.
static BNB: CurrencySpec =
    CurrencySpec { code: "BNB", name: "BNB", coinmarketcap_id: 1839, usd: "585.2", networks: &[] };

/// Returns the currency with this code, if an account may have it.
pub(super) fn currency(code: &str) -> Option<&'static CurrencySpec> {
    CURRENCIES.iter().chain([&BNB]).find(|currency| currency.code == code)
}

/// Returns the networks of all currencies, or of those that allow the purpose: `deposit`, or any other for withdrawals.
pub(super) fn networks(purpose: Option<&str>) -> Value {
    let matches = |currency: &&CurrencySpec| match purpose {
        Some("deposit") => currency.allows_deposits(),
        Some(_) => currency.allows_withdrawals(),
        None => true,
    };
    CURRENCIES.iter().filter(matches).map(|currency| Value::Object(currency.record())).collect()
}

/// Returns one network of a currency, in a list; an empty list if it does not exist.
pub(super) fn network(currency: &str, network: &str) -> Value {
    let found = CURRENCIES.iter().filter(|known| known.code == currency);
    let found = found.filter_map(|known| {
        let mut record = known.record();
        let Some(Value::Array(networks)) = record.get_mut("network_list") else { return None };
        networks.retain(|one| one.get("network").is_some_and(|name| name == network));
        (!networks.is_empty()).then_some(Value::Object(record))
    });
    found.collect()
}

impl CurrencySpec {
    pub(super) fn is_stablecoin(&self) -> bool {
        self.usd == "1"
    }

    fn allows_deposits(&self) -> bool {
        self.networks.iter().any(|network| network.deposits)
    }

    fn allows_withdrawals(&self) -> bool {
        self.networks.iter().any(|network| network.withdrawals)
    }

    fn record(&self) -> JsonRecord {
        let networks = self.networks.iter().enumerate();
        let networks: Vec<_> = networks.map(|(index, network)| Value::Object(network.record(index == 0))).collect();
        let mut record = defaults::sample::<NetworkInfo>();
        record.extend(object! {
            "currency": self.code,
            "name": self.name,
            "deposit_enable": self.allows_deposits(),
            "withdraw_enable": self.allows_withdrawals(),
            "network_list": networks,
        });
        record
    }
}

impl NetworkSpec {
    fn record(&self, default: bool) -> JsonRecord {
        let mut record = defaults::sample::<Network>();
        record.extend(object! {
            "network": self.network,
            "default": default,
            "deposit_enable": self.deposits,
            "withdraw_enable": self.withdrawals,
            "network_name": self.name,
            "network_url": format!("https://networks.example/{}", self.network.to_ascii_lowercase()),
            "address_regexp": self.address.regexp,
            "withdraw_fee": self.fee,
            "withdraw_min": self.fee,
            "withdrawMax": "1000000",
            "withdrawMultiple": self.multiple,
            "require_address_tag": self.label.is_some(),
        });
        if let Some(label) = self.label {
            record.extend(object! {
                "deposit_tip": format!("A deposit without its {label} is lost"),
                "label": label,
                "memo_regexp": "^[0-9]{9}$",
            });
        }
        record
    }
}

impl AddressFormat {
    fn generate(&self, random: &mut Random) -> String {
        let letters = self.letters.as_bytes();
        let letter = |random: &mut Random| char::from(random.choose(letters, b'0'));
        let letters: String = (0..self.length).map(|_| letter(random)).collect();
        format!("{}{letters}", self.prefix)
    }
}

/// Returns the deposit address of a currency, or the error message of the exchange.
pub(super) fn deposit_address(seed: u64, account_id: u64, currency: &str, network: &str) -> Result<JsonRecord, String> {
    let mut currencies = CURRENCIES.iter().zip(1_u64..).filter(|(known, _)| known.code == currency);
    let (known, index) = currencies.next().ok_or_else(|| format!("Currency {currency} is not supported"))?;
    let mut networks = known.networks.iter().zip(1_u64..).filter(|(one, _)| one.network == network);
    let (spec, number) = networks.next().ok_or_else(|| format!("Network {network} is not supported for {currency}"))?;
    if !spec.deposits {
        return Err(format!("Deposits of {currency} over the network {network} are closed"));
    }
    let mut random = Random::new(seed ^ account_id, index << 8 | number);
    let tag = spec.label.map(|_| random.between(100_000_000, 999_999_999).to_string());
    Ok(object! {
        "address": spec.address.generate(&mut random),
        "address_tag": tag.unwrap_or_default(),
    })
}
