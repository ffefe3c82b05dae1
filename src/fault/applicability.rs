//! Whether a fault line can do anything in a lab: nobody can cut what an algorithm never sends, a broadcast that all
//! hear is not partial, and a machine cannot obey an order that its algorithm does not know.
//!
//! Invariant: a line that is refused here could never have an effect, whatever happened in the lab.

use super::{FaultLine, ProcessFault};
use protocol::{ApplicationCard, Card, Lie, NodeSet, Order};

/// Why a line can do nothing in a lab.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Unsuited {
    /// What is wrong, as a fragment.
    pub what: String,
    /// What was expected, as a fragment.
    pub expected: String,
    /// What would be accepted, as a fragment.
    pub remedy: String,
}

impl FaultLine {
    /// Whether the line can do something to these nodes of an algorithm, and of an application if there is one, that say
    /// this of themselves.
    pub fn suits(&self, card: &Card, application: Option<&ApplicationCard>, all: NodeSet) -> Result<(), Unsuited> {
        match (self, self.order()) {
            (FaultLine::Process(ProcessFault::Liar(lie), _), _) => tells(*lie, &card.told_lies()),
            (_, Some(order @ (Order::Update(_) | Order::Request))) => takes(order, application),
            (_, Some(order)) => knows(order, card.orders),
            (FaultLine::Link(rule), None) => rule.effect.suits(&rule.links, card.channel, all),
            (_, None) => Ok(()),
        }
    }

    /// The order that the line gives to machines, if it gives one.
    pub fn order(&self) -> Option<Order> {
        match self {
            FaultLine::Process(fault, _) => fault.order(),
            _ => None,
        }
    }
}

fn knows(order: Order, orders: &[Order]) -> Result<(), Unsuited> {
    if orders.contains(&order) {
        return Ok(());
    }
    let known = orders.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    Err(Unsuited {
        what: format!("this algorithm does not know the order `{order}`; it knows {known}"),
        expected: format!("expected one of {known}"),
        remedy: "use an order that it knows, or another algorithm: `hustings algorithms NAME` lists its orders"
            .to_owned(),
    })
}

fn tells(lie: Lie, lies: &[Lie]) -> Result<(), Unsuited> {
    if lies.contains(&lie) {
        return Ok(());
    }
    let known = lies.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    Err(Unsuited {
        what: format!("this algorithm has no message for the lie `{lie}`; its processes can tell {known}"),
        expected: format!("expected one of {known}"),
        remedy: "use a lie that it has a message for, or another algorithm".to_owned(),
    })
}

fn takes(order: Order, application: Option<&ApplicationCard>) -> Result<(), Unsuited> {
    if application.is_some_and(|application| application.orders.contains(&order.word())) {
        return Ok(());
    }
    let whose =
        application.map_or("this lab has no application, and no algorithm", |_| "this lab's application does not");
    let verb = if application.is_some() { "know" } else { "knows" };
    Err(Unsuited {
        what: format!("{whose} {verb} the order `{order}`"),
        expected: "expected an order that the lab knows".to_owned(),
        remedy: format!("give the lab an application that knows `{order}`: `hustings applications` describes them"),
    })
}

/// The line affects only broadcasts, and there are none.
pub(super) fn by_unicast_only(remedy: String) -> Unsuited {
    Unsuited {
        what: "this algorithm sends nothing by multicast, so this fault does nothing".to_owned(),
        expected: "expected a fault of unicasts".to_owned(),
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Channel;

    fn refused(line: &str, channel: Channel) -> Option<Unsuited> {
        let FaultLine::Link(rule) = line.parse().unwrap() else { panic!("{line}") };
        rule.effect.suits(&rule.links, channel, "1-5".parse().unwrap()).err()
    }

    #[test]
    fn an_order_that_an_algorithm_does_not_know_is_refused_with_those_that_it_knows() {
        assert_eq!(knows(Order::StartOver, &[Order::Elect, Order::StartOver]), Ok(()));
        let why = knows(Order::StartOver, &[Order::Elect]).unwrap_err();
        assert_eq!(why.what, "this algorithm does not know the order `start-over`; it knows `elect`");
    }

    #[test]
    fn a_lie_that_an_algorithm_has_no_message_for_is_refused_with_those_that_it_has() {
        assert_eq!(tells(Lie::Claim, &[Lie::Claim, Lie::Late]), Ok(()));
        let why = tells(Lie::Bar, &[Lie::Claim, Lie::Late]).unwrap_err();
        assert_eq!(why.what, "this algorithm has no message for the lie `bar`; its processes can tell `claim`, `late`");
    }

    #[test]
    fn an_order_that_only_an_application_knows_is_refused_without_it() {
        let why = takes(Order::Update(7), None).unwrap_err();
        assert_eq!(why.what, "this lab has no application, and no algorithm knows the order `update`");
        assert!(why.remedy.starts_with("give the lab an application that knows `update`"), "{why:?}");
    }

    #[test]
    fn what_an_algorithm_never_sends_cannot_be_cut() {
        let why = refused("cut 1->3 multicast", Channel::Unicast).unwrap();
        assert!(why.remedy.starts_with("write `cut 1->3`, or"), "{why:?}");
        assert!(refused("partial 1->* 2", Channel::Unicast).is_some());
        for line in ["cut 1->3 multicast", "cut 1->3 unicast", "partial 1->* 2", "cut 1->3"] {
            assert_eq!(refused(line, Channel::Multicast), None, "{line}");
        }
        assert_eq!(refused("cut 1<->3 unicast", Channel::Unicast), None);
    }

    #[test]
    fn what_all_hear_is_no_partial_broadcast() {
        for (line, is_refused) in [
            ("partial 1->* 3", false),
            ("partial 1->* 4", true),
            ("partial *->* 4", true),
            ("partial 1->1-3 2", true),
            ("partial 1,4->1-3 2", false),
            ("partial coordinator->* 3", false),
            ("partial 1->coordinator 1", true),
        ] {
            assert_eq!(refused(line, Channel::Multicast).is_some(), is_refused, "{line}");
        }
    }
}
