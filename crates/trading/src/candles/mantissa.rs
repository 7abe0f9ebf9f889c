//! The integers that prices are stored as.

/// An integer that a price is stored as.
pub(super) trait Mantissa: Copy + Ord + Into<i128> {
    /// The smallest and the largest integer, which are never prices.
    const LIMITS: (Self, Self);

    /// Converts an integer; one that is out of range becomes a limit.
    fn saturating(mantissa: i128) -> Self;
}

/// Implements the trait for integer types.
macro_rules! mantissa {
    ($($integer:ty),*) => {$(
        impl Mantissa for $integer {
            const LIMITS: (Self, Self) = (Self::MIN, Self::MAX);

            #[inline]
            #[allow(clippy::unnecessary_fallible_conversions, reason = "an i128 always fits")]
            fn saturating(mantissa: i128) -> Self {
                Self::try_from(mantissa).unwrap_or(if mantissa < 0 { Self::MIN } else { Self::MAX })
            }
        }
    )*};
}

mantissa!(i32, i64, i128);
