//! Each condition: when it is true, when it is not, and what is there instead.

use super::*;
use protocol::{
    BlockedUpdate, ConflictList, CopyWork, GroupNumber, HeldCopy, JoinWork, MemberView, RefusalReason, RefusedUpdate,
    SectionState, SectionWork, UpdateWork, Work,
};

fn asked(text: &str, world: &World) -> (bool, String) {
    let condition = text.parse().unwrap();
    (holds(&condition, world), instead(&condition, world))
}

fn yes(text: &str, world: &World) {
    assert!(asked(text, world).0, "{text}: {}", asked(text, world).1);
}

fn no(text: &str, world: &World, instead: &str) {
    assert_eq!(asked(text, world), (false, instead.to_owned()), "{text}");
}

fn number(world: &mut World, nodes: &str, by: u16, counter: u64) {
    for id in set(nodes).iter() {
        let state = world.nodes.get_mut(&id).unwrap().state.as_mut().unwrap();
        state.group = Some(GroupNumber { node: node(by), counter });
    }
}

#[test]
fn coordinator_asks_every_process_that_runs() {
    let mut world = world();
    no("coordinator 5", &world, "1-5 name nobody (starting)");
    normal(&mut world, "1,2", 5);
    state(&mut world, "3", Status::Reorganization, "Reorganization", Some(5));
    election(&mut world, "4");
    normal(&mut world, "5", 5);
    no("coordinator 5", &world, "1-3,5 name 5, 4 names nobody (Election)");
    yes("coordinator 5 of 1-3", &world);
    // 4 stands still or is dead: it is not asked.
    put(&mut world, "4", ProcessState::Paused);
    yes("coordinator 5", &world);
    put(&mut world, "4", ProcessState::Dead);
    yes("coordinator 5", &world);
    no("coordinator 5 of 4", &world, "none of them runs");
    put(&mut world, "1-5", ProcessState::Dead);
    no("coordinator 5", &world, "none of them runs");
}

#[test]
fn all_normal_asks_every_process_that_runs() {
    let mut world = world();
    normal(&mut world, "1-3", 5);
    normal(&mut world, "4", 4);
    state(&mut world, "5", Status::Down, "Down", None);
    no("all normal", &world, "1-4 are Normal, 5 is Down");
    put(&mut world, "5", ProcessState::Paused);
    yes("all normal", &world);
}

#[test]
fn groups_are_counted_by_number_or_by_coordinator() {
    let mut world = world();
    normal(&mut world, "1,2", 2);
    normal(&mut world, "3-5", 5);
    yes("groups 2", &world);
    no("groups 1", &world, "1,2 are under 2, 3-5 are under 5");
    number(&mut world, "1,2", 2, 1);
    number(&mut world, "3", 5, 1);
    number(&mut world, "4,5", 5, 2);
    yes("groups 3", &world);
    no("groups 2", &world, "1,2 are under 2 in group 2.1, 3 is under 5 in group 5.1, 4,5 are under 5 in group 5.2");
    election(&mut world, "3");
    no("groups 2", &world, "1,2 are under 2 in group 2.1, 3 is not Normal (Election), 4,5 are under 5 in group 5.2");
}

#[test]
fn a_group_is_exactly_its_members_that_run() {
    let mut world = world();
    normal(&mut world, "1,2", 2);
    normal(&mut world, "3,4", 4);
    normal(&mut world, "5", 5);
    yes("group 3,4 under 4", &world);
    no("group 3 under 4", &world, "1,2 are under 2, 3,4 are under 4, 5 is under 5");
    no("group 3-5 under 4", &world, "1,2 are under 2, 3,4 are under 4, 5 is under 5");
    no("group 3,4 under 3", &world, "1,2 are under 2, 3,4 are under 4, 5 is under 5");
    put(&mut world, "5", ProcessState::Dead);
    yes("group 3-5 under 4", &world);
    state(&mut world, "3", Status::Reorganization, "Reorganization", Some(4));
    no("group 3,4 under 4", &world, "1,2 are under 2, 3 is not Normal (Reorganization), 4 is under 4");
    normal(&mut world, "3", 4);
    number(&mut world, "3", 4, 1);
    number(&mut world, "4", 4, 2);
    assert!(!asked("group 3,4 under 4", &world).0);
}

#[test]
fn a_master_is_named_by_all_that_are_at_their_end() {
    let mut world = world();
    state(&mut world, "1-3", Status::Normal, "stop", Some(5));
    state(&mut world, "4", Status::Election, "wait1", Some(5));
    state(&mut world, "5", Status::Normal, "master", Some(5));
    no("master 5", &world, "1-3,5 name 5, 4 is in wait1");
    state(&mut world, "4", Status::Election, "help", Some(3));
    yes("master 5", &world);
    yes("help 4", &world);
    no("help none", &world, "4 asks for help");
    no("help 3,4", &world, "4 asks for help");
    state(&mut world, "4", Status::Normal, "stop", Some(3));
    no("master 5", &world, "1-3,5 name 5, 4 names 3");
    yes("help none", &world);
    no("help 4", &world, "nobody asks for help");
    // A master that is dead is named, and is none.
    state(&mut world, "4", Status::Normal, "stop", Some(5));
    yes("master 5", &world);
    put(&mut world, "5", ProcessState::Dead);
    no("master 5", &world, "1-4 name 5, and 5 does not run");
    // All ask for help: that is an end, and no master.
    state(&mut world, "1-4", Status::Election, "help", None);
    no("master 4", &world, "1-4 are in help");
}

#[test]
fn who_asks_for_help_while_it_rests_in_another_phase_is_told_with_its_phase() {
    let mut world = world();
    let idle = Ballot { course: Course::Idle, stands_with: None, announcements: 0, lists: None };
    for view in world.nodes.values_mut() {
        view.state =
            Some(StateVector { ballot: Some(idle.clone().into()), ..StateVector::new(Status::Down, "normal", None) });
    }
    world.nodes.get_mut(&node(2)).unwrap().help = Some("recover the others".into());
    yes("help 2", &world);
    no("help none", &world, "2 asks for help");
    no("all normal", &world, "1-5 are in phase normal");
    no("coordinator 5", &world, "1-5 name nobody (in phase normal)");
}

#[test]
fn who_is_inside_is_asked_of_those_that_run() {
    let mut world = world();
    yes("inside none", &world);
    for (who, stance) in [("2", SectionState::Inside), ("3", SectionState::Waiting), ("4", SectionState::Inside)] {
        let view = world.nodes.get_mut(&who.parse().unwrap()).unwrap();
        let work = Work::Exclusion(SectionWork { stance, entries: 1 });
        view.state = Some(StateVector { work: Some(Box::new(work)), ..StateVector::new(Status::Normal, "", None) });
    }
    yes("inside 2,4", &world);
    no("inside none", &world, "2,4 are inside");
    put(&mut world, "2", ProcessState::Dead);
    no("inside 2,4", &world, "4 is inside");
    yes("inside 4", &world);
    put(&mut world, "4", ProcessState::Dead);
    no("inside 4", &world, "nobody is inside");
}

#[test]
fn a_violation_is_asked_as_if_it_were_the_only_one_expected() {
    let mut world = world();
    yes("no violation", &world);
    no("violation assertion-1", &world, "no violation");
    violation(&mut world, Property::Assertion1, Some(Assumption::NoPauses), false);
    yes("violation assertion-1", &world);
    yes("violation assertion-1 because 9", &world);
    no("no violation", &world, "assertion-1 of 4,5 because 9");
    no("violation assertion-1 because 8", &world, "assertion-1 of 4,5 because 9");
    violation(&mut world, Property::Uniqueness, None, false);
    let both = "assertion-1 of 4,5 because 9, uniqueness of 4,5 with no assumption broken";
    no("violation assertion-1 because 9", &world, both);
}

#[test]
fn a_coordinator_that_does_not_run_is_none() {
    let mut world = world();
    normal(&mut world, "1-4", 5);
    put(&mut world, "5", ProcessState::Dead);
    no("coordinator 5", &world, "1-4 name 5, and 5 does not run");
    yes("coordinator 5 of 1-4", &world);
}

#[test]
fn logged_asks_every_process_that_runs_and_blocked_its_coordinators() {
    let mut world = world();
    no("logged 2", &world, "1 has told of no log");
    normal(&mut world, "1-5", 5);
    put(&mut world, "4", ProcessState::Dead);
    let mut keep = |of: &str, work: UpdateWork| {
        for id in set(of).iter() {
            let state = world.nodes.get_mut(&id).unwrap().state.as_mut().unwrap();
            state.work = Some(Box::new(Work::Updates(work.clone())));
        }
    };
    let knows = set("4");
    let blocked = Some(BlockedUpdate { position: 3, knows });
    keep("1,2,5", UpdateWork { length: 2, blocked, ..UpdateWork::default() });
    no("logged 2", &world, "3 has told of no log");
    let state = world.nodes.get_mut(&NodeId::new(3).unwrap()).unwrap().state.as_mut().unwrap();
    state.work = Some(Box::new(Work::Updates(UpdateWork { length: 1, ..UpdateWork::default() })));
    no("logged 2", &world, "the log of 3 has 1");
    yes("logged 1", &world);
    yes("blocked 4", &world);
    no("blocked 3", &world, "5 is blocked: update 3, only 4 knows");
    no("blocked none", &world, "5 is blocked: update 3, only 4 knows");
    put(&mut world, "5", ProcessState::Dead);
    yes("blocked none", &world);
}

#[test]
fn conflicts_asks_for_exactly_so_many_at_every_process_that_runs() {
    let mut world = world();
    normal(&mut world, "1-5", 5);
    put(&mut world, "4", ProcessState::Dead);
    let mut list = |of: &str, updates: u32| {
        for id in set(of).iter() {
            let conflicts = Some(Box::new(ConflictList { updates, ..ConflictList::default() }));
            let work = UpdateWork { conflicts, ..UpdateWork::default() };
            world.nodes.get_mut(&id).unwrap().state.as_mut().unwrap().work = Some(Box::new(Work::Updates(work)));
        }
    };
    list("1,2,5", 3);
    list("3", 2);
    let told = "1,2,5 are at work with 3 updates in conflict, 3 is at work with 2 updates in conflict";
    no("conflicts 3", &world, told);
    let three = world.nodes[&NodeId::new(5).unwrap()].clone();
    world.nodes.insert(NodeId::new(3).unwrap(), three);
    yes("conflicts 3", &world);
    no("conflicts 2", &world, "1-3,5 are at work with 3 updates in conflict");
}

#[test]
fn a_counter_is_the_same_everywhere_and_refusals_are_counted_together() {
    let mut world = world();
    no("counter 12", &world, "1-5 are without a counter");
    no("refused 1", &world, "nobody runs that could refuse something");
    normal(&mut world, "1-5", 5);
    for (id, counter) in (1..=5).zip([12, 12, 12, 12, 7]) {
        let why = RefusalReason::QueueFull(8);
        let work = CopyWork {
            held: HeldCopy { counter, ..HeldCopy::default() },
            refused: (id < 3).then_some(RefusedUpdate { times: 1, value: 7, why }),
            ..CopyWork::default()
        };
        let state = world.nodes.get_mut(&NodeId::new(id).unwrap()).unwrap().state.as_mut().unwrap();
        state.work = Some(Box::new(Work::Copies(work)));
    }
    no("counter 12", &world, "1-4 are at 12, 5 is at 7");
    yes("refused 2", &world);
    no("refused 3", &world, "1-5 have refused 2");
    put(&mut world, "5", ProcessState::Dead);
    yes("counter 12", &world);
}

#[test]
fn members_are_those_that_every_process_that_runs_knows() {
    let mut world = world();
    no("members 1-5", &world, "1-5 name no members");
    normal(&mut world, "1-5", 5);
    for (id, members) in (1..=5).zip(["1-5", "1-5", "1-5", "1-5", "1-4"]) {
        let work = JoinWork { view: MemberView { version: 1, members: set(members) }, ..JoinWork::default() };
        let state = world.nodes.get_mut(&NodeId::new(id).unwrap()).unwrap().state.as_mut().unwrap();
        state.work = Some(Box::new(Work::Joining(work)));
    }
    no("members 1-5", &world, "1-4 name 1-5, 5 names 1-4");
    put(&mut world, "5", ProcessState::Dead);
    yes("members 1-5", &world);
    no("members 1-4", &world, "1-4 name 1-5");
}
