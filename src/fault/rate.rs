//! A rate in text: a number and an x, such as `1.5x`.
//!
//! Invariant: it is counted in whole thousandths, so that nothing is lost between text and number.

use std::ops::RangeInclusive;

/// Why a text is not a rate.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum NotARate {
    NoNumber,
    OutOfRange,
    TooFine,
}

/// The thousandths of a rate in this range.
pub(super) fn thousandths_of(text: &str, range: RangeInclusive<u16>) -> Result<u16, NotARate> {
    let number: Option<f64> = text.strip_suffix('x').and_then(|number| number.trim().parse().ok());
    let number = number.filter(|number: &f64| number.is_finite()).ok_or(NotARate::NoNumber)? * 1_000.0;
    if !(f64::from(*range.start())..=f64::from(*range.end())).contains(&number) {
        return Err(NotARate::OutOfRange);
    }
    let thousandths = number.round();
    if (thousandths - number).abs() > 1e-6 { Err(NotARate::TooFine) } else { Ok(thousandths as u16) }
}
