//! What Algorithm B.1 says of itself: its Card, and Table 2 in our words.
//!
//! Invariant: lines 1 to 7 are the paper's transitions; from 100 the mends (a line's last digit is the hole's number in
//! the lab's notes on the paper), from 200 the watch over the master.

use super::super::{CANDIDATES, Hole, line, watch};
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, Channel, CoordinatorNumbers, DELTA, Delivery, Formula, Groups, KeyUse,
    Lie, Line, ListingForm, Mends, ORDERED_NODES_MAX, Order, Property, Rank, Span, TBounds, Timing, holes,
    is_delta_all_of_t,
};

const PROMISES: &[Property] = &[Property::Uniqueness, Property::Largest, Property::DeadlockFree];

const LISTING: &[Line] = &[
    line(1, "normal", "begins, a candidate: S={(i,v)}; broadcast v; timer 2T; to collect"),
    line(2, "normal", "w from j, a candidate: S={(i,v),(j,w)}; broadcast v; timer 2T; to collect"),
    line(3, "normal", "w from j, not a candidate: S={(j,w)}; timer 2T; to collect"),
    Line::of_killed(4, "normal", "fault (the process is killed): to fail, which is final"),
    line(5, "collect", "w from j: S+=(j,w)"),
    line(6, "collect", "time-out: ms=max(S); to stop, which is final"),
    Line::of_killed(7, "collect", "fault (the process is killed): to fail, which is final"),
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
    line(107, "mend of hole 7", "begins, not a candidate: S={}; broadcast -1; timer 2T; to collect"),
    line(117, "mend of hole 7", "time-out of collect, nobody in S is a candidate: nobody is elected; to normal"),
    watch::ASKS,
    watch::ANSWERS,
    watch::HEARS,
    watch::MISSES,
    watch::GIVES_UP,
    watch::CLAIMS,
    watch::MEETS,
    watch::COUNTERS,
    line(205, "watch", "stop, as master: broadcast elected"),
    line(206, "watch", "stop, elected from ms: watch it"),
    line(207, "watch", "stop, 2T without elected from ms: the master is gone; mended, begin an election"),
];

/// How many lost answers make a master gone: every message arrives, so one is enough.
pub const LOST_ANSWERS: u32 = 1;

/// The last process starts T after the first, and collects for 2T.
fn election_bound(timing: &Timing) -> Span {
    timing.t * 3
}

holes! {
    H6 = "6", "There is no second election: a process in stop ignores it.", "Table 2, which has no row for stop", [6], Lab("king-ni-b1-hole-6");
    H6 = "5", "A process that was down through an election never learns its outcome.", "Table 2, outside the paper's \
        faults", [], Test("hole_5_left_in_a_process_asks_nothing");
    H7 = "7", "Only a candidate can begin, and a non-candidate that finds the master silent cannot.", "Table 2, \
        transition 1", [1], Lab("king-ni-b1-hole-7");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-b1",
    title: "King/Ni B.1",
    paper: "King, Gendreau, Ni 1988, section 5.1, Table 2",
    listing_form: ListingForm::Table,
    wire: 15,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    listing: LISTING,
    messages: &["capacity", "elected", "ask", "underway", "ended", "query", "answer", "claim"],
    hands_in: &[],
    hands_out: &[],
    periodic: &["query", "answer", "claim"],
    plays_dead: None,
    words: &["normal", "collect", "stop"],
    t_bounds: TBounds::OrderedBroadcast,
    channel: Channel::Multicast,
    delivery: Delivery::OrderedBroadcast,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::Bar, Lie::Collude],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::Rise(
        "Who begins an election takes a higher number than all that it has seen, and keeps it in its safe cells (the \
         mend of hole 6).",
    ),
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
    nodes_max: ORDERED_NODES_MAX,
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
    periods: &[watch::CHECK],
};
