//! A lab in figures: kept from records, as they come.
//!
//! Invariant: figures change no verdict; a record that changes no state costs the same in a small and in a large lab.

use super::ending::Ending;
use protocol::{Course, NodeId, NodeSet, Span, StateVector, Status};
use record::{EffectText, Step};
use world::Figures;
use world::index;

/// Keeps the figures.
#[derive(Clone, Debug, Default)]
pub(super) struct FigureKeeper {
    figures: Figures,
    /// The nodes on their way through an election.
    electing: NodeSet,
    /// Since when two states contradict each other.
    unsafe_since: Option<i64>,
    agrees: bool,
}

impl FigureKeeper {
    pub fn new() -> FigureKeeper {
        FigureKeeper::default()
    }

    /// Any step.
    pub fn take_step(&mut self, step: &Step) {
        for effect in &step.effects {
            if let EffectText::Send { message, .. } = effect {
                self.figures.messages += 1;
                self.figures.bytes += message.body_bytes() as u64;
            }
        }
    }

    /// A node's state or the state of its process has changed.
    pub fn take_change(
        &mut self,
        node: NodeId,
        states: &[Option<StateVector>],
        running: &NodeSet,
        is_unsafe: bool,
        disturbed: i64,
        at: i64,
    ) {
        match (is_unsafe, self.unsafe_since) {
            (true, None) => self.unsafe_since = Some(at),
            (false, Some(_)) => self.close(at),
            _ => {}
        }
        let state = states[index(node)].as_ref();
        self.follow(node, state);
        let agrees = agree(states, running);
        if agrees && !self.agrees {
            let after = span(at.saturating_sub(disturbed.max(0)));
            self.figures.agreements += 1;
            self.figures.agreed_after = self.figures.agreed_after + after;
            self.figures.agreed_after_max = self.figures.agreed_after_max.max(after);
        }
        self.agrees = agrees;
    }

    /// An election ended. Its rounds are the inits, and how often its master announced itself.
    pub fn take_end(&mut self, ending: &Ending, states: &[Option<StateVector>]) {
        for master in ending.latest().filter(|named| named.node == named.master) {
            let ballot = states[index(master.node)].as_ref().and_then(|state| state.ballot.as_ref());
            self.figures.ends += 1;
            self.figures.rounds += 1 + ballot.map_or(0, |ballot| u64::from(ballot.announcements));
        }
    }

    /// The lab is over, and these processes are in these states.
    pub fn take_last(&mut self, states: &[Option<StateVector>], running: &NodeSet) {
        let ballots = running.iter().filter_map(|node| states[index(node)].as_ref()?.ballot.as_deref());
        let courses: Vec<Course> = ballots.map(|ballot| ballot.course).collect();
        let count = |of: Course| courses.iter().filter(|course| **course == of).count() as u64;
        self.figures.in_help = count(Course::Help);
        self.figures.never_heard = count(Course::Idle);
    }

    /// No time passes any more.
    pub fn close(&mut self, at: i64) {
        if let Some(since) = self.unsafe_since.take() {
            self.figures.unsafe_for = self.figures.unsafe_for + span(at - since);
        }
    }

    pub fn figures(&self) -> Figures {
        self.figures
    }

    fn follow(&mut self, node: NodeId, state: Option<&StateVector>) {
        match state.map(|state| (state.course(), state.status)) {
            Some((Course::Electing, Status::Election)) => {
                if self.electing.insert(node) {
                    self.figures.elections += 1;
                }
            }
            Some((Course::Electing, _)) => {}
            Some((Course::Idle | Course::AtRest | Course::Help, _)) | None => {
                self.electing.remove(node);
            }
        }
    }
}

/// Whether every running process is Normal under one that runs.
fn agree(states: &[Option<StateVector>], running: &NodeSet) -> bool {
    let named = |node: NodeId| {
        let state = states[index(node)].as_ref()?;
        state.coordinator.filter(|_| state.status == Status::Normal)
    };
    let mut all = running.iter().map(named);
    match all.next() {
        Some(Some(first)) => running.contains(first) && all.all(|other| other == Some(first)),
        _ => false,
    }
}

fn span(nanos: i64) -> Span {
    Span::from_nanos(u64::try_from(nanos).unwrap_or(0))
}
