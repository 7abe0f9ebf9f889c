//! The path of the price within a candle, as an argument.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::exceptions::{CatchException as _, repr_of};
use crate::hints::input_type;
use crate::raise::IntoPyErr as _;
use botdesk_schema::input::Violation;
use botdesk_schema::values::Choices;
use botdesk_trading::candles::ExtremeOrder;

/// The path of the price within a candle.
#[derive(Clone, Copy, Default)]
pub(crate) struct PathArgument(pub(crate) ExtremeOrder);

impl Choices for PathArgument {
    const VALUES: &'static [&'static str] = {
        let [(first, _), (second, _), (third, _)] = ExtremeOrder::ALL;
        &[first, second, third]
    };
    const SAMPLE: &'static str = "null";
}

impl<'py> FromPyObject<'_, 'py> for PathArgument {
    type Error = PyErr;

    input_type!(Literal::<Self>::HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name = given.extract::<PyBackedStr>().none_if_exception(given.py())?;
        if let Some(path) = name.and_then(|name| ExtremeOrder::named(&name)) {
            return Ok(Self(path));
        }
        let names = Self::VALUES.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        Err(Violation::new("path", format!("{} is not one of {names}", repr_of(&given)?)).into_py_err())
    }
}
