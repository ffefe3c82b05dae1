//! Liars for an algorithm that bears some: each seed draws who lies and which lies, who may be elected, and when
//! elections begin.
//!
//! The lies go round: seed after seed tells each lie alone, then each pair of lies. In half of the seeds a liar speaks
//! late besides, near the time-outs of the others. In a third only one correct process may be elected. One election of
//! five a liar begins alone, and others begin theirs when it would go on.
//!
//! Invariant: no seed draws more liars than the algorithm bears, and nothing but lies is a fault in it.

use super::dice::Dice;
use super::drawn_lines::DrawnLines;
use super::drawn_setup::DrawnSetup;
use super::holes::{Holes, leave_in};
use fault::{FaultLine, ProcessFault, Target};
use lab::{LIMIT_DEFAULT, Lab};
use protocol::{Lie, NodeSet, SettingValue, Span};

/// How many elections a seed begins.
const ELECTIONS: u64 = 8;

/// The lab that this seed makes of a lab: its nodes, periods and settings, and liars.
pub fn draw_liars(lab: &Lab, seed: u64, holes: Holes) -> Lab {
    let mut dice = Dice::new(lab, seed);
    let ground = DrawnSetup { roster: lab.roster, settings: lab.settings.clone(), timing: lab.timing };
    let settings = match holes {
        Holes::Mended => ground.settings,
        Holes::Drawn => leave_in(lab, ground, &mut dice).settings,
    };
    let all = lab.roster.electors().all();
    let most = lab.settings.number_if_any("t").unwrap_or(1).clamp(1, u64::from(lab.roster.len()));
    let lies = told_by(seed, &lab.card.told_lies());
    let mut liars = NodeSet::EMPTY;
    while (liars.len() as u64) < most {
        liars.insert(dice.one(all.minus(&liars)));
    }
    let mut drawn = Lab {
        name: format!("{}-liars-{seed}", lab.name),
        about: format!("What the liars of seed {seed} say in \"{}\".", lab.name),
        source: None,
        seed,
        settings: match settings.value("candidates") {
            Some(_) => {
                let candidates = candidates(all, liars, &mut dice);
                settings.with("candidates", SettingValue::Nodes(candidates))
            }
            None => settings,
        },
        steps: Vec::new(),
        expectations: Vec::new(),
        limit: LIMIT_DEFAULT,
        text: String::new(),
        ..lab.clone()
    };
    drawn.steps = plot(&drawn, &lies, liars, &mut dice).steps();
    drawn.text = drawn.written();
    drawn
}

/// The same lab without its liars, to see what they have changed.
pub fn without_liars(lab: &Lab) -> Lab {
    let mut honest = lab.clone();
    for step in &mut honest.steps {
        step.lines.retain(|line| !matches!(line, FaultLine::Process(ProcessFault::Liar(_), _)));
    }
    honest
}

/// The lie or the two lies of this seed.
fn told_by(seed: u64, lies: &[Lie]) -> Vec<Lie> {
    let pairs = (0..lies.len()).flat_map(|first| (first + 1..lies.len()).map(move |second| vec![first, second]));
    let all: Vec<Vec<usize>> = (0..lies.len()).map(|one| vec![one]).chain(pairs).collect();
    let place = (seed % all.len() as u64) as usize;
    all[place].iter().map(|place| lies[*place]).collect()
}

/// Who may be elected: in a third of the seeds one correct process alone, perhaps beside liars; else some.
fn candidates(all: NodeSet, liars: NodeSet, dice: &mut Dice) -> NodeSet {
    let correct = all.minus(&liars);
    if dice.below(3) == 0 {
        let one = NodeSet::of(dice.one(correct));
        return if dice.chance(50) { one } else { one.union(&dice.some(liars)) };
    }
    if dice.chance(50) { all } else { dice.some(all).union(&NodeSet::of(dice.one(correct))) }
}

fn plot(lab: &Lab, lies: &[Lie], liars: NodeSet, dice: &mut Dice) -> DrawnLines {
    let (t, mut plot) = (lab.timing.t, DrawnLines::default());
    let together = liars.len() == 1 || dice.chance(50);
    let mut now = t * 8;
    for (place, liar) in liars.iter().enumerate() {
        for (turn, lie) in lies.iter().enumerate() {
            // Both tell both, or each tells its own.
            if together || *lie == Lie::Collude || turn % liars.len() == place % lies.len() {
                plot.order(now, line(*lie, NodeSet::of(liar)));
            }
        }
        if dice.chance(50) && !lies.contains(&Lie::Late) {
            plot.order(now, line(Lie::Late, NodeSet::of(liar)));
        }
    }
    let able = lab.roster.electors().all();
    for _ in 0..ELECTIONS {
        now = now + dice.span(t * 2, t * 22);
        if dice.chance(20) {
            now = ambush(now, lab, liars, &mut plot, dice);
            continue;
        }
        let first = if dice.chance(70) { dice.one(able.minus(&liars)) } else { dice.one(able) };
        plot.order(now, FaultLine::Process(ProcessFault::Elect, Target::Nodes(NodeSet::of(first))));
        if dice.chance(40) {
            let second = dice.one(able);
            let later = now + dice.span(t / 16, t);
            plot.order(later, FaultLine::Process(ProcessFault::Elect, Target::Nodes(NodeSet::of(second))));
        }
    }
    plot
}

/// A liar begins an election, and may keep it to itself. Correct processes begin theirs when it would go on, all within T
/// of each other. Says when the last of them begins.
fn ambush(now: Span, lab: &Lab, liars: NodeSet, plot: &mut DrawnLines, dice: &mut Dice) -> Span {
    let (t, mut correct) = (lab.timing.t, lab.roster.electors().all().minus(&liars));
    let elect = |node| FaultLine::Process(ProcessFault::Elect, Target::Nodes(NodeSet::of(node)));
    plot.order(now, elect(dice.one(liars)));
    let first = now + dice.span(t * 3 / 2, t * 3);
    let mut last = first;
    for turn in 0..dice.within(1, 3) {
        if correct.is_empty() {
            break;
        }
        let node = dice.one(correct);
        correct.remove(node);
        let at = if turn == 0 { first } else { first + dice.span(Span::ZERO, t) };
        plot.order(at, elect(node));
        last = last.max(at);
    }
    last
}

fn line(lie: Lie, liars: NodeSet) -> FaultLine {
    FaultLine::Process(ProcessFault::Liar(lie), Target::Nodes(liars))
}
