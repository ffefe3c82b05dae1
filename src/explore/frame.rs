//! One state of a whole lab: its nodes, the messages under way, the faults that may still come, the tick.
//!
//! Machines, saved cells and messages stand here by their numbers in [`super::tables`], so a state is a hundred bytes or
//! so, and two states are equal exactly if their bytes are.
//!
//! An ordered broadcast stands once for each receiver, in the receiver's one queue of them: so all receivers have the same
//! order.
//!
//! Invariant: what [`LabFrame::packed`] writes, [`LabFrame::of`] reads back; messages of one queue stand in the order in
//! which they were sent, where the link keeps an order.

use protocol::NodeId;

/// The most nodes that are explored.
pub const EXPLORED_NODES_MAX: u16 = 6;
/// The most timers that the machines of a lab may have, by their names.
pub const TIMERS_MAX: usize = 40;
/// The longest that a timer may run, in ticks.
pub const TICKS_MAX: u8 = 250;

protocol::worded! {
    /// The kinds of faults that are counted, and orders, each at its place, with the name of the command's option for it.
    #[derive(Copy, Clone, Eq, PartialEq, Debug)]
    pub enum FaultKind {
        Crash = "crashes",
        Recovery = "recoveries",
        /// A lost message.
        Loss = "losses",
        Pause = "pauses",
        /// A time-out on another node that comes too early.
        FalseAlarm = "false-alarms",
        /// An order to hold an election.
        Elect = "elections",
    }
}

impl FaultKind {
    /// So many of them: `1 crash`, `2 lost messages`.
    pub fn counted(self, number: u8) -> String {
        let (one, many) = match self {
            FaultKind::Crash => ("crash", "crashes"),
            FaultKind::Recovery => ("recovery", "recoveries"),
            FaultKind::Loss => ("lost message", "lost messages"),
            FaultKind::Pause => ("pause", "pauses"),
            FaultKind::FalseAlarm => ("false alarm", "false alarms"),
            FaultKind::Elect => ("order to elect", "orders to elect"),
        };
        format!("{number} {}", if number == 1 { one } else { many })
    }
}

/// How many of each may still come.
pub type FaultsLeft = [u8; FaultKind::ALL.len()];

/// The state of a lab in as few bytes as may be.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct PackedState(Box<[u8]>);

/// What a node's process does.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ProcessActivity {
    /// Has none.
    Dead,
    /// Runs.
    Runs,
    /// Stands still.
    Paused,
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodeFrame {
    /// What its process does.
    pub doing: ProcessActivity,
    /// How often it has started.
    pub incarnation: u8,
    /// The machine's number; of a dead node 0.
    pub machine: u32,
    /// The safe cells' number, one more; 0 if it has never saved.
    pub saved: u32,
    /// For each timer the ticks until it is due, and one more; 0 if it does not run.
    pub timers: [u8; TIMERS_MAX],
}

/// A message under way.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub struct UnderWay {
    pub link: u8,
    /// The number.
    pub message: u32,
    /// Whether it has been under way for a tick: then it must come in this one.
    pub is_due: bool,
}

/// A state, taken apart.
#[derive(Clone, Debug)]
pub struct LabFrame {
    pub tick: u16,
    /// What may still come.
    pub left: FaultsLeft,
    /// The nodes, by their places.
    pub nodes: Vec<NodeFrame>,
    /// The messages under way, by their queues.
    pub under_way: Vec<UnderWay>,
}

impl NodeFrame {
    /// A node whose process has never been started.
    pub fn absent() -> NodeFrame {
        NodeFrame { doing: ProcessActivity::Dead, incarnation: 0, machine: 0, saved: 0, timers: [0; TIMERS_MAX] }
    }

    /// The process is gone; its safe cells are not.
    pub fn become_dead(&mut self) {
        *self = NodeFrame { incarnation: self.incarnation, saved: self.saved, ..NodeFrame::absent() };
    }

    /// The timers that are due.
    pub fn due(&self) -> impl Iterator<Item = u8> {
        self.timers.iter().zip(0..).filter(|(left, _)| **left == 1).map(|(_, timer)| timer)
    }
}

/// The link from one node to another.
pub fn link(from: NodeId, to: NodeId) -> u8 {
    let place = |node: NodeId| (node.get() - 1) as u8;
    place(from) * EXPLORED_NODES_MAX as u8 + place(to)
}

/// How many links there are: the ordered broadcasts from one node to another have numbers from here on.
const LINKS: u8 = (EXPLORED_NODES_MAX * EXPLORED_NODES_MAX) as u8;

/// The way of ordered broadcasts from one node to another, or to itself.
pub fn ordered_link(from: NodeId, to: NodeId) -> u8 {
    LINKS + link(from, to)
}

/// The sender and the receiver of a link, by their places.
pub fn ends(link: u8) -> (usize, usize) {
    let link = link % LINKS;
    let (from, to) = (link / EXPLORED_NODES_MAX as u8, link % EXPLORED_NODES_MAX as u8);
    (usize::from(from), usize::from(to))
}

impl UnderWay {
    /// Whether it is an ordered broadcast.
    pub fn is_ordered(&self) -> bool {
        self.link >= LINKS
    }

    /// The queue that keeps its order: that of its link, or that of the receiver's ordered broadcasts.
    pub fn queue(&self) -> u8 {
        if self.is_ordered() { LINKS + ends(self.link).1 as u8 } else { self.link }
    }
}

impl LabFrame {
    /// The bytes.
    pub fn packed(&self) -> PackedState {
        let running = |node: &NodeFrame| node.timers.iter().filter(|left| **left > 0).count();
        let nodes: usize = self.nodes.iter().map(|node| 11 + 2 * running(node)).sum();
        let mut bytes = Vec::with_capacity(2 + FaultKind::ALL.len() + nodes + 6 * self.under_way.len());
        bytes.extend(self.tick.to_le_bytes());
        bytes.extend(self.left);
        for node in &self.nodes {
            bytes.extend([node.doing as u8, node.incarnation, running(node) as u8]);
            bytes.extend(node.machine.to_le_bytes());
            bytes.extend(node.saved.to_le_bytes());
            for (timer, left) in node.timers.iter().enumerate().filter(|(_, left)| **left > 0) {
                bytes.extend([timer as u8, *left]);
            }
        }
        for UnderWay { link, message, is_due } in &self.under_way {
            bytes.extend([*link, u8::from(*is_due)]);
            bytes.extend(message.to_le_bytes());
        }
        PackedState(bytes.into())
    }

    /// The state of a lab of so many nodes, from its bytes.
    pub fn of(packed: &PackedState, nodes: u16) -> LabFrame {
        let mut bytes = &packed.0[..];
        let tick = u16::from_le_bytes(take(&mut bytes));
        let left = take(&mut bytes);
        let nodes = (0..nodes).map(|_| NodeFrame::take(&mut bytes)).collect();
        let mut under_way = Vec::with_capacity(bytes.len() / 6 + 4);
        while !bytes.is_empty() {
            let [link, is_due] = take(&mut bytes);
            let message = u32::from_le_bytes(take(&mut bytes));
            under_way.push(UnderWay { link, message, is_due: is_due != 0 });
        }
        LabFrame { tick, left, nodes, under_way }
    }

    /// Puts a message on its way. Where the link keeps no order, equal messages are the same whichever came first.
    pub fn send(&mut self, message: UnderWay, keeps_order: bool) {
        let place = if keeps_order {
            self.under_way.partition_point(|other| other.queue() <= message.queue())
        } else {
            self.under_way.partition_point(|other| *other <= message)
        };
        self.under_way.insert(place, message);
    }
}

impl NodeFrame {
    fn take(bytes: &mut &[u8]) -> NodeFrame {
        let [doing, incarnation, running] = take(bytes);
        let doing = [ProcessActivity::Dead, ProcessActivity::Runs, ProcessActivity::Paused][usize::from(doing)];
        let (machine, saved) = (u32::from_le_bytes(take(bytes)), u32::from_le_bytes(take(bytes)));
        let mut timers = [0; TIMERS_MAX];
        for _ in 0..running {
            let [timer, left] = take(bytes);
            timers[usize::from(timer)] = left;
        }
        NodeFrame { doing, incarnation, machine, saved, timers }
    }
}

impl PackedState {
    /// The tick of the state.
    pub fn tick(&self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]])
    }

    /// The machines of the nodes that have one, with the places of these nodes, in a lab of so many nodes.
    pub fn machines(&self, nodes: u16) -> impl Iterator<Item = (usize, u32)> + '_ {
        let mut bytes = &self.0[2 + FaultKind::ALL.len()..];
        (0..usize::from(nodes)).filter_map(move |place| {
            let [doing, _, running] = take(&mut bytes);
            let machine = u32::from_le_bytes(take(&mut bytes));
            bytes = &bytes[4 + 2 * usize::from(running)..];
            (doing != ProcessActivity::Dead as u8).then_some((place, machine))
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("a packed state has all its parts");
    *bytes = rest;
    *first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).expect("a node")
    }

    #[test]
    fn a_state_reads_back_what_it_packs_and_links_keep_their_order() {
        let mut runs = NodeFrame {
            doing: ProcessActivity::Runs,
            incarnation: 2,
            machine: 70_000,
            saved: 3,
            timers: [0; TIMERS_MAX],
        };
        (runs.timers[0], runs.timers[7]) = (1, 14);
        let mut frame = LabFrame {
            tick: 300,
            left: [1, 2, 3, 4, 5, 6],
            nodes: vec![runs, NodeFrame::absent()],
            under_way: Vec::new(),
        };
        let message = |from, to, message| UnderWay { link: link(node(from), node(to)), message, is_due: message == 9 };
        for (from, to, number) in [(2, 1, 9), (1, 2, 8), (2, 1, 4)] {
            frame.send(message(from, to, number), true);
        }
        let packed = frame.packed();
        let read = LabFrame::of(&packed, 2);
        assert_eq!(read.packed(), packed);
        assert_eq!(read.under_way, [message(1, 2, 8), message(2, 1, 9), message(2, 1, 4)]);
        assert_eq!(read.nodes[0].due().collect::<Vec<u8>>(), [0]);
        assert_eq!((packed.tick(), packed.machines(2).collect::<Vec<_>>()), (300, vec![(0, 70_000)]));
        assert_eq!(ends(message(2, 1, 4).link), (1, 0));
        frame.under_way.clear();
        [5, 4, 5].into_iter().for_each(|number| frame.send(message(2, 1, number), false));
        assert_eq!(frame.under_way.iter().map(|message| message.message).collect::<Vec<u32>>(), [4, 5, 5]);
    }
}
