//! Native functions and the Rust that defines them: those of the package, and those behind methods of Python classes.

use crate::docstring::Docstring;
use crate::source::{documentation, identifier};

/// The longest line of an attribute that rustfmt leaves unchanged.
const WIDTH: usize = 116;

/// A parameter of a method.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// The name in Python.
    pub(crate) name: String,
    /// The type in Rust.
    pub(crate) kind: ParameterType,
    /// The type in the stub, if it differs from that of Rust.
    pub(crate) annotation: Option<&'static str>,
    /// The default, if the caller may leave it out; for an input, a function of its type.
    pub(crate) default: Option<String>,
    /// True if the caller passes it only by name.
    pub(crate) is_keyword: bool,
    /// The description; empty for parameters of special methods.
    pub(crate) about: String,
}

/// The type of a parameter in Rust.
#[derive(Clone)]
pub(crate) enum ParameterType {
    /// The type of an argument.
    Plain(String),
    /// The type of an input, in Rust and in Python.
    Input(String, String),
}

impl<S: Into<String>> From<S> for ParameterType {
    fn from(name: S) -> Self {
        Self::Plain(name.into())
    }
}

impl ParameterType {
    /// Returns the Rust code of the type. A coroutine outlives the call, so it keeps its inputs; other methods borrow them.
    fn rust(&self, is_async: bool) -> String {
        match self {
            Self::Plain(name) => name.clone(),
            Self::Input(input, _) if is_async => format!("Argument<{input}>"),
            Self::Input(input, _) => format!("BorrowedArgument<'_, '_, {input}>"),
        }
    }
}

impl Parameter {
    /// Returns an argument that the caller may leave out, and passes by name.
    pub(crate) fn option(name: &str, kind: &str, default: &str, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.into(),
            annotation: None,
            default: Some(default.to_owned()),
            is_keyword: true,
            about: about.to_owned(),
        }
    }

    /// Returns the parameter of an input, with text in place of a whole number too.
    pub(crate) fn with_text(self) -> Self {
        let kind = match self.kind {
            ParameterType::Input(rust, python) if python == "int | None" => {
                ParameterType::Input(rust, "int | str | None".to_owned())
            }
            kind => kind,
        };
        Self { kind, ..self }
    }

    /// Returns the Rust code of the default.
    fn default(&self, is_async: bool) -> Option<String> {
        let default = self.default.as_ref()?;
        Some(match &self.kind {
            ParameterType::Plain(_) => default.clone(),
            ParameterType::Input(..) if is_async => format!("Argument::{default}"),
            ParameterType::Input(..) => format!("BorrowedArgument::{default}"),
        })
    }
}

/// The way in which a method returns its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MethodBody {
    /// The value is a run over many records: a blocking method waits for it, its `_async` version awaits it.
    Run,
    /// The value is a computation: a blocking method runs it, its `_async` version runs it on another thread.
    Computation,
    /// The value is the result; the method has no `_async` version.
    Value,
}

/// What a method belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The module: it is a function.
    Module,
    /// A record, by its module and its name: a function takes the record, and a method of the Python class calls it.
    Record(&'static str, &'static str),
    /// The preview of an edit of a record, by the module and the name of the record; a function takes the preview.
    Preview(&'static str, &'static str),
}

/// A function, or a method of a Python class that calls a function.
pub(crate) struct PythonMethod {
    pub(crate) name: String,
    pub(crate) docstring: Docstring,
    pub(crate) owner: Owner,
    pub(crate) parameters: Vec<Parameter>,
    /// True if unknown names are accepted and reported with a suggestion.
    pub(crate) has_unknown: bool,
    /// True if the body needs the token of the GIL.
    pub(crate) needs_py: bool,
    /// The type that it returns.
    pub(crate) output: String,
    /// The statements before the value.
    pub(crate) statements: Vec<String>,
    /// The value.
    pub(crate) value: String,
    pub(crate) body: MethodBody,
}

impl PythonMethod {
    /// Returns the Rust code of the method, and of its `_async` version.
    pub(crate) fn rust(&self) -> String {
        match self.body {
            MethodBody::Value => self.version("", &self.value),
            MethodBody::Computation => {
                let blocking = self.version("", &format!("compute(py, {})", self.value));
                blocking + "\n" + &self.version("_async", &format!("compute_async({}).await", self.value))
            }
            MethodBody::Run => {
                let blocking = self.version("", &format!("{}.wait(py)", self.value));
                blocking + "\n" + &self.version("_async", &format!("{}.wait_async(cancel).await", self.value))
            }
        }
    }

    /// Returns the record whose Python class has the method.
    pub(crate) fn record(&self) -> Option<&'static str> {
        match self.owner {
            Owner::Record(_, record) => Some(record),
            Owner::Preview(..) | Owner::Module => None,
        }
    }

    /// Returns the record whose previews of edits have the method.
    pub(crate) fn previewed(&self) -> Option<&'static str> {
        match self.owner {
            Owner::Preview(_, record) => Some(record),
            Owner::Record(..) | Owner::Module => None,
        }
    }

    /// Returns the name in Rust, which is that of the native function.
    pub(crate) fn function(&self) -> String {
        match self.owner {
            Owner::Record(module, _) => format!("_{module}_{}", self.name),
            Owner::Preview(module, _) => format!("_{module}_edit_{}", self.name.trim_start_matches('_')),
            Owner::Module => self.name.clone(),
        }
    }

    fn version(&self, suffix: &str, value: &str) -> String {
        let is_async = !suffix.is_empty();
        let described = self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.about.clone()));
        let docstring = match self.owner {
            Owner::Record(_, record) => format!("/// Return the result of `{record}.{}`.\n", self.name),
            Owner::Preview(_, record) => format!("/// Return the result of `{record}EditPreview.{}`.\n", self.name),
            Owner::Module => documentation(&if is_async {
                self.docstring.coroutine_lines(&self.name)
            } else {
                self.docstring.lines(&described.collect::<Vec<_>>())
            }),
        };
        let statements: String = self.statements.iter().map(|statement| format!("{statement}\n")).collect();
        let keyword = if is_async { "async fn" } else { "fn" };
        let (name, parameters, output) = (self.function(), self.rust_parameters(is_async), &self.output);
        format!(
            "{docstring}#[pyfunction]\n{}pub(crate) {keyword} {name}{suffix}({parameters}) -> PyResult<{output}> {{\n{statements}{value}\n}}\n",
            self.signature(is_async)
        )
    }

    fn rust_parameters(&self, is_async: bool) -> String {
        let mut parameters = Vec::new();
        if !is_async && (self.body != MethodBody::Value || self.needs_py) {
            parameters.push("py: Python<'_>".to_owned());
        }
        match self.owner {
            Owner::Record(module, record) => parameters.push(format!("bot: RecordOf<{module}::{record}>")),
            Owner::Preview(module, record) => parameters.push(format!("edit: EditOf<{module}::{record}>")),
            Owner::Module => {}
        }
        let named = self.parameters.iter();
        parameters.extend(
            named.map(|parameter| format!("{}: {}", identifier(&parameter.name), parameter.kind.rust(is_async))),
        );
        if self.has_unknown {
            parameters.push("unknown: Option<UnknownKeywords>".to_owned());
        }
        if is_async && self.body == MethodBody::Run {
            parameters.push("#[pyo3(cancel_handle)] cancel: CancelHandle".to_owned());
        }
        parameters.join(", ")
    }

    /// Returns the attribute with the Python signature. It is omitted if all parameters are positional and have no defaults.
    fn signature(&self, is_async: bool) -> String {
        let mut items = Vec::new();
        let mut has_star = false;
        match self.owner {
            Owner::Record(..) => items.push("bot".to_owned()),
            Owner::Preview(..) => items.push("edit".to_owned()),
            Owner::Module => {}
        }
        for parameter in &self.parameters {
            if parameter.is_keyword && !has_star {
                items.push("*".to_owned());
                has_star = true;
            }
            let annotation = parameter.annotation.map(|annotation| format!(": \"{annotation}\"")).unwrap_or_default();
            let default = parameter.default(is_async).map(|default| format!(" = {default}")).unwrap_or_default();
            items.push(format!("{}{annotation}{default}", identifier(&parameter.name)));
        }
        if self.has_unknown {
            items.push("**unknown: \"None\"".to_owned());
        }
        let is_plain = |parameter: &Parameter| !parameter.is_keyword && parameter.default.is_none();
        if !self.has_unknown && self.parameters.iter().all(is_plain) {
            return String::new();
        }
        let line = format!("#[pyo3(signature = ({}))]\n", items.join(", "));
        if line.len() <= WIDTH { line } else { format!("#[pyo3(signature = (\n{}))]\n", filled(&items)) }
    }
}

/// Fills lines with items.
fn filled(items: &[String]) -> String {
    let mut lines = String::new();
    let mut line = "        ".to_owned();
    for (index, item) in items.iter().enumerate() {
        let item = if index + 1 == items.len() { item.clone() } else { format!("{item},") };
        if line.trim().is_empty() {
            line.push_str(&item);
        } else if line.len() + 1 + item.len() > WIDTH {
            lines.push_str(&format!("{line}\n"));
            line = format!("        {item}");
        } else {
            line.push_str(&format!(" {item}"));
        }
    }
    format!("{lines}{line}\n    ")
}
