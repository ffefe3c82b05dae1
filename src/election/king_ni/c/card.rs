//! What Algorithm C says of itself, its Card, and what it sends (section 6, Tables 4a and 4b).
//!
//! Invariants:
//! - Lines 1 to 22 are the paper's transitions; from 100 the mends (a line's last digit is that of its hole's number in
//!   the lab's notes on the paper; its procedure has the whole number), from 200 the watch over the master.
//! - To the letter the election number and the round are 0 and a name bears no capacity; mended, all three are filled
//!   in (mends of holes 6, 3 and 4).

use serde::{Deserialize, Serialize};

use super::super::table::{TableMachine, listing};
use super::super::{CANDIDATES, ElectionNumber, Hole, line, watch};
use super::{ASKS, AlgorithmC};
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, CoordinatorNumbers, Described, Formula, Lie, Line, Mends, NodeId,
    Property, TBounds, Timing, holes,
};

/// What stands beside the tables.
const BESIDE: &[Line] = &[
    line(123, "mend of hole 3", "elected or dup of an earlier round: dropped"),
    line(104, "mend of hole 4", "elected or dup: learn the capacity of a name whose init was missed"),
    line(106, "mend of hole 6", "a final phase, or normal: a higher election number: a fresh machine in normal"),
    line(116, "mend of hole 6", "in mid-election: a higher election number: kept until this election has ended"),
    line(126, "mend of hole 6", "this election has ended: what was kept is taken up"),
    line(136, "mend of hole 6", "a lower election number: dropped"),
    line(146, "mend of hole 6", "begins in a final phase: a fresh machine with a higher election number than any seen"),
    line(156, "mend of hole 6", "normal, help: a lower election number: broadcast ask, with the higher one"),
];

const LINES: usize = AlgorithmC::PAPER.len() + AlgorithmC::MENDS.len() + BESIDE.len() + watch::LINES.len();

/// How many lost answers in a row make a master gone: the broadcast is unreliable, so one or two say little.
pub const LOST_ANSWERS: u32 = 3;

/// Starts spread over T, the inits take 2T, and each announcement 3T: with three of them that is 12T. The paper's
/// headline, at most three rounds, or 9T, while fewer than three broadcasts of ten are lost, is the inits and two
/// announcements.
fn election_bound(timing: &Timing) -> protocol::Span {
    timing.t * (1 + 2 + 3 * 3)
}

holes! {
    ElectedInColl1 = "2", "An announcement that comes in coll1 is lost.", "Table 4a, which has no row for it", [7, 8], Lab("king-ni-c-hole-2");
    NextRoundInWait3 = "3", "A process in wait3 does not hear the next round.", "Table 4b, which has no row for it", [22], Lab("king-ni-c-hole-3");
    RoundsMixed with NextRoundInWait3 = "12", "A process in coll3 mistakes the next round for this one.", "Table 4a, transition 12", [12], Lab("king-ni-c-hole-12");
    DeafFinal with NextRoundInWait3 = "13", "A process in master, stop or help ignores another master.", "Tables 4a and 4b, which have no row for \
        it", [11, 18, 21], Lab("king-ni-c-hole-13");
    NamesWithoutCapacities = "4", "Messages carry names without capacities; a process that missed an init cannot rank its sender.", "Tables 4a and 4b, elected and dup", [9, 10, 12, 13], Lab("king-ni-c-hole-4");
    NoSecondElection = "6", "There is no second election: a process in master, stop or help ignores it.", "Tables 4a and 4b, which \
        have no row for these", [11, 18, 21], Lab("king-ni-c-hole-6");
    MissedOutcome with NoSecondElection = "5", "A process that was down through an election never learns its outcome.", "Table 4a, outside the \
        paper's faults", [], Test("hole_5_left_in_a_process_asks_nothing");
    HelpAtOnce with NoSecondElection = "15", "One lost datagram, or the death of the best candidate, leaves every process in help.", "Table 4b, \
        transition 18", [18], Lab("king-ni-c-hole-15");
    OnlyCandidatesBegin = "7", "Only a candidate can begin, and a non-candidate that finds the master silent cannot.", "Table 4a, \
        transition 1", [1], Lab("king-ni-c-hole-7");
    LateCandidate = "14", "Nobody tells a late candidate that another has announced itself.", "Table 4a, which has no row for \
        it", [6], Lab("king-ni-c-hole-14");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-c",
    title: "King/Ni C",
    paper: "King, Gendreau, Ni 1988, section 6, Tables 4a and 4b",
    wire: 17,
    listing: &listing::<AlgorithmC, LINES>(BESIDE, &watch::LINES),
    messages: &["init", "elected", "dup", "query", "answer", "claim", "ask"],
    words: &["normal", "coll1", "coll2", "coll3", "wait1", "wait2", "wait3", "master", "stop", "help"],
    t_bounds: TBounds::Broadcast,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList, Lie::Bar, Lie::Collude],
    numbers: CoordinatorNumbers::Differ(
        "A number names an election (the mend of hole 6), and one election may have one master after another, in its \
         rounds (the mend of hole 13).",
    ),
    needs: &[
        Assumption::AllCooperate,
        Assumption::NothingFromNowhere,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
    ],
    promises: &[Property::Uniqueness, Property::Largest, Property::DeadlockFree],
    time_bound: Formula {
        text: "T + 2T + 3*3T (starts spread over T, the inits, three announcements; the paper's headline, three \
               rounds, is 9T)",
        value: |timing, _, _| election_bound(timing),
    },
    quiet_bound: Formula {
        text: "3 check + 2T + 3*2T + 2*12T (three lost answers, three asks, two elections)",
        value: |timing, _, _| {
            let asks = timing.t * 2 * u64::from(ASKS);
            timing.check * u64::from(LOST_ANSWERS) + timing.t * 2 + asks + election_bound(timing) * 2
        },
    },
    message_bound: "one election, or failover, with nothing lost: c + b broadcasts (c candidates, b others that begin \
                    it), and a*a + n - a for each round in which a announce themselves; losses add asks and what \
                    answers them",
    settings: &[
        Mends::setting(
            HOLES,
            "Mends the holes 2 to 7 and 12 to 15 of the tables (5 lies outside the paper's faults); false runs \
                    Tables 4a and 4b to the letter.",
        ),
        CANDIDATES,
        CRITERION,
        CAPACITIES,
    ],
    ..super::super::CARD
};

/// A message of Algorithm C, or of the watch over its master.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `init,v`: the sender takes part, with this capacity.
    Init {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`.
        capacity: i64,
    },
    /// `elected`: the sender takes itself for the one with the largest capacity.
    Elected {
        /// Which election.
        election: ElectionNumber,
        /// Which round of announcements.
        round: u32,
        /// The sender's capacity, when mended.
        capacity: Option<i64>,
    },
    /// `dup k,l`: both have announced themselves.
    Dup {
        /// Which election.
        election: ElectionNumber,
        /// Which round of announcements.
        round: u32,
        /// One of them.
        k: Name,
        /// The other.
        l: Name,
    },
    /// Between a follower and its master.
    Watch(watch::Message),
    /// `ask`: the sender has heard of no master; each process that has announced itself must do so again (mends of
    /// holes 5 and 15).
    Ask {
        /// The latest election that the sender has heard of.
        election: ElectionNumber,
    },
}

/// A process that a message names.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Name {
    /// The process.
    pub node: NodeId,
    /// The capacity, when mended.
    pub capacity: Option<i64>,
}

impl From<watch::Message> for Message {
    fn from(message: watch::Message) -> Message {
        Message::Watch(message)
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Init { .. } => "init",
            Message::Elected { .. } => "elected",
            Message::Dup { .. } => "dup",
            Message::Watch(message) => message.kind(),
            Message::Ask { .. } => "ask",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Init { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Elected { election, round, capacity } => {
                let capacity = capacity.map(|capacity| ("capacity", capacity.to_string()));
                let numbers = [("election", election.to_string()), ("round", round.to_string())];
                capacity.into_iter().chain(numbers).collect()
            }
            Message::Dup { election, round, k, l } => {
                vec![("k", k.text()), ("l", l.text()), ("election", election.to_string()), ("round", round.to_string())]
            }
            Message::Watch(message) => message.fields(),
            Message::Ask { election } => vec![("election", election.to_string())],
        }
    }
}

impl Name {
    fn text(self) -> String {
        match self.capacity {
            Some(capacity) => format!("{} ({capacity})", self.node),
            None => self.node.to_string(),
        }
    }
}
