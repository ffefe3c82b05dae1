//! Which fault lines end what other lines began: `resume 3` ends what `pause 3` began.
//!
//! Invariant: a line that may end a fault is taken for one that does. Only the run knows which nodes `crash coordinator`
//! means.

use std::collections::BTreeSet;

use fault::{FaultEffect, FaultLine, LinkRule, ProcessFault, Target};
use lab::Lab;
use protocol::NodeSet;

/// For each fault line of the lab, in order, the places of the lines whose faults it ends; none if it ends nothing.
pub(super) fn ends_of(lab: &Lab) -> Vec<BTreeSet<usize>> {
    let all = lab.roster.all();
    let mut standing: Vec<LastingLine<'_>> = Vec::new();
    let lines = lab.steps.iter().flat_map(|step| &step.lines).enumerate();
    lines
        .map(|(place, line)| {
            let ended = take_ended(&mut standing, line, all);
            standing.extend(is_lasting(line).then(|| LastingLine::of(place, line, all)));
            ended
        })
        .collect()
}

/// A line whose fault stands.
struct LastingLine<'l> {
    place: usize,
    line: &'l FaultLine,
    /// The nodes of which it still does, if it is one of processes and they are known beforehand.
    nodes: Option<NodeSet>,
}

impl<'l> LastingLine<'l> {
    fn of(place: usize, line: &'l FaultLine, all: NodeSet) -> LastingLine<'l> {
        let nodes = match line {
            FaultLine::Process(_, target) => target.known(all),
            _ => None,
        };
        LastingLine { place, line, nodes }
    }
}

/// Whether the line begins something that stays until it is ended.
fn is_lasting(line: &FaultLine) -> bool {
    match line {
        FaultLine::Process(fault, _) => !fault.only_repairs(),
        FaultLine::Link(LinkRule { effect: FaultEffect::Release(_) | FaultEffect::Courier(_), .. }) => false,
        FaultLine::Link(_) | FaultLine::Speed(_) => true,
        FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => false,
    }
}

/// What this line ends of what stands. What it surely ends as a whole stands no more.
fn take_ended(standing: &mut Vec<LastingLine<'_>>, line: &FaultLine, all: NodeSet) -> BTreeSet<usize> {
    let places = |ended: Vec<LastingLine<'_>>| ended.into_iter().map(|fault| fault.place).collect();
    let is_of_links = |line: &FaultLine| matches!(line, FaultLine::Link(_));
    match line {
        FaultLine::Process(ProcessFault::Recover, target) => take_of(standing, ProcessFault::Crash, target.known(all)),
        FaultLine::Process(ProcessFault::Resume, target) => take_of(standing, ProcessFault::Pause, target.known(all)),
        FaultLine::Process(ProcessFault::Honest, target) => take_lies(standing, target, all),
        FaultLine::Heal => places(standing.extract_if(.., |fault| is_of_links(fault.line)).collect()),
        FaultLine::HealAll => {
            let is_process = |line: &FaultLine| matches!(line, FaultLine::Process(..));
            places(standing.extract_if(.., |fault| is_of_links(fault.line) || is_process(fault.line)).collect())
        }
        FaultLine::Lift(id) => places(standing.extract_if(.., |fault| fault.place + 1 == id.0 as usize).collect()),
        FaultLine::Undo => standing.pop().map(|fault| fault.place).into_iter().collect(),
        // It may release a part of what is held.
        FaultLine::Link(LinkRule { effect: FaultEffect::Release(_), .. }) => {
            let is_hold =
                |line: &FaultLine| matches!(line, FaultLine::Link(LinkRule { effect: FaultEffect::Hold(_), .. }));
            standing.iter().filter(|fault| is_hold(fault.line)).map(|fault| fault.place).collect()
        }
        FaultLine::Process(..) | FaultLine::Link(_) | FaultLine::Speed(_) => BTreeSet::new(),
    }
}

fn take_lies(standing: &mut Vec<LastingLine<'_>>, target: &Target, all: NodeSet) -> BTreeSet<usize> {
    let is_lie = |line: &FaultLine| matches!(line, FaultLine::Process(ProcessFault::Liar(_), _));
    take_at(standing, is_lie, target.known(all))
}

fn take_of(standing: &mut Vec<LastingLine<'_>>, ended: ProcessFault, nodes: Option<NodeSet>) -> BTreeSet<usize> {
    take_at(standing, |line| matches!(line, FaultLine::Process(fault, _) if *fault == ended), nodes)
}

/// The places of such lines about any of these nodes. A line of which no node is left stands no more.
fn take_at(
    standing: &mut Vec<LastingLine<'_>>,
    is_such: impl Fn(&FaultLine) -> bool,
    nodes: Option<NodeSet>,
) -> BTreeSet<usize> {
    let mut ended = BTreeSet::new();
    for fault in standing.iter_mut().filter(|fault| is_such(fault.line)) {
        let (Some(of), Some(nodes)) = (fault.nodes, nodes) else {
            ended.insert(fault.place);
            continue;
        };
        if !of.intersection(&nodes).is_empty() {
            ended.insert(fault.place);
            fault.nodes = Some(of.minus(&nodes));
        }
    }
    standing.retain(|fault| fault.nodes.is_none_or(|left| !left.is_empty()));
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry::BUILT_IN;

    /// What each of these lines ends, by its place.
    fn ended(lines: &[&str]) -> Vec<Vec<usize>> {
        let lines: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
        let text = format!(
            "name = \"l\"\nabout = \"l\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\nT = \"200ms\"\ncheck = \"200ms\"\n\
             silence = \"1s\"\nstep = [{{ at = \"1s\", do = [{}] }}]\n",
            lines.join(", ")
        );
        let lab = lab::parse("l", &text, BUILT_IN).unwrap();
        ends_of(&lab).into_iter().map(|places| places.into_iter().collect()).collect()
    }

    #[test]
    fn a_line_ends_what_is_its_kind() {
        let none = vec![];
        assert_eq!(ended(&["pause 1", "crash 3", "resume 1"])[2], [0]);
        assert_eq!(ended(&["pause 1", "resume 2"])[1], none);
        assert_eq!(ended(&["recover 5"])[0], none, "a start of what no line killed");
        assert_eq!(ended(&["crash 5", "recover 5", "crash 5", "recover 5"])[1..], [vec![0], none.clone(), vec![2]]);
        assert_eq!(ended(&["crash 4,5", "recover 5", "recover 4", "recover 4"])[1..], [vec![0], vec![0], none.clone()]);
        assert_eq!(ended(&["crash coordinator", "recover 5", "recover 4"])[1..], [[0], [0]]);
        assert_eq!(ended(&["cut 1->2", "pause 3", "heal", "heal all"])[2..], [[0], [1]]);
        assert_eq!(ended(&["cut 1->2", "cut 2->1", "lift f1", "undo"])[2..], [[0], [1]]);
        assert_eq!(ended(&["hold 1->2", "release 1->2"])[1], [0]);
        assert_eq!(ended(&["liar 1 claim", "elect 2", "honest 1"])[2], [0]);
    }
}
