"""The records as msgspec structs with Decimal and datetime, as a careful user would write them: every field."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec


class Strategy(msgspec.Struct):
    """A strategy that opens or closes deals, or places safety orders."""

    strategy: str | None = None
    options: dict[str, Any] | None = None


class TakeProfitStep(msgspec.Struct):
    """A take-profit target."""

    id: int | None = None
    amount_percentage: Decimal | None = None
    profit_percentage: Decimal | None = None


class Deal(msgspec.Struct):
    """A deal of a DCA bot."""

    id: int | None = None
    type: str | None = None
    bot_id: int | None = None
    bot_name: str | None = None
    account_id: int | None = None
    account_name: str | None = None
    pair: str | None = None
    status: str | None = None
    localized_status: str | None = None
    strategy: str | None = None
    market_type: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    closed_at: datetime | None = None
    finished: bool | None = msgspec.field(default=None, name="finished?")
    cancellable: bool | None = msgspec.field(default=None, name="cancellable?")
    panic_sellable: bool | None = msgspec.field(default=None, name="panic_sellable?")
    deal_has_error: bool | None = None
    error_message: str | None = None
    failed_message: str | None = None
    note: str | None = None
    from_currency_id: int | None = None
    to_currency_id: int | None = None
    from_currency: str | None = None
    to_currency: str | None = None
    max_safety_orders: int | None = None
    active_safety_orders_count: int | None = None
    current_active_safety_orders_count: int | None = None
    current_active_safety_orders: int | None = None
    completed_safety_orders_count: int | None = None
    completed_manual_safety_orders_count: int | None = None
    active_manual_safety_orders: int | None = None
    take_profit: Decimal | None = None
    take_profit_steps: list[TakeProfitStep] | None = None
    take_profit_type: str | None = None
    take_profit_price: Decimal | None = None
    min_profit_percentage: Decimal | None = None
    min_profit_type: str | None = None
    profit_currency: str | None = None
    trailing_enabled: bool | None = None
    trailing_deviation: Decimal | None = None
    trailing_max_price: Any = None
    tsl_enabled: bool | None = None
    tsl_max_price: Any = None
    stop_loss_percentage: Decimal | None = None
    stop_loss_price: Decimal | None = None
    stop_loss_type: str | None = None
    stop_loss_timeout_enabled: bool | None = None
    stop_loss_timeout_in_seconds: int | None = None
    sl_to_breakeven_enabled: bool | None = None
    sl_to_breakeven_data: dict[str, Any] | None = None
    base_order_volume: Decimal | None = None
    base_order_volume_type: str | None = None
    safety_order_volume: Decimal | None = None
    safety_order_volume_type: str | None = None
    safety_order_step_percentage: Decimal | None = None
    martingale_coefficient: Decimal | None = None
    martingale_volume_coefficient: Decimal | None = None
    martingale_step_coefficient: Decimal | None = None
    leverage_type: str | None = None
    leverage_custom_value: Decimal | None = None
    bought_amount: Decimal | None = None
    bought_volume: Decimal | None = None
    bought_average_price: Decimal | None = None
    base_order_average_price: Decimal | None = None
    sold_amount: Decimal | None = None
    sold_volume: Decimal | None = None
    sold_average_price: Decimal | None = None
    current_price: Decimal | None = None
    final_profit: Decimal | None = None
    final_profit_percentage: Decimal | None = None
    usd_final_profit: Decimal | None = None
    actual_profit: Decimal | None = None
    actual_usd_profit: Decimal | None = None
    actual_profit_percentage: Decimal | None = None
    reserved_base_coin: Decimal | None = None
    reserved_second_coin: Decimal | None = None
    reserved_quote_funds: Decimal | None = None
    reserved_base_funds: Decimal | None = None
    last_known_position_info: Any = None
    close_strategy_list: list[Strategy] | None = None
    safety_strategy_list: list[Strategy] | None = None
    add_fundable: bool | None = None
    smart_trade_convertable: bool | None = None
    orderbook_price_currency: str | None = None
    crypto_widget: dict[str, Any] | None = None


class DcaBot(msgspec.Struct):
    """A DCA bot."""

    id: int | None = None
    account_id: int | None = None
    account_name: str | None = None
    is_enabled: bool | None = None
    name: str | None = None
    type: str | None = None
    strategy: str | None = None
    pairs: list[str] | None = None
    max_safety_orders: int | None = None
    active_safety_orders_count: int | None = None
    max_active_deals: int | None = None
    active_deals_count: int | None = None
    deletable: bool | None = msgspec.field(default=None, name="deletable?")
    created_at: datetime | None = None
    updated_at: datetime | None = None
    strategy_list: list[Strategy] | None = None
    close_strategy_list: list[Strategy] | None = None
    safety_strategy_list: list[Strategy] | None = None
    trailing_enabled: bool | None = None
    trailing_deviation: Decimal | None = None
    tsl_enabled: bool | None = None
    deal_start_delay_seconds: int | None = None
    disable_after_deals_count: int | None = None
    deals_counter: int | None = None
    allowed_deals_on_same_pair: int | None = None
    close_deals_timeout: int | None = None
    stop_loss_timeout_enabled: bool | None = None
    stop_loss_timeout_in_seconds: int | None = None
    easy_form_supported: bool | None = None
    url_secret: str | None = None
    take_profit_steps: list[TakeProfitStep] | None = None
    take_profit: Decimal | None = None
    min_profit_percentage: Decimal | None = None
    base_order_volume: Decimal | None = None
    safety_order_volume: Decimal | None = None
    safety_order_step_percentage: Decimal | None = None
    take_profit_type: str | None = None
    min_profit_type: str | None = None
    martingale_volume_coefficient: Decimal | None = None
    martingale_step_coefficient: Decimal | None = None
    stop_loss_percentage: Decimal | None = None
    cooldown: Decimal | None = None
    btc_price_limit: Decimal | None = None
    min_volume_btc_24h: Decimal | None = None
    profit_currency: str | None = None
    min_price: Any = None
    max_price: Any = None
    min_price_percentage: Any = None
    max_price_percentage: Any = None
    stop_loss_type: str | None = None
    safety_order_volume_type: str | None = None
    base_order_volume_type: str | None = None
    finished_deals_profit_usd: Decimal | None = None
    finished_deals_count: Decimal | None = None
    leverage_type: str | None = None
    leverage_custom_value: Decimal | None = None
    start_order_type: str | None = None
    active_deals_usd_profit: Decimal | None = None
    reinvesting_percentage: Decimal | None = None
    risk_reduction_percentage: Decimal | None = None
    reinvested_volume_usd: Any = None
    active_deals: list[Deal] | None = None
