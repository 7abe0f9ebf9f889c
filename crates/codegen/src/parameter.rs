//! Parameters of methods.

/// A parameter of a method.
#[derive(Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The type.
    pub(crate) kind: String,
    /// The default, if the caller may leave it out.
    pub(crate) default: Option<&'static str>,
    /// True if the caller passes it only by name.
    pub(crate) is_keyword: bool,
    /// The description.
    pub(crate) about: String,
}

impl Parameter {
    /// Returns an argument that the caller has to pass.
    pub(crate) fn required(name: &str, kind: &str, about: &str) -> Self {
        Self { default: None, is_keyword: false, ..Self::option(name, kind, "", about) }
    }

    /// Returns an argument that the caller may leave out, and passes by name.
    pub(crate) fn option(name: &str, kind: &str, default: &'static str, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            default: Some(default),
            is_keyword: true,
            about: about.to_owned(),
        }
    }

    /// Returns the parameter of an input, with text in place of a whole number too.
    pub(crate) fn with_text(self) -> Self {
        let kind = if self.kind == "int | None" { "int | str | None".to_owned() } else { self.kind };
        Self { kind, ..self }
    }
}
