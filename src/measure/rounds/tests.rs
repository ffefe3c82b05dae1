//! Tests of the rounds: what holds against the formula, what the tables to the letter do, what a planted mistake shows.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;

use super::election::MachineStart;
use super::*;
use crate::{Exhibit, Findings, SeedSurvey, carry_out};
use fault::{Mutant, Percent};
use mutants::king_ni::{DupNotSent, NobodyGivesWay};
use protocol::MachineKind;
use sim::campaign::{Go, Seeds};
use sim::start_as;

const CHANCES: [u8; 6] = [5, 10, 20, 30, 40, 50];

fn survey(chances: &[u8], candidates: &[u16], starts: Starts, tables: Tables) -> RoundsSurvey {
    let chances: Vec<Percent> = chances.iter().map(|p| Percent::whole(*p)).collect();
    RoundsSurvey::new(&chances, candidates, starts, tables)
}

fn found(survey: &RoundsSurvey, seeds: &str) -> Vec<RoundsSum> {
    let seeds: Seeds = seeds.parse().unwrap();
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let Findings { sums, .. } = carry_out(survey, seeds, jobs, &mut |_| Go::On);
    sums
}

/// The points whose mean lies above the formula by more than its interval and this much more.
fn above(survey: &RoundsSurvey, sums: &[RoundsSum], by: f64) -> Vec<(u16, Percent)> {
    let is_above = |(point, sum): &(&RoundsPoint, &RoundsSum)| {
        let estimate = sum.first.estimate(sums.len()).unwrap();
        estimate.mean - estimate.half > point.expected + by
    };
    let points = survey.points().iter().zip(sums).filter(is_above);
    points.map(|(point, _)| (point.candidates, point.p)).collect()
}

#[test]
fn together_no_mean_of_several_candidates_lies_above_the_formula_and_one_candidate_takes_two_rounds() {
    let survey = survey(&CHANCES, &[1, 2, 5, 10], Starts::Together, Tables::Mended);
    let sums = found(&survey, "0..120");
    let ones: Vec<(u16, Percent)> = CHANCES.iter().map(|p| (1, Percent::whole(*p))).collect();
    assert_eq!(above(&survey, &sums, 0.0), ones);
    for (point, sum) in survey.points().iter().zip(&sums) {
        assert_eq!(sum.held, 120);
        assert!(point.candidates > 1 || (point.expected, sum.first.mean()) == (1.0, Some(2.0)));
    }
}

#[test]
fn spread_starts_cost_at_most_a_twentieth_of_a_round_and_for_much_loss_nothing() {
    let survey = survey(&CHANCES, &[2, 5, 10], Starts::Spread, Tables::Mended);
    let sums = found(&survey, "0..120");
    assert_eq!(above(&survey, &sums, 0.05), []);
    for (point, sum) in survey.points().iter().zip(&sums).filter(|(point, _)| point.p >= Percent::whole(30)) {
        let mean = sum.first.mean().unwrap();
        assert!(mean < point.expected, "{point:?}: {mean}");
    }
}

#[test]
fn to_the_letter_a_follower_that_misses_the_one_announcement_asks_for_help() {
    let survey = survey(&[10], &[2, 5, 10], Starts::Together, Tables::ToTheLetter);
    for (point, sum) in survey.points().iter().zip(found(&survey, "0..400")) {
        let share = 1.0 - 0.9f64.powi(i32::from(point.candidates) - 1);
        // Four standard deviations of a count of four hundred.
        let scatter = 4.0 * (400.0 * share * (1.0 - share)).sqrt();
        assert!((sum.in_help as f64 - 400.0 * share).abs() < scatter, "{point:?}: {sum:?}");
        assert_eq!((sum.later.count, sum.no_master), (0, 0));
    }
}

/// Hole 2 strikes where `elected` is faster than `init` was.
#[test]
fn to_the_letter_spread_starts_leave_processes_in_help_with_nothing_lost() {
    let survey = survey(&[0], &[2, 5, 10], Starts::Spread, Tables::ToTheLetter);
    let helpless: Vec<u64> = found(&survey, "0..400").iter().map(|sum| sum.in_help).collect();
    assert!((25..75).contains(&helpless[0]), "{helpless:?}");
    assert!((90..165).contains(&helpless[1]) && (115..200).contains(&helpless[2]), "{helpless:?}");
}

#[test]
fn mended_most_elections_end_well_with_three_of_ten_lost() {
    let survey = survey(&[30], &[2, 5, 10], Starts::Together, Tables::Mended);
    let sums = found(&survey, "0..1000");
    for (sum, least) in sums.iter().zip([955, 980, 985]) {
        assert!(sum.good >= least, "{sum:?}, and at least {least}");
    }
}

/// What three of ten lost do to five candidates with this machine, in a thousand elections.
fn at_five(machine: Option<MachineStart>) -> RoundsSum {
    let survey = survey(&[30], &[5], Starts::Together, Tables::Mended);
    let survey = match machine {
        Some(machine) => survey.of_machine(machine),
        None => survey,
    };
    found(&survey, "0..1000")[0]
}

#[test]
fn the_table_shows_that_nobody_gives_way_and_that_dup_is_not_sent() {
    let (true_one, formula) = (at_five(None), expected_rounds(0.3, 5)[4]);
    let mutant: MachineStart = |plan| start_as(MachineKind::of::<Mutant<NobodyGivesWay>>(), plan, Box::new(|_| {}));
    let stubborn = at_five(Some(mutant)).first.estimate(1).unwrap();
    assert!(stubborn.mean - stubborn.half > formula, "{stubborn:?} of {formula}");
    let mutant: MachineStart = |plan| start_as(MachineKind::of::<Mutant<DupNotSent>>(), plan, Box::new(|_| {}));
    let silent = at_five(Some(mutant));
    assert!(2 * silent.several >= 3 * true_one.several.max(1), "{} and {}", silent.several, true_one.several);
}

#[test]
fn the_same_seeds_give_the_same_sheet() {
    let survey = survey(&[10, 30], &[1, 2, 5], Starts::Spread, Tables::Mended);
    let Exhibit { sheet, plot, remarks } = survey.exhibit(&found(&survey, "7..31"));
    let rows: Vec<String> = sheet.text().iter().map(|row| row.join(" ")).collect();
    insta::assert_snapshot!([rows, sheet.csv(), remarks].map(|part| part.join("\n")).join("\n\n"));
    insta::assert_snapshot!("plot", plot.unwrap().svg().unwrap());
}
