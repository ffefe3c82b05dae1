//! A small algorithm on the ordered broadcast for tests of drivers: when ordered, it says the next number to all.
//!
//! Invariant: it says nothing of its own accord, so whatever it hears twice was delivered twice.

use serde::{Deserialize, Serialize};

use protocol::trial::Trial;
use protocol::*;

/// Counts what it hears.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Chorus {
    t: Span,
    said: u64,
    heard: u64,
}

/// Its one message.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Note(pub u64);

/// Its timers, set when it says something.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Beat {
    /// Before its word is delivered.
    Before,
    /// After that.
    After,
}

impl std::fmt::Display for Beat {
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

impl Algorithm for Chorus {
    type Message = Note;
    type Timer = Beat;
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
        ..Trial::CARD
    };

    fn start(setup: &Setup, _: Option<()>, _: &mut Effects<Chorus>) -> Chorus {
        Chorus { t: setup.timing.t, said: 0, heard: 0 }
    }

    fn on_message(&mut self, _: NodeId, _: Note, _: &mut Effects<Chorus>) {
        self.heard += 1;
    }

    fn on_timer(&mut self, _: Beat, _: &mut Effects<Chorus>) {}

    fn on_elect(&mut self, fx: &mut Effects<Chorus>) {
        self.said += 1;
        fx.broadcast(Note(self.said));
        fx.set_timer(Beat::Before, self.t / 2);
        fx.set_timer(Beat::After, self.t);
    }

    fn waits_for(&self, _: Beat) -> NodeSet {
        NodeSet::EMPTY
    }

    fn state(&self) -> StateVector {
        StateVector { election: Some(self.heard), ..StateVector::new(Status::Normal, "singing", None) }
    }
}
