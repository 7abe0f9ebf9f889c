//! The exchanges of the demo world: their kinds, the currencies they hold and the networks these travel over.

use bigdecimal::{BigDecimal, RoundingMode};
use serde_json::Value;

use super::defaults::{self, object};
use super::record::Record;
use super::seed::Random;
use botdesk_api::account::{AccountAdd, LeverageType};
use botdesk_api::decimal;
use botdesk_api::network::{Network, NetworkInfo};

/// A kind of exchange account.
pub(super) struct Exchange {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    market: &'static str,
    /// Whether the service knows its networks and deposit addresses.
    pub(super) has_networks: bool,
    /// Whether it lists one network at a time, so that `networks_info` needs a currency and a network.
    pub(super) lists_one_network: bool,
    /// What else it takes to add such an account.
    pub(super) asks_for: Option<AccountAdd>,
}

const fn exchange(code: &'static str, name: &'static str, market: &'static str) -> Exchange {
    Exchange { code, name, market, has_networks: false, lists_one_network: false, asks_for: None }
}

impl Exchange {
    const fn with_networks(self) -> Self {
        Self { has_networks: true, ..self }
    }

    const fn one_at_a_time(self) -> Self {
        Self { lists_one_network: true, ..self }
    }

    const fn asking_for(self, input: AccountAdd) -> Self {
        Self { asks_for: Some(input), ..self }
    }

    pub(super) fn of_code(code: &str) -> Option<&'static Self> {
        EXCHANGES.iter().find(|exchange| exchange.code == code)
    }

    fn is_wallet(&self) -> bool {
        self.market == "wallet"
    }

    fn is_futures(&self) -> bool {
        self.market == "futures"
    }
}

/// Four kinds have networks: the spot markets of two exchanges, a regional variant and a broker's. The regional variant
/// comes twice: the API reference also documents a `networks_info` that complains of a missing currency and network.
const EXCHANGES: [Exchange; 8] = [
    exchange("demo_spot", "Demo Exchange Spot", "spot").with_networks(),
    exchange("pier_spot", "Pier Exchange Spot", "spot").with_networks().asking_for(AccountAdd::passphrase),
    exchange("demo_regional", "Demo Exchange Regional", "spot").with_networks(),
    exchange("demo_broker", "Demo Exchange Broker", "spot").with_networks(),
    exchange("quay_regional", "Quay Exchange Regional", "spot").with_networks().one_at_a_time(),
    exchange("demo_futures", "Demo Exchange Futures", "futures"),
    exchange("quay_spot", "Quay Exchange Spot", "spot").asking_for(AccountAdd::customer_id),
    exchange("ethereumwallet", "Ethereum Wallet", "wallet"),
];

/// Writes what follows from the kind of an account. A code that is not of the demo world makes a plain spot account.
pub(super) fn describe(account: &mut Record, code: &str) {
    let exchange = Exchange::of_code(code);
    let is = |test: fn(&Exchange) -> bool| exchange.is_some_and(test);
    let (wallet, futures) = (is(Exchange::is_wallet), is(Exchange::is_futures));
    let name = exchange.map_or(code, |exchange| exchange.name);
    account.extend(object! {
        "exchange_name": name,
        "pretty_display_type": name.replace(' ', ""),
        "market_icon": format!("https://icons.example/{code}.png"),
        "market_code": code,
        "supported_market_types": vec![exchange.map_or("spot", |exchange| exchange.market)],
        "hedge_mode_available": futures,
        "deposit_enabled": is(|exchange| exchange.has_networks),
    });
    let trading = ["smart_trading_supported", "smart_selling_supported", "trading_supported", "market_buy_supported"];
    let trading = trading.into_iter().chain(["market_sell_supported", "conditional_buy_supported"]);
    let bots = ["bots_allowed", "bots_ttp_allowed", "bots_tsl_allowed", "multi_bots_allowed", "grid_bots_allowed"];
    for flag in trading.chain(bots).chain(["fast_convert_available"]) {
        account.insert(flag.to_owned(), Value::Bool(!wallet));
    }
}

/// The kinds of leverage of an account: futures have all.
pub(super) fn leverage(code: &str) -> Vec<Value> {
    let none = defaults::sample::<LeverageType>();
    if !Exchange::of_code(code).is_some_and(Exchange::is_futures) {
        return vec![Value::Object(none)];
    }
    let mut cross = none.clone();
    cross.extend(object! {
        "code": "cross",
        "name": "Cross",
        "can_set_leverage_value": true,
        "max_leverage": "50",
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

/// A currency of the demo world.
struct Currency {
    code: &'static str,
    name: &'static str,
    /// About what one costs, in USD.
    usd: &'static str,
    networks: &'static [Route],
}

/// A network over which a currency travels. The first one of a currency is its main one.
struct Route {
    network: &'static str,
    name: &'static str,
    address: Address,
    fee: &'static str,
    /// The increment of an amount.
    multiple: &'static str,
    deposits: bool,
    withdrawals: bool,
    /// What must be given with an address.
    label: Option<&'static str>,
}

/// How the addresses of a network look.
struct Address {
    prefix: &'static str,
    letters: &'static str,
    length: usize,
    regexp: &'static str,
}

const BASE58: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const HEX: Address = Address { prefix: "0x", letters: "0123456789abcdef", length: 40, regexp: "^0x[0-9a-f]{40}$" };

const BITCOIN: Address = Address {
    prefix: "bc1q",
    letters: "023456789acdefghjklmnpqrstuvwxyz",
    length: 38,
    regexp: "^bc1q[02-9ac-hj-np-z]{38}$",
};

const TRON: Address = Address { prefix: "T", letters: BASE58, length: 33, regexp: "^T[1-9A-HJ-NP-Za-km-z]{33}$" };

const RIPPLE: Address = Address { prefix: "r", letters: BASE58, length: 33, regexp: "^r[1-9A-HJ-NP-Za-km-z]{33}$" };

const SOLANA: Address = Address { prefix: "", letters: BASE58, length: 44, regexp: "^[1-9A-HJ-NP-Za-km-z]{44}$" };

const fn open(
    network: &'static str,
    name: &'static str,
    address: Address,
    fee: &'static str,
    multiple: &'static str,
) -> Route {
    Route { network, name, address, fee, multiple, deposits: true, withdrawals: true, label: None }
}

impl Route {
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

/// One of the currencies takes no deposits, another one lets nothing out.
const CURRENCIES: [Currency; 6] = [
    Currency {
        code: "BTC",
        name: "Bitcoin",
        usd: "61890.42",
        networks: &[
            open("BTC", "Bitcoin", BITCOIN, "0.0001", "0.00000001"),
            open("BEP20", "Smart Chain (BEP20)", HEX, "0.0000043", "0.00000001").without_deposits(),
        ],
    },
    Currency {
        code: "ETH",
        name: "Ethereum",
        usd: "3421.15",
        networks: &[
            open("ETH", "Ethereum (ERC20)", HEX, "0.0012", "0.00000001"),
            open("ARBITRUM", "Arbitrum One", HEX, "0.0001", "0.00000001").without_withdrawals(),
        ],
    },
    Currency {
        code: "USDT",
        name: "Tether",
        usd: "1",
        networks: &[
            open("TRX", "Tron (TRC20)", TRON, "1", "0.000001"),
            open("ETH", "Ethereum (ERC20)", HEX, "4.5", "0.000001"),
        ],
    },
    Currency {
        code: "XRP",
        name: "XRP",
        usd: "0.6025",
        networks: &[open("XRP", "Ripple", RIPPLE, "0.2", "0.000001").with_tag("Tag")],
    },
    Currency {
        code: "SOL",
        name: "Solana",
        usd: "128.74",
        networks: &[open("SOL", "Solana", SOLANA, "0.008", "0.00000001").without_deposits()],
    },
    Currency {
        code: "DOGE",
        name: "Dogecoin",
        usd: "0.14127",
        networks: &[open("BEP20", "Smart Chain (BEP20)", HEX, "5", "0.00000001").without_withdrawals()],
    },
];

/// The networks of all currencies; with a purpose, of those that are open for it.
pub(super) fn networks(purpose: Option<&str>) -> Value {
    let fits = |currency: &&Currency| match purpose {
        Some("deposit") => currency.takes_deposits(),
        Some(_) => currency.lets_out(),
        None => true,
    };
    CURRENCIES.iter().filter(fits).map(|currency| Value::Object(currency.record())).collect()
}

/// The record of one network of a currency; empty if there is none.
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

impl Currency {
    fn takes_deposits(&self) -> bool {
        self.networks.iter().any(|network| network.deposits)
    }

    fn lets_out(&self) -> bool {
        self.networks.iter().any(|network| network.withdrawals)
    }

    fn record(&self) -> Record {
        let networks = self.networks.iter().enumerate();
        let networks: Vec<_> = networks.map(|(place, network)| Value::Object(network.record(place == 0))).collect();
        let mut record = defaults::sample::<NetworkInfo>();
        record.extend(object! {
            "currency": self.code,
            "name": self.name,
            "deposit_enable": self.takes_deposits(),
            "withdraw_enable": self.lets_out(),
            "network_list": networks,
        });
        record
    }
}

impl Route {
    fn record(&self, default: bool) -> Record {
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

impl Address {
    fn any(&self, random: &mut Random) -> String {
        let letters = self.letters.as_bytes();
        let letter = |random: &mut Random| char::from(random.of(letters, b'0'));
        let letters: String = (0..self.length).map(|_| letter(random)).collect();
        format!("{}{letters}", self.prefix)
    }
}

/// What an account holds of a currency.
pub(super) struct Holding {
    currency: &'static Currency,
    free: BigDecimal,
    in_orders: BigDecimal,
}

/// The decimal places of an amount.
const PLACES: i64 = 8;

/// What an account holds at its exchange; always the same for the same seed.
pub(super) fn holdings(seed: u64, account_id: u64) -> Vec<Holding> {
    let mut random = Random::new(seed, account_id);
    CURRENCIES.iter().map(|currency| Holding::any(currency, &mut random)).collect()
}

impl Holding {
    fn any(currency: &'static Currency, random: &mut Random) -> Self {
        let mut worth = |most| BigDecimal::from(random.between(0, most)) / decimal::constant(currency.usd);
        let [free, in_orders] = [worth(5_000), worth(800)].map(|amount| rounded(&amount, PLACES));
        Self { currency, free, in_orders }
    }

    fn total(&self) -> BigDecimal {
        &self.free + &self.in_orders
    }
}

/// Writes into an account what its holdings are worth.
pub(super) fn value(account: &mut Record, holdings: &[Holding]) {
    let usd: BigDecimal =
        holdings.iter().map(|holding| holding.total() * decimal::constant(holding.currency.usd)).sum();
    let btc = CURRENCIES.first().map(|bitcoin| &usd / decimal::constant(bitcoin.usd)).unwrap_or_default();
    let usd = rounded(&usd, PLACES).to_plain_string();
    account.extend(object! {
        "btc_amount": rounded(&btc, PLACES).to_plain_string(),
        "usd_amount": usd.as_str(),
        "primary_display_currency_amount": object! { "currency": "USD", "amount": usd },
    });
}

/// Where an account may send a currency, and how much of it it holds. What the exchange says where it can't.
pub(super) fn deposit(seed: u64, account_id: u64, currency: &str, network: &str) -> Result<Record, String> {
    let mut place = CURRENCIES.iter().zip(1_u64..).filter(|(known, _)| known.code == currency);
    let (known, place) = place.next().ok_or_else(|| format!("Currency {currency} is not supported"))?;
    let mut routes = known.networks.iter().zip(1_u64..).filter(|(route, _)| route.network == network);
    let (route, number) = routes.next().ok_or_else(|| format!("Network {network} is not supported for {currency}"))?;
    if !route.deposits {
        return Err(format!("Deposits of {currency} over the network {network} are closed"));
    }
    let mut random = Random::new(seed ^ account_id, place << 8 | number);
    let tag = route.label.map(|_| random.between(100_000_000, 999_999_999).to_string());
    let mut record = object! {
        "address": route.address.any(&mut random),
        "address_tag": tag.unwrap_or_default(),
    };
    let held = holdings(seed, account_id).into_iter().find(|holding| holding.currency.code == currency);
    record.extend(held.iter().flat_map(balances));
    Ok(record)
}

fn balances(held: &Holding) -> Record {
    object! {
        "available_balance": held.free.to_plain_string(),
        "in_orders": held.in_orders.to_plain_string(),
        "total_balance": held.total().to_plain_string(),
    }
}

fn rounded(number: &BigDecimal, places: i64) -> BigDecimal {
    number.with_scale_round(places, RoundingMode::HalfEven)
}
