//! Which assumptions really held: which faults were meant to break each, and what did break it.
//!
//! The meter measures most assumptions by what happens to datagrams, timers and processes. The others are here, read
//! from what the machines go through: all begin an election within one way of a broadcast, or together (where elections
//! have numbers); nobody returns before the election is over; safe cells survive; clocks run at one rate.
//!
//! Invariant: events break an assumption, not orders; the orders are shown beside them.

use serde::{Deserialize, Serialize};

use fault::FaultId;
use protocol::{Assumption, NodeId, NodeSet, Property, Roster, Span, StateVector, delta};
use record::{BreakManner, EffectText, Head, Input, Record, Step};
use world::index;

/// The most elections whose first start is remembered.
const ELECTIONS_MAX: usize = 16;

/// What happened to one assumption in a lab.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct AssumptionView {
    pub assumption: Assumption,
    /// Whether the algorithm needs it.
    pub is_needed: bool,
    /// Which of its promises need it.
    #[serde(default)]
    pub needed_by: Vec<Property>,
    /// The faults that were meant to break it.
    pub meant_by: Vec<FaultId>,
    /// How often a fault broke it: messages, pauses.
    pub by_faults: u64,
    /// How often the machine itself did.
    pub by_machine: u64,
    /// When it was first broken, in nanoseconds since the lab began.
    pub first: Option<i64>,
    /// How it was first broken, as a verdict would say it.
    pub text: Option<String>,
}

impl AssumptionView {
    /// Whether it held.
    pub fn held(&self) -> bool {
        self.first.is_none()
    }
}

/// Watches what the machines go through.
#[derive(Clone, Debug)]
pub(super) struct Courses {
    roster: Roster,
    one_way_bound: i64,
    /// How far apart starts may be and still count as one moment, if the algorithm needs all to begin together: the
    /// time between the delivery of a broadcast and T.
    together: Option<i64>,
    /// How long an election takes: a process that was down for longer breaks nothing when it returns.
    time_bound: i64,
    nodes: Vec<NodeCourse>,
    /// The latest elections.
    begun: Vec<Begun>,
}

/// An election: when the first process began it, and which running processes are or were in it.
#[derive(Clone, Debug)]
struct Begun {
    number: u64,
    at: i64,
    first: NodeId,
    nodes: NodeSet,
    /// When the last of them died, if all have.
    left: Option<i64>,
    /// Those of them that an order made begin it.
    ordered: NodeSet,
}

#[derive(Clone, Debug, Default)]
struct NodeCourse {
    /// Since when its process has been up, if it is.
    up: Option<i64>,
    /// When its process died last.
    died: Option<i64>,
    has_saved: bool,
    /// How often it has started since its cells were lost last, or since the lab began.
    starts: u32,
    /// The last loss of its cells, until it has started as often since then as before.
    lost: Option<LostCells>,
    is_electing: bool,
    election: Option<u64>,
    /// When it began that election.
    began: i64,
}

/// A process has lost its safe cells. What it counts in them, start by start, begins anew: until it has started as often
/// as before, it may use numbers a second time, however long that takes.
#[derive(Copy, Clone, Debug)]
struct LostCells {
    /// How often it had started before.
    starts: u32,
    /// The fault that took the cells, if one did.
    by: Option<FaultId>,
}

impl NodeCourse {
    fn lose_cells(&mut self, by: Option<FaultId>) {
        let before = self.lost.map_or(0, |loss| loss.starts);
        self.lost = Some(LostCells { starts: self.starts.max(before), by });
        self.starts = 0;
    }

    /// Whether it has started on cells that were lost earlier, and not as often since then as before.
    fn is_behind(&self) -> bool {
        self.starts > 1 && self.lost.is_some_and(|loss| self.starts <= loss.starts)
    }
}

impl Courses {
    pub fn new(head: &Head, roster: Roster) -> Courses {
        let nanos = |span: Span| i64::try_from(span.nanos()).unwrap_or(i64::MAX);
        let is_needed = head.facts.needs.contains(&Assumption::StartsTogether);
        let slack = head.timing.t.saturating_sub(delta(head.timing.t, &head.settings));
        Courses {
            one_way_bound: nanos(head.facts.one_way_bound),
            together: is_needed.then(|| nanos(slack)),
            time_bound: nanos(head.facts.time_bound),
            roster,
            nodes: vec![NodeCourse::default(); usize::from(roster.len())],
            begun: Vec::new(),
        }
    }

    /// The node's process died.
    pub fn take_death(&mut self, node: NodeId, at: i64) {
        let course = &mut self.nodes[index(node)];
        course.up = None;
        course.died = Some(at);
        course.is_electing = false;
        course.election = None;
        for begun in &mut self.begun {
            if begun.nodes.remove(node) && begun.nodes.is_empty() {
                begun.left = Some(at);
            }
        }
    }

    /// The node's process found that this fault, or somebody else, changed its cells.
    pub fn take_loss(&mut self, node: NodeId, by: Option<FaultId>) {
        let course = &mut self.nodes[index(node)];
        course.lose_cells(by);
        // What it starts with is told already.
        course.has_saved = false;
    }

    /// A step of the node: what it breaks, with the beginning of the bite.
    pub fn take_step(
        &mut self,
        node: NodeId,
        record: &Record,
        step: &Step,
    ) -> [Option<(Assumption, i64, BreakManner)>; 5] {
        let at = record.at;
        let started = match step.input {
            Input::Start { saved } => self.start(node, saved, at).map(|(assumption, bite)| (assumption, at, bite)),
            _ => None,
        };
        let behind = matches!(step.input, Input::Start { .. }) && self.nodes[index(node)].is_behind();
        let behind = behind.then_some((Assumption::SafeCells, at, BreakManner::BehindCells { node }));
        let alone = step.state.as_ref().and_then(|state| self.started_alone(node, state));
        let late = step.state.as_ref().and_then(|state| self.follow(node, state, &step.input, at));
        let [within, together] = self.started_late(node, late);
        let course = &mut self.nodes[index(node)];
        course.has_saved |= step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }));
        [started, behind, within, together, alone]
    }

    /// The fault that took the node's safe cells last, if one did.
    pub fn cells_lost_by(&self, node: NodeId) -> Option<FaultId> {
        self.nodes[index(node)].lost?.by
    }

    /// Whether an order began the election that began then.
    pub fn was_ordered(&self, at: i64) -> bool {
        self.begun.iter().any(|begun| begun.at == at && begun.ordered.contains(begun.first))
    }

    /// The process that first began the election that the node is in.
    pub fn first_of(&self, node: NodeId) -> Option<NodeId> {
        let number = self.nodes[index(node)].election?;
        self.begun.iter().find(|begun| begun.number == number).map(|begun| begun.first)
    }

    /// Where all must begin together: how much later `of` began than `behind`, if both are in one election and that still
    /// counts as one moment. A message that `of` sent since then must come earlier by this much, because the T of `behind`
    /// began earlier.
    pub fn lag(&self, of: NodeId, behind: NodeId, sent: i64) -> i64 {
        let (one, other) = (&self.nodes[index(of)], &self.nodes[index(behind)]);
        let lag = one.began - other.began;
        match self.together {
            Some(most) if one.election == other.election && sent >= one.began && (0..=most).contains(&lag) => lag,
            _ => 0,
        }
    }

    fn start(&mut self, node: NodeId, saved: bool, at: i64) -> Option<(Assumption, BreakManner)> {
        let course = &mut self.nodes[index(node)];
        course.up = Some(at);
        let loses = course.has_saved && !saved;
        if loses {
            course.lose_cells(None);
        }
        course.starts += 1;
        if loses {
            return Some((Assumption::SafeCells, BreakManner::LostCells { node }));
        }
        let down = at - course.died?;
        let mut others = self.nodes.iter().enumerate().filter(|(place, _)| *place != index(node));
        // How long a bystander was down is no matter to an election.
        let is_within =
            self.roster.elects(node) && down <= self.time_bound && others.any(|(_, other)| other.is_electing);
        is_within.then_some((Assumption::RecoveryOutlasts, BreakManner::RecoveredWithin { node, down }))
    }

    /// If the node begins an election: when the first process began it, and how much later the node does.
    fn follow(&mut self, node: NodeId, state: &StateVector, input: &Input, at: i64) -> Option<(i64, i64)> {
        // A process that hears from one at rest that it was elected does not begin the election.
        let is_news = match input {
            Input::Message { id, .. } => state.coordinator == Some(id.from) && self.is_at_rest(id.from),
            _ => false,
        };
        let course = &mut self.nodes[index(node)];
        course.is_electing = state.course() == protocol::Course::Electing;
        let number = state.election.filter(|_| course.is_electing && course.election != state.election)?;
        course.election = state.election;
        course.began = at;
        // When all its processes are dead and no message of theirs can still come, its number may be used anew.
        let most = self.one_way_bound;
        self.begun.retain(|begun| begun.left.is_none_or(|left| at - left <= most));
        let place = self.begun.iter().position(|begun| begun.number == number).unwrap_or_else(|| {
            if self.begun.len() == ELECTIONS_MAX {
                self.begun.remove(0);
            }
            let (nodes, ordered) = (NodeSet::EMPTY, NodeSet::EMPTY);
            self.begun.push(Begun { number, at, first: node, nodes, left: None, ordered });
            self.begun.len() - 1
        });
        let begun = &mut self.begun[place];
        begun.nodes.insert(node);
        if matches!(input, Input::Order { .. }) {
            begun.ordered.insert(node);
        }
        begun.left = None;
        let first = begun.at;
        (!is_news).then_some((first, at - first))
    }

    /// Whether the node is up and in no election.
    fn is_at_rest(&self, node: NodeId) -> bool {
        self.nodes.get(index(node)).is_some_and(|course| course.up.is_some() && !course.is_electing)
    }

    /// Where all must begin together: whether an election that the node was the first to begin ends for it, and nobody has
    /// begun it but those who were ordered to, although another one was up before. Several are too few only if they elect
    /// nobody.
    fn started_alone(&self, node: NodeId, state: &StateVector) -> Option<(Assumption, i64, BreakManner)> {
        self.together?;
        let course = &self.nodes[index(node)];
        let ends = course.is_electing && state.course() != protocol::Course::Electing;
        let begun = self.begun.iter().find(|begun| ends && Some(begun.number) == course.election)?;
        let were_ordered = begun.first == node && begun.nodes == begun.ordered;
        let are_too_few = begun.nodes.len() == 1 || state.believes_in().is_none();
        let was_left_out = |node: NodeId| {
            let up = self.nodes[index(node)].up;
            !begun.nodes.contains(node) && up.is_some_and(|up| up < begun.at)
        };
        let is_alone = were_ordered && are_too_few && self.roster.electors().all().iter().any(was_left_out);
        is_alone.then_some((Assumption::StartsTogether, begun.at, BreakManner::StartedAlone { nodes: begun.nodes }))
    }

    fn started_late(&self, node: NodeId, late: Option<(i64, i64)>) -> [Option<(Assumption, i64, BreakManner)>; 2] {
        let Some((first, after)) = late else { return [None, None] };
        let bite =
            |assumption, most| (after > most).then_some((assumption, first, BreakManner::StartedLate { node, after }));
        let together = self.together.and_then(|most| bite(Assumption::StartsTogether, most));
        [bite(Assumption::StartsWithinT, self.one_way_bound), together]
    }
}
