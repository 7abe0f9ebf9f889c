//! The inputs of endpoints as parameters of methods.

use botdesk_api::input::Inputs;

use crate::method::{Parameter, ParameterType};
use crate::source::{identifier, rust_type};

/// The way in which a method takes inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// By position or name; the caller may leave them out.
    Optional,
    /// By position or name; the caller must give them.
    Required,
    /// By name; the caller may leave them out.
    Keyword,
    /// By name; the caller must give them.
    RequiredKeyword,
    /// By name; the caller may leave them out, and an unknown name is an error that suggests a known one.
    Named,
}

impl Style {
    /// Returns true if botdesk itself reports an unknown name.
    pub(crate) fn has_unknown(self) -> bool {
        self == Self::Named
    }
}

/// Returns the parameters of inputs, except for those in `without`.
pub(crate) fn parameters(inputs: &Inputs, style: Style, without: &[&str]) -> Vec<Parameter> {
    let is_required = matches!(style, Style::Required | Style::RequiredKeyword);
    let is_keyword = !matches!(style, Style::Optional | Style::Required);
    let rows = inputs.rows.iter().filter(|row| !without.contains(&row.name));
    let parameter = |row: &botdesk_api::input::Input| Parameter {
        name: row.name.to_owned(),
        kind: ParameterType::Input(rust_type((row.kind)())),
        annotation: None,
        default: (!is_required).then(|| "absent()".to_owned()),
        is_keyword,
        about: row.about.trim().to_owned(),
    };
    rows.map(parameter).collect()
}

/// Returns the expression that collects the arguments of inputs, in the order of the inputs.
pub(crate) fn arguments_expression(inputs: &Inputs, without: &[&str]) -> String {
    let values = inputs.rows.iter().map(|row| {
        if without.contains(&row.name) { "None".to_owned() } else { format!("{}.value", identifier(row.name)) }
    });
    let values: Vec<_> = values.collect();
    format!("Arguments::new({}::INPUTS, &mut [{}])?", rust_type(inputs.path), values.join(", "))
}
