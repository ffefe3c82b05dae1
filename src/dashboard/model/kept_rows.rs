//! The rows of a session that are kept, the filter over them, and what became of the messages that they show as sent. Of
//! older rows the news are kept, for the log.
//!
//! The rows stand in the order of the flow; on a live screen those of the newest records wait for others that stand before
//! them.
//!
//! Invariants: a row never changes its number, so a cursor stays on its row while others come and go. A receipt is folded
//! into its sending only where that sending is kept.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::row::{Row, RowKind};
use protocol::{NodeId, NodeSet};
use record::{Body, Input, MessageId, Record};
use world::flow::{ArrowEnd, ArrowLoss, FlowRow, StampOrder};

/// A screen keeps this many rows.
pub const ROWS_MAX: usize = 20_000;
/// Before these rows it keeps this many rows of news.
const OLDER_NEWS_MAX: usize = 1_000;

/// The newest rows, from the top down, each with a number that counts them as they came.
#[derive(Clone, Debug)]
pub struct KeptRows {
    rows: VecDeque<KeptRow>,
    /// The number of the next row.
    next: u64,
    /// So many first rows are shown; the others wait.
    shown: usize,
    /// All news that are kept, in the order of their rows; those before the first row come first.
    news: VecDeque<(u64, Arc<Row>)>,
    /// So many of them come before the first row.
    older: usize,
    sendings: Sendings,
}

/// A row in its place.
#[derive(Clone, Debug)]
struct KeptRow {
    number: u64,
    /// The latest stamp down to here.
    latest: i64,
    row: Arc<Row>,
}

impl KeptRows {
    /// No rows.
    pub fn new() -> KeptRows {
        KeptRows {
            rows: VecDeque::new(),
            next: 0,
            shown: 0,
            news: VecDeque::new(),
            older: 0,
            sendings: Sendings::default(),
        }
    }

    /// These rows, in the order in which they came. `before` rows came before them, with news among them.
    pub fn holding(
        before: usize,
        rows: &[Arc<Row>],
        older: impl Iterator<Item = (u64, Arc<Row>)>,
        order: StampOrder,
    ) -> KeptRows {
        let mut kept = KeptRows { next: before as u64, ..KeptRows::new() };
        kept.news = older.filter(|(number, _)| *number < before as u64).collect();
        kept.older = kept.news.len();
        rows.iter().for_each(|row| kept.push(Arc::clone(row), order));
        kept
    }

    /// Adds a row in its place; the oldest goes if there is no room.
    pub fn push(&mut self, row: Arc<Row>, order: StampOrder) {
        if self.rows.len() >= ROWS_MAX {
            self.forget_oldest();
        }
        self.sendings.take(&row);
        let place = self.rows.len() - order.later(row.record.at, self.rows.iter().rev().map(|of| of.row.record.at));
        let before = place.checked_sub(1).map_or(i64::MIN, |before| self.rows[before].latest);
        let (number, latest) = (self.next, before.max(row.record.at));
        self.next += 1;
        if row.kind.is_news() {
            let later = self.rows.range(place..).filter(|of| of.row.kind.is_news()).count();
            self.news.insert(self.news.len() - later, (number, Arc::clone(&row)));
        }
        self.rows.insert(place, KeptRow { number, latest, row });
        if place < self.shown {
            self.shown += 1;
        }
        self.show(order);
    }

    fn forget_oldest(&mut self) {
        let Some(KeptRow { row, .. }) = self.rows.pop_front() else { return };
        self.sendings.forget(&row);
        self.shown = self.shown.saturating_sub(1);
        self.older += usize::from(row.kind.is_news());
        if self.older > OLDER_NEWS_MAX {
            self.news.pop_front();
            self.older -= 1;
        }
    }

    /// Shows the rows that no longer wait in this order. Returns whether there are any.
    pub fn show(&mut self, order: StampOrder) -> bool {
        let before = self.shown;
        while self.rows.get(self.shown).is_some_and(|next| !order.holds(next.row.record.at)) {
            self.shown += 1;
        }
        self.shown > before
    }

    /// The row of that number, if it is kept.
    pub fn get(&self, number: u64) -> Option<&Arc<Row>> {
        match self.place(number) {
            Some(place) => Some(&self.rows[place].row),
            None => self.news.range(..self.older).find_map(|(of, row)| (*of == number).then_some(row)),
        }
    }

    /// The number of the first row of this record, also if it waits. A node's own records have no numbers.
    pub fn number_of(&self, record: &Record) -> Option<u64> {
        let is_it = |of: &&KeptRow| (of.row.record.number, of.row.record.at) == (record.number, record.at);
        self.rows.iter().rev().skip_while(|of| !is_it(of)).take_while(is_it).last().map(|of| of.number)
    }

    /// The number of the next row.
    pub fn next_number(&self) -> u64 {
        self.next
    }

    /// Whether a row above that of this number has a later stamp.
    pub fn is_late(&self, number: u64) -> bool {
        self.place(number).is_some_and(|place| self.rows[place].latest > self.rows[place].row.record.at)
    }

    /// The place of the row of this number: rows stand near where they came.
    fn place(&self, number: u64) -> Option<usize> {
        if number >= self.next {
            return None;
        }
        let first = self.next - self.rows.len() as u64;
        let near = usize::try_from(number.checked_sub(first)?).ok()?;
        let is_it = |place: &usize| self.rows.get(*place).is_some_and(|of| of.number == number);
        (0..=self.rows.len()).flat_map(|off| [near.checked_sub(off), Some(near + off)]).flatten().find(is_it)
    }

    /// The place of that row, or where it would be if it is not kept.
    fn start(&self, number: u64) -> usize {
        let bound = if number >= self.next { self.shown } else { 0 };
        self.place(number).unwrap_or(bound).min(self.shown)
    }

    /// The rows that are shown from this one on, from the top down, with their numbers.
    pub fn from(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.rows.range(self.start(number)..self.shown).map(|of| (of.number, &of.row))
    }

    /// The rows that are shown below this one, from the top down, with their numbers.
    pub fn after(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.from(number).filter(move |(of, _)| *of != number)
    }

    /// The rows that are shown above this one, from the bottom up, with their numbers.
    pub fn before(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.rows.range(..self.start(number)).rev().map(|of| (of.number, &of.row))
    }

    /// The rows that are shown, from the bottom up, with their numbers.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.before(u64::MAX)
    }

    /// The news from this row on, from the top down, with their numbers.
    pub fn news_from(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        let (start, shown) = (self.news_start(number), self.news_shown());
        self.news.range(start..shown).map(|(of, row)| (*of, row))
    }

    /// The news before this row, from the bottom up, with their numbers.
    pub fn news_before(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.news.range(..self.news_start(number)).rev().map(|(of, row)| (*of, row))
    }

    /// The place among the news of the first one that is shown from this row on.
    fn news_start(&self, number: u64) -> usize {
        let shown = self.news_shown();
        if number >= self.next {
            return shown;
        }
        let place_of = |number: u64| self.news.iter().rposition(|(of, _)| *of == number);
        let next = || self.from(number).find(|(_, row)| row.kind.is_news()).and_then(|(next, _)| place_of(next));
        let start = match place_of(number) {
            Some(place) => place,
            None if self.place(number).is_some() => next().unwrap_or(shown),
            None => self.news.range(..self.older).filter(|(of, _)| *of < number).count(),
        };
        start.min(shown)
    }

    /// How many of the news are shown: those of the rows that wait are the last.
    fn news_shown(&self) -> usize {
        self.news.len() - self.rows.range(self.shown..).filter(|of| of.row.kind.is_news()).count()
    }

    /// What became of the messages whose sending is kept.
    pub fn sendings(&self) -> &Sendings {
        &self.sendings
    }

    /// Whether it has no room for the rows before the first one.
    pub fn has_lost_rows(&self) -> bool {
        self.next > self.rows.len() as u64 && self.rows.len() >= ROWS_MAX
    }

    /// How many rows are kept and shown.
    pub fn len(&self) -> usize {
        self.shown
    }
}

/// Which rows the messages screen or the flow shows: those that contain all of its terms, and none of the terms after a `!`.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct Filter {
    text: String,
    with: Vec<String>,
    without: Vec<String>,
}

impl Filter {
    /// The filter of this text: terms with blanks between them. It ignores the difference between capital and small
    /// letters. The empty text lets every row pass.
    pub fn new(text: &str) -> Filter {
        let text = text.trim();
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for term in text.split_whitespace().map(str::to_lowercase) {
            match term.strip_prefix('!') {
                Some("") => {}
                Some(term) => without.push(term.to_owned()),
                None => with.push(term),
            }
        }
        Filter { text: text.to_owned(), with, without }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it lets every row pass.
    pub fn is_open(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }

    /// Whether the row passes.
    pub fn passes(&self, row: &Row) -> bool {
        if self.is_open() {
            return true;
        }
        let text = row.text.to_lowercase();
        self.admits(|term| text.contains(term))
    }

    /// Whether all terms are in something, and none of those after a `!`; terms have small letters.
    pub fn admits(&self, is_in: impl Fn(&str) -> bool) -> bool {
        self.with.iter().all(|term| is_in(term)) && !self.without.iter().any(|term| is_in(term))
    }
}

/// The ends of each message, at the nodes that have told of one.
#[derive(Clone, Default, Debug)]
pub struct Sendings(HashMap<MessageId, Vec<(NodeId, ArrowEnd)>>);

impl Sendings {
    /// Takes in the next row.
    pub fn take(&mut self, row: &Row) {
        if let Some(id) = row.sent {
            self.0.entry(id).or_default();
            return;
        }
        let Some((id, end)) = end_of(row) else { return };
        let Some(ends) = self.0.get_mut(&id) else { return };
        let node = row.record.node.unwrap_or(id.from);
        match ends.iter_mut().find(|(at, end)| *at == node && matches!(end, ArrowEnd::Held(_))) {
            Some(held) => held.1 = end,
            None => ends.push((node, end)),
        }
    }

    /// Forgets a row that is no longer kept.
    pub fn forget(&mut self, row: &Row) {
        if let Some(id) = row.sent {
            self.0.remove(&id);
        }
    }

    /// Whether the row is a receipt whose sending has a row.
    pub fn has_sending_of(&self, row: &Row) -> bool {
        row.kind == RowKind::Received && end_of(row).is_some_and(|(id, _)| self.0.contains_key(&id))
    }

    /// What became of a message, in signs and words: `✓`, `✗ f3`, and of a multicast `✓1,2 ✗3 f3`.
    pub fn words(&self, id: MessageId) -> String {
        let mut said: Vec<(&ArrowEnd, Vec<NodeId>)> = Vec::new();
        for (node, end) in self.0.get(&id).into_iter().flatten() {
            match said.iter_mut().find(|(other, _)| *other == end) {
                Some((_, nodes)) => nodes.push(*node),
                None => said.push((end, vec![*node])),
            }
        }
        let words = said.into_iter().map(|(end, nodes)| {
            let signs = match id.to {
                Some(_) => end.mark().repeat(nodes.len()),
                None => format!("{}{}", end.mark(), nodes.into_iter().collect::<NodeSet>()),
            };
            match end {
                ArrowEnd::Dropped(by) | ArrowEnd::Held(by) => format!("{signs} {by}"),
                ArrowEnd::Lost(why) => format!("{signs} {why}"),
                _ => signs,
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The message whose end this row tells, and that end.
fn end_of(row: &Row) -> Option<(MessageId, ArrowEnd)> {
    match (&row.record.body, row.kind) {
        (Body::Step(step), RowKind::Received) => match &step.input {
            Input::Message { id, .. } => Some((*id, ArrowEnd::Arrived)),
            _ => None,
        },
        (Body::Dropped { id, by, .. }, _) => Some((*id, ArrowEnd::Dropped(*by))),
        (Body::Held { id, by, .. }, _) => Some((*id, ArrowEnd::Held(*by))),
        (Body::Spoiled { id, .. }, _) => Some((*id, ArrowEnd::Lost(ArrowLoss::Spoiled))),
        (Body::Stale { id }, _) => Some((*id, ArrowEnd::Lost(ArrowLoss::Overtaken))),
        (Body::Late { id, .. }, _) => Some((*id, ArrowEnd::Lost(ArrowLoss::TooLate))),
        (Body::SendFailed { id, .. }, _) => Some((*id, ArrowEnd::Lost(ArrowLoss::NotSent))),
        _ => None,
    }
}

/// The places of the rows that pass, from the top down.
pub fn passing(filter: &Filter, rows: &[FlowRow]) -> Vec<usize> {
    if filter.is_open() {
        return (0..rows.len()).collect();
    }
    (0..rows.len()).filter(|row| passes(filter, &rows[*row])).collect()
}

fn passes(filter: &Filter, row: &FlowRow) -> bool {
    let nodes = row.nodes();
    let words: Vec<String> = row.parts().iter().map(|part| part.text.to_lowercase()).collect();
    filter.admits(|term| match term.parse::<u16>().ok().and_then(NodeId::new) {
        Some(node) => nodes.contains(node),
        None => words.iter().any(|text| text.contains(term)),
    })
}
