//! How many turns of each node a past knows.
//!
//! Each message in flight carries such counts, and in a large lab thousands are in flight at once. A node that hears
//! from one other learns little that is new. So the counts lie in blocks, and pasts share every block that is the same
//! in both: what a past costs grows with what is new in it, and not with the lab.
//!
//! Invariant: a count never falls; a shared block is never changed.

use std::sync::Arc;

/// How many nodes one block counts.
const BLOCK: usize = 16;

type Block = Arc<[u64; BLOCK]>;

/// The counts of a past, by a node's place. A copy of it shares them until it learns more.
#[derive(Clone, Debug)]
pub(super) struct KnownTurns(Arc<[Block]>);

impl KnownTurns {
    /// No turn of so many nodes is known.
    pub fn none(nodes: usize) -> KnownTurns {
        let block = Block::new([0; BLOCK]);
        KnownTurns(vec![block; nodes.div_ceil(BLOCK)].into())
    }

    /// How many turns it knows of the node at this place.
    pub fn of(&self, place: usize) -> u64 {
        self.0[place / BLOCK][place % BLOCK]
    }

    /// Whether the other one knows more than it of any node, but for the one at this place.
    pub fn lacks_any_of(&self, other: &KnownTurns, but: usize) -> bool {
        self.0.iter().zip(other.0.iter()).enumerate().any(|(number, (mine, theirs))| {
            let is_news = |(at, (mine, theirs)): (usize, (&u64, &u64))| theirs > mine && number * BLOCK + at != but;
            !Arc::ptr_eq(mine, theirs) && mine.iter().zip(theirs.iter()).enumerate().any(is_news)
        })
    }

    /// From now on it knows what the other one knows, too.
    pub fn learn(&mut self, other: &KnownTurns) {
        for (mine, theirs) in Arc::make_mut(&mut self.0).iter_mut().zip(other.0.iter()) {
            if Arc::ptr_eq(mine, theirs) || !exceeds(theirs, mine) {
                continue;
            }
            if exceeds(mine, theirs) {
                let mine = Arc::make_mut(mine);
                mine.iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            } else {
                *mine = Arc::clone(theirs);
            }
        }
    }

    /// From now on it knows this many turns of the node at this place, if it did not know more.
    pub fn learn_of(&mut self, place: usize, count: u64) {
        if self.of(place) < count {
            let block = &mut Arc::make_mut(&mut self.0)[place / BLOCK];
            Arc::make_mut(block)[place % BLOCK] = count;
        }
    }

    /// How many bytes it takes besides those that were seen before; then its own have been seen, too.
    pub fn bytes_unseen(&self, seen: &mut std::collections::BTreeSet<usize>) -> usize {
        let mut bytes = 0;
        if seen.insert(Arc::as_ptr(&self.0).addr()) {
            bytes += size_of_val(&*self.0);
        }
        for block in self.0.iter() {
            if seen.insert(Arc::as_ptr(block).addr()) {
                bytes += size_of_val(&**block);
            }
        }
        bytes
    }
}

/// Whether any count of the one is greater than the other's.
fn exceeds(one: &Block, other: &Block) -> bool {
    one.iter().zip(other.iter()).any(|(one, other)| one > other)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const NODES: usize = 2 * BLOCK + 3;

    fn counts(known: &KnownTurns) -> Vec<u64> {
        (0..NODES).map(|place| known.of(place)).collect()
    }

    proptest! {
        #[test]
        fn it_knows_what_plain_lists_of_counts_know(
            deeds in vec((0..4_usize, 0..4_usize, 0..NODES, 0..6_u64), 1..80),
        ) {
            let mut known = vec![KnownTurns::none(NODES); 4];
            let mut plain = vec![vec![0; NODES]; 4];
            for (one, other, place, count) in deeds {
                known[one].learn_of(place, count);
                plain[one][place] = plain[one][place].max(count);
                let (theirs, their_counts) = (known[other].clone(), plain[other].clone());
                let mut pairs = plain[one].iter().zip(&their_counts).enumerate();
                let is_news = pairs.any(|(at, (mine, theirs))| at != place && theirs > mine);
                prop_assert_eq!(known[one].lacks_any_of(&theirs, place), is_news);
                known[one].learn(&theirs);
                plain[one].iter_mut().zip(&their_counts).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
                prop_assert_eq!(known.iter().map(counts).collect::<Vec<_>>(), plain.clone());
            }
        }
    }

    #[test]
    fn what_is_the_same_is_shared() {
        let mut seen = std::collections::BTreeSet::new();
        let before = KnownTurns::none(256);
        before.bytes_unseen(&mut seen);
        let mut one = before.clone();
        one.learn_of(70, 1);
        let (list, block) = (256 / BLOCK * size_of::<Block>(), size_of::<[u64; BLOCK]>());
        assert_eq!(one.bytes_unseen(&mut seen), list + block, "one new block");
        let mut other = before.clone();
        other.learn_of(200, 1);
        other.bytes_unseen(&mut seen);
        other.learn(&one);
        assert_eq!((other.of(70), other.of(200), before.of(70)), (1, 1, 0));
        assert_eq!(other.bytes_unseen(&mut seen), 0, "it takes the other's block as it is");
    }
}
