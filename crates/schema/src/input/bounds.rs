//! The lowest and the highest value of an input.

use super::table::{Input, Rule};

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
            | Self::AtLeastCharacters(_)
            | Self::OnlyIf(..)
            | Self::Default(_)
            | Self::ServiceDefault(_)
            | Self::ClientDefault(_)
            | Self::NotCarriedIf(_)
            | Self::CarriedOnlyWith(_)
            | Self::OnlyIfGiven
            | Self::NeverReturned => [None, None],
        }
    }
}
