//! The character of a seed: which kinds of faults it draws, how many, how close together, and how it ends.
//!
//! Invariant: a seed that must break no assumption draws only faults that break none that the algorithm needs.

use super::dice::Dice;
use fault::{CellLoss, DRAWN, DrawnEffect};
use lab::Lab;
use protocol::{Assumption, Card, Order};

/// A kind of line that a seed may draw.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum LineKind {
    Crash,
    Pause,
    Elect,
    StartOver,
    /// An order to the lab's application.
    Order,
    Lose(CellLoss),
    Slow,
    Clock,
    /// The faults of links.
    Link(&'static DrawnEffect),
}

impl LineKind {
    /// The faults of processes.
    const OF_PROCESSES: [LineKind; 7] = [
        LineKind::Crash,
        LineKind::Pause,
        LineKind::Slow,
        LineKind::Clock,
        LineKind::Elect,
        LineKind::Lose(CellLoss::Wipe),
        LineKind::Lose(CellLoss::Rollback),
    ];
    /// Those that mean something in this lab.
    fn known(lab: &Lab) -> Vec<LineKind> {
        let mut known = LineKind::OF_PROCESSES.to_vec();
        let nodes = usize::from(lab.roster.len());
        if nodes > 1 {
            let of_links = DRAWN.iter().copied().flatten().filter(|drawn| (drawn.fits)(lab.card.channel, nodes));
            known.extend(of_links.map(LineKind::Link));
        }
        if lab.card.orders.contains(&Order::StartOver) {
            known.push(LineKind::StartOver);
        }
        if LineKind::takes_orders(lab) {
            known.push(LineKind::Order);
        }
        known
    }

    /// Whether the lab's application takes orders.
    pub fn takes_orders(lab: &Lab) -> bool {
        lab.application().is_some_and(|application| !application.orders.is_empty())
    }

    /// The assumption that it breaks when it acts.
    fn breaks(self) -> Option<Assumption> {
        Some(match self {
            // A crash keeps to fail-stop.
            LineKind::Crash | LineKind::Elect | LineKind::StartOver | LineKind::Order => return None,
            LineKind::Pause | LineKind::Slow => Assumption::NoPauses,
            LineKind::Lose(_) => Assumption::SafeCells,
            LineKind::Clock => Assumption::OneClockRate,
            LineKind::Link(drawn) => drawn.breaks,
        })
    }

    /// Whether it means something to an algorithm with this Card.
    pub fn is_harmless(self, card: &Card) -> bool {
        self.breaks().is_none_or(|assumption| !card.needs.contains(&assumption))
    }
}

/// This many nodes are many.
const MANY: u16 = 12;

/// How close together the faults of a seed are.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum FaultSpacing {
    /// Within an election: the next before half a T is over.
    Tight,
    /// An election may end before the next, or not.
    Loose,
    /// Every fault with a duration has ended, and all nodes have agreed, before the next.
    Wide,
    /// Changing between these.
    Mixed,
}

/// When the faults of a seed end.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Ends {
    /// Each after a time of its own.
    Each,
    /// All at the end.
    Last,
}

/// How a seed ends.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum SeedEnd {
    /// By `heal all`.
    Whole,
    /// All is well again, except that the dead stay dead; perhaps some die at the end.
    WithoutTheDead,
    /// With the faults that are in force.
    AsItStands,
}

/// The character of a seed.
#[derive(Clone, Debug)]
pub(super) struct SeedTraits {
    pub kinds: Vec<LineKind>,
    /// How many faults the dice throw.
    pub faults: u64,
    pub rhythm: FaultSpacing,
    pub ends: Ends,
    pub end: SeedEnd,
    /// The chance that a fault is followed by an order to elect, in percent.
    pub elects: u64,
    /// How many more faults are aimed.
    pub aims: u64,
}

impl SeedTraits {
    pub fn drawn(lab: &Lab, dice: &mut Dice) -> SeedTraits {
        let known = LineKind::known(lab);
        // The bound after which many have agreed is long, and all of them talk until then.
        let rhythm = match dice.below(100) {
            0..20 => FaultSpacing::Tight,
            40..75 if lab.roster.len() < MANY => FaultSpacing::Wide,
            75..100 if lab.roster.len() < MANY => FaultSpacing::Mixed,
            _ => FaultSpacing::Loose,
        };
        let (kinds, faults) = match dice.below(100) {
            0..4 => (Vec::new(), 0),
            4..10 => (vec![LineKind::Crash], dice.within(1, 5)),
            10..45 => {
                let harmless: Vec<LineKind> =
                    known.iter().copied().filter(|kind| kind.is_harmless(&lab.card)).collect();
                (some(&harmless, dice), dice.within(2, 6))
            }
            _ => (some(&known, dice), dice.within(2, 6)),
        };
        let aims = if dice.chance(30) { dice.pick(&[1, 1, 2, 2, 3]) } else { 0 };
        // Waiting until all nodes agree takes most of a run's time.
        let most = match (aims, rhythm) {
            (1.., _) => 1,
            (_, FaultSpacing::Wide) => 3,
            _ => faults,
        };
        let ends = if dice.chance(20) { Ends::Last } else { Ends::Each };
        let end = match dice.below(100) {
            0..82 => SeedEnd::Whole,
            82..96 => SeedEnd::WithoutTheDead,
            _ => SeedEnd::AsItStands,
        };
        SeedTraits { kinds, faults: faults.min(most), rhythm, ends, end, elects: dice.pick(&[0, 20, 60]), aims }
    }

    /// The same with so many throws; a seed that drew no kind of faults throws every kind.
    pub fn with_faults(self, lab: &Lab, faults: u64) -> SeedTraits {
        let kinds = if self.kinds.is_empty() { LineKind::known(lab) } else { self.kinds };
        SeedTraits { kinds, faults, ..self }
    }
}

/// Some of these kinds, at least one; there is at least one to choose from.
fn some(of: &[LineKind], dice: &mut Dice) -> Vec<LineKind> {
    let some: Vec<LineKind> = of.iter().copied().filter(|_| dice.chance(50)).collect();
    if some.is_empty() { vec![dice.pick(of)] } else { some }
}
