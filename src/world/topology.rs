//! Who hears whom: what is in force on each link at this moment, and what waits there.
//!
//! Invariant: a hold is in force on a link until a release frees that link, and on the other links it stays.

use super::fault::{FaultState, FaultView};
use super::fold::World;
use super::held::HeldQueue;
use fault::{FaultEffect, FaultId, LinkFault, LinkSign, holding};
use protocol::{NodeId, NodeSet};

/// The links of a world.
#[derive(Debug)]
pub struct Topology<'a> {
    world: &'a World,
    /// The link faults that have not ended, oldest first.
    standing: Vec<&'a FaultView>,
    /// The holds among them and the releases, as a receiver has them.
    holds: Vec<LinkFault>,
}

impl<'a> Topology<'a> {
    /// The links of this world.
    pub fn of(world: &'a World) -> Topology<'a> {
        let effect = |fault: &FaultView| fault.rule.as_ref().map(|rule| rule.effect.clone());
        let is_release = |fault: &FaultView| matches!(effect(fault), Some(FaultEffect::Release(_)));
        let stays = |fault: &&FaultView| effect(fault).is_some_and(|effect| effect.stays());
        let of_links = world.active_faults().filter(stays);
        let standing: Vec<&FaultView> = of_links.collect();
        let held = standing.iter().copied().filter(|fault| matches!(effect(fault), Some(FaultEffect::Hold(_))));
        // A release is over as soon as it is in force, and has freed its links for good.
        let released = world.faults.iter().filter(|fault| is_release(fault) && fault.state != FaultState::Ordered);
        let as_held = |fault: &FaultView| {
            let rule = fault.rule.clone()?;
            Some(LinkFault { id: fault.id, text: String::new(), rule })
        };
        let holds = held.chain(released).filter_map(as_held).collect();
        Topology { world, standing, holds }
    }

    /// The faults that have not ended and concern what `from` sends to `to`, oldest first.
    pub fn faults(&self, from: NodeId, to: NodeId) -> Vec<&'a FaultView> {
        if from == to {
            return Vec::new();
        }
        let holds = self.holding(from, to);
        let concerns = |fault: &&&FaultView| {
            let Some(rule) = fault.rule.as_ref() else { return false };
            rule.concerns(from, to) && (!matches!(rule.effect, FaultEffect::Hold(_)) || holds == Some(fault.id))
        };
        self.standing.iter().filter(concerns).copied().collect()
    }

    /// The fault that holds what `from` sends to `to`, if one does.
    pub fn holding(&self, from: NodeId, to: NodeId) -> Option<FaultId> {
        if from == to { None } else { holding(&self.holds, from, to) }
    }

    /// What waits on the way from `from` to `to`, if anything does.
    pub fn queue(&self, from: NodeId, to: NodeId) -> Option<&'a HeldQueue> {
        self.world.held.of(from, to)
    }

    /// The sign of the strongest of these faults, and how many others there are.
    pub fn sign(faults: &[&FaultView]) -> Option<(LinkSign, usize)> {
        let signs = faults.iter().filter_map(|fault| fault.rule.as_ref()?.sign());
        // Of equal ones the older one.
        let strongest = signs.rev().max_by_key(|sign| sign.grip)?;
        Some((strongest, faults.len() - 1))
    }

    /// The faults that concern every link.
    pub fn everywhere(&self) -> Vec<&'a FaultView> {
        let all: Vec<NodeId> = self.world.nodes.keys().copied().collect();
        let links =
            || all.iter().flat_map(|from| all.iter().map(move |to| (*from, *to))).filter(|(from, to)| from != to);
        let concerns_all = |fault: &&FaultView| {
            let id = fault.id;
            links().all(|(from, to)| self.faults(from, to).iter().any(|of| of.id == id))
        };
        self.standing.iter().copied().filter(|_| all.len() > 2).filter(concerns_all).collect()
    }

    /// The nodes that some fault of links is about, and those where something waits.
    pub fn touched(&self) -> NodeSet {
        let all: NodeSet = self.world.nodes.keys().copied().collect();
        let is_touched = |node: &NodeId| self.standing.iter().any(|fault| fault.is_about(*node, &all));
        let waiting = self.world.held.iter().flat_map(|queue| [queue.from, queue.to]);
        all.iter().filter(is_touched).chain(waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fault::FaultLine;
    use protocol::{Incarnation, Roster};
    use record::{Body, MessageId, Record};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    /// A world of five nodes in which these lines came into force, f1 first; releases are over then.
    fn after(lines: &[&str]) -> World {
        let mut world = World::new(Roster::new(5).unwrap());
        for (number, line) in (1..).zip(lines) {
            let (id, all) = (FaultId(number), "1-5");
            let line: FaultLine = line.parse().unwrap();
            let rule = line.to_string().replace('*', all).parse().ok();
            let is_over = line.verb() == "release";
            let nodes = all.parse().unwrap();
            world.fold(&Record::of_host(1, Body::FaultOrdered { id, line, nodes, rule, step: None }));
            world.fold(&Record::of_host(2, Body::FaultInForce { id }));
            if is_over {
                world.fold(&Record::of_host(2, Body::FaultLifted { id }));
            }
        }
        world
    }

    /// The signs of all links that have one, row by row.
    fn signs(world: &World) -> Vec<String> {
        let topology = Topology::of(world);
        let all = || (1..=5).map(node);
        let links = all().flat_map(|from| all().map(move |to| (from, to)));
        let shown = |(from, to)| {
            let (sign, others) = Topology::sign(&topology.faults(from, to))?;
            Some(format!("{from}{to}:{}{}", sign.text, "+".repeat(others)))
        };
        links.filter_map(shown).collect()
    }

    #[test]
    fn each_fault_has_its_sign_on_the_links_that_it_concerns() {
        assert_eq!(
            signs(&after(&["cut 1->2", "loss 3->1,2 50%", "delay 4->5 5ms..9ms"])),
            ["12:✗", "31:50%", "32:50%", "45:+9ms"]
        );
        assert_eq!(
            signs(&after(&["isolate 1"])),
            ["12:✗i", "13:✗i", "14:✗i", "15:✗i", "21:✗i", "31:✗i", "41:✗i", "51:✗i"]
        );
        assert_eq!(signs(&after(&["partition 1|2-5"])).first().unwrap(), "12:✗p");
        for (line, sign) in [
            ("hold 1->2", "…"),
            ("throttle 1->2 20/s", "20/s"),
            ("loss 1->2 30% bursts 5", "30%b"),
            ("partial 1->2 1", "p1"),
            ("cut 1->2 multicast", "✗m"),
            ("cut 1->2 unicast", "✗u"),
            ("corrupt 1->2 5%", "c5%"),
            ("duplicate 1->2 5%", "d5%"),
            ("reorder 1->2 5%", "r5%"),
            ("garble 1->2 5%", "g5%"),
        ] {
            assert_eq!(signs(&after(&[line])), [format!("12:{sign}")], "{line}");
        }
    }

    #[test]
    fn of_several_faults_the_strongest_is_shown_and_the_others_are_counted() {
        let all = ["duplicate 1->2 5%", "delay 1->2 5ms", "loss 1->2 30%", "hold 1->2", "cut 1->2"];
        for (count, sign) in [(1, "d5%"), (2, "+5ms+"), (3, "30%++"), (4, "…+++"), (5, "✗++++")] {
            assert_eq!(signs(&after(&all[..count])), [format!("12:{sign}")]);
        }
        assert_eq!(signs(&after(&["cut 1->2", "isolate 1"])).first().unwrap(), "12:✗+", "of two, the older one");
    }

    #[test]
    fn a_release_frees_its_link_and_the_hold_stays_on_the_others() {
        assert_eq!(signs(&after(&["hold 1,2->3", "release 1->3"])), ["23:…"]);
        assert_eq!(signs(&after(&["hold 1->3", "release 1->3", "hold 1->3"])), ["13:…"], "a later hold holds again");
        let world = after(&["hold 1,2->3", "release 1->3"]);
        let topology = Topology::of(&world);
        assert_eq!((topology.holding(node(1), node(3)), topology.holding(node(2), node(3))), (None, Some(FaultId(1))));
    }

    #[test]
    fn a_release_that_is_only_ordered_frees_nothing() {
        let mut world = after(&["hold 1->3"]);
        let (line, rule) = ("release 1->3".parse().unwrap(), "release 1->3".parse().ok());
        let nodes = "1,3".parse().unwrap();
        world.fold(&Record::of_host(3, Body::FaultOrdered { id: FaultId(2), line, nodes, rule, step: None }));
        assert_eq!(signs(&world), ["13:…"]);
        world.fold(&Record::of_host(4, Body::FaultInForce { id: FaultId(2) }));
        assert_eq!(signs(&world), [""; 0]);
    }

    #[test]
    fn who_is_touched_and_what_holds_everywhere() {
        let touched = |world: &World| Topology::of(world).touched().to_string();
        assert_eq!(touched(&after(&["cut 2->4", "loss *->5 5%"])), "2,4,5");
        let mut world = after(&[]);
        let id = MessageId { from: node(3), incarnation: Incarnation(1), to: Some(node(1)), sequence: 1 };
        world.fold(&Record::of_node(3, node(1), Body::Held { id, by: FaultId(1), span: None, message: None }));
        assert_eq!(touched(&world), "1,3");
        let everywhere = after(&["loss *->* 5%", "cut 1->2"]);
        let ids: Vec<FaultId> = Topology::of(&everywhere).everywhere().iter().map(|fault| fault.id).collect();
        assert_eq!(ids, [FaultId(1)]);
    }
}
