//! Expectations of a moment: met, failed, broken while they had to stay, unknown.

use super::*;

/// One step at 2 s that crashes 5, and one expectation after it.
fn after_crash(that: &str, bounds: &str) -> Stage {
    let rest = format!(
        "[[step]]\nname = \"crash\"\nat = \"2s\"\ndo = [\"crash 5\"]\n\
         [[expect]]\nthat = \"{that}\"\nafter = \"crash\"\n{bounds}\n"
    );
    let mut stage = Stage::of(&rest, Pace::Played);
    stage.record(300, |world| normal(world, "1-5", 5));
    assert_eq!(stage.time(2_000), [take("crash", &["crash 5"])]);
    stage
}

fn in_force(stage: &mut Stage) -> Vec<ScriptAction> {
    stage.record(2_015, |world| {
        put(world, "5", ProcessState::Dead);
        fault(world, Some("crash"), "crash 5", FaultState::InForce);
    })
}

#[test]
fn it_is_met_when_it_comes_true_in_time() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    assert_eq!(in_force(&mut stage), []);
    assert_eq!(stage.wake_at(), Some(6_015));
    assert_eq!(stage.record(3_000, |world| election(world, "1-4")), []);
    assert_eq!(
        stage.record(3_215, |world| normal(world, "1-4", 4)),
        [met(0, "met coordinator 4 after \"crash\": at 3.215 s, 1.2s after \"crash\""), ScriptAction::Finished]
    );
    // It stays decided.
    assert_eq!(stage.record(3_300, |world| election(world, "1-4")), []);
    assert_eq!((stage.summary().met, stage.summary().total, stage.summary().exit_code()), (1, 1, 0));
}

#[test]
fn what_was_true_before_its_step_does_not_count() {
    let mut stage = after_crash("coordinator 5 of 1-4", "within = \"1s\"");
    // Ordered, not yet in force: a state of before the crash is not what is asked for.
    let ordered = stage.record(2_010, |world| fault(world, Some("crash"), "crash 5", FaultState::Ordered));
    assert_eq!(ordered, []);
    let gone = stage.record(2_015, |world| {
        election(world, "1-4");
        world.faults[0].state = FaultState::InForce;
    });
    assert_eq!(gone, []);
    let failed =
        failed(0, "FAILED coordinator 5 of 1-4 after \"crash\", by 3.015 s: instead 1-4 name nobody (Election)");
    assert_eq!(stage.time(3_015), [failed, ScriptAction::Finished]);
}

#[test]
fn it_fails_at_its_bound_and_says_what_is_there_instead() {
    let mut stage = after_crash("coordinator 3", "within = \"40T\"");
    in_force(&mut stage);
    assert_eq!(stage.record(3_215, |world| normal(world, "1-4", 4)), []);
    assert_eq!(stage.time(6_014), []);
    assert_eq!(
        stage.time(6_015),
        [failed(0, "FAILED coordinator 3 after \"crash\", by 6.015 s: instead 1-4 name 4"), ScriptAction::Finished]
    );
    assert_eq!(stage.summary().exit_code(), 4);
}

#[test]
fn it_is_the_records_stamp_that_counts_when_the_caller_is_late() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    in_force(&mut stage);
    // The record is of 6 s, and read at 7 s, past the bound of 6.015 s.
    stage.world.now = ms(6_000);
    normal(&mut stage.world, "1-4", 4);
    let met = met(0, "met coordinator 4 after \"crash\": at 6.000 s, 3.985s after \"crash\"");
    assert_eq!(stage.time(7_000), [met, ScriptAction::Finished]);

    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    in_force(&mut stage);
    let too_late = stage.record(6_500, |world| normal(world, "1-4", 4));
    let failed = failed(0, "FAILED coordinator 4 after \"crash\", by 6.015 s: it came true at 6.500 s");
    assert_eq!(too_late, [failed, ScriptAction::Finished]);
}

#[test]
fn it_has_to_stay_as_long_as_it_says() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"\nstays = \"1s\"");
    in_force(&mut stage);
    assert_eq!(stage.record(3_000, |world| normal(world, "1-4", 4)), []);
    assert_eq!(stage.wake_at(), Some(4_000));
    // A break; within has not run out, so it may come true again.
    assert_eq!(stage.record(3_900, |world| election(world, "2")), []);
    assert_eq!(stage.wake_at(), Some(6_015));
    assert_eq!(stage.record(5_500, |world| normal(world, "2", 4)), []);
    // It became true in time; that it stays may take longer than within.
    assert_eq!((stage.wake_at(), stage.time(6_400)), (Some(6_500), vec![]));
    let met = met(0, "met coordinator 4 after \"crash\": at 5.500 s, 3.485s after \"crash\", and for 1s");
    assert_eq!(stage.time(6_500), [met, ScriptAction::Finished]);
}

#[test]
fn a_break_after_within_has_run_out_fails_it() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"\nstays = \"1s\"");
    in_force(&mut stage);
    assert_eq!(stage.record(5_500, |world| normal(world, "1-4", 4)), []);
    let text = "FAILED coordinator 4 after \"crash\", and for 1s: it held from 5.500 s to 6.200 s; \
                instead 1-3 name 4, 4 names nobody (Election)";
    assert_eq!(stage.record(6_200, |world| election(world, "4")), [failed(0, text), ScriptAction::Finished]);
}

#[test]
fn a_break_that_is_read_late_came_after_it_had_stayed() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"\nstays = \"1s\"");
    in_force(&mut stage);
    stage.record(5_500, |world| normal(world, "1-4", 4));
    // It held until 6.6 s, a second and more; only then did the record of the break come.
    let met = met(0, "met coordinator 4 after \"crash\": at 5.500 s, 3.485s after \"crash\", and for 1s");
    assert_eq!(stage.record(6_600, |world| election(world, "4")), [met, ScriptAction::Finished]);
}

#[test]
fn nobody_can_say_what_follows_a_fault_that_is_not_in_force() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    let why = FaultState::NotInForce("no answer from 3".into());
    let unknown = unknown(0, "unknown coordinator 4 after \"crash\": `crash 5` is not in force: no answer from 3");
    let told = stage.record(3_000, |world| fault(world, Some("crash"), "crash 5", why));
    assert_eq!(told, [unknown, ScriptAction::Finished]);
    assert_eq!((stage.summary().unknown, stage.summary().exit_code()), (1, 5));
}

#[test]
fn a_fault_that_nobody_speaks_of_is_unknown_after_the_limit() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    // A fault that a person ordered by hand is no part of the step.
    assert_eq!(stage.record(2_500, |world| fault(world, None, "crash 5", FaultState::InForce)), []);
    assert_eq!((stage.wake_at(), stage.time(11_999)), (Some(12_000), vec![]));
    let text = "unknown coordinator 4 after \"crash\": step \"crash\" is not in force, and no reason is known";
    assert_eq!(stage.time(12_000), [unknown(0, text), ScriptAction::Finished]);
}

#[test]
fn what_the_end_cuts_short_is_unknown() {
    let mut stage = after_crash("coordinator 4", "within = \"40T\"");
    in_force(&mut stage);
    let text = "unknown coordinator 4 after \"crash\": the lab ended first, at 2.500 s";
    assert_eq!(stage.conductor.close(ms(2_500), &stage.world), [unknown(0, text)]);
    assert_eq!(stage.conductor.close(ms(2_600), &stage.world), []);
    assert_eq!((stage.wake_at(), stage.time(7_000)), (None, vec![]));
}
