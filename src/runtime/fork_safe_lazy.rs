//! Objects of Python modules that are looked up once.

use once_cell::race::OnceBox;
use pyo3::prelude::*;

use crate::runtime::active_calls::ActiveCall;

/// A Python object that is looked up at its first use.
///
/// Unlike pyo3's cells, it holds no lock during the lookup. A child that is forked during the lookup of another thread would wait
/// for that lock forever. Two threads may both look up the object, and find the same one.
pub(crate) struct ForkSafeLazy {
    object: OnceBox<Py<PyAny>>,
    module: &'static str,
    path: &'static [&'static str],
}

impl ForkSafeLazy {
    /// Returns a lazy object: a path of attributes of a module.
    pub(crate) const fn new(module: &'static str, path: &'static [&'static str]) -> Self {
        Self { object: OnceBox::new(), module, path }
    }

    /// Returns the object.
    pub(crate) fn get<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyAny>> {
        match self.object.get() {
            Some(object) => Ok(object.bind(py)),
            None => self.look_up(py),
        }
    }

    #[cold]
    fn look_up<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyAny>> {
        let _import = ActiveCall::start(py);
        let mut found = py.import(self.module)?.into_any();
        for attribute in self.path {
            found = found.getattr(*attribute)?;
        }
        Ok(self.object.get_or_init(|| Box::new(found.unbind())).bind(py))
    }
}
