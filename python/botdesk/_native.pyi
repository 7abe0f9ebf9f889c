"""
The Rust core of botdesk.
"""

from botdesk._records import Records
from collections.abc import Coroutine, Sequence
from datetime import datetime
from decimal import Decimal
from os import PathLike
from typing import Any, Final, Literal, final

__all__ = [
    "Account",
    "Accounts",
    "Client",
    "DcaBot",
    "DcaBotAsyncIterator",
    "DcaBotIterator",
    "DcaBots",
    "Deal",
    "DepositData",
    "GridBot",
    "GridBots",
    "GridLine",
    "LeverageType",
    "Money",
    "Network",
    "NetworkInfo",
    "ReceivedRequest",
    "ReduceFundsInfo",
    "Sandbox",
    "SmartTrades",
    "Strategy",
    "TakeProfitStep",
    "_shutdown",
]

@final
class Account:
    """
    An exchange account.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> Account: ...
    def __deepcopy__(self, /, _memo: Any) -> Account: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> Account:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def api_key(self, /) -> str | None:
        """
        API key at the exchange; never shown.
        """
    @property
    def api_key_invalid(self, /) -> bool | None:
        """
        Whether the exchange refuses the API key.
        """
    @property
    def api_keys_state(self, /) -> str | None:
        """
        State of the API keys; `ok` where all is well.
        """
    @property
    def auto_balance_currency_change_limit(self, /) -> Any | None:
        """
        Limit of a currency's change in automatic balancing.
        """
    @property
    def auto_balance_error(self, /) -> str | None:
        """
        Why automatic balancing failed.
        """
    @property
    def auto_balance_method(self, /) -> Any | None:
        """
        Method of automatic balancing.
        """
    @property
    def auto_balance_period(self, /) -> int | None:
        """
        Hours between two automatic balancings of the portfolio.
        """
    @property
    def auto_balance_portfolio_id(self, /) -> int | None:
        """
        Identifier of the portfolio that is balanced automatically.
        """
    @property
    def autobalance_enabled(self, /) -> bool | None:
        """
        Whether the portfolio is balanced automatically.
        """
    @property
    def available_for_trading(self, /) -> dict[str, Any] | None:
        """
        What is available for trading.
        """
    @property
    def available_include_in_summary(self, /) -> bool | None:
        """
        Whether the account may be counted in the summary.
        """
    @property
    def bots_allowed(self, /) -> bool | None:
        """
        Whether DCA bots may run.
        """
    @property
    def bots_tsl_allowed(self, /) -> bool | None:
        """
        Whether bots may trail their stop loss.
        """
    @property
    def bots_ttp_allowed(self, /) -> bool | None:
        """
        Whether bots may trail their take profit.
        """
    @property
    def btc_amount(self, /) -> Decimal | None:
        """
        What the account holds, in BTC.
        """
    @property
    def btc_profit(self, /) -> Decimal | None:
        """
        Profit of the month, in BTC.
        """
    @property
    def btc_profit_percentage(self, /) -> Decimal | None:
        """
        Profit of the month in BTC, in percent.
        """
    @property
    def conditional_buy_supported(self, /) -> bool | None:
        """
        Whether conditional orders to buy are supported.
        """
    @property
    def created_at(self, /) -> datetime | None:
        """
        When the account was added.
        """
    @property
    def customer_id(self, /) -> str | None:
        """
        Customer identifier at an exchange that issues one; never shown.
        """
    @property
    def day_profit_btc(self, /) -> Decimal | None:
        """
        Profit of the day, in BTC.
        """
    @property
    def day_profit_btc_percentage(self, /) -> Decimal | None:
        """
        Profit of the day in BTC, in percent.
        """
    @property
    def day_profit_primary_display_currency(self, /) -> Money | None:
        """
        Profit of the day in the display currency.
        """
    @property
    def day_profit_primary_display_currency_percentage(self, /) -> Money | None:
        """
        Profit of the day in the display currency, in percent.
        """
    @property
    def day_profit_usd(self, /) -> Decimal | None:
        """
        Profit of the day, in USD.
        """
    @property
    def day_profit_usd_percentage(self, /) -> Decimal | None:
        """
        Profit of the day in USD, in percent.
        """
    def deposit_data(self, /, *, currency: str | None, network: str | None) -> DepositData:
        """
        Ask where to deposit a currency into the account.

        Document: User deposit data. Permission ACCOUNTS_READ.

        Args:
            currency: Code of the currency.
            network: Name of the network.

        Returns:
            The address, and how much of the currency the account holds.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields missing.
            MarketApiError: The exchange refused, for example where deposits are closed.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     data = account.deposit_data(currency="USDT", network="TRX")
            ...     data.total_balance == data.available_balance + data.in_orders
            True
        """
    async def deposit_data_async(self, /, *, currency: str | None, network: str | None) -> DepositData:
        """
        Ask where to deposit a currency into the account.

        Document: User deposit data. Permission ACCOUNTS_READ.

        Args:
            currency: Code of the currency.
            network: Name of the network.

        Returns:
            The address, and how much of the currency the account holds.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields missing.
            MarketApiError: The exchange refused, for example where deposits are closed.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     data = account.deposit_data(currency="USDT", network="TRX")
            ...     data.total_balance == data.available_balance + data.in_orders
            True
        """
    @property
    def deposit_enabled(self, /) -> bool | None:
        """
        Whether deposits are possible.
        """
    @property
    def exchange_name(self, /) -> str | None:
        """
        Name of the exchange, to show.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fast_convert_available(self, /) -> bool | None:
        """
        Whether everything can be sold to BTC or USD at once.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> Account:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.Account.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def gordon_bots_available(self, /) -> bool | None:
        """
        Whether Gordon bots are available.
        """
    @property
    def grid_bots_allowed(self, /) -> bool | None:
        """
        Whether grid bots may run.
        """
    @property
    def hedge_mode_available(self, /) -> bool | None:
        """
        Whether hedge mode is available.
        """
    @property
    def hedge_mode_enabled(self, /) -> bool | None:
        """
        Whether hedge mode is on.
        """
    @property
    def id(self, /) -> int | None:
        """
        Identifier of the account.
        """
    @property
    def include_in_summary(self, /) -> bool | None:
        """
        Whether the account is counted in the summary.
        """
    @property
    def is_locked(self, /) -> bool | None:
        """
        Whether the account is locked.
        """
    @property
    def last_auto_balance(self, /) -> datetime | None:
        """
        When the portfolio was last balanced automatically.
        """
    def leverage_data(self, /, page: int | None = ..., pair: str | None = ...) -> Records[LeverageType]:
        """
        List the kinds of leverage that the account offers.

        Document: Information about account leverage. Permission ACCOUNTS_READ.

        Args:
            page: Page of the list, from 1 on; 1 if it is left out.
            pair: The pair, as `<QUOTE>_<BASE>`; the document shows it and does not say what it does.

        Returns:
            The kinds on the page.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.leverage_data()[0].code
            'none'
        """
    async def leverage_data_async(self, /, page: int | None = ..., pair: str | None = ...) -> Records[LeverageType]:
        """
        List the kinds of leverage that the account offers.

        Document: Information about account leverage. Permission ACCOUNTS_READ.

        Args:
            page: Page of the list, from 1 on; 1 if it is left out.
            pair: The pair, as `<QUOTE>_<BASE>`; the document shows it and does not say what it does.

        Returns:
            The kinds on the page.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.leverage_data()[0].code
            'none'
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[Account]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.Account.list_from_json(b'[{}, {}]'))
            2
        """
    def load_balances(self, /) -> Account:
        """
        Load the balances of the account from the exchange.

        Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.

        Returns:
            The account with its balances.

        Raises:
            ConfigurationError: The record was not made by a client.
            InvalidApiKeyError: The exchange refuses the API key of the account.
            OutcomeUnknownError: No answer came, and the balances may have been loaded.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.load_balances().usd_amount == account.usd_amount
            True
        """
    async def load_balances_async(self, /) -> Account:
        """
        Load the balances of the account from the exchange.

        Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.

        Returns:
            The account with its balances.

        Raises:
            ConfigurationError: The record was not made by a client.
            InvalidApiKeyError: The exchange refuses the API key of the account.
            OutcomeUnknownError: No answer came, and the balances may have been loaded.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.load_balances().usd_amount == account.usd_amount
            True
        """
    @property
    def lock_reason(self, /) -> str | None:
        """
        Why the account is locked.
        """
    @property
    def market_buy_supported(self, /) -> bool | None:
        """
        Whether market orders to buy are supported.
        """
    @property
    def market_code(self, /) -> str | None:
        """
        Code of the exchange.
        """
    @property
    def market_icon(self, /) -> str | None:
        """
        Address of the exchange's icon.
        """
    @property
    def market_sell_supported(self, /) -> bool | None:
        """
        Whether market orders to sell are supported.
        """
    @property
    def multi_bots_allowed(self, /) -> bool | None:
        """
        Whether bots may trade several pairs.
        """
    @property
    def name(self, /) -> str | None:
        """
        Name of the account.
        """
    def networks_info(self, /, purpose: Literal["deposit", "withdraw"] | None = ...) -> Records[NetworkInfo]:
        """
        List the networks over which the currencies of the account are deposited and withdrawn.

        Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.

        Args:
            purpose: Only currencies that can be deposited (`deposit`), or only those that can be withdrawn (`withdraw`).

        Returns:
            The currencies with their networks; a single one that the service answers comes as a list of one.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            ForbiddenError: Accounts at this exchange do not have it.
            RecordInvalidError: The service found fields missing.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     len(account.networks_info()) > 0
            True
        """
    async def networks_info_async(
        self, /, purpose: Literal["deposit", "withdraw"] | None = ...
    ) -> Records[NetworkInfo]:
        """
        List the networks over which the currencies of the account are deposited and withdrawn.

        Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.

        Args:
            purpose: Only currencies that can be deposited (`deposit`), or only those that can be withdrawn (`withdraw`).

        Returns:
            The currencies with their networks; a single one that the service answers comes as a list of one.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            ForbiddenError: Accounts at this exchange do not have it.
            RecordInvalidError: The service found fields missing.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     len(account.networks_info()) > 0
            True
        """
    @property
    def pretty_display_type(self, /) -> str | None:
        """
        Type of the exchange, to show.
        """
    @property
    def primary_display_currency_amount(self, /) -> Money | None:
        """
        What the account holds, in the display currency.
        """
    @property
    def primary_display_currency_profit(self, /) -> Money | None:
        """
        Profit of the month in the display currency.
        """
    @property
    def primary_display_currency_profit_percentage(self, /) -> Money | None:
        """
        Profit of the month in the display currency, in percent.
        """
    def rename(self, /, name: str | None) -> Account:
        """
        Rename the account.

        Document: Rename exchange account. Permission ACCOUNTS_READ.

        Args:
            name: The new name.

        Returns:
            The account under its new name.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            SignatureInvalidError: The service knows another public key.
            OutcomeUnknownError: No answer came, and the account may have been renamed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.rename("Main").name
            'Main'
        """
    async def rename_async(self, /, name: str | None) -> Account:
        """
        Rename the account.

        Document: Rename exchange account. Permission ACCOUNTS_READ.

        Args:
            name: The new name.

        Returns:
            The account under its new name.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            SignatureInvalidError: The service knows another public key.
            OutcomeUnknownError: No answer came, and the account may have been renamed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.load_balances(1001)
            ...     account.rename("Main").name
            'Main'
        """
    @property
    def smart_selling_supported(self, /) -> bool | None:
        """
        Whether smart selling is supported.
        """
    @property
    def smart_trading_supported(self, /) -> bool | None:
        """
        Whether SmartTrades can be made.
        """
    @property
    def stats_supported(self, /) -> bool | None:
        """
        Whether profit statistics are kept.
        """
    @property
    def subaccount_name(self, /) -> str | None:
        """
        Name of the sub-account.
        """
    @property
    def supported_market_types(self, /) -> list[str] | None:
        """
        Market types of the account, such as `spot`.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.Account.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.Account.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def total_btc_profit(self, /) -> Decimal | None:
        """
        Profit since the beginning, in BTC.
        """
    @property
    def total_primary_display_currency_profit(self, /) -> Money | None:
        """
        Profit since the beginning in the display currency.
        """
    @property
    def total_usd_profit(self, /) -> Decimal | None:
        """
        Profit since the beginning, in USD.
        """
    @property
    def trading_supported(self, /) -> bool | None:
        """
        Whether trading is supported.
        """
    @property
    def updated_at(self, /) -> datetime | None:
        """
        When the account last changed.
        """
    @property
    def usd_amount(self, /) -> Decimal | None:
        """
        What the account holds, in USD.
        """
    @property
    def usd_profit(self, /) -> Decimal | None:
        """
        Profit of the month, in USD.
        """
    @property
    def usd_profit_percentage(self, /) -> Decimal | None:
        """
        Profit of the month in USD, in percent.
        """

@final
class Accounts:
    """
    The exchange accounts: `client.accounts`.
    """
    def add(
        self,
        /,
        *,
        type: str | None = ...,
        name: str | None = ...,
        api_key: str | None = ...,
        secret: str | None = ...,
        address: str | None = ...,
        customer_id: str | None = ...,
        passphrase: str | None = ...,
        types_to_create: Sequence[str] | None = ...,
    ) -> Account:
        """
        Add an exchange account.

        Document: Add exchange account. Permission ACCOUNTS_WRITE.

        Args:
            type: Code of the exchange.
            name: Name of the account.
            api_key: API key at the exchange.
            secret: Secret key at the exchange.
            address: Wallet address; for the type `ethereumwallet`.
            customer_id: Customer identifier; for the exchange that issues one.
            passphrase: Secret phrase; for the exchange that issues one.
            types_to_create: Related account types to create, such as a margin variant; an empty list for none.

        Returns:
            The new account.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            RecordInvalidError: The service found fields invalid, or the exchange's key is connected already.
            OutcomeUnknownError: No answer came, and the account may have been added.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.add(
            ...         type="binance", name="Spot", api_key="K1", secret="S1", types_to_create=[]
            ...     )
            ...     account.name
            'Spot'
        """
    async def add_async(
        self,
        /,
        *,
        type: str | None = ...,
        name: str | None = ...,
        api_key: str | None = ...,
        secret: str | None = ...,
        address: str | None = ...,
        customer_id: str | None = ...,
        passphrase: str | None = ...,
        types_to_create: Sequence[str] | None = ...,
    ) -> Account:
        """
        Add an exchange account.

        Document: Add exchange account. Permission ACCOUNTS_WRITE.

        Args:
            type: Code of the exchange.
            name: Name of the account.
            api_key: API key at the exchange.
            secret: Secret key at the exchange.
            address: Wallet address; for the type `ethereumwallet`.
            customer_id: Customer identifier; for the exchange that issues one.
            passphrase: Secret phrase; for the exchange that issues one.
            types_to_create: Related account types to create, such as a margin variant; an empty list for none.

        Returns:
            The new account.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            RecordInvalidError: The service found fields invalid, or the exchange's key is connected already.
            OutcomeUnknownError: No answer came, and the account may have been added.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.add(
            ...         type="binance", name="Spot", api_key="K1", secret="S1", types_to_create=[]
            ...     )
            ...     account.name
            'Spot'
        """
    def deposit_data(self, /, account_id: int, *, currency: str | None, network: str | None) -> DepositData:
        """
        Ask where to deposit a currency into an account.

        Document: User deposit data. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            currency: Code of the currency.
            network: Name of the network.

        Returns:
            The address, and how much of the currency the account holds.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            RecordInvalidError: The service found fields missing.
            MarketApiError: The exchange refused, for example where deposits are closed.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     data = sandbox.client().accounts.deposit_data(1001, currency="USDT", network="TRX")
            ...     data.total_balance == data.available_balance + data.in_orders
            True
        """
    async def deposit_data_async(self, /, account_id: int, *, currency: str | None, network: str | None) -> DepositData:
        """
        Ask where to deposit a currency into an account.

        Document: User deposit data. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            currency: Code of the currency.
            network: Name of the network.

        Returns:
            The address, and how much of the currency the account holds.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            RecordInvalidError: The service found fields missing.
            MarketApiError: The exchange refused, for example where deposits are closed.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     data = sandbox.client().accounts.deposit_data(1001, currency="USDT", network="TRX")
            ...     data.total_balance == data.available_balance + data.in_orders
            True
        """
    def leverage_data(
        self, /, account_id: int, page: int | None = ..., pair: str | None = ...
    ) -> Records[LeverageType]:
        """
        List the kinds of leverage that an account offers.

        Document: Information about account leverage. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            page: Page of the list, from 1 on; 1 if it is left out.
            pair: The pair, as `<QUOTE>_<BASE>`; the document shows it and does not say what it does.

        Returns:
            The kinds on the page.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.leverage_data(1001)[0].code
            'none'
        """
    async def leverage_data_async(
        self, /, account_id: int, page: int | None = ..., pair: str | None = ...
    ) -> Records[LeverageType]:
        """
        List the kinds of leverage that an account offers.

        Document: Information about account leverage. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            page: Page of the list, from 1 on; 1 if it is left out.
            pair: The pair, as `<QUOTE>_<BASE>`; the document shows it and does not say what it does.

        Returns:
            The kinds on the page.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.leverage_data(1001)[0].code
            'none'
        """
    def load_balances(self, /, account_id: int) -> Account:
        """
        Load the balances of an account from the exchange.

        Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.

        Args:
            account_id: Identifier of the account.

        Returns:
            The account with its balances.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            InvalidApiKeyError: The exchange refuses the API key of the account.
            OutcomeUnknownError: No answer came, and the balances may have been loaded.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.load_balances(1001).id
            1001
        """
    async def load_balances_async(self, /, account_id: int) -> Account:
        """
        Load the balances of an account from the exchange.

        Document: Load balances for specified exchange. Permission ACCOUNTS_WRITE.

        Args:
            account_id: Identifier of the account.

        Returns:
            The account with its balances.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            InvalidApiKeyError: The exchange refuses the API key of the account.
            OutcomeUnknownError: No answer came, and the balances may have been loaded.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.load_balances(1001).id
            1001
        """
    def networks_info(
        self, /, account_id: int, purpose: Literal["deposit", "withdraw"] | None = ...
    ) -> Records[NetworkInfo]:
        """
        List the networks over which the currencies of an account are deposited and withdrawn.

        Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            purpose: Only currencies that can be deposited (`deposit`), or only those that can be withdrawn (`withdraw`).

        Returns:
            The currencies with their networks; a single one that the service answers comes as a list of one.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ForbiddenError: Accounts at this exchange do not have it.
            RecordInvalidError: The service found fields missing.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     infos = sandbox.client().accounts.networks_info(1001, purpose="deposit")
            ...     all(info.deposit_enable for info in infos)
            True
        """
    async def networks_info_async(
        self, /, account_id: int, purpose: Literal["deposit", "withdraw"] | None = ...
    ) -> Records[NetworkInfo]:
        """
        List the networks over which the currencies of an account are deposited and withdrawn.

        Document: Deposit or withdraw networks info. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            purpose: Only currencies that can be deposited (`deposit`), or only those that can be withdrawn (`withdraw`).

        Returns:
            The currencies with their networks; a single one that the service answers comes as a list of one.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ForbiddenError: Accounts at this exchange do not have it.
            RecordInvalidError: The service found fields missing.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     infos = sandbox.client().accounts.networks_info(1001, purpose="deposit")
            ...     all(info.deposit_enable for info in infos)
            True
        """
    def rename(self, /, account_id: int, name: str | None) -> Account:
        """
        Rename an account.

        Document: Rename exchange account. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            name: The new name.

        Returns:
            The account under its new name.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            SignatureInvalidError: The service knows another public key.
            OutcomeUnknownError: No answer came, and the account may have been renamed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.rename(1001, "Main").name
            'Main'
        """
    async def rename_async(self, /, account_id: int, name: str | None) -> Account:
        """
        Rename an account.

        Document: Rename exchange account. Permission ACCOUNTS_READ.

        Args:
            account_id: Identifier of the account.
            name: The new name.

        Returns:
            The account under its new name.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            SignatureInvalidError: The service knows another public key.
            OutcomeUnknownError: No answer came, and the account may have been renamed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().accounts.rename(1001, "Main").name
            'Main'
        """

@final
class Client:
    """
    A client of the service: who asks, and how the service is reached.

    Clients are cheap: those of one process share their connections. They may be used from several threads and event
    loops at once.

    Args:
        api_key: The API key.
        private_key: The RSA private key whose public half the service knows: the text or bytes of a PEM file (PKCS#1,
            PKCS#8 or encrypted PKCS#8), or the path of one.
        base_url: The address of the service, `https://…`. Plain `http` is for this machine alone.
        password: The password of an encrypted private key.
        timeout: How long a call may take in all, in seconds; 30 unless given.
        connect_timeout: How long a connection may take, in seconds; 10 unless given.
        allow_http: Whether to send everything in the clear to another machine.

    Raises:
        ConfigurationError: The key, the address or an option can't be used; the message says what to do.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     client.dca_bots.get(41).id
        41
    """
    def __new__(
        cls,
        /,
        api_key: str,
        private_key: str | bytes | PathLike[str],
        *,
        base_url: str,
        password: str | None = None,
        timeout: "float | None" = None,
        connect_timeout: "float | None" = None,
        allow_http: bool = False,
    ) -> Client: ...
    def __repr__(self, /) -> str: ...
    @property
    def accounts(self, /) -> Accounts:
        """
        The exchange accounts.
        """
    @property
    def dca_bots(self, /) -> DcaBots:
        """
        The DCA bots.
        """
    @property
    def grid_bots(self, /) -> GridBots:
        """
        The grid bots.
        """
    @property
    def smart_trades(self, /) -> SmartTrades:
        """
        The SmartTrades.
        """

@final
class DcaBot:
    """
    A DCA bot (dollar-cost averaging): it opens deals with a base order and buys on with safety orders.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> DcaBot: ...
    def __deepcopy__(self, /, _memo: Any) -> DcaBot: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> DcaBot:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def account_id(self, /) -> int | None:
        """
        Identifier of the account that the bot trades on.
        """
    @property
    def account_name(self, /) -> str | None:
        """
        Name of the account that the bot trades on.
        """
    @property
    def active_deals(self, /) -> list[Deal] | None:
        """
        The open deals; absent from a list's records.
        """
    @property
    def active_deals_count(self, /) -> int | None:
        """
        Deals that are open now.
        """
    @property
    def active_deals_usd_profit(self, /) -> Decimal | None:
        """
        Profit of the open deals at current prices, in USD.
        """
    @property
    def active_safety_orders_count(self, /) -> int | None:
        """
        Safety orders of a deal that may be on the exchange at once.
        """
    @property
    def allowed_deals_on_same_pair(self, /) -> int | None:
        """
        Deals that may be open on one pair at once; multi-pair bots only.
        """
    @property
    def base_order_volume(self, /) -> Decimal | None:
        """
        Volume of the base order.
        """
    @property
    def base_order_volume_type(self, /) -> Literal["quote_currency", "base_currency", "percent"] | str | None:
        """
        What the base order's volume is counted in.
        """
    @property
    def btc_price_limit(self, /) -> Decimal | None:
        """
        Price of BTC past which the bot opens no deal.
        """
    def cancel_all_deals(self, /) -> DcaBot:
        """
        Cancel all open deals of the bot, and disable it.

        Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.

        Returns:
            The bot after the change, with its deals on their way out.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the deals may have been cancelled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41).cancel_all_deals()
            ...     {deal.status for deal in bot.active_deals}
            {'cancel_pending'}
        """
    async def cancel_all_deals_async(self, /) -> DcaBot:
        """
        Cancel all open deals of the bot, and disable it.

        Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.

        Returns:
            The bot after the change, with its deals on their way out.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the deals may have been cancelled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41).cancel_all_deals()
            ...     {deal.status for deal in bot.active_deals}
            {'cancel_pending'}
        """
    @property
    def close_deals_timeout(self, /) -> int | None:
        """
        After how many seconds a deal is closed.
        """
    @property
    def close_strategy_list(self, /) -> list[Strategy] | None:
        """
        Strategies that close deals.
        """
    @property
    def cooldown(self, /) -> Decimal | None:
        """
        Pause between deals, in seconds.
        """
    @property
    def created_at(self, /) -> datetime | None:
        """
        When the bot was made.
        """
    @property
    def deal_start_delay_seconds(self, /) -> int | None:
        """
        How long a signal waits before it opens a deal, in seconds.
        """
    @property
    def deals_counter(self, /) -> int | None:
        """
        Deals counted towards `disable_after_deals_count`.
        """
    @property
    def deletable(self, /) -> bool | None:
        """
        Whether the bot can be deleted.
        """
    def disable(self, /) -> DcaBot:
        """
        Disable the bot: it opens no more deals; its open deals stay.

        Document: Disable DCA Bot. Permission BOTS_WRITE.

        Returns:
            The bot after the change, with its open deals.

        Raises:
            ConfigurationError: The record was not made by a client.
            ForbiddenError: The API key may not do it.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been disabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).disable().is_enabled
            False
        """
    @property
    def disable_after_deals_count(self, /) -> int | None:
        """
        After how many deals the bot disables itself.
        """
    async def disable_async(self, /) -> DcaBot:
        """
        Disable the bot: it opens no more deals; its open deals stay.

        Document: Disable DCA Bot. Permission BOTS_WRITE.

        Returns:
            The bot after the change, with its open deals.

        Raises:
            ConfigurationError: The record was not made by a client.
            ForbiddenError: The API key may not do it.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been disabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).disable().is_enabled
            False
        """
    @property
    def easy_form_supported(self, /) -> bool | None:
        """
        Whether the service can show the bot in its simple form.
        """
    def edit(
        self,
        /,
        *,
        name: str | None = ...,
        pairs: str | Sequence[str] | None = ...,
        max_active_deals: int | None = ...,
        base_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        base_order_volume: str | Decimal | int | float | None = ...,
        take_profit: str | Decimal | int | float | None = ...,
        take_profit_steps: Sequence[TakeProfitStep | dict[str, Any]] | None = ...,
        safety_order_volume: str | Decimal | int | float | None = ...,
        safety_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        martingale_volume_coefficient: str | Decimal | int | float | None = ...,
        martingale_step_coefficient: str | Decimal | int | float | None = ...,
        max_safety_orders: int | None = ...,
        active_safety_orders_count: int | None = ...,
        stop_loss_percentage: str | Decimal | int | float | None = ...,
        sl_to_breakeven_enabled: bool | None = ...,
        sl_to_breakeven_data: dict[str, Any] | None = ...,
        cooldown: str | Decimal | int | float | None = ...,
        trailing_enabled: bool | None = ...,
        trailing_deviation: str | Decimal | int | float | None = ...,
        safety_order_step_percentage: str | Decimal | int | float | None = ...,
        take_profit_type: Literal["base", "total"] | None = ...,
        strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        stop_loss_timeout_enabled: bool | None = ...,
        stop_loss_timeout_in_seconds: int | None = ...,
        tsl_enabled: bool | None = ...,
        min_volume_btc_24h: str | Decimal | int | float | None = ...,
        deal_start_delay_seconds: int | None = ...,
        profit_currency: Literal["quote_currency", "base_currency"] | None = ...,
        start_order_type: Literal["limit", "market"] | None = ...,
        stop_loss_type: Literal["stop_loss", "stop_loss_and_disable_bot"] | None = ...,
        disable_after_deals_count: int | None = ...,
        allowed_deals_on_same_pair: int | None = ...,
        min_profit_percentage: str | Decimal | int | float | None = ...,
        min_profit_type: Literal["base_order_volume", "total_bought_volume"] | None = ...,
        close_strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        risk_reduction_percentage: str | Decimal | int | float | None = ...,
        reinvesting_percentage: str | Decimal | int | float | None = ...,
        min_price_percentage: str | Decimal | int | float | None = ...,
        max_price_percentage: str | Decimal | int | float | None = ...,
        close_deals_timeout: int | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> DcaBot:
        """
        Change some fields of the bot and leave the others as the record holds them.

        All fields that the service insists on, and all others that the record holds, are sent along. What
        changed at the service since the record was read is thereby set back: `refresh()` first, or edit
        through `client.dca_bots.edit`, which reads the bot itself. The rules of the document are checked
        before anything is sent, all at once. Decimals are best given as text or Decimal; a float is taken
        by its shortest text.

        Document: Edit DCA Bot. Permission BOTS_WRITE.

        Args:
            name: Name of the bot.
            pairs: The pair as `<QUOTE>_<BASE>`, or a list of pairs.
            max_active_deals: Most deals that may be open at once, 1 to 199.
            base_order_volume_type: What the base order's volume is counted in.
            base_order_volume: Volume of the base order.
            take_profit: Take profit in percent; 0 where several steps are given.
            take_profit_steps: Take-profit targets, at most 4, whose amounts add up to 100 %.
            safety_order_volume: Volume of the first safety order.
            safety_order_volume_type: What the safety orders' volume is counted in.
            martingale_volume_coefficient: By how much each safety order is larger than the one before, 0.1 to 10.
            martingale_step_coefficient: By how much each step down is longer than the one before, 0.1 to 10.
            max_safety_orders: Most safety orders that a deal may place, 0 to 200.
            active_safety_orders_count: Safety orders of a deal that may be on the exchange at once.
            stop_loss_percentage: Stop loss in percent, further away than the last safety order; 0 for none.
            sl_to_breakeven_enabled: Whether the stop loss moves to break even as targets are reached; needs at least two steps.
            sl_to_breakeven_data: How far the stop loss moves: `{"upper_breakeven_limit": 0}` to the base order's price, 1 to the first target, 2 to the second.
            cooldown: Pause between deals in seconds, 0 to 2 592 000.
            trailing_enabled: Whether the take profit trails the price.
            trailing_deviation: How far the take profit trails the price, in percent.
            safety_order_step_percentage: Distance of the first safety order from the base order's price, in percent.
            take_profit_type: What the take profit is a percentage of.
            strategy_list: Strategies that open deals.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            stop_loss_timeout_enabled: Whether the stop loss waits before it closes a deal.
            stop_loss_timeout_in_seconds: How long the stop loss waits, in seconds.
            tsl_enabled: Whether the stop loss trails the price.
            min_volume_btc_24h: Least trading volume of a pair in 24 hours, in BTC.
            deal_start_delay_seconds: How long a signal waits before it opens a deal, in seconds.
            profit_currency: Currency that the profit is taken in.
            start_order_type: How the base order is placed.
            stop_loss_type: What happens at the stop loss.
            disable_after_deals_count: After how many deals the bot disables itself.
            allowed_deals_on_same_pair: Deals that may be open on one pair at once; multi-pair bots only.
            min_profit_percentage: Least profit, in percent, at which a signal may close a deal.
            min_profit_type: What the least profit is a percentage of.
            close_strategy_list: Strategies that close deals.
            risk_reduction_percentage: By how much losses make later deals smaller, in percent.
            reinvesting_percentage: Share of the profit that is put into later deals, in percent, 0 to 100.
            min_price_percentage: Least price at which the bot opens deals, in percent, between -95 and 1000.
            max_price_percentage: Highest price at which the bot opens deals, in percent, between -95 and 1000.
            close_deals_timeout: After how many seconds a deal is closed, at least 60.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).edit(take_profit="2.5").take_profit
            Decimal('2.5')
        """
    async def edit_async(
        self,
        /,
        *,
        name: str | None = ...,
        pairs: str | Sequence[str] | None = ...,
        max_active_deals: int | None = ...,
        base_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        base_order_volume: str | Decimal | int | float | None = ...,
        take_profit: str | Decimal | int | float | None = ...,
        take_profit_steps: Sequence[TakeProfitStep | dict[str, Any]] | None = ...,
        safety_order_volume: str | Decimal | int | float | None = ...,
        safety_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        martingale_volume_coefficient: str | Decimal | int | float | None = ...,
        martingale_step_coefficient: str | Decimal | int | float | None = ...,
        max_safety_orders: int | None = ...,
        active_safety_orders_count: int | None = ...,
        stop_loss_percentage: str | Decimal | int | float | None = ...,
        sl_to_breakeven_enabled: bool | None = ...,
        sl_to_breakeven_data: dict[str, Any] | None = ...,
        cooldown: str | Decimal | int | float | None = ...,
        trailing_enabled: bool | None = ...,
        trailing_deviation: str | Decimal | int | float | None = ...,
        safety_order_step_percentage: str | Decimal | int | float | None = ...,
        take_profit_type: Literal["base", "total"] | None = ...,
        strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        stop_loss_timeout_enabled: bool | None = ...,
        stop_loss_timeout_in_seconds: int | None = ...,
        tsl_enabled: bool | None = ...,
        min_volume_btc_24h: str | Decimal | int | float | None = ...,
        deal_start_delay_seconds: int | None = ...,
        profit_currency: Literal["quote_currency", "base_currency"] | None = ...,
        start_order_type: Literal["limit", "market"] | None = ...,
        stop_loss_type: Literal["stop_loss", "stop_loss_and_disable_bot"] | None = ...,
        disable_after_deals_count: int | None = ...,
        allowed_deals_on_same_pair: int | None = ...,
        min_profit_percentage: str | Decimal | int | float | None = ...,
        min_profit_type: Literal["base_order_volume", "total_bought_volume"] | None = ...,
        close_strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        risk_reduction_percentage: str | Decimal | int | float | None = ...,
        reinvesting_percentage: str | Decimal | int | float | None = ...,
        min_price_percentage: str | Decimal | int | float | None = ...,
        max_price_percentage: str | Decimal | int | float | None = ...,
        close_deals_timeout: int | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> DcaBot:
        """
        Change some fields of the bot and leave the others as the record holds them.

        All fields that the service insists on, and all others that the record holds, are sent along. What
        changed at the service since the record was read is thereby set back: `refresh()` first, or edit
        through `client.dca_bots.edit`, which reads the bot itself. The rules of the document are checked
        before anything is sent, all at once. Decimals are best given as text or Decimal; a float is taken
        by its shortest text.

        Document: Edit DCA Bot. Permission BOTS_WRITE.

        Args:
            name: Name of the bot.
            pairs: The pair as `<QUOTE>_<BASE>`, or a list of pairs.
            max_active_deals: Most deals that may be open at once, 1 to 199.
            base_order_volume_type: What the base order's volume is counted in.
            base_order_volume: Volume of the base order.
            take_profit: Take profit in percent; 0 where several steps are given.
            take_profit_steps: Take-profit targets, at most 4, whose amounts add up to 100 %.
            safety_order_volume: Volume of the first safety order.
            safety_order_volume_type: What the safety orders' volume is counted in.
            martingale_volume_coefficient: By how much each safety order is larger than the one before, 0.1 to 10.
            martingale_step_coefficient: By how much each step down is longer than the one before, 0.1 to 10.
            max_safety_orders: Most safety orders that a deal may place, 0 to 200.
            active_safety_orders_count: Safety orders of a deal that may be on the exchange at once.
            stop_loss_percentage: Stop loss in percent, further away than the last safety order; 0 for none.
            sl_to_breakeven_enabled: Whether the stop loss moves to break even as targets are reached; needs at least two steps.
            sl_to_breakeven_data: How far the stop loss moves: `{"upper_breakeven_limit": 0}` to the base order's price, 1 to the first target, 2 to the second.
            cooldown: Pause between deals in seconds, 0 to 2 592 000.
            trailing_enabled: Whether the take profit trails the price.
            trailing_deviation: How far the take profit trails the price, in percent.
            safety_order_step_percentage: Distance of the first safety order from the base order's price, in percent.
            take_profit_type: What the take profit is a percentage of.
            strategy_list: Strategies that open deals.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            stop_loss_timeout_enabled: Whether the stop loss waits before it closes a deal.
            stop_loss_timeout_in_seconds: How long the stop loss waits, in seconds.
            tsl_enabled: Whether the stop loss trails the price.
            min_volume_btc_24h: Least trading volume of a pair in 24 hours, in BTC.
            deal_start_delay_seconds: How long a signal waits before it opens a deal, in seconds.
            profit_currency: Currency that the profit is taken in.
            start_order_type: How the base order is placed.
            stop_loss_type: What happens at the stop loss.
            disable_after_deals_count: After how many deals the bot disables itself.
            allowed_deals_on_same_pair: Deals that may be open on one pair at once; multi-pair bots only.
            min_profit_percentage: Least profit, in percent, at which a signal may close a deal.
            min_profit_type: What the least profit is a percentage of.
            close_strategy_list: Strategies that close deals.
            risk_reduction_percentage: By how much losses make later deals smaller, in percent.
            reinvesting_percentage: Share of the profit that is put into later deals, in percent, 0 to 100.
            min_price_percentage: Least price at which the bot opens deals, in percent, between -95 and 1000.
            max_price_percentage: Highest price at which the bot opens deals, in percent, between -95 and 1000.
            close_deals_timeout: After how many seconds a deal is closed, at least 60.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).edit(take_profit="2.5").take_profit
            Decimal('2.5')
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @property
    def finished_deals_count(self, /) -> int | None:
        """
        How many deals were finished.
        """
    @property
    def finished_deals_profit_usd(self, /) -> Decimal | None:
        """
        Profit of all finished deals, in USD.
        """
    @staticmethod
    def from_json(text: str | bytes) -> DcaBot:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def id(self, /) -> int | None:
        """
        Identifier of the bot.
        """
    @property
    def is_enabled(self, /) -> bool | None:
        """
        Whether the bot opens new deals.
        """
    @property
    def leverage_custom_value(self, /) -> Decimal | None:
        """
        Leverage, where it is set by hand.
        """
    @property
    def leverage_type(self, /) -> Literal["not_specified", "cross", "isolated"] | str | None:
        """
        Leverage type; `not_specified` outside of futures.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[DcaBot]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.DcaBot.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def martingale_step_coefficient(self, /) -> Decimal | None:
        """
        By how much each step down is longer than the one before.
        """
    @property
    def martingale_volume_coefficient(self, /) -> Decimal | None:
        """
        By how much each safety order is larger than the one before.
        """
    @property
    def max_active_deals(self, /) -> int | None:
        """
        Most deals that may be open at once.
        """
    @property
    def max_price(self, /) -> Any | None:
        """
        Highest price at which the bot opens deals.
        """
    @property
    def max_price_percentage(self, /) -> Any | None:
        """
        Highest price at which the bot opens deals, in percent.
        """
    @property
    def max_safety_orders(self, /) -> int | None:
        """
        Most safety orders that a deal may place.
        """
    @property
    def min_price(self, /) -> Any | None:
        """
        Least price at which the bot opens deals.
        """
    @property
    def min_price_percentage(self, /) -> Any | None:
        """
        Least price at which the bot opens deals, in percent.
        """
    @property
    def min_profit_percentage(self, /) -> Decimal | None:
        """
        Least profit, in percent, at which a signal may close a deal.
        """
    @property
    def min_profit_type(self, /) -> Literal["base_order_volume", "total_bought_volume"] | str | None:
        """
        What the least profit is a percentage of.
        """
    @property
    def min_volume_btc_24h(self, /) -> Decimal | None:
        """
        Least trading volume of a pair in 24 hours, in BTC.
        """
    @property
    def name(self, /) -> str | None:
        """
        Name of the bot.
        """
    @property
    def pairs(self, /) -> list[str] | None:
        """
        The pairs, each as `<QUOTE>_<BASE>`.
        """
    @property
    def profit_currency(self, /) -> Literal["quote_currency", "base_currency"] | str | None:
        """
        Currency that the profit is taken in.
        """
    def refresh(self, /) -> DcaBot:
        """
        Get the bot as it is now, with its open deals.

        Document: Get DCA Bot. Permission BOTS_READ.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.list()[0]
            ...     bot.refresh().id == bot.id
            True
        """
    async def refresh_async(self, /) -> DcaBot:
        """
        Get the bot as it is now, with its open deals.

        Document: Get DCA Bot. Permission BOTS_READ.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.list()[0]
            ...     bot.refresh().id == bot.id
            True
        """
    @property
    def reinvested_volume_usd(self, /) -> Any | None:
        """
        Profit that was put into later deals, in USD.
        """
    @property
    def reinvesting_percentage(self, /) -> Decimal | None:
        """
        Share of the profit that is put into later deals, in percent.
        """
    @property
    def risk_reduction_percentage(self, /) -> Decimal | None:
        """
        By how much losses make later deals smaller, in percent.
        """
    @property
    def safety_order_step_percentage(self, /) -> Decimal | None:
        """
        Distance of the first safety order from the base order's price, in percent.
        """
    @property
    def safety_order_volume(self, /) -> Decimal | None:
        """
        Volume of the first safety order.
        """
    @property
    def safety_order_volume_type(self, /) -> Literal["quote_currency", "base_currency", "percent"] | str | None:
        """
        What the safety orders' volume is counted in.
        """
    @property
    def safety_strategy_list(self, /) -> list[Strategy] | None:
        """
        Strategies that place safety orders.
        """
    @property
    def start_order_type(self, /) -> Literal["limit", "market"] | str | None:
        """
        How the base order is placed.
        """
    @property
    def stop_loss_percentage(self, /) -> Decimal | None:
        """
        Stop loss in percent; `0` means none.
        """
    @property
    def stop_loss_timeout_enabled(self, /) -> bool | None:
        """
        Whether the stop loss waits before it closes a deal.
        """
    @property
    def stop_loss_timeout_in_seconds(self, /) -> int | None:
        """
        How long the stop loss waits, in seconds.
        """
    @property
    def stop_loss_type(self, /) -> Literal["stop_loss", "stop_loss_and_disable_bot"] | str | None:
        """
        What happens at the stop loss.
        """
    @property
    def strategy(self, /) -> Literal["long", "short"] | str | None:
        """
        Direction of the bot's deals.
        """
    @property
    def strategy_list(self, /) -> list[Strategy] | None:
        """
        Strategies that open deals.
        """
    @property
    def take_profit(self, /) -> Decimal | None:
        """
        Take profit in percent; None where steps are used.
        """
    @property
    def take_profit_steps(self, /) -> list[TakeProfitStep] | None:
        """
        Take-profit targets, where the bot has several.
        """
    @property
    def take_profit_type(self, /) -> Literal["base", "total"] | str | None:
        """
        What the take profit is a percentage of.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def trailing_deviation(self, /) -> Decimal | None:
        """
        How far the take profit trails the price, in percent.
        """
    @property
    def trailing_enabled(self, /) -> bool | None:
        """
        Whether the take profit trails the price.
        """
    @property
    def tsl_enabled(self, /) -> bool | None:
        """
        Whether the stop loss trails the price.
        """
    @property
    def type(self, /) -> Literal["Bot::SingleBot", "Bot::MultiBot"] | str | None:
        """
        Whether the bot trades one pair or several.
        """
    @property
    def updated_at(self, /) -> datetime | None:
        """
        When the bot last changed.
        """
    @property
    def url_secret(self, /) -> str | None:
        """
        Secret of the bot; never shown.
        """

@final
class DcaBotAsyncIterator:
    """
    A walk over all DCA bots under `async for`.
    """
    def __aiter__(self, /) -> DcaBotAsyncIterator: ...
    def __anext__(self, /) -> Coroutine[Any, Any, DcaBot]: ...
    async def _next(self, /) -> DcaBot: ...

@final
class DcaBotIterator:
    """
    A walk over all DCA bots.
    """
    def __iter__(self, /) -> DcaBotIterator: ...
    def __next__(self, /) -> DcaBot: ...

@final
class DcaBots:
    """
    The DCA bots of an account: `client.dca_bots`.
    """
    def cancel_all_deals(self, /, bot_id: int) -> DcaBot:
        """
        Cancel all open deals of a DCA bot, and disable it.

        Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.

        Returns:
            The bot after the change, with its deals on their way out.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the deals may have been cancelled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.cancel_all_deals(41)
            ...     {deal.status for deal in bot.active_deals}
            {'cancel_pending'}
        """
    async def cancel_all_deals_async(self, /, bot_id: int) -> DcaBot:
        """
        Cancel all open deals of a DCA bot, and disable it.

        Document: Cancel all deals of DCA Bot. Permission BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.

        Returns:
            The bot after the change, with its deals on their way out.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the deals may have been cancelled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.cancel_all_deals(41)
            ...     {deal.status for deal in bot.active_deals}
            {'cancel_pending'}
        """
    def disable(self, /, bot_id: int) -> DcaBot:
        """
        Disable a DCA bot: it opens no more deals; its open deals stay.

        Document: Disable DCA Bot. Permission BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.

        Returns:
            The bot after the change, with its open deals.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ForbiddenError: The API key may not do it.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been disabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.disable(41).is_enabled
            False
        """
    async def disable_async(self, /, bot_id: int) -> DcaBot:
        """
        Disable a DCA bot: it opens no more deals; its open deals stay.

        Document: Disable DCA Bot. Permission BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.

        Returns:
            The bot after the change, with its open deals.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ForbiddenError: The API key may not do it.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been disabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.disable(41).is_enabled
            False
        """
    def edit(
        self,
        /,
        bot_id: int,
        *,
        name: str | None = ...,
        pairs: str | Sequence[str] | None = ...,
        max_active_deals: int | None = ...,
        base_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        base_order_volume: str | Decimal | int | float | None = ...,
        take_profit: str | Decimal | int | float | None = ...,
        take_profit_steps: Sequence[TakeProfitStep | dict[str, Any]] | None = ...,
        safety_order_volume: str | Decimal | int | float | None = ...,
        safety_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        martingale_volume_coefficient: str | Decimal | int | float | None = ...,
        martingale_step_coefficient: str | Decimal | int | float | None = ...,
        max_safety_orders: int | None = ...,
        active_safety_orders_count: int | None = ...,
        stop_loss_percentage: str | Decimal | int | float | None = ...,
        sl_to_breakeven_enabled: bool | None = ...,
        sl_to_breakeven_data: dict[str, Any] | None = ...,
        cooldown: str | Decimal | int | float | None = ...,
        trailing_enabled: bool | None = ...,
        trailing_deviation: str | Decimal | int | float | None = ...,
        safety_order_step_percentage: str | Decimal | int | float | None = ...,
        take_profit_type: Literal["base", "total"] | None = ...,
        strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        stop_loss_timeout_enabled: bool | None = ...,
        stop_loss_timeout_in_seconds: int | None = ...,
        tsl_enabled: bool | None = ...,
        min_volume_btc_24h: str | Decimal | int | float | None = ...,
        deal_start_delay_seconds: int | None = ...,
        profit_currency: Literal["quote_currency", "base_currency"] | None = ...,
        start_order_type: Literal["limit", "market"] | None = ...,
        stop_loss_type: Literal["stop_loss", "stop_loss_and_disable_bot"] | None = ...,
        disable_after_deals_count: int | None = ...,
        allowed_deals_on_same_pair: int | None = ...,
        min_profit_percentage: str | Decimal | int | float | None = ...,
        min_profit_type: Literal["base_order_volume", "total_bought_volume"] | None = ...,
        close_strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        risk_reduction_percentage: str | Decimal | int | float | None = ...,
        reinvesting_percentage: str | Decimal | int | float | None = ...,
        min_price_percentage: str | Decimal | int | float | None = ...,
        max_price_percentage: str | Decimal | int | float | None = ...,
        close_deals_timeout: int | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> DcaBot:
        """
        Change some fields of a DCA bot and leave the others as they are.

        The bot is read first; all fields that the service insists on, and all others that it has, are sent
        along as they are. The rules of the document are checked before the change is sent. Decimals are
        best given as text or Decimal; a float is taken by its shortest text.

        Document: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.
            name: Name of the bot.
            pairs: The pair as `<QUOTE>_<BASE>`, or a list of pairs.
            max_active_deals: Most deals that may be open at once, 1 to 199.
            base_order_volume_type: What the base order's volume is counted in.
            base_order_volume: Volume of the base order.
            take_profit: Take profit in percent; 0 where several steps are given.
            take_profit_steps: Take-profit targets, at most 4, whose amounts add up to 100 %.
            safety_order_volume: Volume of the first safety order.
            safety_order_volume_type: What the safety orders' volume is counted in.
            martingale_volume_coefficient: By how much each safety order is larger than the one before, 0.1 to 10.
            martingale_step_coefficient: By how much each step down is longer than the one before, 0.1 to 10.
            max_safety_orders: Most safety orders that a deal may place, 0 to 200.
            active_safety_orders_count: Safety orders of a deal that may be on the exchange at once.
            stop_loss_percentage: Stop loss in percent, further away than the last safety order; 0 for none.
            sl_to_breakeven_enabled: Whether the stop loss moves to break even as targets are reached; needs at least two steps.
            sl_to_breakeven_data: How far the stop loss moves: `{"upper_breakeven_limit": 0}` to the base order's price, 1 to the first target, 2 to the second.
            cooldown: Pause between deals in seconds, 0 to 2 592 000.
            trailing_enabled: Whether the take profit trails the price.
            trailing_deviation: How far the take profit trails the price, in percent.
            safety_order_step_percentage: Distance of the first safety order from the base order's price, in percent.
            take_profit_type: What the take profit is a percentage of.
            strategy_list: Strategies that open deals.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            stop_loss_timeout_enabled: Whether the stop loss waits before it closes a deal.
            stop_loss_timeout_in_seconds: How long the stop loss waits, in seconds.
            tsl_enabled: Whether the stop loss trails the price.
            min_volume_btc_24h: Least trading volume of a pair in 24 hours, in BTC.
            deal_start_delay_seconds: How long a signal waits before it opens a deal, in seconds.
            profit_currency: Currency that the profit is taken in.
            start_order_type: How the base order is placed.
            stop_loss_type: What happens at the stop loss.
            disable_after_deals_count: After how many deals the bot disables itself.
            allowed_deals_on_same_pair: Deals that may be open on one pair at once; multi-pair bots only.
            min_profit_percentage: Least profit, in percent, at which a signal may close a deal.
            min_profit_type: What the least profit is a percentage of.
            close_strategy_list: Strategies that close deals.
            risk_reduction_percentage: By how much losses make later deals smaller, in percent.
            reinvesting_percentage: Share of the profit that is put into later deals, in percent, 0 to 100.
            min_price_percentage: Least price at which the bot opens deals, in percent, between -95 and 1000.
            max_price_percentage: Highest price at which the bot opens deals, in percent, between -95 and 1000.
            close_deals_timeout: After how many seconds a deal is closed, at least 60.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was changed.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was changed.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.edit(41, take_profit="2.5").take_profit
            Decimal('2.5')
        """
    async def edit_async(
        self,
        /,
        bot_id: int,
        *,
        name: str | None = ...,
        pairs: str | Sequence[str] | None = ...,
        max_active_deals: int | None = ...,
        base_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        base_order_volume: str | Decimal | int | float | None = ...,
        take_profit: str | Decimal | int | float | None = ...,
        take_profit_steps: Sequence[TakeProfitStep | dict[str, Any]] | None = ...,
        safety_order_volume: str | Decimal | int | float | None = ...,
        safety_order_volume_type: Literal["quote_currency", "base_currency", "percent"] | None = ...,
        martingale_volume_coefficient: str | Decimal | int | float | None = ...,
        martingale_step_coefficient: str | Decimal | int | float | None = ...,
        max_safety_orders: int | None = ...,
        active_safety_orders_count: int | None = ...,
        stop_loss_percentage: str | Decimal | int | float | None = ...,
        sl_to_breakeven_enabled: bool | None = ...,
        sl_to_breakeven_data: dict[str, Any] | None = ...,
        cooldown: str | Decimal | int | float | None = ...,
        trailing_enabled: bool | None = ...,
        trailing_deviation: str | Decimal | int | float | None = ...,
        safety_order_step_percentage: str | Decimal | int | float | None = ...,
        take_profit_type: Literal["base", "total"] | None = ...,
        strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        stop_loss_timeout_enabled: bool | None = ...,
        stop_loss_timeout_in_seconds: int | None = ...,
        tsl_enabled: bool | None = ...,
        min_volume_btc_24h: str | Decimal | int | float | None = ...,
        deal_start_delay_seconds: int | None = ...,
        profit_currency: Literal["quote_currency", "base_currency"] | None = ...,
        start_order_type: Literal["limit", "market"] | None = ...,
        stop_loss_type: Literal["stop_loss", "stop_loss_and_disable_bot"] | None = ...,
        disable_after_deals_count: int | None = ...,
        allowed_deals_on_same_pair: int | None = ...,
        min_profit_percentage: str | Decimal | int | float | None = ...,
        min_profit_type: Literal["base_order_volume", "total_bought_volume"] | None = ...,
        close_strategy_list: Sequence[Strategy | dict[str, Any]] | None = ...,
        risk_reduction_percentage: str | Decimal | int | float | None = ...,
        reinvesting_percentage: str | Decimal | int | float | None = ...,
        min_price_percentage: str | Decimal | int | float | None = ...,
        max_price_percentage: str | Decimal | int | float | None = ...,
        close_deals_timeout: int | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> DcaBot:
        """
        Change some fields of a DCA bot and leave the others as they are.

        The bot is read first; all fields that the service insists on, and all others that it has, are sent
        along as they are. The rules of the document are checked before the change is sent. Decimals are
        best given as text or Decimal; a float is taken by its shortest text.

        Document: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.

        Args:
            bot_id: Identifier of the bot.
            name: Name of the bot.
            pairs: The pair as `<QUOTE>_<BASE>`, or a list of pairs.
            max_active_deals: Most deals that may be open at once, 1 to 199.
            base_order_volume_type: What the base order's volume is counted in.
            base_order_volume: Volume of the base order.
            take_profit: Take profit in percent; 0 where several steps are given.
            take_profit_steps: Take-profit targets, at most 4, whose amounts add up to 100 %.
            safety_order_volume: Volume of the first safety order.
            safety_order_volume_type: What the safety orders' volume is counted in.
            martingale_volume_coefficient: By how much each safety order is larger than the one before, 0.1 to 10.
            martingale_step_coefficient: By how much each step down is longer than the one before, 0.1 to 10.
            max_safety_orders: Most safety orders that a deal may place, 0 to 200.
            active_safety_orders_count: Safety orders of a deal that may be on the exchange at once.
            stop_loss_percentage: Stop loss in percent, further away than the last safety order; 0 for none.
            sl_to_breakeven_enabled: Whether the stop loss moves to break even as targets are reached; needs at least two steps.
            sl_to_breakeven_data: How far the stop loss moves: `{"upper_breakeven_limit": 0}` to the base order's price, 1 to the first target, 2 to the second.
            cooldown: Pause between deals in seconds, 0 to 2 592 000.
            trailing_enabled: Whether the take profit trails the price.
            trailing_deviation: How far the take profit trails the price, in percent.
            safety_order_step_percentage: Distance of the first safety order from the base order's price, in percent.
            take_profit_type: What the take profit is a percentage of.
            strategy_list: Strategies that open deals.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            stop_loss_timeout_enabled: Whether the stop loss waits before it closes a deal.
            stop_loss_timeout_in_seconds: How long the stop loss waits, in seconds.
            tsl_enabled: Whether the stop loss trails the price.
            min_volume_btc_24h: Least trading volume of a pair in 24 hours, in BTC.
            deal_start_delay_seconds: How long a signal waits before it opens a deal, in seconds.
            profit_currency: Currency that the profit is taken in.
            start_order_type: How the base order is placed.
            stop_loss_type: What happens at the stop loss.
            disable_after_deals_count: After how many deals the bot disables itself.
            allowed_deals_on_same_pair: Deals that may be open on one pair at once; multi-pair bots only.
            min_profit_percentage: Least profit, in percent, at which a signal may close a deal.
            min_profit_type: What the least profit is a percentage of.
            close_strategy_list: Strategies that close deals.
            risk_reduction_percentage: By how much losses make later deals smaller, in percent.
            reinvesting_percentage: Share of the profit that is put into later deals, in percent, 0 to 100.
            min_price_percentage: Least price at which the bot opens deals, in percent, between -95 and 1000.
            max_price_percentage: Highest price at which the bot opens deals, in percent, between -95 and 1000.
            close_deals_timeout: After how many seconds a deal is closed, at least 60.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was changed.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was changed.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.edit(41, take_profit="2.5").take_profit
            Decimal('2.5')
        """
    def get(self, /, bot_id: int, include_events: bool | None = ...) -> DcaBot:
        """
        Get a DCA bot with its open deals.

        Document: Get DCA Bot. Permission BOTS_READ.

        Args:
            bot_id: Identifier of the bot.
            include_events: Whether to return the bot's events as well.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).id
            41
        """
    async def get_async(self, /, bot_id: int, include_events: bool | None = ...) -> DcaBot:
        """
        Get a DCA bot with its open deals.

        Document: Get DCA Bot. Permission BOTS_READ.

        Args:
            bot_id: Identifier of the bot.
            include_events: Whether to return the bot's events as well.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().dca_bots.get(41).id
            41
        """
    def iter(
        self,
        /,
        *,
        limit: int | None = ...,
        offset: int | None = ...,
        from_: int | str | datetime | None = ...,
        account_id: int | None = ...,
        scope: Literal["enable", "disabled", "null", "enabled"] | None = ...,
        strategy: Literal["long", "short"] | None = ...,
        sort_by: Literal["created_at", "updated_at", "profit"] | None = ...,
        order_direction: Literal["ASC", "DESC"] | None = ...,
        quote: str | None = ...,
    ) -> DcaBotIterator:
        """
        Walk over all DCA bots, page after page.

        A page is asked for when the bots before it are used up. Each bot is told once. What this client changes
        meanwhile hides none: the walk then goes over the list again, until it finds nothing new. What others
        change meanwhile may.

        Document: Get the list of DCA Bots. Permission BOTS_READ.

        Args:
            limit: Most records to return at once, 1 to 100; the service's default is 50.
            offset: How many records to skip.
            from_: Only bots created after this time: seconds since 1970, a text in ISO 8601, or a datetime with a timezone.
            account_id: Only bots of this account.
            scope: Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
            strategy: Only bots of this direction.
            sort_by: What to sort by; the service's default is `created_at`.
            order_direction: Which way to sort; the service's default is `DESC`.
            quote: Only bots of pairs with this quote currency.

        Returns:
            An iterator. `limit` is the size of its pages, 100 if it is left out.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused, at the step that asked for a page.
            TransportError: No answer came, at the step that asked for a page.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox(bots=30) as sandbox:
            ...     len(list(sandbox.client().dca_bots.iter(limit=10)))
            30
        """
    def iter_async(
        self,
        /,
        *,
        limit: int | None = ...,
        offset: int | None = ...,
        from_: int | str | datetime | None = ...,
        account_id: int | None = ...,
        scope: Literal["enable", "disabled", "null", "enabled"] | None = ...,
        strategy: Literal["long", "short"] | None = ...,
        sort_by: Literal["created_at", "updated_at", "profit"] | None = ...,
        order_direction: Literal["ASC", "DESC"] | None = ...,
        quote: str | None = ...,
    ) -> DcaBotAsyncIterator:
        """
        Walk over all DCA bots under `async for`: the asyncio twin of `iter`.

        Document: Get the list of DCA Bots. Permission BOTS_READ.

        Args:
            limit: Most records to return at once, 1 to 100; the service's default is 50.
            offset: How many records to skip.
            from_: Only bots created after this time: seconds since 1970, a text in ISO 8601, or a datetime with a timezone.
            account_id: Only bots of this account.
            scope: Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
            strategy: Only bots of this direction.
            sort_by: What to sort by; the service's default is `created_at`.
            order_direction: Which way to sort; the service's default is `DESC`.
            quote: Only bots of pairs with this quote currency.

        Returns:
            An asynchronous iterator. `limit` is the size of its pages, 100 if it is left out.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused, at the step that asked for a page.
            TransportError: No answer came, at the step that asked for a page.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> async def count(client):
            ...     return len([bot async for bot in client.dca_bots.iter_async(limit=10)])
            >>> with botdesk.Sandbox(bots=30) as sandbox:
            ...     asyncio.run(count(sandbox.client()))
            30
        """
    def list(
        self,
        /,
        *,
        limit: int | None = ...,
        offset: int | None = ...,
        from_: int | str | datetime | None = ...,
        account_id: int | None = ...,
        scope: Literal["enable", "disabled", "null", "enabled"] | None = ...,
        strategy: Literal["long", "short"] | None = ...,
        sort_by: Literal["created_at", "updated_at", "profit"] | None = ...,
        order_direction: Literal["ASC", "DESC"] | None = ...,
        quote: str | None = ...,
    ) -> Records[DcaBot]:
        """
        List one page of DCA bots.

        Document: Get the list of DCA Bots. Permission BOTS_READ.

        Args:
            limit: Most records to return at once, 1 to 100; the service's default is 50.
            offset: How many records to skip.
            from_: Only bots created after this time: seconds since 1970, a text in ISO 8601, or a datetime with a timezone.
            account_id: Only bots of this account.
            scope: Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
            strategy: Only bots of this direction.
            sort_by: What to sort by; the service's default is `created_at`.
            order_direction: Which way to sort; the service's default is `DESC`.
            quote: Only bots of pairs with this quote currency.

        Returns:
            The bots of the page, without their deals.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     page = sandbox.client().dca_bots.list(limit=5, scope="enable")
            ...     len(page)
            5
        """
    async def list_async(
        self,
        /,
        *,
        limit: int | None = ...,
        offset: int | None = ...,
        from_: int | str | datetime | None = ...,
        account_id: int | None = ...,
        scope: Literal["enable", "disabled", "null", "enabled"] | None = ...,
        strategy: Literal["long", "short"] | None = ...,
        sort_by: Literal["created_at", "updated_at", "profit"] | None = ...,
        order_direction: Literal["ASC", "DESC"] | None = ...,
        quote: str | None = ...,
    ) -> Records[DcaBot]:
        """
        List one page of DCA bots.

        Document: Get the list of DCA Bots. Permission BOTS_READ.

        Args:
            limit: Most records to return at once, 1 to 100; the service's default is 50.
            offset: How many records to skip.
            from_: Only bots created after this time: seconds since 1970, a text in ISO 8601, or a datetime with a timezone.
            account_id: Only bots of this account.
            scope: Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
            strategy: Only bots of this direction.
            sort_by: What to sort by; the service's default is `created_at`.
            order_direction: Which way to sort; the service's default is `DESC`.
            quote: Only bots of pairs with this quote currency.

        Returns:
            The bots of the page, without their deals.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     page = sandbox.client().dca_bots.list(limit=5, scope="enable")
            ...     len(page)
            5
        """

@final
class Deal:
    """
    A deal of a DCA bot: a base order and the safety orders after it, until profit or loss is taken.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> Deal: ...
    def __deepcopy__(self, /, _memo: Any) -> Deal: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> Deal:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def account_id(self, /) -> int | None:
        """
        Identifier of the account that the deal trades on.
        """
    @property
    def account_name(self, /) -> str | None:
        """
        Name of the account that the deal trades on.
        """
    @property
    def active_manual_safety_orders(self, /) -> int | None:
        """
        Safety orders placed by hand that are on the exchange now.
        """
    @property
    def active_safety_orders_count(self, /) -> int | None:
        """
        Safety orders that may be on the exchange at once.
        """
    @property
    def actual_profit(self, /) -> Decimal | None:
        """
        Profit at the current price.
        """
    @property
    def actual_profit_percentage(self, /) -> Decimal | None:
        """
        Profit at the current price, in percent.
        """
    @property
    def actual_usd_profit(self, /) -> Decimal | None:
        """
        Profit at the current price, in USD.
        """
    @property
    def add_fundable(self, /) -> bool | None:
        """
        Whether funds can be added to the deal.
        """
    @property
    def base_order_average_price(self, /) -> Decimal | None:
        """
        Average price of the base order.
        """
    @property
    def base_order_volume(self, /) -> Decimal | None:
        """
        Volume of the base order.
        """
    @property
    def base_order_volume_type(self, /) -> Literal["quote_currency", "base_currency", "percent"] | str | None:
        """
        What the base order's volume is counted in.
        """
    @property
    def bot_id(self, /) -> int | None:
        """
        Identifier of the bot that opened the deal.
        """
    @property
    def bot_name(self, /) -> str | None:
        """
        Name of the bot that opened the deal.
        """
    @property
    def bought_amount(self, /) -> Decimal | None:
        """
        Amount bought.
        """
    @property
    def bought_average_price(self, /) -> Decimal | None:
        """
        Average price of what was bought.
        """
    @property
    def bought_volume(self, /) -> Decimal | None:
        """
        Volume that the amount was bought for.
        """
    @property
    def cancellable(self, /) -> bool | None:
        """
        Whether the deal can be cancelled.
        """
    @property
    def close_strategy_list(self, /) -> list[Strategy] | None:
        """
        Strategies that close the deal.
        """
    @property
    def closed_at(self, /) -> datetime | None:
        """
        When the deal was closed; None while it is open.
        """
    @property
    def completed_manual_safety_orders_count(self, /) -> int | None:
        """
        Safety orders placed by hand that were filled.
        """
    @property
    def completed_safety_orders_count(self, /) -> int | None:
        """
        Safety orders that were filled.
        """
    @property
    def created_at(self, /) -> datetime | None:
        """
        When the deal was opened.
        """
    @property
    def crypto_widget(self, /) -> dict[str, Any] | None:
        """
        Data of the chart that the service draws of the deal.
        """
    @property
    def current_active_safety_orders(self, /) -> int | None:
        """
        Safety orders that are on the exchange now.
        """
    @property
    def current_active_safety_orders_count(self, /) -> int | None:
        """
        Safety orders that are on the exchange now, counted.
        """
    @property
    def current_price(self, /) -> Decimal | None:
        """
        Current price of the pair.
        """
    @property
    def deal_has_error(self, /) -> bool | None:
        """
        Whether the deal has an error.
        """
    @property
    def error_message(self, /) -> str | None:
        """
        What the error is.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def failed_message(self, /) -> str | None:
        """
        Why the deal failed.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @property
    def final_profit(self, /) -> Decimal | None:
        """
        Profit that the deal ended with.
        """
    @property
    def final_profit_percentage(self, /) -> Decimal | None:
        """
        Profit that the deal ended with, in percent.
        """
    @property
    def finished(self, /) -> bool | None:
        """
        Whether the deal is over.
        """
    @property
    def from_currency(self, /) -> str | None:
        """
        Currency that is spent.
        """
    @property
    def from_currency_id(self, /) -> int | None:
        """
        Identifier of the currency that is spent.
        """
    @staticmethod
    def from_json(text: str | bytes) -> Deal:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.Deal.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def id(self, /) -> int | None:
        """
        Identifier of the deal.
        """
    @property
    def last_known_position_info(self, /) -> Any | None:
        """
        Last known position on a futures market.
        """
    @property
    def leverage_custom_value(self, /) -> Decimal | None:
        """
        Leverage, where it is set by hand.
        """
    @property
    def leverage_type(self, /) -> str | None:
        """
        Leverage type; `not_specified` outside of futures.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[Deal]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.Deal.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def localized_status(self, /) -> str | None:
        """
        The status in words.
        """
    @property
    def market_type(self, /) -> str | None:
        """
        Market that the deal trades on, such as `spot`.
        """
    @property
    def martingale_coefficient(self, /) -> Decimal | None:
        """
        Martingale coefficient, under its old name.
        """
    @property
    def martingale_step_coefficient(self, /) -> Decimal | None:
        """
        By how much each step down is longer than the one before.
        """
    @property
    def martingale_volume_coefficient(self, /) -> Decimal | None:
        """
        By how much each safety order is larger than the one before.
        """
    @property
    def max_safety_orders(self, /) -> int | None:
        """
        Most safety orders that the deal may place.
        """
    @property
    def min_profit_percentage(self, /) -> Decimal | None:
        """
        Least profit, in percent, at which a signal may close the deal.
        """
    @property
    def min_profit_type(self, /) -> Literal["base_order_volume", "total_bought_volume"] | str | None:
        """
        What the least profit is a percentage of.
        """
    @property
    def note(self, /) -> str | None:
        """
        Note on the deal.
        """
    @property
    def orderbook_price_currency(self, /) -> str | None:
        """
        Currency of the order book's prices.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair, as `<QUOTE>_<BASE>`.
        """
    @property
    def panic_sellable(self, /) -> bool | None:
        """
        Whether the deal can be sold at market price.
        """
    @property
    def profit_currency(self, /) -> Literal["quote_currency", "base_currency"] | str | None:
        """
        Currency that the profit is taken in.
        """
    @property
    def reserved_base_coin(self, /) -> Decimal | None:
        """
        Base coin set aside for the deal.
        """
    @property
    def reserved_base_funds(self, /) -> Decimal | None:
        """
        Base funds set aside for the deal.
        """
    @property
    def reserved_quote_funds(self, /) -> Decimal | None:
        """
        Quote funds set aside for the deal.
        """
    @property
    def reserved_second_coin(self, /) -> Decimal | None:
        """
        Second coin set aside for the deal.
        """
    @property
    def safety_order_step_percentage(self, /) -> Decimal | None:
        """
        Distance of the first safety order from the base order's price, in percent.
        """
    @property
    def safety_order_volume(self, /) -> Decimal | None:
        """
        Volume of the first safety order.
        """
    @property
    def safety_order_volume_type(self, /) -> Literal["quote_currency", "base_currency", "percent"] | str | None:
        """
        What the safety orders' volume is counted in.
        """
    @property
    def safety_strategy_list(self, /) -> list[Strategy] | None:
        """
        Strategies that place safety orders.
        """
    @property
    def sl_to_breakeven_data(self, /) -> dict[str, Any] | None:
        """
        How the stop loss moves to break even.
        """
    @property
    def sl_to_breakeven_enabled(self, /) -> bool | None:
        """
        Whether the stop loss moves to break even as targets are reached.
        """
    @property
    def smart_trade_convertable(self, /) -> bool | None:
        """
        Whether the deal can be turned into a SmartTrade.
        """
    @property
    def sold_amount(self, /) -> Decimal | None:
        """
        Amount sold.
        """
    @property
    def sold_average_price(self, /) -> Decimal | None:
        """
        Average price of what was sold.
        """
    @property
    def sold_volume(self, /) -> Decimal | None:
        """
        Volume that the amount was sold for.
        """
    @property
    def status(self, /) -> Literal["bought", "cancel_pending"] | str | None:
        """
        What the deal is on: `bought` (active), `cancel_pending` or another status.
        """
    @property
    def stop_loss_percentage(self, /) -> Decimal | None:
        """
        Stop loss in percent; `0` means none.
        """
    @property
    def stop_loss_price(self, /) -> Decimal | None:
        """
        Price at which the loss is stopped.
        """
    @property
    def stop_loss_timeout_enabled(self, /) -> bool | None:
        """
        Whether the stop loss waits before it closes the deal.
        """
    @property
    def stop_loss_timeout_in_seconds(self, /) -> int | None:
        """
        How long the stop loss waits, in seconds.
        """
    @property
    def stop_loss_type(self, /) -> Literal["stop_loss", "stop_loss_and_disable_bot"] | str | None:
        """
        What happens at the stop loss.
        """
    @property
    def strategy(self, /) -> Literal["long", "short"] | str | None:
        """
        Direction of the deal.
        """
    @property
    def take_profit(self, /) -> Decimal | None:
        """
        Take profit in percent.
        """
    @property
    def take_profit_price(self, /) -> Decimal | None:
        """
        Price at which profit is taken.
        """
    @property
    def take_profit_steps(self, /) -> list[TakeProfitStep] | None:
        """
        Take-profit targets, where the deal has several.
        """
    @property
    def take_profit_type(self, /) -> Literal["base", "total"] | str | None:
        """
        What the take profit is a percentage of.
        """
    @property
    def to_currency(self, /) -> str | None:
        """
        Currency that is bought.
        """
    @property
    def to_currency_id(self, /) -> int | None:
        """
        Identifier of the currency that is bought.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.Deal.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.Deal.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def trailing_deviation(self, /) -> Decimal | None:
        """
        How far the take profit trails the price, in percent.
        """
    @property
    def trailing_enabled(self, /) -> bool | None:
        """
        Whether the take profit trails the price.
        """
    @property
    def trailing_max_price(self, /) -> Any | None:
        """
        Highest price since the take profit began to trail.
        """
    @property
    def tsl_enabled(self, /) -> bool | None:
        """
        Whether the stop loss trails the price.
        """
    @property
    def tsl_max_price(self, /) -> Any | None:
        """
        Highest price since the stop loss began to trail.
        """
    @property
    def type(self, /) -> str | None:
        """
        Kind of the record, `Deal`.
        """
    @property
    def updated_at(self, /) -> datetime | None:
        """
        When the deal last changed.
        """
    @property
    def usd_final_profit(self, /) -> Decimal | None:
        """
        Profit that the deal ended with, in USD.
        """

@final
class DepositData:
    """
    Where to deposit a currency, and how much of it the account holds.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> DepositData: ...
    def __deepcopy__(self, /, _memo: Any) -> DepositData: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> DepositData:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def address(self, /) -> str | None:
        """
        The address; never shown.
        """
    @property
    def address_tag(self, /) -> str | None:
        """
        What must be given with the address where the network asks for it; never shown.
        """
    @property
    def available_balance(self, /) -> Decimal | None:
        """
        What is free.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> DepositData:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.DepositData.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def in_orders(self, /) -> Decimal | None:
        """
        What is in active orders.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[DepositData]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.DepositData.list_from_json(b'[{}, {}]'))
            2
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.DepositData.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.DepositData.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def total_balance(self, /) -> Decimal | None:
        """
        What the account holds in all.
        """

@final
class GridBot:
    """
    A grid bot: it buys and sells at the levels between two prices.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> GridBot: ...
    def __deepcopy__(self, /, _memo: Any) -> GridBot: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> GridBot:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def account_id(self, /) -> int | None:
        """
        Identifier of the account that the bot trades on.
        """
    @property
    def account_name(self, /) -> str | None:
        """
        Name of the account that the bot trades on.
        """
    @property
    def bought_volume(self, /) -> Decimal | None:
        """
        Volume bought.
        """
    @property
    def created_at(self, /) -> datetime | None:
        """
        When the bot was made.
        """
    @property
    def current_price(self, /) -> Decimal | None:
        """
        Current price of the pair.
        """
    @property
    def current_profit(self, /) -> Decimal | None:
        """
        Profit of the bot.
        """
    @property
    def current_profit_loss(self, /) -> Decimal | None:
        """
        Profit or loss now.
        """
    @property
    def current_profit_loss_percent(self, /) -> Decimal | None:
        """
        Profit or loss now, in percent.
        """
    @property
    def current_profit_usd(self, /) -> Decimal | None:
        """
        Profit of the bot, in USD.
        """
    def edit(
        self,
        /,
        *,
        name: str | None = ...,
        upper_price: str | Decimal | int | float | None = ...,
        lower_price: str | Decimal | int | float | None = ...,
        grids_quantity: int | None = ...,
        grid_type: Literal["geometric", "arithmetic"] | None = ...,
        quantity_per_grid: str | Decimal | int | float | None = ...,
        upper_stop_loss_enabled: bool | None = ...,
        upper_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        upper_stop_loss_price: str | Decimal | int | float | None = ...,
        lower_stop_loss_enabled: bool | None = ...,
        lower_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        lower_stop_loss_price: str | Decimal | int | float | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        max_active_buy_lines: int | None = ...,
        max_active_sell_lines: int | None = ...,
        trailing_up_enabled: bool | None = ...,
        trailing_down_enabled: bool | None = ...,
        expansion_down_enabled: bool | None = ...,
        expansion_down_stop_price: str | Decimal | int | float | None = ...,
        expansion_up_enabled: bool | None = ...,
        expansion_up_stop_price: str | Decimal | int | float | None = ...,
        ignore_warnings: bool | None = ...,
        note: str | None = ...,
        order_currency_type: str | None = ...,
        profit_currency_type: str | None = ...,
        mode: str | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> GridBot:
        """
        Change some fields of the bot and leave the others as the record holds them.

        All fields that the service insists on, and all others that the record holds, are sent along. What
        changed at the service since the record was read is thereby set back. The rules of the document are
        checked before anything is sent, all at once. Decimals are best given as text or Decimal; a float
        is taken by its shortest text.

        Document: Edit Grid Bot. Permission BOTS_WRITE.

        Args:
            name: Name of the bot.
            upper_price: Upper bound of the grid; no order to sell lies above it.
            lower_price: Lower bound of the grid.
            grids_quantity: How many levels the grid has, both ends counted.
            grid_type: How the levels lie to each other.
            quantity_per_grid: Quantity of each order.
            upper_stop_loss_enabled: Whether the bot stops above the grid.
            upper_stop_loss_action: What happens when the bot stops above the grid.
            upper_stop_loss_price: Price above the grid at which the bot stops.
            lower_stop_loss_enabled: Whether the bot stops below the grid.
            lower_stop_loss_action: What happens when the bot stops below the grid.
            lower_stop_loss_price: Price below the grid at which the bot stops.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            max_active_buy_lines: Most levels that may hold an order to buy at once.
            max_active_sell_lines: Most levels that may hold an order to sell at once.
            trailing_up_enabled: Whether the grid follows the price up.
            trailing_down_enabled: Whether the grid follows the price down.
            expansion_down_enabled: Whether the grid grows downwards.
            expansion_down_stop_price: Price below which the grid does not grow.
            expansion_up_enabled: Whether the grid grows upwards.
            expansion_up_stop_price: Price above which the grid does not grow.
            ignore_warnings: Whether warnings are ignored.
            note: Note on the bot, 1 to 300 characters.
            order_currency_type: What the orders are counted in; the document shows it and gives no rule.
            profit_currency_type: What the profit is taken in; the document shows it and gives no rule.
            mode: Direction of the bot, such as `long`; the document shows it and gives no rule.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
            ...     bot.edit(grids_quantity=11).grids_quantity
            11
        """
    async def edit_async(
        self,
        /,
        *,
        name: str | None = ...,
        upper_price: str | Decimal | int | float | None = ...,
        lower_price: str | Decimal | int | float | None = ...,
        grids_quantity: int | None = ...,
        grid_type: Literal["geometric", "arithmetic"] | None = ...,
        quantity_per_grid: str | Decimal | int | float | None = ...,
        upper_stop_loss_enabled: bool | None = ...,
        upper_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        upper_stop_loss_price: str | Decimal | int | float | None = ...,
        lower_stop_loss_enabled: bool | None = ...,
        lower_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        lower_stop_loss_price: str | Decimal | int | float | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        max_active_buy_lines: int | None = ...,
        max_active_sell_lines: int | None = ...,
        trailing_up_enabled: bool | None = ...,
        trailing_down_enabled: bool | None = ...,
        expansion_down_enabled: bool | None = ...,
        expansion_down_stop_price: str | Decimal | int | float | None = ...,
        expansion_up_enabled: bool | None = ...,
        expansion_up_stop_price: str | Decimal | int | float | None = ...,
        ignore_warnings: bool | None = ...,
        note: str | None = ...,
        order_currency_type: str | None = ...,
        profit_currency_type: str | None = ...,
        mode: str | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> GridBot:
        """
        Change some fields of the bot and leave the others as the record holds them.

        All fields that the service insists on, and all others that the record holds, are sent along. What
        changed at the service since the record was read is thereby set back. The rules of the document are
        checked before anything is sent, all at once. Decimals are best given as text or Decimal; a float
        is taken by its shortest text.

        Document: Edit Grid Bot. Permission BOTS_WRITE.

        Args:
            name: Name of the bot.
            upper_price: Upper bound of the grid; no order to sell lies above it.
            lower_price: Lower bound of the grid.
            grids_quantity: How many levels the grid has, both ends counted.
            grid_type: How the levels lie to each other.
            quantity_per_grid: Quantity of each order.
            upper_stop_loss_enabled: Whether the bot stops above the grid.
            upper_stop_loss_action: What happens when the bot stops above the grid.
            upper_stop_loss_price: Price above the grid at which the bot stops.
            lower_stop_loss_enabled: Whether the bot stops below the grid.
            lower_stop_loss_action: What happens when the bot stops below the grid.
            lower_stop_loss_price: Price below the grid at which the bot stops.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            max_active_buy_lines: Most levels that may hold an order to buy at once.
            max_active_sell_lines: Most levels that may hold an order to sell at once.
            trailing_up_enabled: Whether the grid follows the price up.
            trailing_down_enabled: Whether the grid follows the price down.
            expansion_down_enabled: Whether the grid grows downwards.
            expansion_down_stop_price: Price below which the grid does not grow.
            expansion_up_enabled: Whether the grid grows upwards.
            expansion_up_stop_price: Price above which the grid does not grow.
            ignore_warnings: Whether warnings are ignored.
            note: Note on the bot, 1 to 300 characters.
            order_currency_type: What the orders are counted in; the document shows it and gives no rule.
            profit_currency_type: What the profit is taken in; the document shows it and gives no rule.
            mode: Direction of the bot, such as `long`; the document shows it and gives no rule.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: The change breaks rules, told all at once in `errors`; nothing was sent.
            ConfigurationError: The record was not made by a client.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
            ...     bot.edit(grids_quantity=11).grids_quantity
            11
        """
    @property
    def editable(self, /) -> bool | None:
        """
        Whether the bot can be edited.
        """
    def enable(self, /) -> GridBot:
        """
        Enable the bot.

        Document: Enable Grid Bot. Permission BOTS_WRITE.

        Returns:
            The bot, enabled.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been enabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
            ...     bot.enable().is_enabled
            True
        """
    async def enable_async(self, /) -> GridBot:
        """
        Enable the bot.

        Document: Enable Grid Bot. Permission BOTS_WRITE.

        Returns:
            The bot, enabled.

        Raises:
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the bot may have been enabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
            ...     bot.enable().is_enabled
            True
        """
    @property
    def expansion_down_enabled(self, /) -> bool | None:
        """
        Whether the grid grows downwards.
        """
    @property
    def expansion_down_stop_price(self, /) -> Decimal | None:
        """
        Price below which the grid does not grow.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> GridBot:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.GridBot.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def grid_lines(self, /) -> list[GridLine] | None:
        """
        The levels.
        """
    @property
    def grid_price_step(self, /) -> Decimal | None:
        """
        Distance of two levels: a difference in an arithmetic grid, a ratio in a geometric one.
        """
    @property
    def grid_type(self, /) -> Literal["geometric", "arithmetic"] | str | None:
        """
        How the levels lie to each other.
        """
    @property
    def grids_quantity(self, /) -> int | None:
        """
        How many levels the grid has, both ends counted.
        """
    @property
    def id(self, /) -> int | None:
        """
        Identifier of the bot.
        """
    @property
    def investment_base_currency(self, /) -> Decimal | None:
        """
        What is invested of the base currency.
        """
    @property
    def investment_quote_currency(self, /) -> Decimal | None:
        """
        What is invested of the quote currency.
        """
    @property
    def is_enabled(self, /) -> bool | None:
        """
        Whether the bot trades.
        """
    @property
    def leverage_custom_value(self, /) -> Decimal | None:
        """
        Leverage, where it is set by hand.
        """
    @property
    def leverage_type(self, /) -> str | None:
        """
        Leverage type.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[GridBot]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.GridBot.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def lower_price(self, /) -> Decimal | None:
        """
        Lower bound of the grid.
        """
    @property
    def lower_stop_loss_action(
        self, /
    ) -> Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | str | None:
        """
        What happens when the bot stops below the grid.
        """
    @property
    def lower_stop_loss_enabled(self, /) -> bool | None:
        """
        Whether the bot stops below the grid.
        """
    @property
    def lower_stop_loss_price(self, /) -> Decimal | None:
        """
        Price below the grid at which the bot stops.
        """
    @property
    def max_active_buy_lines(self, /) -> int | None:
        """
        Most levels that may hold an order to buy at once.
        """
    @property
    def max_active_sell_lines(self, /) -> int | None:
        """
        Most levels that may hold an order to sell at once.
        """
    @property
    def name(self, /) -> str | None:
        """
        Name of the bot.
        """
    @property
    def note(self, /) -> str | None:
        """
        Note on the bot.
        """
    @property
    def order_currency_type(self, /) -> str | None:
        """
        What the orders are counted in, such as `quote`.
        """
    @property
    def orderbook_price_currency(self, /) -> str | None:
        """
        Currency of the order book's prices.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair, as `<QUOTE>_<BASE>`.
        """
    @property
    def profit_currency_type(self, /) -> str | None:
        """
        What the profit is taken in, such as `quote`.
        """
    @property
    def profit_percentage(self, /) -> Decimal | None:
        """
        Profit of the bot, in percent.
        """
    @property
    def quantity_per_grid(self, /) -> Decimal | None:
        """
        Quantity of each order.
        """
    def set_note(self, /, note: str | None) -> GridBot:
        """
        Set the note of the bot.

        Document: Set a note to Grid Bot. Permission BOTS_WRITE.

        Args:
            note: The note, 1 to 300 characters.

        Returns:
            The bot with its new note.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the note may have been set.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.enable(203)
            ...     bot.set_note("Mind the range").note
            'Mind the range'
        """
    async def set_note_async(self, /, note: str | None) -> GridBot:
        """
        Set the note of the bot.

        Document: Set a note to Grid Bot. Permission BOTS_WRITE.

        Args:
            note: The note, 1 to 300 characters.

        Returns:
            The bot with its new note.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            ConfigurationError: The record was not made by a client.
            NotFoundError: There is no such bot any more.
            OutcomeUnknownError: No answer came, and the note may have been set.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.enable(203)
            ...     bot.set_note("Mind the range").note
            'Mind the range'
        """
    @property
    def sold_volume(self, /) -> Decimal | None:
        """
        Volume sold.
        """
    @property
    def start_price(self, /) -> Decimal | None:
        """
        Price at the start of the bot.
        """
    @property
    def strategy_type(self, /) -> str | None:
        """
        How the grid was set up, such as `manual`.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.GridBot.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.GridBot.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def total_profits_count(self, /) -> int | None:
        """
        How often the bot took profit.
        """
    @property
    def trailing_up_enabled(self, /) -> bool | None:
        """
        Whether the grid follows the price up.
        """
    @property
    def unrealized_profit_loss(self, /) -> Decimal | None:
        """
        Profit or loss that is not realised.
        """
    @property
    def updated_at(self, /) -> datetime | None:
        """
        When the bot last changed.
        """
    @property
    def upper_price(self, /) -> Decimal | None:
        """
        Upper bound of the grid.
        """
    @property
    def upper_stop_loss_action(
        self, /
    ) -> Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | str | None:
        """
        What happens when the bot stops above the grid.
        """
    @property
    def upper_stop_loss_enabled(self, /) -> bool | None:
        """
        Whether the bot stops above the grid.
        """
    @property
    def upper_stop_loss_price(self, /) -> Decimal | None:
        """
        Price above the grid at which the bot stops.
        """

@final
class GridBots:
    """
    The grid bots: `client.grid_bots`.
    """
    def edit(
        self,
        /,
        grid_bot_id: int,
        *,
        name: str | None = ...,
        upper_price: str | Decimal | int | float | None = ...,
        lower_price: str | Decimal | int | float | None = ...,
        grids_quantity: int | None = ...,
        grid_type: Literal["geometric", "arithmetic"] | None = ...,
        quantity_per_grid: str | Decimal | int | float | None = ...,
        upper_stop_loss_enabled: bool | None = ...,
        upper_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        upper_stop_loss_price: str | Decimal | int | float | None = ...,
        lower_stop_loss_enabled: bool | None = ...,
        lower_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        lower_stop_loss_price: str | Decimal | int | float | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        max_active_buy_lines: int | None = ...,
        max_active_sell_lines: int | None = ...,
        trailing_up_enabled: bool | None = ...,
        trailing_down_enabled: bool | None = ...,
        expansion_down_enabled: bool | None = ...,
        expansion_down_stop_price: str | Decimal | int | float | None = ...,
        expansion_up_enabled: bool | None = ...,
        expansion_up_stop_price: str | Decimal | int | float | None = ...,
        ignore_warnings: bool | None = ...,
        note: str | None = ...,
        order_currency_type: str | None = ...,
        profit_currency_type: str | None = ...,
        mode: str | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> GridBot:
        """
        Change a grid bot, all of whose required fields are given.

        The service can't be asked for a grid bot by its identifier, so what is not given is not sent. With
        a record, `GridBot.edit` fills in the rest. `grids_quantity` travels under both names that the
        document has for it.

        Document: Edit Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.
            name: Name of the bot.
            upper_price: Upper bound of the grid; no order to sell lies above it.
            lower_price: Lower bound of the grid.
            grids_quantity: How many levels the grid has, both ends counted.
            grid_type: How the levels lie to each other.
            quantity_per_grid: Quantity of each order.
            upper_stop_loss_enabled: Whether the bot stops above the grid.
            upper_stop_loss_action: What happens when the bot stops above the grid.
            upper_stop_loss_price: Price above the grid at which the bot stops.
            lower_stop_loss_enabled: Whether the bot stops below the grid.
            lower_stop_loss_action: What happens when the bot stops below the grid.
            lower_stop_loss_price: Price below the grid at which the bot stops.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            max_active_buy_lines: Most levels that may hold an order to buy at once.
            max_active_sell_lines: Most levels that may hold an order to sell at once.
            trailing_up_enabled: Whether the grid follows the price up.
            trailing_down_enabled: Whether the grid follows the price down.
            expansion_down_enabled: Whether the grid grows downwards.
            expansion_down_stop_price: Price below which the grid does not grow.
            expansion_up_enabled: Whether the grid grows upwards.
            expansion_up_stop_price: Price above which the grid does not grow.
            ignore_warnings: Whether warnings are ignored.
            note: Note on the bot, 1 to 300 characters.
            order_currency_type: What the orders are counted in; the document shows it and gives no rule.
            profit_currency_type: What the profit is taken in; the document shows it and gives no rule.
            mode: Direction of the bot, such as `long`; the document shows it and gives no rule.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: A required field is missing, or the change breaks other rules, told all at
                once in `errors`; nothing was sent.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.edit(
            ...         203,
            ...         lower_price="1900",
            ...         upper_price="2100",
            ...         grids_quantity=11,
            ...         quantity_per_grid="0.01",
            ...         upper_stop_loss_enabled=False,
            ...     )
            ...     bot.grids_quantity
            11
        """
    async def edit_async(
        self,
        /,
        grid_bot_id: int,
        *,
        name: str | None = ...,
        upper_price: str | Decimal | int | float | None = ...,
        lower_price: str | Decimal | int | float | None = ...,
        grids_quantity: int | None = ...,
        grid_type: Literal["geometric", "arithmetic"] | None = ...,
        quantity_per_grid: str | Decimal | int | float | None = ...,
        upper_stop_loss_enabled: bool | None = ...,
        upper_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        upper_stop_loss_price: str | Decimal | int | float | None = ...,
        lower_stop_loss_enabled: bool | None = ...,
        lower_stop_loss_action: Literal["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"] | None = ...,
        lower_stop_loss_price: str | Decimal | int | float | None = ...,
        leverage_type: Literal["cross", "isolated"] | None = ...,
        leverage_custom_value: str | Decimal | int | float | None = ...,
        max_active_buy_lines: int | None = ...,
        max_active_sell_lines: int | None = ...,
        trailing_up_enabled: bool | None = ...,
        trailing_down_enabled: bool | None = ...,
        expansion_down_enabled: bool | None = ...,
        expansion_down_stop_price: str | Decimal | int | float | None = ...,
        expansion_up_enabled: bool | None = ...,
        expansion_up_stop_price: str | Decimal | int | float | None = ...,
        ignore_warnings: bool | None = ...,
        note: str | None = ...,
        order_currency_type: str | None = ...,
        profit_currency_type: str | None = ...,
        mode: str | None = ...,
        validate: bool = True,
        **unknown: "None",
    ) -> GridBot:
        """
        Change a grid bot, all of whose required fields are given.

        The service can't be asked for a grid bot by its identifier, so what is not given is not sent. With
        a record, `GridBot.edit` fills in the rest. `grids_quantity` travels under both names that the
        document has for it.

        Document: Edit Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.
            name: Name of the bot.
            upper_price: Upper bound of the grid; no order to sell lies above it.
            lower_price: Lower bound of the grid.
            grids_quantity: How many levels the grid has, both ends counted.
            grid_type: How the levels lie to each other.
            quantity_per_grid: Quantity of each order.
            upper_stop_loss_enabled: Whether the bot stops above the grid.
            upper_stop_loss_action: What happens when the bot stops above the grid.
            upper_stop_loss_price: Price above the grid at which the bot stops.
            lower_stop_loss_enabled: Whether the bot stops below the grid.
            lower_stop_loss_action: What happens when the bot stops below the grid.
            lower_stop_loss_price: Price below the grid at which the bot stops.
            leverage_type: Leverage type.
            leverage_custom_value: Leverage, where it is set by hand.
            max_active_buy_lines: Most levels that may hold an order to buy at once.
            max_active_sell_lines: Most levels that may hold an order to sell at once.
            trailing_up_enabled: Whether the grid follows the price up.
            trailing_down_enabled: Whether the grid follows the price down.
            expansion_down_enabled: Whether the grid grows downwards.
            expansion_down_stop_price: Price below which the grid does not grow.
            expansion_up_enabled: Whether the grid grows upwards.
            expansion_up_stop_price: Price above which the grid does not grow.
            ignore_warnings: Whether warnings are ignored.
            note: Note on the bot, 1 to 300 characters.
            order_currency_type: What the orders are counted in; the document shows it and gives no rule.
            profit_currency_type: What the profit is taken in; the document shows it and gives no rule.
            mode: Direction of the bot, such as `long`; the document shows it and gives no rule.
            validate: Whether the rules are checked before anything is sent; without it the service judges.

        Returns:
            The bot after the change.

        Raises:
            ValidationError: A required field is missing, or the change breaks other rules, told all at
                once in `errors`; nothing was sent.
            RecordInvalidError: The service found fields invalid.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been changed.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.edit(
            ...         203,
            ...         lower_price="1900",
            ...         upper_price="2100",
            ...         grids_quantity=11,
            ...         quantity_per_grid="0.01",
            ...         upper_stop_loss_enabled=False,
            ...     )
            ...     bot.grids_quantity
            11
        """
    def enable(self, /, grid_bot_id: int) -> GridBot:
        """
        Enable a grid bot.

        Document: Enable Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.

        Returns:
            The bot, enabled.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been enabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().grid_bots.enable(203).is_enabled
            True
        """
    async def enable_async(self, /, grid_bot_id: int) -> GridBot:
        """
        Enable a grid bot.

        Document: Enable Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.

        Returns:
            The bot, enabled.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the bot may have been enabled.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().grid_bots.enable(203).is_enabled
            True
        """
    def set_note(self, /, grid_bot_id: int, note: str | None) -> GridBot:
        """
        Set the note of a grid bot.

        Document: Set a note to Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.
            note: The note, 1 to 300 characters.

        Returns:
            The bot with its new note.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the note may have been set.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().grid_bots.set_note(203, "Mind the range").note
            'Mind the range'
        """
    async def set_note_async(self, /, grid_bot_id: int, note: str | None) -> GridBot:
        """
        Set the note of a grid bot.

        Document: Set a note to Grid Bot. Permission BOTS_WRITE.

        Args:
            grid_bot_id: Identifier of the bot.
            note: The note, 1 to 300 characters.

        Returns:
            The bot with its new note.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            NotFoundError: There is no such bot.
            OutcomeUnknownError: No answer came, and the note may have been set.
            ApiError: The service refused.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().grid_bots.set_note(203, "Mind the range").note
            'Mind the range'
        """

@final
class GridLine:
    """
    A level of a grid.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> GridLine: ...
    def __deepcopy__(self, /, _memo: Any) -> GridLine: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> GridLine:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> GridLine:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.GridLine.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def id(self, /) -> int | None:
        """
        Identifier of the level.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[GridLine]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.GridLine.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def order_placed(self, /) -> bool | None:
        """
        Whether the order is on the exchange.
        """
    @property
    def price(self, /) -> Decimal | None:
        """
        Price of the level.
        """
    @property
    def side(self, /) -> Literal["buy", "sell"] | str | None:
        """
        What the order at the level does; None at the level nearest to the price.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.GridLine.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.GridLine.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

@final
class LeverageType:
    """
    A kind of leverage that an account offers.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> LeverageType: ...
    def __deepcopy__(self, /, _memo: Any) -> LeverageType: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> LeverageType:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def available_leverage_values(self, /) -> list[Any] | None:
        """
        The leverages to choose from.
        """
    @property
    def can_set_leverage_value(self, /) -> bool | None:
        """
        Whether the leverage can be set.
        """
    @property
    def code(self, /) -> str | None:
        """
        Code, such as `none`, `cross` or `isolated`.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> LeverageType:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.LeverageType.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[LeverageType]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.LeverageType.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def max_leverage(self, /) -> Decimal | None:
        """
        The highest leverage; None where there is no limit.
        """
    @property
    def name(self, /) -> str | None:
        """
        Name, to show.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.LeverageType.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.LeverageType.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def valid(self, /) -> dict[str, Any] | None:
        """
        The least and the highest leverage, as `min` and `max`; empty where it does not apply.
        """

@final
class Money:
    """
    An amount of a currency.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> Money: ...
    def __deepcopy__(self, /, _memo: Any) -> Money: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> Money:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def amount(self, /) -> Decimal | None:
        """
        The amount.
        """
    @property
    def currency(self, /) -> str | None:
        """
        Code of the currency.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> Money:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.Money.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[Money]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.Money.list_from_json(b'[{}, {}]'))
            2
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.Money.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.Money.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

@final
class Network:
    """
    A network over which a currency is deposited and withdrawn.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> Network: ...
    def __deepcopy__(self, /, _memo: Any) -> Network: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> Network:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def address_regexp(self, /) -> str | None:
        """
        Regular expression that an address matches.
        """
    @property
    def default(self, /) -> bool | None:
        """
        Whether it is the main network of the currency.
        """
    @property
    def deposit_enable(self, /) -> bool | None:
        """
        Whether deposits are possible.
        """
    @property
    def deposit_tip(self, /) -> str | None:
        """
        What to know before a deposit.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> Network:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.Network.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def label(self, /) -> str | None:
        """
        Name of the extra field, such as memo or tag.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[Network]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.Network.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def memo_regexp(self, /) -> str | None:
        """
        Regular expression that a memo matches.
        """
    @property
    def network(self, /) -> str | None:
        """
        Name of the network.
        """
    @property
    def network_name(self, /) -> str | None:
        """
        Full name of the network.
        """
    @property
    def network_url(self, /) -> str | None:
        """
        Web page of the network.
        """
    @property
    def require_address_tag(self, /) -> bool | None:
        """
        Whether an address needs a tag.
        """
    @property
    def special_tip(self, /) -> str | None:
        """
        What else to know.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.Network.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.Network.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def withdraw_enable(self, /) -> bool | None:
        """
        Whether withdrawals are possible.
        """
    @property
    def withdraw_fee(self, /) -> Decimal | None:
        """
        Fee of a withdrawal.
        """
    @property
    def withdraw_max(self, /) -> Decimal | None:
        """
        Largest amount of a withdrawal.
        """
    @property
    def withdraw_min(self, /) -> Decimal | None:
        """
        Least amount of a withdrawal.
        """
    @property
    def withdraw_multiple(self, /) -> Decimal | None:
        """
        Smallest increment of a withdrawal's amount.
        """
    @property
    def withdraw_tip(self, /) -> str | None:
        """
        What to know before a withdrawal.
        """

@final
class NetworkInfo:
    """
    A currency, and the networks over which it is deposited and withdrawn.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> NetworkInfo: ...
    def __deepcopy__(self, /, _memo: Any) -> NetworkInfo: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> NetworkInfo:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def currency(self, /) -> str | None:
        """
        Code of the currency.
        """
    @property
    def deposit_enable(self, /) -> bool | None:
        """
        Whether deposits are possible.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> NetworkInfo:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.NetworkInfo.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[NetworkInfo]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.NetworkInfo.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def name(self, /) -> str | None:
        """
        Full name of the currency.
        """
    @property
    def network_list(self, /) -> list[Network] | None:
        """
        The networks.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.NetworkInfo.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.NetworkInfo.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """
    @property
    def withdraw_enable(self, /) -> bool | None:
        """
        Whether withdrawals are possible.
        """

@final
class ReceivedRequest:
    """
    A request that arrived at a sandbox, without its key and its signature.
    """
    def __repr__(self, /) -> str: ...
    @property
    def body(self, /) -> str:
        """
        The body; empty where there was none.
        """
    @property
    def method(self, /) -> str:
        """
        The method.
        """
    @property
    def path(self, /) -> str:
        """
        The path as it stood in the request line.
        """
    @property
    def query(self, /) -> str | None:
        """
        The query as it stood in the request line; None where there was none.
        """
    @property
    def status(self, /) -> int:
        """
        The status of the answer.
        """

@final
class ReduceFundsInfo:
    """
    By how much the funds of a SmartTrade can be reduced.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> ReduceFundsInfo: ...
    def __deepcopy__(self, /, _memo: Any) -> ReduceFundsInfo: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> ReduceFundsInfo:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> ReduceFundsInfo:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.ReduceFundsInfo.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[ReduceFundsInfo]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.ReduceFundsInfo.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def max_reduce_funds_amount(self, /) -> Decimal | None:
        """
        The most that the funds can be reduced by.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.ReduceFundsInfo.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.ReduceFundsInfo.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

@final
class Sandbox:
    """
    The service, run on this machine: an HTTP server on a loopback port, with a world of its own.

    It starts when it is made and stops at the end of its `with` block, or with `close()`. It checks signatures and
    permissions, holds state, and forgets all when it stops.

    Args:
        seed: From which the world is made; the same seed makes the same world.
        bots: How many DCA bots there are.
        port: The port to listen on; 0 for any that is free.

    Raises:
        ConfigurationError: An argument can't be used, or the port is in use.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox(bots=3) as sandbox:
        ...     len(sandbox.client().dca_bots.list())
        3
    """
    async def __aenter__(self, /) -> Sandbox: ...
    async def __aexit__(self, /, *_error: "object") -> "None": ...
    def __enter__(self, /) -> Sandbox: ...
    def __exit__(self, /, *_error: "object") -> "None": ...
    def __new__(cls, /, *, seed: "int" = 1, bots: "int" = 12, port: "int" = 0) -> Sandbox: ...
    def __repr__(self, /) -> str: ...
    def add_key(self, /, public_key_pem: str, permissions: Sequence[str] | None = None) -> str:
        """
        Let the holder of a private key in.

        Args:
            public_key_pem: The public half of the key, in PEM.
            permissions: What the API key may do, such as `["BOTS_READ"]`; everything if it is left out.

        Returns:
            A fresh API key.

        Raises:
            ConfigurationError: The text is not the public half of an RSA key.
            ValidationError: There is no such permission.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     try:
            ...         api_key = sandbox.add_key("-----BEGIN CERTIFICATE-----")
            ...     except botdesk.ConfigurationError as error:
            ...         print(error)
            the public key is not PEM text; it begins with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
        """
    def client(self, /, permissions: Sequence[str] | None = None) -> Client:
        """
        Make a client of the sandbox, with an API key and a private key of its own.

        Args:
            permissions: What the API key may do, such as `["BOTS_READ"]`; everything if it is left out.

        Raises:
            ValidationError: There is no such permission.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     reader = sandbox.client(permissions=["BOTS_READ"])
            ...     try:
            ...         reader.dca_bots.disable(41)
            ...     except botdesk.ForbiddenError as error:
            ...         error.status
            403
        """
    def close(self, /) -> None:
        """
        Stop the sandbox and free its port. A sandbox that is stopped stays so.

        In a forked child it does nothing: the sandbox belongs to the process that started it.

        Example:
            >>> import botdesk
            >>> sandbox = botdesk.Sandbox()
            >>> sandbox.close()
        """
    @property
    def requests(self, /) -> list[ReceivedRequest]:
        """
        What arrived, the oldest first, without keys and signatures.
        """
    @property
    def url(self, /) -> str:
        """
        The address of the sandbox, `http://127.0.0.1:PORT`.
        """

@final
class SmartTrades:
    """
    The SmartTrades: `client.smart_trades`.
    """
    def reduce_funds_info(self, /, smart_trade_id: int) -> ReduceFundsInfo:
        """
        Ask by how much the funds of a SmartTrade can be reduced.

        Document: Available reduce funds. Permission SMART_TRADES_WRITE.

        Args:
            smart_trade_id: Identifier of the SmartTrade; its status must be `waiting_targets`.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            WrongParamsError: The status of the SmartTrade does not allow it.
            NotFoundError: There is no such SmartTrade.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().smart_trades.reduce_funds_info(301).max_reduce_funds_amount > 0
            True
        """
    async def reduce_funds_info_async(self, /, smart_trade_id: int) -> ReduceFundsInfo:
        """
        Ask by how much the funds of a SmartTrade can be reduced.

        Document: Available reduce funds. Permission SMART_TRADES_WRITE.

        Args:
            smart_trade_id: Identifier of the SmartTrade; its status must be `waiting_targets`.

        Raises:
            ValidationError: An argument breaks a rule; nothing was sent.
            WrongParamsError: The status of the SmartTrade does not allow it.
            NotFoundError: There is no such SmartTrade.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().smart_trades.reduce_funds_info(301).max_reduce_funds_amount > 0
            True
        """

@final
class Strategy:
    """
    A strategy that opens or closes deals, or places safety orders.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> Strategy: ...
    def __deepcopy__(self, /, _memo: Any) -> Strategy: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> Strategy:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> Strategy:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.Strategy.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[Strategy]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.Strategy.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def options(self, /) -> dict[str, Any] | None:
        """
        Settings of the strategy.
        """
    @property
    def strategy(self, /) -> str | None:
        """
        Code of the strategy, such as `nonstop`, `manual`, `qfl`, `trading_view` or `rsi`.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.Strategy.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.Strategy.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

@final
class TakeProfitStep:
    """
    A take-profit target: how much of the position is sold at which profit.
    """

    _shown: Final[list[str]]
    """
    The attributes that one line shows.
    """
    def __copy__(self, /) -> TakeProfitStep: ...
    def __deepcopy__(self, /, _memo: Any) -> TakeProfitStep: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _restore(text: str | bytes) -> TakeProfitStep:
        """
        Read a record from what `to_json` gave, be it an object or not; for `pickle`.
        """
    @property
    def amount_percentage(self, /) -> Decimal | None:
        """
        Share of the position that is sold, in percent.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        What the answer held and the document does not know, under its wire names.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the answer held, null or not.
        """
    @staticmethod
    def from_json(text: str | bytes) -> TakeProfitStep:
        """
        Read a record from the JSON text of one object.

        Args:
            text: The object, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.TakeProfitStep.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @property
    def id(self, /) -> int | None:
        """
        Zero-based position among the steps.
        """
    @staticmethod
    def list_from_json(text: str | bytes) -> Records[TakeProfitStep]:
        """
        Read records from the JSON text of an array.

        An element that is not an object does not spoil the others: it becomes a record whose fields all
        raise `DecodeError`.

        Args:
            text: The array, as text or bytes.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.TakeProfitStep.list_from_json(b'[{}, {}]'))
            2
        """
    @property
    def profit_percentage(self, /) -> Decimal | None:
        """
        Profit at which it is sold, in percent.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        The record under its wire names: whole numbers as int, others as Decimal.

        Raises:
            DecodeError: The answer held something else in the record's place.

        Example:
            >>> import botdesk
            >>> botdesk.TakeProfitStep.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        The JSON text of the record, byte for byte as it came.

        Example:
            >>> import botdesk
            >>> botdesk.TakeProfitStep.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

def _shutdown() -> None:
    """
    End the runtime of this process; requests in flight are dropped.

    The package calls it when the interpreter exits.
    """
