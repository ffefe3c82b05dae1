//! The fault book: which faults stand, and which orders wait for acknowledgements. A fault stands from its order until it
//! is lifted, in force or not.
//!
//! Invariant: an id is given once; nodes always get the whole table of link faults of the book.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;

use super::losses::Losses;
use fault::{ClockFault, ClockRate, FaultId, FaultLine, LabSpeed, LinkFault, LinkRule};
use protocol::{Lie, LieSet, Lying, NodeId, NodeSet};
use record::Answer;

/// A fault that stands: it was ordered and is not lifted.
#[derive(Clone, Debug)]
pub struct StandingFault {
    pub id: FaultId,
    /// The line.
    pub text: String,
    /// The nodes it is about.
    pub nodes: NodeSet,
    /// What it did.
    pub deed: FaultDeed,
}

/// What a standing fault did.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum FaultDeed {
    /// Killed processes.
    Crash,
    /// Stopped processes.
    Pause,
    /// Stores will be found lost.
    Lose,
    /// Made processes slow.
    Slow,
    /// Gave machines a clock of this rate.
    Clock(ClockRate),
    /// Let machines tell this lie.
    Liar(Lie),
    /// Made lab time run at this speed.
    Speed(LabSpeed),
    /// Something to links.
    Link(LinkRule),
}

impl FaultDeed {
    /// Whether it enters the book before nodes are told of it, since they get the content of the book.
    pub fn is_entered_first(&self) -> bool {
        matches!(self, FaultDeed::Clock(_) | FaultDeed::Liar(_) | FaultDeed::Link(_))
    }
}

/// What an order still waits for from a node.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum Awaited {
    /// That it acknowledges this control packet, or a later one.
    Acknowledgement(u64),
    /// The first step of a process that was started.
    FirstStep,
}

/// Whether a fault stays once it is in force.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Duration {
    /// Until it is lifted.
    Lasting,
    /// Is over once it has been in force: it repairs or orders something.
    Momentary,
}

/// What an order is for.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum OrderAim {
    /// To be in force.
    BeInForce,
    /// To end others.
    EndOthers,
}

impl OrderAim {
    /// The aim of this line.
    pub fn of(line: &FaultLine) -> OrderAim {
        match line {
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => OrderAim::EndOthers,
            _ => OrderAim::BeInForce,
        }
    }
}

/// An order that is not in force yet.
#[derive(Debug)]
pub struct PendingOrder {
    pub id: FaultId,
    /// The line.
    pub text: String,
    /// The step of the lab that gave it, if one did.
    pub step: Option<String>,
    /// What it is for.
    pub aim: OrderAim,
    /// Which node still has to answer what.
    pub waiting: BTreeSet<(NodeId, Awaited)>,
    /// Why it will never be in force, if that is known.
    pub refusal: Option<String>,
    /// When it is given up, by this computer's time since the lab began; never, while it is being carried out.
    pub deadline: Option<i64>,
    /// Whether it stays.
    pub duration: Duration,
    /// The faults that end with it.
    pub ends: Vec<FaultId>,
    /// Who asked for it.
    pub reply: Option<Sender<Answer>>,
}

impl PendingOrder {
    /// An order that has done nothing yet, and waits for no node yet.
    pub fn new(id: FaultId, text: String, aim: OrderAim) -> PendingOrder {
        let (waiting, duration, ends) = (BTreeSet::new(), Duration::Momentary, Vec::new());
        let (step, refusal, deadline, reply) = (None, None, None, None);
        PendingOrder { id, text, step, aim, waiting, refusal, deadline, duration, ends, reply }
    }

    /// Whether all nodes have answered and nothing has failed.
    pub fn is_in_force(&self) -> bool {
        self.waiting.is_empty() && self.refusal.is_none()
    }

    /// What came of it: `f17 undo: f16 is over`, `f18 crash 5: in force`.
    pub fn told(&self) -> String {
        let ends: Vec<String> = self.ends.iter().map(FaultId::to_string).collect();
        let came = match &ends[..] {
            [] => match self.aim {
                OrderAim::EndOthers => "done".to_owned(),
                OrderAim::BeInForce => "in force".to_owned(),
            },
            [one] => format!("{one} is over"),
            [first @ .., last] => format!("{} and {last} are over", first.join(", ")),
        };
        format!("{} {}: {came}", self.id, self.text)
    }
}

/// The book.
#[derive(Debug, Default)]
pub struct FaultBook {
    given: u32,
    versions: u64,
    standing: Vec<StandingFault>,
    /// The releases since the last `heal`. Nodes get them even when no hold is in force any more: a stopped node
    /// delivers its held datagrams when it goes on, and all know which release did that.
    releases: Vec<LinkFault>,
    pending: Vec<PendingOrder>,
}

impl FaultBook {
    /// A new id.
    pub fn next_id(&mut self) -> FaultId {
        self.given += 1;
        FaultId(self.given)
    }

    /// A new version for a control packet.
    pub fn next_version(&mut self) -> u64 {
        self.versions += 1;
        self.versions
    }

    /// The link faults, in the form that nodes get.
    pub fn table(&self) -> Vec<LinkFault> {
        let link = |fault: &StandingFault| match &fault.deed {
            FaultDeed::Link(rule) => Some(LinkFault { id: fault.id, text: fault.text.clone(), rule: rule.clone() }),
            FaultDeed::Crash
            | FaultDeed::Pause
            | FaultDeed::Lose
            | FaultDeed::Slow
            | FaultDeed::Clock(_)
            | FaultDeed::Liar(_)
            | FaultDeed::Speed(_) => None,
        };
        self.standing.iter().filter_map(link).chain(self.releases.iter().cloned()).collect()
    }

    /// The rate of a node's clock, if that is not the lab's.
    pub fn clock_of(&self, node: NodeId) -> Option<ClockFault> {
        self.standing.iter().find_map(|fault| match fault.deed {
            FaultDeed::Clock(rate) if fault.nodes.contains(node) => Some(ClockFault { by: fault.id, rate }),
            _ => None,
        })
    }

    /// What a node's process lies, and with whom, if it lies at all.
    pub fn lying_of(&self, node: NodeId) -> Lying {
        let lies_of = |of: NodeId| -> LieSet {
            let told = self.standing.iter().filter(move |fault| fault.nodes.contains(of));
            told.filter_map(|fault| if let FaultDeed::Liar(lie) = fault.deed { Some(lie) } else { None }).collect()
        };
        let lies = lies_of(node);
        let fellows = if lies.has(Lie::Collude) { self.liars(Lie::Collude) } else { NodeSet::EMPTY };
        Lying { lies, fellows, dice: 0 }
    }

    /// The nodes whose processes tell this lie.
    pub fn liars(&self, lie: Lie) -> NodeSet {
        let told = self.standing.iter().filter(|fault| fault.deed == FaultDeed::Liar(lie));
        told.fold(NodeSet::EMPTY, |liars, fault| liars.union(&fault.nodes))
    }

    /// These nodes are honest from now on; returns the faults of which no liar is left.
    pub fn become_honest(&mut self, nodes: NodeSet) -> Vec<FaultId> {
        let lies = self.standing.iter_mut().filter(|fault| matches!(fault.deed, FaultDeed::Liar(_)));
        lies.for_each(|fault| fault.nodes = fault.nodes.minus(&nodes));
        let is_over = |fault: &mut StandingFault| matches!(fault.deed, FaultDeed::Liar(_)) && fault.nodes.is_empty();
        self.standing.extract_if(.., is_over).map(|fault| fault.id).collect()
    }

    /// The fault that made lab time run at another speed, and the speed.
    pub fn speed(&self) -> Option<(FaultId, LabSpeed)> {
        self.standing.iter().find_map(|fault| match fault.deed {
            FaultDeed::Speed(speed) => Some((fault.id, speed)),
            _ => None,
        })
    }

    /// Enters a release, in a lab of these nodes; returns the ids of the holds that end with it.
    pub fn release(&mut self, release: LinkFault, all: NodeSet) -> Vec<FaultId> {
        self.releases.push(release);
        let table = self.table();
        let is_over = |id: FaultId| table.iter().any(|hold| hold.id == id && hold.is_released(&table, all));
        let over = self.standing.extract_if(.., |fault| is_over(fault.id));
        over.map(|fault| fault.id).collect()
    }

    /// Enters a fault.
    pub fn enter(&mut self, fault: StandingFault) {
        self.standing.push(fault);
    }

    /// The standing faults, oldest first.
    pub fn standing(&self) -> &[StandingFault] {
        &self.standing
    }

    /// Strikes out a fault.
    pub fn strike(&mut self, id: FaultId) {
        self.standing.retain(|fault| fault.id != id);
    }

    /// Strikes out all link faults; returns their ids.
    pub fn strike_links(&mut self) -> Vec<FaultId> {
        self.releases.clear();
        let links = self.standing.extract_if(.., |fault| matches!(fault.deed, FaultDeed::Link(_)));
        links.map(|fault| fault.id).collect()
    }

    /// Strikes out crashes with no dead node left, pauses with no stopped node left, and losses that no longer wait;
    /// returns their ids.
    pub fn strike_repaired(&mut self, dead: NodeSet, stopped: NodeSet, losses: &Losses) -> Vec<FaultId> {
        let is_over = |fault: &StandingFault| match fault.deed {
            FaultDeed::Crash => fault.nodes.intersection(&dead).is_empty(),
            FaultDeed::Pause => fault.nodes.intersection(&stopped).is_empty(),
            FaultDeed::Lose => !losses.any_by(fault.id),
            FaultDeed::Slow | FaultDeed::Clock(_) | FaultDeed::Liar(_) | FaultDeed::Speed(_) | FaultDeed::Link(_) => {
                false
            }
        };
        self.standing.extract_if(.., |fault| is_over(fault)).map(|fault| fault.id).collect()
    }

    /// Enters an order, before any part of it is done.
    pub fn wait(&mut self, pending: PendingOrder) {
        self.pending.push(pending);
    }

    /// The order waits for this from these nodes. Call it before they are asked.
    pub fn await_from(&mut self, id: FaultId, nodes: NodeSet, awaited: Awaited) {
        self.pending_mut(id).waiting.extend(nodes.iter().map(|node| (node, awaited)));
    }

    /// Every part of the order has been done or asked for; the nodes must answer the rest before the deadline.
    pub fn carried_out(&mut self, id: FaultId, deadline: i64, duration: Duration, ends: Vec<FaultId>) {
        let pending = self.pending_mut(id);
        (pending.deadline, pending.duration, pending.ends) = (Some(deadline), duration, ends);
    }

    fn pending_mut(&mut self, id: FaultId) -> &mut PendingOrder {
        let pending = self.pending.iter_mut().find(|pending| pending.id == id);
        pending.expect("an order stays in the book until somebody has carried it out")
    }

    /// A node acknowledged this version and all before it.
    pub fn acknowledged(&mut self, node: NodeId, version: u64) {
        self.answered(|waiting| match *waiting {
            (who, Awaited::Acknowledgement(wanted)) => who == node && wanted <= version,
            (_, Awaited::FirstStep) => false,
        });
    }

    /// A node could not carry out the packet of this version: the order that waits for it has failed.
    pub fn refused(&mut self, node: NodeId, version: u64, why: &str) {
        for pending in &mut self.pending {
            if pending.waiting.contains(&(node, Awaited::Acknowledgement(version))) {
                pending.refusal.get_or_insert_with(|| why.to_owned());
            }
        }
    }

    /// A node took its first step.
    pub fn has_started(&mut self, node: NodeId) {
        self.answered(|waiting| *waiting == (node, Awaited::FirstStep));
    }

    /// A node died: no order waits for its acknowledgements any more, and an order that should start it has failed.
    pub fn has_died(&mut self, node: NodeId) {
        self.answered(|waiting| waiting.0 == node && waiting.1 != Awaited::FirstStep);
        self.refuse_start(node, &format!("{node} died before its first step"));
    }

    /// An order has killed or stopped a node: earlier orders no longer wait for its answers.
    pub fn overtaken(&mut self, node: NodeId) {
        self.answered(|waiting| waiting.0 == node);
    }

    /// A node will not start: an order that should start it has failed, for the first reason that was given.
    pub fn refuse_start(&mut self, node: NodeId, why: &str) {
        for pending in &mut self.pending {
            if pending.waiting.contains(&(node, Awaited::FirstStep)) {
                pending.refusal.get_or_insert_with(|| why.to_owned());
            }
        }
    }

    /// A part of the order could not be done: it has failed, for the first reason that was given.
    pub fn refuse(&mut self, id: FaultId, why: String) {
        self.pending_mut(id).refusal.get_or_insert(why);
    }

    fn answered(&mut self, is_answered: impl Fn(&(NodeId, Awaited)) -> bool) {
        for pending in &mut self.pending {
            pending.waiting.retain(|waiting| !is_answered(waiting));
        }
    }

    /// Whether an order has failed.
    pub fn is_refused(&self, id: FaultId) -> bool {
        self.pending.iter().any(|pending| pending.id == id && pending.refusal.is_some())
    }

    /// Whether an order of this step waits for another node than this one.
    pub fn waits_beside(&self, step: &str, node: NodeId) -> bool {
        let of_step = self.pending.iter().filter(|pending| pending.step.as_deref() == Some(step));
        of_step.flat_map(|pending| &pending.waiting).any(|(who, _)| *who != node)
    }

    /// Takes out the orders that no longer wait for any node, and those that are given up at `now`.
    pub fn take_decided(&mut self, now: i64) -> Vec<PendingOrder> {
        let decided = |pending: &mut PendingOrder| {
            let is_answered = pending.waiting.is_empty() || pending.refusal.is_some();
            pending.deadline.is_some_and(|deadline| is_answered || deadline <= now)
        };
        self.pending.extract_if(.., decided).collect()
    }

    /// When the next order is given up.
    pub fn wake_at(&self) -> Option<i64> {
        self.pending.iter().filter_map(|pending| pending.deadline).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn pending(book: &mut FaultBook, waiting: &[(u16, Awaited)]) -> FaultId {
        let id = book.next_id();
        book.wait(PendingOrder::new(id, "a line".to_owned(), OrderAim::BeInForce));
        for (number, awaited) in waiting {
            book.await_from(id, NodeSet::of(node(*number)), *awaited);
        }
        book.carried_out(id, 100, Duration::Momentary, Vec::new());
        id
    }

    fn decided(book: &mut FaultBook, now: i64) -> Vec<FaultId> {
        book.take_decided(now).into_iter().map(|pending| pending.id).collect()
    }

    #[test]
    fn an_order_is_in_force_once_all_have_answered_and_the_dead_need_not() {
        let mut book = FaultBook::default();
        let (first, second) = (Awaited::Acknowledgement(1), Awaited::Acknowledgement(2));
        let id = pending(&mut book, &[(1, first), (2, first), (3, first)]);
        let later = pending(&mut book, &[(1, second)]);
        book.acknowledged(node(1), 1);
        book.has_died(node(2));
        assert_eq!(decided(&mut book, 0), []);
        book.acknowledged(node(3), 2);
        assert_eq!(decided(&mut book, 0), [id]);
        assert_eq!(decided(&mut book, 99), []);
        assert_eq!(decided(&mut book, 100), [later]);
    }

    #[test]
    fn a_start_that_ends_in_death_is_given_up_at_once() {
        let mut book = FaultBook::default();
        let id = pending(&mut book, &[(5, Awaited::FirstStep)]);
        book.acknowledged(node(5), 9);
        assert_eq!(decided(&mut book, 0), []);
        book.refuse_start(node(5), "its store cannot be read");
        book.has_died(node(5));
        let given_up = book.take_decided(0);
        assert_eq!((given_up.len(), given_up[0].id, given_up[0].is_in_force()), (1, id, false));
        assert_eq!(given_up[0].refusal.as_deref(), Some("its store cannot be read"));
    }

    #[test]
    fn a_crash_is_over_when_nobody_of_it_is_dead() {
        let mut book = FaultBook::default();
        let id = book.next_id();
        let nodes = "4,5".parse().unwrap();
        book.enter(StandingFault { id, text: "crash 4,5".to_owned(), nodes, deed: FaultDeed::Crash });
        assert_eq!(book.strike_repaired("5".parse().unwrap(), NodeSet::EMPTY, &Losses::default()), []);
        assert_eq!(book.strike_repaired(NodeSet::EMPTY, "5".parse().unwrap(), &Losses::default()), [id]);
        assert!(book.standing().is_empty());
    }

    #[test]
    fn an_order_that_ended_faults_names_them() {
        let told = |duration, ends: &[u32]| {
            let ends = ends.iter().map(|id| FaultId(*id)).collect();
            PendingOrder { duration, ends, ..PendingOrder::new(FaultId(17), "undo".into(), OrderAim::EndOthers) }.told()
        };
        assert_eq!(told(Duration::Momentary, &[]), "f17 undo: done");
        assert_eq!(told(Duration::Momentary, &[16]), "f17 undo: f16 is over");
        assert_eq!(told(Duration::Momentary, &[3, 5, 9]), "f17 undo: f3, f5 and f9 are over");
    }
}
