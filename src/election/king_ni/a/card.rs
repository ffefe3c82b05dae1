//! What Algorithm A says of itself, its Card, and what it sends; to the letter the election number is 0.
//!
//! Invariant: lines 1 to 5 are the paper's transitions; from 100 the mends (a line's last digit is the hole's number in
//! the lab's notes on the paper), from 200 the watch over the master.

use serde::{Deserialize, Serialize};

use super::super::table::{TableMachine, listing};
use super::super::{CANDIDATES, ElectionNumber, Hole, line, succession, watch};
use super::AlgorithmA;
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, DELTA, Described, Formula, Line, Mends, Property, holes, is_delta_all_of_t,
};

const PROMISES: &[Property] = &[Property::Uniqueness, Property::Largest, Property::DeadlockFree];

/// What stands beside the table.
const BESIDE: &[Line] = &[
    line(
        105,
        "mend of hole 5",
        "starts, or has stood aside from an election that is over, or has elected no process: broadcast ask, timer 2T",
    ),
    line(
        115,
        "mend of hole 5",
        "asking, and an election runs or, after a start, is called: stand aside for 2T; begins is ignored; a candidate \
         that hears of no master then begins one",
    ),
    line(125, "mend of hole 5", "elected of a higher election, or in start: ms=j; to stop"),
    line(135, "mend of hole 5", "ask: answer with the election number, and with ms from stop"),
    line(136, "mend of hole 6", "a lower election number: dropped"),
    line(146, "mend of hole 6", "begins in stop: a fresh machine with a higher election number than any seen"),
    line(
        156,
        "mend of hole 6",
        "begins within T of one's own stop, or while one asks: others may begin now; call an election when that is \
         over",
    ),
    line(
        166,
        "mend of hole 6",
        "T after its own stop: w under this number or a lower one: it was taken; call an election",
    ),
    line(
        176,
        "mend of hole 6",
        "the master is gone, or begins came too early: broadcast call, two above any number seen",
    ),
    line(186, "mend of hole 6", "call of a higher election: a fresh machine, which begins; so all begin at one moment"),
    line(205, "watch", "stop, as master: broadcast elected"),
    line(206, "watch", "stop, elected from ms: watch it"),
    line(207, "watch", "stop, 2T without elected from ms: the master is gone"),
];

const LINES: usize = AlgorithmA::PAPER.len() + AlgorithmA::MENDS.len() + BESIDE.len() + watch::LINES.len();

/// How many lost answers make a master gone: every message arrives, so one is enough.
pub const LOST_ANSWERS: u32 = 1;

holes! {
    NoSecondElection = "6", "There is no second election: a process in stop ignores it.", "Table 1, which has no row for stop", [3], Lab("king-ni-a-letter");
    MissedOutcome with NoSecondElection = "5", "A process that was down through an election never learns its outcome.", "Table 1, outside the paper's \
        faults", [], Test("hole_5_left_in_a_process_asks_nothing");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-a",
    title: "King/Ni A",
    paper: "King, Gendreau, Ni 1988, section 4, Table 1",
    wire: 14,
    listing: &listing::<AlgorithmA, LINES>(BESIDE, &watch::LINES),
    messages: &["capacity", "call", "elected", "ask", "underway", "ended", "query", "answer", "claim"],
    words: &["start", "wait", "stop"],
    needs: &[
        // All are correct at the beginning (condition 1.2): the first word of each counts.
        Assumption::AllCooperate,
        Assumption::NothingFromNowhere,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
        Assumption::RecoveryOutlasts,
        Assumption::StartsTogether,
    ],
    promises: PROMISES,
    // With Delta = T an answer comes just after the time-out on it.
    withholds: |settings, _| if is_delta_all_of_t(settings) { PROMISES } else { &[] },
    time_bound: Formula { text: "T (all begin at one moment)", value: |timing, _, _| timing.t },
    quiet_bound: Formula {
        text: "3 check + 2T + T + 2*T + 2T + T (three claims, an answer, the call, two elections, the master's word, \
               an initiator's rest)",
        value: |timing, _, _| timing.check * 3 + timing.t * 8,
    },
    message_bound: "one election: n + 1 broadcasts (a capacity of each process, -1 of one that is no candidate, and \
                    the master's word); a failover: at most n-1 calls besides",
    settings: &[
        Mends::setting(
            HOLES,
            "Mends the holes 5 and 6 of the tables (5 lies outside the paper's faults); false runs \
                    Table 1 to the letter.",
        ),
        CANDIDATES,
        CRITERION,
        CAPACITIES,
        DELTA,
    ],
    ..super::super::ORDERED_CARD
};

/// A message of Algorithm A.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `v`, by broadcast: the sender takes part, with this capacity; -1 for a non-candidate.
    Capacity {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`.
        capacity: i64,
    },
    /// By broadcast: all begin this election when it is delivered (mend of hole 6).
    Call {
        /// Which election.
        election: ElectionNumber,
    },
    /// What is sent around the table.
    Succession(succession::Message),
    /// Between a follower and its master.
    Watch(watch::Message),
}

impl From<succession::Message> for Message {
    fn from(message: succession::Message) -> Message {
        Message::Succession(message)
    }
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
            Message::Call { .. } => "call",
            Message::Succession(message) => message.kind(),
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Capacity { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Call { election } => vec![("election", election.to_string())],
            Message::Succession(message) => message.fields(),
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        match self {
            Message::Capacity { .. } | Message::Call { .. } => true,
            Message::Succession(message) => message.is_for_all(),
            Message::Watch(_) => false,
        }
    }
}
