//! What `explore` prints: the terms, a table of the properties, counterexamples event by event, the counts.
//!
//! Invariant: "exhausted" is said only of a search that has seen every state, and "not exhausted" of one that was
//! stopped.

use std::time::Duration;

use super::super::columns::{aligned, counted, grouped};
use super::super::output::{COLUMNS, say, wrapped};
use explore::{
    Counterexample, CounterexampleLab, ExploreReport, ExploreTerms, ExploredClaim, FaultKind, Limits, PropertyFound,
    SearchExtent, SearchTally,
};
use protocol::Span;

/// Prints the terms, the table of properties, each counterexample and the counts.
pub fn tell(terms: &ExploreTerms, report: &ExploreReport, limits: Limits, took: Duration) {
    lines_of(terms).iter().flat_map(|line| wrapped(line, COLUMNS)).for_each(say);
    say("");
    let row = |(claim, found): &(ExploredClaim, PropertyFound)| vec![claim.to_string(), told(found)];
    let rows: Vec<Vec<String>> = report.rows.iter().map(row).collect();
    aligned(&rows, 2).iter().for_each(say);
    for (claim, found) in &report.rows {
        if let PropertyFound::False(example) = found {
            say("");
            tell_example(&claim.to_string(), example);
        }
    }
    say("");
    counts(terms, report, limits, took).iter().flat_map(|line| wrapped(line, COLUMNS)).for_each(say);
}

fn lines_of(terms: &ExploreTerms) -> Vec<String> {
    let ticks = |span: Span| counted(terms.ticks(span), "tick");
    let timing = terms.timing;
    let may = FaultKind::ALL.into_iter().filter(|kind| terms.of(*kind) > 0);
    let may: Vec<String> = may.map(|kind| kind.counted(terms.of(kind))).collect();
    let faults = match &may[..] {
        [] => "no faults".to_owned(),
        may => format!("before tick {}: at most {}", terms.faults_until, may.join(", ")),
    };
    let faults = match &terms.lost[..] {
        [] => faults,
        kinds => format!("{faults}; of messages only {} may be lost", kinds.join(", ")),
    };
    let down = if terms.down.is_empty() { String::new() } else { format!("; down from the start: {}", terms.down) };
    let rest = if terms.comes_to_rest() { "" } else { ", too near for properties of rest" };
    let mut lines = vec![
        format!("{}: {}, {} nodes, every order", terms.lab.name, terms.lab.card.title, terms.lab.roster.len()),
        format!(
            "a message takes 0 or 1 tick; T {}, check {}, silence {}",
            ticks(timing.t),
            ticks(timing.check),
            ticks(timing.silence)
        ),
        format!("{faults}{down}; horizon {}{rest}", counted(u64::from(terms.horizon), "tick")),
    ];
    if terms.pauses_are_short() {
        lines.push(format!(
            "no pause lasts as long as the silence of {}: a later --faults-until lets one",
            ticks(timing.silence)
        ));
    }
    lines
}

fn told(found: &PropertyFound) -> String {
    match found {
        PropertyFound::True => "true".to_owned(),
        PropertyFound::False(example) => {
            format!("false: {} in tick {}", counted(example.story.len() as u64, "event"), example.tick)
        }
        PropertyFound::Open => "not exhausted: it holds in all states that were seen".to_owned(),
        PropertyFound::NoRest(quiet) => {
            format!("not judged: it needs {} without a fault before the horizon", counted(u64::from(*quiet), "tick"))
        }
        PropertyFound::NoElection => {
            "not judged: no process holds an election; add --elections 1, or a step at \"0ms\" that orders one"
                .to_owned()
        }
        PropertyFound::NeverWhole => "not judged: links are cut for ever, and it is about a whole lab".to_owned(),
        PropertyFound::NotLookedAt => "not explored: no single state of the lab shows it".to_owned(),
    }
}

fn tell_example(property: &str, example: &Counterexample) {
    say(format!("{property} does not hold after these events:"));
    let rows: Vec<Vec<String>> =
        example.story.iter().map(|event| vec![format!("  tick {}", event.tick), event.says.clone()]).collect();
    aligned(&rows, 2).iter().for_each(say);
    let shown = match &example.lab {
        CounterexampleLab::OfThisWay(written) => {
            format!("as a lab file it shows in the simulator: {}", written.verdict)
        }
        CounterexampleLab::OfAnotherWay { why, written, events, tick } => format!(
            "no lab file shows this way: {why}. One shows another way, with {} in tick {tick}: {}",
            counted(*events as u64, "event"),
            written.verdict
        ),
        CounterexampleLab::None { why, others: 0 } => format!("no lab file shows this way: {why}"),
        CounterexampleLab::None { why, others } => {
            format!(
                "no lab file shows this way: {why}; nor was one found for {}",
                counted(u64::from(*others), "other way")
            )
        }
    };
    for line in [format!("then, in tick {}: {}", example.tick, example.stands), shown] {
        wrapped(&line, COLUMNS).iter().for_each(say);
    }
}

fn counts(terms: &ExploreTerms, report: &ExploreReport, limits: Limits, took: Duration) -> Vec<String> {
    let SearchTally { generated, unique, depth, stages } = &report.tally;
    let rate = *generated as f64 / took.as_secs_f64().max(1e-9);
    let so_far = format!(
        "{} generated, {} unique, depth {depth}; {} MiB at most, {:.1} s, {} states a second",
        grouped(*generated),
        counted(*unique, "state"),
        grouped(report.resident >> 20),
        took.as_secs_f64(),
        grouped(rate as u64),
    );
    let reached = stages.len().saturating_sub(1);
    let why = match report.exhaustion {
        SearchExtent::Exhausted if usize::from(terms.horizon) <= reached => "exhausted".to_owned(),
        SearchExtent::Exhausted => format!("every property was decided in tick {reached}"),
        SearchExtent::States => format!("not exhausted: stopped at --states {}", grouped(limits.states)),
        SearchExtent::Memory => format!("not exhausted: stopped at --memory {}", grouped(limits.resident >> 20)),
        SearchExtent::Told => "not exhausted: told to stop".to_owned(),
    };
    let mut lines = vec![so_far, why];
    if report.rows.iter().any(|(_, found)| matches!(found, PropertyFound::True)) {
        lines.push(
            "what is true here is true of runs in whole ticks: what a part of a tick decides, such as an order half a T \
             after another one, is not among them"
                .to_owned(),
        );
    }
    if report.exhaustion != SearchExtent::Exhausted {
        lines.push(estimate(terms.horizon, stages));
    }
    lines
}

/// An estimate of more than ten to this power is not told as a number.
const TELLING_MAX: f64 = 12.0;

/// How many states the whole search would have, if they went on growing from tick to tick as they did.
fn estimate(horizon: u16, stages: &[u64]) -> String {
    let done = stages.len().saturating_sub(2);
    let half = done / 2;
    let advice = "leave out nodes or faults, or set --faults-until or --horizon to an earlier tick";
    if half == 0 || stages[half] == 0 {
        return format!("no tick was finished, so there is no estimate; {advice}");
    }
    let growth = (stages[done - 1].max(1) as f64 / stages[half - 1].max(1) as f64).powf(1.0 / (done - half) as f64);
    let left = f64::from(horizon) - done as f64;
    let log = (stages[done - 1].max(1) as f64).log10() + growth.log10().max(0.0) * left;
    // The growth of the first ticks says little about ticks far away, and no computer looks at more states than this.
    let last = match log {
        ..=TELLING_MAX => format!("the last tick alone has about 10^{log:.0}"),
        _ => format!("the last tick alone has more than 10^{TELLING_MAX:.0}, which no search comes to"),
    };
    format!(
        "ticks 0 to {} were finished, and each had {growth:.2} times the states of the one before; at this growth {last}; \
         {advice}",
        done - 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_beyond_all_searches_is_no_number() {
        let told = |horizon: u16| estimate(horizon, &[1, 10, 100, 1_000, 10_000, 3, 0]);
        assert!(
            told(6).contains(
                "each had 10.00 times the states of the one before; at this growth the last tick alone has \
                                  about 10^5; "
            ),
            "{}",
            told(6)
        );
        assert!(
            told(187).contains("the last tick alone has more than 10^12, which no search comes to; "),
            "{}",
            told(187)
        );
    }
}
