//! Draws the ground that a seed plays on: how many nodes, which settings, which periods.
//!
//! Half of the seeds keep the lab's own ground, except `errata`, which is on: finding a known hole of the paper is no
//! discovery. The others draw some of it anew: two to nine nodes and now and then seventeen, other forms and detectors,
//! capacities with some equal ones, processes that are not candidates, and periods that only just obey the Card's
//! rules.
//!
//! Invariant: the result is a lab: the Card's rules hold, and nothing in it has to be measured.

use super::dice::Dice;
use lab::Lab;
use protocol::{
    CAPACITIES, CRITERION, Criterion, Demand, ERRATA, NodeSet, Roster, SettingCard, SettingKind, SettingValue,
    Settings, Span, Timing,
};

/// Mostly this many nodes are drawn, the smaller numbers more often than the larger.
const NODES: [u16; 12] = [2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8, 9];
/// And now and then this many.
const MANY: u16 = 17;
/// How often a node may check, at most, until all must have agreed: the judge remembers what is held meanwhile.
const CHECKS_MAX: u64 = 300;
/// Longer than any period has to be, in T.
const LONG: u64 = 10_000;

/// Who takes part, with which settings and periods.
#[derive(Clone, Debug)]
pub(super) struct DrawnSetup {
    pub roster: Roster,
    pub settings: Settings,
    pub timing: Timing,
}

impl DrawnSetup {
    /// The ground of one seed.
    pub fn drawn(lab: &Lab, dice: &mut Dice) -> DrawnSetup {
        let own = DrawnSetup { roster: lab.roster, settings: mended(lab, lab.settings.clone()), timing: lab.timing };
        if dice.chance(50) {
            return own;
        }
        let roster = if dice.chance(60) { drawn_roster(lab, dice) } else { lab.roster };
        let settings = drawn_settings(lab, roster, &own.settings, dice);
        let holds = |timing: &Timing| holds(lab, timing, roster, &settings);
        let timing = match drawn_timing(lab, roster, &settings, dice) {
            Some(timing) if !holds(&lab.timing) || dice.chance(60) => timing,
            _ => lab.timing,
        };
        // If no periods obey the Card's rules, the lab keeps its own, and the rest of its ground with them.
        if holds(&timing) { DrawnSetup { roster, settings, timing } } else { own }
    }
}

fn mended(lab: &Lab, settings: Settings) -> Settings {
    let has_errata = lab.card.settings.iter().any(|setting| setting.name == ERRATA);
    if has_errata { settings.with(ERRATA, SettingValue::Flag(true)) } else { settings }
}

fn drawn_roster(lab: &Lab, dice: &mut Dice) -> Roster {
    let nodes = if dice.chance(2) { MANY } else { dice.pick(&NODES) };
    // With one node there are no faults to draw: such a lab stays so, and no other becomes so.
    let nodes = if lab.roster.electors().len() == 1 { 1 } else { nodes.min(lab.card.nodes_max) };
    let bystanders = lab.roster.bystanders().len() as u16;
    let drawn = Roster::ranked(nodes, lab.roster.rank()).and_then(|roster| roster.with_bystanders(bystanders));
    drawn.unwrap_or(lab.roster)
}

fn drawn_settings(lab: &Lab, roster: Roster, own: &Settings, dice: &mut Dice) -> Settings {
    let all = roster.electors().all();
    let mut settings = Settings::defaults(lab.card.settings, all);
    for card in lab.card.settings {
        let kept = own.iter().find(|(name, value)| *name == card.name && suits(value, card, all));
        let value = match kept {
            Some((_, value)) if dice.chance(50) || is_demanded(lab, card) => value.clone(),
            _ => drawn_value(card, all, dice),
        };
        let with = settings.clone().with(card.name, value);
        // A setting that breaks a promise on purpose is drawn seldom: it hides other causes.
        if (lab.card.withholds)(&with, all.len() as u16).is_empty() || dice.chance(5) {
            settings = with;
        }
    }
    let settings = mended(lab, with_capacities(settings, roster, dice));
    match own.application() {
        Some((name, of_application)) => {
            settings.with_application(name, settings_of_application(lab, of_application, all))
        }
        None => settings,
    }
}

/// Whether the lab's application takes no other value: where copies are weighed, the lab gives the weights.
fn is_demanded(lab: &Lab, card: &SettingCard) -> bool {
    card.name == CRITERION.name && lab.application().is_some_and(|card| card.demand == Demand::ElectsByWeight)
}

/// Those of the lab; where they name nodes that are not there now, these are all.
fn settings_of_application(lab: &Lab, own: &Settings, all: NodeSet) -> Settings {
    let cards = lab.application().map_or(&[][..], |application| application.settings);
    let unsuited = |card: &&SettingCard| own.iter().any(|(name, value)| name == card.name && !suits(value, card, all));
    cards.iter().filter(unsuited).fold(own.clone(), |own, card| own.with(card.name, SettingValue::Nodes(all)))
}

/// Whether a value of the lab is also valid in a lab of these nodes. Capacities are drawn last.
fn suits(value: &SettingValue, card: &SettingCard, all: NodeSet) -> bool {
    match (value, card.kind) {
        (SettingValue::Nodes(nodes), _) => nodes.minus(&all).is_empty(),
        (SettingValue::Number(number), SettingKind::Number { most, .. }) => *number <= most(all.len() as u16),
        (SettingValue::Numbers(_), _) => false,
        _ => true,
    }
}

fn drawn_value(card: &SettingCard, all: NodeSet, dice: &mut Dice) -> SettingValue {
    match card.kind {
        SettingKind::Holes(_) | SettingKind::Flag { .. } => SettingValue::Flag(dice.chance(50)),
        SettingKind::Word(words) => {
            let is_measured = |word: &&&str| {
                card.name == CRITERION.name && Criterion::ALL.iter().any(|of| of.word() == **word && of.is_measured())
            };
            let words: Vec<&str> = words.iter().filter(|word| !is_measured(word)).copied().collect();
            SettingValue::Word(dice.pick(&words).to_owned())
        }
        SettingKind::NodesOrNone if dice.chance(10) => SettingValue::Nodes(NodeSet::EMPTY),
        // All, or some, or one.
        SettingKind::Nodes | SettingKind::NodesOrNone => SettingValue::Nodes(match dice.below(4) {
            0 => all,
            1 => NodeSet::of(dice.one(all)),
            _ => dice.some(all),
        }),
        SettingKind::Numbers => SettingValue::Numbers(Vec::new()),
        SettingKind::Number { most, .. } => SettingValue::Number(dice.below(most(all.len() as u16).saturating_add(1))),
    }
}

/// A criterion of given numbers gets them: from so few numbers that some are equal.
fn with_capacities(settings: Settings, roster: Roster, dice: &mut Dice) -> Settings {
    if Criterion::of(&settings) != Some(Criterion::Fixed) {
        return settings;
    }
    let electors = roster.electors().len();
    let few = u64::from(electors) / 2 + 1;
    let numbers = (0..electors).map(|_| dice.below(few) as u32).collect();
    settings.with(CAPACITIES.name, SettingValue::Numbers(numbers))
}

fn holds(lab: &Lab, timing: &Timing, roster: Roster, settings: &Settings) -> bool {
    lab.card.periods.iter().all(|rule| (rule.holds)(timing, roster.electors().len(), settings))
}

/// Periods that only just obey the Card's rules, or with a wide margin. A check period without a rule is drawn freely,
/// and other periods stay the lab's.
fn drawn_timing(lab: &Lab, roster: Roster, settings: &Settings, dice: &mut Dice) -> Option<Timing> {
    let t = lab.timing.t;
    let asks = |key: &str| lab.card.periods.iter().any(|rule| rule.key == key);
    let holds = |check, silence| holds(lab, &Timing { t, check, silence }, roster, settings);
    let check = match asks("check") {
        true => {
            // The silence is found for it next, and there is always one that is long enough.
            let least = least(t * LONG, |check| holds(check, t * LONG * 2))?;
            // Nobody needs a Check at every moment, and it takes for ever.
            above(least.max(t / 2), t, dice)
        }
        // A Check comes again before the effects of the last one are over, or seldom.
        false => {
            let check = dice.pick(&[t / 3, t, t * 2, t * 5]);
            let quiet =
                (lab.card.quiet_bound.value)(&Timing { check, ..lab.timing }, roster.electors().len(), settings);
            if quiet.nanos() / check.nanos().max(1) < CHECKS_MAX { check } else { lab.timing.check }
        }
    };
    let silence = match asks("silence") {
        true => above(least(t * LONG * 2, |silence| holds(check, silence))?, t, dice),
        false => lab.timing.silence,
    };
    holds(check, silence).then_some(Timing { t, check, silence })
}

/// The shortest period that obeys the rules, to the microsecond, if the longest does: any longer one does too.
fn least(longest: Span, does: impl Fn(Span) -> bool) -> Option<Span> {
    if !does(longest) {
        return None;
    }
    let micros = |count: u64| Span::from_nanos(count * 1_000);
    let (mut short, mut long) = (0, longest.nanos() / 1_000);
    while short + 1 < long {
        let middle = short + (long - short) / 2;
        if does(micros(middle)) { long = middle } else { short = middle }
    }
    Some(micros(long))
}

/// A period of this length or more: mostly only a little more.
fn above(least: Span, t: Span, dice: &mut Dice) -> Span {
    let more = match dice.below(10) {
        0..5 => t / 50,
        5..8 => t,
        _ => t * 5,
    };
    dice.span(least, least + more)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lab::parse;
    use registry::BUILT_IN;

    fn lab(algorithm: &str, check: &str, silence: &str) -> Lab {
        let text = format!(
            "name = \"ground\"\nabout = \"Five nodes.\"\nalgorithm = \"{algorithm}\"\nnodes = 5\nseed = 1\nT = \"200ms\"\n\
             check = \"{check}\"\nsilence = \"{silence}\"\n"
        );
        parse("ground", &text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn grounds(lab: &Lab) -> Vec<DrawnSetup> {
        (0..2_000).map(|seed| DrawnSetup::drawn(lab, &mut Dice::new(lab, seed))).collect()
    }

    #[test]
    fn half_of_the_seeds_draw_the_ground() {
        for card in BUILT_IN.cards() {
            let lab = lab(card.name, "1500ms", "5s");
            let grounds = grounds(&lab);
            let own = |ground: &&DrawnSetup| {
                (ground.roster, &ground.settings, ground.timing) == (lab.roster, &lab.settings, lab.timing)
            };
            let kept = grounds.iter().filter(own).count();
            assert!((1_000..1_300).contains(&kept), "{}: {kept}", card.name);
            let nodes: BTreeSet<u16> = grounds.iter().map(|ground| ground.roster.len()).collect();
            assert_eq!(nodes, [2, 3, 4, 5, 6, 7, 8, 9, MANY.min(card.nodes_max)].into(), "{}", card.name);
            for setting in card.settings {
                let value = |ground: &DrawnSetup| {
                    ground.settings.iter().find(|(name, _)| *name == setting.name).map(|(_, value)| value.to_string())
                };
                let values: BTreeSet<Option<String>> = grounds.iter().map(value).collect();
                let least = match setting.kind {
                    SettingKind::Holes(_) => 1,
                    SettingKind::Flag { .. } => 2,
                    // One of the criteria is measured.
                    SettingKind::Word(words) => words.len() - usize::from(setting.name == CRITERION.name),
                    SettingKind::Nodes | SettingKind::NodesOrNone | SettingKind::Numbers => 20,
                    SettingKind::Number { .. } => 5,
                };
                assert!(values.len() >= least, "{} {}: {values:?}", card.name, setting.name);
            }
            let errata = |ground: &DrawnSetup| {
                ground.settings.value(ERRATA).is_none_or(|errata| *errata == SettingValue::Flag(true))
            };
            assert!(grounds.iter().all(errata), "{}", card.name);
        }
    }

    #[test]
    fn periods_are_never_below_the_cards() {
        for card in BUILT_IN.cards() {
            let lab = lab(card.name, "1500ms", "5s");
            let (mut close, mut drawn) = (0, 0);
            for DrawnSetup { roster, settings, timing } in grounds(&lab) {
                assert!(holds(&lab, &timing, roster, &settings), "{}: {timing:?}", card.name);
                let step = timing.t / 50;
                let shorter = [
                    Timing { check: timing.check.saturating_sub(step), ..timing },
                    Timing { silence: timing.silence.saturating_sub(step), ..timing },
                ];
                drawn += u32::from(timing != lab.timing);
                let is_close = shorter.iter().any(|shorter| !holds(&lab, shorter, roster, &settings));
                close += u32::from(timing != lab.timing && is_close);
            }
            assert!(drawn > 300 && close > 100, "{}: {close} of {drawn}", card.name);
        }
    }

    #[test]
    fn some_capacities_are_equal() {
        let lab = lab("king-ni-c", "1500ms", "5s");
        let grounds = grounds(&lab);
        let fixed: Vec<&[u32]> =
            grounds.iter().map(|ground| ground.settings.numbers(CAPACITIES.name)).filter(|n| !n.is_empty()).collect();
        let tied = fixed.iter().filter(|numbers| numbers.iter().collect::<BTreeSet<_>>().len() < numbers.len()).count();
        assert!(fixed.len() > 100 && tied > fixed.len() / 2, "{tied} of {}", fixed.len());
    }
}
