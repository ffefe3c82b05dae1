//! Tests of duels: the same script for all, and who wins.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;

use super::*;
use crate::{Exhibit, SeedSurvey, carry_out};
use lab::parse;
use protocol::Card;
use registry::BUILT_IN;
use sim::campaign::Go;

fn contest(lab: &str, names: &[&str]) -> Result<Contest, ContestError> {
    let text =
        std::fs::read_to_string(format!("{}/labs/{lab}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap();
    let lab = parse(lab, &text, BUILT_IN).unwrap();
    let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
    Contest::new(&lab, &cards)
}

fn shown(contest: &Contest, seeds: &str) -> (Vec<DuelSum>, Exhibit) {
    let sums = carry_out(contest, seeds.parse().unwrap(), NonZeroUsize::MIN, &mut |_| Go::On).sums;
    let exhibit = contest.exhibit(&sums);
    (sums, exhibit)
}

#[test]
fn every_algorithm_plays_the_script_of_the_duel_to_its_end() {
    let names: Vec<&str> = BUILT_IN.cards().map(|card| card.name).collect();
    let contest = contest("duel", &names).unwrap();
    let (sums, _) = shown(&contest, "0..2");
    for (card, sum) in BUILT_IN.cards().zip(&sums) {
        assert_eq!((sum.held, sum.cut_short), (2, 0), "{}", card.name);
        assert!(sum.sample(Compared::Messages).least() > Some(0), "{}", card.name);
    }
}

#[test]
fn a_duel_of_bully_and_bully_fd_has_a_winner_in_each_row_that_differs() {
    let (_, Exhibit { sheet, plot, remarks }) = shown(&contest("duel", &["bully", "bully-fd"]).unwrap(), "0..12");
    let rows: Vec<String> = sheet.text().iter().map(|row| row.join(" | ")).collect();
    insta::assert_snapshot!([rows, sheet.csv(), remarks].map(|part| part.join("\n")).join("\n\n"));
    assert!(plot.unwrap().svg().unwrap().contains("bully-fd"));
}

#[test]
fn a_script_that_waits_for_one_algorithms_leader_is_refused() {
    let error = contest("first", &["bully", "async-bully"]).unwrap_err().to_string();
    assert!(error.contains("waits for `coordinator 4`") && error.contains("`all normal` or `groups K`"), "{error}");
}
