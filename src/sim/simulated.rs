//! A simulation of any algorithm: its owner carries it on, orders faults in it and ends it.
//!
//! Invariant: the same things happen whether it is carried on in pieces or in one go.

use super::SimEnd;
use super::run_recorder::stamp;
use super::simulation::{Simulation, index, nanos};
use driver::Participant;
use protocol::{NodeId, StateVector};
use record::{Answer, Body, Head};
use script::OrderInput;
use world::World;

/// A simulation of any algorithm.
pub trait Simulated {
    /// Carries it on up to this moment, in nanoseconds of virtual time, or to its end.
    fn advance_to(&mut self, until: i64);
    /// Carries it on, event by event, until it has made this many records, or has nothing more to do.
    fn advance_to_record(&mut self, count: u64);
    /// When something will happen next; nothing if it has ended.
    fn next_at(&self) -> Option<i64>;
    /// The present moment.
    fn now(&self) -> i64;
    /// Orders a fault line now.
    fn inject(&mut self, line: &str) -> Answer;
    /// Plays the lab's steps from now on.
    fn play_steps(&mut self);
    /// Records a note of the people in front of the screen.
    fn note(&mut self, text: &str);
    /// The head of its session.
    fn head(&self) -> &Head;
    /// The present world.
    fn world(&self) -> &World;
    /// What the machine of this node says of itself, recorded or not; nothing while it has none.
    fn state(&self, node: NodeId) -> Option<StateVector>;
    /// Carries it on to its end; returns the end.
    fn run_to_end(self: Box<Self>) -> SimEnd;
    /// Ends it here.
    fn end(self: Box<Self>) -> SimEnd;
}

impl Simulated for Simulation<'_> {
    fn advance_to(&mut self, until: i64) {
        while self.take_turn_by(until) {}
        // The next event comes later: until then time has passed, and nothing has happened.
        if !self.is_over() {
            self.shared.now = self.shared.now.max(u64::try_from(until).unwrap_or(0));
        }
    }

    fn advance_to_record(&mut self, count: u64) {
        while self.world().records < count && self.next_at().is_some() {
            self.take_turn();
        }
    }

    fn next_at(&self) -> Option<i64> {
        if self.is_over() {
            return None;
        }
        [self.shared.agenda.next_at().map(nanos), self.wake_at()].into_iter().flatten().min()
    }

    fn now(&self) -> i64 {
        stamp(self.shared.now).at
    }

    fn inject(&mut self, line: &str) -> Answer {
        let (reply, answer) = std::sync::mpsc::channel();
        self.order(OrderInput::Line { text: line.to_owned(), reply });
        self.settle();
        answer.try_recv().unwrap_or_else(|_| Answer::Done { id: None, text: format!("{line}: ordered") })
    }

    fn play_steps(&mut self) {
        let now = Simulated::now(self);
        self.recorder.run.play(now);
        self.recorder.pass_time(now);
        self.settle();
    }

    fn note(&mut self, text: &str) {
        self.recorder.record(self.shared.now, None, Body::Note { text: text.to_owned() });
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn world(&self) -> &World {
        self.recorder.run.world()
    }

    fn state(&self, node: NodeId) -> Option<StateVector> {
        self.sim_nodes[index(node)].participant.as_ref().map(Participant::state)
    }

    fn run_to_end(mut self: Box<Self>) -> SimEnd {
        while !self.is_over() {
            self.take_turn();
        }
        self.finish()
    }

    fn end(self: Box<Self>) -> SimEnd {
        self.finish()
    }
}
