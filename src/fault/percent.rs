//! A chance, as fault lines write it.
//!
//! Invariant: it is a whole number of hundredths of a percent, so its text reads back as what it was.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A chance in hundredths of a percent, 0 to 10,000. In text `30%` or `2.5%`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Percent(u16);

impl Percent {
    /// This many percent, 100 at most.
    pub const fn whole(percent: u8) -> Percent {
        Percent(if percent > 100 { 10_000 } else { percent as u16 * 100 })
    }

    /// The chance as a fraction of one.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 100.0)
    }
}

/// Why a text is not a chance.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a percentage; write a number from 0 to 100 and a percent sign, such as `30%`")]
pub struct PercentTextError(pub String);

impl FromStr for Percent {
    type Err = PercentTextError;

    fn from_str(text: &str) -> Result<Percent, PercentTextError> {
        let number: Option<f64> = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
        match number {
            Some(number) if (0.0..=100.0).contains(&number) => Ok(Percent((number * 100.0).round() as u16)),
            _ => Err(PercentTextError(text.to_owned())),
        }
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Percent, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
