//! Plays the steps of a lab in their order and collects the verdicts on its expectations.
//!
//! A step at a moment waits from the instant at which the step before it is taken: its moment is armed before any order
//! of that step is carried out, so a moment that the step's own orders bring is met. The node that comes to it is held
//! until the step before it is over.
//!
//! Invariant: a step is taken only when the step before it is over; an expectation begins when its step is over.

use std::fmt::Display;
use std::sync::Arc;

use super::question::{at_end, came, holds, instead, unexpected};
use super::summary::{self, Summary};
use super::watch::{ExpectationWatch, nanos, subject};
use fault::{FaultLine, Moment};
use lab::{Condition, Lab, LabStep, When};
use protocol::NodeId;
use record::{Outcome, VerdictAbout};
use world::{FaultState, FaultView, NodeView, ProcessState, World, stamp};

/// Whether the script begins with the lab or waits to be played.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pace {
    /// The script begins when the lab begins.
    Played,
    /// The script begins when a person says so.
    Held,
}

/// A moment for which a step waits.
#[derive(Clone, PartialEq, Debug)]
pub struct AwaitedMoment {
    /// The step's name.
    pub step: String,
    pub moment: Moment,
}

/// Something that the conductor wants done.
#[derive(Clone, PartialEq, Debug)]
pub enum ScriptAction {
    /// Arm the moment in every node, also in those that start later: the first step waits for it.
    Arm(AwaitedMoment),
    /// No step waits for a moment any more. A node that a step holds goes on.
    Disarm {
        /// The name of the step that waited.
        step: String,
    },
    /// Record that the step is taken, and order its lines, each under the step's name.
    TakeStep {
        /// The step's name.
        step: String,
        /// The fault lines.
        lines: Vec<FaultLine>,
        /// The node that is held for it at its moment, and goes on when the step is over; the moment is no longer
        /// armed. Any other held node goes on at once.
        held: Option<NodeId>,
        /// The moment for which the next step waits: it is armed before anything of this step is done.
        then: Option<AwaitedMoment>,
    },
    /// Record the verdict on an expectation.
    Verdict {
        /// What it is about.
        about: VerdictAbout,
        outcome: Outcome,
        /// The verdict line.
        text: String,
    },
    /// Every step has been taken or given up, and every expectation of a moment is decided. Comes once.
    Finished,
}

/// The conductor of one lab.
#[derive(Clone, Debug)]
pub struct ScriptRunner {
    lab: Arc<Lab>,
    script: Script,
    /// The next step, or the step whose faults are not in force yet.
    next: usize,
    watches: Vec<ExpectationWatch>,
    /// The watches whose time runs, in the order of the file: only they ask the world.
    awake: Vec<usize>,
    /// A step that never came is an expectation that failed.
    steps_given_up: usize,
    is_finished: bool,
}

/// How far the script is.
#[derive(Copy, Clone, Debug)]
enum Script {
    /// Nobody has played it.
    Held,
    /// Has been played since it began.
    Played { began: i64, progress: StepProgress },
    /// The next step's condition never came true, or its moment never came: the script ends.
    GivenUp,
    /// The lab has ended.
    Closed { was_played: bool },
}

/// How far the next step of a script is.
#[derive(Copy, Clone, Debug)]
enum StepProgress {
    /// Waits for its time or condition, or it is the first step and its moment is armed next.
    Waiting { since: i64 },
    /// The moment is armed, and the step before it is over since then.
    Armed { since: i64 },
    /// The condition came true; time passes.
    Ripening { take_at: i64 },
    /// Was taken; some of its lines are not faults yet, or are still only ordered.
    Enforcing { taken: i64 },
}

impl ScriptRunner {
    /// The conductor of a lab in which nothing has happened.
    pub fn new(lab: Arc<Lab>, pace: Pace) -> ScriptRunner {
        let watches = lab.expectations.iter().map(ExpectationWatch::new).collect();
        let mut conductor = ScriptRunner {
            lab,
            script: Script::Held,
            next: 0,
            watches,
            awake: Vec::new(),
            steps_given_up: 0,
            is_finished: false,
        };
        if pace == Pace::Played {
            conductor.play(0);
        }
        conductor
    }

    /// A held script begins now; a script that was played already does not begin again.
    pub fn play(&mut self, now: i64) {
        if !self.is_held() {
            return;
        }
        self.script = Script::Played { began: now, progress: StepProgress::Waiting { since: now } };
        for (watch, expectation) in self.watches.iter_mut().zip(&self.lab.expectations) {
            if expectation.after.is_none() {
                watch.become_open(now);
            }
        }
        self.find_awake();
    }

    /// Whether the script waits to be played.
    pub fn is_held(&self) -> bool {
        matches!(self.script, Script::Held)
    }

    /// The actions that are due now. Call it after every record and at [`ScriptRunner::wake_at`]; before the lab begins it
    /// returns nothing.
    pub fn advance(&mut self, now: i64, world: &World) -> Vec<ScriptAction> {
        let mut cues = Vec::new();
        if !world.began || matches!(self.script, Script::Held | Script::Closed { .. }) {
            return cues;
        }
        while self.advance_script(now, world, &mut cues) {}
        self.look_at_watches(now, world, &mut cues);
        if !self.is_finished && self.is_script_over() && !self.watches.iter().any(ExpectationWatch::is_pending) {
            self.is_finished = true;
            cues.push(ScriptAction::Finished);
        }
        cues
    }

    /// When time alone could change something next.
    pub fn wake_at(&self) -> Option<i64> {
        let limit = nanos(self.lab.limit);
        let script = match self.script {
            Script::Held | Script::Closed { .. } => return None,
            Script::GivenUp => None,
            Script::Played { began, progress } => match (progress, self.lab.steps.get(self.next)) {
                (StepProgress::Waiting { since }, Some(step)) => Some(match &step.when {
                    When::At(span) => began + nanos(*span),
                    When::Condition { .. } => since + limit,
                    // It is armed at the next call.
                    When::Moment(_) => since,
                }),
                (StepProgress::Waiting { .. }, None) => None,
                (StepProgress::Armed { since }, _) => Some(since + limit),
                (StepProgress::Ripening { take_at }, _) => Some(take_at),
                (StepProgress::Enforcing { taken }, _) => Some(taken + limit),
            },
        };
        let watches = self.awake.iter().map(|index| (&self.watches[*index], &self.lab.expectations[*index]));
        watches.filter_map(|(watch, expectation)| watch.wake_at(expectation)).chain(script).min()
    }

    /// The lab has ended: decides the expectations of the end, and those that the end interrupted. A script that nobody
    /// played gets no verdict.
    pub fn close(&mut self, now: i64, world: &World) -> Vec<ScriptAction> {
        let mut cues = Vec::new();
        if matches!(self.script, Script::Closed { .. }) {
            return cues;
        }
        let was_played = !self.is_held();
        if was_played {
            self.look_at_watches(now, world, &mut cues);
            let lab = Arc::clone(&self.lab);
            let expected: Vec<&Condition> = lab.expectations.iter().map(|expectation| &expectation.that).collect();
            for (index, expectation) in lab.expectations.iter().enumerate() {
                if self.watches[index].is_pending() {
                    let text =
                        format!("unknown {}: the lab ended first, at {}", subject(&lab, expectation), stamp(now));
                    cues.push(self.decide(index, Outcome::Unknown, text));
                } else if expectation.that.is_at_end() {
                    let outcome = at_end(&expectation.that, &expected, world);
                    let text = at_end_text(&expectation.that, outcome, &expected, world);
                    cues.push(self.decide(index, outcome, text));
                }
            }
        }
        self.script = Script::Closed { was_played };
        cues
    }

    /// The state of the lab; after [`ScriptRunner::close`], its outcome.
    pub fn summary(&self, world: &World) -> Summary {
        let was_played = !matches!(self.script, Script::Held | Script::Closed { was_played: false });
        let outcomes = self.watches.iter().map(ExpectationWatch::outcome);
        summary::summary(&self.lab, was_played, outcomes, self.steps_given_up, world)
    }

    /// Carries the script one stage further; returns whether it may go further still.
    fn advance_script(&mut self, now: i64, world: &World, cues: &mut Vec<ScriptAction>) -> bool {
        let lab = Arc::clone(&self.lab);
        let Script::Played { began, progress } = self.script else { return false };
        let Some(step) = lab.steps.get(self.next) else { return false };
        let next = match progress {
            StepProgress::Waiting { since } => match &step.when {
                When::At(span) if now >= began + nanos(*span) => self.take(None, now, cues),
                When::At(_) => return false,
                When::Condition { condition, then_wait } if holds(condition, world) => {
                    let came_true = world.now.clamp(since, now.max(since));
                    StepProgress::Ripening { take_at: came_true + nanos(*then_wait) }
                }
                When::Condition { condition, .. } => {
                    let limit = since + nanos(lab.limit);
                    if now >= limit {
                        let instead = format!("instead {}", instead(condition, world));
                        self.give_up(step, condition, limit, &instead, cues);
                    }
                    return false;
                }
                When::Moment(moment) => {
                    cues.push(ScriptAction::Arm(AwaitedMoment { step: step.name.clone(), moment: moment.clone() }));
                    StepProgress::Armed { since }
                }
            },
            StepProgress::Armed { since } => {
                let limit = since + nanos(lab.limit);
                match (first_held(&step.name, world), &step.when) {
                    (Some(node), _) => self.take(Some(node), now, cues),
                    (None, When::Moment(moment)) if now >= limit => {
                        cues.push(ScriptAction::Disarm { step: step.name.clone() });
                        self.give_up(step, moment, limit, "it never came", cues);
                        return false;
                    }
                    (None, _) => return false,
                }
            }
            StepProgress::Ripening { take_at } if now >= take_at => self.take(None, now, cues),
            StepProgress::Ripening { .. } => return false,
            StepProgress::Enforcing { taken } => {
                let is_late = now >= taken + nanos(lab.limit);
                let Some(in_force) = come_into_force(step, taken, is_late, world) else { return false };
                self.begin_expectations(in_force, now, cues);
                self.next += 1;
                match awaited_moment(&lab, self.next) {
                    Some(_) => StepProgress::Armed { since: now },
                    None => StepProgress::Waiting { since: now },
                }
            }
        };
        self.script = Script::Played { began, progress: next };
        true
    }

    /// Takes the next step, for which this node is held.
    fn take(&self, held: Option<NodeId>, now: i64, cues: &mut Vec<ScriptAction>) -> StepProgress {
        let (step, then) = (&self.lab.steps[self.next], awaited_moment(&self.lab, self.next + 1));
        cues.push(ScriptAction::TakeStep { step: step.name.clone(), lines: step.lines.clone(), held, then });
        StepProgress::Enforcing { taken: now }
    }

    /// The step whose faults were not in force yet is over: the expectations after it begin, or cannot be decided.
    fn begin_expectations(&mut self, in_force: Result<(), NotInForce>, now: i64, cues: &mut Vec<ScriptAction>) {
        let lab = Arc::clone(&self.lab);
        for (index, expectation) in lab.expectations.iter().enumerate() {
            if expectation.after != Some(self.next) {
                continue;
            }
            match &in_force {
                Ok(()) => self.watches[index].become_open(now),
                Err(why) => {
                    let text = format!("unknown {}: {why}", subject(&lab, expectation));
                    cues.push(self.decide(index, Outcome::Unknown, text));
                }
            }
        }
        self.find_awake();
    }

    fn give_up(&mut self, step: &LabStep, when: &dyn Display, limit: i64, instead: &str, cues: &mut Vec<ScriptAction>) {
        let lab = Arc::clone(&self.lab);
        let text = format!("FAILED step \"{}\" when {when}, by {}: {instead}", step.name, stamp(limit));
        let about = VerdictAbout::Step(step.name.clone());
        cues.push(ScriptAction::Verdict { about, outcome: Outcome::Failed, text });
        for (index, expectation) in lab.expectations.iter().enumerate() {
            if expectation.after.is_some_and(|after| after >= self.next) {
                let what = subject(&lab, expectation);
                let text = format!("FAILED {what}: step \"{}\" never came, so it could not begin", step.name);
                cues.push(self.decide(index, Outcome::Failed, text));
            }
        }
        self.steps_given_up += 1;
        self.script = Script::GivenUp;
    }

    fn look_at_watches(&mut self, now: i64, world: &World, cues: &mut Vec<ScriptAction>) {
        let before = cues.len();
        for index in self.awake.iter().copied() {
            let expectation = &self.lab.expectations[index];
            if let Some((outcome, text)) = self.watches[index].look(&self.lab, expectation, now, world) {
                cues.push(ScriptAction::Verdict { about: VerdictAbout::Expectation(index), outcome, text });
            }
        }
        if cues.len() > before {
            self.find_awake();
        }
    }

    /// Call it when a watch has been opened, or has been decided by what it saw.
    fn find_awake(&mut self) {
        self.awake.clear();
        self.awake.extend((0..self.watches.len()).filter(|index| self.watches[*index].is_awake()));
    }

    fn decide(&mut self, index: usize, outcome: Outcome, text: String) -> ScriptAction {
        self.watches[index].become_decided(outcome);
        ScriptAction::Verdict { about: VerdictAbout::Expectation(index), outcome, text }
    }

    fn is_script_over(&self) -> bool {
        match self.script {
            Script::GivenUp => true,
            Script::Played { progress: StepProgress::Waiting { .. }, .. } => self.next == self.lab.steps.len(),
            _ => false,
        }
    }
}

/// The moment of the step at this place, if there is such a step and it waits for one.
fn awaited_moment(lab: &Lab, place: usize) -> Option<AwaitedMoment> {
    let step = lab.steps.get(place)?;
    let When::Moment(moment) = &step.when else { return None };
    Some(AwaitedMoment { step: step.name.clone(), moment: moment.clone() })
}

/// The node that this step holds, the first of several. A node that was stopped before it could carry out the effects up
/// to its hold has not come to the moment yet.
fn first_held(step: &str, world: &World) -> Option<NodeId> {
    let is_held = |view: &NodeView| view.held_by.as_deref() == Some(step) && view.process != ProcessState::Paused;
    let held = world.nodes.iter().filter(|(_, view)| is_held(view));
    held.min_by_key(|(_, view)| view.heard).map(|(node, _)| *node)
}

/// Why a step's faults are not in force.
#[derive(Debug, thiserror::Error)]
enum NotInForce {
    #[error("`{line}` is not in force: {why}")]
    Refused { line: FaultLine, why: String },
    #[error("step \"{0}\" is not in force, and no reason is known")]
    Unanswered(String),
}

/// Whether every line of the step has become a fault that is no longer only ordered; if one did not come into force,
/// why. After a late step, a fault that is not acknowledged counts as not in force.
fn come_into_force(step: &LabStep, taken: i64, is_late: bool, world: &World) -> Option<Result<(), NotInForce>> {
    // They were ordered after the step was taken: no earlier fault belongs to it.
    let before = world.faults.iter().rposition(|fault| fault.ordered < taken).map_or(0, |place| place + 1);
    let of_step = |fault: &&FaultView| fault.step.as_ref() == Some(&step.name);
    let faults: Vec<_> = world.faults[before..].iter().filter(of_step).collect();
    let refused = faults.iter().find_map(|fault| match &fault.state {
        FaultState::NotInForce(why) => Some(NotInForce::Refused { line: fault.line.clone(), why: why.clone() }),
        _ => None,
    });
    let is_open = faults.len() < step.lines.len() || faults.iter().any(|fault| fault.state == FaultState::Ordered);
    match (is_open, is_late, refused) {
        (true, false, _) => None,
        (_, _, Some(why)) => Some(Err(why)),
        (true, true, None) => Some(Err(NotInForce::Unanswered(step.name.clone()))),
        (false, _, None) => Some(Ok(())),
    }
}

fn at_end_text(condition: &Condition, outcome: Outcome, expected: &[&Condition], world: &World) -> String {
    match outcome {
        Outcome::Met => match condition {
            Condition::NoViolation => format!("met {condition}"),
            _ => format!("met {condition}: {}", came(condition, world)),
        },
        Outcome::Failed => match unexpected(condition, expected, world) {
            Some(others) => {
                format!("FAILED {condition}, at the end: it came, and so did what the lab does not expect: {others}")
            }
            None => format!("FAILED {condition}, at the end: instead {}", instead(condition, world)),
        },
        Outcome::Unknown => match &world.undecidable {
            Some(why) => format!("unknown {condition}: {why}"),
            None => format!("unknown {condition}: {} records are missing", world.missed),
        },
    }
}
