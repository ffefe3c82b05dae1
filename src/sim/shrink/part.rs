//! A lab with a part of its fault lines, and nothing expected of it.
//!
//! Invariant: a line that ends faults goes when the lines of these faults are gone, and not before; one that lifts a fault
//! lifts the same fault as before.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::ends_of;
use fault::{FaultId, FaultLine};
use lab::{Lab, LabStep, When};
use protocol::Span;

/// The name of the step with which a lab ends.
const END: &str = "the lab ends";

/// How many fault lines the lab has.
pub(super) fn lines_of(lab: &Lab) -> usize {
    lab.steps.iter().map(|step| step.lines.len()).sum()
}

/// The places of the lines that end nothing.
pub(super) fn own_lines(lab: &Lab) -> Vec<usize> {
    let ends = ends_of(lab);
    (0..ends.len()).filter(|place| ends[*place].is_empty()).collect()
}

/// The lab with these of the lines that end nothing, and with all lines that end any of these.
pub(super) fn with_own_lines(lab: &Lab, kept: &[usize]) -> Lab {
    let ends = ends_of(lab);
    let ending = (0..ends.len()).filter(|place| ends[*place].iter().any(|ended| kept.contains(ended)));
    let kept: Vec<usize> = ending.chain(kept.iter().copied()).collect();
    with_lines(lab, &kept)
}

/// The lab with the lines at these places among all its lines. A step at a time goes when it has no lines left, unless it
/// ends the lab; a step on a condition or a moment stays, because the steps after it wait for it.
pub(super) fn with_lines(lab: &Lab, kept: &[usize]) -> Lab {
    let kept: BTreeSet<usize> = kept.iter().copied().collect();
    let mut ids: BTreeMap<FaultId, FaultId> = BTreeMap::new();
    let mut place = 0;
    let mut steps = Vec::new();
    for step in &lab.steps {
        let mut lines = Vec::new();
        for line in &step.lines {
            place += 1;
            if !kept.contains(&(place - 1)) {
                continue;
            }
            let line = match line {
                FaultLine::Lift(id) => match ids.get(id) {
                    Some(id) => FaultLine::Lift(*id),
                    None => continue,
                },
                line => line.clone(),
            };
            ids.insert(id_at(place), id_at(ids.len() + 1));
            lines.push(line);
        }
        let waits = !matches!(step.when, When::At(_));
        if waits || !lines.is_empty() || is_end(step) {
            steps.push(LabStep { lines, ..step.clone() });
        }
    }
    Lab { steps: named(lab, steps), expectations: Vec::new(), ..lab.clone() }
}

fn is_end(step: &LabStep) -> bool {
    step.name == END && step.lines.is_empty()
}

/// The id of the fault that the line of this place, from 1, orders.
fn id_at(place: usize) -> FaultId {
    FaultId(u32::try_from(place).expect("a lab file has no room for so many lines"))
}

/// The lab without the step at this index, which has no lines.
pub(super) fn without_step(lab: &Lab, index: usize) -> Lab {
    let mut steps = lab.steps.clone();
    steps.remove(index);
    Lab { steps: named(lab, steps), ..lab.clone() }
}

/// The lab with a last step at this time, or when its other steps are over.
pub(super) fn ending_at(lab: &Lab, end: Span) -> Lab {
    let mut steps: Vec<LabStep> = lab.steps.iter().filter(|step| !is_end(step)).cloned().collect();
    let times = steps.iter().filter_map(|step| if let When::At(at) = step.when { Some(at) } else { None });
    let end = times.fold(end, Span::max);
    steps.push(LabStep::silent(END.to_owned(), When::At(end), Vec::new()));
    Lab { steps: named(lab, steps), expectations: Vec::new(), ..lab.clone() }
}

/// The steps of this lab that are left, those without a name of their own named anew.
fn named(lab: &Lab, mut steps: Vec<LabStep>) -> Vec<LabStep> {
    let old: BTreeSet<String> = (0..lab.steps.len()).map(LabStep::name_of).collect();
    for (index, step) in steps.iter_mut().enumerate() {
        if old.contains(&step.name) {
            step.name = LabStep::name_of(index);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry::BUILT_IN;

    fn a_lab() -> Lab {
        let text = r#"
            name = "l"
            about = "l"
            algorithm = "bully"
            nodes = 5
            seed = 1
            T = "200ms"
            check = "200ms"
            silence = "1s"
            step = [
                { at = "1s", do = ["crash 5", "cut 1->2"] },
                { name = "wait", when = "coordinator 4", do = ["pause 3"] },
                { at = "9s", do = ["lift f2", "lift f1"] },
            ]
        "#;
        lab::parse("l", text, BUILT_IN).unwrap()
    }

    fn told(lab: &Lab) -> Vec<String> {
        let step = |step: &LabStep| {
            let lines: Vec<String> = step.lines.iter().map(ToString::to_string).collect();
            format!("{}: {}", step.name, lines.join(", "))
        };
        lab.steps.iter().map(step).collect()
    }

    #[test]
    fn a_lift_stays_with_its_fault() {
        let lab = a_lab();
        assert_eq!(lines_of(&lab), 5);
        assert_eq!(told(&with_lines(&lab, &[0, 1, 2, 3, 4])), told(&lab));
        assert_eq!(told(&with_lines(&lab, &[1, 3, 4])), ["step 1: cut 1->2", "wait: ", "step 3: lift f1"]);
        assert_eq!(told(&with_lines(&lab, &[2, 3])), ["wait: pause 3"]);
        assert_eq!(told(&without_step(&with_lines(&lab, &[1]), 1)), ["step 1: cut 1->2"]);
    }

    #[test]
    fn a_faults_end_stays_with_the_fault() {
        let lab = a_lab();
        assert_eq!(own_lines(&lab), [0, 1, 2]);
        assert_eq!(told(&with_own_lines(&lab, &[1])), ["step 1: cut 1->2", "wait: ", "step 3: lift f1"]);
        assert_eq!(told(&with_own_lines(&lab, &[2])), ["wait: pause 3"]);
    }

    #[test]
    fn a_lab_ends_once_after_its_steps() {
        let lab = with_lines(&a_lab(), &[0]);
        let ended = ending_at(&ending_at(&lab, Span::from_millis(20_000)), Span::from_millis(500));
        assert_eq!(told(&ended), ["step 1: crash 5", "wait: ", "the lab ends: "]);
        assert_eq!(ended.steps[2].when, When::At(Span::from_millis(1_000)));
        assert!(lab::parse("l", &ended.written(), BUILT_IN).is_ok());
    }
}
