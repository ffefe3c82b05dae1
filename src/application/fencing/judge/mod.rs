//! The writes of coordinators to a resource: whether an older one's lands after a newer one's, and whether a newer one's
//! is refused (the property `fencing`).
//!
//! A term begins when its coordinator comes to Normal. It is older than another if the other's coordinator knew of this
//! beginning, by happened-before, when it entered the election by which it came to be: who was paused in an election
//! comes to Normal late, and in an old term. The numbers with which they write are not asked, because they are what is
//! tested. Of two terms of which neither is older nothing is judged. In which order writes land is the resource's own order. Of
//! all terms whose writes have landed only the newest are kept, because a term that is older than one of the others is
//! older than one of these.
//!
//! What the last step of the resource's process says may never have come to its safe cells: a write that landed in it
//! counts when the next process begins with it.
//!
//! Invariant: a term whose beginning is not known, or whose past goes through a gap, proves nothing.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use judge::{JudgedWork, ProcessLife, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    Course, Facts, FencingNumber, FencingWork, NodeId, NodeSet, Property, ResourceWork, Roster, StateVector, Status,
    TermId, Work, WriteFate, WriteView, WriterWork,
};
use record::WorkContradiction;
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most terms that are kept.
const TERMS_MAX: usize = 512;

/// The judge of a lab of these facts and nodes.
pub fn of(_: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    Some(Box::new(FencedWrites::new(roster)))
}

/// What is remembered of the terms and of the resource.
#[derive(Clone, Debug)]
struct FencedWrites {
    roster: Roster,
    /// The latest ones, in the order in which they began.
    terms: VecDeque<KnownTerm>,
    /// By node: its term after its last step, if no record of it is missing.
    writers: Vec<Option<ShownTerm>>,
    /// By node: the election that it is in.
    elections: Vec<ElectionEntry>,
    /// The resource after its last step, if no record of it is missing.
    resource: Option<ResourceWork>,
    /// The newest terms whose writes have landed for sure.
    newest: Vec<LandedTerm>,
    /// The term whose write landed in the resource's last step.
    unsure: Option<LandedTerm>,
    /// Whether some write may have landed that is not known here.
    has_missed: bool,
}

/// The term that a process shows, and whether it coordinates in Normal.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct ShownTerm {
    id: Option<TermId>,
    is_at_work: bool,
}

/// When a process entered the election that it is in.
#[derive(Clone, Debug)]
enum ElectionEntry {
    /// The process is in none.
    Outside,
    /// At this moment.
    At(CausalMoment),
    /// Records are missing there.
    Unknown,
}

/// A term and its beginning.
#[derive(Clone, Debug)]
struct KnownTerm {
    id: TermId,
    /// When its coordinator entered the election.
    entered: CausalMoment,
    /// The turn of its coordinator in which it came to Normal.
    begin: u64,
    /// The stamp of its beginning.
    since: i64,
    /// What was told of its writes: that one landed late, and that one was refused wrongly.
    told: [bool; 2],
}

/// A term whose write has landed.
#[derive(Clone, Debug)]
struct LandedTerm {
    term: KnownTerm,
    number: FencingNumber,
}

impl KnownTerm {
    /// Whether this coordinator could have heard of the other's term when it entered its own election.
    fn is_newer_than(&self, other: &KnownTerm) -> bool {
        self.id != other.id && self.entered.knows(other.id.node, other.begin)
    }
}

impl WorkJudge for FencedWrites {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let wrong = self.judge(moment, state, life, at)?;
        Some(JudgedWork::of(Property::Fencing, wrong, moment, at))
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        let node = moment.node;
        self.writers[index(node)] = None;
        self.elections[index(node)] = ElectionEntry::Outside;
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.writers[index(node)] = None;
        self.elections[index(node)] = ElectionEntry::Unknown;
        if !self.roster.elects(node) {
            (self.resource, self.unsure, self.has_missed) = (None, None, true);
        }
    }
}

impl FencedWrites {
    pub fn new(roster: Roster) -> FencedWrites {
        FencedWrites {
            roster,
            terms: VecDeque::new(),
            writers: vec![None; usize::from(roster.len())],
            elections: vec![ElectionEntry::Outside; usize::from(roster.len())],
            resource: None,
            newest: Vec::new(),
            unsure: None,
            has_missed: false,
        }
    }

    /// Returns what is wrong, or nothing if there was nothing to judge.
    fn judge(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<Vec<WrongWork>> {
        let Some(Work::Fencing(work)) = state.work.as_deref() else { return None };
        match work {
            FencingWork::Writer(work) => self.take_writer(moment, state, work, life, at),
            FencingWork::Resource(work) => self.take_resource(moment.node, work, life, at),
        }
    }

    fn take_writer(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        work: &WriterWork,
        life: ProcessLife,
        at: i64,
    ) -> Option<Vec<WrongWork>> {
        let node = moment.node;
        let entered = self.take_course(moment, state);
        let is_at_work = state.status == Status::Normal && state.coordinates(node);
        let shown = ShownTerm { id: work.term, is_at_work };
        let last = self.writers[index(node)].replace(shown);
        let term = work.term?;
        let before = match (life, last) {
            (ProcessLife::Begins, _) => ShownTerm { id: None, is_at_work: false },
            (ProcessLife::GoesOn, last) => last?,
        };
        if before == shown {
            return None;
        }
        let mut wrong = Vec::new();
        let mut say = |what: WorkContradiction| {
            wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed })
        };
        if !is_at_work {
            say(WorkContradiction::TermWithoutOffice { node });
        } else if FencingNumber::of(state).is_some_and(|number| work.number != Some(number)) {
            say(WorkContradiction::ForeignNumber { node });
        } else if let Some(entered) = entered.filter(|entered| entered.chain == PastExtent::Whole)
            && before.id != Some(term)
        {
            if self.terms.len() == TERMS_MAX {
                self.terms.pop_front();
            }
            self.terms.push_back(KnownTerm { id: term, entered, begin: moment.own, since: at, told: [false; 2] });
        }
        Some(wrong)
    }

    /// When the process entered the election that it is in, or comes out of in this step; nothing if that is not known.
    fn take_course(&mut self, moment: &CausalMoment, state: &StateVector) -> Option<CausalMoment> {
        let entry = &mut self.elections[index(moment.node)];
        if let (ElectionEntry::Outside, Course::Electing) = (&entry, state.course()) {
            *entry = ElectionEntry::At(moment.clone());
        }
        let entered = match entry {
            ElectionEntry::Outside => Some(moment.clone()),
            ElectionEntry::At(entered) => Some(entered.clone()),
            ElectionEntry::Unknown => None,
        };
        if state.course() != Course::Electing {
            *entry = ElectionEntry::Outside;
        }
        entered
    }

    fn take_resource(
        &mut self,
        node: NodeId,
        work: &ResourceWork,
        life: ProcessLife,
        at: i64,
    ) -> Option<Vec<WrongWork>> {
        let last = self.resource.replace(work.clone());
        if let Some(unsure) = self.unsure.take() {
            // A process begins with what its cells hold.
            let was_kept = life == ProcessLife::GoesOn || last.as_ref().is_some_and(|last| work.landed >= last.landed);
            if was_kept {
                self.keep(unsure);
            }
        }
        let last = last.filter(|_| life == ProcessLife::GoesOn)?;
        let write = work.latest.filter(|_| (work.landed, work.refused) != (last.landed, last.refused))?;
        let Some(term) = self.terms.iter().find(|term| term.id == write.term).cloned() else {
            self.has_missed = true;
            return None;
        };
        let (wrong, right_value) = match write.fate {
            WriteFate::Landed => {
                let wrong = self.stale(node, &term, &write);
                self.unsure = Some(LandedTerm { term, number: write.number });
                (wrong, write.value)
            }
            WriteFate::Refused => (self.refused_wrongly(node, &term, &write), last.value),
        };
        // It goes on as long as the term does, so it is told once.
        let place = usize::from(write.fate == WriteFate::Refused);
        let told = self.terms.iter_mut().find(|term| term.id == write.term).map(|term| &mut term.told[place]);
        let was_told = wrong.is_some() && told.is_some_and(|told| std::mem::replace(told, true));
        let other = (work.value != right_value).then(|| WrongWork {
            nodes: NodeSet::of(node),
            since: at,
            what: WorkContradiction::WrongValue { node, value: work.value, right: right_value },
            grade: WorkGrade::Observed,
        });
        if was_told && other.is_none() {
            return None;
        }
        Some(wrong.filter(|_| !was_told).into_iter().chain(other).collect())
    }

    /// A write of this term has landed; wrong if one of a newer term has landed before.
    fn stale(&self, node: NodeId, term: &KnownTerm, write: &WriteView) -> Option<WrongWork> {
        let newer = self.newest.iter().find(|landed| landed.term.is_newer_than(term))?;
        let (older, newer_node) = (term.id.node, newer.term.id.node);
        let what = WorkContradiction::StaleWrite {
            older,
            number: write.number,
            node,
            newer: newer_node,
            newer_number: newer.number,
        };
        let nodes = [older, newer_node, node].into_iter().collect();
        Some(WrongWork { nodes, since: term.since.min(newer.term.since), what, grade: WorkGrade::Observed })
    }

    /// A write of this term was refused; wrong if no newer one has landed.
    fn refused_wrongly(&self, node: NodeId, term: &KnownTerm, write: &WriteView) -> Option<WrongWork> {
        let is_newest = !self.has_missed
            && !self.newest.is_empty()
            && self.newest.iter().all(|landed| landed.term.id == term.id || term.is_newer_than(&landed.term));
        let older = self.newest.first().filter(|_| is_newest)?;
        let (newer, older_node) = (term.id.node, older.term.id.node);
        let number = write.number;
        let what = match older.term.id == term.id {
            true => WorkContradiction::RefusesWriter { node, newer, number },
            false => {
                let older_number = older.number;
                WorkContradiction::RefusesNewest { node, newer, number, older: older_node, older_number }
            }
        };
        Some(WrongWork {
            nodes: [newer, older_node, node].into_iter().collect(),
            since: older.term.since,
            what,
            grade: WorkGrade::Observed,
        })
    }

    fn keep(&mut self, landed: LandedTerm) {
        let is_known = |known: &LandedTerm| known.term.id == landed.term.id || known.term.is_newer_than(&landed.term);
        if self.newest.iter().any(is_known) {
            return;
        }
        self.newest.retain(|known| !landed.term.is_newer_than(&known.term));
        self.newest.push(landed);
    }
}
