//! A lab in virtual time, as a screen needs it: it goes on when it is told to, and takes a request at any moment that
//! it has reached.
//!
//! Invariant: the same requests at the same moments make the same records.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use record::{Answer, Head, Record, Request};

/// A lab in virtual time that others may hold too.
pub type SharedLab = Rc<RefCell<dyn VirtualLab>>;

/// A lab in virtual time. Times are nanoseconds since it began.
pub trait VirtualLab: fmt::Debug {
    /// The head of its session.
    fn head(&self) -> Head;

    /// The present time.
    fn now(&self) -> i64;

    /// When it will do something next; `None` if it never will by itself.
    fn next_at(&self) -> Option<i64>;

    /// Goes on until everything up to this time has happened; returns the records since the last call, at first with
    /// those of its beginning.
    fn advance_to(&mut self, until: i64) -> Vec<Record>;

    /// Carries a request out at a moment that it has reached. Everything after that moment is forgotten. The error is a
    /// refusal: why nothing was done and nothing forgotten.
    fn ask(&mut self, moment: VirtualMoment, request: &Request) -> Result<RequestOutcome, Refused>;

    /// Whether its steps were being played at this moment, or waited for a person to start them.
    fn steps_at(&self, moment: VirtualMoment) -> Steps;
}

/// A moment of a lab in virtual time. Many things may happen at one instant, one after another.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum VirtualMoment {
    /// Everything up to this time has happened.
    At(i64),
    /// This many records have been made, and nothing more has happened at the instant of the last.
    After(u64),
}

/// Why a request was not carried out, as a sentence for the person who asked: [`Answer::Refused`].
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// The result of a request.
#[derive(Clone, Debug)]
pub struct RequestOutcome {
    pub answer: Answer,
    /// How many of the records that were given out still hold.
    pub kept: usize,
    /// The records that follow those.
    pub records: Vec<Record>,
}

/// Whether a lab's own steps are being played.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Steps {
    /// Wait for `S`.
    Held,
    /// Played.
    Playing,
}
