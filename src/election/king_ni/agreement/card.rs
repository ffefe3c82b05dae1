//! What the algorithm of section 5.3 says of itself: its Card, and Table 3 with an agreement in place of its coll2, in
//! our words.
//!
//! Invariant: lines 1 to 11 are the transitions of Table 3; from 100 what is said of numbers and returns, from 200 the
//! watch over the master, from 300 the paper's function `el`, from 400 the agreement.

use super::super::table::{TableMachine, listing};
use super::super::{CANDIDATES, line, watch};
use super::Algorithm53;
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, CoordinatorNumbers, Formula, KeyUse, Lie, Line, Property, SettingCard,
    SettingKind, Settings, Span, TBounds, Timing,
};

/// The words of the rounds: there are t+1 of them, and t is at most n-2.
pub(super) const ROUNDS: &[&str] = &[
    "round1", "round2", "round3", "round4", "round5", "round6", "round7", "round8", "round9", "round10", "round11",
    "round12", "round13", "round14", "round15",
];

const WORDS: &[&str] = &[
    "normal", "coll1", "round1", "round2", "round3", "round4", "round5", "round6", "round7", "round8", "round9",
    "round10", "round11", "round12", "round13", "round14", "round15", "stop",
];

/// How many lost answers make a master gone: every message arrives, so one is enough.
pub const LOST_ANSWERS: u32 = 1;

/// What stands beside the table.
const BESIDE: &[Line] = &[
    line(101, "numbers", "init of the next election, in mid-election or less than 2T after its end: kept"),
    line(102, "numbers", "2T after its own end, and an init is kept: as 2 or 3"),
    line(103, "numbers", "a message of an election that is neither this one nor the next: dropped"),
    line(104, "numbers", "T after an init was kept: it is too old, and starts nobody; it is forgotten"),
    line(105, "return", "starts, has stood aside, is in doubt, or too few lists were agreed on: broadcast ask; 2T"),
    line(106, "return", "init, while it asks after its start: it takes no part, that number is taken; asks again"),
    line(
        109,
        "return",
        "t+1 say that an election is under way in which it takes no part, or, 2T after its ask, no t+1 agree and an init of \
         such an election has come: stand aside for (2t+6)T",
    ),
    line(
        110,
        "return",
        "t+1 name one master of one election (in stop: of a higher one, or if no t+1 name its own): ms=j; to stop",
    ),
    line(
        111,
        "return",
        "2T after its ask, t+1 say that there is no master since one election (in stop: a higher one): that was the last, \
         unless a higher number is spent; if somebody wanted a later one: as 114",
    ),
    line(
        112,
        "return",
        "2T after its ask, no t+1 say the same, or after too few lists one says under way: ask again (an order waits, \
         while one says under way)",
    ),
    line(
        113,
        "return",
        "claim in normal, or in stop of another master, or init of a later election than the next, or in normal call of who has \
         spent such a number: ask",
    ),
    line(
        114,
        "return",
        "2T after that, and no t+1 name one master: begin an election after the claimed one and one's own, if a call \
         or a claim has come",
    ),
    line(
        115,
        "numbers",
        "begins while it asks or stands aside, or less than 2T after its own end: wait for the end of that",
    ),
    line(116, "return", "ask: answer with the election, whether it is under way, and ms from stop"),
    line(118, "return", "as master, query of a follower that is after another election: claim"),
    line(
        119,
        "return",
        "2T after its ask for too few lists, n-t are there and none of them says under way: begin an election above the \
         highest number that any of them names",
    ),
    line(
        121,
        "return",
        "the same, but t+1 say that there is no master since an election below its own number: broadcast call; ask again",
    ),
    line(120, "return", "2T after its ask for too few lists, fewer than n-t are there: help"),
    watch::ASKS,
    watch::ANSWERS,
    watch::HEARS,
    watch::MISSES,
    watch::GIVES_UP,
    line(205, "watch", "stop, as master: broadcast elected"),
    line(206, "watch", "stop, elected from ms: watch it"),
    line(207, "watch", "stop, 2T without elected from ms: ask; unless t+1 are still in that election, begin one"),
    watch::CLAIMS,
    line(210, "watch", "stop, claim of another master after the same election: begin the next one"),
    watch::COUNTERS,
    line(302, "el(Y')", "3.1: the first candidate, by id, whose own list is in Y' decides: ms=max of that list"),
    line(303, "el(Y')", "3.1, otherwise: the first list of Y' with a candidate decides: ms=max of that list"),
    line(401, "agreement", "starts by an init: broadcast that init too, so that all start within T"),
    line(402, "agreement", "vect,Sj of the next election: kept, as 8 keeps it, and handed on at the start"),
    line(404, "agreement", "the list has k <= t signatures: sign it; broadcast vect,Sj with k+1"),
    line(405, "agreement", "vect with k signatures after the end of round k: refused"),
    line(406, "agreement", "vect that is no list, or not first signed by its owner, or twice by one: refused"),
    line(407, "agreement", "vect with a signature that is not its signer's: refused"),
    line(408, "agreement", "vect, and that list or two others of its owner are in Y: dropped"),
    line(410, "agreement", "part of a vect: kept; when all parts are there, as the vect"),
    line(412, "agreement", "init that its process has not signed: refused"),
    line(413, "agreement", "another init of the same j, or one after coll1: dropped"),
    line(414, "agreement", "a word that its sender has not signed: refused"),
];

const LINES: usize = Algorithm53::PAPER.len() + Algorithm53::MENDS.len() + BESIDE.len();

const PROMISES: &[Property] = &[Property::Uniqueness, Property::Largest, Property::DeadlockFreeMalicious];

/// The last process starts T after the first, and collects for 2T; there are t+1 rounds of 2T.
fn election_bound(timing: &Timing, settings: &Settings) -> Span {
    timing.t * (2 * settings.number("t") + 5)
}

pub(super) const CARD: Card = Card {
    name: "king-ni-5-3",
    title: "King/Ni 5.3",
    paper: "King, Gendreau, Ni 1988, section 5.3, with Table 3",
    wire: 18,
    listing: &listing::<Algorithm53, LINES>(BESIDE, &[]),
    messages: &["init", "vect", "part", "elected", "ask", "underway", "ended", "call", "query", "answer", "claim"],
    words: WORDS,
    t_bounds: TBounds::Broadcast,
    keys: KeyUse::Signs,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList, Lie::Bar, Lie::Collude],
    numbers: CoordinatorNumbers::Differ(
        "Each election has the number after the last one, but a process that was alone in elections of which nobody \
         heard follows the master of a lower one.",
    ),
    // Up to t processes may do what they like, but sign for nobody else: what comes from nowhere is signed by nobody.
    needs: &[
        Assumption::NothingGarbled,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
        Assumption::RecoveryOutlasts,
        Assumption::FaultyAtMostT,
    ],
    promises: PROMISES,
    // Which election was the last is what t+1 say alike. With t of n/2 or more, two sets of n-t may each elect one, and who
    // has missed that may never find t+1 that could tell it.
    withholds: |settings, nodes| if 2 * settings.number("t") >= u64::from(nodes) { PROMISES } else { &[] },
    time_bound: Formula {
        text: "T + 2T + (t+1)*2T = (2t+5)T (starts spread over T, the capacities, t+1 rounds of agreement)",
        value: |timing, _, settings| election_bound(timing, settings),
    },
    quiet_bound: Formula {
        text: "4 check + 4*((2t+5)T + 2T) + 6T (claims, four elections of which three fail, one of them opened by an \
               old message, the rest after each, three questions)",
        value: |timing, _, settings| {
            timing.check * 4 + (election_bound(timing, settings) + timing.t * 2) * 4 + timing.t * 6
        },
    },
    message_bound: "one election, or failover: c + b + n*n + n + 1 broadcasts (c candidates, b others that begin it, n \
                    inits and n lists, each list handed on once by each other if t > 0, twice if its owner signs two, and the \
                    master's word); an init in a list takes 66 bytes or a few more, a signature 65, and what has more than \
                    13 of both goes out in parts",
    nodes_max: 16,
    settings: &[
        SettingCard {
            name: "t",
            kind: SettingKind::Number { default: 1, most: |nodes| u64::from(nodes.saturating_sub(2)) },
            about: "The number of processes that may be faulty: there are t+1 rounds, and n-t lists must be agreed on. \
                    Signatures bear any t < n; with n-1 one process alone is correct, and there is nobody to agree \
                    with. If t is n/2 or more, nothing is promised: which election was the last is what t+1 say alike.",
        },
        CANDIDATES,
        CRITERION,
        CAPACITIES,
    ],
    ..super::super::CARD
};
