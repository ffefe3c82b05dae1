//! What the textbook's Bully says of itself, and the page in our words.
//!
//! T bounds a message and its answer, so one delivery takes T/2 at most. A process that gets an answer waits T' for the
//! outcome: its question has taken T/2 to the highest process that is up, that process waits T for its coordinator's
//! reply (mended) and its own T for the processes above it, and its word takes T/2. So T' must be longer than 3T (to
//! the letter 2T), or elections start over for nothing; a lab gives T' as its `silence`.
//!
//! Invariant: the machine cites every line of the listing and no other.

use super::super::PAGE;
use super::Hole;
use crate::garcia_molina::listing;
use protocol::{
    Assumption, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, ListingForm, Mends, Order,
    PeriodRule, Property, Rank, Span, TBounds, Timing, holes,
};

listing! {
    REQUEST = 1, "request", "Every check period, if another coordinates: send the coordinator a request, and wait T.";
    REPLY = 2, "request", "A request comes: reply, because i is up (mended: and say who coordinates).";
    REPLIED = 3, "request", "The reply comes: the coordinator is there.";
    FAILED = 4, "request", "No reply within T: the coordinator has failed; an election.";
    RECOVERY = 5, "recovery", "i starts, or is back: an election at once.";
    ORDER = 6, "order", "The operator orders an election.";
    ASK = 10, "election", "Send election to every process with a higher number; wait T for an answer of any of them.";
    ELECT_SELF = 11, "election", "No answer within T, or nobody is higher: i is the new coordinator.";
    TELL = 12, "election", "Send coordinator to all processes with lower numbers.";
    WAIT = 13, "election", "One answers: wait T' for the word of a higher process that it is elected.";
    START_OVER = 14, "election", "No word within T': the higher one has failed; the election starts over.";
    RECORD = 15, "message 1", "coordinator comes from a higher process: record it.";
    ANSWER = 16, "message 2", "election comes from a lower process: answer it.";
    JOIN = 17, "message 2", "i has not started an election: it starts one, also if it coordinates (mended: see hole \
                             3).";
    SAYS_WHO = 101, "mend of hole 1", "i is asked as coordinator, but another process is: say who.";
    REFERRED = 111, "mend of hole 1", "i's recorded coordinator names a higher one: record that one.";
    REFERRED_WRONGLY = 121, "mend of hole 1", "It names a process that does not outrank i: an election.";
    SAYS_NOBODY = 131, "mend of hole 1", "It names no process, because it is in an election: that outcome will come.";
    LOOK_UP = 102, "mend of hole 2", "Every check period, if i coordinates: send a request to all higher processes.";
    ASKS_FIRST = 103, "mend of hole 3", "Instead of an election at once: send the coordinator a request, if none \
                                         waits; wait T.";
    SAYS_ITSELF = 113, "mend of hole 3", "i coordinates: instead of an election, send coordinator to that process \
                                          alone.";
    OUTRANKED = 112, "mend of hole 2", "A higher process that is not in an election replies: i should not \
                                        coordinate; an election.";
}

/// One election in which nobody fails: a question's way, T for the old coordinator, T for those above, and the word of
/// the new one.
fn election(timing: &Timing) -> Span {
    timing.t * 3
}

holes! {
    H1 = "1", "A late word of an old coordinator comes after the new one's, and the old one keeps replying.", "message 3", [REPLY, RECORD], Lab("textbook-bully-slow-word");
    H1 = "2", "Processes that could not hear each other keep two coordinators after they can.", "the request", [REQUEST], Lab("textbook-bully-parted");
    H3 = "3", "One process that returns causes a storm of elections.", "message 2", [JOIN], Lab("textbook-bully-storm");
}

pub(super) const CARD: Card = Card {
    name: "textbook-bully",
    title: "Textbook Bully",
    paper: PAGE,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    wire: 10,
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &["election", "answer", "coordinator", "request", "reply"],
    hands_in: &[],
    hands_out: &[],
    periodic: &["request", "reply"],
    plays_dead: None,
    words: &["Election", "Waiting", "Normal"],
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::None("A coordinator is known by its id alone."),
    // Nothing is kept over a crash; a start is how a process knows, when it recovers, that it had failed.
    needs: &[
        Assumption::AllCooperate,
        Assumption::NoBugsBelow,
        Assumption::NothingFromNowhere,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        // T' is only a little longer than the answerer's T and two deliveries; each is measured by a clock of its own.
        Assumption::OneClockRate,
    ],
    promises: &[Property::EndState],
    withholds: |_, _| &[],
    time_bound: Formula {
        text: "T' + 4T, T' = silence (one that has answered and failed costs T')",
        value: |timing, _, _| timing.silence + election(timing) + timing.t,
    },
    quiet_bound: Formula {
        text: "T' + check + T + 2E + check + T, E = 3T, T' = silence (the last to notice, the election under way and \
               the one that it has missed, a wrong record)",
        value: |timing, _, _| timing.silence + (timing.check + timing.t) * 2 + election(timing) * 2,
    },
    message_bound: "4(n-1) for each election that a process begins, however many begin: it asks at most n-1, and \
                    each of these answers it, asks its own coordinator and is replied, or says that it coordinates; in the end it may \
                    tell n-1. A failover, in which each of n-1 begins one: at most 5n*n/2. To the letter n*n - 1 of a \
                    failover, as the page counts, if all begin at once; when one is back there is no such bound \
                    (hole 3)",
    nodes_max: 256,
    settings: &[Mends::setting(
        HOLES,
        "Mends hole 1: a process that is asked as coordinator but is none says who is, which corrects a late word of \
         an old coordinator; hole 2: a coordinator asks the higher processes, so two that were separated find each \
         other; and hole 3: a process at rest that is asked begins an election only if its coordinator is silent, so \
         one that returns causes no storm of elections. Without it the algorithm is the page's.",
    )],
    periods: &[
        PeriodRule {
            key: "T",
            must: "T must be longer than 0",
            why: None,
            holds: |timing, _, _| timing.t > Span::ZERO,
        },
        PeriodRule {
            key: "check",
            must: "check must be longer than T",
            why: Some("a coordinator is asked again when its last reply is overdue"),
            holds: |timing, _, _| timing.check > timing.t,
        },
        PeriodRule {
            key: "silence",
            must: "silence (the page's T') must be longer than 3T",
            why: Some(
                "it covers the question, T for the answerer's \
                   coordinator (mended), T for those above it, and the new coordinator's word; otherwise an election \
                   starts over without need",
            ),
            holds: |timing, _, _| timing.silence > timing.t * 3,
        },
        PeriodRule {
            key: "nodes",
            must: "nodes must be at most 17 if hole 3 is not mended",
            why: Some(
                "one process that returns causes 9,000 messages \
                   among 17, and 150,000 among 33",
            ),
            holds: |_, nodes, settings| nodes <= 17 || Mends::of(settings, HOLES).has(Hole::H3 as u8),
        },
    ],
};
