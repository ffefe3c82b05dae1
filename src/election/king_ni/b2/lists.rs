//! The candidate lists of Algorithm B.2 and `el(Y)` (section 5.2): which list decides, and whom it names.
//!
//! Invariant: entries stand in the order in which they were delivered. Mended, everything that `el` looks at is the
//! same at every correct process: the first n-t lists of the one order, and the inits ordered before each.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::largest;
use protocol::{LineNumber, NodeId, Received, Standing};

/// A process and its capacity: an entry of `S`.
pub type Entry = Standing;

/// A candidate list as it travels.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum List {
    /// `S` itself.
    Full(#[serde(with = "shared")] Arc<[Entry]>),
    /// How long `S` is: all have the same inits in the same order, so that is enough.
    Length(u16),
}

/// The form in which lists are sent: the setting `lists`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum ListForm {
    /// As lists.
    Full,
    /// As their lengths.
    Lengths,
}

impl List {
    /// `S` in that form.
    pub fn of(candidates: &[Entry], form: ListForm) -> List {
        match form {
            ListForm::Full => List::Full(candidates.into()),
            // There are no more entries than processes, unless, to the letter, somebody sends many of them.
            ListForm::Lengths => List::Length(u16::try_from(candidates.len()).unwrap_or(u16::MAX)),
        }
    }

    /// Whether it has no entry.
    pub fn is_empty(&self) -> bool {
        match self {
            List::Full(entries) => entries.is_empty(),
            List::Length(length) => *length == 0,
        }
    }

    /// The same list, with only the inits that were ordered before it (mend of hole 11): a length is no longer than
    /// they are; a list keeps those entries that were sent, once, in their order. So no forged list is the longest.
    pub fn cut_to(self, inits: &[Entry]) -> List {
        match self {
            List::Length(length) if usize::from(length) > inits.len() => List::Length(inits.len() as u16),
            List::Full(entries) if *entries != inits[..entries.len().min(inits.len())] => {
                List::Full(inits.iter().filter(|init| entries.contains(init)).copied().collect())
            }
            list => list,
        }
    }

    /// The list, as it is shown to a process that has these inits.
    pub fn received(&self, inits: &[Entry]) -> Received {
        match self {
            List::Length(length) => Received::First(*length),
            List::Full(entries) if inits.starts_with(entries) => Received::First(entries.len() as u16),
            List::Full(entries) => Received::Entries(entries.to_vec()),
        }
    }

    /// The entries; a length is read in these inits.
    fn entries<'a>(&'a self, inits: &'a [Entry]) -> &'a [Entry] {
        match self {
            List::Full(entries) => entries,
            List::Length(length) => &inits[..inits.len().min(usize::from(*length))],
        }
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            List::Length(length) => write!(f, "{length}"),
            List::Full(entries) => {
                let told: Vec<String> = entries.iter().map(|(node, capacity)| format!("{node}:{capacity}")).collect();
                write!(f, "[{}]", told.join(" "))
            }
        }
    }
}

/// The list whose candidates `el(Y)` walks, in the order in which their capacities arrived.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum WalkedList {
    /// The process's own `S`, to the letter: other processes need not walk the same (hole 9).
    OwnList,
    /// The longest list of `Y'`, which is the same for all.
    LongestList,
}

/// The result of `el(Y)`.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Decision<'a> {
    /// The listing's line: which list decides.
    pub line: LineNumber,
    /// The master, and the list that decides; `None` if nobody is elected.
    pub elected: Option<(NodeId, &'a [Entry])>,
}

/// `el(Y)`, by the first `enough` = n-t lists (`Y'`). `inits` is the process's own `S`.
///
/// Of the longest list only candidates are walked, and a list without a candidate decides nothing.
pub fn el<'a>(inits: &'a [Entry], lists: &'a [(NodeId, List)], enough: usize, walk: WalkedList) -> Decision<'a> {
    let Some(counted) = lists.get(..enough) else { return Decision { line: 301, elected: None } };
    let counted: Vec<(NodeId, &'a [Entry])> = counted.iter().map(|(from, list)| (*from, list.entries(inits))).collect();
    let of = |node: NodeId| counted.iter().find(|(from, _)| *from == node).map(|(_, list)| *list);
    let max = |list: &'a [Entry]| Some((largest(list.iter().copied())?, list));
    match walk {
        WalkedList::OwnList => match inits.iter().find_map(|(node, _)| of(*node)) {
            Some(list) => Decision { line: 302, elected: max(list) },
            None => Decision { line: 303, elected: counted.first().and_then(|(_, list)| max(list)) },
        },
        WalkedList::LongestList => {
            // Of several longest lists, the first: `max_by_key` would take the last.
            let walked = counted.iter().rev().map(|(_, list)| *list).max_by_key(|list| list.len()).unwrap_or_default();
            let candidates = walked.iter().filter(|(_, capacity)| *capacity >= 0);
            match candidates.filter_map(|(node, _)| of(*node)).find_map(max) {
                Some(elected) => Decision { line: 302, elected: Some(elected) },
                None => Decision { line: 303, elected: counted.iter().find_map(|(_, list)| max(list)) },
            }
        }
    }
}

/// A shared slice travels as a list.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Entry;

    pub fn serialize<S: Serializer>(entries: &Arc<[Entry]>, serializer: S) -> Result<S::Ok, S::Error> {
        entries[..].serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[Entry]>, D::Error> {
        Vec::<Entry>::deserialize(deserializer).map(Arc::from)
    }
}
