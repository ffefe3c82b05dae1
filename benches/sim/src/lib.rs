//! What the rows of the speed table share: the workload, one node of it for those that bring tasks and sockets, and what
//! a row reports.
//!
//! The workload is a lab: five nodes of Bully; the coordinator crashes, the next one takes over, the old one comes back
//! and takes over again; so many times, and then the same with the next seed. Before every order all that run must be
//! Normal under the one that is to coordinate: that is an agreement, and each row counts its own.
//!
//! Invariant: every row drives hustings' own Bully machine through the same orders at the same moments of virtual time;
//! what a row counts as a message is one that was given to a machine.

pub mod node;

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hustings::registry::BUILT_IN;
use hustings::lab::{self, Lab};
use hustings::protocol::{NodeId, StateVector, Status};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};

/// How many nodes there are.
pub const NODES: u16 = 5;
/// How often the coordinator crashes and comes back in one lab.
pub const CYCLES: u64 = 20;
/// The first datagram may arrive after so many milliseconds, where the network can be told.
pub const DELAY_SHORTEST_MS: u64 = 1;
/// And the last.
pub const DELAY_LONGEST_MS: u64 = 10;

/// The periods stand to each other as in `labs/first.toml`, and the crashes follow each other as closely as there.
const T_MS: u64 = 40;
const CHECK_MS: u64 = T_MS;
const SILENCE_MS: u64 = 5 * T_MS;
/// Within these all have agreed, whatever the network does within its bound.
const DOWN_MS: u64 = 15 * T_MS;
const BACK_MS: u64 = 10 * T_MS;

/// An order of the workload.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Order {
    /// The coordinator's process ends.
    Crash,
    /// Starts again, with its safe cells.
    Recover,
    /// The lab is over.
    End,
}

/// When the next order comes, in milliseconds, what it is, and who coordinates until then.
#[derive(Copy, Clone, Debug)]
pub struct Turn {
    pub at_ms: u64,
    pub order: Order,
    pub coordinator: NodeId,
}

/// What one row did in one run.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Messages that were given to a machine.
    pub messages: u64,
    /// How often all agreed when they should have.
    pub agreements: u64,
    /// Seconds of processor time of its one thread.
    pub seconds: f64,
    /// Seconds of virtual time.
    pub virtual_seconds: f64,
    /// What it did for each message, in words.
    pub did: String,
}

/// The orders of a lab, in their order.
pub fn turns() -> impl Iterator<Item = Turn> {
    let turn = |at_ms, order, coordinator| Turn { at_ms, order, coordinator: node(coordinator) };
    let cycle = move |number: u64| {
        let crash = BACK_MS + number * (DOWN_MS + BACK_MS);
        [turn(crash, Order::Crash, NODES), turn(crash + DOWN_MS, Order::Recover, NODES - 1)]
    };
    let end = turn(BACK_MS + CYCLES * (DOWN_MS + BACK_MS), Order::End, NODES);
    (0..CYCLES).flat_map(cycle).chain([end])
}

/// Whether a lab expects anything.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Expected {
    /// Each agreement is an expectation, and that nothing is violated.
    Agreements,
    /// Nothing: without records nobody could say.
    Nothing,
}

/// The lab, its orders as steps.
pub fn lab(expected: Expected) -> Arc<Lab> {
    let mut text = format!(
        "name = \"speed\"\nabout = \"The coordinator crashes and returns, again and again.\"\nalgorithm = \"bully\"\n\
         nodes = {NODES}\nseed = 1\nT = \"{T_MS}ms\"\ncheck = \"{CHECK_MS}ms\"\nsilence = \"{SILENCE_MS}ms\"\n\
         [settings]\nform = \"parallel\"\n"
    );
    let orders: Vec<Turn> = turns().collect();
    for (number, turn) in orders.iter().enumerate() {
        let line = match turn.order {
            Order::Crash => format!("do = [\"crash {NODES}\"]"),
            Order::Recover => format!("do = [\"recover {NODES}\"]"),
            Order::End => "do = []".to_owned(),
        };
        let at = turn.at_ms;
        writeln!(text, "[[step]]\nname = \"step-{number}\"\nat = \"{at}ms\"\n{line}").expect("a string takes text");
    }
    let pairs = orders.windows(2).enumerate().filter(|_| expected == Expected::Agreements);
    for (number, pair) in pairs {
        let (within, coordinator) = (pair[1].at_ms - pair[0].at_ms - 1, pair[1].coordinator);
        let expectation = "[[expect]]\nthat = \"coordinator";
        writeln!(text, "{expectation} {coordinator}\"\nafter = \"step-{number}\"\nwithin = \"{within}ms\"")
            .expect("a string takes text");
    }
    if expected == Expected::Agreements {
        text.push_str("[[expect]]\nthat = \"no violation\"\n");
    }
    let lab = lab::parse("speed.toml", &text, BUILT_IN);
    Arc::new(lab.unwrap_or_else(|errors| panic!("the workload is a lab: {:?}", errors.list)))
}

/// Whether all that run (those with a state) are Normal under this coordinator.
pub fn agree(states: impl Iterator<Item = Option<StateVector>>, coordinator: NodeId) -> bool {
    let is_under = |state: StateVector| state.status == Status::Normal && state.coordinator == Some(coordinator);
    states.flatten().all(is_under)
}

/// How many labs a row is to do, and with which seed it begins: the arguments of every row's program.
pub fn arguments() -> (u64, u64, Vec<String>) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments[place].parse().expect("LABS SEED: two numbers");
    (number(0), number(1), arguments[2..].to_vec())
}

/// Runs it and prints its report, with the processor time that it took.
pub fn report(run: impl FnOnce() -> Report) {
    let before = processor_seconds();
    let mut report = run();
    report.seconds = processor_seconds() - before;
    println!("{}", serde_json::to_string(&report).expect("a report is plain data"));
}

/// A node by its number.
pub fn node(number: u16) -> NodeId {
    NodeId::new(number).expect("nodes are numbered from 1")
}

/// A node's place, from 0.
pub fn place(node: NodeId) -> usize {
    usize::from(node.get() - 1)
}

/// A node's address in a network that is itself simulated.
pub fn address(node: NodeId) -> SocketAddr {
    let last = u8::try_from(node.get()).expect("there are few nodes");
    (IpAddr::V4(Ipv4Addr::new(192, 168, 0, last)), 1000).into()
}

/// The node at this address.
pub fn sender(address: SocketAddr) -> NodeId {
    let IpAddr::V4(address) = address.ip() else { unreachable!("all addresses are of version 4") };
    node(u16::from(address.octets()[3]))
}

fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask what it used");
    (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
}
