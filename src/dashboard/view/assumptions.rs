//! Which assumptions of the running algorithm hold, and what broke the others.
//!
//! An assumption is broken while the fault that broke it is in force, and for the algorithm's own time bound after its
//! last effect. Lost safe cells do not come back, so assumption 4 stays broken for ever.
//!
//! Invariant: the same records give the same answer, live and replayed.

use super::paint;
use crate::model::Model;
use protocol::Assumption;
use record::Head;
use world::BrokenView;

/// The assumption panel names at most this many causes of one broken assumption.
const NAMED_MAX: usize = 2;

pub struct Mark<'a> {
    pub assumption: Assumption,
    /// What broke it, persons' faults first, and how it stands; absent if nothing ever did.
    pub by: Option<(Vec<&'a BrokenView>, AssumptionStatus)>,
}

/// The present state of an assumption that was broken.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AssumptionStatus {
    Broken,
    /// The assumption was broken, and holds again.
    StandsAgain,
}

impl Mark<'_> {
    /// The names of what broke it: `f3,computer`, or of many the first and how many more.
    pub fn names(&self) -> String {
        let by = self.by.iter().flat_map(|(by, _)| by);
        let names: Vec<String> = by.map(|broken| name(broken, "computer")).collect();
        match names.len().saturating_sub(NAMED_MAX) {
            0 => names.join(","),
            more => format!("{}+{more}", names[..NAMED_MAX].join(",")),
        }
    }

    /// What broke it and when, in words; nothing if nothing ever did.
    pub fn told(&self) -> Option<String> {
        let (by, now) = self.by.as_ref()?;
        let each =
            by.iter().map(|broken| format!("{} at {} s", name(broken, "this computer"), paint::seconds(broken.at, 3)));
        let again = if *now == AssumptionStatus::StandsAgain { ", holds again" } else { "" };
        Some(format!("broken by {}{again}", each.collect::<Vec<_>>().join(" and by ")))
    }
}

fn name(broken: &BrokenView, computer: &str) -> String {
    broken.report.broken.by.fault().map_or_else(|| computer.to_owned(), |by| by.to_string())
}

/// The faults that break it now, else those that did, the latest fault first and this computer last. If only this
/// computer breaks the assumption now, the latest fault is listed too.
fn breakers(all: Vec<(&BrokenView, AssumptionStatus)>) -> Option<(Vec<&BrokenView>, AssumptionStatus)> {
    let is_broken = all.iter().any(|(_, now)| *now == AssumptionStatus::Broken);
    let standing = if is_broken { AssumptionStatus::Broken } else { AssumptionStatus::StandsAgain };
    let mut by: Vec<&BrokenView> = all.iter().filter(|(_, now)| *now == standing).map(|(broken, _)| *broken).collect();
    if by.iter().all(|broken| broken.report.broken.by.fault().is_none()) {
        let faults = all.iter().map(|(broken, _)| *broken).filter(|broken| broken.report.broken.by.fault().is_some());
        by.extend(faults.max_by_key(|broken| broken.at));
    }
    by.sort_by_key(|broken| (broken.report.broken.by.fault().is_none(), std::cmp::Reverse(broken.at)));
    (!by.is_empty()).then_some((by, standing))
}

/// Each assumption of the algorithm of this head, in the order of their numbers.
pub fn marks<'a>(model: &'a Model, head: &Head) -> Vec<Mark<'a>> {
    let scene = model.seen();
    let bound = i64::try_from(head.facts.time_bound.nanos()).unwrap_or(i64::MAX);
    let now = |broken: &BrokenView| {
        let stands = |by| scene.world.active_faults().any(|fault| fault.id == by);
        let is_fresh = scene.at.saturating_sub(broken.at) <= bound;
        let is_broken = broken.report.broken.assumption == Assumption::SafeCells
            || is_fresh
            || broken.report.broken.by.fault().is_some_and(stands);
        if is_broken { AssumptionStatus::Broken } else { AssumptionStatus::StandsAgain }
    };
    let mark = |assumption: Assumption| {
        let all = scene.world.broken.iter().filter(|broken| broken.report.broken.assumption == assumption);
        Mark { assumption, by: breakers(all.map(|broken| (broken, now(broken))).collect()) }
    };
    let mut needs = head.facts.needs.clone();
    needs.sort_by_key(|assumption| assumption.number());
    needs.into_iter().map(mark).collect()
}
