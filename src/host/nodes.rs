//! The nodes' processes as the host sees them, and the host's end of each stream.
//!
//! Invariant: a node without a process has no stream; one with a process has one until that process closes it.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, send, setsockopt, socketpair, sockopt};

use super::child::KernelState;
use super::reader::PacketReader;
use super::spawner::{Killed, Spawn, Spawner};
use protocol::{NodeId, NodeMap, NodeSet, Roster};
use record::Control;
use record::run_directory::node_output;
use world::ProcessState;

/// The size asked for at both ends of a stream: it holds a stalled reader's records, and a stopped node's control
/// packets.
const STREAM_BUFFER_BYTES: usize = 4 << 20;

/// Whether a control packet is on its way.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Dispatch {
    Yes,
    /// The node has no process, or does not read.
    No,
}

#[derive(Debug)]
struct NodeSlot {
    process: ProcessState,
    /// As the host found it last.
    kernel_state: KernelState,
    stream: Option<Arc<OwnedFd>>,
}

/// All nodes of a lab.
#[derive(Debug)]
pub struct Nodes {
    spawner: Spawner,
    slots: NodeMap<NodeSlot>,
}

impl Nodes {
    /// None of them has a process yet.
    pub fn new(roster: Roster, spawner: Spawner) -> Nodes {
        let slot =
            |node| (node, NodeSlot { process: ProcessState::Absent, kernel_state: KernelState::Runs, stream: None });
        Nodes { spawner, slots: roster.all().iter().map(slot).collect() }
    }

    /// Starts a node's process and gives it its plan; returns its process id.
    pub fn spawn(
        &mut self,
        node: NodeId,
        lab_id: &str,
        directory: &Path,
        plan: Control,
        reader: &PacketReader,
    ) -> io::Result<u32> {
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        for end in [&ours, &theirs] {
            // With less than asked for, a gap only comes sooner.
            let _ = setsockopt(end, sockopt::SndBuf, &STREAM_BUFFER_BYTES);
        }
        let output = directory.join(node_output(node));
        let pid = self.spawner.spawn(Spawn { node, lab_id: lab_id.to_owned(), stream: theirs, output })?;
        let stream = Arc::new(ours);
        reader.add(node, Arc::clone(&stream));
        let slot = self.slot(node);
        (slot.process, slot.kernel_state) = (ProcessState::Starting, KernelState::Runs);
        slot.stream = Some(stream);
        self.tell(node, &plan);
        Ok(pid)
    }

    /// Sends a control packet, without waiting.
    pub fn tell(&self, node: NodeId, control: &Control) -> Dispatch {
        let packet = control.to_line();
        let Some(stream) = &self.slots[&node].stream else { return Dispatch::No };
        match send(stream.as_raw_fd(), packet.as_bytes(), MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
            Ok(_) => Dispatch::Yes,
            Err(_) => Dispatch::No,
        }
    }

    /// Kills a node's process, if it has one. Its output must still be read.
    pub fn kill(&mut self, node: NodeId) -> Killed {
        let killed = self.spawner.kill(node);
        if !matches!(killed, Killed::Dying) {
            let slot = self.slot(node);
            (slot.process, slot.stream) = (ProcessState::Dead, None);
        }
        killed
    }

    /// The same for a process that has closed its end of the stream.
    pub fn bury(&mut self, node: NodeId) -> Killed {
        self.slot(node).stream = None;
        self.kill(node)
    }

    /// The nodes whose process has closed its stream and has not ended yet.
    pub fn unburied(&self) -> NodeSet {
        let is_unburied = |slot: &NodeSlot| slot.process.is_up() && slot.stream.is_none();
        self.slots.iter().filter(|(_, slot)| is_unburied(slot)).map(|(node, _)| *node).collect()
    }

    /// The processes that somebody else stopped or continued, each once: what they do, and what the host held to be so.
    pub fn look(&mut self) -> Vec<(NodeId, KernelState, ProcessState)> {
        let mut found = Vec::new();
        for (node, kernel_state) in self.spawner.look() {
            let slot = self.slot(node);
            if slot.kernel_state != kernel_state {
                slot.kernel_state = kernel_state;
                found.push((node, kernel_state, slot.process));
            }
        }
        found
    }

    /// Stops a node's process; it is stopped when this returns. The error says why it runs.
    pub fn stop(&mut self, node: NodeId) -> io::Result<()> {
        self.spawner.stop(node)?;
        let slot = self.slot(node);
        (slot.process, slot.kernel_state) = (ProcessState::Paused, KernelState::Stopped);
        Ok(())
    }

    /// Lets a stopped process go on.
    pub fn resume(&mut self, node: NodeId) -> io::Result<()> {
        self.spawner.resume(node)?;
        let slot = self.slot(node);
        (slot.process, slot.kernel_state) = (ProcessState::Running, KernelState::Runs);
        Ok(())
    }

    /// A starting process has taken its first step.
    pub fn has_started(&mut self, node: NodeId) {
        let slot = self.slot(node);
        if slot.process == ProcessState::Starting {
            slot.process = ProcessState::Running;
        }
    }

    /// The nodes whose process is in this state.
    pub fn that_are(&self, process: ProcessState) -> NodeSet {
        self.slots.iter().filter(|(_, slot)| slot.process == process).map(|(node, _)| *node).collect()
    }

    /// The state of each node's process.
    pub fn processes(&self) -> NodeMap<ProcessState> {
        self.slots.iter().map(|(node, slot)| (*node, slot.process)).collect()
    }

    fn slot(&mut self, node: NodeId) -> &mut NodeSlot {
        self.slots.get_mut(&node).expect("every node of the roster has a slot")
    }
}
