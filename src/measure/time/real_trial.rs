//! Trials of `measure time` with real processes instead of simulated ones.
//!
//! Each trial runs in a new lab. Its links delay messages by up to 90 % of the allowed maximum. Each step waits for the
//! same stable state as in the simulation. The simulation of the same seed shows whether the first election must be
//! ordered. The trial ends when all nodes are stable for the last time, or when that should have happened long before.
//!
//! Invariant: times are kept as if T were that of the simulation, so that they stand beside its own.

use super::super::real_runs::{PlayReal, RealProgress};
use super::super::trial::{nanos, span};
use super::stability_trial::{
    IDLE, RestSum, RestTime, RestTrace, RestUnder, T, TimePoint, TimedScene, TrialBeginning, lab_opening, partition,
    settled,
};
use lab::{Lab, parse};
use protocol::Span;
use record::{Body, Record};
use registry::BUILT_IN;
use sim::NetworkKind;
use sim::campaign::CampaignControl;

/// Maximum delay of a link, in tenths of the allowed maximum. The simulation uses the full range; a loopback link has
/// no delay of its own.
const HELD: u64 = 9;

/// Real trials of one point, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub struct RealTimeSum {
    /// From the common start.
    pub start: RestSum,
    /// From the fault.
    pub fault: RestSum,
}

/// One part of a trial: its trigger, and the leader or leaders that all nodes must accept after it.
struct TrialPart {
    /// When the step is taken, as a lab file has it.
    when: String,
    /// What it orders.
    order: String,
    wanted: RestUnder,
}

/// Follows the records of a trial.
struct RealTrial {
    trace: RestTrace,
    parts: Vec<TrialPart>,
    /// When each part began, in nanoseconds.
    began: Vec<i64>,
    /// Duration of each finished part; `None` if the nodes did not become stable.
    times: Vec<Option<RestTime>>,
    /// For how long all are at rest before the lab ends, in nanoseconds.
    settled: i64,
}

/// Makes a trial of this point with this bound T and this seed; tells how it came out, and how long it took from the
/// start and from the fault.
///
/// # Errors
/// The lab did not start.
pub fn hold<E>(
    point: &TimePoint,
    t: Span,
    seed: u64,
    play: PlayReal<E>,
) -> Result<(RealProgress, [Option<RestTime>; 2]), E> {
    let beginning = point.make(seed, NetworkKind::Even).beginning;
    let mut trial = RealTrial::new(point, t, parts(point, t, seed, beginning));
    let progress = play(trial.lab(point, t, seed), &mut |record| trial.take(record))?;
    let as_simulated = |time: RestTime| time.scaled(T.nanos() as f64 / t.nanos() as f64);
    Ok((progress, trial.times(beginning).map(|time| time.map(as_simulated))))
}

impl RealTrial {
    fn new(point: &TimePoint, t: Span, parts: Vec<TrialPart>) -> RealTrial {
        let settled = nanos(settled(&point.timing_at(t)));
        RealTrial { trace: RestTrace::default(), parts, began: Vec::new(), times: Vec::new(), settled }
    }

    /// The lab of its parts.
    fn lab(&self, point: &TimePoint, t: Span, seed: u64) -> Lab {
        let quiet = point.quiet_bound().scaled(t.nanos() as f64 / T.nanos() as f64);
        let limit = quiet * 2 + settled(&point.timing_at(t)) * 2;
        let mut text = lab_opening(&point.card, point.nodes, t, seed) + &format!("limit = \"{limit}\"\n");
        for TrialPart { when, order, .. } in &self.parts {
            text += &format!("[[step]]\n{when}\ndo = [\"{order}\"]\n");
        }
        text += &format!("[[step]]\nat = \"{}\"\ndo = []\n", t * IDLE + limit * self.parts.len() as u64);
        parse("time", &text, BUILT_IN).expect("the lab of a trial is correct")
    }

    /// Returns `Stop` when all nodes are stable after the last part.
    fn take(&mut self, record: &Record) -> CampaignControl {
        self.trace.take(record);
        if let Body::StepTaken { .. } = record.body
            && let Some(part) = self.parts.get(self.began.len())
        {
            let time = self.time();
            self.times.extend((!self.began.is_empty()).then_some(time));
            self.trace.begin(record.at, part.wanted);
            self.began.push(record.at);
        }
        let rests_for = self.trace.rest_since.map_or(0, |since| record.at - since);
        let is_last = self.began.len() == self.parts.len();
        if is_last && rests_for >= self.settled { CampaignControl::NoFurther } else { CampaignControl::On }
    }

    /// How long the present part took, if all are at rest.
    fn time(&self) -> Option<RestTime> {
        self.trace.time_from(*self.began.last()?)
    }

    /// How long it took from the start, and from the fault.
    fn times(&self, beginning: TrialBeginning) -> [Option<RestTime>; 2] {
        let is_whole = self.began.len() == self.parts.len();
        let fault = self.time().filter(|_| is_whole);
        let start = match beginning {
            TrialBeginning::ByThemselves => 0,
            TrialBeginning::Ordered => 1,
        };
        [self.times.get(start).copied().flatten().map(RestTime::at_once), fault]
    }
}

/// The parts of a trial, in order.
fn parts(point: &TimePoint, t: Span, seed: u64, beginning: TrialBeginning) -> Vec<TrialPart> {
    let (settled, wanted) = (settled(&point.timing_at(t)), point.wanted());
    let at = |span: Span| format!("at = \"{span}\"");
    let at_rest = |groups: u16, wait: Span| format!("when = \"groups {groups}\"\nthen_wait = \"{wait}\"");
    let delay = format!("delay *->* 0ms..{}", point.transit_bound_at(t) * HELD / 10);
    let mut parts = vec![TrialPart { when: at(Span::ZERO), order: delay, wanted }];
    if beginning == TrialBeginning::Ordered {
        parts.push(TrialPart { when: at(t * IDLE), order: "elect *".into(), wanted });
    }
    let moment = span(point.moment(seed)).scaled(t.nanos() as f64 / T.nanos() as f64);
    let first = at_rest(1, settled + moment);
    match point.scene {
        TimedScene::Failover => parts.push(TrialPart { when: first, order: "crash coordinator".into(), wanted }),
        TimedScene::Merge(groups) => {
            let (order, parted) = (partition(point.nodes, groups), RestUnder::Leaders(groups.into()));
            parts.push(TrialPart { when: first, order, wanted: parted });
            parts.push(TrialPart { when: at_rest(groups, settled), order: "heal".into(), wanted });
        }
        TimedScene::Ladder(_) => unreachable!("no real trial is made on a ladder"),
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use sim::Plan;

    fn point(name: &str, scene: TimedScene) -> TimePoint {
        TimePoint::new(BUILT_IN, *BUILT_IN.card(name).unwrap(), 6, scene).unwrap()
    }

    /// What the steps of the lab of a trial order, and how it begins.
    fn orders(name: &str, scene: TimedScene) -> (TrialBeginning, Vec<String>) {
        let (point, t) = (point(name, scene), Span::from_millis(500));
        let beginning = point.make(1, NetworkKind::Even).beginning;
        let lab = RealTrial::new(&point, t, parts(&point, t, 1, beginning)).lab(&point, t, 1);
        assert_eq!((lab.timing.t, lab.seed), (t, 1));
        (beginning, lab.steps.iter().flat_map(|step| &step.lines).map(ToString::to_string).collect())
    }

    /// The simulator plays the lab of a real trial, so that its times can be held against bounds.
    #[test]
    fn the_lab_of_a_real_trial_tells_when_all_came_to_rest() {
        for (name, scene) in
            [("bully", TimedScene::Failover), ("king-ni-c", TimedScene::Failover), ("invitation", TimedScene::Merge(2))]
        {
            let (point, t) = (point(name, scene), Span::from_millis(500));
            let beginning = point.make(1, NetworkKind::Even).beginning;
            let mut trial = RealTrial::new(&point, t, parts(&point, t, 1, beginning));
            let lab = trial.lab(&point, t, 1);
            let mut wanted_further = 0;
            // The links of this plan take next to nothing, as real ones do.
            let take = |record: &Record| wanted_further += u64::from(trial.take(record) == CampaignControl::On);
            sim::run(&Plan::of(Arc::new(lab)), Box::new(take));
            let bound = point.quiet_bound().scaled(5.0);
            let [start, fault] = trial.times(beginning).map(Option::unwrap);
            assert!(start.noticed_after == Span::ZERO && start.rest_after < bound, "{name}: {start:?} of {bound}");
            assert!(fault.noticed_after > Span::ZERO && fault.noticed_after < fault.rest_after, "{name}: {fault:?}");
            assert!(fault.rest_after < bound && wanted_further > 100, "{name}: {fault:?} of {bound}");
        }
    }

    #[test]
    fn a_real_trial_orders_what_the_simulated_one_does() {
        let (call, one_way) = ("delay *->* 0ms..225ms", "delay *->* 0ms..450ms");
        let crash = "crash coordinator";
        assert_eq!(
            orders("bully", TimedScene::Failover),
            (TrialBeginning::ByThemselves, vec![call.into(), crash.into()])
        );
        assert_eq!(
            orders("king-ni-c", TimedScene::Failover),
            (TrialBeginning::Ordered, vec![one_way.into(), "elect *".into(), crash.into()])
        );
        assert_eq!(
            orders("invitation", TimedScene::Merge(2)),
            (TrialBeginning::ByThemselves, vec![call.into(), "partition 1-3|4-6".into(), "heal".into()])
        );
    }
}
