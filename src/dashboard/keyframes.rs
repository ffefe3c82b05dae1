//! Worlds at some positions of a session: any other world is a fold from the nearest before.
//!
//! Invariant: a keyframe is the world of its position; there are never more than a given number of them.

use super::shelf::CHUNK_RECORDS;
use world::World;

/// The keyframes of a session, at equal distances.
#[derive(Debug)]
pub struct Keyframes {
    worlds: Vec<World>,
    /// How many records lie between two of them.
    spacing: usize,
    most: usize,
}

impl Keyframes {
    /// The keyframe of the beginning; there will be at most so many.
    pub fn new(beginning: World, most: usize) -> Keyframes {
        Keyframes { worlds: vec![beginning], spacing: CHUNK_RECORDS, most }
    }

    /// This is the world at the next position. If there are too many keyframes, every other one goes.
    pub fn note(&mut self, position: usize, world: &World) {
        if self.worlds.len() * self.spacing == position {
            self.worlds.push(world.clone());
        }
        if self.worlds.len() > self.most {
            self.worlds = std::mem::take(&mut self.worlds).into_iter().step_by(2).collect();
            self.spacing *= 2;
        }
    }

    /// The nearest keyframe before this position or at it, and its own position.
    pub fn before(&self, position: usize) -> (usize, World) {
        let frame = (position / self.spacing).min(self.worlds.len() - 1);
        (frame * self.spacing, self.worlds[frame].clone())
    }

    /// The session ends at this position.
    pub fn cut(&mut self, position: usize) {
        self.worlds.truncate(position.div_ceil(self.spacing).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(position: usize) -> World {
        World { records: position as u64, ..World::default() }
    }

    #[test]
    fn keyframes_become_fewer_and_stay_at_their_positions() {
        let mut keyframes = Keyframes::new(world(0), 4);
        let mut seen = 0;
        for position in 0..40 * CHUNK_RECORDS {
            keyframes.note(position, &world(position));
            assert!(keyframes.worlds.len() <= 4);
            let (at, found) = keyframes.before(position);
            assert_eq!((found.records, at <= position), (at as u64, true), "{position}");
            seen = seen.max(position - at);
        }
        assert!(seen < 16 * CHUNK_RECORDS, "a fold of {seen} records");
        keyframes.cut(3 * CHUNK_RECORDS);
        keyframes.note(3 * CHUNK_RECORDS, &world(3 * CHUNK_RECORDS));
        assert_eq!(keyframes.before(usize::MAX), (0, world(0)));
    }
}
