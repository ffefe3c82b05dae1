//! Words about the work of an application, as the screen shows them: what a step did, the row of a lab, and all about
//! one process.
//!
//! Invariant: a word says how it stands out and not how that looks.

use protocol::{LineNumber, NodeId, NodeSet, Work};
use record::{EffectText, Step};
use world::{NodeView, ProcessState, World};

/// A part of the row in which a lab's work is told.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum RowPart {
    Words(String, Emphasis),
    /// How much of the work is done, as a bar.
    Bar {
        done: usize,
        all: usize,
    },
}

/// How a word stands out.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Emphasis {
    /// Stands between others.
    Plain,
    Normal,
    Strong,
    Dim,
    Good,
    Doubt,
    Bad,
}

/// A field of a process's work, by its name.
pub type Field = (&'static str, String);

/// Words that stand out so.
pub fn words(text: impl Into<String>, emphasis: Emphasis) -> RowPart {
    RowPart::Words(text.into(), emphasis)
}

/// The processes in such a state that have told of their work, with their views.
pub fn working(world: &World, is_so: fn(ProcessState) -> bool) -> impl Iterator<Item = (NodeId, &NodeView, &Work)> {
    let those = world.nodes.iter().filter(move |(_, view)| is_so(view.process));
    those.filter_map(|(id, view)| Some((*id, view, view.state.as_ref()?.work.as_deref()?)))
}

/// Whether a process runs and has taken a step.
pub fn is_running(process: ProcessState) -> bool {
    process == ProcessState::Running
}

/// What is the same of several processes, each once with all of them, in the order of their first.
pub fn together<T: PartialEq>(of: impl Iterator<Item = (NodeId, T)>) -> Vec<(T, NodeSet)> {
    let mut told: Vec<(T, NodeSet)> = Vec::new();
    for (id, what) in of {
        match told.iter_mut().find(|(other, _)| *other == what) {
            Some((_, nodes)) => drop(nodes.insert(id)),
            None => told.push((what, NodeSet::of(id))),
        };
    }
    told
}

/// The first word for one, the second for more.
pub fn by_number<'a>(number: usize, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

/// `once`, `2 times`.
pub fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        number => format!("{number} times"),
    }
}

/// Whether the step went through this line.
pub fn took(step: &Step, line: LineNumber) -> bool {
    step.lines.contains(&line)
}

/// Whether the step sends a message of this kind.
pub fn sends(step: &Step, kind: &str) -> bool {
    step.effects.iter().any(|effect| matches!(effect, EffectText::Send { message, .. } if message.kind == kind))
}

/// Whether the step keeps something in the safe cells.
pub fn keeps(step: &Step) -> bool {
    step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }))
}

/// Several things that a step did, in one.
pub fn joined(said: &[String]) -> Option<String> {
    (!said.is_empty()).then(|| said.join(", and "))
}
