//! From a lab file to a running lab: directory, sockets, ports, processes, and the one instant at which all begin.
//!
//! Invariant: nodes open their sockets first and begin together. If addresses are taken, the host tries again, five
//! times in all; a lab that cannot start leaves nothing behind. The ports of a lab are its own as long as it lives, those
//! of its dead nodes too: the port below those of its nodes claims them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::clock::HostClock;
use super::directory::{LabEntry, RunDirectories, RunDirectory};
use super::incoming::{EVENTS_WAITING_MAX, Incoming};
use super::lab_end::LabEnd;
use super::lab_loop::{EndsBy, LabLoop, LabNews};
use super::lab_sockets::LabSockets;
use super::multicast_probe;
use super::nodes::Nodes;
use super::reader::{OtherInputs, PacketReader};
use super::received::ReceivedSoFar;
use super::recent::RecentRecords;
use super::spawner::Spawner;
use super::start_pace::StartPace;
use super::store_watch::StoreWatch;
use super::wake_delays::WakeDelays;
use lab::Lab;
use protocol::{Channel, Incarnation, LabKeys, NodeId, NodeMap, NodeSet, Setup};
use record::run_directory::{SPEEDS, node_observe, node_output};
use record::{
    Body, Control, Head, NodePlan, Record, Recorder, Recording, Report, SpeedFile, StorePast, monotonic_nanos,
};
use script::{Judging, Orders, Pace, Run, RunOrigin, head_of};
use world::Orderer;

/// The first port block and how many there are; a block is 256 ports.
const PORT_FIRST: u16 = 20_224;
const PORT_BLOCKS: u16 = 46;
/// How many port blocks are tried.
const TRIES: u16 = 5;
/// How far ahead the host names the moment at which all machines start.
const AHEAD: Duration = Duration::from_millis(50);
/// How many descriptors a node takes: its stream and the handle of its process.
const DESCRIPTORS_A_NODE: u64 = 2;
/// All nodes are ready within this time.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// What to do about this computer.
const DOCTOR: &str = "`hustings doctor` tells what to do";

/// The lab to run, and how.
#[derive(Debug)]
pub struct RunPlan {
    pub lab: Lab,
    /// The multicast group, if it was chosen by hand.
    pub group: Option<SocketAddrV4>,
    /// The directory below which the stores lie, if not in the run directory.
    pub store: Option<PathBuf>,
    /// Where it is recorded.
    pub recording: Recording,
    /// Whether its script is played at once.
    pub pace: Pace,
    /// When it ends by itself.
    pub ends_by: EndsBy,
    /// The owner whose end also ends the lab.
    pub lifeline: LabOwner,
}

/// Who owns a lab.
#[derive(Debug)]
pub enum LabOwner {
    /// Nobody, or this process itself.
    None,
    /// The process that holds the other end of this pipe.
    Pipe(OwnedFd),
}

/// Why a lab did not start. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The machine does not let it run; the text says what to do.
    #[error("{0}")]
    Environment(String),
    /// The run failed for a reason of its own.
    #[error("{0}")]
    Failed(#[from] io::Error),
    /// A signal ended it before the lab had begun.
    #[error("signal {0} ended it before the lab had begun")]
    Signalled(i32),
}

/// Runs a lab to its end.
pub fn run(plan: RunPlan, progress: &mut dyn FnMut(LabNews<'_>)) -> Result<LabEnd, HostError> {
    let mut random = [0; 48];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let (id, key) = random.split_at(16);
    let lab_id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let block = u16::from_le_bytes([id[0], id[1]]) % PORT_BLOCKS;

    let mut directory = RunDirectories::find()
        .and_then(|directories| directories.make(&lab_id))
        .map_err(|error| HostError::Environment(format!("cannot make a run directory: {error}; {DOCTOR}")))?;
    if let Some(place) = &plan.store {
        directory.put_stores_below(place).map_err(|error| {
            let place = place.display();
            let what_to_do = "name an existing directory with --store that you can write";
            HostError::Environment(format!("cannot put stores into {place}: {error}; {what_to_do}"))
        })?;
    }
    let speeds = SpeedFile::make(&directory.path().join(SPEEDS))?;
    let (events, inbox) = mpsc::sync_channel(EVENTS_WAITING_MAX);
    let other_inputs = lay_wires(plan.lifeline)?;
    let events = Arc::new(events);
    let descriptors = u64::from(plan.lab.roster.len()) * DESCRIPTORS_A_NODE;
    let sockets = LabSockets::open(directory.path(), descriptors, Arc::downgrade(&events))
        .map_err(|error| HostError::Environment(format!("{error}; {DOCTOR}")))?;
    let reader = PacketReader::start(other_inputs, events)?;
    // Declared after the reader, so that it is dropped first: a reader that waits for room here could not end.
    let inbox = inbox;
    let lab = Arc::new(plan.lab);
    if lab.card.channel == Channel::Multicast {
        let group = plan.group.map_or(Ipv4Addr::new(239, 255, id[2], id[3]), |group| *group.ip());
        multicast_probe::multicast_comes_back(group).map_err(|error| HostError::Environment(error.to_string()))?;
    }

    let mut refusal = String::new();
    for attempt in 0..TRIES {
        let base_port = PORT_FIRST + (block + attempt) % PORT_BLOCKS * 256;
        // Held while the lab lives: a dead node's address is free, and another lab must not take it.
        let _claim = match UdpSocket::bind((Ipv4Addr::LOCALHOST, base_port)) {
            Ok(claim) => claim,
            Err(error) => {
                refusal = format!("cannot take 127.0.0.1:{base_port}, which claims the lab's ports: {error}");
                if error.kind() == io::ErrorKind::AddrInUse {
                    continue;
                }
                return Err(HostError::Environment(format!("{refusal}; {DOCTOR}")));
            }
        };
        let own_group = SocketAddrV4::new(Ipv4Addr::new(239, 255, id[2], id[3]), base_port);
        let group = match lab.card.channel {
            Channel::Multicast => Some(plan.group.unwrap_or(own_group)),
            Channel::Unicast => None,
        };
        let head = head_of(&lab, &lab_id, RunOrigin::Live { base_port, group, wall_clock: wall_clock() });
        let mut nodes = Nodes::new(lab.roster, Spawner::start()?);
        let launch =
            Launch { lab: &lab, head: &head, key: &key, directory: &directory, reader: &reader, inbox: &inbox };
        let mut open = NodeSet::EMPTY;
        match launch.until_ready(&mut nodes, &mut open)? {
            Launched::Ready { first_records, backlog } => {
                let session = plan.recording.begin(&head).map_err(|error| HostError::Environment(error.to_string()))?;
                directory.announce(&entry_of(&head, session.as_ref().map(|session| session.path().to_owned())))?;
                progress(LabNews::Up(directory.path(), session.as_ref().map(|session| session.path())));
                let epoch = monotonic_nanos() + AHEAD.as_nanos() as u64;
                for node in lab.roster.all().iter() {
                    nodes.tell(node, &Control::Begin { at: epoch, epoch });
                }
                let mut lab_loop = LabLoop {
                    clock: HostClock::new(epoch, speeds.clone()),
                    wake_delays: WakeDelays::default(),
                    orderer: Orderer::new(lab.roster),
                    run: Run::new(Arc::clone(&lab), &head, plan.pace, Judging::On),
                    orders: Orders::new(Arc::clone(&lab)),
                    lab,
                    head,
                    key,
                    directory,
                    events: inbox,
                    reader,
                    backlog,
                    nodes,
                    stores: StoreWatch::default(),
                    doomed: NodeMap::new(),
                    coming: NodeSet::EMPTY,
                    ready: NodeSet::EMPTY,
                    unable: NodeMap::new(),
                    last_record_at: NodeMap::new(),
                    heard: ReceivedSoFar::default(),
                    pace: StartPace::default(),
                    hindrance: None,
                    recorder: Recorder::new(session),
                    sockets,
                    recent: RecentRecords::default(),
                    pulse_at: 0,
                    ends_by: plan.ends_by,
                    ending: None,
                    progress,
                };
                for (stamp, record) in first_records {
                    let at = lab_loop.clock.at(stamp);
                    if let (Body::Spawned { .. }, Some(node)) = (&record.body, record.node) {
                        lab_loop.pace.started(node, at);
                    }
                    lab_loop.admit(Record { at, ..record });
                }
                lab_loop.admit(Record::of_host(0, Body::Began));
                return Ok(lab_loop.run());
            }
            // The next block has other ports, and the same group if it was chosen by hand.
            Launched::Taken(address, why) if plan.group == Some(address) => return Err(HostError::Environment(why)),
            Launched::Taken(_, why) => refusal = why,
            Launched::Unable(why) => return Err(HostError::Environment(why)),
        }
        // The nodes of this try are killed and reaped here; the next try must not hear them any more.
        drop(nodes);
        while !open.is_empty() {
            match inbox.recv() {
                Ok(Incoming::Closed(node)) => open.remove(node),
                Ok(Incoming::Signal(signal)) => return Err(HostError::Signalled(signal)),
                Ok(_) => continue,
                Err(_) => panic!("the reader thread has ended before the lab"),
            };
        }
        // Its nodes must not remember this try either: a lab's dice depend on the incarnations, and it has not begun.
        for node in lab.roster.all().iter() {
            directory.remove_store(&store_of(node))?;
        }
    }
    Err(HostError::Environment(format!("no free ports after {TRIES} tries; the last one: {refusal}")))
}

fn lay_wires(lifeline: LabOwner) -> Result<OtherInputs, HostError> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    // Threads made from here on inherit the mask; a child of the spawner starts with an empty one. SIGXFSZ is blocked
    // and not listened to: a file that may not grow any more is then an error of its write, and not the host's end.
    let mut blocked = signals;
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block().map_err(io::Error::from)?;
    Ok(OtherInputs {
        lifeline: match lifeline {
            LabOwner::None => None,
            LabOwner::Pipe(pipe) => Some(pipe),
        },
        signals: SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
            .map_err(io::Error::from)?,
    })
}

fn wall_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn entry_of(head: &Head, session: Option<PathBuf>) -> LabEntry {
    LabEntry {
        lab_id: head.lab_id.clone(),
        name: head.name.clone(),
        algorithm: head.facts.title.clone(),
        nodes: head.nodes,
        base_port: head.base_port,
        pid: std::process::id(),
        started: head.wall_clock,
        session,
    }
}

/// What a node needs to run in this lab.
fn plan_of(node: NodeId, lab: &Lab, head: &Head, key: &str, directory: &RunDirectory) -> io::Result<NodePlan> {
    Ok(NodePlan {
        // No node reads the lab file, and a file of the greatest length would not fit a packet.
        head: Head { lab_file: String::new(), ..head.clone() },
        setup: Setup {
            me: node,
            roster: lab.roster,
            timing: lab.timing,
            settings: lab.settings.clone(),
            incarnation: Incarnation::default(),
            keyring: LabKeys::asked_for(lab.card.keys, head.seed, lab.roster.len()).map(|keys| keys.keyring(node)),
        },
        key: key.to_owned(),
        store: directory.make_store(&store_of(node))?,
        observe: directory.path().join(node_observe(node)),
        speeds: directory.path().join(SPEEDS),
        faults: Vec::new(),
        clock: None,
        loss: None,
        heard: Vec::new(),
        past: StorePast::default(),
    })
}

/// The directory of a node's store.
pub(super) fn store_of(node: NodeId) -> String {
    format!("store-{node}")
}

struct Launch<'a> {
    lab: &'a Lab,
    head: &'a Head,
    key: &'a str,
    directory: &'a RunDirectory,
    reader: &'a PacketReader,
    inbox: &'a Receiver<Incoming>,
}

enum Launched {
    /// All are ready: their records so far with their CLOCK_MONOTONIC stamps, and what else has come.
    Ready {
        first_records: Vec<(u64, Record)>,
        backlog: VecDeque<Incoming>,
    },
    /// Something else holds that address.
    Taken(SocketAddrV4, String),
    Unable(String),
}

impl Launch<'_> {
    /// Starts all nodes and waits until they are ready; `open` names the nodes whose stream is still open then.
    fn until_ready(&self, nodes: &mut Nodes, open: &mut NodeSet) -> Result<Launched, HostError> {
        let mut first_records = Vec::new();
        let mut unready = self.lab.roster.all();
        for node in unready.iter() {
            let plan = plan_of(node, self.lab, self.head, self.key, self.directory)?;
            let control = Control::Plan(Box::new(plan));
            let pid = nodes.spawn(node, &self.head.lab_id, self.directory.path(), control, self.reader)?;
            open.insert(node);
            first_records.push((monotonic_nanos(), Record::of_node(0, node, Body::Spawned { pid })));
        }
        let mut backlog = VecDeque::new();
        let deadline = Instant::now() + READY_WITHIN;
        while !unready.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(event) = self.inbox.recv_timeout(left) else {
                let why = format!("nodes {unready} were not ready after {READY_WITHIN:?}; is the machine overloaded?");
                return Ok(Launched::Unable(why));
            };
            match event {
                Incoming::Packet(node, packet) => match Report::from_line(&packet).map_err(io::Error::from)? {
                    Report::Ready { .. } => {
                        unready.remove(node);
                    }
                    Report::Unable { taken: Some(address), why } => return Ok(Launched::Taken(address, why)),
                    Report::Unable { taken: None, why } => return Ok(Launched::Unable(why)),
                    Report::Record(record) => first_records.push((monotonic_nanos(), record)),
                    Report::Acknowledged { .. } | Report::Refused { .. } | Report::Held { .. } => {}
                },
                Incoming::Closed(node) => {
                    open.remove(node);
                    let output = self.directory.path().join(node_output(node));
                    let said = std::fs::read_to_string(output).unwrap_or_default();
                    return Ok(Launched::Unable(format!("node {node} ended before the lab began: {}", said.trim())));
                }
                Incoming::Signal(signal) => return Err(HostError::Signalled(signal)),
                Incoming::LifelineClosed => {
                    return Err(HostError::Failed(io::Error::other("its owner was gone before the lab had begun")));
                }
                other => backlog.push_back(other),
            }
        }
        Ok(Launched::Ready { first_records, backlog })
    }
}

impl LabLoop<'_> {
    /// Starts a process for a node that has none, with the table of faults in force.
    pub(super) fn start_process(&mut self, node: NodeId) -> io::Result<u32> {
        let mut plan = plan_of(node, &self.lab, &self.head, &self.key, &self.directory)?;
        plan.faults = self.orders.table();
        plan.clock = self.orders.clock_of(node);
        plan.loss = self.orders.take_loss(node, || self.directory.store_mark(&store_of(node)).ok());
        plan.heard = self.heard.of(node);
        plan.past = self.stores.starts(node, self.directory.store_mark(&store_of(node)).ok());
        let control = Control::Plan(Box::new(plan));
        let pid = self.nodes.spawn(node, &self.head.lab_id, self.directory.path(), control, &self.reader)?;
        self.coming.insert(node);
        for control in self.orders.told_at_start(node) {
            self.nodes.tell(node, &control);
        }
        Ok(pid)
    }
}
