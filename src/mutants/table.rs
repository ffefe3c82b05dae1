//! The table of the planted bugs: where each is hunted, what it violates, and within how many seeds it must be found.
//!
//! Invariant: the table has each hunt once.

use super::application_bug::{ApplicationBug, ApplicationMutant};
use super::labs::{self, Text};
use super::{application, bully, invitation, king_ni, raft, stoller, textbook};
use ::application::{copies, fencing, history, shards, token, updates};
use fault::{Bug, Mutant};
use protocol::{Algorithm, AlgorithmEntry, ApplicationEntry, Deceit, MachineKind, Property};
use registry::BUILT_IN;
use sim::{Listener, Plan, SimEnd, run_as};

/// A bug, and how it is hunted.
pub struct Planted {
    /// The name: that of its type.
    pub name: &'static str,
    /// What simulates a lab with it.
    pub simulate: fn(&Plan, Listener<'_>) -> SimEnd,
    /// What it violates, with all assumptions whole that the property needs.
    pub violates: Property,
    /// Where it is hunted, over the network that the seed draws.
    pub ground: HuntPlace,
    /// Within how many seeds it must be found.
    pub seeds: u64,
}

/// Where a bug is hunted.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum HuntPlace {
    /// In this lab, unchanged.
    Script(Text),
    /// In what the seed makes of this lab.
    Swarm(Text),
    /// In this lab, with the liars that the seed draws.
    Liars(Text),
}

const fn planted_in<B: Bug<Machine: Algorithm<Message: Deceit>>>(
    name: &'static str,
    violates: Property,
    ground: HuntPlace,
    seeds: u64,
) -> Planted {
    let simulate =
        |plan: &Plan, listener: Listener<'_>| run_as(MachineKind::that_deceives::<Mutant<B>>(), plan, listener);
    Planted { name, simulate, violates, ground, seeds }
}

const fn planted_beside<B: ApplicationBug>(
    name: &'static str,
    violates: Property,
    ground: HuntPlace,
    seeds: u64,
) -> Planted {
    let simulate = |plan: &Plan, listener: Listener<'_>| {
        let elects = |entry: &&&'static AlgorithmEntry| entry.card.name == plan.lab.card.name;
        let algorithm = BUILT_IN.algorithms.iter().find(elects).expect("its lab was read with this registry");
        run_as(MachineKind::new(algorithm, Some(ApplicationEntry::of::<ApplicationMutant<B>>())), plan, listener)
    };
    Planted { name, simulate, violates, ground, seeds }
}

macro_rules! planted {
    ($plant:ident: $($room:ident::$bug:ident$(<$of:ty>)?: $property:ident, $ground:ident($lab:ident), $seeds:literal;)*) => {
        &[$($plant::<$room::$bug$(<$of>)?>(
            concat!(stringify!($room), "::", stringify!($bug), $("<", stringify!($of), ">")?),
            Property::$property,
            HuntPlace::$ground(labs::$lab),
            $seeds,
        )),*]
    };
}

/// Those of algorithms.
pub const OF_ALGORITHMS: &[Planted] = planted![planted_in:
    king_ni::OneListMore: DeadlockFreeMalicious, Liars(B2_LIARS), 20;
    king_ni::AnswerCountedTwice: Uniqueness, Script(B2_FALSE_ANSWERS), 20;
    king_ni::ListNotHandedOn: Uniqueness, Script(AGREEMENT_TWO_LISTS), 5;
    bully::HaltNotSent: Assertion2, Script(BULLY), 10;
    bully::HigherNotAsked: Assertion1, Swarm(BULLY), 100;
    bully::GoesOnWhenHalted: Assertion1, Script(BULLY_RETURNS), 20;
    invitation::ReadyNotAnswered: Assertion4, Script(INVITATION), 10;
    invitation::CounterNotRestored: GroupNumbers, Swarm(INVITATION), 100;
    invitation::ReadyOfAnyGroup: Assertion3, Script(INVITATION_LATE_READY), 60;
    king_ni::LeastElected: Largest, Swarm(B1), 10;
    king_ni::CapacityNotSent: Uniqueness, Swarm(B1), 50;
    king_ni::CallSetsNoTimer: DeadlockFree, Swarm(A), 100;
    king_ni::NobodyIsLargest: DeadlockFree, Script(C), 10;
    textbook::AsksOnce: EndState, Swarm(TEXTBOOK_BULLY), 100;
    raft::VotesForAll: ElectionSafety, Swarm(RAFT), 100;
    raft::BeatsOnce: SteadyLeader, Script(RAFT), 5;
    stoller::NeverNotNorm: Sle2, Swarm(BULLY_FD_RETURNS), 50;
    stoller::RepeatObeyed: Sle1, Script(BULLY_FD_REPEATS), 10;
    stoller::PlaysDeadForEver: Ale2Prime, Script(ASYNC_RETURNS), 10;
    stoller::PlaysDeadForEver: Ale2, Script(ASYNC_RETURNS), 10;
    stoller::NamesItself: Ale1, Script(ASYNC_RETURNS), 10;
];

/// Those of applications.
pub const OF_APPLICATIONS: &[Planted] = planted![planted_beside:
    application::CountsOneNumberMore: Work, Script(SHARDS), 5;
    application::CellsNotRead<shards::Shards>: Work, Swarm(SHARDS), 50;
    application::ReportsNothing: History, Script(HISTORY), 5;
    application::CellsNotRead<history::History>: History, Script(HISTORY), 5;
    application::NoIsYes: Majority, Script(UPDATES_LOST_ABORT), 10;
    application::CellsNotRead<updates::Updates>: AtomicCommit, Swarm(UPDATES), 50;
    application::RequestNotSent: Progress, Script(UPDATES_ORDERED), 5;
    application::RefusesTheHigher: Fencing, Swarm(FENCING), 50;
    application::CellsNotRead<fencing::Fencing>: Fencing, Script(FENCING_PAUSE), 10;
    application::ShortestWaitFirst: Fairness, Script(EXCLUSION), 10;
    application::InsideDoesNotStand: MutualExclusion, Script(EXCLUSION_ELECTED), 10;
    application::NeverLeaves: Progress, Script(EXCLUSION), 10;
    application::CountsOnePrimeMore: Service, Script(SERVICE), 5;
    application::AnswersNotAwaited: Progress, Script(SERVICE_ASKED), 5;
    application::CellsNotRead<token::PathCompression>: MutualExclusion, Script(TOKEN_FIRST), 10;
    application::NextOverwritten: Fairness, Swarm(TOKEN), 10;
    application::HoldsOneMore: Majority, Script(COPIES), 10;
    application::CellsNotRead<copies::CounterCopies>: Majority, Script(COPIES), 10;
    application::VotesAreYes: Majority, Script(JOINING_REFUSED), 10;
    application::SaysYesToAll: Majority, Script(JOINING_UNTOLD), 20;
];

/// All of them.
pub fn planted() -> impl Iterator<Item = &'static Planted> {
    OF_ALGORITHMS.iter().chain(OF_APPLICATIONS)
}
