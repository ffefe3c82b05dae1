//! Swarms: a seed draws its own mix of faults for a lab, and what comes of it is a lab like any other.
//!
//! Swarm testing (Groce, Zhang, Eide, Chen and Regehr 2012): what does everything in every run does nothing for long
//! enough. So each seed leaves some kinds of faults out; some have crashes only, some nothing at all; some end what they
//! began, some leave all of it to the end; some throw everything into one election, some wait until all agree again.
//!
//! Of the lab the algorithm, the nodes, the periods and the settings are kept, and its steps and expectations are not;
//! `errata` is on, for a hole of the paper is no discovery.
//!
//! Invariant: what is drawn is a function of the lab and the seed. Its last step is `heal all`, its text is a lab file
//! that reads back the same.

mod aim;
mod dice;
mod story;
#[cfg(test)]
mod tests;

use self::aim::Aim;
use self::dice::Dice;
use self::story::{Standing, Story};
use crate::fault::{FaultLine, Loss, Tampering};
use crate::lab::{LIMIT_DEFAULT, Lab};
use crate::protocol::{Channel, Order, SettingValue, Settings, Span};

/// The setting that mends the papers' holes, where an algorithm has it.
const ERRATA: &str = "errata";

/// The lab that this seed makes of a lab.
pub fn draw(lab: &Lab, seed: u64) -> Lab {
    let mut drawn = Lab {
        name: format!("{}-swarm-{seed}", lab.name),
        about: format!("What seed {seed} of a swarm does to \"{}\".", lab.name),
        source: None,
        card: lab.card,
        roster: lab.roster,
        seed,
        timing: lab.timing,
        settings: mended(lab),
        steps: Vec::new(),
        expectations: Vec::new(),
        limit: LIMIT_DEFAULT,
        text: String::new(),
    };
    let mut dice = Dice::new(lab, seed);
    let temper = Temper::drawn(lab, &mut dice);
    drawn.steps = Drawing { lab: &drawn, temper, dice, story: Story::new(lab.roster.all()) }.finished();
    drawn.text = drawn.written();
    drawn
}

fn mended(lab: &Lab) -> Settings {
    let has_errata = lab.card.settings.iter().any(|setting| setting.name == ERRATA);
    if has_errata { lab.settings.clone().with(ERRATA, SettingValue::Flag(true)) } else { lab.settings.clone() }
}

/// A kind of line that a seed may draw.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Kind {
    Crash,
    Pause,
    Elect,
    StartOver,
    Lose(Loss),
    Slow,
    Clock,
    Cut,
    Isolate,
    Partition,
    Loss,
    Delay,
    Tamper(Tampering),
    CutChannel,
    BurstLoss,
    Partial,
    Hold,
}

impl Kind {
    /// What befalls processes.
    const OF_PROCESSES: [Kind; 7] = [
        Kind::Crash,
        Kind::Pause,
        Kind::Slow,
        Kind::Clock,
        Kind::Elect,
        Kind::Lose(Loss::Wipe),
        Kind::Lose(Loss::Rollback),
    ];
    /// What befalls links.
    const OF_LINKS: [Kind; 12] = [
        Kind::Cut,
        Kind::Isolate,
        Kind::Partition,
        Kind::Loss,
        Kind::Delay,
        Kind::Tamper(Tampering::Corrupt),
        Kind::Tamper(Tampering::Duplicate),
        Kind::Tamper(Tampering::Reorder),
        Kind::Tamper(Tampering::Garble),
        Kind::CutChannel,
        Kind::BurstLoss,
        Kind::Hold,
    ];
}

/// How close the faults of a seed stand.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Rhythm {
    /// Within an election: the next before half a T is over.
    Tight,
    /// An election may end before the next, or not.
    Loose,
    /// All that has a duration has ended, and everybody has agreed, before the next.
    Wide,
    /// Now so, now so.
    Mixed,
}

/// When the faults of a seed end.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Ends {
    /// Each after a time of its own.
    Each,
    /// All at the end, by `heal all`.
    Last,
}

/// What a seed is like.
#[derive(Clone, Debug)]
struct Temper {
    kinds: Vec<Kind>,
    faults: u64,
    rhythm: Rhythm,
    ends: Ends,
    /// The chance that a fault is followed by an order to elect, in percent.
    elects: u64,
}

impl Temper {
    fn drawn(lab: &Lab, dice: &mut Dice) -> Temper {
        let mut known = Kind::OF_PROCESSES.to_vec();
        if lab.roster.len() > 1 {
            known.extend(Kind::OF_LINKS);
        }
        if lab.card.orders.contains(&Order::StartOver) {
            known.push(Kind::StartOver);
        }
        // Of two nodes' broadcasts all hear or none, and that is a cut.
        if lab.roster.len() > 2 && lab.card.channel == Channel::Multicast {
            known.push(Kind::Partial);
        }
        let rhythm = match dice.below(100) {
            0..20 => Rhythm::Tight,
            20..40 => Rhythm::Loose,
            40..75 => Rhythm::Wide,
            _ => Rhythm::Mixed,
        };
        let (kinds, faults) = match dice.below(100) {
            0..5 => (Vec::new(), 0),
            5..15 => (vec![Kind::Crash], dice.within(1, 5)),
            _ => {
                let some: Vec<Kind> = known.iter().copied().filter(|_| dice.chance(50)).collect();
                let some = if some.is_empty() { vec![dice.pick(&known)] } else { some };
                (some, dice.within(2, 6))
            }
        };
        // Waiting until everybody agrees takes most of a run's time.
        let faults = if rhythm == Rhythm::Wide { faults.min(3) } else { faults };
        let ends = if dice.chance(20) { Ends::Last } else { Ends::Each };
        Temper { kinds, faults, rhythm, ends, elects: dice.pick(&[0, 20, 60]) }
    }
}

/// A lab being drawn.
struct Drawing<'a> {
    lab: &'a Lab,
    temper: Temper,
    dice: Dice,
    story: Story,
}

impl Drawing<'_> {
    fn finished(mut self) -> Vec<crate::lab::Step> {
        let t = self.lab.timing.t;
        let begins = match self.dice.below(4) {
            0 => self.dice.span(Span::ZERO, t / 2),
            1 => self.quiet(),
            _ => self.dice.span(t, self.election() * 2),
        };
        let mut at = begins;
        // With King and Ni nobody elects anybody before the application wants it.
        if self.dice.chance(80) {
            let first = self.dice.span(Span::ZERO, t);
            self.story.advance(first, &mut self.dice);
            self.elect();
            at = at + first;
        }
        for _ in 0..self.temper.faults {
            self.story.advance(at, &mut self.dice);
            self.begin();
            if self.dice.chance(self.temper.elects) {
                at = at + self.dice.span(Span::ZERO, t * 2);
                self.story.advance(at, &mut self.dice);
                self.elect();
            }
            at = self.next(at);
        }
        self.story.advance(at, &mut self.dice);
        self.story.order(FaultLine::HealAll);
        self.story.into_steps()
    }

    /// When the next fault begins, after this moment.
    fn next(&mut self, at: Span) -> Span {
        let t = self.lab.timing.t;
        let rhythm = match self.temper.rhythm {
            Rhythm::Mixed => {
                self.dice.pick(&[Rhythm::Tight, Rhythm::Tight, Rhythm::Loose, Rhythm::Loose, Rhythm::Wide])
            }
            rhythm => rhythm,
        };
        match rhythm {
            Rhythm::Tight if self.dice.chance(20) => at,
            Rhythm::Tight => at + self.dice.span(Span::ZERO, t / 2),
            Rhythm::Loose | Rhythm::Mixed => at + self.dice.span(t / 2, self.election() * 2),
            Rhythm::Wide => {
                let over = self.story.last_end().map_or(at, |end| end.max(at));
                over + self.quiet()
            }
        }
    }

    /// A fault begins; it ends by itself, or at the end.
    fn begin(&mut self) {
        let kind = self.dice.pick(&self.temper.kinds);
        // A store is lost where it is read again; mostly that of one who is dead by then.
        if matches!(kind, Kind::Lose(_)) && self.story.dead().is_empty() && self.dice.chance(80) {
            self.begin_one(Kind::Crash);
        }
        self.begin_one(kind);
    }

    fn begin_one(&mut self, kind: Kind) {
        let mut aim = Aim { all: self.lab.roster.all(), lab: self.lab, story: &self.story, dice: &mut self.dice };
        let Some((line, standing)) = aim.line(kind) else { return };
        let ends = match (&standing, self.temper.ends) {
            (None, _) | (_, Ends::Last) => None,
            (Some(standing), Ends::Each) => {
                let stays = self.stay(standing);
                stays.map(|stays| self.story.now() + stays)
            }
        };
        let id = self.story.order(line);
        if let Some(standing) = standing {
            self.story.stand(id, standing, ends);
        }
    }

    /// How long a fault stands; `None`: to the end.
    fn stay(&mut self, standing: &Standing) -> Option<Span> {
        let t = self.lab.timing.t;
        // Called off it bites nothing.
        if matches!(standing, Standing::Loss) && self.dice.chance(85) {
            return None;
        }
        if self.dice.chance(if standing.is_crash() { 30 } else { 10 }) {
            return None;
        }
        Some(match self.dice.below(3) {
            0 => self.dice.span(t / 4, t),
            1 => self.dice.span(t, self.election() + self.lab.timing.silence.min(t * 10)),
            _ => self.dice.span(t * 2, t * 10),
        })
    }

    fn elect(&mut self) {
        let mut aim = Aim { all: self.lab.roster.all(), lab: self.lab, story: &self.story, dice: &mut self.dice };
        if let Some((line, _)) = aim.line(Kind::Elect) {
            self.story.order(line);
        }
    }

    /// How long one election may take.
    fn election(&self) -> Span {
        (self.lab.card.time_bound.value)(&self.lab.timing, self.lab.roster.len(), &self.lab.settings)
    }

    /// A little longer than everybody may take to agree.
    fn quiet(&mut self) -> Span {
        let bound = (self.lab.card.quiet_bound.value)(&self.lab.timing, self.lab.roster.len(), &self.lab.settings);
        let more = self.election();
        // A microsecond, since a bound need not be a whole number of them.
        bound + self.dice.span(Span::from_nanos(1_000), more)
    }
}
