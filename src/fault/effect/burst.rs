//! Losses that come in bursts: Gilbert's chain of two states (1960), as a function instead of a stream.
//!
//! A link is in its good state, where nothing is lost, or in its bad one, where all is. It leaves the bad one with
//! chance 1/L at each datagram, and enters it with the chance that makes the share of lost datagrams P. A throw below
//! the chance of entering means bad, whatever the state was. A throw not below the chance of staying means good,
//! whatever the state was. Any other throw leaves the state as it was. So the state at a datagram is found by looking
//! back to the nearest throw of the first two kinds. The numbers before a link's first datagram, which nobody sent,
//! have throws too: they are its past. On average this looks at less than L throws.
//!
//! Invariant: the state depends only on seed, fault and datagram. It follows the link's own datagrams of one channel
//! and one incarnation, in the order of their numbers; the mean length of bursts is L and the share of lost datagrams
//! is P, exactly.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{LinkFault, Passage, Percent, throw};

/// The salt of its throws. A loss throws with 0, a delay with 1, tampering with 2 to 25, a partial broadcast with 32.
const SALT: u8 = 33;
/// With a longer mean, a link would be up, or down, for a whole lab.
const LENGTH_MAX: u16 = 1_000;

/// How many datagrams a burst takes on average.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct BurstLength(u16);

/// Why bursts cannot have this length.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BurstLengthError {
    /// The text is not a number of datagrams that a burst may take.
    #[error("`{0}` is not a burst length; write a number of datagrams, from 1 to {LENGTH_MAX}")]
    NotALength(String),
    /// Everything is lost.
    #[error("a loss of 100% has no bursts; leave out `bursts`")]
    LosesEverything,
    /// At this share, losses come in longer runs even without bursts.
    #[error("a loss of {percent} has runs of this length even without bursts; write a mean of {least} or more")]
    TooShort {
        /// The share.
        percent: Percent,
        /// The least mean that bursts can have.
        least: u16,
    },
}

impl BurstLength {
    /// A mean of this many datagrams, if bursts of it can make this share: independent losses already come in runs of
    /// 1/(1 - P).
    pub fn of_share(datagrams: u16, percent: Percent) -> Result<BurstLength, BurstLengthError> {
        if percent == Percent::whole(100) {
            return Err(BurstLengthError::LosesEverything);
        }
        // In whole hundredths of a percent: a float would take five for a little more.
        let passes = (10_000.0 * (1.0 - percent.fraction())).round() as u16;
        let least = 10_000_u16.div_ceil(passes);
        if datagrams < least {
            return Err(BurstLengthError::TooShort { percent, least });
        }
        Ok(BurstLength(datagrams))
    }
}

impl fmt::Display for BurstLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for BurstLength {
    type Err = BurstLengthError;

    fn from_str(text: &str) -> Result<BurstLength, BurstLengthError> {
        match text.parse() {
            Ok(datagrams) if (1..=LENGTH_MAX).contains(&datagrams) => Ok(BurstLength(datagrams)),
            _ => Err(BurstLengthError::NotALength(text.to_owned())),
        }
    }
}

impl BurstLength {
    /// The same length, if bursts of it can make this share.
    pub fn for_share(self, percent: Percent) -> Result<BurstLength, BurstLengthError> {
        BurstLength::of_share(self.0, percent)
    }
}

impl Serialize for BurstLength {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BurstLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BurstLength, D::Error> {
        u16::deserialize(deserializer)?.to_string().parse().map_err(de::Error::custom)
    }
}

/// Whether the datagram falls into a burst of a loss of this share and of bursts of this length.
pub fn in_burst(fault: &LinkFault, seed: u64, passage: &Passage, percent: Percent, length: BurstLength) -> bool {
    let share = percent.fraction();
    let leaves = 1.0 / f64::from(length.0);
    let enters = leaves * share / (1.0 - share);
    let mut at = *passage;
    loop {
        let drawn = throw(seed, fault, &at, SALT);
        if drawn < enters {
            return true;
        }
        if drawn >= 1.0 - leaves {
            return false;
        }
        at.sequence = at.sequence.wrapping_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::test::{fault, verdict_by};
    use crate::{FaultId, LinkVerdict};
    use protocol::{Incarnation, NodeId};

    /// What 99 of 100 normal deviates lie within, in standard deviations.
    const NINETY_NINE: f64 = 2.5758;

    fn lossy(percent: &str, length: u16) -> LinkFault {
        fault(1, &format!("loss 1,3->2,4 {percent} bursts {length}"))
    }

    fn passage(from: u16, to: u16, multicast: bool, incarnation: u32, sequence: u64) -> Passage {
        let node = |number| NodeId::new(number).unwrap();
        Passage { from: node(from), to: node(to), multicast, incarnation: Incarnation(incarnation), sequence }
    }

    fn lost(fault: &LinkFault, seed: u64, passage: Passage) -> bool {
        verdict_by(std::slice::from_ref(fault), seed, &passage) == LinkVerdict::Drop(FaultId(1))
    }

    /// The lengths of the bursts among this many lost and delivered datagrams, without the two at the ends.
    fn bursts(fates: &[bool]) -> Vec<f64> {
        let mut runs: Vec<(bool, f64)> = Vec::new();
        for fate in fates {
            match runs.last_mut() {
                Some((same, length)) if same == fate => *length += 1.0,
                _ => runs.push((*fate, 1.0)),
            }
        }
        let inner = runs.get(1..runs.len().saturating_sub(1)).unwrap_or_default();
        inner.iter().filter(|(lost, _)| *lost).map(|(_, length)| *length).collect()
    }

    #[test]
    fn the_share_and_the_mean_burst_lie_within_their_99_percent_intervals() {
        const NUMBER: u64 = 100_000;
        for (percent, length) in [("30%", 5), ("30%", 2), ("5%", 20), ("50%", 2), ("80%", 12)] {
            let fault = lossy(percent, length);
            let fates: Vec<bool> =
                (1..=NUMBER).map(|number| lost(&fault, 7, passage(1, 2, false, 1, number))).collect();
            let (number, length) = (NUMBER as f64, f64::from(length));
            let share = percent.parse::<Percent>().unwrap().fraction();
            let (leaves, enters) = (1.0 / length, share / length / (1.0 - share));
            // Neighbours depend on each other, so the share varies more than with the same number of independent
            // throws.
            let together = 1.0 - leaves - enters;
            let strays = (share * (1.0 - share) * (1.0 + together) / (1.0 - together) / number).sqrt();
            let found = fates.iter().filter(|lost| **lost).count() as f64 / number;
            assert!((found - share).abs() < NINETY_NINE * strays, "{percent} bursts {length}: {found}");
            let bursts = bursts(&fates);
            let count = bursts.len() as f64;
            let mean = bursts.iter().sum::<f64>() / count;
            let strays = (1.0 - leaves).sqrt() / leaves / count.sqrt();
            assert!((mean - length).abs() < NINETY_NINE * strays, "{percent} bursts {length}: {mean} of {count}");
            // A burst has no memory: the chance to leave it is the same at every length.
            let ones = bursts.iter().filter(|length| **length == 1.0).count() as f64 / count;
            let strays = (leaves * (1.0 - leaves) / count).sqrt();
            assert!((ones - leaves).abs() < NINETY_NINE * strays, "{percent} bursts {length}: {ones} of one");
        }
    }

    #[test]
    fn a_links_first_datagrams_are_lost_as_often_as_its_later_ones() {
        let fault = lossy("30%", 10);
        for number in [0, 1, 2, 1_000] {
            let lost = (0..20_000).filter(|seed| lost(&fault, *seed, passage(1, 2, true, 1, number))).count();
            // The 99 % interval of 30 % in twenty thousand throws.
            assert!((5_833..6_167).contains(&lost), "datagram {number}: {lost}");
        }
    }

    #[test]
    fn the_state_is_a_function_of_the_datagram_and_each_link_channel_and_incarnation_has_its_own() {
        let fault = lossy("30%", 5);
        let fates = |from, to, multicast, incarnation| -> Vec<bool> {
            (1..200).map(|number| lost(&fault, 7, passage(from, to, multicast, incarnation, number))).collect()
        };
        let one = fates(1, 2, false, 1);
        let backwards: Vec<bool> =
            (1..200).rev().map(|number| lost(&fault, 7, passage(1, 2, false, 1, number))).collect();
        assert!(one.iter().eq(backwards.iter().rev()), "whoever comes first, each has its fate");
        for other in [fates(3, 2, false, 1), fates(1, 4, false, 1), fates(1, 2, true, 1), fates(1, 2, false, 2)] {
            assert_ne!(one, other);
        }
        assert!(fates(2, 1, false, 1).iter().all(|lost| !lost), "the way back is another link");
    }

    #[test]
    fn bursts_that_are_shorter_than_chance_makes_them_are_refused_with_what_would_do() {
        let refused =
            |percent: &str, length| BurstLength::of_share(length, percent.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("80%", 4).ends_with("write a mean of 5 or more"));
        assert!(refused("30%", 1).ends_with("write a mean of 2 or more"));
        assert!(refused("100%", 1_000).starts_with("a loss of 100% has no bursts"));
        // At the least length all losses are independent.
        assert!(BurstLength::of_share(5, "80%".parse().unwrap()).is_ok());
        assert!(BurstLength::of_share(1, "0%".parse().unwrap()).is_ok());
        assert!(!lost(&lossy("0%", 1), 7, passage(1, 2, false, 1, 1)));
        for text in ["0", "1001", "5.5", "many", ""] {
            assert!(text.parse::<BurstLength>().is_err(), "{text}");
        }
    }
}
