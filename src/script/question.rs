//! Asks a condition of the world, and says what is true instead.
//!
//! Invariant: a condition of a moment reads only the states of running processes.

use lab::{Condition, ViolationReason};
use protocol::{Course, NodeId, NodeSet, Status};
use record::Outcome;
use world::{GroupView, NodeView, Phrase, ViolationView, World, described, running};

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
            all.peek().is_some() && all.all(|(_, view)| view.is_normal())
        }
        Condition::Groups(number) => {
            holds(&Condition::AllNormal, world) && world.groups_of(&world.running()).len() == *number
        }
        Condition::Group { members, under } => {
            let present = members.intersection(&world.running());
            let mut groups = world.groups_of(&world.running()).into_iter();
            let is_it = |group: &GroupView| group.coordinator == *under && group.members == present;
            let normal = running(world).filter(|(id, _)| present.contains(*id)).all(|(_, view)| view.is_normal());
            !present.is_empty() && normal && groups.any(|group| is_it(&group))
        }
        Condition::Master(node) => {
            let mut all = running(world);
            let at_end = |id: NodeId, view: &NodeView| {
                let names = view.believes_in() == Some(*node);
                view.is_normal() && names || in_help(view) && id != *node
            };
            world.running().contains(*node) && all.all(|(id, view)| at_end(id, view))
        }
        Condition::HelpNone => helpless(world).is_empty(),
        Condition::Help(nodes) => helpless(world) == *nodes,
        Condition::Work(work) => (work.form.holds)(&work.asked, world),
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
            described(world, world.running(), |view| match (view.is_normal(), view.believes_in()) {
                (true, Some(coordinator)) => Phrase::Is(match view.state.as_ref().and_then(|state| state.group) {
                    Some(number) => format!("under {coordinator} in group {number}"),
                    None => format!("under {coordinator}"),
                }),
                _ => Phrase::Is(format!("not Normal ({})", status(view))),
            })
        }
        Condition::Master(node) => {
            let said = described(world, world.running(), |view| match view.believes_in() {
                Some(master) if view.is_normal() => Phrase::Names(master.to_string()),
                _ => Phrase::Is(format!("in {}", word(view))),
            });
            if world.running().contains(*node) { said } else { format!("{said}, and {node} does not run") }
        }
        Condition::HelpNone | Condition::Help(_) => match helpless(world) {
            nobody if nobody.is_empty() => "nobody asks for help".to_owned(),
            nodes if nodes.len() == 1 => format!("{nodes} asks for help"),
            nodes => format!("{nodes} ask for help"),
        },
        Condition::Work(work) => (work.form.instead)(&work.asked, world),
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

fn helpless(world: &World) -> NodeSet {
    running(world).filter(|(_, view)| in_help(view)).map(|(id, _)| id).collect()
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
