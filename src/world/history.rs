//! The history of the groups, as the processes' own records tell it.
//!
//! Invariant: the groups stand in the order in which they were first told of, each with all of its parents that were
//! told.

use serde::{Deserialize, Serialize};

use protocol::{FormedGroup, GroupNumber, HistoryWork, StateVector, TaskId};

/// The most groups that are kept; of more the latest.
const GROUPS_MAX: usize = 256;

/// A group in the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormedView {
    /// When a process was first at work in it.
    pub at: i64,
    pub group: FormedGroup,
    /// The number in the algorithm, if that numbers groups and a member has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<GroupNumber>,
}

/// The groups in the order in which they were formed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FormedGroups(Vec<FormedView>);

impl FormedGroups {
    /// Takes in what a process in this state says at this stamp.
    pub fn take(&mut self, state: &StateVector, work: &HistoryWork, at: i64) {
        for group in work.learnt.iter().chain(&work.group) {
            match self.0.iter_mut().rev().find(|known| known.group.number == group.number) {
                None => self.0.push(FormedView { at, group: group.clone(), name: None }),
                Some(known) => {
                    known.group.join_parents(group);
                }
            }
        }
        let own =
            work.group.as_ref().and_then(|group| self.0.iter_mut().find(|known| known.group.number == group.number));
        if let Some(own) = own.filter(|own| own.name.is_none()) {
            own.name = state.group;
        }
        // A group is told of late where records come out of order, or where its first member died early.
        self.0.sort_by_key(|view| view.at);
        let over = self.0.len().saturating_sub(GROUPS_MAX);
        self.0.drain(..over);
    }

    /// What a group is called: its number in the algorithm, else that of its task.
    pub fn name_of(&self, number: TaskId) -> String {
        let name = self.0.iter().find(|view| view.group.number == number).and_then(|view| view.name);
        name.map_or_else(|| number.to_string(), |name| name.to_string())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The groups.
    pub fn iter(&self) -> std::slice::Iter<'_, FormedView> {
        self.0.iter()
    }
}
