//! The types that the stubs show. Only builds with the feature `stubs` have them: they take long to compile, and are a megabyte.

/// Sets the type of an argument, for `FromPyObject`.
macro_rules! input_type {
    ($hint:expr) => {
        $crate::hints::hint!(INPUT_TYPE = $hint);
    };
}

/// Sets the type of a result, for `IntoPyObject`.
macro_rules! output_type {
    ($hint:expr) => {
        $crate::hints::hint!(OUTPUT_TYPE = $hint);
    };
}

/// Sets the type of a value, for a trait of the binding. It is written in the terms of this module.
macro_rules! hint {
    ($name:ident = $hint:expr) => {
        #[cfg(feature = "stubs")]
        const $name: pyo3::inspect::PyStaticExpr = {
            #[allow(unused_imports, reason = "most hints need few of them")]
            use $crate::hints::terms::*;
            $hint
        };
    };
    ($hint:expr) => {
        $crate::hints::hint!(HINT = $hint);
    };
}

pub(crate) use {hint, input_type, output_type};

/// What hints consist of.
#[cfg(feature = "stubs")]
pub(crate) mod terms {
    use botdesk_schema::values::Choices;
    use pyo3::inspect::PyStaticConstant;

    pub(crate) use pyo3::inspect::PyStaticExpr;
    pub(crate) use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

    pub(crate) const ANY: PyStaticExpr = type_hint_identifier!("typing", "Any");
    pub(crate) const AXES: PyStaticExpr = type_hint_identifier!("matplotlib.axes", "Axes");
    pub(crate) const BOOL: PyStaticExpr = type_hint_identifier!("builtins", "bool");
    pub(crate) const BYTES: PyStaticExpr = type_hint_identifier!("builtins", "bytes");
    pub(crate) const CALLABLE: PyStaticExpr = type_hint_identifier!("collections.abc", "Callable");
    pub(crate) const COROUTINE: PyStaticExpr = type_hint_identifier!("collections.abc", "Coroutine");
    pub(crate) const DATETIME: PyStaticExpr = type_hint_identifier!("datetime", "datetime");
    pub(crate) const DECIMAL: PyStaticExpr = type_hint_identifier!("decimal", "Decimal");
    pub(crate) const DICT: PyStaticExpr = type_hint_identifier!("builtins", "dict");
    pub(crate) const FLOAT: PyStaticExpr = type_hint_identifier!("builtins", "float");
    pub(crate) const INT: PyStaticExpr = type_hint_identifier!("builtins", "int");
    pub(crate) const ITERABLE: PyStaticExpr = type_hint_identifier!("collections.abc", "Iterable");
    pub(crate) const ITERATOR: PyStaticExpr = type_hint_identifier!("collections.abc", "Iterator");
    pub(crate) const LIST: PyStaticExpr = type_hint_identifier!("builtins", "list");
    pub(crate) const MAPPING: PyStaticExpr = type_hint_identifier!("collections.abc", "Mapping");
    pub(crate) const NONE: PyStaticExpr = PyStaticExpr::Constant { value: PyStaticConstant::None };
    pub(crate) const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");
    pub(crate) const SUPPORTS_INDEX: PyStaticExpr = type_hint_identifier!("typing", "SupportsIndex");

    /// A JSON object.
    pub(crate) const JSON_OBJECT: PyStaticExpr = type_hint_subscript!(DICT, STR, ANY);
    /// A path object.
    pub(crate) const PATH: PyStaticExpr = type_hint_subscript!(type_hint_identifier!("os", "PathLike"), STR);

    /// A sequence of elements of a type.
    pub(crate) const fn sequence(of: &'static PyStaticExpr) -> PyStaticExpr {
        PyStaticExpr::Subscript { value: &type_hint_identifier!("collections.abc", "Sequence"), slice: of }
    }

    /// The `Literal` of an enumeration.
    pub(crate) struct Literal<C>(std::marker::PhantomData<C>);

    /// The highest number of values of an enumeration; a longer one does not compile.
    const MAX_CHOICES: usize = 64;

    impl<C: Choices> Literal<C> {
        #[allow(clippy::indexing_slicing, reason = "evaluated while compiling")]
        const CONSTANTS: [PyStaticExpr; MAX_CHOICES] = {
            let mut constants = [PyStaticExpr::Constant { value: PyStaticConstant::None }; MAX_CHOICES];
            let mut values = C::VALUES;
            let mut index = 0;
            while let [first, rest @ ..] = values {
                constants[index] = PyStaticExpr::Constant { value: PyStaticConstant::Str(first) };
                values = rest;
                index += 1;
            }
            constants
        };

        pub(crate) const HINT: PyStaticExpr = PyStaticExpr::Subscript {
            value: &type_hint_identifier!("typing", "Literal"),
            slice: &PyStaticExpr::Tuple { elts: Self::CONSTANTS.split_at(C::VALUES.len()).0 },
        };
    }
}
