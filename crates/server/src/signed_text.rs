//! The text that a signature covers, in the documented form and in those that programs use with success.

/// The parts of a request that its signature covers.
#[derive(Clone, Copy, Debug)]
pub struct SignedParts<'a> {
    /// The path, from `/public/api` on.
    pub path: &'a str,
    /// The query string, if it is not empty.
    pub query: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// True if the body is a form, which is signed like a query string.
    pub is_form: bool,
}

/// A form of the signed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedForm {
    /// The path alone.
    Path,
    /// The path and a `?`, without parameters.
    PathMark,
    /// The path, `?`, and the query string or the form, perhaps with a body after the query string.
    PathMarkParameters,
    /// The path and the JSON body.
    PathJson,
    /// The path, `?` and the JSON body.
    PathMarkJson,
}

impl SignedForm {
    /// Returns the form as the documentation writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::PathMark => "path?",
            Self::PathMarkParameters => "path?params",
            Self::PathJson => "pathjson",
            Self::PathMarkJson => "path?json",
        }
    }

    fn has_mark(self) -> bool {
        matches!(self, Self::PathMark | Self::PathMarkParameters | Self::PathMarkJson)
    }
}

impl SignedParts<'_> {
    /// Returns the forms that may have been signed, first the documented one. Keys of the kinds differ in that of a JSON body.
    pub(crate) fn forms(&self, is_hmac: bool) -> &'static [SignedForm] {
        let has_parameters = self.query.is_some() || (self.is_form && !self.body.is_empty());
        match (has_parameters, self.body.is_empty()) {
            (true, _) => &[SignedForm::PathMarkParameters],
            (false, true) => &[SignedForm::Path, SignedForm::PathMark],
            (false, false) if is_hmac => &[SignedForm::PathMarkJson, SignedForm::PathJson],
            (false, false) => &[SignedForm::PathJson, SignedForm::PathMarkJson],
        }
    }

    /// Returns the bytes of a form.
    pub(crate) fn text(&self, form: SignedForm) -> Vec<u8> {
        let mark: &[u8] = if form.has_mark() { b"?" } else { b"" };
        [self.path.as_bytes(), mark, self.query.unwrap_or_default().as_bytes(), self.body].concat()
    }
}
