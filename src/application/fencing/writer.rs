//! A process that elects: while it coordinates in Normal it reads the resource and writes to it, again and again.
//!
//! Invariant: it is in the midst of one write at most, and only within a term; each write has a call number of its own,
//! so an answer to an earlier one does nothing.

use serde::{Deserialize, Serialize};

use super::card as line;
use super::message::FencingMessage;
use protocol::{
    Application, ApplicationEffects, CallNumber, CallNumbers, FencingNumber, Incarnation, NodeId, Settings, Setup,
    Span, StateVector, Status, TermId, WriteProgress, WriterWork,
};

protocol::worded! {
    /// The timers of fencing: the resource has none.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum FencingTimer {
        /// The next write begins.
        Pace = "next write",
        /// The resource has not answered.
        Answer = "answer of the resource",
    }
}

/// A process that writes while it coordinates.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Writer {
    me: NodeId,
    incarnation: Incarnation,
    resource: NodeId,
    pace: Span,
    silence: Span,
    /// How many terms it has begun in this incarnation.
    terms: u32,
    term: Option<Term>,
    calls: CallNumbers,
    landed: u64,
    refused: u64,
}

/// A term, and how far its present write is.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct Term {
    id: TermId,
    number: FencingNumber,
    write: Option<(CallNumber, WriteProgress)>,
}

/// An application whose writers these are.
pub(super) trait Writes: Application<Message = FencingMessage, Timer = FencingTimer> {}

impl<P: Application<Message = FencingMessage, Timer = FencingTimer>> Writes for P {}

impl Writer {
    /// Coordinates nobody yet.
    pub(super) fn new(setup: &Setup, settings: &Settings, resource: NodeId) -> Writer {
        Writer {
            me: setup.me,
            incarnation: setup.incarnation,
            resource,
            pace: Span::from_millis(settings.number(line::PACE_MS)),
            silence: setup.timing.silence,
            terms: 0,
            term: None,
            calls: CallNumbers::new(setup.incarnation),
            landed: 0,
            refused: 0,
        }
    }

    pub(super) fn resource(&self) -> NodeId {
        self.resource
    }

    pub(super) fn on_state<P: Writes>(&mut self, state: &StateVector, fx: &mut ApplicationEffects<P>) {
        let coordinates = state.status == Status::Normal && state.coordinates(self.me);
        // To the letter of its paper an algorithm may have no number: all terms of a process have one then.
        let number = FencingNumber::of(state).unwrap_or(FencingNumber { count: 0, node: self.me });
        let present = coordinates.then_some(number);
        if self.term.as_ref().map(|term| term.number) == present {
            return;
        }
        if self.term.take().is_some() {
            fx.line(line::STOP);
            fx.cancel_timer(FencingTimer::Pace);
            fx.cancel_timer(FencingTimer::Answer);
        }
        if let Some(number) = present {
            fx.line(line::BEGIN);
            self.terms += 1;
            let id = TermId { node: self.me, incarnation: self.incarnation, serial: self.terms };
            self.term = Some(Term { id, number, write: None });
            fx.set_timer(FencingTimer::Pace, self.pace);
        }
    }

    pub(super) fn on_timer<P: Writes>(&mut self, timer: FencingTimer, fx: &mut ApplicationEffects<P>) {
        let Some(term) = &mut self.term else { return };
        if timer == FencingTimer::Answer {
            fx.line(line::AGAIN);
        }
        fx.line(line::READ);
        let call = self.calls.give_out();
        term.write = Some((call, WriteProgress::Reads));
        fx.send(self.resource, FencingMessage::Read { call });
        fx.set_timer(FencingTimer::Answer, self.silence);
    }

    pub(super) fn on_answer<P: Writes>(&mut self, message: FencingMessage, fx: &mut ApplicationEffects<P>) {
        let Some(term) = &mut self.term else { return };
        let Some((call, progress)) = term.write else { return };
        match (message, progress) {
            (FencingMessage::Content { call: of, value }, WriteProgress::Reads) if of == call => {
                fx.line(line::WRITE);
                let value = value.saturating_add(1);
                term.write = Some((call, WriteProgress::Writes(value)));
                fx.send(self.resource, FencingMessage::Write { call, term: term.id, number: term.number, value });
                fx.set_timer(FencingTimer::Answer, self.silence);
            }
            (FencingMessage::Written { call: of }, WriteProgress::Writes(_)) if of == call => {
                fx.line(line::LANDED);
                self.landed += 1;
                self.await_pace(fx);
            }
            (FencingMessage::Refused { call: of, .. }, WriteProgress::Writes(_)) if of == call => {
                fx.line(line::REFUSED);
                self.refused += 1;
                self.await_pace(fx);
            }
            _ => {}
        }
    }

    fn await_pace<P: Writes>(&mut self, fx: &mut ApplicationEffects<P>) {
        if let Some(term) = &mut self.term {
            term.write = None;
        }
        fx.cancel_timer(FencingTimer::Answer);
        fx.set_timer(FencingTimer::Pace, self.pace);
    }

    pub(super) fn work(&self) -> WriterWork {
        let write = self.term.as_ref().and_then(|term| term.write);
        WriterWork {
            term: self.term.as_ref().map(|term| term.id),
            number: self.term.as_ref().map(|term| term.number),
            progress: write.map_or(WriteProgress::None, |(_, progress)| progress),
            landed: self.landed,
            refused: self.refused,
        }
    }
}
