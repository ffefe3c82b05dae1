//! What Invitation says of itself, and its procedures in our words (Garcia-Molina 1982, Appendix II). The lines that
//! begin with "The book" are cited only in the book's reading.
//!
//! Invariant: the machine cites every line of the listing and no other; a line that it never cites is unused code.

use super::Hole;
use super::merge::CheckWait;
use super::procedures::AfterTimeout;
use crate::garcia_molina::{CallPace, letter, listing};
use protocol::{
    Assumption, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, ListingForm, Mends, Order,
    PeriodRule, Property, Rank, SettingCard, SettingKind, Settings, Span, Status, TBounds, Timing, holes,
};

listing! {
    ARE_YOU_COORDINATOR = 1, "AreYouCoordinator", "Answer yes in Normal and with c = i, else no.";
    ARE_YOU_THERE = 2, "AreYouThere", "Answer yes if g is the group, c = i and the caller is in Up; s is not asked.";
    INVITATION_DECLINED = 3, "Invitation", "Not Normal (mended: or of that group already, or named as the inviter): \
                                            decline; nothing changes.";
    INVITATION_NOT_JOINED = 38, "Invitation", "In Normal with c = i, and joins leaves i out: decline (IV.B); nothing \
                                               changes.";
    INVITATION_TAKEN = 4, "Invitation", "In Normal: STOP; s = Election, c = the inviter, g = the group.";
    INVITATION_PASSED_ON = 5, "Invitation", "If it coordinated: pass it on to the old Up (sequential: one by one), \
                                             before it accepts.";
    INVITATION_ACCEPT = 6, "Invitation", "Accept to the inviter (to the letter to itself too, if it is named as the \
                                          inviter).";
    INVITATION_ACCEPTED = 7, "Invitation", "The inviter has heard: s = Reorganization, in a step of its own (mended: \
                                            in the same).";
    INVITATION_NOT_ACCEPTED = 36, "Invitation", "Mended: the inviter has heard, and refuses: Recovery, and nothing \
                                                 more.";
    INVITATION_SILENT = 8, "Invitation", "The inviter is silent for T: Recovery, and nothing more.";
    INVITATION_REFUSED = 32, "Invitation", "The book (10.27): the inviter refuses, or is silent for T: Recovery.";
    INVITATION_RUNS_ON = 33, "Invitation", "The book (10.27): and all the same s = Reorganization, with c = i, for \
                                            ever.";
    INVITATION_RETURNS = 37, "Invitation", "Sequential: it has ended, accepted or declined: the call returns.";
    ACCEPT = 9, "Accept", "In Election with c = i and g = the group: the caller belongs to Up.";
    ACCEPT_LATE = 10, "Accept", "Else nothing changes; the call returns all the same (the book and mended: and says \
                                 so).";
    READY = 11, "Ready", "In Reorganization with g = the group: d = the task given, s = Normal.";
    READY_REFUSED = 12, "Ready", "Else nothing changes; the call returns, and says so.";
    RECOVERY = 13, "Recovery", "STOP; a new number g, c = i, Up = {}, a task for one; s = Normal: a group of one.";
    CHECK_ASK = 14, "Check", "In Normal and with c = i: ask all others, 1 to n, whether they coordinate.";
    CHECK_SKIPPED = 15, "Check", "Not so, or another Check or its wait is under way: return.";
    CHECK_FOUND = 16, "Check", "One says yes: it is found.";
    CHECK_NONE = 17, "Check", "None is found: return.";
    CHECK_WAIT = 18, "Check", "The highest found, p, outranks i: wait 2(p - i) Check periods (wait = all: any i, \
                                    2n/i). Any STOP ends the wait.";
    CHECK_ASK_AGAIN = 19, "Check", "Mended: after the wait ask those found once more; they may be members by now.";
    MERGE = 20, "Merge", "s = Election first, to decline invitations; STOP; a new number g, c = i, Up = {}.";
    MERGE_INVITE = 21, "Merge", "Invite the coordinators found and the old Up (sequential: one by one); wait 2T for \
                                 Accepts.";
    MERGE_READY = 22, "Merge", "s = Reorganization; compute the task d and give it to Up.";
    MERGE_COUNT = 34, "Merge", "The book (10.26): num_answer + 1 for each Ready taken in g, whoever answers.";
    MERGE_FAILED = 23, "Merge", "One of Up is silent for T (mended: or did not take it): Recovery, and nothing more.";
    MERGE_NORMAL = 24, "Merge", "All of Up have heard: s = Normal.";
    TIMEOUT_MINE = 25, "Timeout", "A coordinator returns at once.";
    TIMEOUT_ASK = 27, "Timeout", "All others, in every status: ask c whether it is there, with this group.";
    TIMEOUT_YES = 28, "Timeout", "It says yes: return.";
    TIMEOUT_MISNAMED = 35, "Timeout", "The book (10.24): AYC_answer is awaited; this is an AYT_answer, and not it.";
    TIMEOUT_LEFT_OUT = 29, "Timeout", "Mended: it says yes, and no Ready has come for a whole Merge: Recovery.";
    TIMEOUT_RECOVERY = 30, "Timeout", "It says no, or is silent for T: Recovery.";
    TIMEOUT_INVITES = 39, "Timeout", "If after-timeout = invite (10.2.2), and c is silent: Merge with the other members of \
                                      the old group.";
    ORDER = 31, "order", "In Normal: a coordinator runs Check, a member leaves by Recovery. Else one is under way.";
}

holes! {
    Ready = "Ready", "A Ready comes before its member is in Reorganization, is refused, and the member waits for \
                      ever.", "Accept and Ready, of the paper; of the book Accept alone", [INVITATION_ACCEPTED, READY_REFUSED], Lab("invitation-hole-ready");
    Check = "Check", "A coordinator that joins a group during the wait is then invited out of that group.", "Check, \
        of the paper and the book", [CHECK_WAIT], Test("hole_check_left_in_members_are_invited_out");
    I1 = "I1", "A node accepts an invitation in its own name, or to its own group.", "Invitation, of the paper and \
        the book", [INVITATION_TAKEN], Test("hole_i1_left_in_ones_own_is_taken");
    I1 = "I4", "A node's own invitation is passed on late, and its group number is used twice.", "Invitation, of the \
        paper and the book", [INVITATION_TAKEN], Test("hole_i1_mended_ones_own_name_is_declined");
    I2 = "I2", "A member that hears yes but never gets a Ready waits in Reorganization for ever.", "Timeout, of the \
        paper and the book", [TIMEOUT_YES], Test("hole_i2_timeout_without_a_ready");
    I3 = "I3", "A node whose Accept is refused waits in Reorganization until its Timeout.", "Accept, of the paper", [ACCEPT_LATE], Test("hole_i3_left_in_the_refusal_is_unsaid"), letter "paper";
    H10_24 = "10.24", "Timeout waits for an answer with the wrong name, so it always ends in Recovery.", "Timeout, \
        of the book", [TIMEOUT_MISNAMED], Lab("invitation-hole-10-24"), letter "book";
    H10_26 = "10.26", "A repeated answer to Ready counts as the answer of a silent member.", "Merge, of the book", [MERGE_COUNT], Test("hole_10_26_answers_are_counted"), letter "book";
    H10_27 = "10.27", "A node whose Accept is not taken recovers, but still stays in Reorganization for ever.", "Invitation, of the book", [INVITATION_REFUSED, INVITATION_RUNS_ON], Lab("invitation-hole-10-27"), letter "book";
}

/// How long a loop of calls may take.
fn calls(timing: &Timing, nodes: u16, pace: CallPace) -> Span {
    match pace {
        CallPace::AllAtOnce => timing.t,
        CallPace::OneByOne => timing.t * u64::from(nodes.saturating_sub(1).max(1)),
    }
}

/// How long Merge waits for Accepts. One after another, an old coordinator may have to call all nodes but itself and
/// the inviter before it accepts, each in vain; by then Merge has already waited a T for it.
pub fn accepts(timing: &Timing, nodes: u16, pace: CallPace) -> Span {
    match pace {
        CallPace::AllAtOnce => timing.t * 2,
        CallPace::OneByOne => calls(timing, nodes, pace),
    }
}

/// How long a Merge may take: Invitations, the wait for Accepts, Ready; in parallel Merge does not wait for
/// Invitations.
fn merge(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    calls(timing, nodes, CallPace::of(settings)) * 3
}

/// How long a Check may take when it finds no coordinator that outranks its node.
fn check(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    calls(timing, nodes, CallPace::of(settings))
}

/// How long it may take from the end of one Check of a coordinator to the end of its next Merge: a Check period, the
/// question, the longest wait, the question again, the Merge.
fn next_merge(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    let question = check(timing, nodes, settings);
    let wait = CheckWait::of(settings).longest(nodes, timing);
    timing.check + question + wait + question + merge(timing, nodes, settings)
}

/// The setting that names the nodes that take an invitation while they coordinate.
pub const JOINS: &str = "joins";

pub const CARD: Card = Card {
    name: "invitation",
    title: "Invitation",
    paper: "Garcia-Molina 1982, Appendix II (listings 10.22 to 10.28 of Chow and Johnson 1997)",
    wire: 2,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &[
        "AreYouCoordinator",
        "AreYouCoordinatorAnswer",
        "AreYouThere",
        "AreYouThereAnswer",
        "Invitation",
        "InvitationAnswer",
        "Accept",
        "AcceptAnswer",
        "Ready",
        "ReadyAnswer",
    ],
    hands_in: &["Accept"],
    hands_out: &["Ready"],
    periodic: &["AreYouCoordinator", "AreYouCoordinatorAnswer", "AreYouThere", "AreYouThereAnswer"],
    plays_dead: None,
    words: Status::WORDS,
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList],
    groups: Groups::Numbered,
    numbers: CoordinatorNumbers::Differ(
        "A group number is its maker and the maker's own counter, and is compared for equality only (section IV).",
    ),
    needs: Assumption::first(7),
    promises: &[
        Property::Assertion3,
        Property::Assertion4,
        Property::GroupNumbers,
        Property::Ale1,
        Property::Ale2Prime,
    ],
    withholds: |settings, nodes| {
        let all_join = settings.nodes(JOINS).is_none_or(|joins| joins.len() >= usize::from(nodes));
        match CheckWait::of(settings) {
            CheckWait::Outranked if all_join => &[],
            _ => &[Property::Assertion4, Property::Ale2Prime],
        }
    },
    time_bound: Formula { text: "3T; sequential 3(n-1)T", value: merge },
    quiet_bound: Formula {
        // A Merge that was under way fails, and its members find out; then come two Merges, with the longest waits.
        text: "3C + silence + T + I + 2(check + C + W + C + 3C), C = T; sequential C = (n-1)T; W = 2(n-1)check (wait = \
               all: 2n check; none: 0); I = 0 (after-timeout = invite: 3C)",
        value: |timing, nodes, settings| {
            let invites = match AfterTimeout::of(settings) {
                AfterTimeout::Alone => Span::ZERO,
                AfterTimeout::Invite => merge(timing, nodes, settings),
            };
            let found_out = merge(timing, nodes, settings) + timing.silence + timing.t + invites;
            found_out + next_merge(timing, nodes, settings) * 2
        },
    },
    message_bound: "2(n-1) for a Check, and as many when it asks again after its wait; 6(n-1) for a Merge, sequential \
                    8(n-1): Accept and Ready with their answers, Invitation from the inviter and passed on (sequential: \
                    answered too), more only where some have left their groups unnoticed. However many check and merge. \
                    A failover is n-1 AreYouThere, and the Checks and Merges of those left until one group is left",
    nodes_max: 256,
    settings: &[
        CallPace::setting(
            "How a node makes the calls of a loop; parallel: all at once, as in the book, and Invitation does not \
             wait for its calls; sequential: one after another as in 1982, up to T for each silent node.",
        ),
        Mends::setting(
            HOLES,
            "Mends the holes of 1982: a coordinator whose Ready was not taken recovers, and so does a node whose \
             Accept is refused; Reorganization follows the answer to Accept in one step; a node declines an \
             invitation to its own group or in its own name; Check asks again after its wait; and Timeout leads a \
             member without a Ready out of Reorganization. Without it the nodes follow the procedures to the letter.",
        ),
        letter(
            "Which text errata = false follows; paper: the procedures of 1982; book: the listings of 1997 where they \
             differ, with their holes (10.24: Timeout accepts no answer; 10.26: answers are only counted; 10.27: a \
             node that is not accepted recovers and stays in Reorganization for ever). If errata is true, it changes \
             nothing.",
        ),
        CheckWait::SETTING,
        AfterTimeout::SETTING,
        SettingCard {
            name: JOINS,
            kind: SettingKind::NodesOrNone,
            about: "Which nodes take an invitation while they coordinate; a coordinator \"could decline invitations if \
                    it does not trust the new coordinator or if it is simply not interested\" (section IV.B). A member \
                    takes every invitation. If one is left out, assertion 4 and ale-2-prime are not promised.",
        },
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
            must: "check must be longer than 4T, in the sequential form than 4(n-1)T",
            why: Some(
                "the wait in Check, two periods \
                   for each step of rank, needs a whole Check (T or (n-1)T) and a whole Merge (three times that) \
                   within one period",
            ),
            holds: |timing, nodes, settings| {
                timing.check > check(timing, nodes, settings) + merge(timing, nodes, settings)
            },
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 3T, in the sequential form than 3(n-1)T",
            why: Some(
                "during a Merge the members \
                   hear nothing from their coordinator",
            ),
            holds: |timing, nodes, settings| timing.silence > merge(timing, nodes, settings),
        },
    ],
};
