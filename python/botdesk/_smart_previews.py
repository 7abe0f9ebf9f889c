"""Previews of SmartTrades and of their edits: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package
# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from botdesk import _smart_forms, _smart_orders, _smart_plan
from botdesk._invalid import invalid
from botdesk._native import Operation, _picture, _shown_column, _table_html
from botdesk._new_records import Read, account_read, balances_read, free_amount, rates_read
from botdesk._smart_plan import Conditions, Held, Wanted, elements, member, number, part
from botdesk._text import rounded_amounts, safe_lines
from botdesk._used_once import UsedOnce
from botdesk.errors import EditConflictError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from matplotlib.axes import Axes

    from botdesk._api.accounts import Account
    from botdesk._api.smart_trades import SmartTrade
    from botdesk._native import Record, Resource
    from botdesk._smart_plan import PlannedOrder, PlannedTarget, SmartTradePlan

_CREATE, _EDIT, _GET = _smart_orders.CREATE, _smart_orders.EDIT, _smart_orders.GET

_ONCE = "the preview was used before; make another preview"
# What fills change, and what the plan of a position follows from.
_FILLED = ("entered_amount", "closed_amount")


class _Request(NamedTuple):
    """A request that a preview sends when it is applied."""

    owner: Record | Resource
    operation: Operation
    inputs: Mapping[str, Any]
    # The arguments as they were written, for errors.
    given: Mapping[str, Any]
    ids: tuple[int, ...] = ()

    def ordered(self) -> list[Any]:
        return _smart_orders.ordered(self.operation.name, self.inputs)

    def send(self) -> SmartTrade:
        with _smart_orders.errors_by_argument(self.given):
            return cast("SmartTrade", self.operation._send(self.owner, self.ordered(), *self.ids))

    async def send_async(self) -> SmartTrade:
        with _smart_orders.errors_by_argument(self.given):
            return cast("SmartTrade", await self.operation._send_async(self.owner, self.ordered(), *self.ids))


class _Draft(NamedTuple):
    """What a preview follows from."""

    request: _Request
    body: str
    wanted: Wanted
    conditions: Conditions


class SmartTradePreview:
    """What a new SmartTrade would be, before it is created: its request, its orders, and what they can lose and earn.

    Attributes:
        body: The body of the request, as it would be sent.
        plan: The entry, the targets and the stop loss, with risk and reward.
        warnings: What speaks against the SmartTrade: a target that loses, a stop loss that fires at once, funds that do
            not suffice, orders that are too small.
    """

    def __init__(self, draft: _Draft) -> None:
        """Plan a SmartTrade. The account and the prices were read before."""
        self._once = UsedOnce(draft.request, _ONCE)
        self.body: dict[str, Any] = json.loads(draft.body, parse_float=Decimal)
        plan, warnings = _smart_plan.make(draft.wanted, draft.conditions)
        self.plan: SmartTradePlan = plan
        # A rule that the request breaks is not repeated in the words of the plan.
        self.warnings: list[str] = warnings

    def apply(self) -> SmartTrade:
        """Create the SmartTrade: send exactly `body`, once.

        API reference: Create SmartTrade. Permission SMART_TRADES_WRITE.

        Returns:
            The new SmartTrade, with the status `created` until its entry is placed.

        Raises:
            ConfigurationError: The preview was used before.
            ValidationError: The request breaks a rule that is among the warnings; nothing was sent.
            RecordInvalidError: The service rejected values; `inputs` has the arguments as written.
            OutcomeUnknownError: The outcome is unknown: the SmartTrade may have been created.
            ApiError: The service returned an error.
        """
        with self._once as request:
            return cast("SmartTrade", request.send())

    async def apply_async(self) -> SmartTrade:
        """Create the SmartTrade; see `apply`."""
        with self._once as request:
            return cast("SmartTrade", await request.send_async())

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the prices of the entry, the targets and the stop loss, with what each earns or loses.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.
        """
        return _picture("smart_trade_plan", self.plan, ax, theme)

    def _title(self) -> str:
        return f"New SmartTrade on {self.plan.pair}, account {self.body.get('account_id')}"

    def _notes(self) -> list[str]:
        plan = self.plan
        quote = plan.pair.partition("_")[0]
        fees = "without fees" if plan.fee is None else f"with a fee of {_percents([plan.fee * 100])[0]}"
        notes = [f"break even at {_prices([plan.break_even])[0]} {quote}, {fees}"]
        if plan.risk is not None:
            loses = "risk" if plan.risk >= 0 else "the stop loss does not lose: risk"
            notes.append(f"{loses} {rounded_amounts([plan.risk], quote)[0]} {quote}{_in_percent(plan)}")
        if plan.reward is not None:
            ratio = "" if plan.ratio is None else f", {rounded_amounts([plan.ratio], quote)[0]} times the risk"
            notes.append(f"reward {rounded_amounts([plan.reward], quote)[0]} {quote}{ratio}")
        return notes

    def _rows(self) -> list[tuple[str, ...]]:
        """Return the rows of the orders: name, price, share, quantity, value, profit."""
        plan = self.plan
        quote = plan.pair.partition("_")[0]
        parts: list[tuple[str, PlannedTarget]] = [(f"target {at + 1}", each) for at, each in enumerate(plan.targets)]
        parts += [] if plan.stop is None else [("stop loss", plan.stop)]
        orders: list[PlannedOrder | PlannedTarget] = [plan.entry, *(part for _, part in parts)]
        prices, units = _prices([order.price for order in orders]), _prices([order.units for order in orders])
        totals = rounded_amounts([order.total for order in orders], quote)
        shares = ["", *(f"{part.share.normalize():f} %" for _, part in parts)]
        profits = ["", *rounded_amounts([part.profit for _, part in parts], quote)]
        percents = ["", *_percents([part.percent for _, part in parts])]
        named = [f"{plan.side} entry", *(name for name, _ in parts)]
        return list(zip(named, prices, shares, units, totals, profits, percents, strict=True))

    def __str__(self) -> str:
        """Return the preview as text."""
        plan = self.plan
        quote, _, base = plan.pair.partition("_")
        lines = [self._title()]
        for name, price, share, units, total, profit, percent in self._rows():
            gain = f": {profit} {quote}, {percent}" if profit else ""
            lines.append(
                f"  {name} at {price}, {share + ', ' if share else ''}{units} {base} for {total} {quote}{gain}"
            )
        lines += [f"  {note}" for note in self._notes()]
        lines += [f"! {warning}" for warning in self.warnings]
        return safe_lines([*lines, "nothing is sent until apply()"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        quote, _, base = self.plan.pair.partition("_")
        heads = ["order", "price", "share", base, quote, f"profit, {quote}", "profit"]
        warnings = [f"Warning: {warning}" for warning in self.warnings]
        notes = [*self._notes(), *warnings, "Nothing is sent until apply()."]
        return _table_html(self._title(), heads, self._rows(), notes)


class SmartTradeEditPreview(SmartTradePreview):
    """What an edit of a SmartTrade would do, before it is sent.

    Attributes:
        trade: The SmartTrade as it was read.
        body: The body of the request, as it would be sent.
        plan: The position with its targets and its stop loss after the edit.
        warnings: What speaks against the edit.
    """

    def __init__(self, draft: _Draft, trade: SmartTrade) -> None:
        """Plan an edit. The SmartTrade, the account and the prices were read before."""
        super().__init__(draft)
        self.trade: SmartTrade = trade
        if draft.wanted.held is not None and "position" in self.body:
            names = [name for name in ("units", "order", "position") if name in draft.request.given]
            self.warnings.insert(0, f"{', '.join(names)}: the entry is filled, so the service does not change it")
        if trade.data is not None and trade.data.editable is False:
            status = "unknown" if trade.status is None else trade.status.basic_type
            self.warnings.insert(0, f"the SmartTrade can't be edited now: its status is {status}")

    def apply(self, *, force: bool = False) -> SmartTrade:
        """Send the edit: exactly `body`, once.

        The SmartTrade is read again first. If a part that can be edited has changed since, or an order was filled,
        nothing is sent.

        API reference: Edit SmartTrade. Permissions SMART_TRADES_READ and SMART_TRADES_WRITE.

        Args:
            force: If True, send the edit without reading the SmartTrade again.

        Returns:
            The SmartTrade after the change.

        Raises:
            ConfigurationError: The preview was used before.
            EditConflictError: The SmartTrade has changed since; `fields` lists what. Nothing was sent.
            ValidationError: The edit breaks a rule that is among the warnings; nothing was sent.
            RecordInvalidError: The service rejected values; `inputs` has the arguments as written.
            WrongParamsError: The status of the SmartTrade does not allow it.
            OutcomeUnknownError: The outcome is unknown: the SmartTrade may have been changed; read it again.
            ApiError: The service returned an error.
        """
        with self._once as request:
            if not force:
                self._check(self.trade.refresh())
            return cast("SmartTrade", request.send())

    async def apply_async(self, *, force: bool = False) -> SmartTrade:
        """Send the edit; see `apply`."""
        with self._once as request:
            if not force:
                self._check(await self.trade.refresh_async())
            return cast("SmartTrade", await request.send_async())

    def _check(self, now: SmartTrade) -> None:
        before, after = _settings(self.trade), _settings(now)
        changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
        if changed:
            names = ", ".join(changed)
            message = f"SmartTrade {now.id} has changed since the preview: {names}; nothing was sent; preview it again"
            raise EditConflictError(message, fields=changed)

    def _title(self) -> str:
        return f"Edit of SmartTrade {self.trade.id} on {self.plan.pair}: {', '.join(self.body)}"


def preview(
    owner: Record | Resource, name: str, inputs: Sequence[Any], ids: tuple[int, ...], more: Mapping[str, Any]
) -> SmartTradePreview:
    """Read what a preview needs, and make it."""
    steps = _steps(owner, name, inputs, ids, more)
    answer: Any = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as done:
            return cast("SmartTradePreview", done.value)
        answer = read.operation._ask(owner, read.inputs, *read.ids)


async def preview_async(
    owner: Record | Resource, name: str, inputs: Sequence[Any], ids: tuple[int, ...], more: Mapping[str, Any]
) -> SmartTradePreview:
    """Read what a preview needs, and make it."""
    steps = _steps(owner, name, inputs, ids, more)
    answer: Any = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as done:
            return cast("SmartTradePreview", done.value)
        answer = await read.operation._ask_async(owner, read.inputs, *read.ids)


def _steps(
    owner: Record | Resource, name: str, inputs: Sequence[Any], ids: tuple[int, ...], more: Mapping[str, Any]
) -> Generator[Read, Any, SmartTradePreview]:
    """Yield the reads of a preview, and return it."""
    given = _smart_orders.arguments(name, inputs, more)
    fee = _smart_plan.fee_fraction(given.pop("fee", None))
    if name == _CREATE.name:
        return (yield from _new(owner, given, fee))
    return (yield from _edit(owner, ids, given, fee))


def _new(
    owner: Record | Resource, given: dict[str, Any], fee: Decimal | None
) -> Generator[Read, Any, SmartTradePreview]:
    risk = given.pop("size_for_risk", None)
    if risk is not None:
        risk = _smart_plan.percent_number("size_for_risk", risk)
        if "units" in given or member(given.get("position"), "units") is not None:
            raise invalid("size_for_risk", "can't be given together with units; pass one of the two")
        # The request is checked before anything is read.
        _checked(_Request(owner, _CREATE, _inputs(_CREATE, {**given, "units": "1"}), given))
    else:
        _checked(_Request(owner, _CREATE, _inputs(_CREATE, given), given))
    conditions = yield from _conditions(given["account_id"], given["pair"], fee)
    if risk is not None:
        wanted = _wanted(_inputs(_CREATE, {**given, "units": "1"}))
        given["units"] = format(_smart_plan.units_for_risk(wanted, conditions, risk), "f")
    request = _Request(owner, _CREATE, _inputs(_CREATE, given), given)
    body = _checked(request)
    return SmartTradePreview(_Draft(request, body, _wanted(request.inputs), conditions))


def _edit(
    owner: Record | Resource, ids: tuple[int, ...], given: dict[str, Any], fee: Decimal | None
) -> Generator[Read, Any, SmartTradePreview]:
    request = _Request(owner, _EDIT, _inputs(_EDIT, given), given, ids)
    body = _checked(request)
    trade: SmartTrade = yield Read(_GET, [], ids or (cast("Any", owner).id,))
    if trade.account is None or trade.account.id is None or trade.pair is None:
        raise invalid("smart_trade_id", "the service returned a SmartTrade without its account or its pair")
    record = trade.to_dict()
    _smart_forms.check_edited_entry(given, request.inputs, record)
    if fee is None and trade.data is not None:
        fee = trade.data.commission
    conditions = yield from _conditions(trade.account.id, trade.pair, fee)
    wanted = _edited(record, request.inputs)
    return SmartTradeEditPreview(_Draft(request, body, wanted, conditions), trade)


def _conditions(account_id: int, pair: str, fee: Decimal | None) -> Generator[Read, Any, Conditions]:
    account: Account = yield account_read(account_id)
    balances = yield balances_read(account_id)
    rates = yield rates_read(account, pair)
    quote, _, base = pair.partition("_")
    return Conditions(pair, rates, free_amount(balances, quote), free_amount(balances, base), fee)


def _inputs(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    return _smart_orders.api_inputs(operation.name, given)


def _checked(request: _Request) -> str:
    """Return the body, which keeps all rules but that of the shares of targets: that one is a warning of the plan."""
    operation = request.operation
    try:
        with _smart_orders.errors_by_argument(request.given):
            return operation._body(request.ordered())
    except ValidationError as error:
        steps = elements(request.inputs, "take_profit", "steps")
        if list(error.errors) != ["take_profit"] or not steps or _smart_plan.sum_of_shares(steps) == 100:  # noqa: PLR2004 - percent
            raise
    return operation._body(request.ordered(), validate=False)


def _wanted(inputs: Mapping[str, Any]) -> Wanted:
    """Return a new SmartTrade in the terms of the plan."""
    leverage = number(member(inputs, "leverage", "value")) if member(inputs, "leverage", "enabled") else None
    return Wanted(
        position=inputs["position"],
        take_profit=part(inputs, "take_profit"),
        stop_loss=part(inputs, "stop_loss"),
        skips_entry=inputs.get("skip_enter_step") is True,
        leverage=leverage or Decimal(1),
    )


def _edited(trade: Mapping[str, Any], inputs: Mapping[str, Any]) -> Wanted:
    """Return a SmartTrade after an edit in the terms of the plan."""
    leverage = part(inputs, "leverage") or part(trade, "leverage")
    take_profit = part(inputs, "take_profit")
    held = _held(trade)
    position = {**part(trade, "position"), **part(inputs, "position")}
    return Wanted(
        position=position if held is None else part(trade, "position"),
        take_profit=take_profit or _open_steps(part(trade, "take_profit"), is_filled=held is not None),
        stop_loss=part(inputs, "stop_loss") or part(trade, "stop_loss"),
        skips_entry=trade.get("skip_enter_step") is True,
        leverage=(number(leverage.get("value")) if leverage.get("enabled") else None) or Decimal(1),
        held=held,
        has_all_targets=bool(take_profit),
    )


def _held(trade: Mapping[str, Any]) -> Held | None:
    """Return what is left of a position that is filled."""
    data = part(trade, "data")
    entered, total = number(data.get("entered_amount")), number(data.get("entered_total"))
    if not entered or total is None:
        return None
    left = entered - (number(data.get("closed_amount")) or Decimal(0))
    price = number(data.get("average_enter_price")) or number(member(trade, "position", "price", "value"))
    return Held(left, total * left / entered, total / entered if price is None else price)


def _open_steps(take_profit: Mapping[str, Any], *, is_filled: bool) -> dict[str, Any]:
    """Return the take profit of a record with the steps that are open."""
    steps = [step for step in elements(take_profit, "steps") if step.get("closed_at") is None and not _is_over(step)]
    if not is_filled:
        # Their quantities are those of the entry, which the edit may change.
        steps = [{**step, "units": None} for step in steps]
    return {**take_profit, "steps": steps}


def _is_over(step: Mapping[str, Any]) -> bool:
    status = member(step, "status", "basic_type") or member(step, "status", "type")
    return status in {"finished", "cancelled", "failed", "panic_sold"}


def _settings(trade: SmartTrade) -> dict[str, object]:
    """Return the parts that an edit can change, without what follows the price by itself, and the filled amounts."""
    record = trade.to_dict()
    position, stop = part(record, "position"), part(record, "stop_loss")
    follows = member(stop, "conditional", "trailing", "enabled")
    is_market = position.get("order_type") == "market"
    settings: dict[str, object] = {
        "leverage": {name: member(record, "leverage", name) for name in ("enabled", "type", "value")},
        "position.units": number(member(position, "units", "value")),
        "position.price": None if is_market else number(member(position, "price", "value")),
        "position.conditional": _of(member(position, "conditional")),
        "take_profit": [_of(step) for step in elements(record, "take_profit", "steps")],
        "stop_loss": {
            **{name: stop.get(name) for name in ("enabled", "order_type", "breakeven", "timeout")},
            "limit": number(member(stop, "price", "value")),
            "price": None if follows else number(member(stop, "conditional", "price", "value")),
            "trailing": follows,
        },
    }
    return settings | {f"data.{name}": number(member(record, "data", name)) for name in _FILLED}


def _of(given: Mapping[str, Any] | None) -> tuple[object, ...]:
    """Return what a condition or a step says, as values that compare by number."""
    numbers = (("price", "value"), ("price", "percent"), ("trailing", "percent"), ("volume",))
    words = (("order_type",), ("price", "type"), ("trailing", "enabled"))
    return (*(number(member(given, *path)) for path in numbers), *(member(given, *path) for path in words))


def _in_percent(plan: SmartTradePlan) -> str:
    found = [(plan.risk_percent, "of the entry"), (plan.account_risk, "of the free balance")]
    shown = [f"{_percents([percent])[0]} {whole}" for percent, whole in found if percent is not None]
    return f", {', '.join(shown)}" if shown else ""


def _prices(values: Sequence[Decimal]) -> list[str]:
    return _shown_column("price", [format(value, "f") for value in values], True, None)  # noqa: FBT003


def _percents(values: Sequence[Decimal]) -> list[str]:
    shown = _shown_column("percentage", [format(value, "f") for value in values], True, None)  # noqa: FBT003
    return [f"{text} %" for text in shown]
