//! The operations of `client.accounts`.

use botdesk_api::account::{ADD, DEPOSIT_DATA, LEVERAGE_DATA, LOAD_BALANCES, NETWORKS_INFO, RENAME};

use crate::inputs::Style;
use crate::operation::{Operation, OperationExample, Resource};

pub(crate) const RESOURCE: Resource = Resource {
    name: "accounts",
    class: "Accounts",
    about: "The exchange accounts: `client.accounts`.",
    record: Some("Account"),
    noun: "account",
    any: "an account",
    several: "accounts",
    id: "account_id",
    about_id: "",
    can_be_missing: false,
    example_id: "1001",
    example_ids: "[1001, 1002]",
    example_record: ("load_balances", "1001"),
    operations: &[
        Operation {
            inputs: Style::Keyword,
            summary: "Add an exchange account.",
            returns: "The new account.",
            may_have: "the account may have been added",
            raises: &[(
                "RecordInvalidError",
                "The service rejected fields, or the exchange's key is already connected.",
            )],
            example: OperationExample {
                arguments: &[
                    "type=\"binance\"",
                    "name=\"Spot\"",
                    "api_key=\"K1\"",
                    "secret=\"S1\"",
                    "types_to_create=[]",
                ],
                statements: &["account = {call}", "account.name"],
                output: "'Spot'",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&ADD)
        },
        Operation {
            inputs: Style::Required,
            summary: "Rename {record}.",
            returns: "The account under its new name.",
            may_have: "the account may have been renamed",
            raises: &[("SignatureInvalidError", "The service knows another public key.")],
            example: OperationExample {
                arguments: &["\"Main\""],
                statements: &["{call}.name"],
                output: "'Main'",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&RENAME)
        },
        Operation {
            summary: "Load the balances of {record} from the exchange.",
            returns: "The account with its balances.",
            may_have: "the balances may have been loaded",
            raises: &[("InvalidApiKeyError", "The exchange rejects the API key of the account.")],
            has_many: true,
            example: OperationExample { statements: &["{call}.id"], output: "1001", ..OperationExample::DEFAULT },
            ..Operation::of(&LOAD_BALANCES)
        },
        Operation {
            summary: "List the networks for deposits and withdrawals of the currencies of {record}.",
            returns: "The currencies with their networks. A single one that is not in a list is returned as a list of one.",
            raises: &[
                ("ForbiddenError", "Accounts at this exchange have no such list."),
                ("RecordInvalidError", "The service misses fields in the request."),
            ],
            example: OperationExample {
                arguments: &["purpose=\"deposit\""],
                statements: &["infos = {call}", "all(info.deposit_enable for info in infos)"],
                output: "True",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&NETWORKS_INFO)
        },
        Operation {
            inputs: Style::RequiredKeyword,
            summary: "Get the address for deposits of a currency into {record}.",
            returns: "The address, and the amounts of the currency in the account.",
            raises: &[
                ("RecordInvalidError", "The service misses fields in the request."),
                ("MarketApiError", "The exchange returned an error, for example because deposits are closed."),
            ],
            example: OperationExample {
                arguments: &["currency=\"USDT\"", "network=\"TRX\""],
                statements: &["data = {call}", "data.total_balance == data.available_balance + data.in_orders"],
                output: "True",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&DEPOSIT_DATA)
        },
        Operation {
            summary: "List the kinds of leverage that {record} offers.",
            returns: "The kinds on the page.",
            example: OperationExample {
                statements: &["{call}[0].code"],
                output: "'none'",
                ..OperationExample::DEFAULT
            },
            ..Operation::of(&LEVERAGE_DATA)
        },
    ],
};
