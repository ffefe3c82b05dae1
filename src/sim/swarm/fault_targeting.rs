//! Aims faults at what a run really does.
//!
//! The simulator plays the faults drawn so far, unjudged, over the network of the run itself. That shows each step of
//! each machine: its time, its lines of the listing, its state, and the nodes that it spoke to. The next fault is aimed
//! at one of these steps: right before it, right after it, or between two of its effects, where the lab waits for the
//! protocol moment. Rare lines and states are aimed at as often as frequent ones. Then the simulator plays the run
//! again with that fault, and aims the next one at a later step.
//!
//! Invariant: up to an aimed fault the run is the one that was played, so the step comes at which it was aimed; an
//! aimed fault is a function of the lab, the seed and the seed of the dice of faults, like every drawn one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::dice::Dice;
use super::drawn_lines::DrawnLines;
use crate::{AfterScript, MessageTransfer, NetworkKind, Plan, Recorded, start};
use fault::{Cut, FaultEffect, FaultId, FaultLine, Hold, LinkRule, Links, Moment, ProcessFault, Target};
use lab::Lab;
use protocol::{Assumption, Card, LineNumber, NodeId, NodeMap, NodeSet, Span};
use record::{Body, EffectText, Input, Record, Step};
use script::Pace;

/// Plays a plot, unjudged.
#[derive(Copy, Clone)]
pub(super) struct DrawnRun<'a> {
    /// The lab, without steps.
    pub lab: &'a Lab,
    /// The seed of the dice of faults.
    pub thrown: u64,
}

impl DrawnRun<'_> {
    /// Plays it until that moment, and shows each record.
    pub fn play(&self, plot: &DrawnLines, until: Span, watch: &mut dyn FnMut(&Record)) {
        let lab = Arc::new(Lab { steps: plot.steps(), ..self.lab.clone() });
        let plan = Plan {
            seed: lab.seed,
            dice: self.thrown,
            network_kind: NetworkKind::Drawn,
            moves: MessageTransfer::Typed,
            pace: Pace::Played,
            recorded: Recorded::Unjudged,
            after: AfterScript::Nothing,
            lab,
        };
        let mut simulation = start(&plan, Box::new(watch));
        simulation.advance_to(i64::try_from(until.nanos()).unwrap_or(i64::MAX));
    }
}

/// Aims faults in a plot.
pub(super) struct FaultAim<'a> {
    pub playing: DrawnRun<'a>,
    pub plot: &'a mut DrawnLines,
    pub dice: &'a mut Dice,
}

impl FaultAim<'_> {
    /// Aims this many faults, each later than the one before it. It ends early if there is nothing left to aim at.
    pub fn aim(&mut self, faults: u64) {
        let (mut from, until) = (Span::ZERO, self.plot.end());
        for _ in 0..faults {
            let Some(sight) = self.chosen(from, until) else { return };
            from = sight.at;
            self.order(&sight, until);
        }
    }

    /// A step of the present run between these two moments: each line in each state is equally likely.
    fn chosen(&mut self, from: Span, until: Span) -> Option<AimTarget> {
        let mut watching = Watching {
            from,
            until,
            dice: self.dice,
            all: self.playing.lab.roster.all(),
            dead: NodeSet::EMPTY,
            open: Vec::new(),
            decided: i64::MIN,
            words: NodeMap::new(),
            cells: BTreeMap::new(),
        };
        self.playing.play(self.plot, until, &mut |record| watching.take(record));
        let mut seen: Vec<AimTarget> = watching.cells.into_values().map(|(_, sight)| sight).collect();
        if seen.is_empty() {
            return None;
        }
        let chosen = self.dice.below(seen.len() as u64) as usize;
        Some(seen.swap_remove(chosen))
    }

    /// A fault at this step, and mostly its end, if it ends before the plot does.
    fn order(&mut self, sight: &AimTarget, until: Span) {
        let Some((line, end)) = self.line(sight) else { return };
        // An order that is not in force yet would delay the step that waits for the moment, and an order of that
        // instant may have caused the moment.
        let comes = sight.is_settled && !self.plot.has_lines_at(sight.at);
        let moments = if comes { sight.moments() } else { Vec::new() };
        match self.dice.below(10) {
            0..6 if !moments.is_empty() => {
                let moment = self.dice.pick(&moments);
                self.plot.order_at_moment(sight.at, moment, line);
            }
            0..4 => drop(self.plot.order(sight.at.saturating_sub(Span::from_nanos(1)), line)),
            _ => drop(self.plot.order(sight.at, line)),
        }
        let Some(end) = end else { return };
        // Faults that are still in force at the end of the plot end there, except those of stopped processes.
        let room = until.saturating_sub(sight.at).saturating_sub(Span::from_nanos(1));
        let stays = match &end {
            FaultLine::Process(ProcessFault::Resume, _) => self.stay().map_or(room, |stays| stays.min(room)),
            _ => match self.stay().filter(|stays| *stays < room) {
                Some(stays) => stays,
                None => return,
            },
        };
        self.plot.order(sight.at + stays, end);
    }

    /// The action, and the line that ends it; `None` if there is nothing to do.
    fn line(&mut self, sight: &AimTarget) -> Option<(FaultLine, Option<FaultLine>)> {
        let one = |node| Target::Nodes(NodeSet::of(node));
        if !sight.dead.is_empty() && self.dice.chance(45) {
            let back = if self.dice.chance(80) { NodeSet::of(self.dice.one(sight.dead)) } else { sight.dead };
            return Some((FaultLine::Process(ProcessFault::Recover, Target::Nodes(back)), None));
        }
        let (node, peer) = (sight.node, sight.peer());
        let who = peer.filter(|_| self.dice.chance(35)).unwrap_or(node);
        let (line, end) = match self.kind() {
            Aimed::Elect => {
                let all = self.playing.lab.card.needs.contains(&Assumption::StartsTogether) && self.dice.chance(60);
                let able = sight.running().minus(&self.playing.lab.roster.bystanders());
                if able.is_empty() {
                    return None;
                }
                let who = match self.dice.chance(50) {
                    _ if all => able,
                    true => NodeSet::of(who).intersection(&able),
                    false => NodeSet::of(self.dice.one(able)),
                };
                if who.is_empty() {
                    return None;
                }
                return Some((FaultLine::Process(ProcessFault::Elect, Target::Nodes(who)), None));
            }
            Aimed::Pause => {
                (FaultLine::Process(ProcessFault::Pause, one(who)), FaultLine::Process(ProcessFault::Resume, one(who)))
            }
            Aimed::Cut => (self.cut(node, peer), FaultLine::Heal),
            Aimed::Hold => {
                let links = Links::To { from: one(node), to: peer.map_or(Target::All, one) };
                (FaultLine::Link(LinkRule { links, effect: FaultEffect::Hold(Hold) }), FaultLine::Heal)
            }
            Aimed::Partition => {
                let all = self.playing.lab.roster.all();
                let apart = self.dice.some(all);
                let rest = all.minus(&apart);
                if rest.is_empty() {
                    return None;
                }
                (cut(Links::Across(vec![Target::Nodes(apart), Target::Nodes(rest)])), FaultLine::Heal)
            }
            _ => {
                (FaultLine::Process(ProcessFault::Crash, one(who)), FaultLine::Process(ProcessFault::Recover, one(who)))
            }
        };
        Some((line, Some(end)))
    }

    /// The kind of fault. A fault that breaks an assumption excuses its effects, so it is aimed seldom.
    fn kind(&mut self) -> Aimed {
        const KINDS: [Aimed; 10] = [
            Aimed::Crash,
            Aimed::Crash,
            Aimed::Crash,
            Aimed::Crash,
            Aimed::Elect,
            Aimed::Elect,
            Aimed::Pause,
            Aimed::Cut,
            Aimed::Hold,
            Aimed::Partition,
        ];
        let kind = self.dice.pick(&KINDS);
        let is_apt = kind.is_harmless(&self.playing.lab.card) || self.dice.chance(25);
        if is_apt { kind } else { Aimed::Crash }
    }

    /// Cuts between the two, one way or both; without a peer, all of the one.
    fn cut(&mut self, node: NodeId, peer: Option<NodeId>) -> FaultLine {
        let one = |node| Target::Nodes(NodeSet::of(node));
        let Some(peer) = peer else { return cut(Links::Around(one(node))) };
        match self.dice.below(4) {
            0 | 1 => cut(Links::To { from: one(node), to: one(peer) }),
            2 => cut(Links::To { from: one(peer), to: one(node) }),
            _ => cut(Links::Between { these: one(node), those: one(peer) }),
        }
    }

    /// How long it lasts; `None`: to the end.
    fn stay(&mut self) -> Option<Span> {
        let Lab { timing, roster, settings, card, .. } = self.playing.lab;
        let election = (card.time_bound.value)(timing, roster.electors().len(), settings);
        match self.dice.below(10) {
            0..3 => None,
            3..4 => Some(self.dice.span(Span::ZERO, timing.t / 4)),
            4..6 => Some(self.dice.span(Span::ZERO, timing.t)),
            6..8 => Some(self.dice.span(Span::ZERO, timing.silence + timing.check + election)),
            _ => Some(self.dice.span(election, election * 4)),
        }
    }
}

/// All of these links are cut.
pub(super) fn cut(links: Links<Target>) -> FaultLine {
    FaultLine::Link(LinkRule { links, effect: FaultEffect::Cut(Cut { channel: None }) })
}

/// The kinds of aimed faults.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Aimed {
    Crash,
    Elect,
    Pause,
    Cut,
    Hold,
    Partition,
}

impl Aimed {
    /// Whether it means something to an algorithm with this Card.
    fn is_harmless(self, card: &Card) -> bool {
        match self {
            Aimed::Crash | Aimed::Elect => true,
            Aimed::Pause => !card.needs.contains(&Assumption::NoPauses),
            Aimed::Cut | Aimed::Hold | Aimed::Partition => !card.needs.contains(&Assumption::DeliveryInTime),
        }
    }
}

/// A step of a machine, as something to aim at.
#[derive(Clone, Debug)]
struct AimTarget {
    at: Span,
    node: NodeId,
    step: Step,
    /// The word of the state in which it took the step; none before a start.
    before: Option<Cow<'static, str>>,
    all: NodeSet,
    dead: NodeSet,
    /// Whether all earlier orders were decided before this instant.
    is_settled: bool,
}

impl AimTarget {
    fn running(&self) -> NodeSet {
        self.all.minus(&self.dead)
    }

    fn sends(&self) -> impl Iterator<Item = (Option<NodeId>, &str)> {
        self.step.effects.iter().filter_map(|effect| match effect {
            EffectText::Send { id, message } => Some((id.to, &*message.kind)),
            _ => None,
        })
    }

    /// The node that it heard, or else the node that it spoke to first.
    fn peer(&self) -> Option<NodeId> {
        let peer = match &self.step.input {
            Input::Message { id, .. } => Some(id.from),
            _ => self.sends().find_map(|(to, _)| to),
        };
        peer.filter(|peer| *peer != self.node)
    }

    /// The moments of this step with some of its effects still to come.
    fn moments(&self) -> Vec<Moment> {
        let node = self.node;
        let sent = |kind: &str| Moment::Sent { kind: kind.to_owned(), by: Some(node) };
        let mut moments: Vec<Moment> = Vec::new();
        for moment in self.sends().map(|(_, kind)| sent(kind)) {
            if !moments.contains(&moment) {
                moments.push(moment);
            }
        }
        // A bystander is in no state of the algorithm.
        let state = self.step.state.as_ref().filter(|state| !state.stands_by());
        let word = state.map(|state| state.word.to_string());
        moments.extend(word.map(|word| Moment::Enters { node, word }));
        let left = |moment: &Moment| self.step.effects_before(moment, node, self.before.as_deref());
        moments.retain(|moment| left(moment).is_some_and(|place| place < self.step.effects.len()));
        moments
    }
}

/// A line, and the state in which a process goes through it; none before a start.
type Cell = (LineNumber, Option<Cow<'static, str>>);

/// Collects the targets in a run: one step of each line in each state, each equally likely.
struct Watching<'a> {
    from: Span,
    until: Span,
    dice: &'a mut Dice,
    all: NodeSet,
    dead: NodeSet,
    /// Faults that were ordered and are not decided.
    open: Vec<FaultId>,
    /// When the latest was decided.
    decided: i64,
    words: NodeMap<Cow<'static, str>>,
    /// By line and state: how many steps there were, and one of them.
    cells: BTreeMap<Cell, (u64, AimTarget)>,
}

impl Watching<'_> {
    fn take(&mut self, record: &Record) {
        match &record.body {
            Body::FaultOrdered { id, .. } => self.open.push(*id),
            Body::FaultInForce { id } | Body::FaultNotInForce { id, .. } => {
                self.open.retain(|open| open != id);
                self.decided = record.at;
            }
            Body::Died { .. } => self.dead = self.dead.union(&record.node.into_iter().collect()),
            Body::Spawned { .. } => self.dead = self.dead.minus(&record.node.into_iter().collect()),
            Body::Step(step) => {
                if let Some(node) = record.node {
                    self.take_step(node, record, step);
                }
            }
            _ => {}
        }
    }

    fn take_step(&mut self, node: NodeId, record: &Record, step: &Step) {
        let at = Span::from_nanos(u64::try_from(record.at).unwrap_or(0));
        let before = match step.input {
            Input::Start { .. } => None,
            _ => self.words.get(&node).cloned(),
        };
        for line in step.lines.iter().filter(|_| self.from < at && at < self.until) {
            let sight = || AimTarget {
                at,
                node,
                step: step.clone(),
                before: before.clone(),
                all: self.all,
                dead: self.dead,
                is_settled: self.open.is_empty() && self.decided < record.at,
            };
            match self.cells.entry((*line, before.clone())) {
                Entry::Vacant(cell) => drop(cell.insert((1, sight()))),
                Entry::Occupied(mut cell) => {
                    let (steps, kept) = cell.get_mut();
                    *steps += 1;
                    if self.dice.below(*steps) == 0 {
                        *kept = sight();
                    }
                }
            }
        }
        if let Some(state) = &step.state {
            self.words.insert(node, state.word.clone());
        }
    }
}
