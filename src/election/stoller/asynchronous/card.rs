//! What the Asynchronous Bully says of itself, and figure 3 in our words (Stoller 1997, section 7).
//!
//! Invariant: the machine cites every line of the listing and no other; from 101 on stand the mends, and a line's
//! number less 100 is the hole's in the lab's notes on the paper.

use super::super::{ElectionStage, Hole, PERIODIC, PERIODS, Said, kinds, one_node};
use crate::detector::{self, Choice};
use crate::garcia_molina::listing;
use protocol::{
    Assumption, Card, Channel, CoordinatorNumbers, Delivery, Formula, Groups, KeyUse, Lie, ListingForm, Mends, Order,
    PlaysDead, Property, Rank, SettingCard, Settings, Span, TBounds, Timing, holes,
};

listing! {
    RECOVERY = 1, "On recovery", "incarn := incarn + 1, which is kept; stage 2.";
    STAGE_2 = 2, "StartStage2", "PlayAlive; a new elid, which is the group's; status := Elec2; acks := {}; pendack \
                                 := i.";
    CONTINUE_HALT = 3, "ContinStage2", "The next one in rank is pendack: Start the detector on it; Halt to it.";
    CONTINUE_LEAD = 4, "ContinStage2", "None is left: ldr := i; status := Norm; Ldr to acks.";
    HALT_REFUSED = 5, "On Halt", "In Norm ldr, or in Wait elid's starter, outranks j: Rej to j.";
    HALTING = 6, "Halting", "Else: PlayDead to greater(i); Start the detector on j; elid := t; status := Wait; Ack \
                             to j.";
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
    MEND_1_HALT_AGAIN = 101, "mend of holes 1, 5", "Periodically, in Elec2: Halt to pendack again; it or its answer \
                                                    may be lost.";
    MEND_3_OWN_STARTER = 103, "mend of hole 3", "On Norm?, not in Norm, and j is elid's starter: NotNorm to j too.";
    MEND_4_OLDER_ELECTION = 104, "mend of hole 4", "On Norm?, in Norm, ldr = j, but elid is not t: NotNorm to j.";
    MEND_6_STALE_REJ = 106, "mend of hole 6", "On Rej, j = pendack, but t is not elid: nothing.";
    MEND_8_NO_HALT = 108, "mend of hole 8", "On Halt, but j does not outrank i, or is not t's starter: nothing.";
    MEND_10_STOP = 110, "mend of hole 10", "In Norm, ldr = i: Stop the detector on all; no member's death matters to \
                                            i.";
}

holes! {
    H1 = "1", "A Halt to a node that is just recovering is lost, and its sender waits for ever.", "figure 3, \
        Periodically", [PERIOD], Test("mend_1_halts_the_pending_node_again");
    H1 = "5", "A Halt, an Ack or a Rej is lost before stability, and the starter waits for ever.", "figure 3, \
        Periodically", [PERIOD], Lab("async-bully-hole-5");
    H3 = "3", "After a false alarm a halted node waits for a starter whose acks do not contain it.", "figure 3, On \
        Norm?", [IS_NORM_NOT], Lab("async-bully-hole-3");
    H4 = "4", "A member is Norm under an old election of the same leader, for ever.", "figure 3, On Norm?", [IS_NORM_BETTER], Lab("async-bully-hole-4");
    H6 = "6", "A Rej of an earlier Halt makes its receiver skip a node.", "figure 3, On Rej", [REJ], Lab("async-bully-hole-6");
    H8 = "8", "A node that reads a garbled message as the Halt of a lower node obeys it for ever.", "figure 3, On \
        Halt", [HALTING], Lab("async-bully-hole-8");
    H10 = "10", "A leader keeps watching its members, although their death does not matter to it.", "figure 3, \
        ContinStage2", [CONTINUE_LEAD], Test("a_pending_node_that_is_down");
}

/// Whether no open hole keeps a stable system from `ldrsElected`, which ALE2 asks for. The tenth hole costs messages
/// only.
fn leaders_are_elected(settings: &Settings) -> bool {
    let mends = Mends::of(settings, HOLES);
    [Hole::H1, Hole::H3, Hole::H4, Hole::H6, Hole::H8].into_iter().all(|hole| mends.has(hole as u8))
}

/// How long a stable system may take. The paper says O((n-1) max(tau + 2 delta, tau_FD)) and that this is easy to show;
/// where links are not transitive it does not hold ([`ladder`]: one full election for each of its rungs).
///
/// Let e = max(2 delta, tau_FD) be the most that one node may cost an election. In order of rank, each node comes to
/// its final place: a node leads if no node that outranks it and is linked with it leads; else it follows the first of
/// these.
/// - A node that will lead does so, or elects itself, tau_FD + delta after the nodes that are linked with it and
///   outrank it are halted for good: they play dead to it, and halt nobody any more.
/// - A node i that will follow j is free by then of the nodes that it preferred to j. But the election of j that is
///   under way may have passed i over: that takes (n-j)e to its end, then come Norm? and NotNorm, tau + 2 delta, and j
///   halts i within (i-j)e, for good.
///
/// So j < i < j' < i' < ... wait for each other, n/2 pairs at most. The (i-j)e add up to (n-1)e, and the (n-j)e to
/// n*n/4 e. The first of these elections may have begun with a Halt that was lost, tau + 2 delta; in the end the last
/// leader needs tau_FD + delta, and each leader finishes the election that is under way, (n-1)e + delta.
fn stable_for(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    let n = u64::from(nodes.max(1));
    let (one, latency) = (one_node(timing, nodes, settings), Choice::of(settings).latency(timing, nodes));
    let pair = timing.check + timing.t * 3 + latency;
    one * (n * n / 4 + 2 * (n - 1)) + pair * (n / 2) + timing.check + timing.t * 4 + latency
}

pub const CARD: Card = Card {
    name: "async-bully",
    title: "Asynchronous Bully",
    paper: "Stoller 1997, section 7, figure 3",
    wire: 13,
    rank: Rank::LowerId,
    orders: &[Order::Elect],
    listing: LISTING,
    listing_form: ListingForm::Procedures,
    messages: &kinds::<17>([&Said::KINDS, &["Rej"]]),
    hands_in: &[],
    hands_out: &[],
    periodic: &PERIODIC,
    plays_dead: Some(PlaysDead { from: HALTING, until: STAGE_2 }),
    words: ElectionStage::WORDS_ASYNCHRONOUS,
    t_bounds: TBounds::Message,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[Lie::Claim],
    groups: Groups::Numbered,
    numbers: CoordinatorNumbers::Differ(
        "elid is who started the election, its incarnation and a sequence number, and is compared for equality only.",
    ),
    needs: Assumption::first(7),
    // The paper says that ALE2 does not hold; its six nodes are no counterexample (labs/async-bully-six), for 4 hears
    // 1. Here ALE2 follows from ALE2': by then each group has one leader, and no two leaders are linked, for each would
    // answer NotNorm to the other's Norm?. So no two leaders are in one set of a cover by fully linked sets, and there
    // are no more leaders than sets. The lab judges it where links are transitive. To the letter, the promises are the
    // paper's.
    promises: &[Property::GroupNumbers, Property::Ale1, Property::Ale2, Property::Ale2Prime],
    withholds: |settings, _| match Choice::of(settings) {
        Choice::Cooperative => &[Property::Ale2, Property::Ale2Prime],
        _ if leaders_are_elected(settings) => &[],
        _ => &[Property::Ale2],
    },
    time_bound: Formula {
        text: "(n-1) max(2T, tau_FD) + T",
        value: |timing, nodes, settings| {
            one_node(timing, nodes, settings) * u64::from(nodes.saturating_sub(1)) + timing.t
        },
    },
    quiet_bound: Formula {
        text: "c_A = (n*n/4 + 2(n-1)) e + n/2 (tau + 3T + tau_FD) + tau + 4T + tau_FD, e = max(2T, tau_FD), halves \
               rounded down (the paper's O((n-1) max(tau + 2T, tau_FD)) is too short where links are not transitive); tau = check, \
               tau_FD: are-you-alive silence + 2T, i-am-alive silence + 5/2 T, cooperative silence + 10T",
        value: stable_for,
    },
    message_bound: "one election: 3(n-1), a Halt, an Ack or Rej and a Ldr for each. The leader crashes: Halts and \
                    answers of the elections that begin before node 2's, n^2/2 on average, n^2 at worst (the paper's tally); with \
                    those of nodes that notice later, and refuse until then, in all 2 n^2. With tau <= 2T in all 4 n^2, \
                    for 2 may begin anew for each of them, and the tally does not hold. A Halt and its answer more for each \
                    tau that ends while an answer is out: up to 2T/tau + 1 of them for a node that is up. At rest n-1 Norm? \
                    a tau; of the detector in a `silence` 2(n-1) (are-you-alive, cooperative) or n-1 (i-am-alive; none if \
                    tau is no longer than `silence`: I'm alive rides on Norm?)",
    nodes_max: 256,
    settings: &[
        SettingCard {
            name: detector::SETTING,
            kind: Choice::PLAYS_DEAD,
            about: "How failures are detected; are-you-alive: asks each watched node once a `silence`; i-am-alive: the \
                    watched node sends by itself once a `silence`; cooperative: asks too, and a node is reported only \
                    when `unable` nodes cannot reach it. With cooperative, ale-2 and ale-2-prime hold only where \
                    links are transitive, so they are not promised: if others can reach a node, the detector does \
                    not report it to a node that cannot. Only bully-fd takes an attendance list: a node is on it for \
                    all or for none, so it cannot play dead to some.",
        },
        detector::UNABLE,
        Mends::setting(
            HOLES,
            "Mends the paper's holes: a Halt is sent again once a period (1 and 5), a starter or leader learns which \
             nodes wait for it (3) or follow an older election of it (4), a Rej counts for its own Halt only (6), \
             and a leader watches no node (10). Mends one more, which the paper's faults do not reach: a Halt counts \
             only from a node that outranks the receiver, because it may be garbled (8). Without it figure 3 runs to \
             the letter.",
        ),
    ],
    periods: PERIODS,
};

/// The ladder: links on which a stable system takes more than linearly long to come to rest, against appendix B, which
/// has O((n-1) max(tau + 2 delta, tau_FD)) and says that this is easy to show. The links of so many rungs, each pair with
/// its lower node first, and how many nodes there are; a node's links do not depend on how many rungs follow.
///
/// A rung is five nodes, x < z < j < a < b, behind a node p, which is 1 or the previous rung's b. The links are p with x
/// and a, x with z, z with b, and j with a and b. When p ceases to lead x and a, j finds a, and passes over b, which is
/// under z. A moment later x halts z, and b is free. But j must finish its election before it can find and take b: it
/// waits tau_FD for each node below it, and only two of them are linked with it. Then b ceases to lead the x and the a
/// of the next rung. So the rungs come to rest one after the other, each after an election over all nodes below it.
pub fn ladder(rungs: u16) -> (u16, Vec<(u16, u16)>) {
    let links = (0..rungs).flat_map(|rung| {
        let [p, x, z, j, a, b] = [1, 2, 3, 4, 5, 6].map(|place| 5 * rung + place);
        [(p, x), (p, a), (x, z), (z, b), (j, a), (j, b)]
    });
    (1 + 5 * rungs, links.collect())
}
