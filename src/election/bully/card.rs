//! What Bully says of itself, and its procedures in our words (Garcia-Molina 1982, Appendix I). The lines that begin
//! with "The book" are cited only in the book's reading, instead of the paper's lines beside them.
//!
//! Invariant: the machine cites every line of the listing and no other; a line that it never cites is unused code.

use super::Hole;
use super::book::FailedMember;
use super::calls::CallForm;
use crate::garcia_molina::{letter, listing};
use protocol::{
    Assumption, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, ListingForm, Mends, Order,
    PeriodRule, Property, Rank, Settings, Span, Status, TBounds, holes,
};

listing! {
    ARE_YOU_THERE = 1, "AreYouThere", "Answer at once, in every status. Nothing changes here: it starts no election.";
    ARE_YOU_NORMAL = 2, "AreYouNormal", "Answer yes in Normal (mended: and under the asker), no in any other status.";
    HALT = 3, "Halt", "s = Election, h = the caller, STOP. The last one to halt wins (mended: of those that outrank \
                       i).";
    HALT_REFUSED = 8, "Halt", "Mended, if the caller does not outrank i: nothing changes; the call returns all the \
                               same.";
    HALT_IN_ONE_STEP = 9, "Halt", "In one step: h = c = the caller, s = Reorganization, STOP.";
    NEW_COORDINATOR = 4, "NewCoordinator", "If the caller is h and s is Election: c = the caller, s = Reorganization.";
    NEW_COORDINATOR_REFUSED = 5, "NewCoordinator", "Else nothing changes; the call returns all the same.";
    READY = 6, "Ready", "If the caller is c and s is Reorganization: d = the task given, s = Normal.";
    READY_REFUSED = 7, "Ready", "Else nothing changes; the call returns all the same.";
    ELECTION_ASK = 10, "Election", "Ask the higher nodes, i+1 to n, if they are there: all at once or (sequential) \
                                    one by one.";
    ELECTION_RETURN = 11, "Election", "One of them answers: return, and leave the state as it was.";
    ELECTION_STOP = 12, "Election", "All are silent for T, or there are none: STOP; s = Election, h = i, Up = {}.";
    ELECTION_NO_STOP = 30, "Election", "The book (10.20): the same without STOP; an Election that runs here runs on.";
    ELECTION_HALT = 13, "Election", "Halt every lower node, from i-1 down to 1; if all at once, wait the whole of T.";
    ELECTION_UP = 14, "Election", "One of them answers: it belongs to Up.";
    ELECTION_POINT = 15, "Election", "The election point: c = i, s = Reorganization.";
    ELECTION_TELL = 16, "Election", "Tell Up its new coordinator; go on when all have heard.";
    ELECTION_READY = 17, "Election", "Compute the task d and give it to Up; go on when all have heard.";
    ELECTION_COUNT = 31, "Election", "The book (10.20): num_answers + 1, whoever answers, and whatever call of that \
                                      name.";
    ELECTION_AGAIN = 18, "Election", "One of Up is silent for T: Election from the beginning, in the status it has.";
    ELECTION_NORMAL = 19, "Election", "All of Up have the task: s = Normal, the coordinator last.";
    RECOVERY = 20, "Recovery", "After a failure (s is Down), or called (s is as it was): h is undefined. Election.";
    RECOVERY_KEEPS_H = 32, "Recovery", "The book (10.18): s is Down, and h is as it was. Election.";
    CHECK_ASK = 21, "Check", "In Normal and with c = i: ask all others, 1 to n, whether they are normal.";
    CHECK_NOT_MINE = 22, "Check", "In another status or under another coordinator: return.";
    CHECK_NO = 23, "Check", "One says no: Election.";
    CHECK_SILENT = 24, "Check", "Those that are silent for T are passed over: a dead member changes nothing.";
    CHECK_NOT_IN_UP = 33, "Check", "The book (10.19): one is not in Up, or is in Up and silent: Election.";
    CHECK_REGROUPS = 37, "Check", "If failed-member = elects (in the book's words, 10.2.1): one of Up is silent for T, \
                                   or one answers that is not in Up: Election.";
    TIMEOUT_ASK = 25, "Timeout", "In Normal or Reorganization: ask c whether it is there (to itself, it is).";
    TIMEOUT_HEARD = 26, "Timeout", "The coordinator answers: return.";
    TIMEOUT_SILENT = 27, "Timeout", "The coordinator is silent for T: Election.";
    TIMEOUT_ELECT = 28, "Timeout", "In Down or Election: Election at once, the only way out when the halter has died.";
    TIMEOUT_STRANDED = 35, "Timeout", "Mended: in Reorganization with c = i, and no Election runs: Election, for \
                                       nobody else will.";
    TIMEOUT_NOTHING = 34, "Timeout", "The book (10.18): in Down or Election: nothing; unless another halts it, for \
                                      ever.";
    ORDER = 29, "order", "The operator orders an election: Election.";
    ORDER_START_OVER = 36, "order", "The operator orders to start over, as an application may that finds c down: \
                                     Recovery.";
}

holes! {
    B1 = "B1", "Two coordinators whose nodes are all Normal never find each other.", "AreYouNormal, of the paper and \
        the book", [ARE_YOU_NORMAL], Lab("bully-pause");
    B2 = "B2", "A node whose halter has died stays in Election for ever.", "Timeout, of the book (10.18)", [TIMEOUT_NOTHING], Lab("bully-hole-b2"), letter "book";
    B3 = "B3", "A dead node makes its coordinator elect at every Check.", "Check, of the book (10.19)", [CHECK_NOT_IN_UP], Lab("bully-hole-b3"), letter "book";
    B4 = "B4", "An election stops no other election, so one node runs two at the same time.", "Election, of the book \
        (10.20)", [ELECTION_NO_STOP], Test("hole_b4_election_does_not_stop"), letter "book";
    B5 = "B5", "A repeated or late answer counts as the answer of a silent node.", "Election, of the book (10.20)", [ELECTION_COUNT], Test("hole_b5_answers_are_counted_whoever_gives_them"), letter "book";
    B7 = "B7", "Recovery keeps the id of the node's halter; this is harmless.", "Recovery, of the book (10.18)", [RECOVERY_KEEPS_H], Test("hole_b7_recovery_keeps_h"), letter "book";
    B8 = "B8", "A node obeys a garbled Halt of a lower node for ever.", "Halt, of the paper and the book", [HALT], Test("hole_b8_left_in_it_waits_for_ever");
    B9 = "B9", "A coordinator whose Election has returned stays in Reorganization for ever.", "Timeout, of the paper \
        and the book", [TIMEOUT_ASK], Lab("bully-hole-b9");
}

/// How many times T an Election may wait for silent or slow calls: four rounds when the calls of a phase are made all
/// at once; one after another, the three phases of the highest node, which asks nobody.
fn election_calls(nodes: u16, settings: &Settings) -> u64 {
    match CallForm::of(settings) {
        CallForm::Parallel | CallForm::ParallelEarly | CallForm::OneStep => 4,
        CallForm::Sequential => 3 * calls_to_others(nodes),
    }
}

/// The same for a Check.
fn check_calls(nodes: u16, settings: &Settings) -> u64 {
    match CallForm::of(settings) {
        CallForm::Parallel | CallForm::ParallelEarly | CallForm::OneStep => 1,
        CallForm::Sequential => calls_to_others(nodes),
    }
}

fn calls_to_others(nodes: u16) -> u64 {
    u64::from(nodes.saturating_sub(1))
}

fn is_sequential(settings: &Settings) -> bool {
    CallForm::of(settings) == CallForm::Sequential
}

pub const CARD: Card = Card {
    name: "bully",
    title: "Bully",
    paper: "Garcia-Molina 1982, Appendix I (listings 10.16 to 10.21 of Chow and Johnson 1997)",
    wire: 1,
    rank: Rank::HigherId,
    orders: &[Order::Elect, Order::StartOver],
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &[
        "AreYouThere",
        "AreYouThereAnswer",
        "AreYouNormal",
        "AreYouNormalAnswer",
        "Halt",
        "HaltAnswer",
        "NewCoordinator",
        "NewCoordinatorAnswer",
        "Ready",
        "ReadyAnswer",
    ],
    hands_in: &["NewCoordinatorAnswer"],
    hands_out: &["Ready"],
    periodic: &["AreYouNormal", "AreYouNormalAnswer"],
    plays_dead: None,
    words: Status::WORDS,
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::Differ(
        "A task is named by its author, the author's incarnation and a serial: the next coordinator is another author, \
         which counts by itself.",
    ),
    // The nine of 1982; the eighth there includes that clocks run at one rate.
    needs: Assumption::first(10),
    promises: &[Property::Assertion1, Property::Assertion2],
    // The proof of theorem A1 does not cover Halts that are made all at once and do not wait, and it needs two steps: "if
    // only one step were used, Assertion 1 could be violated" (section III-A).
    withholds: |settings, _| match CallForm::of(settings) {
        CallForm::ParallelEarly | CallForm::OneStep => &[Property::Assertion1],
        CallForm::Parallel | CallForm::Sequential => &[],
    },
    time_bound: Formula {
        text: "4T; sequential 3(n-1)T",
        value: |timing, nodes, settings| timing.t * election_calls(nodes, settings),
    },
    quiet_bound: Formula {
        // The paper's Timeout + T + 2E + Check + (n-1)T, with a Check that asks all at once in one T. A sequential
        // Check may have passed over a node before the node came up, and the next Check waits until that one is over.
        text: "silence + T + 2E + check + T, E = 4T; sequential silence + T + 2E + check + 2(n-1)T, E = 3(n-1)T",
        value: |timing, nodes, settings| {
            let checks = if is_sequential(settings) { 2 } else { 1 };
            let calls = 1 + 2 * election_calls(nodes, settings) + checks * check_calls(nodes, settings);
            timing.silence + timing.check + timing.t * calls
        },
    },
    message_bound: "6(n-1) for one Election, however many begin: n-1 AreYouThere and Halt together, at most n-1 \
                    NewCoordinator and Ready each, all answered; as many again for each member that falls silent \
                    meanwhile. A failover: n*n + 5n - 12, for all Timeouts ask c, and their Elections all above them, \
                    and one goes on",
    nodes_max: 256,
    settings: &[
        CallForm::SETTING,
        Mends::setting(
            HOLES,
            "Mends hole B1: a node answers AreYouNormal with yes only to its own coordinator, so two coordinators \
             find each other; hole B8: a node obeys a Halt only from a higher node, so no garbled message binds it \
             to a lower one for ever; and hole B9: Timeout leads a coordinator out of Reorganization if its Election \
             has returned. Without it the nodes follow the procedures to the letter.",
        ),
        letter(
            "Which text errata = false follows; paper: the procedures of 1982; book: the listings of 1997 where they \
             differ, with holes B2 to B7 (10.18: Timeout does not lead out of Election; 10.19: one dead node makes \
             every Check an election; 10.20: there is no STOP, and answers are only counted). If errata is true, it \
             changes nothing.",
        ),
        FailedMember::SETTING,
    ],
    periods: &[
        PeriodRule {
            key: "T",
            must: "T must be longer than 0",
            why: None,
            holds: |timing, _, _| timing.t > Span::ZERO,
        },
        PeriodRule {
            key: "check",
            must: "check must be at least T",
            why: Some("a Check waits T for its answers"),
            holds: |timing, _, _| timing.check >= timing.t,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 4T",
            why: Some(
                "otherwise a Timeout during an election starts a second one, which \
                   ends the first",
            ),
            holds: |timing, nodes, settings| {
                is_sequential(settings) || timing.silence > timing.t * election_calls(nodes, settings)
            },
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 3(n-1)T in the sequential form",
            why: Some(
                "otherwise a Timeout during an \
                   election starts a second one, which ends the first",
            ),
            holds: |timing, nodes, settings| {
                !is_sequential(settings) || timing.silence > timing.t * election_calls(nodes, settings)
            },
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than check + T",
            why: Some("members hear from their coordinator once a check"),
            holds: |timing, _, settings| is_sequential(settings) || timing.silence > timing.check + timing.t,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than check + (n-1)T in the sequential form",
            why: Some(
                "members hear from their \
                   coordinator once a check, and a Check may first wait T for each silent node before them",
            ),
            holds: |timing, nodes, settings| {
                !is_sequential(settings) || timing.silence > timing.check + timing.t * check_calls(nodes, settings)
            },
        },
    ],
};
