//! The table of the planted bugs: where each is hunted, what it violates, and within how many seeds it must be found.
//!
//! Invariant: the table has each bug once.

use super::labs::{self, Text};
use super::{
    bully, conflicts, copies, exclusion, fencing, history, invitation, joining, king_ni, king_ni_lists,
    king_ni_ordered, king_ni_signed, raft, service, shards, stoller, textbook, token, updates,
};
use fault::{Bug, Mutant};
use protocol::{Algorithm, Deceit, MachineKind, Property};
use sim::{Listener, Plan, SimEnd, run_as};

/// A bug, and how it is hunted.
pub struct Planted {
    /// Its name: that of its type.
    pub name: &'static str,
    /// What simulates a lab with it.
    pub simulate: fn(&Plan, Listener<'_>) -> SimEnd,
    /// What it violates, with all assumptions whole that the property needs.
    pub violates: Property,
    /// Where it is hunted, in the weather that the seed draws.
    pub ground: Ground,
    /// Within how many seeds it must be found.
    pub seeds: u64,
}

/// Where a bug is hunted.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Ground {
    /// In this lab, unchanged.
    Script(Text),
    /// In what the seed makes of this lab.
    Swarm(Text),
    /// In this lab, with the liars that the seed draws.
    Liars(Text),
}

const fn planted<B: Bug<Machine: Algorithm<Message: Deceit>>>(
    name: &'static str,
    violates: Property,
    ground: Ground,
    seeds: u64,
) -> Planted {
    let simulate =
        |plan: &Plan, listener: Listener<'_>| run_as(MachineKind::that_deceives::<Mutant<B>>(), plan, listener);
    Planted { name, simulate, violates, ground, seeds }
}

macro_rules! planted {
    ($($room:ident::$bug:ident: $property:ident, $ground:ident($lab:ident), $seeds:literal;)*) => {
        &[$(planted::<$room::$bug>(
            concat!(stringify!($room), "::", stringify!($bug)),
            Property::$property,
            Ground::$ground(labs::$lab),
            $seeds,
        )),*]
    };
}

/// All of them.
pub const PLANTED: &[Planted] = planted![
    king_ni_lists::SecondRoundTooShort: DeadlockFreeMalicious, Liars(B2_LIARS), 10;
    king_ni_lists::OneListMore: DeadlockFreeMalicious, Liars(B2_LIARS), 20;
    king_ni_lists::EarlyListLost: Uniqueness, Script(B2_SHORT_LISTS), 10;
    king_ni_lists::LateInitLost: Uniqueness, Script(B2_LATE_INITS), 10;
    king_ni_lists::AnswerCountedTwice: Uniqueness, Script(B2_FALSE_ANSWERS), 20;
    king_ni_signed::LastRoundLeftOut: Uniqueness, Script(AGREEMENT_LATE), 10;
    king_ni_signed::OneSignatureLess: Uniqueness, Script(AGREEMENT_LATE), 20;
    king_ni_signed::ListNotHandedOn: Uniqueness, Script(AGREEMENT_TWO_LISTS), 5;
    king_ni_signed::FirstListStands: Uniqueness, Script(AGREEMENT_TWO_LISTS), 5;
    king_ni_signed::SignerCountedTwice: Uniqueness, Script(AGREEMENT_SIGNED_TWICE), 5;
    bully::HaltNotSent: Assertion2, Script(BULLY), 10;
    bully::TimerNotCancelled: Assertion2, Script(BULLY), 10;
    bully::HigherNotAsked: Assertion1, Swarm(BULLY), 100;
    bully::HighestNotAsked: Assertion1, Swarm(BULLY), 100;
    bully::NeverChecks: Assertion2, Swarm(BULLY), 100;
    bully::NormalToAnyone: Assertion2, Swarm(BULLY), 100;
    bully::HalterNotChecked: Assertion1, Script(BULLY_RETURNS), 20;
    bully::ReadyFromAnyone: Assertion1, Script(BULLY_RETURNS), 20;
    bully::GoesOnWhenHalted: Assertion1, Script(BULLY_RETURNS), 20;
    bully::HaltsEndEarly: Assertion1, Script(BULLY_EARLY), 200;
    bully::SilenceIsNo: Assertion2, Swarm(BULLY), 100;
    bully::SilenceIsConsent: Assertion2, Script(BULLY_SEQUENTIAL), 10;
    bully::StaleAnswerTaken: Assertion2, Swarm(BULLY), 100;
    bully::TimeoutOnlyAtWork: Assertion2, Script(BULLY_DEAD_HALTER), 10;
    invitation::ReadyNotAnswered: Assertion4, Script(INVITATION), 10;
    invitation::TimerNotCancelled: Assertion4, Script(INVITATION), 10;
    invitation::AcceptForgotten: Assertion4, Script(INVITATION), 10;
    invitation::CounterNotRestored: GroupNumbers, Swarm(INVITATION), 100;
    invitation::SavedAfterSent: GroupNumbers, Script(INVITATION_DEAD_INVITER), 20;
    invitation::ReadyOfAnyGroup: Assertion3, Script(INVITATION_LATE_READY), 60;
    king_ni::CollectsTooShort: Uniqueness, Swarm(B1), 50;
    king_ni::CapacityNotSent: Uniqueness, Swarm(B1), 50;
    king_ni::OwnCapacityIgnored: Uniqueness, Swarm(B1), 50;
    king_ni::NumberNotRaised: Uniqueness, Swarm(B1), 100;
    king_ni_ordered::OwnCapacityIgnored: Uniqueness, Swarm(A), 50;
    king_ni_ordered::CallSetsNoTimer: DeadlockFree, Swarm(A), 100;
    king_ni_ordered::OwnInitIgnored: Uniqueness, Swarm(B2), 50;
    king_ni_ordered::SecondTimerForgotten: DeadlockFreeMalicious, Swarm(B2), 50;
    king_ni::MasterSetOnce: Uniqueness, Script(C_DEAD_MASTER), 10;
    king_ni::NobodyIsLargest: DeadlockFree, Script(C), 10;
    textbook::WaitNotCancelled: EndState, Swarm(TEXTBOOK_BULLY), 50;
    textbook::AsksOnce: EndState, Swarm(TEXTBOOK_BULLY), 100;
    textbook::OwnNumberLast: EndState, Script(RING), 20;
    textbook::WaitsForEver: EndState, Swarm(RING), 100;
    raft::VoteNotKept: ElectionSafety, Swarm(RAFT), 500;
    raft::VotesForAll: ElectionSafety, Swarm(RAFT), 100;
    raft::OneVoteMore: ElectionSafety, Swarm(RAFT), 100;
    raft::BeatsOnce: SteadyLeader, Script(RAFT), 5;
    stoller::FirstDownIsEnough: Sle1, Script(BULLY_FD_THIRD), 10;
    stoller::HaltNotAcknowledged: Sle2, Script(BULLY_FD_RETURNS), 10;
    stoller::NeverNotNorm: Sle2, Swarm(BULLY_FD_RETURNS), 50;
    stoller::RepeatObeyed: Sle1, Script(BULLY_FD_REPEATS), 10;
    stoller::IncarnationNotRead: GroupNumbers, Script(ASYNC_RETURNS), 10;
    stoller::PlaysDeadForEver: Ale2Prime, Script(ASYNC_RETURNS), 10;
    shards::CountsOneNumberMore: Work, Script(SHARDS), 5;
    shards::CollectsOneMore: Work, Script(SHARDS), 5;
    shards::OneLacksTheHighest: Work, Script(SHARDS), 5;
    shards::CoordinatorNotCounted: Work, Script(SHARDS), 5;
    shards::RoundNotRaised: Work, Script(SHARDS_CRASHES), 10;
    shards::CollectedNotSaved: Work, Script(SHARDS_CRASHES), 10;
    shards::NamesDefinitionsAnew: Work, Script(SHARDS_CRASHES), 10;
    shards::CellsNotRead: Work, Swarm(SHARDS), 50;
    shards::ComputesWhenHalted: Work, Swarm(SHARDS), 50;
    shards::GivesOutWhenHalted: Work, Swarm(SHARDS), 50;
    shards::ReportsOneOff: Work, Script(SHARDS_INVITATION), 10;
    shards::CellsOverwritten: Work, Script(SHARDS_INVITATION), 10;
    shards::MajorityNotCounted: Work, Script(SHARDS_INVITATION), 10;
    history::ReportsNothing: History, Script(HISTORY), 5;
    history::ReadsTheNextNumber: History, Script(HISTORY), 5;
    history::OneLacksAParent: History, Script(HISTORY_INVITATION), 5;
    history::CellsNotRead: History, Script(HISTORY), 5;
    history::PartLacksTheHighest: History, Script(HISTORY_INVITATION), 5;
    history::StartNotKept: History, Script(HISTORY_INVITATION), 10;
    updates::SilenceIsYes: Majority, Script(UPDATES_PARTED), 10;
    updates::FirstYesIsEnough: Majority, Script(UPDATES), 10;
    updates::NoIsYes: Majority, Script(UPDATES_LOST_ABORT), 10;
    updates::PreparedNotSaved: AtomicCommit, Script(UPDATES_CRASHES), 10;
    updates::CommitNotSaved: AtomicCommit, Script(UPDATES_CRASHES), 10;
    updates::LogNotRead: AtomicCommit, Swarm(UPDATES), 50;
    updates::AbortsInDoubt: AtomicCommit, Swarm(UPDATES), 200;
    updates::CommitsInDoubt: AtomicCommit, Swarm(UPDATES), 200;
    updates::DoubtNotReported: AtomicCommit, Script(UPDATES_CRASHES), 10;
    updates::AcknowledgesAtOnce: AtomicCommit, Script(UPDATES), 5;
    updates::NamesTransactionsAnew: AtomicCommit, Swarm(UPDATES), 200;
    updates::AddsOneMore: AtomicCommit, Script(UPDATES_INVITATION), 5;
    updates::TellsBeforeDeciding: AtomicCommit, Script(UPDATES_INVITATION), 20;
    updates::RequestNotSent: Progress, Script(UPDATES_ORDERED), 5;
    conflicts::FirstBuildsOnNothing: AtomicCommit, Script(UPDATES_CONFLICTS), 5;
    conflicts::LackingNotSaved: AtomicCommit, Script(UPDATES_CONFLICTS), 5;
    conflicts::ListsOneLess: AtomicCommit, Script(UPDATES_CONFLICTS), 5;
    fencing::RefusesTheHigher: Fencing, Swarm(FENCING), 50;
    fencing::ComparesIdsFirst: Fencing, Swarm(FENCING), 50;
    fencing::FirstNumberForEver: Fencing, Script(FENCING), 5;
    fencing::HighestNotRestored: Fencing, Script(FENCING_PAUSE), 10;
    fencing::RefusedIsTaken: Fencing, Swarm(FENCING), 300;
    fencing::WritesWhenHalted: Fencing, Script(FENCING_OFF), 10;
    exclusion::ShortestWaitFirst: Fairness, Script(EXCLUSION), 10;
    exclusion::CriterionIgnored: Fairness, Script(EXCLUSION), 10;
    exclusion::InsideDoesNotStand: MutualExclusion, Script(EXCLUSION_ELECTED), 10;
    exclusion::LeavesAtTheMastersWord: MutualExclusion, Script(EXCLUSION), 10;
    exclusion::NeverLeaves: Progress, Script(EXCLUSION), 10;
    exclusion::WantsIgnored: Progress, Script(EXCLUSION_ASKED), 10;
    service::CountsOnePrimeMore: Service, Script(SERVICE), 5;
    service::ServerNotRead: Service, Script(SERVICE_PARTED), 10;
    service::SumToldForThePart: Service, Script(SERVICE), 5;
    service::LastAccountTaken: Service, Script(SERVICE_JOBS), 10;
    service::AnswersNotAwaited: Progress, Script(SERVICE_ASKED), 5;
    token::CellsNotRead: MutualExclusion, Script(TOKEN_FIRST), 10;
    token::HandOverNotSaved: MutualExclusion, Script(TOKEN_HANDED), 10;
    token::HandsOnWhileInside: MutualExclusion, Swarm(TOKEN), 10;
    token::TokenTakenAgain: MutualExclusion, Script(TOKEN_TWICE), 10;
    token::NextOverwritten: Fairness, Swarm(TOKEN), 10;
    copies::CountsHeads: Majority, Script(COPIES_PARTED), 10;
    copies::LargestIsEnough: Majority, Script(COPIES), 10;
    copies::GoesOnFromItsOwn: Majority, Script(COPIES_PARTED), 10;
    copies::HeldNotSaved: Majority, Script(COPIES), 10;
    copies::CellsNotRead: Majority, Script(COPIES), 10;
    copies::AnswerIsWritten: Majority, Script(COPIES), 10;
    copies::HoldsOneMore: Majority, Script(COPIES), 10;
    joining::NoIsYes: Majority, Script(JOINING_REFUSED), 10;
    joining::FirstYesIsEnough: Majority, Script(JOINING_REFUSED), 10;
    joining::IgnoresTheirMembers: Majority, Script(JOINING), 10;
    joining::SaysYesToAll: Majority, Script(JOINING_UNTOLD), 20;
];
