//! What Raft's election says of itself, and what it does in our words (Ongaro and Ousterhout 2014, figure 2 and section
//! 5.2).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{
    Assumption, Card, CoordinatorNumbers, Formula, Lie, Line, LineNumber, PeriodRule, Property, Rank, Span, TBounds,
    Timing,
};

macro_rules! listing {
    ($($name:ident = $number:literal, $procedure:literal, $text:literal;)*) => {
        $(pub const $name: LineNumber = $number;)*
        const LISTING: &[Line] = &[$(Line::new($name, $procedure, $text)),*];
    };
}

listing! {
    START = 1, "Followers", "i starts as a follower, with the term and the vote that it has kept.";
    NEWER_TERM = 2, "All servers", "A message has a higher term: take that term, in which i has no vote yet, and follow.";
    TIME_OUT = 3, "Followers", "No heartbeat came and no vote was given for a whole election time-out: stand.";
    STAND = 4, "Candidates", "Raise the term, vote for i, begin a new time-out, and ask all others for their votes.";
    GRANT = 5, "RequestVote", "The candidate is in i's term, and i has voted for nobody else in it: vote for it.";
    REFUSE = 6, "RequestVote", "The candidate is behind, or i has voted for another one: refuse.";
    COUNT = 7, "Candidates", "A vote came in i's term.";
    LEAD = 8, "Candidates", "Most of all servers have voted for i: lead, and say so with a heartbeat.";
    BEAT = 9, "Leaders", "A period is over: send a heartbeat to all others.";
    FOLLOW = 10, "AppendEntries", "A heartbeat came in i's term: its sender leads. Follow it, and begin a new time-out.";
    REFUSE_OLD = 11, "AppendEntries", "The heartbeat has a lower term: tell its sender the higher one.";
}

/// How many election time-outs in a row may bring no leader. With the rule for `silence` below, where each message takes T
/// and every vote is needed, one in three does so.
const FRUITLESS_MAX: u64 = 16;

/// One time-out, and its election.
fn round(timing: &Timing) -> Span {
    timing.silence * 2 + timing.t * 4
}

pub(super) const CARD: Card = Card {
    rank: Rank::Neither,
    paper: "Ongaro and Ousterhout 2014, In Search of an Understandable Consensus Algorithm, section 5.2",
    wire: 19,
    listing: LISTING,
    messages: &["RequestVote", "RequestVoteAnswer", "AppendEntries", "AppendEntriesAnswer"],
    periodic: &["AppendEntries", "AppendEntriesAnswer"],
    words: &["Follower", "Candidate", "Leader"],
    t_bounds: TBounds::Message,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::Bar],
    numbers: CoordinatorNumbers::Rise(
        "A leader has the votes of most servers in its term. A server that could hear of it and stands later needs the vote \
         of one of these, and so has a higher term.",
    ),
    needs: &[
        Assumption::AllCooperate,
        Assumption::NoBugsBelow,
        Assumption::NothingFromNowhere,
        Assumption::SafeCells,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
    ],
    promises: &[Property::ElectionSafety, Property::SteadyLeader],
    time_bound: Formula {
        text: "2 silence + 4T (one time-out and its election, if it brings a leader)",
        value: |timing, _, _| round(timing),
    },
    quiet_bound: Formula {
        text: "16(2 silence + 4T) (one of 16 time-outs brings a leader)",
        value: |timing, _, _| round(timing) * FRUITLESS_MAX,
    },
    message_bound: "2(n-1) for each candidate, and n-1 heartbeats of the leader with their answers",
    nodes_max: 64,
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
            must: "silence must be longer than check + 2T, so that heartbeats come in time, and at least 2nT and 8T, so \
                   that few stand at once",
            why: Some("an election time-out lasts from silence to twice that"),
            holds: |timing, nodes, _| {
                timing.silence > timing.check + timing.t * 2 && timing.silence >= timing.t * 2 * u64::from(nodes.max(4))
            },
        },
    ],
    ..Card::new("raft", "Raft")
};
