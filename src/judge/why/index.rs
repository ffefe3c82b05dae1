//! Where in a session stands what a walk back through its records looks up.
//!
//! It takes in each record once, and what it knows of the newest state of a node is found without a walk: that costs the
//! same however long the session is.
//!
//! Invariant: a place counts the records before it, so of two records of one session the earlier has the smaller place.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::reading::{begins, count_read, ends, loss, message_of, sent};
use fault::FaultId;
use protocol::{NodeId, NodeMap, StateVector};
use record::{Body, Input, MessageId, Record, Step};

/// The index of the records of a session up to a moment.
#[derive(Clone, Default, Debug)]
pub(super) struct PastIndex {
    /// By place, the highest number up to there: what a screen or a node writes itself has none.
    pub numbers: Vec<u64>,
    /// The number of the last record.
    last: u64,
    /// The places before which records are missing; 0 if the beginning is.
    pub holes: Vec<usize>,
    /// By node, the places of its steps.
    pub steps: NodeMap<Vec<usize>>,
    /// By node, the states that its steps brought.
    pub states: NodeMap<Vec<IndexedState>>,
    /// By node, what the last state of its process was, if it has one.
    present: NodeMap<BeliefOrWord>,
    /// By node, the places at which its process began, ended, stopped or went on.
    pub lives: NodeMap<Vec<usize>>,
    /// By node, the places at which messages to it were lost or held back.
    pub losses: NodeMap<Vec<usize>>,
    /// Where each message was sent.
    pub sendings: HashMap<MessageId, usize>,
    /// By message, the places at which it came, or at which something happened to it.
    pub ends: HashMap<MessageId, Vec<usize>>,
    /// Where each fault was ordered.
    pub orders: BTreeMap<FaultId, usize>,
    /// Where each fault was lifted.
    pub lifted: BTreeMap<FaultId, usize>,
    /// The places of the steps in which a liar told a lie.
    pub lying: Vec<usize>,
}

/// A state of a node.
#[derive(Copy, Clone, Debug)]
pub(super) struct IndexedState {
    /// The place of the step that brought it.
    pub place: usize,
    /// The place of the step since which its process believes the same, or stands in the same word while it believes
    /// nothing.
    pub stance_since: usize,
    /// The place of the step since which its process stands in the same word.
    pub word_since: usize,
}

/// What of a state is compared with the next one.
#[derive(Clone, Debug)]
struct BeliefOrWord {
    believes_in: Option<NodeId>,
    word: Cow<'static, str>,
}

impl PastIndex {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        count_read();
        let place = self.len();
        let follows = match place {
            0 => record.number <= 1,
            _ => self.last == 0 || record.number.saturating_sub(self.last) <= 1,
        };
        if !follows {
            self.holes.push(place);
        }
        self.last = record.until().0;
        self.numbers.push(self.numbers.last().copied().unwrap_or(0).max(record.number));
        if let Some(id) = message_of(record) {
            self.ends.entry(id).or_default().push(place);
        }
        if let (Some(node), Some(_)) = (record.node, loss(record)) {
            self.losses.get_or_default(node).push(place);
        }
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => self.take_step(place, node, step),
            (Body::Spawned { .. } | Body::Died { .. }, Some(node)) => {
                self.lives.get_or_default(node).push(place);
                self.present.remove(&node);
            }
            (body, Some(node)) if begins(body).is_some() || ends(body) => {
                self.lives.get_or_default(node).push(place);
            }
            (Body::FaultOrdered { id, .. }, _) => {
                self.orders.insert(*id, place);
            }
            (Body::FaultLifted { id }, _) => {
                self.lifted.insert(*id, place);
            }
            _ => {}
        }
    }

    fn take_step(&mut self, place: usize, node: NodeId, step: &Step) {
        self.steps.get_or_default(node).push(place);
        if !step.lies.is_empty() {
            self.lying.push(place);
        }
        self.sendings.extend(sent(step).map(|(id, _)| (id, place)));
        if let Some(state) = &step.state {
            self.take_state(place, node, step, state);
        }
    }

    fn take_state(&mut self, place: usize, node: NodeId, step: &Step, state: &StateVector) {
        let stance = BeliefOrWord { believes_in: state.believes_in(), word: state.word.clone() };
        let states = self.states.get_or_default(node);
        let mut indexed = IndexedState { place, stance_since: place, word_since: place };
        if let (Some(before), Some(present)) = (states.last(), self.present.get(&node)) {
            // A new process begins anew, whatever it holds.
            if stance.is_same(present) && !matches!(step.input, Input::Start { .. }) {
                indexed.stance_since = before.stance_since;
            }
            if stance.word == present.word {
                indexed.word_since = before.word_since;
            }
        }
        states.push(indexed);
        self.present.insert(node, stance);
    }
}

impl BeliefOrWord {
    fn is_same(&self, other: &BeliefOrWord) -> bool {
        match (self.believes_in, other.believes_in) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.word == other.word,
            _ => false,
        }
    }
}
