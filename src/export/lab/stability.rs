//! The state of the world, and which part of it a lab can expect again.
//!
//! A world is *settled* when every running process has come to rest and every group's coordinator runs and belongs to
//! it. One group, with every link whole, has settled as soon as it exists. Several groups, or a group while links are
//! cut, may only not have noticed yet: they count when they have lasted for a silence and three Checks more. While a
//! fault rolls dice or holds messages back, nothing counts.
//!
//! The expectation depends on the promise of the algorithm: a master where elections end; the members and coordinator
//! of each group where groups have their own coordinators; else a coordinator.
//!
//! Invariant: nothing proposed depends on chance: no group number, nothing that dice decided, nor whom a criterion elects
//! that another run may answer otherwise.

use std::collections::{BTreeMap, BTreeSet};

use fault::LinkRule;
use lab::Condition;
use protocol::{Assumption, Course, Criterion, Facts, GroupNumber, NodeId, NodeMap, NodeSet, Property, Status};
use record::{Body, Head, Record};
use world::{FaultState, NodeView, World};

/// Watches the state of the world.
#[derive(Debug)]
pub(super) struct StabilityTracker<'a> {
    facts: &'a Facts,
    /// How long a state must last that some processes may not have noticed yet, in nanoseconds.
    noticed_after: i64,
    picture: Option<Picture>,
    since: i64,
    /// The processes at rest by their latest state, and when each last left its rest.
    at_rest: NodeSet,
    left_rest: NodeMap<i64>,
    dice: Chance,
    /// Whether chance gives the processes their capacities.
    is_drawn: bool,
    /// What dice may have broken so far.
    broken: BTreeSet<Assumption>,
    /// When all came together again after the last dice.
    over: Option<i64>,
    is_torn: bool,
}

/// A world at rest.
#[derive(Clone, Eq, PartialEq, Debug)]
struct Picture {
    groups: Vec<KnownGroup>,
    /// Those that ask the operator.
    help: NodeSet,
    /// Those that have not heard of an election yet, and may never.
    idle: NodeSet,
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct KnownGroup {
    coordinator: NodeId,
    number: Option<GroupNumber>,
    members: NodeSet,
}

/// Whether chance has influenced the state of the world.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Chance {
    None,
    /// A fault in force rolls dice, or holds messages back.
    Standing,
    /// The last one ended then.
    Past(i64),
}

/// What can be expected of a world that has settled.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct StableState {
    /// Conditions that are true of it; it may be none.
    pub conditions: Vec<Condition>,
    /// How long it took, in nanoseconds.
    pub took: i64,
}

impl<'a> StabilityTracker<'a> {
    /// The outlook on a lab in which nothing has happened.
    pub(super) fn new(head: &'a Head) -> StabilityTracker<'a> {
        let Head { facts, timing, settings, .. } = head;
        let noticed_after = timing.silence + timing.check * 3 + timing.t * 2;
        StabilityTracker {
            facts,
            noticed_after: i64::try_from(noticed_after.nanos()).unwrap_or(i64::MAX),
            picture: None,
            since: 0,
            at_rest: NodeSet::EMPTY,
            left_rest: NodeMap::new(),
            dice: Chance::None,
            is_drawn: Criterion::of(settings).is_some_and(Criterion::is_by_chance),
            broken: BTreeSet::new(),
            over: None,
            is_torn: false,
        }
    }

    /// Takes in a record that has just been folded into the world.
    pub(super) fn take(&mut self, record: &Record, world: &World) {
        match &record.body {
            Body::Step(step) if step.state.is_none() => return,
            Body::FaultOrdered { .. } | Body::FaultLifted { .. } => self.take_dice(record.at, world),
            Body::Step(_) | Body::Spawned { .. } | Body::Died { .. } | Body::Stopped { .. } | Body::Continued => {}
            _ => return,
        }
        if let Some(node) = record.node {
            let rests = world.nodes.get(&node).is_some_and(|view| self.rest(view).is_some());
            if rests {
                self.at_rest.insert(node);
            } else if self.at_rest.remove(node) {
                self.left_rest.insert(node, record.at);
            }
        }
        let picture = self.draw(world);
        if picture != self.picture {
            self.picture = picture;
            self.since = record.at;
        }
        let are_together = self.picture.as_ref().is_some_and(|picture| picture.groups.len() == 1);
        if self.over.is_none() && matches!(self.dice, Chance::Past(_)) && are_together && links(world).next().is_none()
        {
            self.over = Some(record.at);
        }
    }

    /// Records are missing: what the world is from here on is not known.
    pub(super) fn become_torn(&mut self) {
        self.is_torn = true;
    }

    /// The assumptions that faults with dice, or those that hold messages back, may have broken so far.
    pub(super) fn broken_by_dice(&self) -> &BTreeSet<Assumption> {
        &self.broken
    }

    /// Whether dice may have caused something at this time, for this broken assumption. They have not, once all have
    /// come together again after the last dice.
    pub(super) fn is_by_dice(&self, since: i64, because: Option<Assumption>) -> bool {
        let is_over = self.over.is_some_and(|over| over <= since);
        !is_over && because.is_some_and(|assumption| self.broken.contains(&assumption))
    }

    /// What a lab can expect of the world at `now`, after the last order at `ordered`.
    pub(super) fn settled(&self, ordered: i64, now: i64, world: &World) -> Option<StableState> {
        let picture = self.picture.as_ref().filter(|_| !self.is_torn && self.dice != Chance::Standing)?;
        let stood = now - self.since.max(ordered);
        let is_plain = picture.groups.len() <= 1 && links(world).next().is_none();
        if !is_plain && stood < self.noticed_after {
            return None;
        }
        Some(StableState { conditions: self.conditions(picture), took: (self.since - ordered).max(0) })
    }

    /// Who asks for help, if this algorithm ever does and no dice decided it.
    pub(super) fn help(&self) -> Option<Condition> {
        let picture = self.picture.as_ref().filter(|_| self.elections_end() && !self.is_chance())?;
        Some(if picture.help.is_empty() { Condition::HelpNone } else { Condition::Help(picture.help) })
    }

    fn conditions(&self, picture: &Picture) -> Vec<Condition> {
        let group = |group: &KnownGroup| Condition::Group { members: group.members, under: group.coordinator };
        let leads = |group: &&KnownGroup| self.facts.rank.first_of(&group.members) == Some(group.coordinator);
        match (&picture.groups[..], self.is_chance()) {
            (groups, false) if self.elections_end() => match groups {
                [only] if picture.idle.is_empty() => vec![Condition::Master(only.coordinator)],
                _ => groups.iter().map(of_its_members).collect(),
            },
            (_, true) if self.elections_end() => Vec::new(),
            ([only], false) if self.promises(Property::Assertion3) && leads(&only) => vec![group(only)],
            ([_], _) if self.promises(Property::Assertion3) => vec![Condition::Groups(1)],
            ([only], _) => vec![Condition::Coordinator { node: only.coordinator, of: None }],
            (groups, false) => groups.iter().filter(leads).map(group).collect(),
            (_, true) => Vec::new(),
        }
    }

    fn promises(&self, property: Property) -> bool {
        self.facts.promises.contains(&property)
    }

    /// Whether elections end, and leave those that took part at rest until the next one.
    fn elections_end(&self) -> bool {
        let of_ends = [Property::Uniqueness, Property::DeadlockFree, Property::DeadlockFreeMalicious];
        of_ends.into_iter().any(|property| self.promises(property))
    }

    /// Whether dice may have decided which node is in which group. With one coordinator this ends when all have come
    /// together under it; where elections end, when every process has gone through one since. Groups with coordinators
    /// of their own grow out of the groups before them.
    fn is_chance(&self) -> bool {
        match self.dice {
            _ if self.is_drawn => true,
            Chance::None => false,
            Chance::Standing => true,
            Chance::Past(_) if self.promises(Property::Assertion3) => true,
            Chance::Past(_) if !self.elections_end() => self.over.is_none(),
            Chance::Past(ended) => {
                let members = self.picture.iter().flat_map(|picture| picture.groups.iter().map(|group| group.members));
                let members = members.fold(NodeSet::EMPTY, |union, members| union.union(&members));
                members.iter().any(|node| self.left_rest.get(&node).is_none_or(|left| *left <= ended))
            }
        }
    }

    fn take_dice(&mut self, at: i64, world: &World) {
        let broken: BTreeSet<Assumption> =
            links(world).flat_map(|rule| rule.effect.leaves_to_chance()).copied().collect();
        if !broken.is_empty() {
            self.dice = Chance::Standing;
            self.broken.extend(broken);
            self.over = None;
        } else if self.dice == Chance::Standing {
            self.dice = Chance::Past(at);
        }
    }

    fn rest(&self, view: &NodeView) -> Option<Rest> {
        let state = view.state.as_ref()?;
        match (state.status, state.coordinator) {
            (Status::Normal, Some(coordinator)) => Some(Rest::Under(coordinator, state.group)),
            _ if view.help.is_some() || state.course() == Course::Help => Some(Rest::Help),
            (Status::Down, _) if self.elections_end() => Some(Rest::Idle),
            _ => None,
        }
    }

    fn draw(&self, world: &World) -> Option<Picture> {
        let mut groups: BTreeMap<(NodeId, Option<GroupNumber>), NodeSet> = BTreeMap::new();
        let (mut help, mut idle) = (NodeSet::EMPTY, NodeSet::EMPTY);
        let running = world.running();
        for (id, view) in world.nodes.iter().filter(|(id, _)| running.contains(**id)) {
            match self.rest(view)? {
                Rest::Under(coordinator, number) => {
                    groups.entry((coordinator, number)).or_default().insert(*id);
                }
                Rest::Help => {
                    help.insert(*id);
                }
                Rest::Idle => {
                    idle.insert(*id);
                }
            }
        }
        let coordinators: BTreeSet<NodeId> = groups.keys().map(|(coordinator, _)| *coordinator).collect();
        let is_led = groups.iter().all(|((coordinator, _), members)| members.contains(*coordinator));
        let says_something = !groups.is_empty() || !help.is_empty();
        let groups: Vec<KnownGroup> = groups
            .into_iter()
            .map(|((coordinator, number), members)| KnownGroup { coordinator, number, members })
            .collect();
        (says_something && is_led && coordinators.len() == groups.len()).then_some(Picture { groups, help, idle })
    }
}

/// How a process rests.
enum Rest {
    Under(NodeId, Option<GroupNumber>),
    Help,
    Idle,
}

fn of_its_members(group: &KnownGroup) -> Condition {
    Condition::Coordinator { node: group.coordinator, of: Some(group.members) }
}

/// The link faults that are in force, or may be.
fn links(world: &World) -> impl Iterator<Item = &LinkRule> {
    world.faults.iter().filter(|fault| fault.state != FaultState::Lifted).filter_map(|fault| fault.rule.as_ref())
}
