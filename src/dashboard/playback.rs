//! A session that is played, recorded or simulated: any moment of it is a fold from the nearest keyframe before. A
//! simulated session grows at its end, and loses its end where it branches.
//!
//! Invariant: at every position the world is the fold of the records before it, however that position was reached. The
//! position of a time is the longest beginning of the session whose latest stamp is not after it: what a live screen
//! had seen when its newest record bore that stamp.

use std::sync::Arc;

use super::freshness::{Motion, Speed};
use super::journal::Journal;
use super::row::Row;
use super::scene::Scene;
use crate::record::{Head, Record};
use crate::world::World;

/// This many records lie between two keyframes.
const KEYFRAME_RECORDS: usize = 2_000;

/// A session and the position in it.
#[derive(Debug)]
pub struct Playback {
    /// Whether it plays.
    pub motion: Motion,
    /// How fast it plays.
    pub speed: Speed,
    records: Vec<Arc<Record>>,
    rows: Vec<Arc<Row>>,
    /// How many rows come before each position.
    rows_before: Vec<usize>,
    /// The latest stamp before each position but the first.
    latest: Vec<i64>,
    keyframes: Vec<World>,
    /// What follows the last record.
    tip: Scene,
    /// How far the session reaches, if that is further than its last record.
    reached: i64,
    position: usize,
}

impl Playback {
    /// A session at its beginning.
    pub fn new(head: Option<&Head>, records: Vec<Record>) -> Playback {
        let tip = Scene::new(head, 0);
        let mut playback = Playback {
            motion: Motion::Standing,
            speed: Speed::AS_IT_HAPPENED,
            latest: Vec::with_capacity(records.len()),
            records: Vec::with_capacity(records.len()),
            rows: Vec::new(),
            rows_before: vec![0],
            keyframes: vec![tip.world.clone()],
            tip,
            reached: i64::MIN,
            position: 0,
        };
        playback.grow(records, i64::MIN);
        playback
    }

    /// These records follow the last one, and then nothing more happens up to this time.
    pub fn grow(&mut self, records: Vec<Record>, reached: i64) {
        for record in records.into_iter().map(Arc::new) {
            if self.keyframes.len() * KEYFRAME_RECORDS == self.records.len() {
                self.keyframes.push(self.tip.world.clone());
            }
            self.rows.extend(self.tip.fold(&record).into_iter().map(Arc::new));
            self.rows_before.push(self.rows.len());
            self.latest.push(self.latest.last().copied().unwrap_or(i64::MIN).max(record.at));
            self.records.push(record);
        }
        self.reached = reached;
    }

    /// The session ends after this many records; a position after that moves there.
    pub fn cut(&mut self, kept: usize) {
        let kept = kept.min(self.records.len());
        self.records.truncate(kept);
        self.latest.truncate(kept);
        self.rows_before.truncate(kept + 1);
        self.rows.truncate(self.rows_before[kept]);
        self.keyframes.truncate(kept.div_ceil(KEYFRAME_RECORDS).max(1));
        self.tip.world = self.world(kept);
        self.reached = i64::MIN;
        self.position = self.position.min(kept);
    }

    /// The scene before the first record.
    pub fn beginning(&self) -> Scene {
        self.scene(0, self.start())
    }

    /// How many records lie before the present moment.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// When the session begins: just before the first record, but no later than the lab.
    pub fn start(&self) -> i64 {
        self.latest.first().map_or(0, |first| first.saturating_sub(1)).min(0)
    }

    /// When it ends: the latest of all stamps, or as far as it reaches after that.
    pub fn end(&self) -> i64 {
        self.latest.last().copied().unwrap_or(0).max(self.reached)
    }

    /// The record that comes next.
    pub fn next(&self) -> Option<&Arc<Record>> {
        self.records.get(self.position)
    }

    /// When that one happens: the latest of all stamps up to it.
    pub fn next_time(&self) -> Option<i64> {
        self.latest.get(self.position).copied()
    }

    /// The scene at this time.
    pub fn seek(&mut self, at: i64) -> Scene {
        let at = at.clamp(self.start(), self.end());
        self.position = self.latest.partition_point(|latest| *latest <= at);
        self.scene(self.position, at)
    }

    /// The scene with one record less. `None` at the beginning.
    pub fn back(&mut self) -> Option<Scene> {
        self.position = self.position.checked_sub(1)?;
        Some(self.scene(self.position, self.time_of(self.position)))
    }

    /// The scene just after the next record of this sort, and that record. `None`, without moving, if there is none.
    pub fn next_of(&mut self, sort: impl Fn(&Record) -> bool) -> Option<(Scene, Arc<Record>)> {
        let place = (self.position..self.len()).find(|place| sort(&self.records[*place]))?;
        Some(self.just_after(place))
    }

    /// The scene just after the last record of this sort before the latest one, and that record. `None`, without
    /// moving, if there is none.
    pub fn last_of(&mut self, sort: impl Fn(&Record) -> bool) -> Option<(Scene, Arc<Record>)> {
        let place = (0..self.position.saturating_sub(1)).rev().find(|place| sort(&self.records[*place]))?;
        Some(self.just_after(place))
    }

    fn just_after(&mut self, place: usize) -> (Scene, Arc<Record>) {
        self.position = place + 1;
        (self.scene(self.position, self.time_of(self.position)), Arc::clone(&self.records[place]))
    }

    /// Adds the next record to the scene, and returns it. `None` at the end.
    pub fn advance(&mut self, scene: &mut Scene) -> Option<Arc<Record>> {
        let record = Arc::clone(self.records.get(self.position)?);
        scene.world.fold(&record);
        let (start, end) = (self.rows_before[self.position], self.rows_before[self.position + 1]);
        for row in &self.rows[start..end] {
            scene.journal.push(Arc::clone(row));
        }
        self.position += 1;
        scene.at = scene.at.max(self.time_of(self.position));
        Some(record)
    }

    /// Adds all records up to this time, and returns them.
    pub fn advance_to(&mut self, at: i64, scene: &mut Scene) -> Vec<Arc<Record>> {
        let mut happened = Vec::new();
        while self.latest.get(self.position).is_some_and(|latest| *latest <= at) {
            happened.extend(self.advance(scene));
        }
        scene.at = at.min(self.end()).max(scene.at);
        happened
    }

    fn time_of(&self, position: usize) -> i64 {
        position.checked_sub(1).map_or(self.start(), |last| self.latest[last])
    }

    fn scene(&self, position: usize, at: i64) -> Scene {
        let journal = Journal::holding(&self.rows[..self.rows_before[position]]);
        Scene { world: self.world(position), journal, at, facts: self.tip.facts.clone() }
    }

    fn world(&self, position: usize) -> World {
        let frame = (position / KEYFRAME_RECORDS).min(self.keyframes.len() - 1);
        let mut world = self.keyframes[frame].clone();
        for record in &self.records[frame * KEYFRAME_RECORDS..position] {
            world.fold(record);
        }
        world
    }
}
