//! `speed 0.05x`: slow motion. Lab time itself runs slower than this computer's clock, or faster, for all processes of a
//! lab at once; so every timer and every injected delay does.
//!
//! A real datagram still takes a real tenth of a millisecond, and a real turn of the scheduler a real millisecond: at
//! 0.05x these are a twentieth in lab time. In virtual time there is no other clock, and a speed changes nothing.
//!
//! Invariant: lab time never runs backwards and never jumps, and no speed breaks an assumption.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::rate::{NotARate, thousandths_of};
use super::rate_table::RateTable;
use super::text::TextPiece;
use super::{FaultTextError, Form};

/// The form of the line.
pub(super) const FORM: &str = "speed Rx";
/// The form, and what the line does.
pub(super) const FORMS: &[Form] = &[(
    FORM,
    "slow motion: run all timers and delays of the lab at another speed, from 0.02x to 10x; datagrams take as long as \
     ever; `speed 1x` ends it",
)];

/// How fast lab time runs, in thousandths of this computer's clock: 20 to 10,000. In text `0.05x`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct LabSpeed(u16);

impl LabSpeed {
    pub const SLOWEST: LabSpeed = LabSpeed(20);
    pub const FASTEST: LabSpeed = LabSpeed(10_000);
    /// As fast as this computer's clock.
    pub const PLAIN: LabSpeed = LabSpeed(1_000);

    /// This many thousandths of this computer's clock, if lab time may run so fast.
    pub fn of_thousandths(thousandths: u16) -> Option<LabSpeed> {
        let speed = LabSpeed(thousandths);
        (LabSpeed::SLOWEST..=LabSpeed::FASTEST).contains(&speed).then_some(speed)
    }

    /// In thousandths of this computer's clock.
    pub fn thousandths(self) -> u16 {
        self.0
    }

    /// How much lab time passes within this much time of this computer, both in nanoseconds.
    pub fn lab_time(self, wall: i64) -> i64 {
        i64::try_from(i128::from(wall) * i128::from(self.0) / i128::from(LabSpeed::PLAIN.0)).unwrap_or(i64::MAX)
    }

    /// Reads the text after the verb.
    pub(super) fn read(rest: TextPiece<'_>) -> Result<LabSpeed, FaultTextError> {
        match rest.text {
            "" => Err(rest.wrong("a speed is missing here", FORM)),
            text => text.parse().map_err(|error: LabSpeedTextError| rest.wrong(error, FORM)),
        }
    }
}

impl Default for LabSpeed {
    fn default() -> LabSpeed {
        LabSpeed::PLAIN
    }
}

impl fmt::Display for LabSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", f64::from(self.0) / f64::from(LabSpeed::PLAIN.0))
    }
}

/// Why a text is not a speed of lab time.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LabSpeedTextError {
    /// Is not a number followed by an x.
    #[error("`{0}` is not a speed; write a number and an x, such as `0.05x`")]
    NoNumber(String),
    /// Is slower or faster than lab time may run.
    #[error("`{0}` is not a speed of a lab; it goes from 0.02x to 10x")]
    OutOfRange(String),
    /// Has more than three decimals.
    #[error("`{0}` is not a speed of a lab; it has at most three decimals")]
    TooFine(String),
}

impl FromStr for LabSpeed {
    type Err = LabSpeedTextError;

    fn from_str(text: &str) -> Result<LabSpeed, LabSpeedTextError> {
        let range = LabSpeed::SLOWEST.0..=LabSpeed::FASTEST.0;
        thousandths_of(text, range).map(LabSpeed).map_err(|why| match why {
            NotARate::NoNumber => LabSpeedTextError::NoNumber(text.to_owned()),
            NotARate::OutOfRange => LabSpeedTextError::OutOfRange(text.to_owned()),
            NotARate::TooFine => LabSpeedTextError::TooFine(text.to_owned()),
        })
    }
}

impl Serialize for LabSpeed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LabSpeed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LabSpeed, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Lab time, as a table of this computer's clock when each speed began. All times are in nanoseconds since the lab
/// began; before the first change both are the same.
#[derive(Clone, Default, Debug)]
pub struct SpeedTable(RateTable);

impl SpeedTable {
    /// From this moment of this computer's clock on lab time runs at this speed.
    pub fn change(&mut self, speed: LabSpeed, wall: u64) {
        self.0.run_at(speed.0, wall);
    }

    /// Lab time at this moment of this computer's clock.
    pub fn lab_at(&self, wall: u64) -> u64 {
        self.0.at(wall)
    }

    /// The first moment of this computer's clock at which lab time is this, or later.
    pub fn wall_at(&self, lab: u64) -> u64 {
        self.0.first(lab)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_reads_back_what_it_prints() {
        for text in ["0.02x", "0.05x", "0.125x", "1x", "2.5x", "10x"] {
            let speed: LabSpeed = text.parse().unwrap();
            assert_eq!(speed.to_string(), text);
            assert_eq!(serde_json::to_string(&speed).unwrap(), format!("\"{text}\""));
            assert_eq!(LabSpeed::of_thousandths(speed.thousandths()), Some(speed));
        }
        assert_eq!([19, 10_001].map(LabSpeed::of_thousandths), [None, None]);
    }

    #[test]
    fn what_is_no_speed_is_told_with_what_would_do() {
        for (text, why) in [
            ("slow", "`slow` is not a speed; write a number and an x, such as `0.05x`"),
            ("0.5", "`0.5` is not a speed; write a number and an x, such as `0.05x`"),
            ("0.0199x", "`0.0199x` is not a speed of a lab; it goes from 0.02x to 10x"),
            ("11x", "`11x` is not a speed of a lab; it goes from 0.02x to 10x"),
            ("0.0505x", "`0.0505x` is not a speed of a lab; it has at most three decimals"),
        ] {
            assert_eq!(text.parse::<LabSpeed>().unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn lab_time_goes_on_from_where_it_was_at_each_speed() {
        let mut table = SpeedTable::default();
        table.change("0.05x".parse().unwrap(), 1_000);
        table.change(LabSpeed::PLAIN, 3_000);
        for (wall, lab) in [(500, 500), (1_000, 1_000), (1_400, 1_020), (3_000, 1_100), (3_100, 1_200)] {
            assert_eq!((table.lab_at(wall), table.wall_at(lab)), (lab, wall));
        }
        assert_eq!((table.lab_at(1_019), table.lab_at(1_020), table.wall_at(1_001)), (1_000, 1_001, 1_020));
        assert_eq!("0.05x".parse::<LabSpeed>().unwrap().lab_time(2_000), 100);
    }
}
