//! One run of a lab: records in causal order go to the world, the judge and the conductor, and their findings and
//! actions come out. A host and a simulation both drive it; they differ in where records come from and in what they do
//! with them.
//!
//! Invariant: every record goes the same way, once: number, world, listeners, judge, conductor. The judge's findings
//! about a record follow it at once. It is pure: the time is an argument.

use std::collections::VecDeque;
use std::sync::Arc;

use super::conductor::{Pace, ScriptAction, ScriptRunner};
use super::summary::{Summary, explained};
use judge::{AssumptionView, Judge};
use lab::Lab;
use record::{Body, Head, LabOutcome, Outcome, Record, Uncertainty, ViolationReport};
use world::{Elections, Figures, Tallies, World};

/// How long to wait for pending work after the script has finished, in nanoseconds.
pub const LINGER: i64 = 3_000_000_000;

/// Gets every record, as it becomes part of the run.
pub type RecordListener<'a> = dyn FnMut(&Record) + 'a;

/// The use of records.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Judging {
    /// Heard and judged.
    On,
    /// Heard.
    Off,
    /// The world and the script see them, and nobody else.
    Unheard,
}

/// The state of the script.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum RunStage {
    Playing,
    /// Has finished; pending work is waited for until then.
    Lingering(i64),
    Closed,
}

/// One run of a lab.
pub struct Run {
    lab: Arc<Lab>,
    judging: Judging,
    world: World,
    judge: Judge,
    conductor: ScriptRunner,
    cues: VecDeque<ScriptAction>,
    stage: RunStage,
    /// When time alone will change something: this changes only with records and time, and is asked all the time.
    wake: Option<i64>,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct RunEnd {
    /// The outcome of its expectations and promises.
    pub summary: Summary,
    /// Each violation in its final wording.
    pub violations: Vec<String>,
    /// In virtual time, how an assumption was broken although no fault broke it, if that happened: a bug of this
    /// program.
    pub defect: Option<String>,
    /// Why verdicts are unknown, if they are.
    pub unknown: Option<String>,
    /// Which assumptions really held.
    pub assumptions: Vec<AssumptionView>,
    /// How often each promised property was due, and its outcomes.
    pub tallies: Tallies,
    /// The lab in figures.
    pub figures: Figures,
    pub elections: Elections,
    /// The critical section in one line, if the lab's application has one.
    pub section: Option<String>,
}

impl Run {
    /// A run of this lab, before its first record.
    pub fn new(lab: Arc<Lab>, head: &Head, pace: Pace, judging: Judging) -> Run {
        let conductor = ScriptRunner::new(Arc::clone(&lab), pace);
        Run {
            world: World::new(lab.roster),
            judge: Judge::new(head, application::judge_of(head)),
            wake: conductor.wake_at(),
            conductor,
            cues: VecDeque::new(),
            stage: RunStage::Playing,
            judging,
            lab,
        }
    }

    /// The present world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Whether anybody reads records.
    pub fn is_heard(&self) -> bool {
        self.judging != Judging::Unheard
    }

    /// Whether the script waits to be played.
    pub fn is_held(&self) -> bool {
        self.conductor.is_held()
    }

    /// From now on the script is played.
    pub fn play(&mut self, now: i64) {
        self.conductor.play(now);
        self.advance_script(now);
    }

    /// Takes in the next record of the causal order. Records that follow from it have this time.
    pub fn publish(&mut self, mut record: Record, now: i64, hear: &mut RecordListener<'_>) {
        record.number = self.world.records + 1;
        self.world.fold(&record);
        if self.is_heard() {
            hear(&record);
        }
        if self.judging == Judging::On {
            let found = self.judge.take(&record);
            for report in self.judge.take_broken() {
                self.publish(Record::of_host(now, Body::AssumptionBroken(report)), now, hear);
            }
            self.publish_violations(found, now, hear);
            if let Some(why) = self.judge.unknown().filter(|_| self.world.undecidable.is_none()).cloned() {
                let text = why.to_string();
                self.publish(Record::of_host(now, Body::Undecidable { why, text }), now, hear);
            }
        }
        self.advance_script(now);
    }

    /// Lets everything happen that time alone brings.
    pub fn pass_time(&mut self, now: i64, hear: &mut RecordListener<'_>) {
        let found = self.judge.ripen(now);
        self.publish_violations(found, now, hear);
        self.advance_script(now);
    }

    /// When time alone will change something.
    pub fn wake_at(&self) -> Option<i64> {
        match (self.wake, self.stage) {
            (Some(wake), RunStage::Lingering(until)) => Some(wake.min(until)),
            (None, RunStage::Lingering(until)) => Some(until),
            (wake, RunStage::Playing | RunStage::Closed) => wake,
        }
    }

    /// Whether the script wants something done.
    pub fn wants(&self) -> bool {
        !self.cues.is_empty()
    }

    /// What the script wants done next.
    pub fn take_cue(&mut self) -> Option<ScriptAction> {
        self.cues.pop_front()
    }

    /// The script has finished; pending work is waited for until then.
    pub fn linger_until(&mut self, until: i64) {
        if self.stage == RunStage::Playing {
            self.stage = RunStage::Lingering(until);
        }
    }

    /// Whether the script has finished and everything is judged, or the wait has been long enough: then nothing keeps the
    /// run from being closed.
    pub fn may_close(&self, now: i64, waits_for: Pending) -> bool {
        let RunStage::Lingering(until) = self.stage else { return false };
        let is_judged = !self.judge.is_pending()
            && match waits_for {
                Pending::Contradictions => true,
                Pending::Liveness => self.judge.liveness_due_at().is_none(),
                Pending::Records => false,
            };
        is_judged || until <= now
    }

    /// In virtual time: nothing will ever happen again, so nothing is waited for. [`Run::close`] still has to be called.
    pub fn become_closed(&mut self) {
        self.stage = RunStage::Closed;
    }

    /// In virtual time: the lab is not carried on, so from now on verdicts are unknown, and this is why.
    /// [`Run::close`] still has to be called.
    pub fn give_up(&mut self, why: String, now: i64, hear: &mut RecordListener<'_>) {
        self.judge.give_up(why.clone());
        let (text, why) = (why.clone(), Uncertainty::NotCarriedOn { why });
        self.publish(Record::of_host(now, Body::Undecidable { why, text }), now, hear);
        self.become_closed();
    }

    /// Whether nothing more comes.
    pub fn is_closed(&self) -> bool {
        self.stage == RunStage::Closed
    }

    /// The judge tells everything that still waits; then the script's last verdicts are due.
    pub fn close(&mut self, now: i64, hear: &mut RecordListener<'_>) {
        self.close_judge(now, hear);
        let verdicts = self.conductor.close(now, &self.world);
        self.cues.extend(verdicts);
        self.stage = RunStage::Closed;
    }

    /// The judge tells everything that still waits. A host calls this at its end, also after [`Run::close`]: the lab may
    /// have gone on.
    pub fn close_judge(&mut self, now: i64, hear: &mut RecordListener<'_>) {
        let found = self.judge.close(now);
        self.publish_violations(found, now, hear);
    }

    /// The outcome.
    pub fn end(&self) -> RunEnd {
        let defect = self.judge.defect().map(|what| {
            format!("{what}; no fault did that, and in virtual time nothing else can: this is a bug of this program")
        });
        let mut summary = self.conductor.summary(&self.world);
        summary.is_defect = defect.is_some();
        RunEnd {
            summary,
            defect,
            violations: explained(self.judge.sentences(), &self.lab, &self.world),
            unknown: self.judge.unknown().map(ToString::to_string),
            assumptions: self.judge.assumptions(),
            tallies: self.judge.tallies().clone(),
            figures: self.judge.figures(),
            elections: self.world.elections.clone(),
            section: (!self.world.waits.is_empty()).then(|| self.world.waits.in_a_line(self.world.now)),
        }
    }

    /// What came out, for the record of the lab's end; its file lacks so many records.
    pub fn outcome(&self, missing: u64) -> LabOutcome {
        let came_out = |wanted| self.world.verdicts.iter().filter(|verdict| verdict.outcome == wanted).count();
        LabOutcome {
            met: came_out(Outcome::Met),
            failed: came_out(Outcome::Failed),
            unknown: came_out(Outcome::Unknown),
            violations: self.world.violations.count(|view| !view.report.is_excused()),
            excused: self.world.violations.count(|view| view.report.is_excused()),
            missing,
        }
    }

    fn advance_script(&mut self, now: i64) {
        self.cues.extend(self.conductor.advance(now, &self.world));
        self.wake = [self.conductor.wake_at(), self.judge.wake_at()].into_iter().flatten().min();
    }

    fn publish_violations(&mut self, found: Vec<ViolationReport>, now: i64, hear: &mut RecordListener<'_>) {
        for report in found {
            self.publish(Record::of_host(now, Body::Violation(report)), now, hear);
        }
    }
}

/// What a finished run still waits for.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pending {
    /// Contradictions that were found and that something may still excuse.
    Contradictions,
    /// These, and properties of quiet that are still to be judged.
    Liveness,
    /// Records on their way: without them nothing is judged.
    Records,
}
