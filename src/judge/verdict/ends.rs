//! What a new state says by itself: that a group was formed, or that an election has ended.
//!
//! Invariant: a property is told here, or noted as held, once for each group and each end.

use super::Judge;
use crate::finding::{Basis, Finding};
use crate::liveness::standing;
use crate::numbers::ProcessLife;
use crate::quiet::Scope;
use crate::work::{JudgedWork, WorkGrade, WrongWork};
use protocol::{NodeId, NodeSet, Property, StateVector};
use record::{Contradiction, Uncertainty};
use world::index;
use world::moment::{CausalMoment, PastExtent};
use world::past::Needs;

impl Judge {
    /// The lab is not carried on, so nothing is certain from now on, and this is why, as a fragment: it says more than
    /// that something was not known before.
    pub fn give_up(&mut self, why: String) {
        self.unknown = Some(Uncertainty::NotCarriedOn { why });
    }

    /// A property of these nodes was judged, and held as far as is known. It was due if nothing broken had a part in
    /// their states.
    pub(super) fn note_held(&mut self, property: Property, nodes: &NodeSet, chain: PastExtent, at: i64) {
        let is_due = !nodes.iter().any(|node| self.is_stained(property, node, at));
        let tally = self.tallies.of_property(property);
        match chain {
            PastExtent::Broken => tally.unknown += 1,
            PastExtent::Whole if is_due => {
                tally.due += 1;
                tally.held += 1;
            }
            PastExtent::Whole => {}
        }
    }

    pub(super) fn take_number(&mut self, moment: &CausalMoment, state: &StateVector, life: ProcessLife, at: i64) {
        let Some(taken) = self.numbers.as_mut().and_then(|numbers| numbers.take_state(moment.node, state, life, at))
        else {
            return;
        };
        let Some(before) = taken.before.filter(|_| moment.chain == PastExtent::Whole) else {
            return self.note_held(Property::GroupNumbers, &NodeSet::of(moment.node), moment.chain, at);
        };
        let what = Contradiction::SecondGroup { node: moment.node, number: taken.number };
        let nodes = NodeSet::of(moment.node);
        let told_by = self.now.max(at).saturating_add(self.patience);
        let finding = Finding::of(Property::GroupNumbers, Basis::Never, nodes, (before, at), what, told_by);
        self.pending.push(finding);
    }

    pub(super) fn take_term(&mut self, moment: &CausalMoment, state: &StateVector, at: i64) {
        let node = moment.node;
        let Some(led) = self.terms.as_mut().and_then(|terms| terms.take_state(node, state, at)) else { return };
        let Some((other, before)) = led.before.filter(|_| moment.chain == PastExtent::Whole) else {
            return self.note_held(Property::ElectionSafety, &NodeSet::of(node), moment.chain, at);
        };
        let what = Contradiction::SecondLeader { node, term: led.term, other };
        let nodes = [node, other].into_iter().collect();
        let told_by = self.now.max(at).saturating_add(self.patience);
        let span = (before.min(at), before.max(at));
        self.pending.push(Finding::of(Property::ElectionSafety, Basis::Never, nodes, span, what, told_by));
    }

    /// A node has taken a step: what the step before wanted has been carried out.
    pub(super) fn go_on(&mut self, node: NodeId) {
        if let Some(numbers) = &mut self.numbers {
            numbers.go_on(node);
        }
        if let Some(judged) = self.work.as_mut().and_then(|work| work.go_on(node)) {
            self.tell_work(node, judged);
        }
    }

    pub(super) fn take_work(&mut self, moment: &CausalMoment, state: &StateVector, life: ProcessLife, at: i64) {
        let Some(work) = &mut self.work else { return };
        work.let_go(moment.node, self.clocks.known_to_all(moment.node));
        if let Some(judged) = work.take_state(moment, state, life, at) {
            self.tell_work(moment.node, judged);
        }
    }

    /// The work of a node was judged: tells what is wrong, and notes what holds.
    fn tell_work(&mut self, node: NodeId, JudgedWork { wrong, judged, chain, at }: JudgedWork) {
        for property in judged.into_iter().filter(|property| wrong.iter().all(|(of, _)| of != property)) {
            self.note_held(property, &NodeSet::of(node), chain, at);
        }
        let told_by = self.now.max(at).saturating_add(self.patience);
        for (property, WrongWork { nodes, since, what, grade }) in wrong {
            // A step may count only when its process goes on: what contradicts it may have come after it.
            let span = (since.min(at), since.max(at));
            let finding = Finding::of(property, Basis::Never, nodes, span, Contradiction::Work(what), told_by);
            let finding = finding.with_grade(grade);
            let is_old = grade == WorkGrade::Inherited || self.is_broken_for_ever(property);
            self.pending.push(if is_old { finding.of_all_time() } else { finding });
        }
    }

    /// For how long, in nanoseconds, a break shows in what the property is about.
    pub(super) fn lasting(&self, property: Property) -> i64 {
        match property {
            Property::Service => 2 * self.time_bound + self.work.as_ref().map_or(0, |work| work.lasting()),
            _ => self.time_bound,
        }
    }

    fn is_broken_for_ever(&self, property: Property) -> bool {
        self.work.as_ref().is_some_and(|work| work.is_broken_for_ever(property))
    }

    /// Whether a break that the property needs had a part in the node's state at this stamp.
    pub(super) fn is_stained(&self, property: Property, node: NodeId, at: i64) -> bool {
        let needs = match property {
            Property::GroupNumbers | Property::ElectionSafety => Needs::Numbers,
            property if property.is_of_application() => Needs::Application,
            _ => Needs::Algorithm,
        };
        let since = match property {
            property if self.is_broken_for_ever(property) => i64::MIN + 1,
            Property::Service => at.saturating_sub(self.lasting(property)),
            _ => at.saturating_sub(self.time_bound).max(self.rested),
        };
        self.clocks.past().is_stained(node, needs, since, at)
    }

    pub(super) fn take_end(&mut self, moment: &CausalMoment, state: &StateVector, at: i64) {
        let running = self.processes.running().union(&NodeSet::of(moment.node));
        let Some(ending) = self.endings.take_state(moment.node, state, moment.chain, at, running) else { return };
        self.figuring.take_end(&ending, &self.states);
        for place in 0..self.end_assertions.len() {
            let row = self.end_assertions[place];
            match (row.wrong)(&ending) {
                None => {
                    self.wrong_ends.remove(&row.property);
                    self.note_held(row.property, &(row.accused)(&ending), PastExtent::Whole, at);
                }
                Some(what) => {
                    let outcome = ending.outcome();
                    if self.wrong_ends.insert(row.property, outcome.clone()) != Some(outcome) {
                        let told_by = self.now.max(at).saturating_add(self.patience);
                        let (nodes, span) = ((row.accused)(&ending), ((row.since)(&ending), at));
                        let finding = Finding::of(row.property, Basis::Never, nodes, span, what, told_by);
                        self.pending.push(finding);
                    }
                }
            }
        }
    }

    /// A state may have ended an election that elects nobody. It need not be quiet for that to be wrong, if all processes
    /// took part in it, honest and linked, and have run since it began: an election in which somebody stands elects
    /// somebody. If they have not, the quiet after it shows whether it does harm.
    pub(super) fn take_fruitless_end(&mut self, at: i64) {
        let electors = self.roster.electors().all();
        let names = |node: NodeId| self.states[index(node)].as_ref().is_some_and(|state| state.believes_in().is_some());
        let Some(failed) = self.fruitless.failed(&electors) else { return };
        let took_part = electors.minus(&failed.together).is_empty();
        let are_all_there = electors.minus(&self.processes.running()).is_empty() && self.parts(Scope::Whole).is_some();
        if failed.ended != at
            || !took_part
            || !are_all_there
            || self.quiet.unsettled >= failed.began
            || electors.iter().any(names)
        {
            return;
        }
        let what = Contradiction::NobodyElected { began: failed.began, states: standing(&self.states, failed.nodes) };
        for place in 0..self.end_assertions.len() {
            let property = self.end_assertions[place].property;
            if property == Property::Largest {
                continue;
            }
            let told_by = self.now.max(at).saturating_add(self.patience);
            let span = (failed.began, at);
            // What broke the election may have befallen another one of them than those that took part.
            self.pending.push(Finding::of(property, Basis::Never, electors, span, what.clone(), told_by));
        }
    }
}
