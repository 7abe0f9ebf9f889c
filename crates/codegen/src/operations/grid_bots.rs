//! The operations of `client.grid_bots`.

use botdesk_api::grid_bot::{EDIT, ENABLE, SET_NOTE};

use crate::inputs::Style;
use crate::operation::{Operation, OperationExample, OperationKind, Resource};

pub(crate) const RESOURCE: Resource = Resource {
    name: "grid_bots",
    class: "GridBots",
    about: "The grid bots: `client.grid_bots`.",
    record: Some("GridBot"),
    noun: "bot",
    any: "a grid bot",
    several: "grid bots",
    id: "grid_bot_id",
    about_id: "",
    can_be_missing: true,
    example_id: "203",
    example_ids: "[203, 204]",
    example_record: ("enable", "203"),
    operations: &[
        Operation {
            kind: OperationKind::Edit,
            inputs: Style::Named,
            summary: "Edit {record}: change the given fields.",
            returns: "The bot after the change.",
            may_have: "the bot may have been changed",
            raises: &[("RecordInvalidError", "The service rejected the values of fields.")],
            example: OperationExample {
                arguments: &[
                    "lower_price=\"1900\"",
                    "upper_price=\"2100\"",
                    "grids_quantity=11",
                    "quantity_per_grid=\"0.01\"",
                    "upper_stop_loss_enabled=False",
                ],
                record_arguments: Some(&["grids_quantity=11"]),
                statements: &["bot = {call}", "bot.grids_quantity"],
                output: "11",
                changes: "field           old  new\ngrids_quantity   21   11",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&EDIT)
        },
        Operation {
            inputs: Style::Required,
            summary: "Set the note of {record}.",
            returns: "The bot with its new note.",
            may_have: "the note may have been set",
            example: OperationExample {
                arguments: &["\"Mind the range\""],
                statements: &["{call}.note"],
                output: "'Mind the range'",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&SET_NOTE)
        },
        Operation {
            summary: "Enable {record}.",
            returns: "The bot after the change.",
            may_have: "the bot may have been enabled",
            example: OperationExample {
                statements: &["{call}.is_enabled"],
                output: "True",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&ENABLE)
        },
    ],
};
