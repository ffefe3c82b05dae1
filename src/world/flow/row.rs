//! A row of the flow: one thing that happened, with all that joined it, and its words.
//!
//! Invariant: the words alone say everything that the lanes draw.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::arrow::{Arrow, ArrowEnd, ArrowHead, ArrowLoss, is_told};
use super::lane::LaneChange;
use super::lie::said;
use crate::ProcessState;
use fault::FaultId;
use protocol::{LieSet, NodeId, NodeSet};
use record::Record;

/// The words of fields are cut after so many characters.
const FIELDS_MAX: usize = 40;
/// Up to so many different sendings are named one by one.
const SENDINGS_NAMED: usize = 3;

/// One row.
#[derive(Clone, Debug)]
pub struct FlowRow {
    /// The record that began it.
    pub record: Arc<Record>,
    /// The latest stamp of what joined it.
    pub until: i64,
    /// Why its processes did something.
    pub cause: FlowCause,
    /// What was sent.
    pub arrows: Vec<Arrow>,
    /// What was received of earlier rows' messages.
    pub arrivals: Vec<LateReceipt>,
    /// What changed in the lanes, in order.
    pub changes: Vec<(NodeId, LaneChange)>,
    /// What is told in words: a fault, a violation, a note.
    pub told: Vec<String>,
    /// How serious it is.
    pub tone: RowTone,
    /// The lies that its sender told here; such a row has one sender.
    pub lies: LieSet,
    /// The number of its first record, if a later row receives what was sent here.
    pub number: Option<u64>,
    /// The rows right before it by happened-before.
    pub after: BTreeSet<usize>,
    /// All records that joined it.
    pub records: Vec<u64>,
    /// Whether a record joined it whose stamp is earlier than what stood above it already.
    pub is_late: bool,
}

/// Why processes did what a row shows.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum FlowCause {
    /// Needs no cause, or the row above is the cause.
    Plain,
    /// Processes started.
    Start(NodeSet),
    /// A wait was over.
    Timer {
        /// The timer.
        name: String,
        /// At which processes.
        at: NodeSet,
        /// Which processes were waited for.
        waited_for: NodeSet,
    },
    /// A message of a kind that is not shown.
    Unshown {
        /// The kind and fields.
        message: String,
        /// At which processes.
        at: NodeSet,
    },
    /// The operator ordered it.
    Order {
        order: String,
        /// To which processes.
        at: NodeSet,
    },
}

/// A message of an earlier row that came.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LateReceipt {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    pub kind: String,
    /// The number of its arrow's row.
    pub number: u64,
    /// The number of the record that tells of its sending.
    pub sent: u64,
    /// The fault that had held it, if one did.
    pub held_by: Option<FaultId>,
}

/// How serious a row is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowTone {
    /// Something that processes did.
    Plain,
    /// A fault line.
    Fault,
    /// A contradiction.
    Violation,
    /// Something is not known.
    Doubt,
    Note,
}

/// A part of a row's words, for its style.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct RowPart {
    /// The words.
    pub text: String,
    /// What they are.
    pub kind: PartKind,
}

/// What a part of a row's words is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PartKind {
    /// Why it happened.
    Cause,
    /// What was sent or received.
    Message,
    /// What was lost.
    Loss,
    /// A new state.
    State,
    /// What is told in words.
    Told,
    /// What a liar said to whom.
    Lie,
}

impl FlowRow {
    /// The words, part by part; between two parts stands a space.
    pub fn parts(&self) -> Vec<RowPart> {
        let mut parts = Vec::new();
        let mut say = |kind, text: String| {
            if !text.is_empty() {
                parts.push(RowPart { text, kind });
            }
        };
        if self.is_late {
            say(PartKind::Loss, "(late)".into());
        }
        say(PartKind::Told, self.told.join("; "));
        let lies = said(self.lies, &self.arrows);
        if lies.is_empty() {
            say(PartKind::Cause, self.cause.words(&self.actors()));
            say(PartKind::Message, self.sendings());
        }
        say(PartKind::Lie, lies);
        say(PartKind::Message, self.marks());
        say(PartKind::Loss, self.losses());
        say(PartKind::Message, self.received());
        say(PartKind::State, self.states());
        // Nothing came of it that shows.
        if let Some(RowPart { text, kind: PartKind::Cause }) = parts.last_mut()
            && text.ends_with(':')
        {
            text.pop();
        }
        parts
    }

    /// The processes that take part in it.
    pub fn nodes(&self) -> NodeSet {
        let arrows = self
            .arrows
            .iter()
            .flat_map(|arrow| std::iter::once(arrow.from).chain(arrow.heads.iter().map(|head| head.to)));
        let arrivals = self.arrivals.iter().flat_map(|arrival| [arrival.from, arrival.to]);
        arrows.chain(arrivals).chain(self.changes.iter().map(|(node, _)| *node)).collect()
    }

    /// The processes that died here.
    pub fn deaths(&self) -> impl Iterator<Item = NodeId> + '_ {
        let died = self.changes.iter().filter(|(_, change)| *change == LaneChange::Process(ProcessState::Dead));
        died.map(|(node, _)| *node)
    }

    /// The processes that sent something or changed their state here.
    fn actors(&self) -> NodeSet {
        let senders = self.arrows.iter().map(|arrow| arrow.from);
        if self.arrows.is_empty() { self.changes.iter().map(|(node, _)| *node).collect() } else { senders.collect() }
    }

    /// Who sent what to whom.
    fn sendings(&self) -> String {
        let Some(first) = self.arrows.first() else { return String::new() };
        let mut by_receivers: Vec<(NodeSet, NodeSet)> = Vec::new();
        for arrow in &self.arrows {
            let to: NodeSet = if arrow.is_multicast { NodeSet::EMPTY } else { arrow.receivers() };
            match by_receivers.iter_mut().find(|(_, receivers)| *receivers == to) {
                Some((from, _)) => {
                    from.insert(arrow.from);
                }
                None => by_receivers.push((NodeSet::of(arrow.from), to)),
            }
        }
        let name = |to: &NodeSet| if to.is_empty() { "all".to_owned() } else { to.to_string() };
        let who = if by_receivers.len() <= SENDINGS_NAMED {
            let each: Vec<String> = by_receivers.iter().map(|(from, to)| format!("{from}→{}", name(to))).collect();
            each.join(" ")
        } else {
            let all = |of: &dyn Fn(&(NodeSet, NodeSet)) -> NodeSet| {
                by_receivers.iter().fold(NodeSet::EMPTY, |all, pair| all.union(&of(pair)))
            };
            format!("{}→{}", all(&|pair| pair.0), all(&|pair| pair.1))
        };
        let number = self.number.map_or_else(String::new, |number| format!(" #{number}"));
        format!("{who} {}{}{number}", first.message.kind, common_fields(&self.arrows))
    }

    /// A mark for each message of one sender; for several senders how many came.
    fn marks(&self) -> String {
        let heads: Vec<&ArrowHead> = self.arrows.iter().flat_map(|arrow| &arrow.heads).collect();
        if heads.len() <= 4 || self.arrows.len() == 1 && heads.len() <= 12 {
            return heads.iter().map(|head| head.end.mark()).collect();
        }
        let count = |mark: &str| heads.iter().filter(|head| head.end.mark() == mark).count();
        let counts = ["✓", "✗", "…", "○"].map(|mark| (mark, count(mark)));
        let counts: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(mark, n)| format!("{mark}{n}")).collect();
        counts.join(" ")
    }

    /// What was lost on its way, and by what.
    fn losses(&self) -> String {
        let mut ends: Vec<(&ArrowEnd, NodeSet)> = Vec::new();
        for head in self.arrows.iter().flat_map(|arrow| &arrow.heads) {
            match ends.iter_mut().find(|(known, _)| **known == head.end) {
                Some((_, to)) => {
                    to.insert(head.to);
                }
                None => ends.push((&head.end, NodeSet::of(head.to))),
            }
        }
        let each = ends.into_iter().filter_map(|(end, to)| match end {
            ArrowEnd::Dropped(by) => Some(format!("{to} {by}")),
            ArrowEnd::Held(by) => Some(format!("{to} held by {by}")),
            ArrowEnd::Lost(ArrowLoss::Dead) if to.len() > 1 => Some(format!("{to} are dead")),
            ArrowEnd::Lost(why) => Some(format!("{to} {why}")),
            ArrowEnd::AnswerLost => Some(format!("{to} answer lost")),
            _ => None,
        });
        let each: Vec<String> = each.collect();
        if each.is_empty() { String::new() } else { format!("({})", each.join(", ")) }
    }

    /// What came of earlier rows' messages.
    fn received(&self) -> String {
        let mut kinds: Vec<&str> = Vec::new();
        for receipt in &self.arrivals {
            if !kinds.contains(&receipt.kind.as_str()) {
                kinds.push(&receipt.kind);
            }
        }
        let each = kinds.into_iter().map(|kind| {
            let of_kind = || self.arrivals.iter().filter(|receipt| receipt.kind == kind);
            let from: NodeSet = of_kind().map(|receipt| receipt.from).collect();
            let to: NodeSet = of_kind().map(|receipt| receipt.to).collect();
            let numbers: BTreeSet<u64> = of_kind().map(|receipt| receipt.number).collect();
            let held: BTreeSet<FaultId> = of_kind().filter_map(|receipt| receipt.held_by).collect();
            let numbers: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
            let held: Vec<String> = held.iter().map(|by| format!(", held by {by}")).collect();
            format!("{to} ← {kind} of {from} {}{}", numbers.join(" "), held.concat())
        });
        each.collect::<Vec<_>>().join("; ")
    }

    /// The new states, those of one kind together.
    fn states(&self) -> String {
        let mut by_words: Vec<(String, NodeSet)> = Vec::new();
        for (node, change) in &self.changes {
            let Some(words) = change.words() else { continue };
            match by_words.iter_mut().find(|(known, _)| *known == words) {
                Some((_, nodes)) => {
                    nodes.insert(*node);
                }
                None => by_words.push((words, NodeSet::of(*node))),
            }
        }
        by_words.iter().map(|(words, nodes)| format!("{nodes}: {words}")).collect::<Vec<_>>().join("; ")
    }
}

impl FlowCause {
    /// In words; the processes are named if they are not those who act in the row.
    fn words(&self, actors: &NodeSet) -> String {
        let named = |at: &NodeSet| if at == actors { String::new() } else { format!("{at}: ") };
        match self {
            FlowCause::Plain => String::new(),
            FlowCause::Start(at) if at == actors => "start:".into(),
            FlowCause::Start(at) => format!("{at} starts"),
            FlowCause::Timer { name, at, waited_for } if waited_for.is_empty() => {
                format!("{}wait over ({name}):", named(at))
            }
            FlowCause::Timer { at, waited_for, .. } => {
                let was = if waited_for.len() == 1 { "was" } else { "were" };
                format!("{}{waited_for} {was} silent:", named(at))
            }
            FlowCause::Unshown { message, at } => format!("{}{message}:", named(at)),
            FlowCause::Order { order, at } => format!("{}ordered to {order}:", named(at)),
        }
    }
}

/// The fields that all these messages have in common, in brackets; numbers of calls tell nobody anything.
fn common_fields(arrows: &[Arrow]) -> String {
    let Some((first, others)) = arrows.split_first() else { return String::new() };
    let is_common = |field: &&(std::borrow::Cow<'static, str>, String)| {
        is_told(&field.0) && others.iter().all(|arrow| arrow.message.fields.contains(field))
    };
    let common: Vec<String> =
        first.message.fields.iter().filter(is_common).map(|(name, value)| format!("{name}={value}")).collect();
    let text: String = common.join(", ").chars().take(FIELDS_MAX).collect();
    if text.is_empty() { text } else { format!("({text})") }
}
