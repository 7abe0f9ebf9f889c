//! The picture of a sweep.

use pyo3::prelude::*;

use super::class::Sweep;
use super::objective::MINIMISED;
use super::table::{inputs, names, shown_value};
use crate::display::pictures::{Axes, Theme, picture_with};
use crate::raise::OrPyErr as _;
use botdesk_schema::input::{Input, Violation};

/// A setting: its name, its unit, and its values as strings.
type SettingValues = (&'static str, Option<&'static str>, Vec<String>);

/// The places of the values of a combination among those of its settings.
type ValueIndices = Vec<usize>;

/// The units of settings, and the words by which their descriptions name them.
const UNITS: &[(&str, &str)] = &[("in percent", "%"), ("in seconds", "s")];

#[pymethods]
impl Sweep {
    /// Draw the objective over the settings: a line over one setting, or a heat map over two.
    ///
    /// Without `x` and `y`, a sweep of one setting is a line, and any other a heat map of the first two. Of combinations that differ in
    /// other settings only, the best is drawn; the title says so. Combinations that break rules are hatched in a heat map, and
    /// crosses below a line. A sweep with `folds` has a second panel with the best combination of each stretch: its figure on that
    /// stretch, and on the next one.
    ///
    /// Args:
    ///     ax: The axes to draw in; new ones by default.
    ///     x: The name of the setting on the horizontal axis. Alone, it makes a line.
    ///     y: The name of the setting on the vertical axis, for a heat map.
    ///     theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one is set.
    ///
    /// Returns:
    ///     The matplotlib axes of the objective.
    ///
    /// Raises:
    ///     ConfigurationError: matplotlib is not installed.
    ///     ValidationError: `x` or `y` is not a setting of the sweep, or both are the same; or `theme` is none of the three.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
    ///     >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
    ///     >>> ax = botdesk.sweep(bot, rows, {"take_profit": [1, 2, 3]}).plot()
    ///     >>> ax.get_xlabel(), ax.get_ylabel()
    ///     ('take_profit, %', 'profit')
    #[pyo3(signature = (ax = None, *, x = None, y = None, theme = Theme::auto()))]
    fn plot<'py>(
        this: &Bound<'py, Self>,
        ax: Option<Axes<'py>>,
        x: Option<&str>,
        y: Option<&str>,
        theme: Theme<'py>,
    ) -> PyResult<Axes<'py>> {
        let (x, y) = this.get().axes(x, y).or_py_err()?;
        picture_with(this, "sweep", ax, theme, &(x, y).into_pyobject(this.py())?)
    }

    /// The settings, each with its unit and its values.
    #[getter]
    fn _settings(&self) -> Vec<SettingValues> {
        let parameters = self.plan().0.combinations().parameters();
        let values =
            parameters.iter().map(|parameter| parameter.values.iter().map(|value| shown_value(value.as_ref())));
        let settings = inputs(self.plan()).into_iter().zip(values);
        settings.map(|(input, values)| (input.name, unit(input), values.collect())).collect()
    }

    /// The value that the bot itself has for each setting; None if it has none.
    #[getter]
    fn _own(&self) -> Vec<Option<String>> {
        let bot = &self.plan().0.definition().bot;
        let own = |input: &Input| bot.own_value(input).map(|value| shown_value(Some(&value)));
        inputs(self.plan()).into_iter().map(own).collect()
    }

    /// The places of the combinations that ran, of the refused ones, and of the missing ones.
    #[getter]
    fn _places(&self) -> [Vec<ValueIndices>; 3] {
        let combinations = self.plan().0.combinations();
        self.indices().map(|indices| indices.into_iter().map(|index| combinations.places(index)).collect())
    }

    /// The pairs of the bot with any of the combinations.
    #[getter]
    fn _pairs(&self) -> Vec<String> {
        self.plan().0.definition().pairs()
    }

    /// True if less of the objective is better.
    #[getter]
    fn _less_is_better(&self) -> bool {
        MINIMISED.contains(&self.figure_name())
    }
}

impl Sweep {
    /// Returns the places of the settings on the axes; that of y is None for a line.
    fn axes(&self, x: Option<&str>, y: Option<&str>) -> Result<(usize, Option<usize>), Violation> {
        let names = names(self.plan());
        let place = |argument: &str, name: Option<&str>| name.map(|name| place(&names, argument, name)).transpose();
        match (place("x", x)?, place("y", y)?) {
            (Some(x), Some(y)) if x == y => {
                Err(Violation::new("y", "must not be the setting of x; choose another, or leave it out for a line"))
            }
            (Some(x), y) => Ok((x, y)),
            (None, Some(y)) => {
                let other = (0..names.len()).find(|place| *place != y);
                let single =
                    || Violation::new("y", "must not be the only setting of the sweep; pass it as x for a line");
                Ok((other.ok_or_else(single)?, Some(y)))
            }
            (None, None) => Ok((0, (names.len() > 1).then_some(1))),
        }
    }
}

fn place(names: &[&str], argument: &str, name: &str) -> Result<usize, Violation> {
    names.iter().position(|known| *known == name).ok_or_else(|| {
        Violation::new(argument, format!("'{name}' is not a setting of the sweep; choose from {}", names.join(", ")))
    })
}

/// Returns the unit that the description of an input names.
fn unit(input: &Input) -> Option<&'static str> {
    UNITS.iter().find(|(words, _)| input.about.contains(words)).map(|(_, unit)| *unit)
}
