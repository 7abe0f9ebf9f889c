//! Exchange accounts: their fields and their operations.

use super::balances::{Balance, BalancePoint, BalanceShare, Money};
use super::time_span::end_before_start;
use super::volumes::{DailyVolume, DailyVolumeQuery, MonthlyVolume, MonthlyVolumeQuery, TotalVolume};
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{
    Forbidden, InvalidApiKey, MarketApi, NotFound, RecordInvalid, SignatureInvalid, WrongParams,
};
use botdesk_schema::input::Rule::{
    AtLeast, AtLeastCharacters, Between, Default, Required, RequiredIfEquals, ServiceDefault,
};
use botdesk_schema::input::{Input, InputName, IsoTime, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{ArgumentStyle, get, post};
use botdesk_schema::permission::Permission::{AccountsRead, AccountsWrite};
use botdesk_schema::record;
use botdesk_schema::refusal::{Refusal, RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, Nothing, Object, OneOf, Text, Timestamp};

choices! {
    /// Filter of a list of networks.
    Purpose = "deposit" | "withdraw";
}

record! {
    /// An exchange account.
    Account {
        /// Identifier of the account; None in the summary of all accounts.
        id: Integer, identifier, nullable, in_repr;
        /// Name of the account; None in the summary.
        name: Text, nullable, in_repr, sample("Account");
        /// Name of the exchange, to show.
        exchange_name: Text, in_repr;
        /// Type of the exchange, to show.
        pretty_display_type: Text;
        /// Address of the exchange's icon.
        market_icon: Text;
        /// Code of the exchange; None in the summary.
        market_code: Text, nullable, in_repr;
        /// Hours between two automatic balancings of the portfolio.
        auto_balance_period: Integer, sample(12);
        /// Identifier of the portfolio that is balanced automatically.
        auto_balance_portfolio_id: Integer, sample(null);
        /// The portfolio that is balanced automatically.
        auto_balance_portfolio: Any, sample(null);
        /// Limit of a currency's change in automatic balancing.
        auto_balance_currency_change_limit: Any;
        /// Method of automatic balancing.
        auto_balance_method: Any;
        /// True if the portfolio is balanced automatically.
        autobalance_enabled: Bool;
        /// Reason why automatic balancing failed.
        auto_balance_error: Text, sample(null);
        /// Time when the portfolio was last balanced automatically.
        last_auto_balance: Timestamp, sample(null);
        /// True if hedge mode is available.
        hedge_mode_available: Bool;
        /// True if hedge mode is on.
        hedge_mode_enabled: Bool;
        /// True if the account is locked.
        is_locked: Bool, in_repr;
        /// Reason why the account is locked.
        lock_reason: Text, sample(null);
        /// True if SmartTrades can be made.
        smart_trading_supported: Bool, sample(true);
        /// True if smart selling is supported.
        smart_selling_supported: Bool, sample(true);
        /// Funds available for trading.
        available_for_trading: Object, sample({});
        /// True if profit statistics are kept.
        stats_supported: Bool, sample(true);
        /// True if trading is supported.
        trading_supported: Bool, sample(true);
        /// True if market orders to buy are supported.
        market_buy_supported: Bool, sample(true);
        /// True if market orders to sell are supported.
        market_sell_supported: Bool, sample(true);
        /// True if conditional orders to buy are supported.
        conditional_buy_supported: Bool, sample(true);
        /// True if DCA bots may run.
        bots_allowed: Bool, sample(true);
        /// True if bots may trail their take profit.
        bots_ttp_allowed: Bool, sample(true);
        /// True if bots may trail their stop loss.
        bots_tsl_allowed: Bool, sample(true);
        /// True if Gordon bots are available.
        gordon_bots_available: Bool;
        /// True if bots may trade several pairs.
        multi_bots_allowed: Bool, sample(true);
        /// True if everything can be sold to BTC or USD at once.
        fast_convert_available: Bool, sample(true);
        /// True if grid bots may run.
        grid_bots_allowed: Bool, sample(true);
        /// API key at the exchange; never shown.
        api_key: Text;
        /// True if the exchange rejects the API key.
        api_key_invalid: Bool;
        /// State of the API keys: `ok` if they work, `expired` if the exchange no longer accepts them.
        api_keys_state: Text, sample("ok");
        /// True if deposits are possible.
        deposit_enabled: Bool, sample(true);
        /// True if the account may be counted in the summary.
        available_include_in_summary: Bool, sample(true);
        /// True if the account is counted in the summary.
        include_in_summary: Bool, sample(true);
        /// Market types of the account, such as `spot`.
        supported_market_types: List<Text>, sample(["spot"]);
        /// Customer identifier at an exchange that issues one; never shown.
        customer_id: Text, sample(null);
        /// Name of the sub-account.
        subaccount_name: Text, sample(null);
        /// Value of the account, in BTC.
        btc_amount: Decimal;
        /// Value of the account, in USD.
        usd_amount: Decimal, in_repr;
        /// Profit of the day, in BTC.
        day_profit_btc: Decimal;
        /// Profit of the day, in USD.
        day_profit_usd: Decimal;
        /// Profit of the day in BTC, in percent.
        day_profit_btc_percentage: Decimal;
        /// Profit of the day in USD, in percent.
        day_profit_usd_percentage: Decimal;
        /// Profit of the month, in BTC.
        btc_profit: Decimal;
        /// Profit of the month, in USD.
        usd_profit: Decimal;
        /// Profit of the month in BTC, in percent.
        btc_profit_percentage: Decimal;
        /// Profit of the month in USD, in percent.
        usd_profit_percentage: Decimal;
        /// Profit since the beginning, in BTC.
        total_btc_profit: Decimal;
        /// Profit since the beginning, in USD.
        total_usd_profit: Decimal;
        /// Profit of the month in the display currency, in percent.
        primary_display_currency_profit_percentage: Money, sample({"currency": "USD", "amount": "0.0"});
        /// Profit of the month in the display currency.
        primary_display_currency_profit: Money, sample({"currency": "USD", "amount": "0.0"});
        /// Profit of the day in the display currency, in percent.
        day_profit_primary_display_currency_percentage: Money, sample({"currency": "USD", "amount": "0.0"});
        /// Profit of the day in the display currency.
        day_profit_primary_display_currency: Money, sample({"currency": "USD", "amount": "0.0"});
        /// Value of the account, in the display currency.
        primary_display_currency_amount: Money, sample({"currency": "USD", "amount": "0.0"});
        /// Profit since the beginning in the display currency.
        total_primary_display_currency_profit: Money, sample({"currency": "USD", "amount": 0.0});
        /// Time when the account was added.
        created_at: Timestamp;
        /// Time when the account last changed.
        updated_at: Timestamp;
    }
}

record! {
    /// A type of account that an exchange's API key can connect.
    AccountType {
        /// Code of the exchange: an element of `types_to_create` of a new account.
        r#type: Text, in_repr, sample("demo_spot");
        /// True if an account of the type is connected already.
        connected: Bool, in_repr;
        /// True if the type can be connected.
        available: Bool, in_repr, sample(true);
        /// True if the exchange has unified accounts.
        unified: Bool;
    }
}

record! {
    /// The number of active bots, deals, trades and orders of an account. Signal bots are not counted.
    ActiveEntities {
        /// Number of DCA bots that are on.
        active_bots_count: Integer, in_repr, volatile;
        /// Number of open deals of DCA bots.
        active_deals_count: Integer, in_repr, volatile;
        /// Number of active SmartTrades.
        active_smart_trades_count: Integer, in_repr, volatile;
        /// Number of active orders.
        active_orders_count: Integer, in_repr, volatile;
        /// Number of grid bots that are on.
        active_grid_bots_count: Integer, in_repr, volatile;
    }
}

record! {
    /// The result of a conversion of small balances to BNB.
    DustConversion {
        /// Amount received for all currencies, in BNB.
        total_transfered: Decimal = "totalTransfered", in_repr;
        /// Fee for all currencies, in BNB.
        total_service_charge: Decimal = "totalServiceCharge", in_repr;
        /// The conversions, one for each currency.
        transfer_result: List<DustTransfer> = "transferResult";
    }
}

record! {
    /// The conversion of a small balance to BNB.
    DustTransfer {
        /// Identifier of the transaction.
        tran_id: Integer = "tranId";
        /// Code of the converted currency.
        from_asset: Text = "fromAsset", in_repr, sample("XRP");
        /// Amount before the conversion, in that currency.
        amount: Decimal, in_repr;
        /// Amount received, in BNB.
        transfered_amount: Decimal = "transferedAmount", in_repr;
        /// Fee, in BNB.
        service_charge_amount: Decimal = "serviceChargeAmount";
        /// Time of the conversion, in milliseconds since 1970.
        operate_time: Integer = "operateTime";
    }
}

record! {
    /// The deposit address of a currency, and the account's balance of it.
    DepositData {
        /// The address; never shown.
        address: Text;
        /// Tag to give with the address if the network requires one; never shown.
        address_tag: Text;
        /// Free balance.
        available_balance: Decimal, in_repr;
        /// Balance in active orders.
        in_orders: Decimal, in_repr;
        /// Total balance.
        total_balance: Decimal, in_repr;
    }
}

record! {
    /// A leverage type that an account offers.
    LeverageType {
        /// Code, such as `none`, `cross` or `isolated`.
        code: Text, in_repr, sample("none");
        /// Name, to show.
        name: Text, in_repr, sample("Without leverage");
        /// True if the leverage can be set.
        can_set_leverage_value: Bool, in_repr;
        /// The highest leverage; None without a limit.
        max_leverage: Decimal, in_repr, sample(null);
        /// The leverages to choose from.
        available_leverage_values: List<Any>;
        /// The lowest and the highest leverage, as `min` and `max`; empty if they do not apply.
        valid: Object, also(value), sample({});
    }
}

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

inputs! {
    /// The filter and the page of a list.
    AccountList of "a list of accounts" {
        /// Only accounts with this API key at the exchange. The URL contains it, so proxies may log it.
        api_key: Text;
        /// Page of the list, starting at 1; the service's default is 1.
        page: Integer [AtLeast("1"), ServiceDefault("1")];
        /// Most accounts that a page has, 1 to 100; the service's default is 100.
        per_page: Integer [Between("1", "100"), ServiceDefault("100")];
    }
}

inputs! {
    /// The credentials whose account types are listed.
    TypesQuery of "the query for account types" {
        /// Code of the exchange, as `client.markets.list()` has it.
        r#type: Text [Required];
        /// Name of the account.
        name: Text [Required];
        /// API key at the exchange. The URL contains it, so proxies may log it.
        api_key: Text [Required];
        /// Secret key at the exchange. The URL contains it, so proxies may log it.
        secret: Text [Required];
        /// Customer identifier; for the exchange that issues one.
        customer_id: Text;
        /// Secret phrase; for the exchange that issues one.
        passphrase: Text;
    }
}

inputs! {
    /// The time span of a balance history.
    BalanceHistoryQuery of "the query for a balance history" {
        /// Start: seconds since 1970, ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        date_from: IsoTime [Required];
        /// End: seconds since 1970, ISO 8601, a datetime with a timezone, or a date (00:00 UTC); the default is now.
        date_to: IsoTime;
    }
    own [date_to | date_from => date_to_is_not_before_date_from]
}

fn date_to_is_not_before_date_from(request: &RequestBuilder) -> Option<Violation> {
    end_before_start(request, BalanceHistoryQuery::date_from, BalanceHistoryQuery::date_to)
}

inputs! {
    /// The inputs to add an exchange account.
    AccountAdd of "a new account" {
        /// Code of the exchange.
        r#type: Text [Required];
        /// Name of the account.
        name: Text [Required];
        /// API key at the exchange.
        api_key: Text [Required];
        /// Secret key at the exchange.
        secret: Text [Required];
        /// Wallet address; for the type `ethereumwallet`.
        address: Text [RequiredIfEquals(Self::r#type, "ethereumwallet")];
        /// Customer identifier; for the exchange that issues one.
        customer_id: Text;
        /// Secret phrase; for the exchange that issues one.
        passphrase: Text;
        /// Related account types to create, such as a margin variant; an empty list for none.
        types_to_create: List<Text> [Required];
    }
}

inputs! {
    /// The changes of an account.
    AccountEdit of "an account" {
        /// Identifier of the account.
        account_id: Integer [Required, AtLeast("1")];
        /// The new name, at least 2 characters.
        name: Text [AtLeastCharacters(2)];
        /// New API key at the exchange, at least 5 characters; give it together with `secret`.
        api_key: Text [AtLeastCharacters(5)];
        /// New secret key at the exchange, at least 5 characters; give it together with `api_key`.
        secret: Text [AtLeastCharacters(5)];
        /// Customer identifier; for the exchange that issues one.
        customer_id: Text;
        /// Secret phrase; for the exchanges that issue one, which require it beside new keys.
        passphrase: Text;
        /// True if the account is counted in the summary.
        include_in_summary: Bool;
    }
    together [api_key | secret => keys_are_given_together]
    own [name | api_key | secret | customer_id | passphrase | include_in_summary | account_id => something_is_changed]
}

fn something_is_changed(request: &RequestBuilder) -> Option<Violation> {
    let mut changes = AccountEdit::INPUTS.rows.iter().map(Input::key).filter(|input| *input != AccountEdit::account_id);
    let changes_nothing = changes.all(|input| request.value(input).is_none());
    changes_nothing
        .then(|| AccountEdit::name.violation("nothing is changed; give a name, new keys or a setting".to_owned()))
}

fn keys_are_given_together(request: &RequestBuilder) -> Option<Violation> {
    let is_given = |input: InputName| request.value(input).is_some();
    let message = |other: &str| format!("is required beside {other}, because the exchange checks both");
    match [AccountEdit::api_key, AccountEdit::secret].map(is_given) {
        [true, false] => Some(AccountEdit::secret.violation(message("api_key"))),
        [false, true] => Some(AccountEdit::api_key.violation(message("secret"))),
        _ => None,
    }
}

inputs! {
    /// The balances to convert.
    DustConversionInputs of "a conversion of small balances" {
        /// Codes of the currencies to convert, such as `["XRP", "DOGE"]`; at least one, and not `BNB`.
        codes: List<Text>;
    }
    own [codes => currencies_are_named]
}

fn currencies_are_named(request: &RequestBuilder) -> Option<Violation> {
    let codes = request.elements(DustConversionInputs::codes);
    if codes.is_empty() {
        return Some(DustConversionInputs::codes.violation("is required; name the currencies to convert".to_owned()));
    }
    let names_bnb = codes.iter().any(|code| code == "BNB");
    names_bnb.then(|| DustConversionInputs::codes.violation("must not contain BNB, which the others become".to_owned()))
}

inputs! {
    /// The inputs to rename an account.
    AccountRename of "an account" {
        /// The new name.
        name: Text [Required];
    }
}

inputs! {
    /// The filter of a list of networks.
    NetworksQuery of "the query for networks" {
        /// Only currencies that can be deposited (`deposit`), or only those that can be withdrawn (`withdraw`).
        purpose: OneOf<Purpose>;
    }
}

inputs! {
    /// The currency and the network of deposit data.
    DepositQuery of "the query for deposit data" {
        /// Code of the currency.
        currency: Text [Required];
        /// Name of the network.
        network: Text [Required];
    }
}

inputs! {
    /// The page and the pair of leverage data.
    LeverageQuery of "the query for leverage" {
        /// Page of the list, starting at 1; the default is 1.
        page: Integer [Default(1), AtLeast("1")];
        /// The pair, as `<QUOTE>_<BASE>`; the API reference lists it without describing its effect.
        pair: Text;
    }
}

/// The body for an account that does not exist.
const NO_ACCOUNT: RefusalBody = RefusalBody::new("not_found", "There is no such account");

/// The body for an account that does not exist or has no volume.
const NO_VOLUME_DATA: RefusalBody = RefusalBody::new("Volume data not found", "");

/// The body for an account that does not have the operation.
pub const UNAVAILABLE: RefusalBody = RefusalBody::new("Forbidden. Unavailable for this account.", "");

/// The body for a request without a currency and a network.
const NO_NETWORK: RefusalBody = RefusalBody::invalid(&[("currency", "is required"), ("network", "is required")]);

/// The errors of a volume.
const NO_VOLUME: &[Refusal] = &[refusal(
    404,
    NotFound,
    "The account does not exist, or has no volume for this time: it is in the future, or before the account was created.",
)];

/// The effect of a sale of everything.
const SELL_ALL: &[&str] = &[
    "All bots, deals, SmartTrades, trades and orders of the account are stopped and closed first, except signal bots. The orders to sell \
     are placed afterwards: read `active_trading_entities`, and load the balances, until it is done.",
    "It can't be undone, and is never sent again after a lost response.",
];

/// The possible effect of a sale of everything whose outcome is unknown.
const MAY_HAVE_SOLD: &str = "everything may have been closed and sold; load the balances";

/// The exchange accounts.
pub const RESOURCE: Resource = Resource::new("accounts", "The exchange accounts.")
    .of::<Account>()
    .called("account", "an account", "accounts")
    .id("account_id", &["1001", "1002"])
    .operations(&[
        get("accounts.list", "/ver1/accounts")
            .section("List accounts")
            .says("List the exchange accounts.", "The accounts on the page.")
            .query(AccountList::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<List<Account>>()
            .needs(AccountsRead)
            .example(&[], &["[account.name for account in {call}][-1]"], "'Regional'"),
        get("accounts.get", "/ver1/accounts/{id}")
            .section("Get account")
            .says("Get {record}.", "The account.")
            .or_summary()
            .returns::<Account>()
            .created()
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .example(&[], &["{call}.name"], "'Demo spot'"),
        get("accounts.types_to_connect", "/ver1/accounts/types_to_connect")
            .section("List account types that can be connected")
            .says(
                "List the account types that an exchange's API key can connect, such as spot and futures.",
                "The account types.",
            )
            .query(TypesQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<List<AccountType>>()
            .refuses(&[refusal(400, RecordInvalid, "The service does not know the exchange.")])
            .example(
                &["type=\"demo_spot\"", "name=\"Spot\"", "api_key=\"K1\"", "secret=\"S1\""],
                &["[found.type for found in {call}][0]"],
                "'demo_spot'",
            ),
        get("accounts.active_trading_entities", "/ver1/accounts/{id}/active_trading_entities")
            .section("Count active entities")
            .says("Count the active bots, deals, trades and orders of {record}.", "The counts.")
            .returns::<ActiveEntities>()
            .within("data")
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .refuses(&[refusal(422, InvalidApiKey, "The exchange rejects the API key of the account.")])
            .example(&[], &["{call}.active_bots_count > 0"], "True"),
        get("accounts.balance_chart_data", "/ver1/accounts/{id}/balance_chart_data")
            .section("Get balance history")
            .says(
                "Get the value of {record} over time: one point a day, and one for the last moment.",
                "The points, oldest first.",
            )
            .query(BalanceHistoryQuery::INPUTS)
            .or_summary()
            .returns::<List<BalancePoint>>()
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .refuses(&[refusal(400, RecordInvalid, "The service can't read the start.")])
            .example(&["\"2024-03-30\""], &["{call}[0].date.isoformat()"], "'2024-03-30T00:00:00+00:00'"),
        post("accounts.pie_chart_data", "/ver1/accounts/{id}/pie_chart_data")
            .reads()
            .section("Get pie chart balances")
            .says("Get the share of each currency in {record}.", "The shares, largest first.")
            .or_summary()
            .returns::<List<BalanceShare>>()
            .created()
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .example(&[], &["shares = {call}", "shares[0].percentage >= shares[1].percentage"], "True"),
        post("accounts.table_data", "/ver1/accounts/{id}/account_table_data")
            .reads()
            .section("Get table balances")
            .says("Get the balance, the orders and the prices of each currency in {record}.", "The balances.")
            .or_summary()
            .returns::<List<Balance>>()
            .created()
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .example(
                &[],
                &[
                    "balances = {call}",
                    "all(row.usd_value == row.position * row.current_price_usd for row in balances)",
                ],
                "True",
            ),
        get("accounts.daily_volume", "/ver1/accounts/{id}/volume/daily")
            .section("Get daily volume")
            .says("Get the trading volume of {record} on a day in UTC.", "The volume.")
            .query(DailyVolumeQuery::INPUTS)
            .returns::<DailyVolume>()
            .needs(AccountsRead)
            .unknown_record(NO_VOLUME_DATA)
            .refuses(NO_VOLUME)
            .example(&["\"2024-03-30\""], &["{call}.utc_date"], "'2024-03-30'"),
        get("accounts.monthly_volume", "/ver1/accounts/{id}/volume/monthly")
            .section("Get monthly volume")
            .says("Get the trading volume of {record} in a month in UTC.", "The volume.")
            .query(MonthlyVolumeQuery::INPUTS)
            .returns::<MonthlyVolume>()
            .needs(AccountsRead)
            .unknown_record(NO_VOLUME_DATA)
            .refuses(NO_VOLUME)
            .example(&["\"2024-03\""], &["{call}.utc_month"], "'2024-03'"),
        get("accounts.total_volume", "/ver1/accounts/{id}/volume/total")
            .section("Get total volume")
            .says("Get the trading volume of {record} since it was created.", "The volume.")
            .returns::<TotalVolume>()
            .needs(AccountsRead)
            .unknown_record(NO_ACCOUNT)
            .example(&[], &["{call}.volume_usd > 0"], "True"),
        post("accounts.add", "/ver1/accounts/new")
            .section("Add exchange account")
            .says("Add an exchange account.", "The new account.")
            .json(AccountAdd::INPUTS)
            .style(ArgumentStyle::Reported)
            .returns::<Account>()
            .needs(AccountsWrite)
            .may_have("the account may have been added")
            .refuses(&[refusal(
                400,
                RecordInvalid,
                "The service rejected fields, or the exchange's key is already connected.",
            )])
            .example(
                &["type=\"binance\"", "name=\"Spot\"", "api_key=\"K1\"", "secret=\"S1\"", "types_to_create=[]"],
                &["account = {call}", "account.name"],
                "'Spot'",
            ),
        post("accounts.edit", "/ver1/accounts/update")
            .section("Edit account")
            .says("Edit an exchange account: change what is given and keep the rest.", "The account after the change.")
            .details(&["New keys connect the account again; they must belong to the same account at the exchange."])
            .json(AccountEdit::INPUTS)
            .style(ArgumentStyle::RequiredFirst)
            .returns::<Account>()
            .created()
            .needs(AccountsWrite)
            .adds_no_volume()
            .unknown_record(NO_ACCOUNT)
            .may_have("the account may have been changed; read it again")
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected fields, or the exchange's key is already connected."),
                refusal(404, NotFound, "There is no such account."),
            ])
            .example(&["1001", "name=\"Main\""], &["{call}.name"], "'Main'"),
        post("accounts.sell_all_to_btc", "/ver1/accounts/{id}/sell_all_to_btc")
            .section("Sell all to BTC")
            .says("Sell all assets of {record} for BTC at the market price.", "The account as the service has accepted the sale.")
            .details(SELL_ALL)
            .returns::<Account>()
            .created()
            .needs(AccountsWrite)
            .unknown_record(NO_ACCOUNT)
            .may_have(MAY_HAVE_SOLD)
            .refuses(&[refusal(403, Forbidden, "Accounts at this exchange can't sell everything at once.").body(UNAVAILABLE)])
            .irreversible(&["usd_amount"])
            .example(&[], &["{call}.id"], "1001"),
        post("accounts.sell_all_to_usd", "/ver1/accounts/{id}/sell_all_to_usd")
            .section("Sell all to USD")
            .says("Sell all assets of {record} for USD at the market price.", "The account as the service has accepted the sale.")
            .details(SELL_ALL)
            .returns::<Account>()
            .created()
            .needs(AccountsWrite)
            .adds_no_volume()
            .unknown_record(NO_ACCOUNT)
            .may_have(MAY_HAVE_SOLD)
            .refuses(&[
                refusal(401, SignatureInvalid, "The service knows another public key or another secret."),
                refusal(403, Forbidden, "Accounts at this exchange can't sell everything at once.").body(UNAVAILABLE),
            ])
            .irreversible(&["usd_amount"])
            .example(&[], &["{call}.id"], "1001"),
        post("accounts.convert_dust_to_bnb", "/ver1/accounts/{id}/convert_dust_to_bnb")
            .section("Convert dust to BNB")
            .says("Convert small balances of {record} to BNB.", "The amounts and the fees.")
            .details(&[
                "Only for an account at Binance Spot, and once in six hours. The whole balance of each currency is converted, less a fee.",
            ])
            .json(DustConversionInputs::INPUTS)
            .returns::<DustConversion>()
            .created()
            .needs(AccountsWrite)
            .unknown_record(NO_ACCOUNT)
            .may_have("the balances may have been converted; load the balances")
            .refuses(&[
                refusal(400, RecordInvalid, "The service can't convert one of the currencies."),
                refusal(403, Forbidden, "The account is not at Binance Spot.").body(RefusalBody::new("Forbidden. Unavailable for this account type.", "")),
                refusal(422, WrongParams, "The last conversion is less than six hours ago."),
            ])
            .irreversible(&["usd_amount"])
            .example_ids(&["1001"])
            .example(
                &["[\"XRP\", \"DOGE\"]"],
                &["[transfer.from_asset for transfer in {call}.transfer_result]"],
                "['XRP', 'DOGE']",
            ),
        post("accounts.remove", "/ver1/accounts/{id}/remove")
            .section("Delete account")
            .says("Remove {record} from the service.", "Nothing.")
            .details(&["The account at the exchange is not touched. An account with active bots, deals or trades can't be removed."])
            .returns::<Nothing>()
            .created()
            .needs(AccountsWrite)
            .adds_no_volume()
            .unknown_record(NO_ACCOUNT)
            .may_have("the account may have been removed")
            .refuses(&[refusal(422, WrongParams, "The account has active bots, deals or trades.")])
            .irreversible(&["usd_amount"])
            .example_ids(&["104"])
            .example(&[], &["{call} is None"], "True"),
        post("accounts.rename", "/ver1/accounts/{id}/rename")
            .section("Rename exchange account")
            .says("Rename {record}.", "The account under its new name.")
            .query(AccountRename::INPUTS)
            .returns::<Account>()
            .created()
            .needs(AccountsRead)
            .adds_no_volume()
            .may_have("the account may have been renamed")
            .refuses(&[refusal(401, SignatureInvalid, "The service knows another public key or another secret.")])
            .example(&["\"Main\""], &["{call}.name"], "'Main'"),
        post("accounts.load_balances", "/ver1/accounts/{id}/load_balances")
            .section("Load balances for specified exchange")
            .says("Load the balances of {record} from the exchange.", "The account with its balances.")
            .returns::<Account>()
            .created()
            .needs(AccountsWrite)
            .adds_no_volume()
            .may_have("the balances may have been loaded")
            .refuses(&[refusal(422, InvalidApiKey, "The exchange rejects the API key of the account.")])
            .many()
            .example(&[], &["{call}.id"], "1001"),
        get("accounts.networks_info", "/ver1/accounts/{id}/networks_info")
            .section("Deposit or withdraw networks info")
            .says(
                "List the networks for deposits and withdrawals of the currencies of {record}.",
                "The currencies with their networks. A single one that is not in a list is returned as a list of one.",
            )
            .query(NetworksQuery::INPUTS)
            .returns::<List<NetworkInfo>>()
            .or_one()
            .needs(AccountsRead)
            .refuses(&[
                refusal(403, Forbidden, "Accounts at this exchange have no such list.").body(UNAVAILABLE),
                refusal(400, RecordInvalid, "The service misses fields in the request.").body(NO_NETWORK),
            ])
            .example(
                &["purpose=\"deposit\""],
                &["infos = {call}", "all(info.deposit_enable for info in infos)"],
                "True",
            ),
        get("accounts.deposit_data", "/ver1/accounts/{id}/deposit_data")
            .section("User deposit data")
            .says(
                "Get the address for deposits of a currency into {record}.",
                "The address, and the amounts of the currency in the account.",
            )
            .query(DepositQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<DepositData>()
            .needs(AccountsRead)
            .refuses(&[
                refusal(400, RecordInvalid, "The service misses fields in the request.").body(NO_NETWORK),
                refusal(422, MarketApi, "The exchange returned an error, for example because deposits are closed."),
            ])
            .example(
                &["currency=\"USDT\"", "network=\"TRX\""],
                &["data = {call}", "data.total_balance == data.available_balance + data.in_orders"],
                "True",
            ),
        get("accounts.leverage_data", "/ver1/accounts/{id}/leverage_data")
            .section("Information about account leverage")
            .says("List the kinds of leverage that {record} offers.", "The kinds on the page.")
            .query(LeverageQuery::INPUTS)
            .returns::<List<LeverageType>>()
            .needs(AccountsRead)
            .example(&[], &["{call}[0].code"], "'none'"),
    ]);
