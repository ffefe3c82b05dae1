//! Tests of the failure detectors: without loss they make no mistake and keep their bound; with loss they make some.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;

use super::*;
use crate::{Exhibit, SeedSurvey, carry_out};
use fault::Percent;
use registry::BUILT_IN;
use sim::campaign::Go;

fn shown(chances: &[u8], seeds: &str) -> (Vec<DetectorsSum>, Exhibit) {
    let chances: Vec<Percent> = chances.iter().map(|p| Percent::whole(*p)).collect();
    let survey = DetectorsSurvey::new(BUILT_IN, &chances, 5).unwrap();
    let sums = carry_out(&survey, seeds.parse().unwrap(), NonZeroUsize::MIN, &mut |_| Go::On).sums;
    let exhibit = survey.exhibit(&sums);
    (sums, exhibit)
}

#[test]
fn with_nothing_lost_no_detector_is_mistaken_and_each_reports_a_crash_within_its_latency() {
    let (sums, exhibit) = shown(&[0], "0..20");
    assert_eq!(sums.len(), 4);
    for (sum, row) in sums.iter().zip(&exhibit.sheet.text()[1..]) {
        assert_eq!((sum.mistakes.most(), sum.upsets.count, sum.detected_after.count), (Some(0), 0, 20), "{row:?}");
        let latency_ms: u64 = row[2].parse().unwrap();
        assert!(sum.detected_after.most().unwrap() <= 1_000 * latency_ms, "{row:?}");
        assert!(sum.messages.least() > Some(0), "{row:?}");
    }
}

#[test]
fn with_loss_the_detector_that_asks_others_is_mistaken_least_of_those_that_ask() {
    let (sums, _) = shown(&[20], "0..10");
    let [asking, telling, listing, cooperative] = &sums[..] else { panic!("{sums:?}") };
    for sum in [asking, telling, listing] {
        assert!(sum.mistakes.mean() > Some(0.5), "{sum:?}");
    }
    assert!(cooperative.mistakes.mean() < asking.mistakes.mean(), "{cooperative:?} {asking:?}");
    assert!(asking.upsets.count > 0 && asking.upsets.mean() > Some(0.0));
}

#[test]
fn the_same_seeds_give_the_same_sheet() {
    let (_, Exhibit { sheet, plot, remarks }) = shown(&[0, 10], "3..6");
    let rows: Vec<String> = sheet.text().iter().map(|row| row.join(" ")).collect();
    insta::assert_snapshot!([rows, sheet.csv(), remarks].map(|part| part.join("\n")).join("\n\n"));
    assert!(plot.unwrap().svg().unwrap().contains("cooperative"));
}
