"""The rules of one DCA bot: for botdesk, as signals for vectorbt, and as a strategy for backtesting.py."""

from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
import vectorbt
from backtesting import Strategy
from backtesting.lib import FractionalBacktest

import botdesk
from benches import history

BASE, SAFETY = 20, 25
SAFETY_ORDERS = 6
# In percent.
STEP, STEP_SCALE, VOLUME_SCALE = 1.2, 1.1, 1.3
TAKE_PROFIT = 1.5
FEE = 0.001
CASH = 10_000

# Quantities are multiples of this; backtesting.py counts in whole units.
LOT = 1e-8

BOT: dict[str, object] = {
    "base_order_volume": BASE,
    "safety_order_volume": SAFETY,
    "max_safety_orders": SAFETY_ORDERS,
    "active_safety_orders_count": SAFETY_ORDERS,
    "safety_order_step_percentage": STEP,
    "martingale_step_coefficient": STEP_SCALE,
    "martingale_volume_coefficient": VOLUME_SCALE,
    "take_profit": TAKE_PROFIT,
}
VOLUMES = [SAFETY * VOLUME_SCALE**order for order in range(SAFETY_ORDERS)]
# How far below the base order each safety order is, as a fraction.
DEVIATIONS = list(accumulate(STEP * STEP_SCALE**order / 100 for order in range(SAFETY_ORDERS)))


def frame() -> pd.DataFrame:
    """Return the year as the peers take it."""
    columns = history.year()
    times = pd.to_datetime(columns["timestamp"], unit="ms")
    return pd.DataFrame({name.capitalize(): columns[name] / 100 for name in history.PRICES}, index=times)


def with_botdesk(candles: botdesk.Candles) -> Callable[[], botdesk.BacktestSummary]:
    """Return the backtest of botdesk, with its deals and all figures."""
    arguments: Any = BOT
    return lambda: botdesk.backtest(candles, fee=str(FEE), **arguments).summary


def with_vectorbt(candles: pd.DataFrame) -> Callable[[], Any]:
    """Return the backtest of vectorbt: a base order with a take profit, and the next one as soon as it closed."""
    entries = np.ones(len(candles), dtype=bool)
    return lambda: vectorbt.Portfolio.from_signals(
        candles["Close"],
        entries=entries,
        exits=False,
        open=candles["Open"],
        high=candles["High"],
        low=candles["Low"],
        size=BASE,
        size_type="value",
        tp_stop=TAKE_PROFIT / 100,
        fees=FEE,
        init_cash=CASH,
        freq="1min",
    )


class Ladder(Strategy):
    """The rules of the bot, candle by candle."""

    def init(self) -> None:
        """Start without a deal."""
        # The quantity at the last change; none yet, and None is not a quantity that a position can have.
        self.held = -1
        self.target: Any = None

    def next(self) -> None:
        """Open a deal, or follow the orders that filled."""
        held = self.position.size
        if held == self.held:
            return
        opened, self.held = self.held == 0, held
        if held == 0:
            self.open_deal()
            return
        if opened:
            self.place_safety_orders(self.trades[0].entry_price * (1 + FEE))
        if self.target is not None:
            self.target.cancel()
        # As the service counts it: the average price of a deal has its fees in it.
        paid = sum(trade.size * trade.entry_price for trade in self.trades) * (1 + FEE)
        price = paid / held * (1 + TAKE_PROFIT / 100) / (1 - FEE)
        self.target = self.sell(size=held, limit=price)

    def open_deal(self) -> None:
        """Cancel what the last deal left, and buy."""
        for order in self.orders:
            order.cancel()
        self.target = None
        self.buy(size=round(BASE / self.data.Close[-1]))

    def place_safety_orders(self, base: float) -> None:
        """Place the limit orders below the base order."""
        for deviation, volume in zip(DEVIATIONS, VOLUMES, strict=True):
            price = base * (1 - deviation)
            self.buy(size=round(volume / price), limit=price)


def with_backtesting(candles: pd.DataFrame) -> Callable[[], Any]:
    """Return the backtest of backtesting.py, with the same rules as that of botdesk."""
    volumes = candles.assign(Volume=0)
    test = FractionalBacktest(volumes, Ladder, cash=CASH, commission=FEE, fractional_unit=LOT, finalize_trades=True)

    def run() -> Any:  # noqa: ANN401 - backtesting.py has no types
        # It shows a progress bar.
        with redirect_stderr(StringIO()):
            return test.run()

    return run
