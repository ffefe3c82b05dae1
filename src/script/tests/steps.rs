//! Steps: in time, on a condition, held, given up.

use super::*;

const TWO: &str = "[[step]]\nname = \"crash\"\nat = \"2s\"\ndo = [\"crash coordinator\"]\n\
                   [[step]]\nwhen = \"coordinator 4\"\nthen_wait = \"1s\"\ndo = [\"recover 5\", \"heal\"]\n";

#[test]
fn steps_are_taken_in_order_in_time_and_on_a_condition() {
    let mut stage = Stage::of(TWO, Pace::Played);
    assert_eq!(stage.wake_at(), Some(2_000));
    assert_eq!(stage.record(500, |world| normal(world, "1-5", 4)), []);
    assert_eq!(stage.time(1_999), []);
    assert_eq!(stage.time(2_003), [take("crash", &["crash coordinator"])]);
    // 4 coordinates, but the step before is not over: its fault is not there yet, then only ordered.
    assert_eq!(stage.time(2_100), []);
    assert_eq!(stage.record(2_200, |world| fault(world, Some("crash"), "crash 4", FaultState::Ordered)), []);
    assert_eq!(stage.time(3_900), []);
    assert_eq!(stage.record(4_000, |world| world.faults[0].state = FaultState::InForce), []);
    assert_eq!(stage.wake_at(), Some(5_000));
    assert_eq!(stage.time(4_999), []);
    assert_eq!(stage.time(5_000), [take("step 2", &["recover 5", "heal"])]);
    // Two lines: one fault of two is not the whole step.
    assert_eq!(stage.record(5_010, |world| fault(world, Some("step 2"), "recover 5", FaultState::Lifted)), []);
    let last = stage.record(5_020, |world| fault(world, Some("step 2"), "heal", FaultState::Lifted));
    assert_eq!(last, [ScriptAction::Finished]);
    assert_eq!((stage.wake_at(), stage.time(9_000)), (None, vec![]));
}

#[test]
fn a_condition_that_goes_away_while_time_passes_has_come_true_all_the_same() {
    let mut stage = Stage::of("[[step]]\nwhen = \"all normal\"\nthen_wait = \"1s\"\ndo = [\"heal\"]\n", Pace::Played);
    assert_eq!(stage.record(100, |world| normal(world, "1-5", 5)), []);
    assert_eq!(stage.record(200, |world| election(world, "1-5")), []);
    assert_eq!(stage.time(1_100), [take("step 1", &["heal"])]);
}

#[test]
fn a_step_that_orders_nothing_is_over_at_once() {
    let rest = "[[step]]\nname = \"mark\"\nwhen = \"all normal\"\ndo = []\n\
                [[expect]]\nthat = \"coordinator 5\"\nafter = \"mark\"\nwithin = \"1s\"\n";
    let mut stage = Stage::of(rest, Pace::Played);
    assert_eq!(
        stage.record(100, |world| normal(world, "1-5", 5)),
        [
            take("mark", &[]),
            met(0, "met coordinator 5 after \"mark\": at 0.100 s, 0ms after \"mark\""),
            ScriptAction::Finished
        ]
    );
}

#[test]
fn nothing_comes_before_the_lab_begins() {
    let mut stage = Stage::of("[[step]]\nat = \"0s\"\ndo = [\"heal\"]\n", Pace::Played);
    stage.world.began = false;
    assert_eq!(stage.time(-50), []);
    assert_eq!(stage.time(5), []);
    assert_eq!(stage.record(6, |world| world.began = true), [take("step 1", &["heal"])]);
}

#[test]
fn a_held_script_begins_when_it_is_played() {
    let rest = format!("{TWO}[[expect]]\nthat = \"coordinator 5\"\nwithin = \"1s\"\n");
    let mut stage = Stage::of(&rest, Pace::Held);
    assert!(stage.conductor.is_held());
    assert_eq!((stage.time(50_000), stage.wake_at()), (vec![], None));
    stage.conductor.play(ms(60_000));
    assert!(!stage.conductor.is_held());
    assert_eq!(stage.wake_at(), Some(61_000));
    let met = met(0, "met coordinator 5: at 60.500 s");
    assert_eq!(stage.record(60_500, |world| normal(world, "1-5", 5)), [met]);
    // To play it again begins nothing anew.
    stage.conductor.play(ms(61_000));
    assert_eq!(stage.wake_at(), Some(62_000));
    assert_eq!(stage.time(62_000), [take("crash", &["crash coordinator"])]);
}

#[test]
fn a_step_that_never_comes_fails_and_all_that_begins_after_it() {
    let rest = format!(
        "{TWO}[[step]]\nname = \"last\"\nat = \"9s\"\ndo = [\"heal\"]\n\
         [[expect]]\nthat = \"coordinator 4\"\nafter = \"crash\"\nwithin = \"20s\"\n\
         [[expect]]\nthat = \"coordinator 5\"\nafter = \"last\"\nwithin = \"1s\"\n"
    );
    let mut stage = Stage::of(&rest, Pace::Played);
    stage.time(2_000);
    stage.record(2_100, |world| {
        normal(world, "1-4", 3);
        put(world, "5", ProcessState::Dead);
        fault(world, Some("crash"), "crash 5", FaultState::InForce);
    });
    assert_eq!((stage.wake_at(), stage.time(12_099)), (Some(12_100), vec![]));
    assert_eq!(
        stage.time(12_100),
        [
            never_came("step 2", "FAILED step \"step 2\" when coordinator 4, by 12.100 s: instead 1-4 name 3"),
            failed(1, "FAILED coordinator 5 after \"last\": step \"step 2\" never came, so it could not begin"),
        ]
    );
    // What began before goes on, and ends the script.
    let end = stage.record(13_000, |world| normal(world, "1-4", 4));
    assert_eq!(
        end,
        [met(0, "met coordinator 4 after \"crash\": at 13.000 s, 10.9s after \"crash\""), ScriptAction::Finished]
    );
    assert_eq!(stage.conductor.close(ms(13_000), &stage.world), []);
    assert_eq!(stage.summary().to_string(), "made: 1 of 3 expectations met, no violation");
    assert_eq!((stage.summary().failed, stage.summary().exit_code()), (2, 4));
}
