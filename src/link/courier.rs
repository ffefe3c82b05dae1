//! The courier: one held datagram delivered, lost, doubled or put first by hand.
//!
//! Invariant: an act changes one datagram, and marks those of its channel that it overtakes; they come behind it, and it
//! is told that they were overtaken.

use super::held::Held;
use super::{DatagramContent, Link, Released};
use crate::BroadcastId;
use fault::{Courier, CourierAct, CourierRefusal, FaultEffect, FaultId, LinkFault, Links, Passage};

/// What an act did.
#[derive(Debug, PartialEq)]
pub enum ActResult<P> {
    /// The datagram is let go, and leaves by [`Link::depart`].
    LetGo(Released),
    /// Is lost.
    Lost {
        /// The way.
        passage: Passage,
        /// The ordered broadcast of which it is a copy, if it is one.
        original: Option<BroadcastId>,
        /// What was in it.
        payload: P,
    },
    /// Waits on, before all others of its link.
    PutFirst {
        /// The way.
        passage: Passage,
        /// The ordered broadcast of which it is a copy, if it is one.
        original: Option<BroadcastId>,
    },
}

impl<P: Clone> Link<P> {
    /// Does this act to a datagram that a hold keeps back.
    ///
    /// # Errors
    /// The datagram does not wait on that link, or nothing of the kind can be done to it; nothing was changed.
    pub fn act(&mut self, now: u64, act: &LinkFault) -> Result<ActResult<P>, CourierRefusal> {
        let (FaultEffect::Courier(Courier { act: deed, datagram }), Links::To { from, to }) =
            (&act.rule.effect, &act.rule.links)
        else {
            return Err(CourierRefusal::NotThere);
        };
        let me = self.terms.me;
        let from = from.iter().next().filter(|_| to.contains(me)).ok_or(CourierRefusal::NotThere)?;
        let held = self.kept.of(from);
        let count = held.len();
        let is_it = |(place, held): (usize, &Held<DatagramContent<P>>)| {
            let passage = held.payload.original.map_or(held.passage, |original| original.passage(me));
            datagram.is_of(from, &passage, place, count)
        };
        let place = held.iter().enumerate().position(is_it).ok_or(CourierRefusal::NotThere)?;
        if *deed == CourierAct::Double && held[place].payload.original.is_some() {
            return Err(CourierRefusal::OneOfMany);
        }
        if *deed == CourierAct::First {
            held[..=place].rotate_right(1);
            let Held { passage, payload, .. } = &mut held[0];
            payload.by_hand.first = Some(act.id);
            return Ok(ActResult::PutFirst { passage: *passage, original: payload.original });
        }
        let mut taken = self.kept.remove(from, place).ok_or(CourierRefusal::NotThere)?;
        if *deed == CourierAct::Drop {
            let Held { passage, payload: DatagramContent { original, payload, .. }, .. } = taken;
            return Ok(ActResult::Lost { passage, original, payload });
        }
        if *deed == CourierAct::Double {
            taken.payload.by_hand.doubled = Some(act.id);
        }
        overtake(&taken, act.id, self.kept.of(from));
        Ok(ActResult::LetGo(self.let_go(now, taken, act.id)))
    }
}

/// What a release lets go in this order, with the marks of the order: a datagram that was put first overtakes the older
/// ones behind it.
pub(super) fn in_order<P>(mut released: Vec<Held<DatagramContent<P>>>) -> Vec<Held<DatagramContent<P>>> {
    for place in 0..released.len() {
        let (before, behind) = released.split_at_mut(place + 1);
        if let Some(by) = before[place].payload.by_hand.first {
            overtake(&before[place], by, behind);
        }
    }
    released
}

/// Marks those of the same sender and channel that are older than this one, which goes before them.
fn overtake<P>(passing: &Held<DatagramContent<P>>, by: FaultId, behind: &mut [Held<DatagramContent<P>>]) {
    let age = |passage: &Passage| (passage.incarnation, passage.sequence);
    let lane = |passage: &Passage| (passage.from, passage.multicast);
    for held in behind {
        let is_older = lane(&held.passage) == lane(&passing.passage) && age(&held.passage) < age(&passing.passage);
        // The ordered broadcast has an order of its own.
        if is_older && held.payload.original.is_none() && passing.payload.original.is_none() {
            held.payload.by_hand.overtaken.get_or_insert(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arrival, Departure, LinkTerms};
    use protocol::{Delivery, Incarnation, NodeId, Span};

    const MS: u64 = 1_000_000;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn passage(sequence: u64) -> Passage {
        Passage { from: node(1), to: node(2), multicast: false, incarnation: Incarnation(1), sequence }
    }

    fn fault(id: u32, rule: &str) -> LinkFault {
        LinkFault { id: FaultId(id), text: rule.to_owned(), rule: rule.parse().unwrap() }
    }

    /// A link on which f1 holds what 1 sends to 2, and these datagrams.
    fn holding(delivery: Delivery, numbers: &[u64]) -> Link<u64> {
        let terms = LinkTerms { me: node(2), seed: 7, delivery, one_way: Span::ZERO, delta: Span::from_millis(15) };
        let mut link = Link::new(terms, vec![fault(1, "hold 1->2")]);
        for number in numbers {
            assert!(matches!(link.arrive(0, 0, passage(*number), None, *number), Arrival::Held { .. }));
        }
        link
    }

    /// What leaves now: `7` is given to the machine, `7=` doubled, `7~` overtaken, `7x` stale, with the fault.
    fn leaving(link: &mut Link<u64>) -> Vec<String> {
        let told = |departure| match departure {
            Departure::Deliver(_, number) => format!("{number}"),
            Departure::Duplicated { passage, by } => format!("{}={by}", passage.sequence),
            Departure::Overtaken { passage, by } => format!("{}~{by}", passage.sequence),
            Departure::Stale(passage) => format!("{}x", passage.sequence),
            other => panic!("{other:?}"),
        };
        std::iter::from_fn(|| link.depart(MS)).map(told).collect()
    }

    fn act(link: &mut Link<u64>, id: u32, line: &str) -> Result<ActResult<u64>, CourierRefusal> {
        link.act(MS, &fault(id, line))
    }

    fn let_go(sequence: u64, by: u32) -> Result<ActResult<u64>, CourierRefusal> {
        Ok(ActResult::LetGo(Released { passage: passage(sequence), original: None, by: FaultId(by) }))
    }

    fn release(link: &mut Link<u64>, order: &str) -> Vec<u64> {
        let released = link.set_faults(MS, vec![fault(9, &format!("release 1->2{order}"))]);
        released.iter().map(|released| released.passage.sequence).collect()
    }

    #[test]
    fn one_is_delivered_and_the_others_wait_on() {
        for delivery in [Delivery::InOrder, Delivery::AsItComes] {
            let mut link = holding(delivery, &[7, 8, 9]);
            assert_eq!(act(&mut link, 2, "deliver 1->2 7"), let_go(7, 2));
            assert_eq!(link.next_release(), Some(MS));
            assert_eq!(leaving(&mut link), ["7"]);
            assert_eq!(act(&mut link, 3, "deliver 1->2 last"), let_go(9, 3));
            assert_eq!(leaving(&mut link), ["9"]);
            assert_eq!(act(&mut link, 4, "deliver 1->2 next"), let_go(8, 4));
            assert_eq!(leaving(&mut link), ["8~f3", "8"], "f3 let 9 overtake it, and it is not lost");
        }
    }

    #[test]
    fn one_is_lost() {
        let mut link = holding(Delivery::InOrder, &[7, 8]);
        let lost = ActResult::Lost { passage: passage(8), original: None, payload: 8 };
        assert_eq!(act(&mut link, 2, "drop 1->2 8"), Ok(lost));
        assert_eq!(release(&mut link, ""), [7]);
        assert_eq!(leaving(&mut link), ["7"]);
    }

    #[test]
    fn one_is_delivered_twice() {
        for delivery in [Delivery::InOrder, Delivery::AsItComes] {
            let mut link = holding(delivery, &[7, 8]);
            assert_eq!(act(&mut link, 2, "double 1->2 7"), let_go(7, 2));
            assert_eq!(leaving(&mut link), ["7=f2", "7", "7"]);
            assert_eq!(release(&mut link, ""), [8]);
            assert_eq!(leaving(&mut link), ["8"]);
        }
    }

    #[test]
    fn one_that_is_put_first_overtakes_the_older_ones_when_it_is_let_go() {
        for delivery in [Delivery::InOrder, Delivery::AsItComes] {
            let mut link = holding(delivery, &[7, 8, 9]);
            let put = ActResult::PutFirst { passage: passage(8), original: None };
            assert_eq!(act(&mut link, 2, "first 1->2 8"), Ok(put));
            assert_eq!(leaving(&mut link), [""; 0]);
            assert_eq!(release(&mut link, ""), [8, 7, 9]);
            assert_eq!(leaving(&mut link), ["8", "7~f2", "7", "9"]);
        }
    }

    #[test]
    fn what_a_reversed_release_drops_it_drops_all_the_same() {
        let mut link = holding(Delivery::InOrder, &[7, 8, 9]);
        act(&mut link, 2, "first 1->2 9").unwrap();
        assert_eq!(release(&mut link, " reversed"), [8, 7, 9]);
        assert_eq!(leaving(&mut link), ["8", "7x", "9"], "9 has overtaken nothing");
    }

    #[test]
    fn what_does_not_wait_there_is_refused_and_nothing_is_changed() {
        let mut link = holding(Delivery::InOrder, &[7]);
        for line in ["deliver 1->2 8", "drop 3->2 7", "double 1->2 2.7", "first 1->3 7", "deliver 1->2 m7", "cut 1->2"]
        {
            assert_eq!(act(&mut link, 2, line), Err(CourierRefusal::NotThere), "{line}");
        }
        act(&mut link, 3, "deliver 1->2 7").unwrap();
        assert_eq!(act(&mut link, 4, "deliver 1->2 7"), Err(CourierRefusal::NotThere), "it has gone");
        assert_eq!(act(&mut link, 5, "drop 1->2 next"), Err(CourierRefusal::NotThere));
        assert_eq!(leaving(&mut link), ["7"]);
    }

    #[test]
    fn a_copy_of_an_ordered_broadcast_has_the_broadcasts_name_and_is_not_doubled() {
        let word = BroadcastId { stamp: 0, from: node(3), incarnation: Incarnation(1), sequence: 4 };
        let mut link = holding(Delivery::OrderedBroadcast, &[]);
        assert!(matches!(link.arrive(0, 0, passage(7), Some(word), 7), Arrival::Held { .. }));
        assert_eq!(act(&mut link, 2, "double 1->2 3:m4"), Err(CourierRefusal::OneOfMany));
        let put = ActResult::PutFirst { passage: passage(7), original: Some(word) };
        assert_eq!(act(&mut link, 3, "first 1->2 3:m4"), Ok(put));
        let lost = ActResult::Lost { passage: passage(7), original: Some(word), payload: 7 };
        assert_eq!(act(&mut link, 4, "drop 1->2 3:m4"), Ok(lost));
    }

    #[test]
    fn only_what_came_before_it_on_its_own_channel_is_overtaken() {
        let mut link = holding(Delivery::InOrder, &[8]);
        let multicast = Passage { multicast: true, ..passage(3) };
        assert!(matches!(link.arrive(0, 0, multicast, None, 3), Arrival::Held { .. }));
        assert!(matches!(link.arrive(0, 0, passage(9), None, 9), Arrival::Held { .. }));
        act(&mut link, 2, "first 1->2 9").unwrap();
        assert_eq!(release(&mut link, ""), [9, 8, 3]);
        assert_eq!(leaving(&mut link), ["9", "8~f2", "8", "3"]);
    }
}
