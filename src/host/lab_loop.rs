//! The lab's one loop: events in; ordered records, verdicts and orders out.
//!
//! Invariant: every record goes the same way, once: orderer, number, session, world, judge, watchers. What the judge
//! finds about it follows it at once.

use std::collections::VecDeque;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::clock::Clock;
use super::directory::RunDirectory;
use super::doors::{self, Watcher, Watching, frame_line};
use super::lab_end::LabEnd;
use super::nodes::Nodes;
use super::reader::{Event, Reader};
use super::recorder::Recorder;
use super::start_pace::StartPace;
use crate::judge::{Judge, Orderer, World};
use crate::lab::Lab;
use crate::protocol::NodeId;
use crate::record::{Answer, Body, Control, Frame, Head, Input, Record, Report, VerdictAbout, ViolationReport};
use crate::script::{Action, Conductor, Desk, Orders, explained};

/// How many records a new watcher gets for its log.
const RECENT_RECORDS: usize = 500;
/// How often watchers hear that the lab is there, and the session file is looked after, in nanoseconds.
const PULSE: i64 = 250_000_000;
/// How long the judge may take for what it has pending, once the script is through, in nanoseconds.
const SETTLING: i64 = 3_000_000_000;

/// Something that whoever started the lab may want to print.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The lab is up; its directory, and where its session is written.
    Up(&'a Path, Option<&'a Path>),
    /// A record went by.
    Record(&'a Record),
}

/// When a lab ends by itself.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum EndsBy {
    /// When its script is through.
    Script,
    /// When it is told to, or its owner is gone.
    Order,
}

/// Where the script stands.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Stage {
    Playing,
    /// It is through; the judge has until then to tell what is pending.
    Settling(i64),
    Closed,
}

/// Why the loop ends.
#[derive(Debug)]
pub(super) enum Ending {
    Script,
    Told(UnixStream),
    OwnerGone,
    Signal(i32),
}

/// A running lab.
pub(super) struct LabLoop<'a> {
    pub clock: Clock,
    pub lab: Arc<Lab>,
    pub head: Head,
    pub key: String,
    pub directory: RunDirectory,
    /// Before the reader, so that it goes first: a reader that waits for room here could not end.
    pub events: Receiver<Event>,
    pub reader: Reader,
    pub backlog: VecDeque<Event>,
    pub nodes: Nodes,
    pub last_record_at: std::collections::BTreeMap<NodeId, i64>,
    pub orderer: Orderer,
    pub judge: Judge,
    pub world: World,
    pub conductor: Conductor,
    pub actions: VecDeque<Action>,
    pub desk: Desk,
    pub pace: StartPace,
    pub refused_start: Option<String>,
    pub recorder: Recorder,
    pub watchers: Vec<Watcher>,
    pub recent: VecDeque<Record>,
    pub pulse_at: i64,
    pub ends_by: EndsBy,
    pub ending: Option<Ending>,
    pub progress: &'a mut dyn FnMut(Progress<'_>),
}

impl LabLoop<'_> {
    /// Runs the lab to its end.
    pub fn run(mut self) -> LabEnd {
        let mut stage = Stage::Playing;
        while self.ending.is_none() {
            if let Some(event) = self.next_event(stage) {
                self.handle(event);
            }
            // What has come meanwhile is taken in one go, before time may decide anything.
            while self.ending.is_none()
                && let Some(event) = self.backlog.pop_front().or_else(|| self.events.try_recv().ok())
            {
                self.handle(event);
            }
            let now = self.clock.now();
            self.pass_time(now);
            self.carry_out_actions(&mut stage, now);
            // What still waits for a record that is under way must not be judged without it.
            let is_settled = !self.judge.is_pending() && self.orderer.wake_at().is_none();
            if let Stage::Settling(until) = stage
                && (is_settled || until <= now)
            {
                self.close_script(now);
                stage = Stage::Closed;
                if self.ends_by == EndsBy::Script {
                    self.ending = Some(Ending::Script);
                }
            }
        }
        self.end()
    }

    fn next_event(&mut self, stage: Stage) -> Option<Event> {
        if let Some(event) = self.backlog.pop_front() {
            return Some(event);
        }
        let settling = if let Stage::Settling(until) = stage { Some(until) } else { None };
        let wakes = [
            self.conductor.wake_at(),
            self.orderer.wake_at(),
            self.judge.wake_at(),
            self.desk.wake_at(),
            self.pace.wake_at(),
            settling,
            Some(self.pulse_at),
        ];
        let wake = wakes.into_iter().flatten().min().unwrap_or(self.pulse_at);
        // What is to be done does not wait for the next event.
        let wake = if self.actions.is_empty() { wake } else { i64::MIN };
        let wait = u64::try_from(wake.saturating_sub(self.clock.now())).unwrap_or(0);
        match self.events.recv_timeout(Duration::from_nanos(wait)) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the reader thread has ended before the lab"),
        }
    }

    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Packet(node, packet) => self.take_packet(node, &packet),
            Event::Closed(node) => self.take_unordered_death(node),
            // Nobody waits for it any more.
            Event::Drained(_) => {}
            Event::Watcher(stream) => self.admit_watcher(stream),
            Event::Inject(line, reply) => self.take_line(&line, reply),
            Event::PlaySteps(reply) => {
                let text = if self.conductor.is_held() {
                    self.conductor.play(self.clock.now());
                    self.send_snapshots();
                    "the lab's steps are played from now on"
                } else {
                    "the lab's steps are being played already"
                };
                // An asker that is gone does not want the answer any more.
                let _ = reply.send(Answer::Done { id: None, text: text.to_owned() });
            }
            Event::End(stream) => self.ending = Some(Ending::Told(stream)),
            Event::LifelineClosed => self.ending = Some(Ending::OwnerGone),
            Event::Signal(signal) => self.ending = Some(Ending::Signal(signal)),
        }
    }

    /// Takes what a node wrote.
    pub fn take_packet(&mut self, node: NodeId, packet: &[u8]) {
        let report: Report = match serde_json::from_slice(packet) {
            Ok(report) => report,
            Err(error) => return self.note(format!("node {node} reported what cannot be read: {error}")),
        };
        match report {
            Report::Ready { .. } => {
                self.nodes.tell(node, &Control::Begin { at: self.clock.epoch, epoch: self.clock.epoch });
            }
            Report::Unable { why, .. } => {
                let why = format!("node {node} cannot run: {why}");
                self.desk.refuse_start(node, &why);
                self.refused_start.get_or_insert_with(|| why.clone());
                self.note(why);
            }
            Report::Acknowledged { version } => self.desk.acknowledged(node, version),
            Report::Held { step } => self.desk.has_come(node, step),
            Report::Record(record) => {
                self.last_record_at.insert(node, record.at);
                if let Body::Step(step) = &record.body
                    && let Input::Start { .. } = step.input
                {
                    self.nodes.has_started(node);
                    self.desk.has_started(node);
                }
                self.admit(record);
            }
        }
    }

    /// Gives a record its place in the order; what is in place goes on.
    pub fn admit(&mut self, record: Record) {
        let now = self.clock.now();
        for ordered in self.orderer.take(record, now) {
            self.publish(ordered);
        }
    }

    /// A record of the host's own, at this moment.
    pub fn admit_own(&mut self, node: Option<NodeId>, body: Body) {
        let at = self.clock.now();
        self.admit(Record { node, ..Record::of_host(at, body) });
    }

    pub fn note(&mut self, text: String) {
        self.admit_own(None, Body::Note { text });
    }

    /// Sends an ordered record its way.
    fn publish(&mut self, mut record: Record) {
        record.number = self.world.records + 1;
        let line = record.to_line();
        let suspended = self.recorder.write(&record);
        self.world.fold(&record);
        let frame: Arc<str> = format!("{{\"frame\":\"record\",\"record\":{line}}}\n").into();
        self.watchers.retain_mut(|watcher| watcher.give(&frame) == Watching::On);
        (self.progress)(Progress::Record(&record));
        let found = self.judge.take(&record);
        let broken = self.judge.take_broken();
        let undecidable = self.judge.unknown().filter(|_| self.world.undecidable.is_none());
        if self.recent.len() == RECENT_RECORDS {
            self.recent.pop_front();
        }
        self.recent.push_back(record);
        for report in broken {
            self.publish(Record::of_host(self.clock.now(), Body::AssumptionBroken(report)));
        }
        self.publish_violations(found);
        if let Some(why) = undecidable {
            self.publish(Record::of_host(self.clock.now(), Body::Undecidable { why }));
        }
        self.actions.extend(self.conductor.advance(self.clock.now(), &self.world));
        if let Some(why) = suspended {
            self.admit_own(None, Body::RecordingSuspended { why });
        }
    }

    fn publish_violations(&mut self, found: Vec<ViolationReport>) {
        let at = self.clock.now();
        for report in found {
            self.publish(Record::of_host(at, Body::Violation(report)));
        }
    }

    fn pass_time(&mut self, now: i64) {
        for ordered in self.orderer.release(now) {
            self.publish(ordered);
        }
        let found = self.judge.ripen(now);
        self.publish_violations(found);
        self.start_those_due(now);
        self.settle_orders(now);
        self.actions.extend(self.conductor.advance(now, &self.world));
        if self.pulse_at <= now {
            self.pulse_at = now + PULSE;
            self.look_after_recording(now);
            let pulse: Arc<str> = frame_line(&Frame::Pulse { at: now });
            self.watchers.retain_mut(|watcher| watcher.give_if_free(&pulse) == Watching::On);
            self.send_snapshots_to_the_late();
        }
    }

    /// What still waits for its cause does so in vain: the lab is judged now.
    fn release_all(&mut self) {
        for ordered in self.orderer.release(i64::MAX) {
            self.publish(ordered);
        }
    }

    fn carry_out_actions(&mut self, stage: &mut Stage, now: i64) {
        while let Some(action) = self.actions.pop_front() {
            match action {
                Action::Arm { step, moment } => self.arm(step, moment),
                Action::Disarm { step } => self.disarm(&step),
                Action::TakeStep { step, lines, held: None } => {
                    self.take_step(&step, &lines);
                }
                Action::TakeStep { step, lines, held: Some(node) } => self.take_step_at(node, step, lines),
                Action::Verdict { index, outcome, text } => {
                    self.admit_own(None, Body::Verdict { about: VerdictAbout::Expectation(index), outcome, text });
                }
                Action::Finished => *stage = Stage::Settling(now + SETTLING),
            }
        }
    }

    fn close_script(&mut self, now: i64) {
        self.release_all();
        let found = self.judge.close(now);
        self.publish_violations(found);
        let verdicts = self.conductor.close(now, &self.world);
        self.actions.extend(verdicts);
        self.carry_out_actions(&mut Stage::Closed, now);
    }

    fn end(mut self) -> LabEnd {
        let ending = self.ending.take().expect("the loop ends for a reason");
        let now = self.clock.now();
        self.release_all();
        let found = self.judge.close(now);
        self.publish_violations(found);
        self.look_after_recording(now);
        let why = match &ending {
            Ending::Script => "its script is through".to_owned(),
            Ending::Told(_) => "it was told to end".to_owned(),
            Ending::OwnerGone => "its owner is gone".to_owned(),
            Ending::Signal(signal) => format!("signal {signal} told it to end"),
        };
        self.admit_own(None, Body::Ended { why: why.clone() });
        let signal = if let Ending::Signal(signal) = ending { Some(signal) } else { None };
        let end = LabEnd {
            summary: self.conductor.summary(&self.world),
            violations: explained(self.judge.sentences(), &self.lab, &self.world),
            defect: None,
            unknown: self.judge.unknown(),
            assumptions: self.judge.assumptions(),
            tallies: self.judge.tallies().clone(),
            figures: self.judge.figures(),
            session: self.recorder.kept(),
            missing: self.recorder.missing(),
            refused_start: self.refused_start.take(),
            signal,
        };
        let goodbye = frame_line(&Frame::Goodbye { why });
        for watcher in &mut self.watchers {
            watcher.give_if_free(&goodbye);
        }
        doors::see_off(std::mem::take(&mut self.watchers));
        if let Ending::Told(mut stream) = ending {
            doors::write_answer(&mut stream, &Answer::Done { id: None, text: end.to_string() });
        }
        // The nodes go first: what they still write must not outlive the directory.
        drop(self.nodes);
        drop(self.events);
        drop(self.reader);
        drop(self.directory);
        end
    }
}
