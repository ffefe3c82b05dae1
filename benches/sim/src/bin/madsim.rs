//! Row 4: the machines as madsim's nodes, each a task with a UDP socket. Messages move as bytes.
//!
//! Every send and every receive of madsim takes a millisecond of its own besides the delay, so the delays here are
//! shorter by two.
//!
//! Invariant: the receive that waits is never dropped half-way, for with it madsim would lose a message.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use hustings::protocol::codec;
use hustings::election::bully::Message;
use hustings::protocol::NodeId;
use hustings_sim_benches::node::Node;
use hustings_sim_benches::{
    DELAY_LONGEST_MS, DELAY_SHORTEST_MS, Expected, NODES, Order, Report, address, agree, lab, node, place, report,
    sender, turns,
};
use madsim::net::UdpSocket;
use madsim::runtime::{Handle, Runtime};
use madsim::time::{TimeHandle, sleep, timeout};

type Nodes = Arc<Vec<Mutex<Node>>>;

fn main() {
    let (labs, seed, _) = hustings_sim_benches::arguments();
    let lab = lab(Expected::Nothing);
    report(|| {
        let mut whole = Report { did: "a task and a socket a node, messages as bytes".to_owned(), ..Report::default() };
        for seed in seed..seed + labs {
            let mut config = madsim::Config::default();
            let millis = Duration::from_millis;
            config.net.send_latency = millis(DELAY_SHORTEST_MS)..millis(DELAY_LONGEST_MS - 2);
            let nodes: Nodes = Arc::new(lab.roster.all().iter().map(|me| Mutex::new(Node::new(&lab, me))).collect());
            let runtime = Runtime::with_seed_and_config(seed, config);
            whole.agreements += runtime.block_on(run(Arc::clone(&nodes)));
            whole.messages += nodes.iter().map(|node| locked(node).messages).sum::<u64>();
            whole.virtual_seconds += turns().last().map_or(0.0, |turn| turn.at_ms as f64 / 1e3);
        }
        whole
    });
}

async fn run(nodes: Nodes) -> u64 {
    let handle = Handle::current();
    let mut agreements = 0;
    let start = |number: u16| {
        let nodes = Arc::clone(&nodes);
        let live = move || live(Arc::clone(&nodes), node(number));
        handle.create_node().name(number.to_string()).ip(address(node(number)).ip()).init(live).build()
    };
    let handles: Vec<_> = (1..=NODES).map(start).collect();
    let last = &handles[place(node(NODES))];
    for turn in turns() {
        sleep(Duration::from_millis(turn.at_ms).saturating_sub(TimeHandle::current().elapsed())).await;
        agreements += u64::from(agree(nodes.iter().map(|node| locked(node).state()), turn.coordinator));
        match turn.order {
            Order::Crash => {
                handle.kill(last.id());
                locked(&nodes[place(node(NODES))]).become_down();
            }
            Order::Recover => handle.restart(last.id()),
            Order::End => {}
        }
    }
    agreements
}

async fn live(nodes: Nodes, me: NodeId) {
    let own = &nodes[place(me)];
    let socket = UdpSocket::bind(address(me)).await.expect("the address is free");
    let mut sends = Vec::new();
    locked(own).become_up(now(), &mut sends);
    send(&socket, &mut sends).await;
    loop {
        let mut receive = pin!(async {
            let mut buffer = [0; codec::BODY_BYTES_MAX];
            let (length, from) = socket.recv_from(&mut buffer).await.expect("the network is up");
            (codec::decode_message(&buffer[..length]).expect("nothing else is sent"), from)
        });
        let (message, from) = loop {
            let rest = Duration::from_nanos(locked(own).next_due().saturating_sub(now()));
            if let Ok(received) = timeout(rest, receive.as_mut()).await {
                break received;
            }
            locked(own).on_time(now(), &mut sends);
            send(&socket, &mut sends).await;
        };
        locked(own).on_message(now(), sender(from), message, &mut sends);
        send(&socket, &mut sends).await;
    }
}

async fn send(socket: &UdpSocket, sends: &mut Vec<(NodeId, Message)>) {
    for (to, message) in sends.drain(..) {
        let body = codec::encode_message(&message).expect("a message of Bully fits a datagram");
        socket.send_to(address(to), &body).await.expect("the network is up");
    }
}

fn now() -> u64 {
    u64::try_from(TimeHandle::current().elapsed().as_nanos()).expect("a lab is short")
}

fn locked(node: &Mutex<Node>) -> MutexGuard<'_, Node> {
    node.lock().expect("there is one thread")
}
