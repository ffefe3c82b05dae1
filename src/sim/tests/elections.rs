//! The elections of every lab of the project, against the states and the sendings in its records.

use std::sync::Arc;

use super::*;
use protocol::Course;
use record::EffectText;
use world::{Elections, World};

fn elections_of(lab: &Arc<Lab>) -> Elections {
    run(&Plan::of(Arc::clone(lab)), Box::new(|_: &Record| {})).run.elections
}

fn sends(record: &Record) -> u64 {
    let effects = record.step().map_or(&[][..], |step| &step.effects);
    effects.iter().filter(|effect| matches!(effect, EffectText::Send { .. })).count() as u64
}

#[test]
fn an_election_lasts_while_one_elects() {
    let mut total = 0;
    for lab in labs() {
        let mut world = World::new(lab.roster);
        let mut spans: Vec<(i64, Option<i64>, u64)> = Vec::new();
        let plan = Plan::of(Arc::clone(&lab));
        let watched = RefCell::new((&mut world, &mut spans));
        let end = run(
            &plan,
            Box::new(|record: &Record| {
                let (world, spans) = &mut *watched.borrow_mut();
                world.fold(record);
                let mut running = world.nodes.values().filter(|view| view.process.runs());
                let goes_on =
                    running.any(|view| view.state.as_ref().is_some_and(|state| state.course() == Course::Electing));
                match (spans.last_mut().filter(|(_, ended, _)| ended.is_none()), goes_on) {
                    (None, true) => spans.push((record.at, None, sends(record))),
                    (None, false) => {}
                    (Some((_, _, sent)), true) => *sent += sends(record),
                    (Some((_, ended, sent)), false) => {
                        *ended = Some(record.at);
                        *sent += sends(record);
                    }
                }
            }),
        );
        let elections = &end.run.elections;
        assert_eq!(elections.count, spans.len() as u64, "{}", lab.name);
        let kept = &spans[spans.len() - elections.latest.len()..];
        let told: Vec<_> = elections
            .latest
            .iter()
            .map(|election| (election.began, election.ended, election.messages(&[""; 0])))
            .collect();
        assert_eq!(told, kept, "{}", lab.name);
        total += spans.len();
    }
    assert!(total > 200, "{total}");
}

#[test]
fn an_election_is_told_in_a_line() {
    let told = |name: &str| -> Vec<String> {
        let lab = labs().into_iter().find(|lab| lab.name == name).unwrap();
        elections_of(&lab).latest.iter().map(|election| election.in_a_line(lab.card.periodic)).collect()
    };
    assert_eq!(
        [told("first"), told("king-ni-c"), told("ring")[..1].to_vec()].concat(),
        [
            "election 1 at 0.000 s: 5 began it (start); 5 was elected after 206ms, with 44 messages",
            "election 2 at 3.400 s: 4 began it (nothing from 5; noticed after 1.4s); 4 was elected after 205ms, with 18 messages",
            "election 3 at 4.607 s: 5 began it (start); 5 was elected after 206ms, with 24 messages",
            "election 1 at 0.500 s: 1 began it (hold an election); 5 was elected after 1.004s, with 6 messages and 2 rounds",
            "election 2 at 3.400 s: 1,2 began it (nothing from 5; noticed after 1.496s); 4 was elected after 1.001s, with 5 messages and 2 rounds",
            "election 1 at 0.004 s: 4 began it (inquiry from 3); 5 was elected after 7ms, with 50 messages",
        ]
    );
}
