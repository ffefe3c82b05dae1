//! Partial broadcast: of each broadcast only so many of its receivers hear it, drawn anew each time.
//!
//! Every receiver throws for all of them and so knows by itself whether it is one of those that hear: they are the ones
//! with the lowest throws. Nobody has to ask anybody, and the dice stay a function of seed, fault and datagram.
//!
//! Invariant: of one broadcast exactly that many hear, whoever is asked and in whichever order.

use super::{LinkFault, Passage, throw};
use crate::protocol::{NodeId, NodeSet};

/// The salt of its throws. A loss throws with 0, a delay with 1, tampering with 2 to 25.
const SALT: u8 = 32;

/// Whether the datagram's receiver is one of the `hear` of these receivers that hear it. What is no multicast all hear.
pub fn hears(fault: &LinkFault, seed: u64, passage: &Passage, receivers: &NodeSet, hear: u16) -> bool {
    if !passage.multicast {
        return true;
    }
    let place = |node: NodeId| (throw(seed, fault, &Passage { to: node, ..*passage }, SALT), node);
    let mine = place(passage.to);
    let others = receivers.iter().filter(|node| *node != passage.to && *node != passage.from);
    others.filter(|node| place(*node) < mine).take(usize::from(hear)).count() < usize::from(hear)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::fault::{FaultId, LinkRule, Verdict, verdict};
    use crate::protocol::Incarnation;

    const RECEIVERS: &str = "1-6";

    fn partial(hear: u16) -> LinkFault {
        let rule = LinkRule::Partial { from: "2".parse().unwrap(), to: RECEIVERS.parse().unwrap(), hear };
        LinkFault { id: FaultId(1), text: format!("partial 2->1-6 {hear}"), rule }
    }

    /// Who hears this broadcast of 2.
    fn hearers(fault: &LinkFault, seed: u64, sequence: u64) -> NodeSet {
        let node = |number| NodeId::new(number).unwrap();
        let heard = |to: &NodeId| {
            let passage = Passage { from: node(2), to: *to, multicast: true, incarnation: Incarnation(1), sequence };
            verdict(std::slice::from_ref(fault), seed, &passage) == Verdict::Deliver
        };
        [1, 3, 4, 5, 6].map(node).into_iter().filter(heard).collect()
    }

    #[test]
    fn of_each_broadcast_exactly_so_many_hear_and_it_repeats() {
        for hear in 1..5 {
            let fault = partial(hear);
            for sequence in 0..500 {
                assert_eq!(hearers(&fault, 7, sequence).len(), usize::from(hear), "broadcast {sequence}");
                assert_eq!(hearers(&fault, 7, sequence), hearers(&fault, 7, sequence));
            }
        }
        assert!((0..50).any(|sequence| hearers(&partial(2), 7, sequence) != hearers(&partial(2), 8, sequence)));
    }

    #[test]
    fn each_set_of_hearers_is_as_likely_as_any_other() {
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        for sequence in 0..10_000 {
            *drawn.entry(hearers(&partial(2), 7, sequence).to_string()).or_default() += 1;
        }
        // Ten pairs; the 99.99 % interval of a tenth in ten thousand throws. The seed is fixed, so this cannot flicker.
        assert_eq!(drawn.len(), 10);
        assert!(drawn.values().all(|times| (884..1_118).contains(times)), "{drawn:?}");
    }

    #[test]
    fn unicasts_other_senders_and_other_receivers_are_not_bitten() {
        let node = |number| NodeId::new(number).unwrap();
        let passes = |from, to, multicast, sequence| {
            let passage = Passage { from: node(from), to: node(to), multicast, incarnation: Incarnation(1), sequence };
            verdict(&[partial(1)], 7, &passage) == Verdict::Deliver
        };
        assert!((0..200).all(|sequence| passes(2, 1, false, sequence)));
        assert!((0..200).all(|sequence| passes(3, 1, true, sequence) && passes(2, 7, true, sequence)));
    }
}
