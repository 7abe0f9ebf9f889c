//! The arguments in which a caller writes a SmartTrade more shortly than the API, and the methods that preview one.

use botdesk_schema::operation::{Previewed, ShortForm, short_form};

const UNITS: ShortForm = short_form("units", "Number | None", "The quantity in the base currency, more than 0.");

const TAKE_PROFIT: ShortForm = short_form(
    "take_profit",
    "Targets | None",
    "The take profit: a price, a pair of price and share in percent, a `Trailing`, or a list of them. A price such as `\"5%\"` is the \
     distance from the entry. One share may be left out, or all if they divide 100 evenly. Or as in the API: `enabled`, and `steps`, each \
     with `order_type`, `volume` in percent, `price` (`value` or `percent`, and `type`), and on the last one `trailing` (`enabled` and \
     `percent`); a list may have such steps too.",
);

const STOP_LOSS: ShortForm = short_form(
    "stop_loss",
    "Number | StopLoss | dict[str, Any] | None",
    "The stop loss: the trigger price, or a `StopLoss`. Or as in the API: `enabled`, `order_type`, `conditional` with `price` (`value` \
     or `percent`, and `type`) and `trailing` (`enabled`), `price` as `{\"value\": \"2200\"}` for a limit order, `breakeven`, and \
     `timeout` (`enabled` and `value` in seconds).",
);

/// The arguments of a new SmartTrade.
pub(super) const NEW: &[ShortForm] = &[
    short_form(
        "position",
        "dict[str, Any] | None",
        "The entry as in the API, in place of `side`, `units` and `order`: `type` (`buy` or `sell`), `order_type` (`market`, `limit` or \
         `conditional`), `units` as `{\"value\": \"0.5\"}`, `price` as `{\"value\": \"2400\"}` for a limit order, and `conditional` with \
         `order_type`, `price` (`value` and `type`) and `trailing` (`enabled` and `percent`) for a conditional one.",
    ),
    TAKE_PROFIT,
    STOP_LOSS,
    short_form(
        "side",
        "Literal[\"buy\", \"sell\"] | None",
        "Side of the entry: `buy` or `sell`. With `skip_enter_step`, `buy` if a long position is held.",
    ),
    UNITS,
    short_form(
        "order",
        "Literal[\"market\"] | Number | Limit | Conditional | None",
        "The entry: `\"market\"`; the price of a limit order, or a `Limit`; or a `Conditional`, which waits for a price.",
    ),
    short_form(
        "marker",
        "bool",
        "If True, add a unique marker to the note, so that `resolve()` of an error finds this SmartTrade and no other.",
    ),
];

/// The arguments of an edit.
pub(super) const EDIT: &[ShortForm] = &[
    short_form(
        "position",
        "dict[str, Any] | None",
        "The entry as in the API, in place of `units` and `order`: `units` and `price` as `{\"value\": \"2400\"}`, and `conditional` \
         with `order_type`, `price` (`value` and `type`) and `trailing` (`enabled` and `percent`).",
    ),
    TAKE_PROFIT,
    STOP_LOSS,
    UNITS,
    short_form(
        "order",
        "Number | Limit | Conditional | None",
        "The entry, until it is filled: the price of a limit order, or a `Limit`; or a `Conditional`. It must be of the type that the \
         entry has, for which a SmartTrade that is known by its identifier alone is read first.",
    ),
];

const FEE: ShortForm = short_form(
    "fee",
    "Number | None",
    "Fee of the exchange, as a fraction such as `\"0.001\"` or in percent such as `\"0.1%\"`; the plan of a new SmartTrade has no fees \
     without it, and that of an edit has the commission of the record.",
);

/// The preview of a new SmartTrade.
pub(super) const NEW_PREVIEW: Previewed = Previewed {
    class: "SmartTradePreview",
    summary: "Show what a new SmartTrade would be, without creating it.",
    details: "The account and the prices of the pair are read; nothing is written. `apply()` of the preview creates the SmartTrade.",
    returned: "The preview: `body`, `plan`, `warnings` and `plot()`.",
    permissions: "Permissions ACCOUNTS_READ; to apply, SMART_TRADES_WRITE.",
    arguments: &[
        short_form(
            "size_for_risk",
            "Number | None",
            "In place of `units`: the loss at the stop loss, in percent of the free balance in the quote currency, such as `\"1%\"`.",
        ),
        FEE,
    ],
    example: ("{call}.warnings", "[]"),
};

/// The preview of an edit.
pub(super) const EDIT_PREVIEW: Previewed = Previewed {
    class: "SmartTradeEditPreview",
    summary: "Show what an edit of {record} would do, without sending it.",
    details: "The SmartTrade, its account and the prices of its pair are read; nothing is written. `apply()` of the preview sends the \
              edit, unless somebody has changed the SmartTrade since.",
    returned: "The preview: `body`, `plan`, `warnings` and `plot()`.",
    permissions: "Permissions SMART_TRADES_READ, ACCOUNTS_READ; to apply, SMART_TRADES_WRITE.",
    arguments: &[FEE],
    example: ("{call}.body", "{'stop_loss': {'enabled': False}}"),
};
