//! The judge on hand-drawn traces: what it makes of them.
//!
//! Invariant: times here are milliseconds; T is 200 ms, one way 100 ms, the algorithm's time bound 800 ms.

mod assumed;
mod cuts;
mod disputes;
mod end_states;
mod ends;
mod excuses;
mod failed_elections;
mod figures;
mod gaps;
mod grades;
mod holds;
mod largest;
mod liars;
mod links;
mod liveness;
mod memory;
mod missing;
mod numbers;
mod ordering;
mod tampering;

use super::Judge;
use crate::trial::*;
use fault::FaultId;
use protocol::{
    Assumption, Ballot, Course, Incarnation, NodeId, NodeMap, Property, Rank, Roster, Span, StateVector, Status,
};
use record::{Body, Death, EffectText, Input, MessageId, Record, Step, ViolationReport};
use world::Tally;
