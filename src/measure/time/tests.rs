//! Tests of the times to agreement: what the Cards bound, what the ladder shows, and the same bytes for the same seeds.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;

use super::ground::{RestGround, RestTime};
use super::*;
use crate::{Exhibit, Sample, SeedSurvey, carry_out};
use protocol::{Card, Roster, Settings};
use registry::BUILT_IN;
use sim::Weather;
use sim::campaign::Go;

fn measured(topics: &[TimeTopic], names: &[&str], nodes: &[u16], seeds: &str) -> (Vec<TimeSum>, Exhibit) {
    let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
    let survey = TimeSurvey::new(BUILT_IN, topics, &cards, nodes).unwrap();
    let sums = carry_out(&survey, seeds.parse().unwrap(), NonZeroUsize::MIN, &mut |_| Go::On).sums;
    let exhibit = survey.exhibit(&sums);
    (sums, exhibit)
}

#[test]
fn every_algorithm_has_its_points_and_the_other_topics_are_of_one() {
    let points =
        |topics: &[TimeTopic], cards: &[Card]| TimeSurvey::new(BUILT_IN, topics, cards, &[5, 64]).unwrap().points();
    let all: Vec<Card> = BUILT_IN.cards().copied().collect();
    let small = all.iter().filter(|card| card.nodes_max < 64).count();
    assert_eq!(points(&[TimeTopic::Failover], &all), 2 * BUILT_IN.algorithms.len() - small);
    assert_eq!(points(&[TimeTopic::Merge, TimeTopic::Ladder], &all), 7 + 4);
    let bully: Vec<Card> = BUILT_IN.cards().filter(|card| card.name == "bully").copied().collect();
    assert_eq!(points(&[TimeTopic::Merge, TimeTopic::Ladder], &bully), 0);
}

#[test]
fn the_periods_of_a_point_keep_to_its_card() {
    for card in BUILT_IN.cards() {
        for nodes in [3, 17, card.nodes_max.min(64)] {
            let point = TimePoint { card: *card, nodes, scene: TimedScene::Failover };
            let settings = Settings::defaults(card.settings, Roster::new(nodes).unwrap().all());
            assert!(card.periods.iter().all(|rule| (rule.holds)(&point.timing(), nodes, &settings)), "{}", card.name);
        }
    }
}

#[test]
fn no_algorithm_takes_longer_than_its_card_says_from_the_start_and_from_a_crash() {
    for card in BUILT_IN.cards() {
        let (sums, _) = measured(&[TimeTopic::Failover], &[card.name], &[5], "0..3");
        let point = TimePoint { card: *card, nodes: 5, scene: TimedScene::Failover };
        let bound = point.quiet_bound().nanos() / 1_000;
        for sum in [sums[0].start, sums[0].fault] {
            assert_eq!((sum.held(), sum.unsettled()), (6, 0), "{}", card.name);
            let worst = sum.worst_whole_us().unwrap();
            assert!(worst <= bound, "{}: {worst} us, and not {bound} us", card.name);
        }
        // The whole is what was noticed and the election.
        let fault = sums[0].fault.even;
        let mean = |sample: Sample| sample.mean().unwrap();
        assert!((mean(fault.noticed_us) + mean(fault.election_us) - mean(fault.whole_us)).abs() < 2.0);
    }
}

#[test]
fn the_crash_on_a_ladder_takes_longer_than_the_papers_bound_and_the_start_does_not() {
    let point = |rungs| {
        let card = BUILT_IN.card("async-bully").unwrap();
        TimePoint { card: *card, nodes: 1 + 5 * rungs, scene: TimedScene::Ladder(rungs) }
    };
    let of = |rungs| {
        let (point, ground) = (point(rungs), RestGround::new(BUILT_IN, point(rungs)).unwrap());
        let trial = ground.make(1, Weather::Even);
        let by_bound = |time: RestTime| time.rest_after.nanos() as f64 / point.election_bound().nanos() as f64;
        assert!(trial.fault.unwrap().rest_after < point.quiet_bound());
        (by_bound(trial.start.unwrap()), by_bound(trial.fault.unwrap()))
    };
    let ((start_of_2, crash_of_2), (start_of_4, crash_of_4)) = (of(2), of(4));
    assert!(start_of_2 < 1.2 && start_of_4 < 1.2, "{start_of_2} {start_of_4}");
    assert!(crash_of_4 > 1.5 && crash_of_4 > 1.4 * crash_of_2, "{crash_of_2} {crash_of_4}");
}

#[test]
fn the_same_seeds_give_the_same_sheet() {
    let (topics, names) = ([TimeTopic::Failover, TimeTopic::Merge], ["bully", "invitation", "king-ni-c"]);
    let (_, Exhibit { sheet, plot, remarks }) = measured(&topics, &names, &[5], "3..6");
    let rows: Vec<String> = sheet.text().iter().map(|row| row.join(" ")).collect();
    insta::assert_snapshot!([rows, sheet.csv(), remarks].map(|part| part.join("\n")).join("\n\n"));
    insta::assert_snapshot!("time_plot", plot.unwrap().svg().unwrap());
}
