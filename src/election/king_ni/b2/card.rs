//! What Algorithm B.2 says of itself, its Card, and what it sends; to the letter the election number is 0.
//!
//! Invariant: lines 1 to 11 are the paper's transitions; from 100 the mends (a line's last digits are the hole's number
//! in the lab's notes on the paper), from 200 the watch over the master, from 300 the paper's function `el`.

use serde::{Deserialize, Serialize};

use super::super::table::{TableMachine, listing};
use super::super::{CANDIDATES, ElectionNumber, Hole, line, succession, watch};
use super::{AlgorithmB2, List};
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, DELTA, Described, Formula, Lie, Line, Mends, Property, SettingCard,
    SettingKind, Span, Timing, holes, is_delta_all_of_t,
};

const PROMISES: &[Property] = &[Property::Uniqueness, Property::Largest, Property::DeadlockFreeMalicious];

/// What stands beside the table.
const BESIDE: &[Line] = &[
    line(
        105,
        "mend of hole 5",
        "starts, has stood aside, or had too few lists: broadcast ask; for 2T, begin no election; after a start, \
         take no part either",
    ),
    line(
        115,
        "mend of hole 5",
        "t+1 are in an election in which it takes no part: stand aside for 6T; begins is ignored; a candidate that hears \
         of no master then begins one",
    ),
    line(125, "mend of hole 5", "asking, and t+1 processes name the same master of the same election: ms=j; to stop"),
    line(
        145,
        "mend of hole 5",
        "2T after its ask, and no t+1 say the same: ask again (an order waits, while one says under way); under way and ended count together for a number taken",
    ),
    line(
        155,
        "mend of hole 5",
        "in normal, claim of a master, but fewer than t+1 have said the same: begin an election above it",
    ),
    line(135, "mend of hole 5", "ask: answer with the election number, and with ms from stop"),
    line(
        106,
        "mend of hole 6",
        "stop, normal, or nothing of its own election has come yet: first init above all that came: a fresh machine",
    ),
    line(116, "mend of hole 6", "in mid-election: first init of a higher election: a fresh machine in normal, at once"),
    line(136, "mend of hole 6", "a lower election number: dropped"),
    line(146, "mend of hole 6", "begins in stop: a fresh machine with a higher election number than any seen"),
    line(156, "mend of hole 6", "begins within T of one's own stop, or while one asks: wait for the end of it"),
    line(
        166,
        "mend of hole 6",
        "in normal, or T after its own stop: init under this number or a lower one: it was taken; begin an election",
    ),
    line(
        176,
        "mend of hole 6",
        "in mid-election or within T of one's own stop: init of a higher election by a process that has led out of \
         one since the last end: kept until this election is over",
    ),
    line(186, "mend of hole 6", "T after its own stop: the highest election that was kept, with all that came of it"),
    line(
        109,
        "mend of hole 9",
        "el(Y) walks the longest list of Y', not the own S; only candidates, and a list with none of them decides \
         nothing",
    ),
    line(205, "watch", "stop, as master: broadcast elected"),
    line(206, "watch", "stop, elected from ms: watch it"),
    line(207, "watch", "stop, 2T without elected from ms: the master is gone; mended, begin an election"),
    line(301, "el(Y)", "2.1: Y' = the first n-t lists of Y; there are fewer: el(Y) is not defined"),
    line(302, "el(Y)", "3.1: the first in S whose own list is in Y' decides: ms=max of that list"),
    line(303, "el(Y)", "3.1, otherwise: the first list of Y' decides: ms=max of that list"),
];

const LINES: usize = AlgorithmB2::PAPER.len() + AlgorithmB2::MENDS.len() + BESIDE.len() + watch::LINES.len();

/// How many lost answers make a master gone: every message arrives, so one is enough.
pub const LOST_ANSWERS: u32 = 1;

/// The last process starts T after the first, and collects for 2T, twice.
fn election_bound(timing: &Timing) -> Span {
    timing.t * 5
}

holes! {
    VectInColl1 = "1", "A list that comes in coll1 is lost, and too few are left.", "Table 3, which has no row for it", [8], Lab("king-ni-b2-hole-1");
    VectBeforeInit = "8", "With 1 mended, processes log lists from different moments on, and the lists differ by one place.", "Table 3, transition 8", [8], Lab("king-ni-b2-hole-8");
    NoSecondElection = "6", "There is no second election: a process in stop ignores it.", "Table 3, which has no row for stop", [9], Test("hole_6_nothing_begins_in_stop_unless_mended");
    MissedOutcome with NoSecondElection = "5", "A process that was down through an election never learns its outcome.", "Table 3, outside the paper's \
        faults", [], Lab("king-ni-b2-letter");
    OnlyCandidatesBegin = "7", "Only a candidate can begin, and a non-candidate that finds the master silent cannot.", "Table 3, \
        transition 1", [1], Test("hole_7_only_a_candidate_begins_unless_mended");
    OwnListWalked = "9", "Each process uses its own list of candidates, and late inits make these lists differ.", "Table 3, \
        el(Y)", [302], Lab("king-ni-b2-hole-9");
    InitInColl2 = "10", "A process that has stopped logging inits cannot interpret a length.", "Table 3, which logs none in \
        coll2", [5], Lab("king-ni-b2-hole-10");
    SaidTwice = "11", "A malicious process sends many lists, or an empty one, and all of them count.", "Table 3, \
        transitions 5 and 8", [5, 8], Lab("king-ni-b2-hole-11");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-b2",
    title: "King/Ni B.2",
    paper: "King, Gendreau, Ni 1988, section 5.2, Table 3",
    wire: 16,
    listing: &listing::<AlgorithmB2, LINES>(BESIDE, &watch::LINES),
    messages: &["init", "vect", "elected", "ask", "underway", "ended", "query", "answer", "claim"],
    words: &["normal", "coll1", "coll2", "stop"],
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList, Lie::Bar, Lie::Collude],
    // Up to t processes may do what they like: not all need to cooperate, nor to halt when they fail.
    needs: &[
        Assumption::NothingFromNowhere,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
        Assumption::RecoveryOutlasts,
        Assumption::FaultyAtMostT,
    ],
    promises: PROMISES,
    // With Delta = T an answer comes just after the time-out on it.
    withholds: |settings, _| if is_delta_all_of_t(settings) { PROMISES } else { &[] },
    time_bound: Formula {
        text: "T + 2T + 2T (starts spread over T, the capacities, the lists)",
        value: |timing, _, _| election_bound(timing),
    },
    quiet_bound: Formula {
        text: "3 check + 2T + 2*5T + 2T + T (three claims, an answer, two elections, the master's word, an \
               initiator's rest); 4 check if n < 2t+2, when there may be no t+1 to agree, and the next claim makes a \
               process begin",
        value: |timing, nodes, settings| {
            let claims = if u64::from(nodes) < settings.number("t") * 2 + 2 { 4 } else { 3 };
            timing.check * claims + timing.t * 5 + election_bound(timing) * 2
        },
    },
    message_bound: "one election, or failover: c + b + n + 1 broadcasts (c candidates, b others that begin it, n \
                    lists, and the master's word)",
    settings: &[
        Mends::setting(
            HOLES,
            "Mends the holes 1 and 5 to 11 of the tables (5 lies outside the paper's faults); false runs \
                    Table 3 to the letter.",
        ),
        SettingCard {
            name: "t",
            kind: SettingKind::Number { default: 1, most: |nodes| u64::from(nodes.saturating_sub(1)) },
            about: "The number of processes that may be faulty; the first n-t lists decide. A liar may lead the others out \
                    of one election into the next: once, until they come to an end; so t liars put an end off by \
                    t times 5T.",
        },
        SettingCard {
            name: "lists",
            kind: SettingKind::Word(&["full", "lengths"]),
            about: "Whether the messages carry the lists, or only their lengths.",
        },
        CANDIDATES,
        CRITERION,
        CAPACITIES,
        DELTA,
    ],
    ..super::super::ORDERED_CARD
};

/// A message of Algorithm B.2.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `init,v`, by broadcast: the sender takes part, with this capacity.
    Init {
        /// Which election.
        election: ElectionNumber,
        /// The sender's capacity `v`; -1 for a non-candidate that begins.
        capacity: i64,
    },
    /// `vect,S`, by broadcast: the inits that the sender has collected.
    Vect {
        /// Which election.
        election: ElectionNumber,
        /// `S`, or its length.
        list: List,
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
            Message::Init { .. } => "init",
            Message::Vect { .. } => "vect",
            Message::Succession(message) => message.kind(),
            Message::Watch(message) => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Init { election, capacity } => {
                vec![("capacity", capacity.to_string()), ("election", election.to_string())]
            }
            Message::Vect { election, list } => {
                vec![("list", list.to_string()), ("election", election.to_string())]
            }
            Message::Succession(message) => message.fields(),
            Message::Watch(message) => message.fields(),
        }
    }

    fn is_for_all(&self) -> bool {
        match self {
            Message::Init { .. } | Message::Vect { .. } => true,
            Message::Succession(message) => message.is_for_all(),
            Message::Watch(_) => false,
        }
    }
}
