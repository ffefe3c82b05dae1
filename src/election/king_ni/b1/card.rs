//! What Algorithm B.1 says of itself, its Card, and what it sends; to the letter the election number is 0.
//!
//! Invariant: lines 1 to 7 are the paper's transitions; from 100 the mends (a line's last digit is the hole's number in
//! the lab's notes on the paper), from 200 the watch over the master.

use serde::{Deserialize, Serialize};

use super::super::table::{TableMachine, listing};
use super::super::{CANDIDATES, ElectionNumber, Hole, line, watch};
use super::AlgorithmB1;
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, DELTA, Described, Formula, Line, Mends, NodeId, Property, Span, Timing,
    holes, is_delta_all_of_t,
};

const PROMISES: &[Property] = &[Property::Uniqueness, Property::Largest, Property::DeadlockFree];

/// What stands beside the table.
const BESIDE: &[Line] = &[
    line(105, "mend of hole 5", "starts: broadcast ask; for 2T, take part in no election and begin none"),
    line(
        115,
        "mend of hole 5",
        "started just now: an election is under way: stand aside for 3T; a candidate that has heard of no master by then \
         begins",
    ),
    line(125, "mend of hole 5", "elected of a higher election, or from normal of this one: ms=j; to stop"),
    line(135, "mend of hole 5", "ask: answer with the election number, and with ms from stop"),
    line(106, "mend of hole 6", "stop, or normal: a higher election number: a fresh machine in normal"),
    line(116, "mend of hole 6", "in mid-election: a higher election number: a fresh machine in normal, at once"),
    line(136, "mend of hole 6", "a lower election number: dropped"),
    line(146, "mend of hole 6", "begins in stop: a fresh machine with a higher election number than any seen"),
    line(156, "mend of hole 6", "begins within T of one's own stop, or while one asks: wait for the end of it"),
    line(
        166,
        "mend of hole 6",
        "T after its own stop: w under this number or a lower one, or a candidate in normal: w under a lower one: it was \
         taken; begin an election",
    ),
    line(205, "watch", "stop, as master: broadcast elected"),
    line(206, "watch", "stop, elected from ms: watch it"),
    line(207, "watch", "stop, 2T without elected from ms: the master is gone; mended, begin an election"),
];

const LINES: usize = AlgorithmB1::PAPER.len() + AlgorithmB1::MENDS.len() + BESIDE.len() + watch::LINES.len();

/// How many lost answers make a master gone: every message arrives, so one is enough.
pub const LOST_ANSWERS: u32 = 1;

/// The last process starts T after the first, and collects for 2T.
fn election_bound(timing: &Timing) -> Span {
    timing.t * 3
}

holes! {
    NoSecondElection = "6", "There is no second election: a process in stop ignores it.", "Table 2, which has no row for stop", [6], Lab("king-ni-b1-hole-6");
    MissedOutcome with NoSecondElection = "5", "A process that was down through an election never learns its outcome.", "Table 2, outside the paper's \
        faults", [], Test("hole_5_left_in_a_process_asks_nothing");
    OnlyCandidatesBegin = "7", "Only a candidate can begin, and a non-candidate that finds the master silent cannot.", "Table 2, \
        transition 1", [1], Lab("king-ni-b1-hole-7");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-b1",
    title: "King/Ni B.1",
    paper: "King, Gendreau, Ni 1988, section 5.1, Table 2",
    wire: 15,
    listing: &listing::<AlgorithmB1, LINES>(BESIDE, &watch::LINES),
    messages: &["capacity", "elected", "ask", "underway", "ended", "query", "answer", "claim"],
    words: &["normal", "collect", "stop"],
    // A value that is garbled on its way to some looks as if the malicious had sent it: that is B.2's matter.
    needs: &[
        Assumption::AllCooperate,
        Assumption::NothingFromNowhere,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
        Assumption::RecoveryOutlasts,
    ],
    promises: PROMISES,
    // With Delta = T an answer comes just after the time-out on it.
    withholds: |settings, _| if is_delta_all_of_t(settings) { PROMISES } else { &[] },
    time_bound: Formula {
        text: "T + 2T (starts spread over T, the capacities)",
        value: |timing, _, _| election_bound(timing),
    },
    quiet_bound: Formula {
        text: "3 check + 2T + 2*3T + 2T + T (three claims, an answer, two elections, the master's word, an \
               initiator's rest)",
        value: |timing, _, _| timing.check * 3 + timing.t * 5 + election_bound(timing) * 2,
    },
    message_bound: "one election, or failover: c + b + 1 broadcasts (c candidates, b others that begin it, and the \
                    master's word)",
    settings: &[
        Mends::setting(
            HOLES,
            "Mends the holes 5, 6 and 7 of the tables (5 lies outside the paper's faults); false runs \
                    Table 2 to the letter.",
        ),
        CANDIDATES,
        CRITERION,
        CAPACITIES,
        DELTA,
    ],
    ..super::super::ORDERED_CARD
};

/// A message of Algorithm B.1.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `v`, by broadcast: the sender takes part, with this capacity.
    Capacity {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`; -1 for a non-candidate that begins.
        capacity: i64,
    },
    /// By broadcast: the sender has stopped as master.
    Elected {
        /// Which election.
        election: ElectionNumber,
    },
    /// `ask`, by broadcast: the sender has just started, and has missed what came before (mend of hole 5).
    Ask {
        /// The highest election number that it has saved.
        election: ElectionNumber,
    },
    /// The answer of a process in mid-election.
    UnderWay {
        /// Which election.
        election: ElectionNumber,
    },
    /// The answer of a process that is not in mid-election.
    Ended {
        /// The highest election number that it has seen.
        election: ElectionNumber,
        /// The master, if it has one.
        master: Option<NodeId>,
    },
    /// Between a follower and its master.
    Watch(watch::Message),
}

impl From<watch::Message> for Message {
    fn from(message: watch::Message) -> Message {
        Message::Watch(message)
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Capacity { .. } => "capacity",
            Message::Elected { .. } => "elected",
            Message::Ask { .. } => "ask",
            Message::UnderWay { .. } => "underway",
            Message::Ended { .. } => "ended",
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Capacity { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Elected { election } | Message::Ask { election } | Message::UnderWay { election } => {
                vec![("election", election.to_string())]
            }
            Message::Ended { election, master } => {
                let master = master.map(|master| ("master", master.to_string()));
                master.into_iter().chain([("election", election.to_string())]).collect()
            }
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        matches!(self, Message::Capacity { .. } | Message::Elected { .. } | Message::Ask { .. })
    }
}
