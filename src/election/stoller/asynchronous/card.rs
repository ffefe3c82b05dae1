//! What the Asynchronous Bully says of itself, and figure 3 in our words (Stoller 1997, section 7).
//!
//! Invariant: the machine cites every line of the listing and no other; from 101 on stand the mends, and a line's number
//! less 100 is the hole's in the lab's notes on the paper.

use super::super::{PERIODS, Said, Stage, notice, one_node};
use crate::election::detector::{self, Choice};
use crate::election::garcia_molina::{Reading, listing};
use crate::protocol::{
    Assumption, Card, Channel, Delivery, Formula, Groups, Property, Rank, SettingCard, Settings, Span, TBounds, Timing,
};

listing! {
    RECOVERY = 1, "On recovery", "incarn := incarn + 1, which is kept; stage 2.";
    STAGE_2 = 2, "StartStage2", "PlayAlive; a new elid, which is the group's; status := Elec2; acks := {}; pendack := i.";
    CONTINUE_HALT = 3, "ContinStage2", "The next one in rank is pendack: Start the detector on it; Halt to it.";
    CONTINUE_LEAD = 4, "ContinStage2", "None is left: ldr := i; status := Norm; Ldr to acks.";
    HALT_REFUSED = 5, "On Halt", "In Norm ldr, or in Wait elid's starter, outranks j: Rej to j.";
    HALTING = 6, "Halting", "Else: PlayDead to greater(i); Start the detector on j; elid := t; status := Wait; Ack to j.";
    DOWN_LEADER = 7, "On DownSig", "In Norm j = ldr, or in Wait j is elid's starter: stage 2.";
    DOWN_PENDING = 8, "On DownSig", "In Elec2, and j = pendack: on with the next.";
    DOWN_OTHER = 9, "On DownSig", "Else nothing. A leader does not mind a member's death.";
    ACK = 10, "On Ack", "In Elec2, t = elid and j = pendack: acks and j; on with the next.";
    ACK_IGNORED = 11, "On Ack", "Else nothing.";
    REJ = 12, "On Rej", "In Elec2, and j = pendack (t is not looked at): on with the next, without j.";
    REJ_IGNORED = 13, "On Rej", "Else nothing.";
    LDR = 14, "On Ldr", "In Wait, t = elid: ldr := j; status := Norm; Stop the detector on all, Start it on ldr.";
    LDR_IGNORED = 15, "On Ldr", "Else nothing.";
    PERIOD = 16, "Periodically", "In Norm, ldr = i: Norm? to greater(i).";
    IS_NORM_NOT = 17, "On Norm?", "Not in Norm, and j outranks elid's starter: NotNorm to j.";
    IS_NORM_BETTER = 18, "On Norm?", "In Norm, and j outranks ldr: NotNorm to j.";
    IS_NORM = 19, "On Norm?", "Else nothing.";
    NOT_NORM = 20, "On NotNorm", "In Norm, ldr = i and t = elid: stage 2.";
    NOT_NORM_IGNORED = 21, "On NotNorm", "Else nothing.";
    ORDER = 22, "order", "The operator orders an election: stage 2.";
    MEND_1_HALT_AGAIN = 101, "mend of holes 1, 5", "Periodically, in Elec2: Halt to pendack again; it or its answer may be lost.";
    MEND_3_OWN_STARTER = 103, "mend of hole 3", "On Norm?, not in Norm, and j is elid's starter: NotNorm to j too.";
    MEND_4_OLDER_ELECTION = 104, "mend of hole 4", "On Norm?, in Norm, ldr = j, but elid is not t: NotNorm to j.";
    MEND_6_STALE_REJ = 106, "mend of hole 6", "On Rej, j = pendack, but t is not elid: nothing.";
    MEND_8_NO_HALT = 108, "mend of hole 8", "On Halt, but j does not outrank i, or is not t's starter: nothing.";
}

/// The paper's `c_A` is O((n-1) max(tau + 2 delta, tau_FD)). As with `c_S`, two elections must fit into it: one that has
/// passed over a node, and the one that finds it. And who leads a part may first have to learn that another one does,
/// whose leader was still under way.
fn stable_for(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    let others = u64::from(nodes.saturating_sub(1));
    (notice(timing, nodes, settings) + one_node(timing, nodes, settings)) * (2 * others.max(1)) + timing.t * 2
}

pub const CARD: Card = Card {
    name: "async-bully",
    title: "Asynchronous Bully",
    paper: "Stoller 1997, section 7, figure 3",
    wire: 13,
    rank: Rank::LowerId,
    listing: LISTING,
    messages: &[
        Said::KINDS[0],
        Said::KINDS[1],
        Said::KINDS[2],
        Said::KINDS[3],
        Said::KINDS[4],
        "Rej",
        detector::Message::KINDS[0],
        detector::Message::KINDS[1],
        detector::Message::KINDS[2],
        detector::Message::KINDS[3],
        detector::Message::KINDS[4],
        detector::Message::KINDS[5],
    ],
    words: Stage::WORDS_ASYNCHRONOUS,
    t_bounds: TBounds::Message,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    groups: Groups::Numbered,
    needs: &[
        Assumption::AllCooperate,
        Assumption::NoBugsBelow,
        Assumption::NothingFromNowhere,
        Assumption::SafeCells,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::Order,
    ],
    promises: &[Property::GroupNumbers, Property::Ale1, Property::Ale2Prime],
    withholds: |_| &[],
    time_bound: Formula {
        text: "(n-1) max(2T, tau_FD) + T",
        value: |timing, nodes, settings| {
            one_node(timing, nodes, settings) * u64::from(nodes.saturating_sub(1)) + timing.t
        },
    },
    quiet_bound: Formula {
        text: "c_A = 2(n-1)(max(tau + 2T, tau_FD) + max(2T, tau_FD)) + 2T, which is the paper's \
               O((n-1) max(tau + 2T, tau_FD)) with two elections for each; tau = check, tau_FD: are-you-alive \
               silence + 2T, i-am-alive silence + 5/2 T",
        value: stable_for,
    },
    message_bound: "n^2/2 + O(n) on average when the leader crashes, n^2 at worst, by the paper's tally (who notices late and \
                    is refused adds to it): Halt, Ack or Rej, Ldr; n-1 Norm? a period; the detector's own beside them",
    nodes_max: 256,
    settings: &[
        SettingCard {
            name: detector::SETTING,
            kind: Choice::PLAYS_DEAD,
            about: "How failures are detected; are-you-alive: asks each watched node once a `silence`; i-am-alive: the \
                    watched node sends by itself once a `silence`. An attendance list is for bully-fd alone: a node is \
                    on it for all or for none, and cannot play dead to some.",
        },
        Reading::setting(
            "Mends the paper's holes: a Halt is sent again once a period (1 and 5), a starter or leader is told of \
             those that wait for it (3) or follow an older election of it (4), a Rej counts for its own Halt only (6), \
             and a Halt from who outranks the node only (8). Without \
             it figure 3 runs to the letter.",
        ),
    ],
    periods: PERIODS,
};
