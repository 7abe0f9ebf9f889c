//! Methods and functions of the Python package, and the code that defines them.

use botdesk_schema::operation::Operation;

use crate::docstring::Docstring;
use crate::parameter::Parameter;

/// Returns the name of an operation in its module, such as `EDIT`.
pub(crate) fn constant(operation: &Operation) -> String {
    operation.verb().to_uppercase()
}

/// Returns the beginning of a class of the package that inherits from a native one.
pub(crate) fn class_head(name: &str, base: &str, docstring: &str) -> String {
    format!(
        "\n\nclass {name}({base}):\n    \"\"\"{docstring}\"\"\"\n\n    __module__ = \"botdesk\"\n    __slots__ = ()\n"
    )
}

/// A method of a Python class.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) docstring: Docstring,
    pub(crate) parameters: Vec<Parameter>,
    /// True if unknown names are accepted and reported with a suggestion.
    pub(crate) has_unknown: bool,
    /// The type that it returns.
    pub(crate) returns: String,
    pub(crate) call: Call,
    /// True if its `_async` version awaits the call of the `_async` version; if not, both call the same.
    pub(crate) is_awaited: bool,
    /// True if it is a function of the package, not a method.
    pub(crate) is_function: bool,
}

/// The native call that a method makes.
#[derive(Clone, Default)]
pub(crate) struct Call {
    /// The native method of an operation, such as `_EDIT._send`; that of the object itself, such as `self._poll`; or a function.
    pub(crate) target: String,
    /// The argument before the inputs, for an operation on many records.
    pub(crate) targets: Option<String>,
    /// The inputs, in the order of their rows.
    pub(crate) inputs: Vec<String>,
    /// The inputs that no traceback may show.
    pub(crate) secrets: Vec<String>,
    /// The arguments after the inputs.
    pub(crate) arguments: Vec<String>,
    pub(crate) is_validated: bool,
    pub(crate) has_unknown: bool,
    /// The name of the operation and its arguments that are no inputs, if a function converts them to inputs.
    pub(crate) forms: Option<(&'static str, Vec<&'static str>)>,
    /// The method of what is returned that is called if the argument `wait` is True.
    pub(crate) waits: Option<&'static str>,
}

impl Method {
    /// Returns the Python code of the method, and of its `_async` version.
    pub(crate) fn python(&self) -> String {
        let code = self.version(false) + &if self.is_twofold() { self.version(true) } else { String::new() };
        if self.is_function { code.replace("\n    ", "\n") } else { code }
    }

    /// Returns the name, and that of the `_async` version.
    pub(crate) fn names(&self) -> Vec<String> {
        let coroutine = self.is_twofold().then(|| format!("{}_async", self.name));
        std::iter::once(self.name.clone()).chain(coroutine).collect()
    }

    /// Returns true if there is an `_async` version. Those of iterators and watches are methods of their own.
    fn is_twofold(&self) -> bool {
        self.is_awaited || self.name == "preview_edit"
    }

    fn version(&self, is_async: bool) -> String {
        let described = self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.about.clone()));
        let lines = if is_async {
            self.docstring.coroutine_lines(&self.name)
        } else {
            self.docstring.lines(&described.collect::<Vec<_>>())
        };
        let indented = |line: &String| if line.is_empty() { "\n".to_owned() } else { format!("        {line}\n") };
        let docstring: String = lines.iter().map(indented).collect::<String>().replace('\\', "\\\\");
        let docstring = docstring.trim();
        let (keyword, suffix) = if is_async { ("async def", "_async") } else { ("def", "") };
        format!(
            "\n    {keyword} {}{suffix}({}) -> {}:\n        \"\"\"{docstring}\n        \"\"\"\n{}",
            self.name,
            self.signature(),
            self.returns,
            self.body(is_async)
        )
    }

    fn signature(&self) -> String {
        let mut items: Vec<_> =
            if self.is_function { &[][..] } else { &["self", "/"] }.iter().map(|item| (*item).to_owned()).collect();
        let mut has_star = false;
        for parameter in &self.parameters {
            if parameter.is_keyword && !has_star {
                items.push("*".to_owned());
                has_star = true;
            }
            let default = parameter.default.map(|default| format!(" = {default}")).unwrap_or_default();
            items.push(format!("{}: {}{default}", parameter.name, parameter.kind));
        }
        if self.has_unknown {
            items.push("**unknown: None".to_owned());
        }
        items.join(", ")
    }

    fn body(&self, is_async: bool) -> String {
        let Call { target, targets, inputs, secrets, arguments, is_validated, has_unknown, forms, waits } = &self.call;
        let is_own = target.starts_with("self.");
        let is_operation = target.starts_with('_') && target.contains("._");
        let keywords = |names: &[&str]| names.iter().map(|name| format!(", {name}={name}")).collect::<String>();
        let mut given = if is_own || self.is_function { Vec::new() } else { vec!["self".to_owned()] };
        given.extend(targets.clone());
        let mut code = String::new();
        let mut indent = "";
        if is_operation {
            let list = format!("[{}]", inputs.join(", "));
            if let Some((name, names)) = forms {
                let ids: String = arguments.iter().map(|id| format!(", {id}")).collect();
                let names = keywords(names);
                let (with, suffix) = if is_async { ("async with", "_async") } else { ("with", "") };
                code.push_str(&format!(
                    "        {with} short_forms{suffix}(self, \"{name}\", {list}{ids}{names}) as inputs:\n"
                ));
                given.push("inputs".to_owned());
                indent = "    ";
            } else if secrets.is_empty() {
                given.push(list);
            } else {
                // The native method empties the list.
                code.push_str(&format!(
                    "        inputs = {list}\n        # A traceback shows the variables of each frame.\n        del {}\n",
                    secrets.join(", ")
                ));
                given.push("inputs".to_owned());
            }
        }
        given.extend(arguments.iter().cloned());
        if *is_validated {
            given.push("validate=validate".to_owned());
        }
        if *has_unknown {
            given.push("unknown=unknown".to_owned());
        }
        let (awaited, suffix) = if is_async && self.is_awaited { ("await ", "_async") } else { ("", "") };
        let call = format!("{awaited}{target}{suffix}({})", given.join(", "));
        match waits {
            None => format!("{code}{indent}        return {call}\n"),
            Some(wait) => format!(
                "{code}{indent}        sent = {call}\n{indent}        return {awaited}sent.{wait}{suffix}() if wait else sent\n"
            ),
        }
    }
}
