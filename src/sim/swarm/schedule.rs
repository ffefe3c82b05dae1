//! Draws the story of a seed by dice: an opening, faults and their ends, the end.
//!
//! Invariant: nothing here depends on how a run would go.

use super::dice::Dice;
use super::drawn_line::DrawPool;
use super::seed_lines::{RemainingEffect, SeedLines};
use super::seed_traits::{Ends, FaultSpacing, LineKind, SeedEnd, SeedTraits};
use fault::{FaultLine, ProcessFault, Target};
use lab::Lab;
use protocol::{NodeSet, Span};

/// A story being drawn.
pub(super) struct Drawing<'a> {
    pub lab: &'a Lab,
    pub traits: &'a SeedTraits,
    pub dice: &'a mut Dice,
    pub story: SeedLines,
    /// How much time is left for a return before the end.
    pub room: Span,
}

impl Drawing<'_> {
    /// The whole story.
    pub fn finished(mut self) -> SeedLines {
        let t = self.lab.timing.t;
        let begins = match self.dice.below(4) {
            0 => self.dice.span(Span::ZERO, t / 2),
            1 => self.quiet(),
            _ => self.dice.span(t, self.election() * 2),
        };
        let mut at = begins;
        // With King and Ni nobody elects before the application orders it.
        if self.dice.chance(80) {
            let first = self.dice.span(Span::ZERO, t);
            self.story.advance(first, self.dice);
            self.elect();
            at = at + first;
        }
        for _ in 0..self.traits.faults {
            self.story.advance(at, self.dice);
            if self.may_order() {
                at = at.max(self.story.now());
            }
            self.begin();
            if self.dice.chance(self.traits.elects) {
                at = at + self.dice.span(Span::ZERO, t * 2);
                self.story.advance(at, self.dice);
                self.elect();
            }
            at = self.next(at);
        }
        if self.traits.aims > 0 {
            // Aimed faults need room: for an election or two, or for all to come to rest.
            let room = [self.election() * 2, self.quiet(), self.quiet() + self.election() * 2];
            at = at + self.dice.pick(&room);
        }
        at = at + self.room;
        self.story.advance(at.max(self.story.now()), self.dice);
        // What waits then is done when all is well again.
        self.may_order();
        self.end();
        self.story
    }

    fn end(&mut self) {
        match self.traits.end {
            SeedEnd::Whole => drop(self.story.order(FaultLine::HealAll)),
            SeedEnd::WithoutTheDead => {
                self.story.leave_only_the_dead();
                if self.dice.chance(50) {
                    let later = self.story.now() + self.dice.span(Span::ZERO, self.election() * 2);
                    self.story.advance(later, self.dice);
                    self.begin_one(LineKind::Crash);
                }
            }
            // Some process must run, or nothing would be judged.
            SeedEnd::AsItStands => {
                let all = self.lab.roster.all();
                let one = self.dice.one(all);
                self.story.order(FaultLine::Process(ProcessFault::Recover, Target::Nodes(NodeSet::of(one))));
            }
        }
    }

    /// When the next fault begins, after this moment.
    fn next(&mut self, at: Span) -> Span {
        let t = self.lab.timing.t;
        let rhythm = match self.traits.rhythm {
            FaultSpacing::Mixed => self.dice.pick(&[
                FaultSpacing::Tight,
                FaultSpacing::Tight,
                FaultSpacing::Loose,
                FaultSpacing::Loose,
                FaultSpacing::Wide,
            ]),
            rhythm => rhythm,
        };
        match rhythm {
            FaultSpacing::Tight if self.dice.chance(20) => at,
            FaultSpacing::Tight => at + self.dice.span(Span::ZERO, t / 2),
            FaultSpacing::Loose | FaultSpacing::Mixed => at + self.dice.span(t / 2, self.election() * 2),
            FaultSpacing::Wide => {
                let over = self.story.last_end().map_or(at, |end| end.max(at));
                over + self.quiet()
            }
        }
    }

    /// A fault begins; it ends by itself, or at the end.
    fn begin(&mut self) {
        let kind = self.dice.pick(&self.traits.kinds);
        // A store is lost where it is read again; mostly the store of a node that is dead by then.
        if matches!(kind, LineKind::Lose(_)) && self.story.dead().is_empty() && self.dice.chance(80) {
            self.begin_one(LineKind::Crash);
        }
        if kind == LineKind::Elect && self.dice.chance(30) {
            return self.storm();
        }
        self.begin_one(kind);
    }

    fn begin_one(&mut self, kind: LineKind) {
        let Some((line, standing)) = self.aim(kind) else { return };
        let ends = match (&standing, self.traits.ends) {
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

    /// Several nodes get an order to elect, one soon after another.
    fn storm(&mut self) {
        for _ in 0..self.dice.within(2, 5) {
            self.elect();
            let later = self.story.now() + self.dice.span(Span::ZERO, self.lab.timing.t);
            self.story.advance(later, self.dice);
        }
    }

    /// How long a fault lasts; `None`: to the end.
    fn stay(&mut self, standing: &RemainingEffect) -> Option<Span> {
        let t = self.lab.timing.t;
        // If it is cancelled, it does nothing.
        if matches!(standing, RemainingEffect::Loss) && self.dice.chance(85) {
            return None;
        }
        if self.dice.chance(if standing.is_crash() { 30 } else { 10 }) {
            return None;
        }
        // Each part comes to rest by itself before they meet again.
        if matches!(standing, RemainingEffect::Parting) && self.dice.chance(40) {
            return Some(self.quiet());
        }
        Some(match self.dice.below(4) {
            0 => self.dice.span(t / 4, t),
            1 => self.dice.span(t, self.election() + self.lab.timing.silence.min(t * 10)),
            2 => self.dice.span(t * 2, t * 10),
            // Anywhere in the election that it brings about.
            _ => self.dice.span(Span::ZERO, self.lab.timing.silence + self.lab.timing.check + self.election()),
        })
    }

    /// Perhaps a few orders go to the lab's application, if it takes some. Returns whether they do.
    fn may_order(&mut self) -> bool {
        let orders = LineKind::takes_orders(self.lab) && self.dice.chance(80);
        if orders {
            self.order();
        }
        orders
    }

    /// A few orders, one soon after another.
    fn order(&mut self) {
        for _ in 0..self.dice.within(1, 4) {
            if let Some((line, _)) = self.aim(LineKind::Order) {
                self.story.order(line);
            }
            let later = self.story.now() + self.dice.span(Span::ZERO, self.lab.timing.t);
            self.story.advance(later, self.dice);
        }
    }

    fn elect(&mut self) {
        if let Some((line, _)) = self.aim(LineKind::Elect) {
            self.story.order(line);
        }
    }

    fn aim(&mut self, kind: LineKind) -> Option<(FaultLine, Option<RemainingEffect>)> {
        DrawPool { all: self.lab.roster.all(), lab: self.lab, story: &self.story, dice: self.dice }.line(kind)
    }

    /// How long one election may take.
    fn election(&self) -> Span {
        (self.lab.card.time_bound.value)(&self.lab.timing, self.lab.roster.electors().len(), &self.lab.settings)
    }

    /// A little longer than all nodes may take to agree.
    fn quiet(&mut self) -> Span {
        let bound =
            (self.lab.card.quiet_bound.value)(&self.lab.timing, self.lab.roster.electors().len(), &self.lab.settings);
        let more = self.election();
        // In whole microseconds, because a bound need not be a whole number of them.
        bound + self.dice.span(Span::from_nanos(1_000), more)
    }
}
