//! Simulations that end before their steps are finished: a storm, or somebody interrupts them.

use super::lab_of;
use crate::simulation::Simulation;
use crate::{Interrupt, Plan, SimEnd, Simulated, run};
use election::bully::Bully;
use protocol::MachineKind;

/// Three Bully nodes that are left alone for a day.
fn plan() -> Plan {
    let text = "name = \"long\"\nabout = \"A long lab.\"\nalgorithm = \"bully\"\nnodes = 3\nseed = 1\nT = \"200ms\"\n\
                check = \"1s\"\nsilence = \"2s\"\n[[step]]\nname = \"end\"\nat = \"86400s\"\ndo = []\n";
    Plan::of(lab_of("long", text))
}

fn unknown(end: SimEnd) -> String {
    assert_eq!(end.run.summary.exit_code(), 5);
    end.run.unknown.unwrap()
}

#[test]
fn a_storm_ends_a_simulation() {
    let most = |most: u64| {
        let mut simulation = Simulation::new(MachineKind::of::<Bully>(), &plan(), Box::new(|_| {}));
        simulation.arrivals.most = most;
        unknown(Box::new(simulation).run_to_end())
    };
    // The election at the beginning takes some twenty messages.
    let told = most(10);
    assert!(told.starts_with("a storm at 0."), "{told}");
    assert!(told.contains("more than 10 messages arrived within one second of lab time"), "{told}");
}

#[test]
fn seconds_are_counted_apart() {
    let mut simulation = Simulation::new(MachineKind::of::<Bully>(), &plan(), Box::new(|_| {}));
    simulation.arrivals.most = 100;
    // In a minute far more than a hundred come, and in no second so many.
    simulation.advance_to(60_000_000_000);
    let end = Box::new(simulation).end();
    assert_eq!(end.run.unknown, None);
    assert!(end.delivered > 200, "{}", end.delivered);
}

#[test]
fn an_interrupt_ends_a_simulation() {
    let interrupt = Interrupt::default();
    let mut heard = 0;
    let raised = interrupt.clone();
    let listener = |_: &record::Record| {
        heard += 1;
        if heard == 100 {
            raised.raise();
        }
    };
    let end = interrupt.over(|| run(&plan(), Box::new(listener)));
    assert!(end.lasted > 0 && end.lasted < 3_600_000_000_000, "{}", end.lasted);
    assert_eq!(unknown(end), "the simulation was told to end before its steps were finished");
    assert_eq!(interrupt.over(|| run(&plan(), Box::new(|_| {}))).delivered, 0);
    // Whoever is not under it is not interrupted by it.
    let mut free = crate::start(&plan(), Box::new(|_| {}));
    free.advance_to(10_000_000_000);
    assert!(free.next_at().is_some());
}
