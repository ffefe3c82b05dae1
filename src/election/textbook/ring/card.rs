//! What the ring says of itself, and the page in our words.
//!
//! T bounds a hand-over and its receipt: a living neighbour has a message within T/2, and a dead one is passed after T.
//! So a message that goes round is back within nT, however many are dead, if nobody dies or returns meanwhile. A
//! process that dies or returns costs T more, at the process before it, where the messages for it wait for receipts. So
//! does a process that always has something in hand, once in nT, as it tries a dead neighbour again. A lab gives as
//! `silence` how long a process waits for what it has sent round, and that must be longer than nT. A message that is
//! overdue only because a process died or returned is sent again in another election, and the quiet bound has room for
//! that one.
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
    START = 1, "rule 1", "The coordinator has failed: a new active list with i; send elect(i) to the right.";
    FIRST = 2, "rule 2a", "The first elect(j) seen or sent: a new active list with i and j; send elect(i), then \
                           elect(j).";
    PASS_ON = 3, "rule 2b", "elect(j) of another: add j to the list; send it to the right.";
    COMPLETE = 4, "rule 2c", "elect(i): the list is complete; its largest number is the coordinator's.";
    RECEIPT = 10, "hand-over", "Something comes from the left: send a receipt back.";
    HANDED_OVER = 11, "hand-over", "The receipt comes: the right neighbour has it.";
    SKIP = 12, "hand-over", "No receipt within T: the neighbour is dead; all that it has no receipt for goes to the \
                             next.";
    ALONE = 13, "hand-over", "There is no next one: what goes round is back.";
    UP_AGAIN = 14, "hand-over", "Something comes from a neighbour that was passed over: what is next waits, and goes \
                                 to it.";
    OVER_LONG = 15, "hand-over", "For nT a neighbour has been passed over, and a receipt was always missing: what is \
                                  next waits, and goes to it.";
    INQUIRE = 20, "inquiry", "i is back, or a check period is over: send an inquiry to the right.";
    INQUIRY_PASSED = 21, "inquiry", "The inquiry of another, and i does not coordinate: send it to the right.";
    INQUIRY_ANSWERED = 22, "inquiry", "The inquiry of another, and i coordinates: send a reply with i to the right.";
    REPLY_PASSED = 23, "inquiry", "The reply to another: send it to the right.";
    TOLD = 24, "inquiry", "The reply: record the coordinator.";
    UNANSWERED = 25, "inquiry", "The inquiry of i is back: nobody coordinates; an election.";
    ORDER = 30, "order", "The operator orders an election.";
    HIGHER = 101, "mend of hole 1", "elect(j) of a later election: it is the first one of that election (rule 2a).";
    LOWER = 111, "mend of hole 1", "In an election: elect(j) of an earlier one ends here, for j hears of this one.";
    TAKEN = 121, "mend of hole 1", "At rest: elect(j) of an earlier election: j does not know its number is taken; an election.";
    NO_PART = 131, "mend of hole 1", "elect(j) of an election that i took no part in, and knows the outcome of; the coordinator outranks j: send it on.";
    SEEN = 102, "mend of hole 2", "elect(j), and j is in the list: it goes round again, or is of an earlier life; it ends here.";
    SPENT = 112, "mend of hole 2", "An inquiry or a reply that has gone round: it ends here.";
    COPY = 122, "mend of hole 2", "An inquiry or its reply that i has held before: a copy; it ends here.";
    FULL = 132, "mend of hole 2", "i holds 8n messages: copies fill the ring; the next message ends here.";
    SWALLOWED = 103, "mend of hole 3", "elect(i) is not back within silence: a new election.";
    INQUIRY_SWALLOWED = 113, "mend of hole 3", "The inquiry is not answered and not back within silence: an election.";
    TOO_LATE = 104, "mend of hole 4", "At rest: elect(j) of this election, j is not in the list or outranks the coordinator: j has missed some; an election.";
    STILL_MINE = 105, "mend of hole 5", "i coordinates and has inquired; the inquiry is back: nobody else does.";
    OUTRANKED = 115, "mend of hole 5", "An inquiry from a later election, or under a larger coordinator: pass it on, also as coordinator.";
}

holes! {
    H1 = "1", "\"The first elect seen or sent\" happens only once: a second election elects its starter, and two starters both coordinate.", "rule 2a", [FIRST], Lab("ring-second-election");
    H1 = "2", "A message of a dead process goes round for ever.", "rule 2b", [PASS_ON], Lab("ring-orphan");
    H3 = "3", "A message that a process holds is lost when it dies, and its sender waits for ever.", "rule 1", [START], Lab("ring-swallowed");
    H1 = "4", "A process that returns during an election sends its number after others that it has missed.", "rule 2c", [COMPLETE], Lab("ring-latecomer");
    H5 = "5", "The coordinators of two halves never hear of each other.", "the inquiry", [INQUIRE], Lab("ring-parted");
}

/// The longest time that anything may go round.
pub(super) fn lap(timing: &Timing, nodes: u16) -> Span {
    timing.t * u64::from(nodes)
}

/// One election: the first elect reaches all within one lap, and what they send is back one lap later.
fn election(timing: &Timing, nodes: u16) -> Span {
    lap(timing, nodes) * 2
}

pub(super) const CARD: Card = Card {
    name: "ring",
    title: "Textbook Ring",
    paper: PAGE,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    wire: 11,
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &["elect", "inquiry", "reply", "receipt", "inquiry-receipt"],
    hands_in: &[],
    hands_out: &[],
    periodic: &["inquiry", "reply", "inquiry-receipt"],
    plays_dead: None,
    words: &["Recovering", "Election", "Normal"],
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::Bar],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::Differ(
        "Elections are numbered (the mend of hole 1), but in no safe cells: when all have crashed, they are counted \
         anew.",
    ),
    needs: &[
        Assumption::AllCooperate,
        Assumption::NoBugsBelow,
        Assumption::NothingFromNowhere,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        // A receipt is due within T, and a lap within silence, by the clocks of the waiting processes.
        Assumption::OneClockRate,
    ],
    promises: &[Property::EndState],
    withholds: |_, _| &[],
    time_bound: Formula { text: "2nT (two laps)", value: |timing, nodes, _| election(timing, nodes) },
    quiet_bound: Formula {
        text: "check + 2 silence + 2E + check + nT, E = 2nT (to notice; what was swallowed, and what an election under \
               way let end; two elections; a wrong record)",
        value: |timing, nodes, _| (timing.check + timing.silence + election(timing, nodes)) * 2 + lap(timing, nodes),
    },
    message_bound: "n*n elect for one election, as the page counts, each with a receipt, however many begin it: \
                    those that begin before they hear of it are in the same one; one more for each hand-over to a dead neighbour. A \
                    failover is one election, and an inquiry of each process each check period: n with its reply, and \
                    their receipts",
    nodes_max: 256,
    settings: &[Mends::setting(
        HOLES,
        "Mends the holes: 1, there is no second election; 2, no process stops the messages of a dead one; 3, a \
         message that a process holds is lost when it dies; 4, a process that joins an election late misses some \
         numbers; 5, coordinators that were separated never meet. Without it the algorithm is the page's.",
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
            must: "check must be longer than 0",
            why: None,
            holds: |timing, _, _| timing.check > Span::ZERO,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than nT",
            why: Some("a message may need that long for one lap, T at each dead neighbour"),
            holds: |timing, nodes, _| timing.silence > lap(timing, nodes),
        },
    ],
};
