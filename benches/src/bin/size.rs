//! How much memory a node process takes, and how 200 of them agree.
//!
//! Bars: resident memory at most 2.5 times the bare process; 200 Bully nodes with T 1 s agree within 2 s of the common
//! start. Datagrams, those the kernel dropped (SO_RXQ_OVFL) and records lost stand beside.

use hustings::protocol::{Roster, Status};
use hustings::record::{Body, EffectText, SessionReader};
use hustings::world::World;
use hustings_benches::{Place, bare, bully, resident_kib, spread, wait_until};

const NODES: u16 = 200;

fn main() {
    let place = Place::new();
    let lab = place.up(&bully(5, "parallel", 200, 200, 1000), "five.jsonl");
    place.run(&["wait", "--lab", &lab, "all normal"]).expect("five nodes agree");
    let start = |_| bare(&["ready"]).stdout(std::process::Stdio::null()).spawn();
    let mut others: Vec<_> = (0..5).map(|index| start(index).expect("bare is built beside this")).collect();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let sizes = |pids: Vec<u32>| spread(pids.into_iter().filter_map(resident_kib).map(|kib| kib as f64).collect());
    let (nodes, bares) = (sizes(pids(&place, "five.jsonl")), sizes(others.iter().map(|child| child.id()).collect()));
    for child in &mut others {
        child.kill().and_then(|()| child.wait()).expect("it is a child of this process");
    }
    place.run(&["down", "--lab", &lab]);
    println!("resident memory in KiB: smallest, median, largest");
    println!("  node {nodes}\n  bare {bares}\n  node / bare {:.2} (bar 2.5)", nodes.median / bares.median);

    let lab = place.up(&bully(NODES, "parallel", 1000, 2000, 6000), "many.jsonl");
    let agreed = place.run(&["wait", "--lab", &lab, "coordinator 200", "--within", "20s"]).is_some()
        && place.run(&["wait", "--lab", &lab, "all normal", "--within", "20s"]).is_some();
    place.run(&["down", "--lab", &lab]);
    println!("{NODES} Bully nodes, T 1 s: {}", if agreed { "agreed" } else { "did not agree" });
    tell_many(&SessionReader::open(&place.path("many.jsonl")).expect("the session can be read"));
}

/// The pids that a session's nodes had.
fn pids(place: &Place, session: &str) -> Vec<u32> {
    let read = || SessionReader::open(&place.path(session)).expect("the session can be read");
    wait_until(|| read().records.len() > 20);
    let pid = |body: &Body| if let Body::Spawned { pid } = body { Some(*pid) } else { None };
    read().records.iter().filter_map(|record| pid(&record.body)).collect()
}

fn tell_many(session: &SessionReader) {
    let mut world = World::new(Roster::new(NODES).expect("as many nodes as a lab may have"));
    let (mut datagrams, mut agreed_at) = (0u64, None);
    for record in &session.records {
        world.fold(record);
        if let Some(step) = record.step() {
            datagrams += step.effects.iter().filter(|effect| matches!(effect, EffectText::Send { .. })).count() as u64;
        }
        let all_normal = || {
            let mut states = world.nodes.values().map(|node| node.state.as_ref());
            states.all(|state| {
                state.is_some_and(|state| {
                    state.status == Status::Normal && state.coordinator.is_some_and(|c| c.get() == NODES)
                })
            })
        };
        if agreed_at.is_none() && record.step().is_some_and(|step| step.state.is_some()) && all_normal() {
            agreed_at = Some(record.at);
        }
    }
    match agreed_at {
        Some(at) => println!("  from the common start to agreement {:.3} s (bar 2 s)", at as f64 / 1e9),
        None => println!("  no agreement"),
    }
    println!(
        "  datagrams sent {datagrams}, dropped by full buffers {}, records lost {}",
        world.overflowed, world.missed
    );
}
