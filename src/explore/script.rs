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
//! Invariant: the simulator has the last word: a lab file is one that it was seen to show with what the way breaks.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use super::action::{ActionKind, LabAction};
use super::closeness::{Closeness, NotWritten};
use super::frame::PackedState;
use super::model::LabModel;
use super::question::{ExploredClaim, HoldsIn};
use super::scripted::{OrderedLine, Scripted, TICK_MS};
use super::search::FoundWay;
use super::terms::ExploreTerms;
use super::told::WayEvent;
use fault::{Cut, FaultEffect, FaultLine, Hold, LinkRule, Links, ProcessFault, Release, ReleaseOrder, Target};
use judge::cut::is_of_cuts;
use lab::text::{LabFile, plain};
use lab::{Condition, Expectation, LIMIT_DEFAULT, Lab, LabStep, ViolationReason, When};
use protocol::{NodeId, NodeSet, Property, Span, Timing};
use script::RunEnd;
use sim::Plan;

/// All processes have started by then, in lab time.
const STARTED_MS: i64 = 500;
/// The start of the way, in lab time.
const START_MS: i64 = 1_000;

/// So long after the last event of a way it is seen whether a condition holds, in milliseconds: before anything else
/// happens.
const SEEN_MS: i64 = 10;
/// A condition that is expected at once is expected within so many milliseconds.
const AT_ONCE_MS: u64 = 5;

/// A counterexample as a lab file that shows it in the simulator.
#[derive(Clone, Debug)]
pub struct WrittenLab {
    /// The text of the file.
    pub text: String,
    /// The verdict that the simulator came to.
    pub verdict: String,
}

impl LabModel {
    /// The way as a lab file that shows in the simulator what it breaks.
    ///
    /// # Errors
    /// There is none: why.
    pub fn written(&self, claim: &ExploredClaim, way: &FoundWay<PackedState>) -> Result<WrittenLab, NotWritten> {
        let (walked, last) = self.walked(way);
        let ends = if self.is_of_instants(claim) { vec![walked.len()] } else { self.ends_before_rest(&walked) };
        let mut why = NotWritten::Ordered;
        for exhibit in self.exhibits(claim, &last) {
            for (end, closeness) in ends.iter().flat_map(|end| Closeness::ALL.map(|closeness| (*end, closeness))) {
                let shown = Scripted::lines(self, &walked[..end], closeness)
                    .and_then(|lines| self.shown(claim, &exhibit, way, &lines).ok_or(NotWritten::NotShown));
                match shown {
                    Ok(written) => return Ok(written),
                    Err(other) => why = why.max(other),
                }
            }
        }
        Err(why)
    }

    /// Whether it is looked at in every state, and not in a lab at rest alone.
    fn is_of_instants(&self, claim: &ExploredClaim) -> bool {
        match claim {
            ExploredClaim::Promise(property) => is_of_cuts(*property),
            ExploredClaim::Question(_) => self.terms.asked_from < self.terms.horizon,
        }
    }

    /// What a lab file may show of a way that ends in this state, the best first.
    fn exhibits(&self, claim: &ExploredClaim, last: &PackedState) -> Vec<WayContent> {
        match claim {
            ExploredClaim::Question(question) => {
                vec![WayContent::Answer {
                    condition: question.condition.clone(),
                    holds: question.holds_in == HoldsIn::None,
                }]
            }
            ExploredClaim::Promise(property) if self.terms.cut.is_empty() || is_of_cuts(*property) => {
                vec![WayContent::Violation(*property)]
            }
            ExploredClaim::Promise(property) => {
                let world = self.world(last);
                let groups = world.groups_of(&world.running()).into_iter();
                let groups =
                    groups.map(|group| Condition::Group { members: group.members, under: group.coordinator }).collect();
                vec![WayContent::Violation(*property), WayContent::End { property: *property, groups }]
            }
        }
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

    /// The lab of these lines, if the simulator shows with it what it is to show.
    fn shown(
        &self,
        claim: &ExploredClaim,
        exhibit: &WayContent,
        way: &FoundWay<PackedState>,
        lines: &[OrderedLine],
    ) -> Option<WrittenLab> {
        let text = self.head(claim, exhibit, way) + &self.text(claim, exhibit, lines);
        let end = self.simulated(&text)?;
        let verdict = exhibit.verdict(&end)?;
        let WayContent::Violation(property) = *exhibit else { return Some(WrittenLab { text, verdict }) };
        if end.summary.bugs == 0 {
            return Some(WrittenLab { text, verdict });
        }
        let exhibit = WayContent::Hole { property, open: self.terms.lab.card.open_holes(&self.terms.lab.settings) };
        let text = self.head(claim, &exhibit, way) + &self.text(claim, &exhibit, lines);
        let verdict = exhibit.verdict(&self.simulated(&text)?)?;
        Some(WrittenLab { text, verdict })
    }

    fn simulated(&self, text: &str) -> Option<RunEnd> {
        let lab = lab::parse("the counterexample", text, self.terms.lab.registry).ok()?;
        Some(sim::run(&Plan::of(Arc::new(lab)), Box::new(|_| {})).run)
    }

    /// The comment above the lab: what found it, and the way.
    fn head(&self, claim: &ExploredClaim, exhibit: &WayContent, way: &FoundWay<PackedState>) -> String {
        let ExploreTerms { called, .. } = &self.terms;
        let story = self.story(way);
        let mut head = format!(
            "# A way to break {claim}, found by\n#\n#     hustings explore {}{}\n#\n",
            plain(called),
            self.terms.options(),
        );
        match exhibit {
            WayContent::Violation(_) => {}
            WayContent::Hole { property, open } => {
                let _ = writeln!(head, "# {}\n#", named_by(*property, open));
            }
            WayContent::Answer { holds: true, .. } => head += "# The condition comes true.\n#\n",
            WayContent::Answer { holds: false, .. } => {
                head += "# The condition does not come true: this lab expects it, and fails.\n#\n";
            }
            WayContent::End { property, .. } => {
                let _ = writeln!(head, "# It ends as expected below. {}.\n#", not_judged(*property));
            }
        }
        let _ = writeln!(head, "# It has {} events:\n#", story.len());
        for WayEvent { tick, says } in story {
            let _ = writeln!(head, "# tick {tick:<3} {says}");
        }
        head + "\n"
    }

    fn text(&self, claim: &ExploredClaim, exhibit: &WayContent, lines: &[OrderedLine]) -> String {
        let Lab { name, card, roster, seed, settings, .. } = &*self.terms.lab;
        let tick = Span::from_millis(TICK_MS as u64);
        let real = |span: Span| tick * self.terms.ticks(span);
        let Timing { t, check, silence } = self.terms.timing;
        let mut steps = Vec::new();
        let mut step = |name: String, at: i64, lines: Vec<FaultLine>| {
            steps.push(LabStep::silent(name, When::At(Span::from_millis(at as u64)), lines));
        };
        let link = |from, to, effect| FaultLine::Link(LinkRule { links: Links::To { from, to }, effect });
        let mut first = vec![link(Target::All, Target::All, FaultEffect::Hold(Hold))];
        let cut = FaultEffect::Cut(Cut { channel: None });
        let node = |node: &NodeId| Target::Nodes(NodeSet::of(*node));
        first.extend(self.terms.cut.iter().map(|(from, to)| link(node(from), node(to), cut.clone())));
        let crash = FaultLine::Process(ProcessFault::Crash, Target::All);
        if self.terms.keeps_order() {
            first.insert(0, crash);
            step("nobody runs".to_owned(), 0, first);
        } else {
            // A message is named with its sender's incarnation, so each process must have started before, and once.
            step("nothing comes".to_owned(), 0, first);
            step("nobody runs".to_owned(), STARTED_MS, vec![crash]);
        }
        let start = Target::Nodes(roster.all().minus(&self.terms.down));
        let mut begin = vec![FaultLine::Process(ProcessFault::Recover, start)];
        let elected = self.terms.electing.minus(&self.terms.down);
        begin.extend(elected.iter().map(|of| FaultLine::Process(ProcessFault::Elect, node(&of))));
        step("the way begins".to_owned(), START_MS, begin);
        let mut together: BTreeMap<i64, Vec<FaultLine>> = BTreeMap::new();
        lines.iter().for_each(|(at, line)| together.entry(*at).or_default().push(line.clone()));
        let last = START_MS + together.keys().last().unwrap_or(&0);
        together.into_iter().for_each(|(at, lines)| step(format!("{at} ms later"), START_MS + at, lines));
        if self.is_of_instants(claim) {
            let after = if exhibit.is_of_the_judge() { TICK_MS } else { SEEN_MS };
            step("the end".to_owned(), last + after, Vec::new());
        } else {
            let release = FaultEffect::Release(Release { order: ReleaseOrder::InOrder });
            step("let go".to_owned(), last + TICK_MS, vec![link(Target::All, Target::All, release)]);
            let quiet = (tick * u64::from(self.terms.quiet + 4)).nanos() / 1_000_000;
            step("still".to_owned(), last + quiet as i64, Vec::new());
        }
        let end = steps.len() - 1;
        let expected = exhibit.expected(&self.terms).into_iter();
        let expectations: Vec<Expectation> = expected
            .map(|that| match exhibit.is_of_the_judge() {
                true => Expectation::at_end(that),
                false => Expectation::of(that, Some(end), Span::from_millis(AT_ONCE_MS)),
            })
            .collect();
        let file = LabFile {
            name: &format!("{name}-{}", claim.to_string().replace(' ', "-")),
            about: &format!(
                "A way to break {claim}, found by `hustings explore`: each message comes when the way says."
            ),
            source: None,
            algorithm: card.name,
            nodes: roster.len(),
            seed: *seed,
            timing: Timing { t: real(t), check: real(check), silence: real(silence) },
            limit: LIMIT_DEFAULT,
            settings,
            steps: &steps,
            expectations: &expectations,
        };
        file.to_string()
    }
}

/// What a lab file shows.
enum WayContent {
    /// The judge finds a violation of this property.
    Violation(Property),
    /// The judge finds a violation of this property for which no assumption was broken, and these holes are open.
    Hole { property: Property, open: Vec<&'static str> },
    /// The condition holds in the end, or does not.
    Answer { condition: Condition, holds: bool },
    /// The lab comes to rest in these groups, which break the property, and the judge of a run does not judge it there.
    End { property: Property, groups: Vec<Condition> },
}

impl WayContent {
    /// Whether the judge of a run finds it: it is then expected at the end.
    fn is_of_the_judge(&self) -> bool {
        matches!(self, WayContent::Violation(_) | WayContent::Hole { .. })
    }

    /// What the lab expects.
    fn expected(&self, terms: &ExploreTerms) -> Vec<Condition> {
        match self {
            WayContent::Violation(property) => {
                let because = terms.lab.withheld().contains(property).then_some(ViolationReason::Unpromised);
                vec![Condition::Violation { property: *property, because }]
            }
            WayContent::Hole { property, open } => match open[..] {
                [hole] => {
                    let because = Some(ViolationReason::Hole(hole.to_owned()));
                    vec![Condition::Violation { property: *property, because }]
                }
                _ => Vec::new(),
            },
            WayContent::Answer { condition, .. } => vec![condition.clone()],
            WayContent::End { groups, .. } => groups.clone(),
        }
    }

    /// The verdict that this run of the lab came to, if it shows this.
    fn verdict(&self, run: &RunEnd) -> Option<String> {
        let all_met = run.summary.met == run.summary.total;
        match self {
            WayContent::Violation(property) | WayContent::Hole { property, .. } => {
                let name = property.to_string();
                run.violations.iter().find(|violation| violation.contains(&name)).cloned()
            }
            WayContent::Answer { condition, holds: true } => all_met.then(|| format!("{condition} is true")),
            WayContent::Answer { condition, holds: false } => {
                (run.summary.failed == 1).then(|| format!("{condition} is not true"))
            }
            WayContent::End { property, groups } => {
                let is_silent = run.tallies.get(*property).is_never_due();
                let groups: Vec<String> = groups.iter().map(Condition::to_string).collect();
                (all_met && is_silent && !groups.is_empty())
                    .then(|| format!("it comes to rest with {}. {}", groups.join(" and "), not_judged(*property)))
            }
        }
    }
}

/// Why the judge does not find what the explorer does.
fn not_judged(property: Property) -> String {
    format!("In a run whose links are not transitive the judge does not judge {property}: here the explorer does")
}

/// What a lab says of a violation for which no assumption was broken.
fn named_by(property: Property, open: &[&str]) -> String {
    match open {
        [] => {
            format!("No assumption was broken: {property} falls by a bug, so a run of this lab ends with exit code 4.")
        }
        [hole] => format!("No assumption was broken: {property} falls by hole {hole}, which the lab leaves open."),
        holes => format!(
            "No assumption was broken: {property} falls by a bug, or by one of the holes that the lab leaves open:\n\
             # {}. A run ends with exit code 4 until the lab expects\n\
             # `violation {property} because hole ...`.",
            holes.join(", ")
        ),
    }
}

fn is_fault(action: LabAction) -> bool {
    let goes_by_itself =
        matches!(action.kind, ActionKind::Deliver(_) | ActionKind::TimeOut { .. } | ActionKind::NextTick);
    !goes_by_itself || action.dies_after.is_some()
}
