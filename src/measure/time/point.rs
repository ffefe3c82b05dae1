//! The points of the times to agreement: an algorithm, a number of processes, and what befalls them.
//!
//! Invariant: the periods of a point keep to its Card's rules.

use election::detector::Choice;
use protocol::{Card, Roster, Settings, Span, Timing};
use sim::transit_bound;

/// The bound T of the labs.
pub const T: Span = Span::from_millis(100);
/// `check` and `silence` in T, if the Card allows periods as short as these.
const PERIODS: (u64, u64) = (5, 10);
/// How often a period is doubled at most until the Card allows it.
const DOUBLINGS: usize = 16;
/// How many processes are parted into groups that merge again.
pub const PARTED_NODES: u16 = 16;

/// One point.
#[derive(Copy, Clone, Debug)]
pub struct TimePoint {
    /// The algorithm.
    pub card: Card,
    /// How many processes there are.
    pub nodes: u16,
    /// What befalls them after their start.
    pub scene: TimedScene,
}

/// What befalls the processes once they have come to rest after their start.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum TimedScene {
    /// All are linked; the leader crashes.
    Failover,
    /// A partition into so many groups ends; each had come under a leader of its own.
    Merge(u16),
    /// They are linked as a ladder of so many rungs; node 1 crashes.
    Ladder(u16),
}

impl TimePoint {
    /// The periods: short ones, and where the Card does not allow them twice as long until it does.
    pub fn timing(&self) -> Timing {
        self.timing_at(T)
    }

    /// The same with another bound T.
    pub fn timing_at(&self, t: Span) -> Timing {
        let (settings, (check, silence)) = (self.settings(), PERIODS);
        let mut timing = Timing { t, check: t * check, silence: t * silence };
        for _ in 0..DOUBLINGS {
            match self.card.periods.iter().find(|rule| !(rule.holds)(&timing, self.nodes, &settings)) {
                Some(rule) if rule.key == "check" => timing.check = timing.check * 2,
                Some(_) => timing.silence = timing.silence * 2,
                None => break,
            }
        }
        timing
    }

    /// The longest that a datagram may take, with this bound T.
    pub fn transit_bound_at(&self, t: Span) -> Span {
        transit_bound(&self.card, &self.timing_at(t), &self.settings())
    }

    /// How long one election may take. On a ladder it is what the paper has for all together, without its unknown
    /// factor: (n-1) max(tau + 2 delta, tau_FD).
    pub fn election_bound(&self) -> Span {
        let (timing, settings) = (self.timing(), self.settings());
        match self.scene {
            TimedScene::Ladder(_) => {
                let latency = Choice::of(&settings).latency(&timing, self.nodes);
                (timing.check + timing.t * 2).max(latency) * u64::from(self.nodes - 1)
            }
            TimedScene::Failover | TimedScene::Merge(_) => (self.card.time_bound.value)(&timing, self.nodes, &settings),
        }
    }

    /// How long after the last fault all agree.
    pub fn quiet_bound(&self) -> Span {
        (self.card.quiet_bound.value)(&self.timing(), self.nodes, &self.settings())
    }

    fn settings(&self) -> Settings {
        let all = Roster::new(self.nodes).map(|roster| roster.all());
        Settings::defaults(self.card.settings, all.expect("a Card allows no more nodes than a roster may have"))
    }
}
