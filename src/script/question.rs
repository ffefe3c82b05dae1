//! Asks a condition of the world, and says what is true instead.
//!
//! Invariant: a condition of a moment reads only the states of running processes.

use lab::{Condition, ViolationReason};
use protocol::{BlockedUpdate, Course, NodeId, NodeSet, SectionState, Status, UpdateWork, Work};
use record::Outcome;
use world::{GroupView, NodeView, ViolationView, World};

/// Whether the condition is true of the world. A `violation …` is asked as if no other violation were expected.
pub fn holds(condition: &Condition, world: &World) -> bool {
    match condition {
        Condition::Coordinator { node, of } => {
            let mut asked = running(world).filter(|(id, _)| of.is_none_or(|of| of.contains(*id))).peekable();
            // What all believe of one that is dead or stopped is no coordinator; `of A` asks what these believe.
            let is_there = of.is_some() || world.running().contains(*node);
            is_there && asked.peek().is_some() && asked.all(|(_, view)| view.believes_in() == Some(*node))
        }
        Condition::AllNormal => {
            let mut all = running(world).peekable();
            all.peek().is_some() && all.all(|(_, view)| is_normal(view))
        }
        Condition::Groups(number) => {
            holds(&Condition::AllNormal, world) && world.groups_of(&world.running()).len() == *number
        }
        Condition::Group { members, under } => {
            let present = members.intersection(&world.running());
            let mut groups = world.groups_of(&world.running()).into_iter();
            let is_it = |group: &GroupView| group.coordinator == *under && group.members == present;
            let normal = running(world).filter(|(id, _)| present.contains(*id)).all(|(_, view)| is_normal(view));
            !present.is_empty() && normal && groups.any(|group| is_it(&group))
        }
        Condition::Master(node) => {
            let mut all = running(world);
            let at_end = |id: NodeId, view: &NodeView| {
                let names = view.believes_in() == Some(*node);
                is_normal(view) && names || in_help(view) && id != *node
            };
            world.running().contains(*node) && all.all(|(id, view)| at_end(id, view))
        }
        Condition::HelpNone => helpless(world).is_empty(),
        Condition::Help(nodes) => helpless(world) == *nodes,
        Condition::Done(shards) => collected(world).is_some_and(|(_, done)| done >= usize::from(*shards)),
        Condition::History(groups) => {
            let mut all = running(world).peekable();
            all.peek().is_some() && all.all(|(_, view)| known_groups(view).is_some_and(|known| known >= *groups))
        }
        Condition::Logged(updates) => {
            let mut logs = logs(world).peekable();
            logs.peek().is_some()
                && running(world).all(|(_, view)| updates_of(view).is_some())
                && logs.all(|(_, work)| work.length >= *updates)
        }
        Condition::Blocked(knows) => blocked(world).map(|(_, blocked)| blocked.knows) == *knows,
        Condition::Conflicts(updates) => {
            let mut all = running(world).peekable();
            all.peek().is_some()
                && all.all(|(_, view)| updates_of(view).is_some_and(|work| work.in_conflict() == *updates))
        }
        Condition::Served { services, by } => served(world, *by) >= *services,
        Condition::Refused(times) => refused(world).is_some_and(|(_, refused)| refused >= *times),
        Condition::Members(nodes) => {
            let mut all = running(world).peekable();
            all.peek().is_some() && all.all(|(_, view)| members_of(view) == Some(*nodes))
        }
        Condition::Counter(counter) => {
            let mut all = running(world).peekable();
            all.peek().is_some() && all.all(|(_, view)| counter_of(view) == Some(*counter))
        }
        Condition::Entered(times) => fewest_entries(world).is_some_and(|(_, fewest)| fewest >= *times),
        Condition::Inside(nodes) => inside(world) == nodes.unwrap_or_default(),
        Condition::NoViolation => world.violations.is_empty(),
        Condition::Violation { .. } => at_end(condition, &[condition], world) == Outcome::Met,
    }
}

/// The outcome of a condition of the end, in a lab that expects these violations.
pub(super) fn at_end(condition: &Condition, expected: &[&Condition], world: &World) -> Outcome {
    let found = &world.violations;
    let is_right = match condition {
        Condition::NoViolation => found.is_empty(),
        _ => {
            let is_expected = |view: &ViolationView| expected.iter().any(|other| is_what(other, view));
            // A violation that this computer itself caused is excused: it proves nothing, and does not spoil the lab.
            found.iter().filter(|view| !view.report.is_by_machine()).all(is_expected)
                && found.iter().any(|view| is_what(condition, view))
        }
    };
    // Where records are missing, a violation may be missing too; a violation that was found stays found.
    let could_be_missing = match condition {
        Condition::NoViolation => is_right,
        _ => is_right || found.is_empty(),
    };
    match (is_right, could_be_missing && is_unknowable(world)) {
        (_, true) => Outcome::Unknown,
        (true, false) => Outcome::Met,
        (false, false) => Outcome::Failed,
    }
}

/// The violations that this condition of the end asks for, as a fragment: `uniqueness of 1-3 because 9`.
pub(super) fn came(condition: &Condition, world: &World) -> String {
    let asked = world.violations.iter().filter(|view| is_what(condition, view));
    let mut texts: Vec<String> = asked.map(violation).collect();
    texts.dedup();
    texts.join(", ")
}

/// The violations that none of these conditions expects, if this condition's own one came: `uniqueness of 1-3 because 9`.
pub(super) fn unexpected(condition: &Condition, expected: &[&Condition], world: &World) -> Option<String> {
    let found = &world.violations;
    let others =
        found.iter().filter(|view| !view.report.is_by_machine() && !expected.iter().any(|that| is_what(that, view)));
    let others: Vec<String> = others.map(violation).collect();
    let came = found.iter().any(|view| is_what(condition, view));
    (came && !others.is_empty()).then(|| others.join(", "))
}

/// Whether the judge may have missed a violation.
pub(super) fn is_unknowable(world: &World) -> bool {
    world.missed > 0 || world.undecidable.is_some()
}

/// Whether this violation is one that the condition expects.
pub(super) fn is_what(condition: &Condition, view: &ViolationView) -> bool {
    let Condition::Violation { property, because } = condition else { return false };
    let report = &view.report;
    let cause = match (because, report.because()) {
        (None, broken) => broken.is_some(),
        (Some(ViolationReason::Assumption(expected)), broken) => broken == Some(*expected),
        (Some(ViolationReason::Hole(_) | ViolationReason::Unpromised), broken) => broken.is_none(),
    };
    report.property == *property && cause && !report.is_by_machine()
}

/// The running coordinator in Normal that has the results of most shards, and how many.
fn collected(world: &World) -> Option<(NodeId, usize)> {
    let coordinators = running(world).filter(|(id, view)| is_normal(view) && view.believes_in() == Some(*id));
    let done = coordinators.filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
        Work::Shards(shards) => Some((id, shards.done.len())),
        _ => None,
    });
    done.max_by_key(|(_, done)| *done)
}

/// How many groups a process at work knows of, if it lacks none that its group knows.
fn known_groups(view: &NodeView) -> Option<u32> {
    match view.state.as_ref()?.work.as_deref()? {
        Work::History(work) if work.group.is_some() && work.fetches.is_empty() => Some(work.groups),
        _ => None,
    }
}

/// What a process does for the updates of a counter, as far as it has told.
fn updates_of(view: &NodeView) -> Option<&UpdateWork> {
    match view.state.as_ref()?.work.as_deref()? {
        Work::Updates(work) => Some(work),
        _ => None,
    }
}

/// The logs of the processes that run.
fn logs(world: &World) -> impl Iterator<Item = (NodeId, &UpdateWork)> {
    running(world).filter_map(|(id, view)| Some((id, updates_of(view)?)))
}

/// The first running coordinator in Normal that is blocked, and by what.
fn blocked(world: &World) -> Option<(NodeId, BlockedUpdate)> {
    let mut coordinators = running(world).filter(|(id, view)| is_normal(view) && view.believes_in() == Some(*id));
    coordinators.find_map(|(id, view)| Some((id, updates_of(view)?.blocked?)))
}

/// The members that a process knows, as far as it has told.
fn members_of(view: &NodeView) -> Option<NodeSet> {
    Some(view.state.as_ref()?.work.as_deref()?.members()?.members)
}

/// What a process holds of a replicated counter, as far as it has told.
fn counter_of(view: &NodeView) -> Option<i64> {
    view.state.as_ref()?.work.as_deref()?.counter()
}

/// The processes that run and may refuse something, and how often they have done so.
fn refused(world: &World) -> Option<(NodeSet, u64)> {
    let running = world.nodes.iter().filter(|(_, view)| view.process.runs());
    let refusals = running.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.refusals()?)));
    let (nodes, times): (Vec<NodeId>, Vec<u64>) = refusals.unzip();
    (!nodes.is_empty()).then(|| (nodes.into_iter().collect(), times.into_iter().sum()))
}

/// How many services the running processes have finished together, or this one has.
fn served(world: &World, by: Option<NodeId>) -> u64 {
    let asked = running(world).filter(|(id, _)| by.is_none_or(|by| by == *id));
    let finished = asked.filter_map(|(_, view)| match view.state.as_ref()?.work.as_deref()? {
        Work::Service(work) => Some(u64::from(work.finished)),
        _ => None,
    });
    finished.sum()
}

/// The running process that has entered the critical section least often, and how often.
fn fewest_entries(world: &World) -> Option<(NodeId, u64)> {
    let entries =
        running(world).filter_map(|(id, view)| Some((id, view.state.as_ref()?.work.as_deref()?.section()?.entries)));
    entries.min_by_key(|(_, entries)| *entries)
}

/// The running processes that are inside the critical section.
fn inside(world: &World) -> NodeSet {
    let is_inside =
        |view: &NodeView| Some(view.state.as_ref()?.work.as_deref()?.section()?.stance == SectionState::Inside);
    running(world).filter(|(_, view)| is_inside(view) == Some(true)).map(|(id, _)| id).collect()
}

/// What is true instead of the condition, as a fragment: `1,2 name 5, 3 names nobody (Election)`.
pub fn instead(condition: &Condition, world: &World) -> String {
    match condition {
        Condition::Coordinator { node, of } => {
            let asked = of.unwrap_or_else(|| world.running());
            let said = described(world, asked, |view| match view.believes_in() {
                Some(coordinator) => Phrase::Names(coordinator.to_string()),
                None => Phrase::Names(format!("nobody ({})", status(view))),
            });
            let is_gone = of.is_none() && !asked.is_empty() && !asked.contains(*node);
            if is_gone { format!("{said}, and {node} does not run") } else { said }
        }
        Condition::AllNormal => described(world, world.running(), |view| Phrase::Is(status(view))),
        Condition::Groups(_) | Condition::Group { .. } => {
            described(world, world.running(), |view| match (is_normal(view), view.believes_in()) {
                (true, Some(coordinator)) => Phrase::Is(match view.state.as_ref().and_then(|state| state.group) {
                    Some(number) => format!("under {coordinator} in group {number}"),
                    None => format!("under {coordinator}"),
                }),
                _ => Phrase::Is(format!("not Normal ({})", status(view))),
            })
        }
        Condition::Master(node) => {
            let said = described(world, world.running(), |view| match view.believes_in() {
                Some(master) if is_normal(view) => Phrase::Names(master.to_string()),
                _ => Phrase::Is(format!("in {}", word(view))),
            });
            if world.running().contains(*node) { said } else { format!("{said}, and {node} does not run") }
        }
        Condition::HelpNone | Condition::Help(_) => match helpless(world) {
            nobody if nobody.is_empty() => "nobody asks for help".to_owned(),
            nodes if nodes.len() == 1 => format!("{nodes} asks for help"),
            nodes => format!("{nodes} ask for help"),
        },
        Condition::Done(_) => match collected(world) {
            Some((node, done)) => format!("{node} has the results of {done}"),
            None => "no coordinator is at work".to_owned(),
        },
        Condition::History(_) => described(world, world.running(), |view| match known_groups(view) {
            Some(known) => Phrase::Is(format!("at work with {known} groups in its history")),
            None => Phrase::Is("not at work with a whole history".to_owned()),
        }),
        Condition::Logged(_) => {
            let without = running(world).find(|(_, view)| updates_of(view).is_none());
            match (without, logs(world).min_by_key(|(_, work)| work.length)) {
                (Some((node, _)), _) => format!("{node} has told of no log"),
                (None, Some((node, work))) => format!("the log of {node} has {}", work.length),
                (None, None) => "no process runs".to_owned(),
            }
        }
        Condition::Blocked(_) => match blocked(world) {
            Some((node, blocked)) => format!("{node} is blocked: {blocked}"),
            None => "no coordinator is blocked".to_owned(),
        },
        Condition::Served { by, .. } => {
            let who = by.map_or_else(|| "together they have".to_owned(), |node| format!("{node} has"));
            format!("{who} finished {}", served(world, *by))
        }
        Condition::Conflicts(_) => described(world, world.running(), |view| {
            let listed = updates_of(view).map_or(0, UpdateWork::in_conflict);
            Phrase::Is(format!("at work with {listed} updates in conflict"))
        }),
        Condition::Entered(_) => match fewest_entries(world) {
            Some((node, 1)) => format!("{node} has entered once"),
            Some((node, entries)) => format!("{node} has entered {entries} times"),
            None => "nobody has told of a critical section".to_owned(),
        },
        Condition::Inside(_) => match inside(world) {
            nobody if nobody.is_empty() => "nobody is inside".to_owned(),
            nodes if nodes.len() == 1 => format!("{nodes} is inside"),
            nodes => format!("{nodes} are inside"),
        },
        Condition::Refused(_) => match refused(world) {
            Some((nodes, refused)) if nodes.len() == 1 => format!("{nodes} has refused {refused}"),
            Some((nodes, refused)) => format!("{nodes} have refused {refused}"),
            None => "nobody runs that could refuse something".to_owned(),
        },
        Condition::Members(_) => described(world, world.running(), |view| match members_of(view) {
            Some(members) => Phrase::Names(members.to_string()),
            None => Phrase::Names("no members".to_owned()),
        }),
        Condition::Counter(_) => described(world, world.running(), |view| match counter_of(view) {
            Some(counter) => Phrase::Is(format!("at {counter}")),
            None => Phrase::Is("without a counter".to_owned()),
        }),
        Condition::NoViolation | Condition::Violation { .. } => {
            let texts: Vec<String> = world.violations.iter().map(violation).collect();
            if texts.is_empty() { "no violation".to_owned() } else { texts.join(", ") }
        }
    }
}

fn violation(view: &ViolationView) -> String {
    let report = &view.report;
    let cause = match report.because() {
        None => "with no assumption broken".to_owned(),
        Some(broken) if report.is_by_machine() => format!("because {} (this computer)", broken.number()),
        Some(broken) => format!("because {}", broken.number()),
    };
    format!("{} of {} {cause}", report.property, report.nodes)
}

/// The processes that run and elect.
fn running(world: &World) -> impl Iterator<Item = (NodeId, &NodeView)> {
    let running = world.running();
    world.nodes.iter().filter(move |(id, _)| running.contains(**id)).map(|(id, view)| (*id, view))
}

fn helpless(world: &World) -> NodeSet {
    running(world).filter(|(_, view)| in_help(view)).map(|(id, _)| id).collect()
}

fn is_normal(view: &NodeView) -> bool {
    view.state.as_ref().is_some_and(|state| state.status == Status::Normal)
}

/// Whether it is in the phase in which it waits for help, or has asked for help in another one that it is still in.
fn in_help(view: &NodeView) -> bool {
    view.help.is_some() || view.state.as_ref().is_some_and(|state| state.course() == Course::Help)
}

/// Where states are phases of an election (King and Ni), `Down` would say of a running process what is not so.
fn status(view: &NodeView) -> String {
    match &view.state {
        None => "starting".to_owned(),
        Some(state) if state.status == Status::Down && state.ballot.is_some() => format!("in phase {}", state.word),
        Some(state) => state.status.to_string(),
    }
}

fn word(view: &NodeView) -> String {
    view.state.as_ref().map_or("its start".to_owned(), |state| state.word.to_string())
}

/// The words about one process or several.
#[derive(Eq, PartialEq)]
enum Phrase {
    Names(String),
    Is(String),
}

/// Says it of these nodes, if they run: nodes with the same words are named together, the lowest id first.
fn described(world: &World, nodes: NodeSet, say: impl Fn(&NodeView) -> Phrase) -> String {
    let mut said: Vec<(Phrase, NodeSet)> = Vec::new();
    for (id, view) in running(world).filter(|(id, _)| nodes.contains(*id)) {
        let phrase = say(view);
        match said.iter_mut().find(|(other, _)| *other == phrase) {
            Some((_, nodes)) => {
                nodes.insert(id);
            }
            None => said.push((phrase, NodeSet::of(id))),
        }
    }
    if said.is_empty() {
        return "none of them runs".to_owned();
    }
    let texts: Vec<String> = said
        .into_iter()
        .map(|(phrase, nodes)| match (phrase, nodes.len()) {
            (Phrase::Names(whom), 1) => format!("{nodes} names {whom}"),
            (Phrase::Names(whom), _) => format!("{nodes} name {whom}"),
            (Phrase::Is(how), 1) => format!("{nodes} is {how}"),
            (Phrase::Is(how), _) => format!("{nodes} are {how}"),
        })
        .collect();
    texts.join(", ")
}
