//! The lab's one loop: events in; ordered records, verdicts and orders out.
//!
//! Invariant: every record goes the same way, once: orderer, number, session, world, judge, watchers. The judge's
//! findings about a record follow it at once.

use std::collections::VecDeque;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::clock::HostClock;
use super::directory::RunDirectory;
use super::incoming::Incoming;
use super::lab_end::LabEnd;
use super::lab_sockets::LabSockets;
use super::nodes::Nodes;
use super::reader::PacketReader;
use super::received::ReceivedSoFar;
use super::recent::RecentRecords;
use super::start_pace::StartPace;
use super::store_watch::StoreWatch;
use super::wake_delays::WakeDelays;
use fault::FaultId;
use lab::Lab;
use protocol::{NodeId, NodeMap, NodeSet};
use record::hub::{PULSE, frame_line, write_answer};
use record::{Answer, Body, Control, Frame, Head, Input, Record, Recorder, Report};
use script::{OrderInput, Orders, Pending, RecordListener, Run};
use world::{Orderer, ProcessState};

/// An event that the starter of the lab may want to print.
#[derive(Debug)]
pub enum LabNews<'a> {
    /// The lab is up; its directory, and where its session is written.
    Up(&'a Path, Option<&'a Path>),
    /// A record went by.
    Record(&'a Record),
}

/// When a lab ends by itself.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum EndsBy {
    /// When its script has finished.
    Script,
    /// When it is told to, or its owner is gone.
    Order,
}

/// Why the loop ends.
#[derive(Debug)]
pub(super) enum LoopEnd {
    Script,
    Told(UnixStream),
    OwnerGone,
    Signal(i32),
    DirectoryGone,
}

/// A running lab.
pub(super) struct LabLoop<'a> {
    pub clock: HostClock,
    pub wake_delays: WakeDelays,
    pub lab: Arc<Lab>,
    pub head: Head,
    pub key: String,
    pub directory: RunDirectory,
    /// Before the reader, so that it is dropped first: a reader that waits for room here could not end.
    pub events: Receiver<Incoming>,
    pub reader: PacketReader,
    pub backlog: VecDeque<Incoming>,
    pub nodes: Nodes,
    pub stores: StoreWatch,
    /// Processes that a fault has killed and that have not ended.
    pub doomed: NodeMap<FaultId>,
    /// The nodes that were given a process and are not ready, and those that are ready and have not begun: processes that
    /// are started together begin together, for what the first one sends would be lost at one that is not ready.
    pub coming: NodeSet,
    pub ready: NodeSet,
    /// The nodes whose process has said why it cannot run, and has not ended yet.
    pub unable: NodeMap<String>,
    pub last_record_at: NodeMap<i64>,
    pub heard: ReceivedSoFar,
    pub orderer: Orderer,
    pub run: Run,
    pub orders: Orders,
    pub pace: StartPace,
    pub hindrance: Option<String>,
    pub recorder: Recorder,
    pub sockets: LabSockets,
    pub recent: RecentRecords,
    /// By this computer's time.
    pub pulse_at: i64,
    pub ends_by: EndsBy,
    pub ending: Option<LoopEnd>,
    pub progress: &'a mut dyn FnMut(LabNews<'_>),
}

impl LabLoop<'_> {
    /// Runs the lab to its end.
    pub fn run(mut self) -> LabEnd {
        while self.ending.is_none() {
            if let Some(event) = self.next_event() {
                self.handle(event);
            }
            // All events that have come are taken at once, before time may decide anything.
            while self.ending.is_none()
                && let Some(event) = self.backlog.pop_front().or_else(|| self.events.try_recv().ok())
            {
                self.handle(event);
            }
            self.begin_together();
            let now = self.clock.now();
            self.pass_time(now);
            self.carry_out_cues();
            // What still waits for a record on its way must not be judged without it.
            let pending = if self.orderer.wake_at().is_some() { Pending::Records } else { Pending::Contradictions };
            if self.run.may_close(now, pending) {
                self.close_script(now);
                if self.ends_by == EndsBy::Script {
                    self.ending = Some(LoopEnd::Script);
                }
            }
        }
        self.end()
    }

    /// Those that are ready begin, unless another one is still about to be.
    fn begin_together(&mut self) {
        let awaited = self.coming.intersection(&self.nodes.that_are(ProcessState::Starting));
        if !self.ready.is_empty() && awaited.is_empty() {
            let (at, epoch) = (self.clock.epoch(), self.clock.epoch());
            for node in self.ready.iter() {
                self.nodes.tell(node, &Control::Begin { at, epoch });
            }
            (self.coming, self.ready) = (NodeSet::EMPTY, NodeSet::EMPTY);
        }
    }

    fn next_event(&mut self) -> Option<Incoming> {
        if let Some(event) = self.backlog.pop_front() {
            return Some(event);
        }
        // The lab's own moments come by lab time, what the machine is given time for by this computer's.
        let lab = [self.run.wake_at(), self.orders.wake_at()].into_iter().flatten().min();
        let machine = [self.orderer.wake_at(), self.orders.gives_up_at(), self.pace.wake_at(), Some(self.pulse_at)];
        let wakes = machine.into_iter().chain([lab.map(|at| self.clock.wall_of(at))]);
        let wake = wakes.flatten().min().unwrap_or(self.pulse_at);
        // The script's actions do not wait for the next event.
        let wake = if self.run.wants() { i64::MIN } else { wake };
        let wait = u64::try_from(wake.saturating_sub(self.clock.wall())).unwrap_or(0);
        match self.events.recv_timeout(Duration::from_nanos(wait)) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => {
                if wait > 0 {
                    self.wake_delays.woke(wake, self.clock.wall());
                }
                None
            }
            Err(RecvTimeoutError::Disconnected) => panic!("the reader thread has ended before the lab"),
        }
    }

    pub fn handle(&mut self, event: Incoming) {
        match event {
            Incoming::Packet(node, packet) => self.take_packet(node, &packet),
            Incoming::Closed(node) => self.take_late_death(node),
            // Nobody waits for the answer any more.
            Incoming::Drained(_) => {}
            Incoming::WatcherHasCome => self.sockets.hub.welcome(|missed| self.snapshot(missed)),
            Incoming::Inject(text, reply) => self.order(OrderInput::Line { text, reply }),
            Incoming::PlaySteps(reply) => {
                let text = if self.run.is_held() {
                    self.run.play(self.clock.now());
                    self.sockets.hub.refresh(&self.snapshot(0));
                    "the lab's steps are played from now on"
                } else {
                    "the lab's steps are being played already"
                };
                // If the asker is gone, nobody wants the answer.
                let _ = reply.send(Answer::Done { id: None, text: text.to_owned() });
            }
            Incoming::Note(text, reply) => {
                self.note(text);
                // If the asker is gone, nobody wants the answer.
                let _ = reply.send(Answer::Done { id: None, text: "the note is recorded".to_owned() });
            }
            Incoming::End(stream) => self.ending = Some(LoopEnd::Told(stream)),
            Incoming::LifelineClosed => self.ending = Some(LoopEnd::OwnerGone),
            Incoming::Signal(signal) => self.ending = Some(LoopEnd::Signal(signal)),
        }
    }

    /// Takes what a node wrote.
    pub fn take_packet(&mut self, node: NodeId, packet: &[u8]) {
        let report = match Report::from_line(packet) {
            Ok(report) => report,
            Err(error) => return self.note(format!("node {node} sent a report that cannot be read: {error}")),
        };
        match report {
            Report::Ready { .. } => {
                self.coming.remove(node);
                self.ready.insert(node);
            }
            Report::Unable { why, .. } => {
                let why = format!("node {node} cannot run: {why}");
                // Refused once its process has ended: whoever is told of it may start another at once.
                self.unable.insert(node, why.clone());
                self.hindrance.get_or_insert_with(|| why.clone());
                self.note(why);
            }
            Report::Acknowledged { version } => self.orders.acknowledged(node, version),
            Report::Refused { version, why } => self.orders.refused(node, version, &why.to_string()),
            Report::Held { step } => self.orders.has_come(node, step),
            Report::Record(record) => {
                self.last_record_at.insert(node, record.at);
                self.heard.take(&record);
                if let Body::Step(step) = &record.body
                    && let Input::Start { .. } = step.input
                {
                    self.nodes.has_started(node);
                    self.orders.has_started(node);
                }
                if let Body::Ready { incarnation } = record.body {
                    self.stores.is_ready(node, incarnation);
                }
                self.admit(record);
            }
        }
    }

    /// Gives a record its place in the order; records in their place go on.
    pub fn admit(&mut self, record: Record) {
        let now = self.clock.wall();
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
    fn publish(&mut self, record: Record) {
        let now = self.clock.now();
        self.with_run(|run, hear| run.publish(record, now, hear));
    }

    /// Does something with the run; new records of the run are recorded, sent to watchers and told.
    fn with_run(&mut self, deed: impl FnOnce(&mut Run, &mut RecordListener<'_>)) {
        let LabLoop { run, clock, recorder, sockets, recent, progress, .. } = self;
        let mut suspended = Vec::new();
        let mut hear = |record: &Record| {
            // A node's record has it already.
            let record = Record { wall: record.wall.or_else(|| clock.other_wall(record.at)), ..record.clone() };
            let line = record.to_line();
            suspended.extend(recorder.write_line(&record, &line));
            if sockets.hub.is_watched() {
                sockets.hub.publish(&format!("{{\"frame\":\"record\",\"record\":{line}}}\n").into());
            }
            progress(LabNews::Record(&record));
            recent.push(record);
        };
        deed(run, &mut hear);
        for why in suspended {
            self.admit_own(None, Body::RecordingSuspended { why });
        }
    }

    fn pass_time(&mut self, now: i64) {
        let wall = self.clock.wall();
        for ordered in self.orderer.release(wall) {
            self.publish(ordered);
        }
        self.start_those_due(wall);
        if !self.orders.is_idle() {
            self.order(OrderInput::Time);
        }
        self.with_run(|run, hear| run.pass_time(now, hear));
        if self.pulse_at <= wall {
            self.pulse_at = wall + PULSE.as_nanos() as i64;
            self.look_after_recording(now);
            self.look_at_processes();
            if !self.directory.is_whole() {
                self.ending.get_or_insert(LoopEnd::DirectoryGone);
            }
            self.sockets.hub.beat(&frame_line(&Frame::Pulse { at: now }), |missed| self.snapshot(missed));
        }
    }

    /// Checks whether the file still exists, and whether it takes what it refused before.
    fn look_after_recording(&mut self, now: i64) {
        if let Some(why) = self.recorder.notice_deletion() {
            self.admit_own(None, Body::RecordingSuspended { why });
        }
        if let Some(count) = self.recorder.resume(now) {
            self.admit_own(None, Body::RecordingResumed { count });
        }
    }

    /// The present state, for a watcher that has missed this many records.
    fn snapshot(&self, missed: u64) -> Arc<str> {
        frame_line(&Frame::Snapshot {
            head: Box::new(self.head.clone()),
            world: self.run.world().to_json(),
            recent: self.recent.to_vec(),
            missed,
            session: self.recorder.path().map(ToOwned::to_owned),
            steps_held: self.run.is_held(),
        })
    }

    /// A record that still waits for its cause waits in vain: the lab is judged now.
    fn release_all(&mut self) {
        for ordered in self.orderer.release(i64::MAX) {
            self.publish(ordered);
        }
    }

    fn carry_out_cues(&mut self) {
        while let Some(cue) = self.run.take_cue() {
            self.order(OrderInput::Cue(cue));
        }
    }

    fn close_script(&mut self, now: i64) {
        self.release_all();
        self.with_run(|run, hear| run.close(now, hear));
        self.carry_out_cues();
    }

    fn end(mut self) -> LabEnd {
        let ending = self.ending.take().expect("the loop ends for a reason");
        let now = self.clock.now();
        self.release_all();
        self.with_run(|run, hear| run.close_judge(now, hear));
        self.look_after_recording(now);
        let why = match &ending {
            LoopEnd::Script => "its steps are finished".to_owned(),
            LoopEnd::Told(_) => "it was told to end".to_owned(),
            LoopEnd::OwnerGone => "its owner ended it".to_owned(),
            LoopEnd::Signal(signal) => format!("signal {signal} told it to end"),
            LoopEnd::DirectoryGone => {
                let why =
                    format!("somebody deleted its run directory {}, or what is in it", self.directory.path().display());
                self.hindrance.get_or_insert_with(|| why.clone());
                why
            }
        };
        let outcome = Some(self.run.outcome(self.recorder.missing()));
        self.admit_own(None, Body::Ended { why: why.clone(), outcome });
        let signal = if let LoopEnd::Signal(signal) = ending { Some(signal) } else { None };
        let end = LabEnd {
            run: self.run.end(),
            session: self.recorder.kept(),
            missing: self.recorder.missing(),
            hindrance: self.hindrance.take(),
            signal,
        };
        self.sockets.hub.see_off(&frame_line(&Frame::Goodbye { why }));
        if let LoopEnd::Told(mut stream) = ending {
            write_answer(&mut stream, &Answer::Done { id: None, text: end.to_string() });
        }
        // The nodes go first: they must not write after the directory is deleted.
        drop(self.nodes);
        drop(self.events);
        drop(self.reader);
        drop(self.sockets);
        drop(self.directory);
        end
    }
}
