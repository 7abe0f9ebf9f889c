//! The generated files: their header, their imports and their items.

use std::collections::{BTreeMap, BTreeSet};

use botdesk_api::document::{RESOURCES, records};
use botdesk_schema::record::RecordSpec;

/// The items that generated code may import, by the name that it uses.
const ITEMS: &[(&str, &str)] = &[
    ("Decimal", "botdesk_schema::values::Decimal"),
    ("Bool", "botdesk_schema::values::Bool"),
    ("Integer", "botdesk_schema::values::Integer"),
    ("List", "botdesk_schema::values::List"),
    ("Object", "botdesk_schema::values::Object"),
    ("OneOf", "botdesk_schema::values::OneOf"),
    ("Text", "botdesk_schema::values::Text"),
    ("Fraction", "botdesk_schema::input::Fraction"),
    ("ListOf", "botdesk_schema::input::ListOf"),
    ("Pairs", "botdesk_schema::input::Pairs"),
    ("Argument", "crate::arguments::Argument"),
    ("AnyInteger", "crate::arguments::AnyInteger"),
    ("Arguments", "crate::arguments::Arguments"),
    ("BorrowedArgument", "crate::arguments::BorrowedArgument"),
    ("UnknownKeywords", "crate::arguments::UnknownKeywords"),
    ("Backtest", "crate::planning::backtests::Backtest"),
    ("BacktestComparison", "crate::planning::backtests::BacktestComparison"),
    ("CandlesArgument", "crate::planning::backtests::CandlesArgument"),
    ("HistoryArguments", "crate::planning::backtests::HistoryArguments"),
    ("SignalsArgument", "crate::planning::backtests::SignalsArgument"),
    ("SmartTradeArgument", "crate::planning::backtests::SmartTradeArgument"),
    ("TimeArgument", "crate::planning::backtests::TimeArgument"),
    ("backtest_dca_bot", "crate::planning::backtests::backtest_dca_bot"),
    ("backtest_edit", "crate::planning::backtests::backtest_edit"),
    ("backtest_grid_bot", "crate::planning::backtests::backtest_grid_bot"),
    ("compare_dca_bot", "crate::planning::backtests::compare_dca_bot"),
    ("compare_grid_bot", "crate::planning::backtests::compare_grid_bot"),
    ("CancelHandle", "pyo3::coroutine::CancelHandle"),
    ("Arc", "std::sync::Arc"),
    ("Client", "crate::client::Client"),
    ("field", "crate::calls::field"),
    ("ForkSafeLazy", "crate::runtime::fork_safe_lazy::ForkSafeLazy"),
    ("RecordOf", "crate::records::RecordOf"),
    ("resource", "crate::resources::resource"),
    ("sync_and_async", "crate::runtime::bridge::sync_and_async"),
    ("typed_objects", "crate::values::typed_objects"),
    ("Sweep", "crate::planning::sweeps::Sweep"),
    ("SweepBotArgument", "crate::planning::sweeps::SweepBotArgument"),
    ("SweepExecutor", "crate::planning::sweeps::SweepExecutor"),
    ("SweepOptions", "crate::planning::sweeps::SweepOptions"),
    ("SweepParameters", "crate::planning::sweeps::SweepParameters"),
    ("SweepRun", "crate::planning::sweeps::SweepRun"),
    ("compute", "crate::runtime::computation::compute"),
    ("compute_async", "crate::runtime::computation::compute_async"),
    ("GridPlan", "crate::planning::plans::GridPlan"),
    ("Ladder", "crate::planning::plans::Ladder"),
    ("EditOf", "crate::previews::EditOf"),
];

/// The modules that qualify names in the generated code, such as `choices::Name`, besides those of the API's records.
const MODULES: &[&str] = &[
    "botdesk_api::choices",
    "botdesk_planning::backtest_market",
    "botdesk_planning::grid_plan",
    "botdesk_planning::ladder_config",
];

/// The traits whose methods generated code may call.
const TRAITS: &[(&str, &str)] = &[(".or_py_err()", "crate::raise::OrPyErr as _")];

/// A generated file.
pub(crate) struct SourceFile {
    module: String,
    about: String,
    code: String,
    imports: BTreeMap<String, String>,
}

impl SourceFile {
    /// Returns an empty file of a module.
    pub(crate) fn new(module: &str, about: &str) -> Self {
        let imports = ITEMS.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
        Self { module: module.to_owned(), about: about.to_owned(), code: String::new(), imports }
    }

    /// Returns the name of the module.
    pub(crate) fn module(&self) -> String {
        self.module.clone()
    }

    /// Adds an item.
    pub(crate) fn add(&mut self, item: &str) {
        self.code.push_str(item);
        self.code.push('\n');
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> String {
        let code: String =
            self.code.split_inclusive('\n').filter(|line| !line.trim_start().starts_with("//")).collect();
        let mut imports = vec!["pyo3::prelude::*".to_owned()];
        imports.extend(self.imports.iter().filter(|(name, _)| is_used(&code, name)).map(|(_, path)| path.clone()));
        imports.extend(modules().filter(|path| is_module_used(&code, path)));
        imports.extend(TRAITS.iter().filter(|(method, _)| code.contains(method)).map(|(_, path)| (*path).to_owned()));
        imports.sort();
        imports.dedup();
        format!("{}//! {}\n\n{}\n{}", header(), self.about, uses(&imports), self.code)
    }
}

/// Returns the statements that import these paths: the standard library, then other crates, then this one and its workspace.
fn uses(imports: &[String]) -> String {
    let mut groups = [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()];
    for (module, item) in imports.iter().filter_map(|path| path.rsplit_once("::")) {
        let [standard, external, own] = &mut groups;
        let group = match module.split("::").next() {
            Some("std") => standard,
            Some("pyo3") => external,
            _ => own,
        };
        group.entry(module).or_insert_with(Vec::new).push(item);
    }
    let group = |group: &BTreeMap<&str, Vec<&str>>| {
        group.iter().map(|(module, items)| format!("use {module}::{{{}}};\n", items.join(", "))).collect::<String>()
    };
    groups.iter().map(group).filter(|uses| !uses.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the modules that may qualify names in the generated code.
fn modules() -> impl Iterator<Item = String> {
    let names: BTreeSet<_> = RESOURCES.iter().map(|resource| resource.name).chain(records().map(module)).collect();
    let of_records = names.into_iter().map(|name| format!("botdesk_api::{name}"));
    of_records.chain(MODULES.iter().map(|path| (*path).to_owned()))
}

/// Returns the module that defines a record, such as `dca_bots`.
pub(crate) fn module(record: &'static RecordSpec) -> &'static str {
    let file = record.file.rsplit('/').next().unwrap_or(record.file);
    file.strip_suffix(".rs").unwrap_or(file)
}

/// Returns true if this module qualifies a name in the code.
fn is_module_used(code: &str, path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    occurrences(code, name).any(|(_, after)| after.starts_with("::") && !after.starts_with("::<"))
}

/// Returns true if code uses an item and does not define it.
fn is_used(code: &str, name: &str) -> bool {
    let is_function = name.starts_with(char::is_lowercase);
    occurrences(code, name).any(|(before, after)| {
        let is_called = after.starts_with(['(', '!']) || after.starts_with("::<");
        let is_defined = ["fn ", "struct "].iter().any(|keyword| before.ends_with(keyword));
        !is_defined && (!is_function || is_called)
    })
}

/// Returns the code before and after each place where a path begins with a name.
fn occurrences<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let around = code.match_indices(name).filter_map(move |(start, _)| {
        let (before, rest) = code.split_at(start);
        Some((before, rest.strip_prefix(name)?))
    });
    around.filter(move |(before, after)| {
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_whole && !before.ends_with("::") && !before.ends_with('.')
    })
}

/// Returns the file of a module that has only these submodules.
pub(crate) fn module_file(about: &str, mut modules: Vec<String>) -> String {
    modules.sort();
    let modules: String = modules.iter().map(|module| format!("pub(crate) mod {module};\n")).collect();
    format!("{}//! {about}\n\n{modules}", header())
}

fn header() -> &'static str {
    "// Generated by `just bindings` from the tables of `crates/api` and `crates/planning`; edit those.\n\n"
}

/// Returns lines of documentation.
pub(crate) fn documentation<S: AsRef<str>>(lines: &[S]) -> String {
    let line = |line: &S| format!("{}\n", format!("/// {}", line.as_ref()).trim_end());
    lines.iter().map(line).collect()
}

/// Shortens a Rust path for the generated code: types of values and inputs to their names, all others to the module and the name.
pub(crate) fn rust_type(path: &str) -> String {
    let mut shown = String::new();
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.find(['<', '>', ',', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        shown.push_str(&short(name));
        let symbols = after.find(|character: char| character.is_alphabetic()).unwrap_or(after.len());
        let (symbols, after) = after.split_at(symbols);
        shown.push_str(symbols);
        rest = after;
    }
    shown
}

fn short(path: &str) -> String {
    let parts: Vec<_> = path.split("::").collect();
    match parts.as_slice() {
        ["botdesk_schema", "values" | "input", .., name] => (*name).to_owned(),
        [_, module, name] => format!("{module}::{name}"),
        _ => path.to_owned(),
    }
}

/// Returns a name as a Rust identifier, raw if it is a keyword.
pub(crate) fn identifier(name: &str) -> String {
    if name == "type" { format!("r#{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_types_are_imported_by_name_and_others_by_module() {
        assert_eq!(rust_type("botdesk_schema::values::Text"), "Text");
        assert_eq!(rust_type("botdesk_schema::input::form::Pairs"), "Pairs");
        assert_eq!(
            rust_type("botdesk_schema::values::List<botdesk_api::strategy::Strategy>"),
            "List<strategy::Strategy>"
        );
    }

    #[test]
    fn an_item_is_imported_if_a_path_begins_with_it() {
        assert!(is_used("wait(py, one(client, call))", "one"));
        assert!(is_used("let call = RequestSpec::plain(&GET, None);", "RequestSpec"));
        assert!(!is_used("fn edit(&self) {}", "edit"));
        assert!(!is_used("self.one(client); dca_bot::one(client); anyone(client); one: u8", "one"));
        assert!(!is_used("pub struct Accounts {", "Accounts"));
    }

    #[test]
    fn a_module_is_imported_if_it_qualifies_an_item() {
        assert!(is_module_used("OneOf<dca_bots::Scope>", "botdesk_api::dca_bots"));
        assert!(!is_module_used("strategy: Argument<Text>, strategy::<Text>()", "botdesk_api::strategy"));
    }

    #[test]
    fn a_rust_keyword_becomes_a_raw_identifier() {
        assert_eq!((identifier("type"), identifier("name")), ("r#type".to_owned(), "name".to_owned()));
    }
}
