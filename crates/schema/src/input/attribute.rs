//! The inputs that the attributes of an error response are about.

use super::table::Inputs;

/// Returns the names of the inputs that an attribute of an error names, as a caller writes them.
///
/// The service writes a path in brackets (`units[value]`) or with points (`units.value`), and joins several by commas.
pub fn inputs_of_attribute(inputs: &Inputs, attribute: &str) -> Vec<String> {
    attribute.split(',').map(|path| input_of_path(inputs, path.trim())).collect()
}

fn input_of_path(inputs: &Inputs, path: &str) -> String {
    let path = path.replace('[', ".").replace(']', "");
    let (first, rest) = path.split_once('.').map_or((path.as_str(), None), |(first, rest)| (first, Some(rest)));
    let named = inputs.rows.iter().find(|row| row.wires().any(|wire| wire == first));
    let name = named.map_or(first, |row| row.name);
    rest.map_or_else(|| name.to_owned(), |rest| format!("{name}.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{DecimalType, Input};
    use crate::values::{Integer, Object};

    static ORDER: Inputs = Inputs {
        path: "",
        decimals: DecimalType::Number,
        subject: "an order",
        rows: &[
            Input::new::<Integer>("grids_quantity", &[]).also("grid_quantity"),
            Input::new::<Object>("units", &[]),
            Input::new::<Object>("stop_loss", &[]).wire("stopLoss"),
        ],
        create_only: &[],
        groups: &[],
        together: &[],
        set_derived: |_| (),
    };

    #[test]
    fn each_form_of_an_attribute_names_its_inputs() {
        for (attribute, names) in [
            ("grid_quantity", vec!["grids_quantity"]),
            ("base", vec!["base"]),
            ("units[value]", vec!["units.value"]),
            ("stopLoss[conditional][price]", vec!["stop_loss.conditional.price"]),
            ("units.value", vec!["units.value"]),
            ("units[value],units[percent]", vec!["units.value", "units.percent"]),
            ("value,percent", vec!["value", "percent"]),
            ("unheard_of", vec!["unheard_of"]),
            ("", vec![""]),
        ] {
            assert_eq!(inputs_of_attribute(&ORDER, attribute), names, "{attribute}");
        }
    }
}
