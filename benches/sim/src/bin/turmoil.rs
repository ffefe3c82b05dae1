//! Row 5: the machines as turmoil's hosts, each a task with a UDP socket. Messages move as bytes: its sockets take no
//! others.
//!
//! Invariant: turmoil's tick is its default, a millisecond.

use std::cell::RefCell;
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use hustings::protocol::codec;
use hustings::election::bully::Message;
use hustings::protocol::NodeId;
use hustings_sim_benches::node::Node;
use hustings_sim_benches::{
    DELAY_LONGEST_MS, DELAY_SHORTEST_MS, Expected, NODES, Order, Report, address, agree, lab, node, place, report,
    sender, turns,
};
use tokio::time::timeout;
use turmoil::net::UdpSocket;

type Nodes = Rc<Vec<RefCell<Node>>>;

fn main() {
    let (labs, seed, _) = hustings_sim_benches::arguments();
    let lab = lab(Expected::Nothing);
    report(|| {
        let mut whole = Report { did: "a task and a socket a node, messages as bytes".to_owned(), ..Report::default() };
        for seed in seed..seed + labs {
            let nodes: Nodes = Rc::new(lab.roster.all().iter().map(|me| RefCell::new(Node::new(&lab, me))).collect());
            whole.agreements += run(seed, &nodes);
            whole.messages += nodes.iter().map(|node| node.borrow().messages).sum::<u64>();
            whole.virtual_seconds += turns().last().map_or(0.0, |turn| turn.at_ms as f64 / 1e3);
        }
        whole
    });
}

fn run(seed: u64, nodes: &Nodes) -> u64 {
    let millis = Duration::from_millis;
    let mut simulation = turmoil::Builder::new()
        .rng_seed(seed)
        .simulation_duration(Duration::from_secs(3600))
        .min_message_latency(millis(DELAY_SHORTEST_MS))
        .max_message_latency(millis(DELAY_LONGEST_MS))
        .build();
    for number in 1..=NODES {
        let nodes = Rc::clone(nodes);
        simulation.host(address(node(number)).ip(), move || live(Rc::clone(&nodes), node(number)));
    }
    let last = address(node(NODES)).ip();
    let mut agreements = 0;
    for turn in turns() {
        while simulation.elapsed() < millis(turn.at_ms) {
            simulation.step().expect("no node ends");
        }
        agreements += u64::from(agree(nodes.iter().map(|node| node.borrow().state()), turn.coordinator));
        match turn.order {
            Order::Crash => {
                simulation.crash(last);
                nodes[place(node(NODES))].borrow_mut().become_down();
            }
            Order::Recover => simulation.bounce(last),
            Order::End => {}
        }
    }
    agreements
}

async fn live(nodes: Nodes, me: NodeId) -> turmoil::Result {
    let own = &nodes[place(me)];
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 1000)).await?;
    let (mut sends, mut buffer) = (Vec::new(), [0; codec::BODY_BYTES_MAX]);
    own.borrow_mut().become_up(now(), &mut sends);
    loop {
        for (to, message) in sends.drain(..) {
            socket.send_to(&codec::encode_message(&message)?, address(to)).await?;
        }
        let rest = Duration::from_nanos(own.borrow().next_due().saturating_sub(now()));
        match timeout(rest, socket.recv_from(&mut buffer)).await {
            Ok(received) => {
                let (length, from) = received?;
                let message: Message = codec::decode_message(&buffer[..length]).ok_or("a message that is none")?;
                own.borrow_mut().on_message(now(), sender(from), message, &mut sends);
            }
            Err(_) => own.borrow_mut().on_time(now(), &mut sends),
        }
    }
}

fn now() -> u64 {
    let elapsed = turmoil::sim_elapsed().expect("a host asks within the simulation");
    u64::try_from(elapsed.as_nanos()).expect("a lab is short")
}
