//! A small algorithm on the ordered broadcast for tests of drivers: when ordered, it says the next number to all.
//!
//! Invariant: it says nothing of its own accord, so whatever it hears twice was delivered twice.

use serde::{Deserialize, Serialize};

use protocol::trial::CountingAlgorithm;
use protocol::*;

/// Counts what it hears.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct CountingBroadcast {
    t: Span,
    said: u64,
    heard: u64,
}

/// The one message.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Note(pub u64);

/// The timers, set when it says something.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum CountingTimer {
    /// Before its word is delivered.
    Before,
    /// After that.
    After,
}

impl std::fmt::Display for CountingTimer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Deceit for Note {}

impl Described for Note {
    fn kind(&self) -> &'static str {
        "note"
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("number", self.0.to_string())]
    }
}

impl Algorithm for CountingBroadcast {
    type Message = Note;
    type Timer = CountingTimer;
    type Saved = ();
    const CARD: Card = Card {
        name: "chorus",
        title: "Chorus",
        wire: 251,
        rank: Rank::HigherId,
        periodic: &[],
        t_bounds: TBounds::Broadcast,
        delivery: Delivery::OrderedBroadcast,
        keys: KeyUse::None,
        lies: &[],
        ..CountingAlgorithm::CARD
    };

    fn start(setup: &Setup, _: Option<()>, _: &mut Effects<CountingBroadcast>) -> CountingBroadcast {
        CountingBroadcast { t: setup.timing.t, said: 0, heard: 0 }
    }

    fn on_message(&mut self, _: NodeId, _: Note, _: &mut Effects<CountingBroadcast>) {
        self.heard += 1;
    }

    fn on_timer(&mut self, _: CountingTimer, _: &mut Effects<CountingBroadcast>) {}

    fn on_elect(&mut self, fx: &mut Effects<CountingBroadcast>) {
        self.said += 1;
        fx.broadcast(Note(self.said));
        fx.set_timer(CountingTimer::Before, self.t / 2);
        fx.set_timer(CountingTimer::After, self.t);
    }

    fn waits_for(&self, _: CountingTimer) -> NodeSet {
        NodeSet::EMPTY
    }

    fn state(&self) -> StateVector {
        StateVector { election: Some(self.heard), ..StateVector::new(Status::Normal, "singing", None) }
    }
}
