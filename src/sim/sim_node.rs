//! A node of the simulation: its process, its machine behind its link, and what a process keeps around them.
//!
//! Invariant: messages for a stopped process or a held machine wait in its inbox, as in a socket's buffer; a message to
//! a node without a process is lost, and no record tells of it; safe cells and the incarnation outlive a process.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;

use super::MessageTransfer;
use super::event_queue::{Datagram, EventQueue};
use super::network::Network;
use super::run_recorder::{RunRecorder, stamp};
use driver::{Armed, Environment, Participant, Stamp};
use fault::{CellLoss, FaultId, Passage};
use link::BroadcastId;
use protocol::{Delivery, Incarnation, MachineKind, NodeId, Order, Payload, Roster, SavedCells};
use record::{Body, Control, MessageId};
use world::ProcessState;

/// A node.
pub(super) struct SimulatedNode {
    pub process: ProcessState,
    pub participant: Option<Participant>,
    pub cells: NodeData,
    /// Read by nobody yet.
    pub inbox: VecDeque<Datagram<Payload>>,
    /// Messages of the host while it was stopped.
    pub unheard: Vec<Control>,
    /// Orders that wait for the machine.
    pub orders: VecDeque<(u64, Order)>,
    /// The fault that keeps it dead or stopped, and how many datagrams have come meanwhile.
    pub struck: Option<(FaultId, u64)>,
    /// Which of its processes this is.
    pub processes: u32,
}

/// The data that a process keeps besides its machine, and the data that outlives it.
pub(super) struct NodeData {
    pub me: NodeId,
    pub incarnation: Incarnation,
    pub saved: Option<SavedCells>,
    /// What was saved before that, if there is a generation before.
    older: Option<Option<SavedCells>>,
    /// How often it has saved.
    pub saves: u64,
    pub armed: Armed,
    own: Vec<(BroadcastId, Payload)>,
}

/// Shared by all nodes: the time, the network, the datagrams on their way.
pub(super) struct SharedState {
    pub kind: MachineKind,
    pub now: u64,
    pub roster: Roster,
    pub moves: MessageTransfer,
    pub agenda: EventQueue<Payload>,
    pub network: Network,
    /// The nodes that have stopped at a protocol moment, and for which of the lab's steps; nobody has been told yet.
    pub held: VecDeque<(NodeId, String)>,
}

/// A node's surroundings, for one turn of it.
pub(super) struct NodeContext<'a, 'l> {
    pub cells: &'a mut NodeData,
    pub shared: &'a mut SharedState,
    pub recorder: &'a mut RunRecorder<'l>,
}

impl SimulatedNode {
    /// A node that has had no process yet.
    pub fn new(me: NodeId) -> SimulatedNode {
        let (incarnation, armed) = (Incarnation::default(), Armed::default());
        let cells = NodeData { me, incarnation, saved: None, older: None, saves: 0, armed, own: Vec::new() };
        let (inbox, unheard, orders) = (VecDeque::new(), Vec::new(), VecDeque::new());
        let process = ProcessState::Absent;
        SimulatedNode { process, participant: None, cells, inbox, unheard, orders, struck: None, processes: 0 }
    }

    /// The process is gone, and with it everything but the safe cells.
    pub fn become_dead(&mut self) {
        self.process = ProcessState::Dead;
        self.participant = None;
        self.cells.armed = Armed::default();
        self.cells.own.clear();
        self.inbox.clear();
        self.orders.clear();
        self.unheard.clear();
    }

    /// Whether its machine can be given something now.
    pub fn is_free(&self) -> bool {
        self.process == ProcessState::Running && self.participant.as_ref().is_some_and(|machine| !machine.is_held())
    }
}

impl NodeData {
    /// The saved cells are lost; returns whether that changes anything.
    pub fn lose(&mut self, loss: CellLoss) -> bool {
        let left = match (loss, self.older.take()) {
            (CellLoss::Wipe, _) => None,
            (CellLoss::Rollback, Some(older)) => older,
            (CellLoss::Rollback, None) => return false,
        };
        let before = std::mem::replace(&mut self.saved, left);
        before != self.saved
    }
}

impl SharedState {
    /// Sends to one node, or to all others.
    fn send(
        &mut self,
        from: NodeId,
        to: Option<NodeId>,
        passage: impl Fn(NodeId) -> Passage,
        original: Option<BroadcastId>,
        message: Payload,
    ) {
        let mut leave = |receiver, message| {
            let at = self.network.arrival(self.now, from, receiver, to.is_none());
            let datagram = Datagram { sent: self.now, passage: passage(receiver), original, message };
            self.agenda.enter_arrival(at, datagram);
        };
        match to {
            Some(receiver) if receiver.get() <= self.roster.len() => leave(receiver, message),
            // A garbled message may name a node that the lab does not have: nobody listens at its address.
            Some(_) => {}
            None => self.roster.others(from).iter().for_each(|receiver| leave(receiver, message.clone())),
        }
    }
}

impl Environment for NodeContext<'_, '_> {
    type Error = Infallible;

    fn now(&self) -> Stamp {
        stamp(self.shared.now)
    }

    fn keeps_records(&self) -> bool {
        self.recorder.run.is_heard()
    }

    fn record(&mut self, stamp: Stamp, body: Body) -> bool {
        self.recorder.publish(stamp.record(Some(self.cells.me), body));
        true
    }

    fn send(&mut self, id: &MessageId, message: Payload) -> io::Result<()> {
        let message = match self.shared.moves {
            MessageTransfer::Typed => message,
            MessageTransfer::Encoded => through_the_codec(self.shared.kind, &message),
        };
        let MessageId { from, incarnation, to, sequence } = *id;
        let passage = |receiver| Passage { from, to: receiver, multicast: to.is_none(), incarnation, sequence };
        let original = (to.is_none() && self.shared.kind.card().delivery == Delivery::OrderedBroadcast)
            .then_some(BroadcastId { stamp: self.shared.now, from, incarnation, sequence });
        if let Some(original) = original {
            self.cells.own.push((original, message.clone()));
        }
        self.shared.send(from, to, passage, original, message);
        Ok(())
    }

    fn relay(&mut self, original: &BroadcastId, message: &Payload) -> io::Result<()> {
        let (me, incarnation) = (self.cells.me, self.cells.incarnation);
        let sequence = original.relay_number();
        let passage = |to| Passage { from: me, to, multicast: true, incarnation, sequence };
        self.shared.send(me, None, passage, Some(*original), message.clone());
        Ok(())
    }

    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)> {
        std::mem::take(&mut self.cells.own)
    }

    fn save(&mut self, saved: SavedCells) -> Result<(), Infallible> {
        let cells = &mut *self.cells;
        cells.older = Some(cells.saved.replace(saved));
        cells.saves += 1;
        Ok(())
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.cells.armed
    }

    fn become_held(&mut self, by: &str) {
        self.shared.held.push_back((self.cells.me, by.to_owned()));
    }
}

fn through_the_codec(kind: MachineKind, message: &Payload) -> Payload {
    let body = message.encode().expect("what a Card's most nodes allow fits a datagram");
    kind.read_message(&body).expect("it was encoded here, and has one encoding")
}
