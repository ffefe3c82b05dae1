//! Tests of what a leader's crash costs: what the Cards bound, and the same bytes for the same seeds.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;

use super::*;
use crate::{Exhibit, SeedSurvey, carry_out};
use protocol::Card;
use registry::BUILT_IN;
use sim::campaign::Go;

fn exhibit(names: &[&str], nodes: &[u16], seeds: &str) -> (Vec<MessagesSum>, Exhibit) {
    let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
    let survey = MessagesSurvey::new(BUILT_IN, &cards, nodes).unwrap();
    let sums = carry_out(&survey, seeds.parse().unwrap(), NonZeroUsize::MIN, &mut |_| Go::On).sums;
    let exhibit = survey.exhibit(&sums);
    (sums, exhibit)
}

#[test]
fn every_algorithm_has_its_points_as_far_as_its_card_takes_so_many_processes() {
    let all: Vec<Card> = BUILT_IN.cards().copied().collect();
    let survey = MessagesSurvey::new(BUILT_IN, &all, &[5, 64]).unwrap();
    // Algorithms over the ordered broadcast take fewer.
    let small = BUILT_IN.cards().filter(|card| card.nodes_max < 64).count();
    assert!(small >= 3);
    assert_eq!(survey.points(), Noticing::ALL.len() * (2 * BUILT_IN.algorithms.len() - small));
}

#[test]
fn no_failover_costs_more_than_the_cards_say() {
    for n in [5u64, 9] {
        let most = |name: &str| {
            let (sums, _) = exhibit(&[name], &[n as u16], "0..6");
            assert!(sums.iter().all(|sum| sum.held == sum.sent.count), "{name}: {sums:?}");
            sums.iter().filter_map(|sum| sum.sent.most()).max().unwrap()
        };
        assert!(most("bully") <= n * n + 5 * n - 12);
        // One election of those that are left.
        assert_eq!(most("bully-fd"), 3 * (n - 2));
        assert!(most("textbook-bully") <= 5 * n * n / 2);
        assert!(most("async-bully") <= 2 * n * n);
        // The inits and one announcement.
        assert_eq!(most("king-ni-c"), n);
    }
}

#[test]
fn the_asynchronous_bully_sends_fewer_messages_than_invitation_and_by_the_tally_half_of_n_squared_or_less() {
    let (sums, exhibit) = exhibit(&["invitation", "async-bully"], &[17], "0..8");
    let mean = |point: usize| sums[point].sent.mean().unwrap();
    for (invitation, asynchronous) in [(0, 3), (1, 4), (2, 5)] {
        assert!(mean(invitation) > 2.0 * mean(asynchronous), "{} and {}", mean(invitation), mean(asynchronous));
    }
    let early = |point: usize| sums[point].early.mean().unwrap() / 289.0;
    assert!(early(3) < 0.5 && early(4) < 0.5 && early(5) < 1.0, "{} {} {}", early(3), early(4), early(5));
    assert!(exhibit.remarks.iter().any(|remark| remark.starts_with("Stoller's section 7")));
}

#[test]
fn the_same_seeds_give_the_same_sheet() {
    let (_, Exhibit { sheet, plot, remarks }) = exhibit(&["bully", "async-bully", "invitation"], &[5, 16], "3..6");
    let rows: Vec<String> = sheet.text().iter().map(|row| row.join(" ")).collect();
    insta::assert_snapshot!([rows, sheet.csv(), remarks].map(|part| part.join("\n")).join("\n\n"));
    insta::assert_snapshot!("messages_plot", plot.unwrap().svg().unwrap());
}
