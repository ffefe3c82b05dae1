//! What Bully-FD says of itself, and figure 1 in our words (Stoller 1997, section 4).
//!
//! Invariant: the machine cites every line of the listing and no other; from 101 on stand the mends, and a line's number
//! less 100 is the hole's in the lab's notes on the paper.

use super::super::{ElectionStage, Hole, PERIODIC, PERIODS, Said, kinds, notice, one_node};
use crate::detector::{self, Choice};
use crate::garcia_molina::listing;
use protocol::{
    Assumption, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, ListingForm, Mends, Order,
    Property, Rank, SettingCard, Settings, Span, TBounds, Timing, holes,
};

listing! {
    RECOVERY = 1, "On recovery", "incarn := incarn + 1, which is kept; stage 1.";
    STAGE_1 = 2, "StartStage1", "status := Elec1; a new election identifier; down := {}.";
    STAGE_1_FIRST = 3, "StartStage1", "Nobody outranks i: stage 2.";
    STAGE_1_WATCH = 4, "StartStage1", "Else Start the detector on all of lesser(i), at once.";
    STAGE_2 = 5, "StartStage2", "status := Elec2; acks := {}; pendack := i.";
    CONTINUE_HALT = 6, "ContinStage2", "The next one in rank is pendack: Start the detector on it; Halt to it.";
    CONTINUE_LEAD = 7, "ContinStage2", "None is left: ldr := i; status := Norm; Ldr to acks.";
    HALT = 8, "On Halt", "In every status: down less j; Start the detector on j; elid := t; status := Wait; Ack to j.";
    DOWN_LEADER = 9, "On DownSig", "j outranks i: down and j. In Norm j = ldr, or in Wait j is elid's starter: stage \
                                    1.";
    DOWN_LESSER = 10, "On DownSig", "j outranks i: down and j. In Elec1, and all of lesser(i) are down: stage 2.";
    DOWN_NOTED = 11, "On DownSig", "j outranks i, and it is neither: down and j.";
    DOWN_PENDING = 12, "On DownSig", "i outranks j, in Elec2, and j = pendack: on with the next.";
    DOWN_GREATER = 13, "On DownSig", "i outranks j, and it is not so: nothing. A leader does not mind a member's \
                                      death.";
    ACK = 14, "On Ack", "In Elec2, t = elid and j = pendack: acks and j; on with the next.";
    ACK_IGNORED = 15, "On Ack", "Else nothing.";
    LDR = 16, "On Ldr", "In Wait, t = elid: ldr := j; status := Norm; Stop the detector on all, Start it on ldr.";
    LDR_IGNORED = 17, "On Ldr", "Else nothing.";
    PERIOD = 18, "Periodically", "In Norm, ldr = i: Norm? to greater(i).";
    IS_NORM_NOT = 19, "On Norm?", "Not in Norm: NotNorm to j.";
    IS_NORM = 20, "On Norm?", "In Norm: nothing.";
    NOT_NORM = 21, "On NotNorm", "In Norm, ldr = i and t = elid: stage 1.";
    NOT_NORM_IGNORED = 22, "On NotNorm", "Else nothing.";
    ORDER = 23, "order", "The operator orders an election: stage 1.";
    MEND_1_HALT_AGAIN = 101, "mend of hole 1", "Periodically, in Elec2: Halt to pendack again; the first may have \
                                                been lost.";
    MEND_7_OTHER_LEADER = 107, "mend of hole 7", "On Norm?, in Norm, but ldr is not j or elid not t: NotNorm to j.";
    MEND_8_NO_HALT = 108, "mend of hole 8", "On Halt, but j does not outrank i, or is not t's starter: nothing.";
    MEND_9_OBEYED = 109, "mend of hole 9", "On Halt, but i has obeyed a Halt of t before (it is kept): Ack to j alone.";
    MEND_10_STOP = 110, "mend of hole 10", "In Norm, ldr = i: Stop the detector on all; no member's death matters to \
                                            i.";
}

holes! {
    H1 = "1", "A Halt to a node that is just recovering is lost, and its sender waits for ever.", "figure 1, \
        Periodically", [PERIOD], Lab("bully-fd-hole-1");
    H2 = "2", "c_S counts one election, but a node that was skipped asks for a second one.", "equation (5)", [], Lab("bully-fd-hole-2");
    H7 = "7", "Two leaders that are both Norm after a pause or a partition never find each other.", "figure 1, On \
        Norm?", [IS_NORM], Lab("bully-fd-hole-7");
    H8 = "8", "A node that reads a garbled message as the Halt of a lower node obeys it for ever.", "figure 1, On \
        Halt", [HALT], Lab("bully-fd-hole-8");
    H9 = "9", "With 1 mended, a Halt that comes again takes a node back to a dead election.", "figure 1, On Halt", [HALT], Test("hole_9_left_in_makes_two_leaders");
    H10 = "10", "A leader keeps watching its members, although their death does not matter to it.", "figure 1, \
        ContinStage2", [CONTINUE_LEAD], Test("a_pending_node_that_is_down");
}

/// The paper's `c_S`, equation (5).
fn as_printed(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    notice(timing, nodes, settings) + one_node(timing, nodes, settings) * u64::from(nodes.saturating_sub(1)) + timing.t
}

pub const CARD: Card = Card {
    name: "bully-fd",
    title: "Bully-FD",
    paper: "Stoller 1997, section 4, figure 1",
    wire: 12,
    rank: Rank::LowerId,
    orders: &[Order::Elect],
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &kinds::<16>([&Said::KINDS, &[]]),
    hands_in: &[],
    hands_out: &[],
    periodic: &PERIODIC,
    plays_dead: None,
    words: ElectionStage::WORDS,
    t_bounds: TBounds::Message,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::Claim],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::None(
        "An election is named by who started it, for its messages alone; a leader has no number.",
    ),
    // The nine of 1982, and what the detectors' time-outs need.
    needs: Assumption::first(10),
    promises: &[Property::Sle1, Property::Sle2],
    withholds: |_, _| &[],
    time_bound: Formula {
        text: "n max(2T, tau_FD) + T (stage 1, n-1 nodes of stage 2, Ldr)",
        value: |timing, nodes, settings| one_node(timing, nodes, settings) * u64::from(nodes) + timing.t,
    },
    quiet_bound: Formula {
        text: "2 c_S, c_S = max(tau + 2T, tau_FD) + (n-1) max(2T, tau_FD) + T as printed (c_S alone, and hole 2 with \
               it, if errata = false), tau = check, tau_FD: are-you-alive silence + 2T, i-am-alive silence + 5/2 T, \
               attendance-list 2 silence + (2n+3)T, cooperative silence + 10T",
        value: |timing, nodes, settings| {
            let elections = if Mends::of(settings, HOLES).has(Hole::H2 as u8) { 2 } else { 1 };
            as_printed(timing, nodes, settings) * elections
        },
    },
    message_bound: "one election: 3(n-1), a Halt, an Ack and a Ldr for each; the leader crashes: one election. A \
                    Halt and its Ack more for each tau that ends while an Ack is out: up to 2T/tau + 1 of them for a node that is up. At \
                    rest n-1 Norm? a tau; of the detector in a `silence` 2(n-1) (are-you-alive, cooperative), n \
                    (attendance-list) or n-1 (i-am-alive; none if tau is no longer than `silence`: I'm alive rides \
                    on Norm?)",
    nodes_max: 256,
    settings: &[
        SettingCard {
            name: detector::SETTING,
            kind: Choice::ANY,
            about: "How failures are detected; are-you-alive: asks each watched node once a `silence`; i-am-alive: the \
                    watched node sends by itself once a `silence`; attendance-list: a token goes round once a `silence`; \
                    cooperative: asks too, and reports a node only when `unable` nodes cannot reach it. If the \
                    network keeps its promises, cooperation only adds delay and messages; if not, it prevents false \
                    alarms.",
        },
        detector::UNABLE,
        Mends::setting(
            HOLES,
            "Mends the paper's holes: a Halt is sent again once a period (1), a Halt that was obeyed before is only \
             acknowledged (9), SLE2 has two c_S (2), and a leader watches no node (10). Mends two more, which the \
             paper's faults do not reach: after a pause or a partition a leader learns which of its members follow \
             another one (7), and a Halt counts only from a node that outranks the receiver, because it may be \
             garbled (8). Without it figure 1 runs to the letter, held to c_S as printed.",
        ),
    ],
    periods: PERIODS,
};
