//! Docstrings: a summary, details, the section of the API reference, arguments, returns, errors, an example.

use botdesk_schema::permission::Permission;

/// The longest line of a docstring.
const WIDTH: usize = 108;

/// Returns the reference to sections of the API reference, with the permission of the key.
pub(crate) fn reference_to(sections: &str, permission: Permission) -> String {
    match permission {
        Permission::None => format!("{sections}. No permission is needed."),
        permission => format!("{sections}. Permission {}.", permission.as_str()),
    }
}

/// The parts of a method's docstring.
#[derive(Clone, Default)]
pub(crate) struct Docstring {
    /// The first line, an imperative sentence.
    pub(crate) summary: String,
    /// Paragraphs.
    pub(crate) details: Vec<String>,
    /// The section of the API reference and the permission of the key.
    pub(crate) reference: Option<String>,
    pub(crate) returns: String,
    /// The errors, each with its cause.
    pub(crate) raises: Vec<(String, String)>,
    pub(crate) example: Example,
}

/// A short example that runs.
#[derive(Clone, Default)]
pub(crate) struct Example {
    /// The statement that creates the object of the example, and its `_async` version.
    pub(crate) setup: Option<(String, String)>,
    /// The expression before the method's name, and its `_async` version.
    pub(crate) object: (String, String),
    /// The method.
    pub(crate) method: String,
    /// The arguments of the call.
    pub(crate) arguments: Vec<String>,
    /// Statements with the placeholder `{call}` for the call. The last one is an expression.
    pub(crate) statements: Vec<String>,
    /// The output of the last statement.
    pub(crate) output: String,
    /// An example written by hand.
    pub(crate) verbatim: Vec<String>,
    /// The example of the `_async` version, written by hand; empty if it is the same.
    pub(crate) verbatim_async: Vec<String>,
}

impl Docstring {
    /// Returns the lines of the docstring of the `_async` version of a method. It refers to the blocking version for all that they
    /// share.
    pub(crate) fn coroutine_lines(&self, method: &str) -> Vec<String> {
        let shared = format!("The coroutine of `{method}`: arguments, result and errors are the same.");
        let mut lines = vec![self.summary.clone(), String::new(), shared];
        self.add_example(&mut lines, true);
        lines
    }

    /// Returns the lines of the docstring, with arguments and their descriptions.
    pub(crate) fn lines(&self, arguments: &[(String, String)]) -> Vec<String> {
        let mut lines = vec![self.summary.clone()];
        for paragraph in &self.details {
            lines.push(String::new());
            lines.extend(wrapped(paragraph, "", ""));
        }
        lines
            .extend(self.reference.iter().flat_map(|reference| [String::new(), format!("API reference: {reference}")]));
        section(&mut lines, "Args", &pairs(arguments));
        let returns = if self.returns.is_empty() { Vec::new() } else { wrapped(&self.returns, "    ", "    ") };
        section(&mut lines, "Returns", &returns);
        section(&mut lines, "Raises", &pairs(&self.raises));
        self.add_example(&mut lines, false);
        lines
    }

    fn add_example(&self, lines: &mut Vec<String>, is_async: bool) {
        let example: Vec<_> = self.example.lines(is_async).iter().map(|line| format!("    {line}")).collect();
        section(lines, "Example", &example);
    }
}

fn section(lines: &mut Vec<String>, title: &str, content: &[String]) {
    if !content.is_empty() {
        lines.extend([String::new(), format!("{title}:")]);
        lines.extend_from_slice(content);
    }
}

fn pairs(pairs: &[(String, String)]) -> Vec<String> {
    pairs.iter().flat_map(|(name, text)| wrapped(&format!("{name}: {text}"), "    ", "        ")).collect()
}

/// Wraps a string into lines; the first one and the others have these indents.
fn wrapped(text: &str, first: &str, others: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, others.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines
}

impl Example {
    fn lines(&self, is_async: bool) -> Vec<String> {
        if is_async && !self.verbatim_async.is_empty() {
            return self.verbatim_async.clone();
        }
        if !self.verbatim.is_empty() {
            return self.verbatim.clone();
        }
        let statements = self.statements(is_async);
        let mut lines = Vec::new();
        if is_async {
            lines
                .extend([">>> import asyncio", ">>> import botdesk", ">>> async def main(client):"].map(str::to_owned));
            lines.extend(statements.iter().map(|line| format!("...     {line}")));
            lines.push(">>> with botdesk.Sandbox() as sandbox:".to_owned());
            lines.push("...     asyncio.run(main(sandbox.client()))".to_owned());
        } else {
            lines.extend([">>> import botdesk", ">>> with botdesk.Sandbox() as sandbox:"].map(str::to_owned));
            lines.push("...     client = sandbox.client()".to_owned());
            lines.extend(statements.iter().map(|line| format!("...     {line}")));
        }
        lines.extend(self.output.lines().map(str::to_owned));
        lines
    }

    /// Returns the lines of the statements; the last one returns its value from the coroutine function of an `_async` version.
    fn statements(&self, is_async: bool) -> Vec<String> {
        let setup = self.setup.iter().map(|(blocking, coroutine)| if is_async { coroutine } else { blocking });
        let last = self.statements.len().saturating_sub(1);
        let statements = self.statements.iter().enumerate().map(|(index, statement)| {
            let statement = self.statement(statement, is_async);
            if is_async && index == last { format!("return {statement}") } else { statement }
        });
        let text: Vec<_> = setup.cloned().chain(statements).collect();
        text.iter().flat_map(|statement| statement.lines()).map(str::to_owned).collect()
    }

    fn statement(&self, template: &str, is_async: bool) -> String {
        let is_whole = template.ends_with("{call}");
        let (before, object) = match (is_async, &self.object) {
            (false, (object, _)) => ("", object),
            (true, (_, object)) => ("await ", object),
        };
        let suffix = if is_async { "_async" } else { "" };
        let call = |arguments: &str| {
            let call = format!("{before}{object}.{}{suffix}({arguments})", self.method);
            let call = if is_async && !is_whole { format!("({call})") } else { call };
            template.replace("{call}", &call)
        };
        let line = call(&self.arguments.join(", "));
        if line.chars().count() < WIDTH - 20 {
            return line;
        }
        let arguments: String = self.arguments.iter().map(|argument| format!("    {argument},\n")).collect();
        call(&format!("\n{arguments}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit() -> Docstring {
        Docstring {
            summary: "Edit the bot.".to_owned(),
            raises: vec![("ApiError".to_owned(), "word ".repeat(30))],
            example: Example {
                setup: Some(("bot = client.get(41)".to_owned(), "bot = await client.get_async(41)".to_owned())),
                object: ("bot".to_owned(), "bot".to_owned()),
                method: "edit".to_owned(),
                arguments: vec!["name=\"Calm\"".to_owned()],
                statements: vec!["{call}.name".to_owned()],
                output: "'Calm'".to_owned(),
                ..Example::default()
            },
            ..Docstring::default()
        }
    }

    #[test]
    fn the_example_calls_the_method() {
        let lines = edit().lines(&[]);
        assert!(lines.contains(&"    ...     bot = client.get(41)".to_owned()), "{lines:#?}");
        assert!(lines.contains(&"    ...     bot.edit(name=\"Calm\").name".to_owned()), "{lines:#?}");
        assert_eq!(lines.last().map(String::as_str), Some("    'Calm'"));
    }

    #[test]
    fn the_example_of_the_async_version_awaits_it() {
        let lines = edit().coroutine_lines("edit");
        assert!(lines.contains(&"    ...     bot = await client.get_async(41)".to_owned()), "{lines:#?}");
        assert!(
            lines.contains(&"    ...     return (await bot.edit_async(name=\"Calm\")).name".to_owned()),
            "{lines:#?}"
        );
    }

    #[test]
    fn long_lines_are_wrapped_and_indented() {
        let lines = edit().lines(&[]);
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("        word")), "{lines:#?}");
    }
}
