//! The steps of a lab as a person is told of them.

use super::*;

const THREE: &str = "[[step]]\nname = \"crash\"\nat = \"2s\"\ndo = [\"crash coordinator\"]\n\
                     [[step]]\nwhen = \"coordinator 4\"\nthen_wait = \"1s\"\ndo = []\n\
                     [[step]]\nname = \"held\"\nwhen = \"first Halt sent\"\ndo = [\"crash 4\"]\n\
                     [[step]]\nname = \"quiet\"\nat = \"8s\"\ndo = []\n";

fn book() -> StepBook {
    let lab = lab(THREE);
    StepBook::of(&head_of(&lab, "0", RunOrigin::Simulated)).expect("a lab that was accepted tells its steps")
}

fn standings(world: &World) -> Vec<StepStanding> {
    book().steps(world).into_iter().map(|step| step.standing).collect()
}

fn next(since: Option<i64>, is_so: Option<bool>, due: Option<i64>) -> StepStanding {
    StepStanding::Next { since, is_so, due }
}

const MS: i64 = 1_000_000;

#[test]
fn each_step_says_when_it_is_taken_and_what_it_orders() {
    let steps = book().steps(&World::new(Roster::new(5).unwrap()));
    let told: Vec<_> = steps.iter().map(|step| (step.name.as_str(), step.when.as_str(), step.lines.concat())).collect();
    assert_eq!(
        told,
        [
            ("crash", "2s after the steps began", "crash coordinator".to_owned()),
            ("step 2", "when coordinator 4, and 1s later", String::new()),
            ("held", "at the moment `first Halt sent`", "crash 4".to_owned()),
            ("quiet", "8s after the steps began", String::new()),
        ]
    );
    assert_eq!(book().about, "By hand.");
}

#[test]
fn a_step_is_next_when_the_faults_of_the_one_before_are_in_force() {
    let mut world = world();
    let later = StepStanding::Later;
    assert_eq!(standings(&world), [next(None, None, None), later, later, later]);
    // It is taken, and its line is no fault yet, then one that is only ordered.
    world.steps.push(("crash".into(), 2_003 * MS));
    world.now = 2_004 * MS;
    assert_eq!(standings(&world), [StepStanding::Ordering(2_003 * MS), later, later, later]);
    fault(&mut world, Some("crash"), "crash 5", FaultState::Ordered);
    assert_eq!(standings(&world), [StepStanding::Ordering(2_003 * MS), later, later, later]);
    world.faults[0].state = FaultState::InForce;
    world.faults[0].in_force = Some(2_010 * MS);
    let crash = StepStanding::Taken(2_003 * MS);
    assert_eq!(standings(&world), [crash, next(Some(2_010 * MS), Some(false), None), later, later]);
    put(&mut world, "5", ProcessState::Dead);
    normal(&mut world, "1-4", 4);
    assert_eq!(standings(&world)[1], next(Some(2_010 * MS), Some(true), None));
}

#[test]
fn when_the_steps_began_is_known_from_the_first_one_that_was_taken_at_a_time() {
    let mut world = world();
    world.steps = vec![("crash".into(), 2_003 * MS), ("step 2".into(), 3_000 * MS), ("held".into(), 3_500 * MS)];
    world.now = 2_005 * MS;
    fault(&mut world, Some("crash"), "crash 5", FaultState::InForce);
    world.now = 3_600 * MS;
    fault(&mut world, Some("held"), "crash 4", FaultState::Lifted);
    assert_eq!(standings(&world)[3], next(Some(3_500 * MS), None, Some(8_003 * MS)));
}

#[test]
fn a_step_that_never_came_is_said_to_be_given_up() {
    let mut stage = Stage::of(THREE, Pace::Played);
    stage.time(2_000);
    stage.record(2_001, |world| {
        world.steps.push(("crash".into(), 2_000 * MS));
        fault(world, Some("crash"), "crash 5", FaultState::InForce);
    });
    let cues = stage.time(60_000);
    let Some(ScriptAction::Verdict { about, outcome, text }) = cues.first() else { panic!("{cues:?}") };
    let view = world::VerdictView { at: 60_000 * MS, about: about.clone(), outcome: *outcome, text: text.clone() };
    stage.world.verdicts.push(view);
    assert_eq!(standings(&stage.world)[1], StepStanding::GivenUp);
}
