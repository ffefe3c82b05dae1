//! A counterexample as a lab file: every message is held, and each comes, or is lost, at the moment that the way says.
//!
//! The lab begins with all processes killed and all links held; then those that run at the beginning of the way start
//! together. So what the way needs can be ordered of real processes too, and nothing happens before it is ordered. A
//! tick lasts [`TICK_MS`], so that real processes keep to the moments. A way to a lab that is not at rest is followed as
//! far as its last fault, or an election further; then the links are let go, and the lab is left alone for the bound of
//! quiet.
//!
//! The file begins with the command that found it and with the way, event by event.
//!
//! Invariant: the simulator has the last word: a lab file is one that it was seen to show the violation with.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use super::action::{ActionKind, LabAction};
use super::closeness::{Closeness, NotWritten};
use super::frame::PackedState;
use super::model::LabModel;
use super::scripted::{OrderedLine, Scripted, TICK_MS};
use super::search::FoundWay;
use super::terms::ExploreTerms;
use super::told::WayEvent;
use crate::election::CARDS;
use crate::judge::cut::is_of_cuts;
use crate::lab::text::{Opening, quoted, quoted_list, table};
use crate::lab::{self, LIMIT_DEFAULT, Lab};
use crate::protocol::{Algorithm, Property, Span, Timing};
use crate::sim::{self, Plan};

/// All processes have started by then, in lab time.
const STARTED_MS: i64 = 500;
/// The start of the way, in lab time.
const START_MS: i64 = 1_000;

/// A counterexample as a lab file that shows it in the simulator.
#[derive(Clone, Debug)]
pub struct WrittenLab {
    /// The text of the file.
    pub text: String,
    /// The verdict that the simulator came to.
    pub verdict: String,
}

impl<A: Algorithm> LabModel<A> {
    /// The way as a lab file that shows the violation in the simulator.
    ///
    /// # Errors
    /// There is none: why.
    pub fn written(&self, property: Property, way: &FoundWay<PackedState>) -> Result<WrittenLab, NotWritten> {
        let (walked, _) = self.walked(way);
        let ends = if is_of_cuts(property) { vec![walked.len()] } else { self.ends_before_rest(&walked) };
        let mut why = NotWritten::Ordered;
        for (end, closeness) in ends.into_iter().flat_map(|end| Closeness::ALL.map(|closeness| (end, closeness))) {
            let shown = Scripted::lines(self, &walked[..end], closeness)
                .and_then(|lines| self.shown(property, way, &lines).ok_or(NotWritten::NotShown));
            match shown {
                Ok(written) => return Ok(written),
                Err(other) => why = why.max(other),
            }
        }
        Err(why)
    }

    /// How much of a way to a lab at rest may be ordered: up to its last fault, or an election further, or all of it.
    fn ends_before_rest(&self, walked: &[(PackedState, LabAction)]) -> Vec<usize> {
        let last = walked.iter().rposition(|(_, action)| is_fault(*action)).map_or(0, |place| place + 1);
        let Lab { card, roster, settings, .. } = &*self.terms.lab;
        let election = (card.time_bound.value)(&self.terms.timing, roster.len(), settings);
        let since = walked.get(last).map_or(0, |(state, _)| u64::from(state.tick()));
        let is_within =
            |(state, _): &(PackedState, LabAction)| u64::from(state.tick()) <= since + self.terms.ticks(election);
        let further = walked.iter().take_while(|within| is_within(within)).count();
        let mut ends = vec![last, further, walked.len()];
        ends.retain(|end| *end > 0);
        ends.dedup();
        ends
    }

    /// The lab of these lines, if the simulator shows the violation with it.
    fn shown(&self, property: Property, way: &FoundWay<PackedState>, lines: &[OrderedLine]) -> Option<WrittenLab> {
        let text = self.head(property, way) + &self.text(property, lines);
        let lab = Arc::new(lab::parse("the counterexample", &text, CARDS).ok()?);
        let end = sim::run(&Plan::of(Arc::clone(&lab)), Box::new(|_| {}));
        let name = property.to_string();
        let verdict = end.run.violations.iter().find(|violation| violation.contains(&name))?;
        Some(WrittenLab { text, verdict: verdict.clone() })
    }

    /// The comment above the lab: what found it, and the way.
    fn head(&self, property: Property, way: &FoundWay<PackedState>) -> String {
        let ExploreTerms { lab, .. } = &self.terms;
        let story = self.story(way);
        let mut head = format!(
            "# A way to break {property}, found by\n#\n#     hustings explore {}{}\n#\n# It has {} events:\n#\n",
            lab.name,
            self.terms.options(),
            story.len()
        );
        for WayEvent { tick, says } in story {
            let _ = writeln!(head, "# tick {tick:<3} {says}");
        }
        head + "\n"
    }

    fn text(&self, property: Property, lines: &[OrderedLine]) -> String {
        let Lab { name, card, roster, seed, settings, .. } = &*self.terms.lab;
        let tick = Span::from_millis(TICK_MS as u64);
        let real = |span: Span| tick * self.terms.ticks(span);
        let Timing { t, check, silence } = self.terms.timing;
        let timing = Timing { t: real(t), check: real(check), silence: real(silence) };
        let about =
            format!("A way to break {property}, found by `hustings explore`: each message comes when the way says.");
        let opening = Opening {
            name: &format!("{name}-{property}"),
            about: &about,
            source: None,
            algorithm: card.name,
            nodes: roster.len(),
            seed: *seed,
            timing,
            limit: LIMIT_DEFAULT,
            settings,
        };
        let mut text = opening.to_string();
        let mut step = |name: &str, at: i64, lines: &[String]| {
            let at = format!("\"{at}ms\"");
            let _ =
                write!(text, "{}", table("step", &[("name", quoted(name)), ("at", at), ("do", quoted_list(lines))]));
        };
        let mut first = vec!["hold *->*".to_owned()];
        first.extend(self.terms.cut.iter().map(|(from, to)| format!("cut {from}->{to}")));
        if self.terms.keeps_order() {
            first.insert(0, "crash *".to_owned());
            step("nobody runs", 0, &first);
        } else {
            // A message is named with its sender's incarnation, so each process must have started before, and once.
            step("nothing comes", 0, &first);
            step("nobody runs", STARTED_MS, &["crash *".to_owned()]);
        }
        let start = roster.all().minus(&self.terms.down);
        let mut begin = vec![format!("recover {start}")];
        let elected = self.terms.electing.minus(&self.terms.down);
        begin.extend(elected.iter().map(|node| format!("elect {node}")));
        step("the way begins", START_MS, &begin);
        let mut together: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        lines.iter().for_each(|(at, line)| together.entry(*at).or_default().push(line.clone()));
        let mut last = START_MS;
        for (at, lines) in &together {
            last = START_MS + at;
            step(&format!("{at} ms later"), last, lines);
        }
        if is_of_cuts(property) {
            step("the end", last + TICK_MS, &[]);
        } else {
            step("let go", last + TICK_MS, &["release *->*".to_owned()]);
            let quiet = (tick * u64::from(self.terms.quiet + 4)).nanos() / 1_000_000;
            step("still", last + quiet as i64, &[]);
        }
        let because = if self.terms.lab.withheld().contains(&property) { " because unpromised" } else { "" };
        let expected = quoted(&format!("violation {property}{because}"));
        let _ = write!(text, "{}", table("expect", &[("that", expected)]));
        text
    }
}

fn is_fault(action: LabAction) -> bool {
    let goes_by_itself =
        matches!(action.kind, ActionKind::Deliver(_) | ActionKind::TimeOut { .. } | ActionKind::NextTick);
    !goes_by_itself || action.dies_after.is_some()
}
