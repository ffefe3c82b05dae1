//! Steps that hang on a protocol moment.
//!
//! Invariant: a world says of a node by which step it is held; nobody is held by a step that was not armed.

use super::*;

const MOMENT: &str = "[[step]]\nname = \"ready\"\nwhen = \"first Ready sent\"\ndo = [\"crash coordinator\"]\n\
                      [[step]]\nwhen = \"2 enters Election\"\ndo = []\n";

fn held(world: &mut World, of: u16, by: &str) {
    world.nodes.get_mut(&node(of)).unwrap().held_by = Some(by.into());
}

#[test]
fn a_moment_is_armed_when_its_step_comes_next_and_the_step_is_taken_for_who_is_held() {
    let mut stage = Stage::of(MOMENT, Pace::Played);
    stage.world.began = false;
    assert_eq!(stage.time(-50), []);
    // Before the machines start: the lab has begun, and its first instant is still to come.
    assert_eq!(stage.record(-40, |world| world.began = true), [arm("ready", "first Ready sent")]);
    assert_eq!((stage.time(100), stage.wake_at()), (vec![], Some(10_000)));
    let come = stage.record(200, |world| held(world, 5, "ready"));
    let ready = take_at(5, "ready", &["crash coordinator"]);
    assert_eq!(come, [arming(ready, "step 2", "2 enters Election")]);
    // Another one that came to it at the same time changes nothing, and the next step waits for the crash.
    assert_eq!(stage.record(201, |world| held(world, 4, "ready")), []);
    let crashed = stage.record(202, |world| {
        put(world, "5", ProcessState::Dead);
        fault(world, Some("ready"), "crash coordinator", FaultState::InForce);
    });
    assert_eq!((crashed, stage.wake_at()), (vec![], Some(10_202)));
    let come = stage.record(900, |world| held(world, 2, "step 2"));
    assert_eq!(come, [take_at(2, "step 2", &[]), ScriptAction::Finished]);
}

/// Two steps: the first orders a start, the second waits for what the started process does.
fn returning() -> Stage {
    let back = "[[step]]\nname = \"back\"\nat = \"1s\"\ndo = [\"recover 5\"]\n";
    Stage::of(&format!("{back}[[step]]\nname = \"halt\"\nwhen = \"first Halt sent\"\ndo = []\n"), Pace::Played)
}

#[test]
fn a_moment_is_armed_with_the_step_before_it_and_its_step_waits_until_that_is_over() {
    let mut stage = returning();
    assert_eq!(stage.time(1_000), [arming(take("back", &["recover 5"]), "halt", "first Halt sent")]);
    // It comes before the order is in force, at two nodes.
    assert_eq!(stage.record(1_001, |world| fault(world, Some("back"), "recover 5", FaultState::Ordered)), []);
    let come = |world: &mut World, of: u16| {
        held(world, of, "halt");
        world.nodes.get_mut(&node(of)).unwrap().heard = Some(world.now);
    };
    assert_eq!(stage.record(1_002, |world| come(world, 5)), []);
    assert_eq!(stage.record(1_003, |world| come(world, 3)), []);
    let over = stage.record(1_004, |world| world.faults[0].state = FaultState::InForce);
    assert_eq!(over, [take_at(5, "halt", &[]), ScriptAction::Finished]);
}

#[test]
fn a_node_that_was_stopped_at_its_moment_comes_to_it_when_it_goes_on() {
    let mut stage = returning();
    assert_eq!(stage.time(1_000).len(), 1);
    stage.record(1_001, |world| {
        fault(world, Some("back"), "recover 5", FaultState::InForce);
        held(world, 5, "halt");
        put(world, "5", ProcessState::Paused);
    });
    assert_eq!(stage.wake_at(), Some(11_001));
    let goes_on = stage.record(3_000, |world| put(world, "5", ProcessState::Running));
    assert_eq!(goes_on, [take_at(5, "halt", &[]), ScriptAction::Finished]);
}

#[test]
fn a_moment_of_a_held_script_is_armed_when_it_is_played() {
    let mut stage = Stage::of(MOMENT, Pace::Held);
    assert_eq!(stage.time(1_000), []);
    stage.conductor.play(ms(2_000));
    assert_eq!(stage.wake_at(), Some(2_000));
    assert_eq!(stage.time(2_000), [arm("ready", "first Ready sent")]);
    assert_eq!(stage.wake_at(), Some(12_000));
}

#[test]
fn a_moment_that_never_comes_is_an_expectation_that_failed() {
    let rest = format!("{MOMENT}[[expect]]\nthat = \"coordinator 4\"\nafter = \"ready\"\nwithin = \"1s\"\n");
    let mut stage = Stage::of(&rest, Pace::Played);
    assert_eq!(stage.time(0), [arm("ready", "first Ready sent")]);
    assert_eq!(stage.time(9_999), []);
    assert_eq!(
        stage.time(10_000),
        [
            ScriptAction::Disarm { step: "ready".into() },
            never_came("ready", "FAILED step \"ready\" when first Ready sent, by 10.000 s: it never came"),
            failed(0, "FAILED coordinator 4 after \"ready\": step \"ready\" never came, so it could not begin"),
            ScriptAction::Finished,
        ]
    );
    assert_eq!(stage.record(10_001, |world| held(world, 5, "ready")), []);
}
