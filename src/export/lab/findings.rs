//! What to expect of violations at the end, from the violations that the judge found.
//!
//! A violation is expected for the cause it had, or for any cause if it had several: a millisecond may decide which of
//! two broken assumptions is named. What this computer or dice broke may not happen again, so nothing is expected then.
//!
//! Invariant: nothing here infers why a violation came that no broken assumption excuses: the output says a hole, or that
//! nobody promised it, only if the recorded lab did.

use std::collections::{BTreeMap, BTreeSet};

use super::session_orders::SessionOrders;
use lab::{Condition, ViolationReason, claims_of};
use protocol::{Assumption, Property};
use record::Head;

/// The conditions of the end, and the omitted ones with the reason.
pub(super) fn at_end(head: &Head, story: &SessionOrders) -> (Vec<Condition>, Vec<String>) {
    let mut notes = Vec::new();
    let conditions = conditions(head, story, &mut notes);
    (conditions, notes)
}

fn conditions(head: &Head, story: &SessionOrders, notes: &mut Vec<String>) -> Vec<Condition> {
    let of_machine = story.findings.iter().filter(|finding| finding.report.is_by_machine()).count();
    if of_machine > 0 {
        let text = "violations that this computer caused, not a fault, are left out; so is the expectation `no \
                    violation`";
        notes.push(format!("{of_machine} {text}."));
    }
    let mut causes: BTreeMap<Property, BTreeSet<Option<Assumption>>> = BTreeMap::new();
    let mut certain: BTreeSet<Property> = BTreeSet::new();
    for finding in story.findings.iter().filter(|finding| !finding.report.is_by_machine()) {
        causes.entry(finding.report.property).or_default().insert(finding.report.because());
        if !finding.by_chance {
            certain.insert(finding.report.property);
        }
    }
    if let Some((property, _)) = causes.iter().find(|(property, _)| !certain.contains(property)) {
        notes.push(format!("Dice caused the violation of {property}: nothing is expected of violations."));
        return Vec::new();
    }
    if causes.is_empty() && story.is_torn {
        notes.push(
            "Records are missing, so nobody knows whether there was a violation: nothing is expected of them."
                .to_owned(),
        );
        return Vec::new();
    }
    if causes.is_empty() {
        if of_machine > 0 {
            return Vec::new();
        }
        if story.broken_by_dice.iter().any(|assumption| head.facts.needs.contains(assumption)) {
            let text = "No violation was found, but other dice may cause one: nothing is expected of violations.";
            notes.push(text.to_owned());
            return Vec::new();
        }
        return vec![Condition::NoViolation];
    }
    let claimed = claims_of(&head.lab_file);
    let conditions = causes.into_iter().flat_map(|(property, causes)| of_property(property, &causes, &claimed, notes));
    conditions.collect()
}

fn of_property(
    property: Property,
    causes: &BTreeSet<Option<Assumption>>,
    claimed: &[(Property, ViolationReason)],
    notes: &mut Vec<String>,
) -> Vec<Condition> {
    let assumptions: Vec<Assumption> = causes.iter().flatten().copied().collect();
    let mut conditions = Vec::new();
    match assumptions[..] {
        [] => {}
        [one] => {
            conditions.push(Condition::Violation { property, because: Some(ViolationReason::Assumption(one)) });
        }
        _ => conditions.push(Condition::Violation { property, because: None }),
    }
    if causes.contains(&None) {
        match claimed.iter().find(|(of, _)| *of == property) {
            Some((_, because)) => {
                conditions.push(Condition::Violation { property, because: Some(because.clone()) });
            }
            None => notes.push(format!(
                "{property} was violated, but no assumption was broken. This lab does not expect that: it is a bug, \
                 or a hole for you to name (`violation {property} because hole …`)."
            )),
        }
    }
    conditions
}
