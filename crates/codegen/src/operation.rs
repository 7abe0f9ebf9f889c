//! The table of operations: resources, and the operations of each.

use botdesk_api::endpoint::{Endpoint, IDENTIFIER};
use botdesk_api::input::Inputs;
use botdesk_api::row::Schema;

use crate::inputs::Style;

/// An attribute of the client, such as `client.dca_bots`, and the record that its operations are about.
pub(crate) struct Resource {
    /// The module, which is the attribute of the client as well.
    pub(crate) name: &'static str,
    /// The class.
    pub(crate) class: &'static str,
    /// The description of the class, in a sentence.
    pub(crate) about: &'static str,
    /// The class of records that have the operations as methods; None if none has.
    pub(crate) record: Option<&'static str>,
    /// The noun for one record.
    pub(crate) noun: &'static str,
    /// The noun for any record in a summary.
    pub(crate) any: &'static str,
    /// The noun for several records in a summary.
    pub(crate) several: &'static str,
    /// The parameter with the identifier.
    pub(crate) id: &'static str,
    /// An addition to the description of the identifier.
    pub(crate) about_id: &'static str,
    /// True if the service reports an identifier without a record.
    pub(crate) can_be_missing: bool,
    /// An identifier for examples.
    pub(crate) example_id: &'static str,
    /// Several identifiers for examples.
    pub(crate) example_ids: &'static str,
    /// The method that gets a record in examples, and its argument.
    pub(crate) example_record: (&'static str, &'static str),
    pub(crate) operations: &'static [Operation],
}

impl Resource {
    /// Returns the operation that reads one record.
    pub(crate) fn reads(&self) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.kind == OperationKind::Get)
    }
}

/// The kind of an operation, which decides its methods.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationKind {
    /// Returns a page of records: the resource lists, iterates and watches.
    List,
    /// Reads one record; the method of the record is `refresh`.
    Get,
    /// Sends any other request.
    Call,
    /// Changes some fields; it also has a preview.
    Edit,
}

/// An operation: the arguments and docstrings of its methods that the tables of the API do not define.
///
/// In a summary, `{record}` is a placeholder for one or several records, and `{it}` for the matching pronoun.
pub(crate) struct Operation {
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) kind: OperationKind,
    /// The way in which the methods take the inputs.
    pub(crate) inputs: Style,
    /// The first line of the docstrings, an imperative sentence.
    pub(crate) summary: &'static str,
    /// Paragraphs for all methods.
    pub(crate) details: &'static [&'static str],
    pub(crate) returns: &'static str,
    /// A description of the possible effect if the outcome is unknown; empty if the operation only reads.
    pub(crate) may_have: &'static str,
    /// Errors of this operation, each with its cause.
    pub(crate) raises: &'static [(&'static str, &'static str)],
    /// True if there is a `_many` version.
    pub(crate) has_many: bool,
    pub(crate) example: OperationExample,
}

/// The example of an operation, for all of its methods.
pub(crate) struct OperationExample {
    /// The arguments beside the identifier.
    pub(crate) arguments: &'static [&'static str],
    /// The arguments of the record's method if they differ.
    pub(crate) record_arguments: Option<&'static [&'static str]>,
    /// Statements with the placeholder `{call}` for the call. The last one is an expression.
    pub(crate) statements: &'static [&'static str],
    /// The output of the last statement.
    pub(crate) output: &'static str,
    /// The changes that a preview of the record's edit shows.
    pub(crate) changes: &'static str,
    /// The arguments and the preview of the same for several records.
    pub(crate) many: Option<(&'static str, &'static str)>,
}

impl OperationExample {
    pub(crate) const DEFAULT: Self =
        Self { arguments: &[], record_arguments: None, statements: &["{call}"], output: "", changes: "", many: None };
}

impl Operation {
    /// An operation with one request and no inputs.
    pub(crate) const fn of(endpoint: &'static Endpoint) -> Self {
        Self {
            endpoint,
            kind: OperationKind::Call,
            inputs: Style::Optional,
            summary: "",
            details: &[],
            returns: "",
            may_have: "",
            raises: &[],
            has_many: false,
            example: OperationExample::DEFAULT,
        }
    }

    /// Returns the name of the method, such as `edit`.
    pub(crate) fn name(&self) -> &'static str {
        self.endpoint.operation.split('.').next_back().unwrap_or_default()
    }

    /// Returns the name of the endpoint's constant in its module, such as `EDIT`.
    pub(crate) fn constant(&self) -> String {
        self.name().to_uppercase()
    }

    pub(crate) fn table(&self) -> Option<&'static Inputs> {
        self.endpoint.takes.inputs()
    }

    /// Returns true if the path has the identifier of a record.
    pub(crate) fn has_id(&self) -> bool {
        self.endpoint.path.contains(IDENTIFIER)
    }

    /// Returns the record in the response, and true if the response is a list of them.
    pub(crate) fn response(&self) -> (&'static str, bool) {
        match self.endpoint.response {
            Schema::Record(spec) => (spec.name, false),
            Schema::List(Schema::Record(spec)) => (spec.name, true),
            _ => ("", false),
        }
    }
}
