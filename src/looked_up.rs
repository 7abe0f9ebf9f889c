//! Objects of Python's modules that are needed again and again.

use once_cell::race::OnceBox;
use pyo3::prelude::*;

use super::under_way::UnderWay;

/// An object that is looked up when it is first needed, and kept.
///
/// No lock is held meanwhile, as a cell of pyo3's would: a child that is forked while another thread is about to look the object
/// up would wait for that thread, which it does not have. Two threads may both look, and find the same.
pub(super) struct LookedUp {
    object: OnceBox<Py<PyAny>>,
    module: &'static str,
    path: &'static [&'static str],
}

impl LookedUp {
    /// The object at a path of attributes of a module.
    pub(super) const fn new(module: &'static str, path: &'static [&'static str]) -> Self {
        Self { object: OnceBox::new(), module, path }
    }

    /// The object.
    pub(super) fn get<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyAny>> {
        match self.object.get() {
            Some(object) => Ok(object.bind(py)),
            None => self.look_up(py),
        }
    }

    #[cold]
    fn look_up<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyAny>> {
        let _import = UnderWay::begin(py);
        let mut found = py.import(self.module)?.into_any();
        for attribute in self.path {
            found = found.getattr(*attribute)?;
        }
        Ok(self.object.get_or_init(|| Box::new(found.unbind())).bind(py))
    }
}
