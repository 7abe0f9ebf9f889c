//! The argument `balances`: an amount of each currency.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::exceptions::{RustResult as _, repr_of, type_name};
use crate::hints::input_type;
use crate::numbers::ExactNumber;
use crate::protocols::{cast, is_mapping, items};
use crate::raise::IntoPyErr as _;
use botdesk_client::error::Error;
use botdesk_sandbox::GivenBalances;

/// The name of the argument.
const NAME: &str = "balances";

/// An amount of each currency.
pub(crate) struct BalancesArgument(pub(crate) GivenBalances);

impl<'py> FromPyObject<'_, 'py> for BalancesArgument {
    type Error = PyErr;

    input_type!(type_hint_subscript!(MAPPING, STR, type_hint_union!(STR, DECIMAL, INT)));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given: &Bound<'_, PyAny> = &given;
        if !is_mapping(given)? {
            let example = "expected a dict from currencies to amounts, such as {'USDT': '10000'}";
            return Err(invalid(&format!("{example}, not {}", type_name(given)?)));
        }
        // A copy, because reading amounts may run code that changes the mapping.
        let copy = PyDict::new(given.py());
        copy.update(given.cast()?)?;
        let mut balances = Vec::new();
        for (code, amount) in items(&copy)? {
            let Some(code) = cast::<PyString>(&code) else {
                return Err(invalid(&format!("a currency must be a str, such as 'USDT', not {}", repr_of(&code)?)));
            };
            let code: String = code.extract()?;
            let amount = amount.extract::<ExactNumber>()?.of(NAME);
            let amount =
                amount.map_rust_err(|problem| invalid(&format!("the amount of {code} {}", problem.message)))?;
            balances.push((code, amount));
        }
        GivenBalances::new(NAME, balances).map(Self).map_rust_err(|problem| invalid(&problem.message))
    }
}

fn invalid(problem: &str) -> PyErr {
    Error::Configuration(format!("{NAME}: {problem}")).into_py_err()
}
