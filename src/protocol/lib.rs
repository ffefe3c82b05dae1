//! Words of the field: nodes, states, and what an algorithm is and says of itself.
//!
//! Invariant: this room knows no clock, no randomness, no socket, no file and no log.

#![warn(missing_docs)]

mod algorithm;
mod application;
mod assumption;
mod ballot;
mod broadcast;
mod call;
pub mod capacity;
mod card;
pub mod codec;
mod criterion;
mod deceit;
mod hole;
mod keyring;
mod lie;
mod machine;
mod node;
mod node_map;
mod order_id;
mod primes;
mod property;
mod registry;
mod roster;
mod settings;
mod span;
mod state;
mod text;
pub mod trial;
mod visible;
mod worded;
mod work;

pub use algorithm::{Algorithm, Described, Effect, Effects, Incarnation, Order, Setup};
pub use application::{
    APPLICATION_LINES, Application, ApplicationCard, ApplicationEffect, ApplicationEffects, ApplicationFacts, Demand,
    ELECTING_LINE, Hearers,
};
pub use assumption::Assumption;
pub use ballot::{Ballot, Course, Lists, Received, Standing};
pub use broadcast::{DELTA, DELTA_MIN, ORDERED_NODES_MAX, delta, is_delta_all_of_t};
pub use call::{CallNumber, CallNumbers, Round};
pub use card::{
    Card, Channel, CoordinatorNumbers, Delivery, Facts, Formula, Groups, Line, LineNumber, LineTaker, LineText,
    ListingForm, ListingLine, PeriodRule, PlaysDead, TBounds, Transition,
};
pub use criterion::{CAPACITIES, CRITERION, Criterion};
pub use deceit::{Claimant, Deceit, MessageDeceit};
pub use hole::{ERRATA, HoleCard, HoleFact, HoleStanding, Mends, ShownBy, errata_of};
pub use keyring::{KeyUse, Keyring, LabKeys, PublicKey, Signature};
pub use lie::{IN_NAME_OF, Lie, LieSet, LieTextError, Lying, MessageMark, ToldLie, WHISPER};
pub use machine::{
    AlgorithmEntry, ApplicationEntry, BoxedMachine, MachineKind, Payload, SavedCells, StepEffect, StepEffects, TimerKey,
};
pub use node::{NODES_MAX, NodeId, NodeSet, NodeTextError};
pub use node_map::NodeMap;
pub use order_id::OrderId;
pub use primes::prime_count;
pub use property::Property;
pub use registry::Registry;
pub use roster::{Rank, Roster};
pub use settings::{SettingCard, SettingKind, SettingValue, Settings};
pub use span::{Span, SpanTextError, Timing};
pub use state::{GroupNumber, StateVector, Status, Task};
pub use text::{MessageText, TimerName, Words};
pub use visible::{is_unshowable, visible, visible_line};
pub use work::copies::{AcknowledgedCopy, CopyVersion, CopyWork, DoubtedUpdate, HeldCopy, WeightShare};
pub use work::fencing::{
    FencingNumber, FencingWork, ResourceWork, TermId, WriteFate, WriteProgress, WriteView, WriterWork,
};
pub use work::history::{FormedGroup, GroupPlace, HISTORY_MAX, HistoryWork, PARENTS_MAX};
pub use work::joining::{JoinAttempt, JoinPoll, JoinState, JoinWork, MemberView, PendingJoin};
pub use work::section::{SectionFacts, SectionState, SectionWork};
pub use work::service::{DonePart, SILENT_LOOKS, ServiceFacts, ServiceLog, ServiceWork};
pub use work::shards::{ComputingGroups, DefinitionId, SHARDS_MAX, ShardFacts, ShardResult, ShardSet, ShardWork};
pub use work::token::TokenWork;
pub use work::updates::{
    AcknowledgedUpdate, BlockedUpdate, CONFLICTS_MAX, ConflictList, ConflictingUpdate, LOG_MAX, LogDigest,
    LoggedUpdate, PreparedUpdate, RefusalReason, RefusedUpdate, TransactionId, UpdateWork,
};
pub use work::{TaskId, Work};
