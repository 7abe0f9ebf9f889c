//! The lowest and the highest value of an input.

use super::{Input, Rule};

/// A bound of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberBound {
    /// The number, in decimal.
    pub value: &'static str,
    /// True if the number itself is permitted.
    pub is_inclusive: bool,
}

impl NumberBound {
    const fn inclusive(value: &'static str) -> Self {
        Self { value, is_inclusive: true }
    }

    const fn exclusive(value: &'static str) -> Self {
        Self { value, is_inclusive: false }
    }
}

impl Input {
    /// Returns the lower and the upper bound that its rules set, botdesk's own among them. Each is None without such a bound.
    pub fn bounds(&self) -> [Option<NumberBound>; 2] {
        self.rules
            .iter()
            .map(|rule| rule.bounds())
            .fold([None, None], |[least, most], [lower, upper]| [least.or(lower), most.or(upper)])
    }
}

impl Rule {
    fn bounds(self) -> [Option<NumberBound>; 2] {
        match self {
            Self::Between(least, most) => [Some(NumberBound::inclusive(least)), Some(NumberBound::inclusive(most))],
            Self::AtLeast(least) => [Some(NumberBound::inclusive(least)), None],
            Self::Above(least) => [Some(NumberBound::exclusive(least)), None],
            Self::Below(most) => [None, Some(NumberBound::exclusive(most))],
            Self::ExclusiveRange(least, most) => {
                [Some(NumberBound::exclusive(least)), Some(NumberBound::exclusive(most))]
            }
            Self::Own(rule) => rule.bounds(),
            Self::Required
            | Self::RequiredIfTrue(_)
            | Self::RequiredUnless(_)
            | Self::RequiredIfEquals(..)
            | Self::Characters(..)
            | Self::OnlyIf(..)
            | Self::Default(_)
            | Self::ServiceDefault(_)
            | Self::OmitIf(_)
            | Self::RequiresField(_)
            | Self::OnlyIfGiven
            | Self::NeverReturned => [None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dca_bots::DcaBotEdit;
    use crate::input::InputName;

    fn bounds(input: InputName) -> [Option<(&'static str, bool)>; 2] {
        let bounds = DcaBotEdit::INPUTS.get(input).unwrap().bounds();
        bounds.map(|bound| bound.map(|bound| (bound.value, bound.is_inclusive)))
    }

    #[test]
    fn an_input_has_the_bounds_of_its_rules() {
        for (input, least, most) in [
            (DcaBotEdit::max_safety_orders, Some(("0", true)), Some(("200", true))),
            (DcaBotEdit::close_deals_timeout, Some(("60", true)), None),
            (DcaBotEdit::min_price_percentage, Some(("-95", false)), Some(("1000", false))),
            (DcaBotEdit::min_profit_percentage, None, None),
            (DcaBotEdit::name, None, None),
        ] {
            assert_eq!(bounds(input), [least, most], "{input:?}");
        }
    }

    #[test]
    fn own_rules_set_bounds_too() {
        assert_eq!(bounds(DcaBotEdit::base_order_volume), [Some(("0", false)), None]);
        assert_eq!(bounds(DcaBotEdit::trailing_deviation), [Some(("0", true)), Some(("100", false))]);
    }
}
