//! An order that was placed by hand, in the initial state.

use jiff::Timestamp;

use crate::deal_history::{ManualStatus, PlacedOrder};
use crate::defaults::object;
use crate::record::{JsonRecord, number, string};
use crate::state::{DcaBotState, DealState};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::ManualOrder;
use botdesk_trading::ladder::quantity;

/// The price of the order, as a fraction of the current one.
const PRICE: (i128, u8) = (6, 1);

/// The volume of the order, in the quote currency.
const VOLUME: i128 = 30;

/// The decimal places of the price.
const PLACES: u8 = 2;

/// Places a limit order far below the price of a long deal.
pub(super) fn place(deal: &mut DealState, record: &mut JsonRecord, bot: &mut DcaBotState) {
    let (part, scale) = PRICE;
    let limit = (Decimal::from(number(record, "current_price")) * Decimal::new(part, scale)).round(PLACES);
    let lot = crate::listings::lot();
    let Some(quantity) = quantity(&Decimal::new(VOLUME, 0), &limit, Some(&lot)) else { return };
    let placed_at: Timestamp = string(record, "updated_at").parse().unwrap_or_default();
    let (number, status) = (1, ManualStatus::Active);
    let order = PlacedOrder {
        number,
        limit: Some(limit.clone()),
        quantity: quantity.clone(),
        placed_at,
        updated_at: placed_at,
        status,
    };
    bot.histories.entry(deal.id).or_default().orders.push(order);
    deal.manual_orders.push(ManualOrder { number, limit: Some(limit), quantity, arrives_at: None });
    record.extend(object! { "active_manual_safety_orders": 1 });
}
