//! The points of the failure detectors: a detector, and how much is lost.
//!
//! Invariant: p is below 1, and the lab has nodes enough to ask others.

use election::detector::{Choice, SETTING};
use fault::Percent;
use protocol::{Card, SettingKind, SettingValue, Settings, Span, Timing};

/// The bound T of the labs.
pub const T: Span = Span::from_millis(100);

/// One point.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct DetectorPoint {
    /// The detector, as a lab names it.
    pub detector: &'static str,
    /// The chance that a message is lost.
    pub p: Percent,
    /// How many nodes there are.
    pub nodes: u16,
}

/// The detectors that this algorithm takes.
pub fn detectors_of(card: &Card) -> &'static [&'static str] {
    let words = card.settings.iter().find(|setting| setting.name == SETTING).map(|setting| setting.kind);
    match words {
        Some(SettingKind::Word(words)) => words,
        _ => &[],
    }
}

impl DetectorPoint {
    /// The periods, the same for all detectors. A period of the detector is long enough for the lap of an attendance
    /// list, and the leader's own questions come less often, so that no detector rides on them.
    pub fn timing(&self) -> Timing {
        let silence = T * (u64::from(self.nodes) * 2 + 10);
        Timing { t: T, check: silence * 2, silence }
    }

    /// How long the detector may take to report a node that is down, if nothing is lost.
    pub fn latency(&self) -> Span {
        let settings = Settings::default().with(SETTING, SettingValue::Word(self.detector.to_owned()));
        Choice::of(&settings).latency(&self.timing(), self.nodes)
    }
}
