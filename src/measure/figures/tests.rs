//! Tests of counts in a stretch of any lab.
//!
//! Invariant: the seeds are fixed, so what holds here holds at every run.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::*;
use crate::{Exhibit, SeedSurvey, carry_out};
use lab::{Lab, parse};
use registry::BUILT_IN;
use sim::campaign::Go;

fn lab() -> Arc<Lab> {
    lab_named("first")
}

fn lab_named(name: &str) -> Arc<Lab> {
    let path = format!("{}/labs/{name}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    Arc::new(parse(name, &std::fs::read_to_string(path).unwrap(), BUILT_IN).unwrap())
}

fn survey(from: Option<&str>, until: Option<&str>, counted: &[&str], form: RowForm) -> FiguresSurvey {
    survey_of(lab(), from, until, counted, form)
}

fn survey_of(lab: Arc<Lab>, from: Option<&str>, until: Option<&str>, counted: &[&str], form: RowForm) -> FiguresSurvey {
    let from = from.map(|name| lab.steps.iter().find(|step| step.name == name).unwrap().clone());
    let until = until.map(|text| text.parse().unwrap());
    let counted = counted.iter().map(|word| Counted::parse(word, &lab).unwrap()).collect();
    FiguresSurvey { lab, bounds: Bounds { from, until }, counted, form }
}

fn shown(survey: &FiguresSurvey, seeds: &str) -> (FiguresSum, Exhibit) {
    let sums = carry_out(survey, seeds.parse().unwrap(), NonZeroUsize::MIN, &mut |_| Go::On).sums;
    let exhibit = survey.exhibit(&sums);
    (sums.into_iter().next().unwrap(), exhibit)
}

#[test]
fn a_failover_of_bully_is_counted_from_the_crash_until_the_next_coordinates() {
    let survey = survey(Some("crash"), Some("coordinator 4"), &["messages", "own", "Halt", "time_us"], RowForm::Means);
    let (sum, exhibit) = shown(&survey, "0..20");
    assert_eq!(sum.unended(), 0);
    for values in sum.runs.values().flatten() {
        let [messages, own, halts, time] = values[..] else { panic!("{values:?}") };
        assert!(own <= messages && halts <= own && halts >= 3, "{values:?}");
        // The silence of the lab has to pass before anybody notices.
        assert!(time > 100_000, "{values:?}");
    }
    insta::assert_snapshot!(exhibit.sheet.csv().join("\n"));
}

#[test]
fn what_a_step_orders_counts_with_what_it_begins_at_once() {
    let counted = ["elections", "init"];
    let survey = survey_of(lab_named("king-ni-c"), Some("elect"), Some("master 5"), &counted, RowForm::Each);
    let (sum, _) = shown(&survey, "0..10");
    // The five candidates each send an init, the first of them at the order.
    assert!(sum.runs.values().all(|values| values.as_deref() == Some(&[1, 5])), "{:?}", sum.runs);
}

#[test]
fn a_stretch_without_bounds_is_the_whole_run_and_each_run_has_a_row() {
    let survey = survey(None, None, &["elections", "bytes"], RowForm::Each);
    let (sum, Exhibit { sheet, plot, .. }) = shown(&survey, "4..9");
    assert_eq!((sheet.rows.len(), sheet.text()[0].join(" ")), (5, "seed elections bytes".to_owned()));
    assert!(sum.runs.values().flatten().all(|values| values[0] > 0 && values[1] > 0));
    assert!(plot.unwrap().svg().unwrap().contains("share of the runs"));
}

#[test]
fn a_condition_that_never_comes_leaves_the_run_without_an_end() {
    let (sum, exhibit) = shown(&survey(None, Some("groups 5"), &["messages"], RowForm::Means), "0..3");
    let unended = sum.unended();
    assert!(exhibit.sheet.csv()[1].ends_with(&format!(",{},{unended}", 3 - unended)), "{exhibit:?}");
}

#[test]
fn an_unknown_kind_is_refused_with_the_kinds() {
    let error = Counted::parse("Hal", &lab()).unwrap_err().to_string();
    assert!(error.contains("did you mean Halt, HaltAnswer?") && error.contains("messages, own, bytes"), "{error}");
    assert!(error.contains("NewCoordinator"), "{error}");
}
