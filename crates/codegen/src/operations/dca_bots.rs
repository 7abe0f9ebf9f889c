//! The operations of `client.dca_bots`.

use botdesk_api::dca_bot::{CANCEL_ALL_DEALS, DISABLE, EDIT, GET, LIST};

use crate::inputs::Style;
use crate::operation::{Operation, OperationExample, OperationKind, Resource};

pub(crate) const RESOURCE: Resource = Resource {
    name: "dca_bots",
    class: "DcaBots",
    about: "The DCA bots of an account: `client.dca_bots`.",
    record: Some("DcaBot"),
    noun: "bot",
    any: "a DCA bot",
    several: "DCA bots",
    id: "bot_id",
    about_id: "",
    can_be_missing: true,
    example_id: "41",
    example_ids: "[41, 43]",
    example_record: ("get", "41"),
    operations: &[
        Operation {
            kind: OperationKind::List,
            inputs: Style::Named,
            summary: "List one page of DCA bots.",
            returns: "The bots of the page, without their deals.",
            example: OperationExample {
                arguments: &["limit=5", "scope=\"enable\""],
                statements: &["page = {call}", "len(page)"],
                output: "5",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&LIST)
        },
        Operation {
            kind: OperationKind::Get,
            summary: "Get {record} as it is now, with its open deals.",
            returns: "The bot.",
            example: OperationExample { statements: &["{call}.id"], output: "41", ..OperationExample::DEFAULT },
            ..Operation::of(&GET)
        },
        Operation {
            summary: "Disable {record}.",
            details: &["A disabled bot opens no more deals; its open deals stay."],
            returns: "The bot after the change, with its open deals.",
            may_have: "the bot may have been disabled",
            raises: &[("ForbiddenError", "The API key lacks the permission.")],
            has_many: true,
            example: OperationExample {
                statements: &["{call}.is_enabled"],
                output: "False",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&DISABLE)
        },
        Operation {
            summary: "Cancel all open deals of {record}, and disable {it}.",
            returns: "The bot after the change; its deals have the status `cancel_pending`.",
            may_have: "the deals may have been cancelled",
            has_many: true,
            example: OperationExample {
                statements: &["bot = {call}", "{deal.status for deal in bot.active_deals}"],
                output: "{'cancel_pending'}",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&CANCEL_ALL_DEALS)
        },
        Operation {
            kind: OperationKind::Edit,
            inputs: Style::Named,
            summary: "Edit {record}: change the given fields and keep all others.",
            returns: "The bot after the change.",
            may_have: "the bot may have been changed",
            raises: &[("RecordInvalidError", "The service rejected the values of fields.")],
            has_many: true,
            example: OperationExample {
                arguments: &["take_profit=\"2.5\""],
                statements: &["{call}.take_profit"],
                output: "Decimal('2.5')",
                changes: "field        old  new\ntake_profit  1.0  2.5",
                many: Some((
                    "cooldown=60",
                    "Preview of dca_bots.edit of 2\n\
                     at http://127.0.0.1:..., key SHA256:..., account ...\n  \
                     DcaBot 41 “Steady ETH long”  cooldown: 0 → 60\n  \
                     DcaBot 43 “Quick XRP short”  cooldown: 300 → 60\n\
                     nothing is sent until apply()",
                )),
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&EDIT)
        },
    ],
};
