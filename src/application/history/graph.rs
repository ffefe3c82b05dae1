//! The graph of groups that one process knows: the deepest ones, and a digest of those above them (Garcia-Molina 1982,
//! section IV.B).
//!
//! Invariant: two graphs that have taken in the same groups, in whatever order, have the same groups, and never more
//! than [`GROUPS_MAX`].

use std::collections::BTreeMap;

use protocol::{FormedGroup, GroupPlace, HISTORY_MAX, PARENTS_MAX, TaskId};

/// The most groups of a history. Of more the deepest stay.
pub const GROUPS_MAX: usize = HISTORY_MAX as usize;
/// How many bytes of groups a message holds, at most.
const PART_BYTES: usize = 1_000;

/// The groups that a process knows of.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct GroupHistory {
    groups: BTreeMap<GroupPlace, FormedGroup>,
    older: u64,
}

impl GroupHistory {
    /// These groups, and a digest of older ones.
    pub fn new(groups: impl IntoIterator<Item = FormedGroup>, older: u64) -> GroupHistory {
        let mut history = GroupHistory::default();
        for group in groups {
            history.take(group);
        }
        history.older = older;
        history
    }

    /// Takes a group in. Of a group that is known already, what was not known of its parents. Returns whether anything
    /// was new. If there are too many, the one that is least deep goes into the digest of the older ones.
    pub fn take(&mut self, group: FormedGroup) -> bool {
        let place = group.place();
        if let Some(known) = self.groups.get_mut(&place) {
            return known.join_parents(&group);
        }
        self.groups.insert(place, group);
        if self.groups.len() <= GROUPS_MAX {
            return true;
        }
        match self.groups.pop_first() {
            // One that is older than all: it is among the older ones already.
            Some((gone, _)) if gone == place => false,
            Some((_, gone)) => {
                self.older = digest_of([gone].iter(), self.older);
                true
            }
            None => unreachable!("there are too many"),
        }
    }

    /// The groups, no one before its parents.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = &FormedGroup> {
        self.groups.values()
    }

    /// How many groups it has.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// A digest of the groups that it has no longer; 0 if it has all.
    pub fn older(&self) -> u64 {
        self.older
    }

    /// Joins the digest of another history's older groups to the own one.
    pub fn join_older(&mut self, other: u64) {
        if other != 0 && other != self.older {
            let (low, high) = (self.older.min(other), self.older.max(other));
            self.older = if low == 0 { high } else { digest_of([].iter(), low ^ high.rotate_left(1)) };
        }
    }

    /// Takes the coordinator's digest of its older groups for the own one.
    pub fn adopt_older(&mut self, older: u64) {
        self.older = older;
    }

    /// A digest of everything.
    pub fn digest(&self) -> u64 {
        digest_of(self.groups.values(), self.older)
    }

    /// The groups in parts that fit a message each, newest first. There is always one part.
    pub fn parts(&self) -> Vec<Box<[FormedGroup]>> {
        let mut parts = vec![Vec::new()];
        let mut room = PART_BYTES;
        for piece in self.groups.values().rev().flat_map(pieces) {
            let bytes = bytes_of(&piece);
            if bytes > room {
                (room, _) = (PART_BYTES, parts.push(Vec::new()));
            }
            room -= bytes;
            parts.last_mut().expect("there is one").push(piece);
        }
        parts.into_iter().map(Vec::into).collect()
    }
}

/// The group with few of its parents each time.
pub fn pieces(group: &FormedGroup) -> impl Iterator<Item = FormedGroup> {
    let (first, rest) = group.parents.split_at(group.parents.len().min(PARENTS_MAX));
    let rest = rest.chunks(PARENTS_MAX);
    [first].into_iter().chain(rest).map(|parents| FormedGroup { parents: parents.into(), ..group.clone() })
}

/// The most bytes that a piece takes in a message: numbers in their longest form.
fn bytes_of(piece: &FormedGroup) -> usize {
    56 + 13 * piece.parents.len()
}

fn digest_of<'a>(groups: impl Iterator<Item = &'a FormedGroup>, seed: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_be_bytes());
    let mut number = |of: &TaskId| {
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&of.author.get().to_be_bytes());
        bytes[2..6].copy_from_slice(&of.incarnation.0.to_be_bytes());
        bytes[6..].copy_from_slice(&of.serial.to_be_bytes());
        hasher.update(&bytes);
    };
    let mut rest = Vec::new();
    for group in groups {
        number(&group.number);
        rest.extend_from_slice(&group.depth.to_be_bytes());
        rest.extend_from_slice(&(group.parents.len() as u32).to_be_bytes());
        rest.extend(group.members.iter().flat_map(|member| member.get().to_be_bytes()));
        rest.extend_from_slice(&[0, 0]);
        group.parents.iter().for_each(&mut number);
    }
    hasher.update(&rest);
    let mut digest = [0; 8];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    // 0 says that nothing is older.
    u64::from_be_bytes(digest).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Incarnation, NodeId};

    fn number(author: u16, serial: u32) -> TaskId {
        TaskId { author: NodeId::new(author).unwrap(), incarnation: Incarnation(1), serial }
    }

    fn group(author: u16, depth: u32, parents: &[TaskId]) -> FormedGroup {
        let members = "1-3".parse().unwrap();
        FormedGroup { number: number(author, depth), members, parents: parents.into(), depth }
    }

    #[test]
    fn a_history_takes_each_group_once() {
        let mut history = GroupHistory::default();
        assert!(history.take(group(3, 2, &[number(3, 1)])));
        assert!(!history.take(group(3, 2, &[number(3, 1)])));
        assert!(history.take(group(3, 2, &[number(2, 1)])));
        let parents: Vec<TaskId> = history.groups().flat_map(|group| group.parents.iter().copied()).collect();
        assert_eq!((history.len(), parents), (1, vec![number(2, 1), number(3, 1)]));
    }

    #[test]
    fn the_deepest_groups_stay() {
        let all: Vec<FormedGroup> = (1..=70).map(|depth| group(3, depth, &[])).collect();
        let forwards = GroupHistory::new(all.iter().cloned(), 0);
        let mut backwards = GroupHistory::default();
        all.iter().rev().for_each(|group| assert!(backwards.take(group.clone()) || group.depth < 7));
        assert!(forwards.groups().eq(backwards.groups()));
        assert_eq!(forwards.groups().map(|group| group.depth).collect::<Vec<u32>>(), (7..=70).collect::<Vec<u32>>());
        assert!(!backwards.take(group(3, 6, &[])), "it is left out");
        let mut grown = GroupHistory::new(all[..64].iter().cloned(), 0);
        assert_eq!(grown.older(), 0);
        grown.take(all[64].clone());
        assert_ne!(grown.older(), 0);
        let other = GroupHistory::new(all[1..65].iter().cloned(), 0);
        assert!(grown.groups().eq(other.groups()) && grown.digest() != other.digest());
        backwards.adopt_older(grown.older());
        assert_eq!(backwards.older(), grown.older());
    }

    #[test]
    fn digests_of_older_groups_join_alike() {
        let [mut one, mut other] = [5, 9].map(|older| GroupHistory::new([], older));
        one.join_older(9);
        other.join_older(5);
        assert_eq!(one, other);
        one.join_older(0);
        let kept = one.older();
        one.join_older(kept);
        assert_eq!(one, other);
        let mut none = GroupHistory::default();
        none.join_older(7);
        assert_eq!(none.older(), 7);
    }

    #[test]
    fn all_parts_together_are_the_history() {
        let parents: Vec<TaskId> = (1..=256).map(|author| number(author, 1)).collect();
        let wide = group(256, 2, &parents);
        let history = GroupHistory::new((3..=70).map(|depth| group(9, depth, &[])).chain([wide]), 0);
        let parts = history.parts();
        assert!(parts.len() > 3 && parts.iter().all(|part| part.iter().map(bytes_of).sum::<usize>() <= PART_BYTES));
        let again = GroupHistory::new(parts.into_iter().flatten(), 0);
        assert!(again.groups().eq(history.groups()));
        assert_eq!(GroupHistory::default().parts(), [Box::default()]);
        let one = GroupHistory::new([group(256, 2, &parents)], 0);
        assert_eq!(GroupHistory::new(one.parts().into_iter().flatten(), 0), one);
    }
}
