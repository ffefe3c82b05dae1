//! What each order becomes.

use super::stage::{BULLY, Session};
use fault::ReleaseOrder;
use record::{Body, Death};

fn agreed() -> Session {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session
}

fn isolate(session: &mut Session, at: f64, nodes: &str) -> fault::FaultId {
    session.order(at, &format!("isolate {nodes}"), "1-5", format!("isolate {nodes}").parse().ok())
}

#[test]
fn an_order_to_machines_is_given_to_those_that_run() {
    let mut session = agreed();
    session.crash(2.0, "crash 5", "5");
    session.order(3.0, "elect *", "1-5", None);
    session.order(4.0, "start-over 4,5", "4,5", None);
    assert_eq!(session.lines(), ["crash 5", "elect 1-4", "start-over 4"]);
}

#[test]
fn an_undo_is_what_it_undid() {
    let mut session = agreed();
    isolate(&mut session, 2.0, "2");
    session.crash(3.0, "crash 4,5", "4,5");
    session.pause(4.0, "pause 1", "1");
    for at in [5.0, 6.0, 7.0] {
        session.order(at, "undo", "1-5", None);
    }
    assert_eq!(session.lines(), ["isolate 2", "crash 4,5", "pause 1", "resume 1", "recover 4,5", "lift f1"]);
}

#[test]
fn a_speed_is_one_fault_at_a_time() {
    let mut session = agreed();
    session.order(2.0, "speed 0.2x", "", None);
    isolate(&mut session, 2.5, "2");
    session.order(3.0, "speed 0.5x", "", None);
    // The first was over with the second.
    for at in [4.0, 4.1, 4.2] {
        session.order(at, "undo", "", None);
    }
    session.order(5.0, "speed 2x", "", None);
    session.order(6.0, "heal all", "1-5", None);
    session.order(7.0, "undo", "", None);
    let lines = ["speed 0.2x", "isolate 2", "speed 0.5x", "lift f3", "lift f2", "speed 2x", "heal all"];
    assert_eq!(session.lines(), lines);
}

#[test]
fn an_undo_passes_over_what_was_made_good_meanwhile() {
    let mut session = agreed();
    isolate(&mut session, 2.0, "2");
    session.pause(3.0, "pause 1", "1");
    // Killed where it stood: the pause is over.
    session.crash(4.0, "crash 1", "1");
    session.order(5.0, "recover 1", "1", None);
    session.order(6.0, "undo", "1-5", None);
    assert_eq!(session.lines(), ["isolate 2", "pause 1", "crash 1", "recover 1", "lift f1"]);
}

#[test]
fn a_pause_and_a_crash_of_one_order_are_undone_by_two_lines() {
    let mut session = agreed();
    let paused = session.pause(2.0, "pause 1,2", "1,2");
    session.crash(3.0, "crash 1", "1");
    session.order(4.0, &format!("lift {paused}"), "1,2", None);
    isolate(&mut session, 5.0, "3");
    session.order(6.0, "undo", "1-5", None);
    let lines = ["pause 1,2", "crash 1", "resume 2", "recover 1", "isolate 3", "lift f5"];
    assert_eq!(session.lines(), lines, "and the ids count lines, as the host will");
}

#[test]
fn a_lift_names_the_id_that_the_fault_has_in_the_lab() {
    let mut session = agreed();
    session.order_in_vain(2.0, "isolate 1", "1-5", "isolate 1".parse().ok(), None);
    session.order_in_vain(2.5, "recover 3", "", None, Some("part"));
    let second = isolate(&mut session, 3.0, "2");
    session.order(4.0, &format!("lift {second}"), "1-5", None);
    // What undoes a fault that is left out is left out too.
    session.order(5.0, "undo", "1-5", None);
    assert_eq!(session.lines(), ["isolate 2", "lift f1"]);
    let text = session.text();
    assert!(text.contains("# - f1 `isolate 1` at 2.000 s: left out, because it never was in force."), "{text}");
    assert!(text.contains("# - f5 `undo` at 5.000 s: left out, because it had nothing to change."));
}

#[test]
fn a_release_is_no_fault_that_stands_and_ends_the_holds_of_which_it_leaves_nothing() {
    let mut session = agreed();
    let hold = "hold 5->1,2".parse().unwrap();
    session.order(2.0, "hold coordinator->1,2", "1,2,5", Some(hold));
    isolate(&mut session, 3.0, "4");
    let release = |to, order| format!("release 5->{to}{order}").parse().ok();
    session.order(4.0, "release 5->1", "1,5", release("1", ReleaseOrder::InOrder));
    session.order(5.0, "undo", "1-5", None);
    session.order(6.0, "release 5->* reversed", "1-5", release("1-5", ReleaseOrder::Reversed));
    session.order(7.0, "undo", "1-5", None);
    let lines = ["hold 5->1,2", "isolate 4", "release 5->1", "lift f2", "release 5->* reversed"];
    assert_eq!(session.lines(), lines, "after it nothing stands that could be undone");
}

#[test]
fn a_coordinator_is_the_node_that_was_meant() {
    let mut session = agreed();
    session.order(2.0, "elect coordinator of 3", "5", None);
    let rule = "delay 5->5 5ms..9ms".parse().unwrap();
    session.order(3.0, "delay coordinator->coordinator of 2 5ms..9ms", "1-5", Some(rule));
    let parts = "partition 5|1-4".parse().unwrap();
    session.order(4.0, "partition coordinator|1-4", "1-5", Some(parts));
    assert_eq!(session.lines(), ["elect 5", "delay 5->5 5ms..9ms", "partition 5|1-4"]);
}

#[test]
fn everybody_means_those_to_whom_it_could_do_something() {
    let mut session = agreed();
    session.crash(2.0, "crash 5", "5");
    session.pause(3.0, "pause *", "1-4");
    session.order(4.0, "heal all", "1-5", None);
    session.order(5.0, "elect *", "1-5", None);
    assert_eq!(session.lines(), ["crash 5", "pause 1-4", "heal all", "elect 1-5"]);
}

#[test]
fn a_death_without_an_order_is_ordered() {
    let mut session = agreed();
    session.push(2.0, Some(3), Body::Died { death: Death::Signalled { signal: 9 } });
    isolate(&mut session, 3.0, "2");
    session.order(4.0, "undo", "1-5", None);
    session.order(5.0, "recover 3", "3", None);
    assert_eq!(session.lines(), ["crash 3", "isolate 2", "lift f2", "recover 3"]);
    assert!(session.text().contains("# - 3 died at 2.000 s without an order; here a `crash` line orders it."));
}

#[test]
fn lines_of_one_step_stay_together_and_hand_orders_do_not() {
    let mut session = agreed();
    session.order_of_step(2.0, "elect 1", "1", None, Some("both"));
    session.order_of_step(2.0, "elect 2", "2", None, Some("both"));
    session.order(3.0, "elect 3", "3", None);
    session.order(3.0, "elect 3", "3", None);
    let names: Vec<String> = session.lab().steps.into_iter().map(|step| step.name).collect();
    assert_eq!(names, ["both", "elect 3", "elect 3 (2)", "end"]);
    assert_eq!(session.steps()[0].1, ["elect 1", "elect 2"]);
}

#[test]
fn a_clock_and_what_is_slow_are_lifted_by_their_ids_in_the_lab() {
    let mut session = agreed();
    session.order_in_vain(2.0, "isolate 1", "1-5", "isolate 1".parse().ok(), None);
    let clock = session.order(2.5, "clock coordinator 1.5x", "5", None);
    session.order(3.0, "slow 2 50%", "2", None);
    session.order(4.0, &format!("lift {clock}"), "5", None);
    session.order(5.0, "undo", "2", None);
    session.order(6.0, "clock 3 0.5x", "3", None);
    session.order(7.0, "heal all", "1-5", None);
    session.order(8.0, "undo", "1-5", None);
    let lines = ["clock 5 1.5x", "slow 2 50%", "lift f1", "lift f2", "clock 3 0.5x", "heal all"];
    assert_eq!(session.lines(), lines, "after it nothing stands that could be undone");
}
