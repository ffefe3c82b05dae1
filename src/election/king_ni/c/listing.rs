//! What Algorithm C says of itself: its Card, and Tables 4a and 4b in our words.
//!
//! Invariant: lines 1 to 22 are the paper's transitions; from 100 the mends (a line's last digit is that of its hole's
//! number in the lab's notes on the paper; its procedure has the whole number), from 200 the watch over the master.

use super::super::{CANDIDATES, Hole, line, watch};
use super::asking::ASKS;
use protocol::{
    Assumption, CAPACITIES, CRITERION, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, Line,
    ListingForm, Mends, Order, Property, Rank, TBounds, Timing, holes,
};

const LISTING: &[Line] = &[
    line(1, "normal", "begins, a candidate: S={(i,v)}; broadcast init,v; timer 2T; to coll1"),
    line(2, "normal", "init,w from j, a candidate: S={(i,v),(j,w)}; broadcast init,v; timer 2T; to coll1"),
    line(3, "normal", "init,w, not a candidate: timer 5T; to wait1"),
    line(4, "normal", "elected from j: ms=j; timer 3T; to wait2"),
    line(5, "normal", "dup k,l: timer 3T; to wait3"),
    line(6, "coll1", "init,w from j: S+=(j,w)"),
    line(7, "coll1", "time-out, i is not max(S): timer 3T; to wait1"),
    line(8, "coll1", "time-out, i is max(S): S={i}; broadcast elected; timer 3T; to coll2"),
    line(9, "coll2", "elected from j: S+=j; broadcast dup i,j; to coll3"),
    line(10, "coll2", "dup k,l: S+=k,l; to coll3"),
    line(11, "coll2", "time-out: ms=i; to master, which is final"),
    line(12, "coll3", "elected from j: S+=j; broadcast dup i,j"),
    line(13, "coll3", "dup k,l: S+=k,l"),
    line(14, "coll3", "time-out, i is max(S): S={i}; broadcast elected; timer 3T; to coll2"),
    line(15, "coll3", "time-out, i is not max(S): timer 3T; to wait1"),
    line(16, "wait1", "elected from j: ms=j; to wait2"),
    line(17, "wait1", "dup k,l: timer 2T; to wait3"),
    line(18, "wait1", "time-out: help to the operator; to help, which is final"),
    line(19, "wait2", "elected from another j: broadcast dup ms,j; to wait3"),
    line(20, "wait2", "dup k,l: to wait3"),
    line(21, "wait2", "time-out: ms stands; to stop, which is final"),
    line(22, "wait3", "time-out: timer 3T; to wait1"),
    line(102, "mend of hole 2", "elected or dup in coll1: remember the names"),
    line(112, "mend of hole 2", "time-out of coll1, i is max(S) with the remembered: as 8; S+=them; dup i,j; to coll3"),
    line(122, "mend of hole 2", "time-out of coll1, i is not: one announcer and no dup: ms=j; timer 3T; to wait2"),
    line(132, "mend of hole 2", "time-out of coll1, i is not: several: dup k,l if none was heard; timer 3T; to wait3"),
    line(103, "mend of hole 3", "wait1, wait2, wait3: elected of a later round: ms=j; timer 3T; to wait2"),
    line(113, "mend of hole 3", "wait2, wait3: dup of a later round: as 17"),
    line(123, "mend of hole 3", "elected or dup of an earlier round: dropped"),
    line(104, "mend of hole 4", "elected or dup: learn the capacity of a name whose init was missed"),
    line(105, "mend of hole 5", "starts: broadcast ask; timer 2T; three times, then normal without a timer"),
    line(106, "mend of hole 6", "a final phase, or normal: a higher election number: a fresh machine in normal"),
    line(116, "mend of hole 6", "in mid-election: a higher election number: kept until this election has ended"),
    line(126, "mend of hole 6", "this election has ended: what was kept is taken up"),
    line(136, "mend of hole 6", "a lower election number: dropped"),
    line(156, "mend of hole 6", "normal, help: a lower election number: broadcast ask, with the higher one"),
    line(146, "mend of hole 6", "begins in a final phase: a fresh machine with a higher election number than any seen"),
    line(107, "mend of hole 7", "begins, not a candidate: broadcast init,-1; timer 5T; to wait1"),
    line(142, "mend of hole 12", "coll2, coll3: elected of a later round, j outranks i: ms=j; timer 3T; to wait2"),
    line(152, "mend of hole 12", "coll2, coll3: elected of a later round, i outranks j: i takes it; as 9 or 12"),
    line(133, "mend of hole 13", "master: elected, j outranks i: ms=j; timer 3T; to wait2"),
    line(143, "mend of hole 13", "master: elected, i outranks j: as 14"),
    line(153, "mend of hole 13", "master: dup k,l: S={i}; S+=k,l; timer 3T; to coll3"),
    line(163, "mend of hole 13", "stop: elected of a later round, help: of this one too: ms=j; timer 3T; to wait2"),
    line(173, "mend of hole 13", "stop: elected of this round, j outranks ms: ms=j"),
    line(
        183,
        "mend of hole 13",
        "stop: elected of this round, ms outranks j, or of an earlier one: broadcast dup ms,j",
    ),
    line(193, "mend of hole 13", "master: elected of an earlier round: broadcast elected"),
    line(114, "mend of hole 14", "coll2, coll3, master: init: broadcast elected"),
    line(115, "mend of hole 15", "time-out of wait1: broadcast ask; timer 2T; three times"),
    line(125, "mend of hole 15", "coll2, coll3, master: ask: broadcast elected"),
    line(135, "mend of hole 15", "time-out of wait1 after three asks, a candidate: begins, with a higher number"),
    line(165, "mend of hole 15", "normal, help: claim of a master: broadcast ask; of any round an answer counts"),
    line(175, "mend of hole 6", "master: query of a follower from an earlier election: broadcast elected"),
    watch::ASKS,
    watch::ANSWERS,
    watch::HEARS,
    watch::MISSES,
    watch::GIVES_UP,
    watch::CLAIMS,
    watch::MEETS,
    watch::COUNTERS,
];

/// How many lost answers in a row make a master gone: the broadcast is unreliable, so one or two say little.
pub const LOST_ANSWERS: u32 = 3;

/// Starts spread over T, the inits take 2T, and each announcement 3T: with three of them that is 12T. The paper's headline,
/// at most three rounds, or 9T, while fewer than three broadcasts of ten are lost, is the inits and two announcements.
fn election_bound(timing: &Timing) -> protocol::Span {
    timing.t * (1 + 2 + 3 * 3)
}

holes! {
    H2 = "2", "An announcement that comes in coll1 is lost.", "Table 4a, which has no row for it", [7, 8], Lab("king-ni-c-hole-2");
    H3 = "3", "A process in wait3 does not hear the next round.", "Table 4b, which has no row for it", [22], Lab("king-ni-c-hole-3");
    H3 = "12", "A process in coll3 mistakes the next round for this one.", "Table 4a, transition 12", [12], Lab("king-ni-c-hole-12");
    H3 = "13", "A process in master, stop or help ignores another master.", "Tables 4a and 4b, which have no row for \
        it", [11, 18, 21], Lab("king-ni-c-hole-13");
    H4 = "4", "Messages carry names without capacities; a process that missed an init cannot rank its sender.", "Tables 4a and 4b, elected and dup", [9, 10, 12, 13], Lab("king-ni-c-hole-4");
    H6 = "6", "There is no second election: a process in master, stop or help ignores it.", "Tables 4a and 4b, which \
        have no row for these", [11, 18, 21], Lab("king-ni-c-hole-6");
    H6 = "5", "A process that was down through an election never learns its outcome.", "Table 4a, outside the \
        paper's faults", [], Test("hole_5_left_in_a_process_asks_nothing");
    H6 = "15", "One lost datagram, or the death of the best candidate, leaves every process in help.", "Table 4b, \
        transition 18", [18], Lab("king-ni-c-hole-15");
    H7 = "7", "Only a candidate can begin, and a non-candidate that finds the master silent cannot.", "Table 4a, \
        transition 1", [1], Lab("king-ni-c-hole-7");
    H14 = "14", "Nobody tells a late candidate that another has announced itself.", "Table 4a, which has no row for \
        it", [6], Lab("king-ni-c-hole-14");
}

pub(super) const CARD: Card = Card {
    name: "king-ni-c",
    title: "King/Ni C",
    paper: "King, Gendreau, Ni 1988, section 6, Tables 4a and 4b",
    listing_form: ListingForm::Table,
    wire: 17,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    listing: LISTING,
    messages: &["init", "elected", "dup", "query", "answer", "claim", "ask"],
    hands_in: &[],
    hands_out: &[],
    periodic: &["query", "answer", "claim"],
    plays_dead: None,
    words: &["normal", "coll1", "coll2", "coll3", "wait1", "wait2", "wait3", "master", "stop", "help"],
    t_bounds: TBounds::Broadcast,
    channel: Channel::Multicast,
    delivery: Delivery::AsItComes,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList, Lie::Bar, Lie::Collude],
    groups: Groups::ByCoordinator,
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
    withholds: |_, _| &[],
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
    nodes_max: protocol::NODES_MAX,
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
    periods: &[watch::CHECK],
};
