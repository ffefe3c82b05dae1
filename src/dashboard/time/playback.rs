//! A session that is played, recorded or simulated: any moment of it is a fold from the nearest keyframe before. A
//! simulated session grows at its end, and loses its end where it branches.
//!
//! A session file stays in its file: of each record only its time and the number of its rows are kept. It is read piece by
//! piece, so that a long one is on the screen at once, before its end is known. A moment is shown by the newest records
//! before it, and by older ones that are shown by default, however many heartbeats lie between.
//!
//! Invariants: at every position the world is the fold of the records before it, however that position was reached. The
//! position of a time is the longest beginning of the session whose latest stamp is not after it: what a live screen
//! had seen when its newest record bore that stamp. Whatever is asked for is read first; what was read stays as it is. A
//! leap that finds nothing moves nothing.

use std::sync::Arc;
use std::time::Duration;

use super::record_store::{CHUNK_RECORDS, Keyframes, MomentRecords, SessionRecords, ShownRecords, StoredRecords};
use super::scene::{RECORDS_MAX, Scene};
use crate::input::action::Action;
use crate::model::kept_rows::{KeptRows, ROWS_MAX};
use crate::model::row::{Row, rows_told};
use protocol::NodeId;
use record::{Body, Head, LostRecords, Record, Session, SessionEntry, SessionError, Skipped, StoredSession};
use world::World;
use world::flow::{Flow, StampOrder, changes_rows};

/// So many keyframes are kept.
const KEYFRAMES_MAX: usize = 600;
/// The flow at a position shows this many records before it,
const FLOW_RECORDS: usize = 4_000;
/// and at least so many that are shown by default; so do the log and the why line.
const SHOWN_RECORDS: usize = 300;
/// Of a session file only this many are read at once, for the flow, the rows and the why line: a person waits for them.
const AT_ONCE_RECORDS: usize = 2_000;
/// The other rows are read once nobody has moved for this long.
const REST: Duration = Duration::from_millis(300);

/// How much has been read for the present moment.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Extent {
    /// What is read at once. The rest is read at this time of the screen's clock, once that is known.
    AtOnce { rest_at: Option<Duration> },
    /// All that is kept.
    Whole,
}

/// A session and the position in it.
#[derive(Debug)]
pub struct Playback {
    records: SessionRecords,
    /// The rows of the records, if these are all in memory.
    rows: Vec<Arc<Row>>,
    /// How many rows come before each position.
    rows_before: Vec<usize>,
    /// The latest stamp before each position but the first.
    latest: Vec<i64>,
    /// The leap_targets and their places.
    leap_targets: Vec<(usize, LeapTarget)>,
    keyframes: Keyframes,
    noted: ShownRecords,
    /// What is known of what came before the first record.
    earlier: Vec<Arc<Record>>,
    /// What follows the last record.
    tip: Scene,
    /// How far the session reaches, if that is further than its last record.
    reached: i64,
    /// When it begins, if something came before it.
    since: Option<i64>,
    /// The node that alone tells what it does, if there is one.
    told_by: Option<NodeId>,
    position: usize,
    extent: Extent,
    unusable: Option<Unusable>,
    /// The records that the file lacks, as far as it was read.
    lost: LostRecords,
}

impl Playback {
    /// A session in memory, at its beginning.
    pub fn new(head: Option<&Head>, records: Vec<Record>) -> Playback {
        let mut playback = Playback::empty(head, SessionRecords::Held(Vec::with_capacity(records.len())));
        playback.grow(records, i64::MIN);
        playback
    }

    /// A session in memory that begins with this world, at this time if something came before it, and as a node tells it
    /// if only that node is heard.
    pub fn since(
        head: Option<&Head>,
        beginning: World,
        since: Option<i64>,
        told_by: Option<NodeId>,
        records: Vec<Arc<Record>>,
    ) -> Playback {
        let mut playback = Playback::empty(head, SessionRecords::Held(Vec::with_capacity(records.len())));
        playback.keyframes = Keyframes::new(beginning.clone(), KEYFRAMES_MAX);
        playback.tip.world = beginning;
        (playback.since, playback.told_by) = (since, told_by);
        records.into_iter().for_each(|record| playback.push(record));
        playback
    }

    fn empty(head: Option<&Head>, records: SessionRecords) -> Playback {
        let tip = Scene::new(head);
        Playback {
            latest: Vec::new(),
            records,
            rows: Vec::new(),
            rows_before: vec![0],
            leap_targets: Vec::new(),
            keyframes: Keyframes::new(tip.world.clone(), KEYFRAMES_MAX),
            noted: ShownRecords::default(),
            earlier: Vec::new(),
            tip,
            reached: i64::MIN,
            since: None,
            told_by: None,
            position: 0,
            extent: Extent::Whole,
            unusable: None,
            lost: LostRecords::default(),
        }
    }

    /// These records are known of what came before the first one.
    pub fn comes_after(&mut self, earlier: Vec<Arc<Record>>) {
        self.earlier = earlier;
    }

    /// Whether anything is known of what came before the first record.
    pub fn knows_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// These records follow the last one, and then nothing more happens up to this time.
    pub fn grow(&mut self, records: Vec<Record>, reached: i64) {
        records.into_iter().for_each(|record| self.push(Arc::new(record)));
        self.reached = reached;
    }

    /// This record of a session in memory follows the last one.
    fn push(&mut self, record: Arc<Record>) {
        let rows = self.index(&record);
        self.rows.extend(rows.into_iter().map(Arc::new));
        if let SessionRecords::Held(records) = &mut self.records {
            records.push(record);
        }
    }

    /// Takes in what must be known of the next record, and returns its rows.
    fn index(&mut self, record: &Arc<Record>) -> Vec<Row> {
        let place = self.latest.len();
        self.keyframes.note(place, &self.tip.world);
        let elections_before = self.tip.world.elections.count;
        let rows = self.tip.fold(record);
        let is_shown = changes_rows(self.tip.flow.rules(), record) || rows.iter().any(|row| row.kind.is_news());
        self.noted.note(place, record, is_shown);
        self.rows_before.push(self.rows_before[place] + rows.len());
        self.latest.push(self.latest.last().copied().or(self.since).unwrap_or(i64::MIN).max(record.at));
        let target = LeapTarget::of(record, elections_before, self.tip.world.elections.count);
        self.leap_targets.extend(target.map(|target| (place, target)));
        rows
    }

    /// The session in memory ends after this many records; a position after that moves there.
    pub fn cut(&mut self, kept: usize) {
        let kept = kept.min(self.len());
        if let SessionRecords::Held(records) = &mut self.records {
            records.truncate(kept);
        }
        self.latest.truncate(kept);
        self.rows_before.truncate(kept + 1);
        self.rows.truncate(self.rows_before[kept]);
        self.leap_targets.retain(|(place, _)| *place < kept);
        self.keyframes.cut(kept);
        self.noted.cut(kept);
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
        self.latest.len()
    }

    /// The first record.
    pub fn first(&self) -> Option<Arc<Record>> {
        (self.len() > 0).then(|| self.record(0))
    }

    /// When the session begins: just before the first record, but no later than the lab, or where what came before ends.
    pub fn start(&self) -> i64 {
        self.since.unwrap_or_else(|| self.latest.first().map_or(0, |first| first.saturating_sub(1)).min(0))
    }

    /// When it ends: the latest of all stamps, or as far as it reaches after that.
    pub fn end(&self) -> i64 {
        self.latest.last().copied().or(self.since).unwrap_or(0).max(self.reached)
    }

    /// The world at the end, as far as there are records.
    pub fn whole(&self) -> &World {
        &self.tip.world
    }

    /// When such leap_targets are.
    pub fn times_of(&self, target: LeapTarget) -> impl Iterator<Item = i64> {
        let all = self.leap_targets.iter().filter(move |(_, of)| *of == target);
        all.map(|(place, _)| self.latest[*place])
    }

    /// The records before the present moment, in their order: the newest, and older ones that are shown by default.
    pub fn records_before(&self) -> Vec<Arc<Record>> {
        self.records_told(self.position, RECORDS_MAX).collect()
    }

    /// Reads the rows of the scene that are still missing, if nobody has moved for a while. Returns whether any were.
    pub fn read_at_rest(&mut self, scene: &mut Scene, clock: Duration) -> bool {
        match self.extent {
            Extent::AtOnce { rest_at: None } => self.extent = Extent::AtOnce { rest_at: Some(clock + REST) },
            Extent::AtOnce { rest_at: Some(rest_at) } if clock >= rest_at => return self.read_whole(scene),
            Extent::AtOnce { .. } | Extent::Whole => {}
        }
        false
    }

    /// Reads the rows of the scene that are still missing. Returns whether any were.
    pub fn read_whole(&mut self, scene: &mut Scene) -> bool {
        let was_whole = std::mem::replace(&mut self.extent, Extent::Whole) == Extent::Whole;
        if !was_whole {
            scene.rows = self.kept_rows(self.position, RECORDS_MAX, scene.flow.order());
            scene.records = self.records_told(self.position, RECORDS_MAX).collect();
        }
        !was_whole
    }

    /// The record that comes next.
    pub fn next(&self) -> Option<Arc<Record>> {
        self.records.get(self.position)
    }

    /// When that one happens: the latest of all stamps up to it.
    pub fn next_time(&self) -> Option<i64> {
        self.latest.get(self.position).copied()
    }

    /// The scene at this time.
    pub fn seek(&mut self, at: i64) -> Scene {
        self.read_until(at);
        let at = at.clamp(self.start(), self.end());
        self.position = self.latest.partition_point(|latest| *latest <= at);
        self.moment(at)
    }

    /// Adds the next record to the scene, and returns it. `None` at the end.
    pub fn advance(&mut self, scene: &mut Scene) -> Option<Arc<Record>> {
        if self.position == self.len() {
            self.read_on();
        }
        let record = self.records.get(self.position)?;
        scene.take(&record);
        self.position += 1;
        scene.at = scene.at.max(self.time_of(self.position));
        Some(record)
    }

    /// Adds all records up to this time, and returns them.
    pub fn advance_to(&mut self, at: i64, scene: &mut Scene) -> Vec<Arc<Record>> {
        self.read_until(at);
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

    /// The scene at the position, with what is read at once.
    fn moment(&mut self, at: i64) -> Scene {
        self.extent = match self.records {
            SessionRecords::Held(_) => Extent::Whole,
            SessionRecords::Stored(_) => Extent::AtOnce { rest_at: None },
        };
        self.scene(self.position, at)
    }

    fn scene(&self, position: usize, at: i64) -> Scene {
        let facts = self.tip.facts.clone();
        let told = self.told(
            position,
            match self.records {
                SessionRecords::Held(_) => FLOW_RECORDS,
                SessionRecords::Stored(_) => AT_ONCE_RECORDS,
            },
        );
        let mut flow = Flow::new(facts.as_deref(), &told.beginning);
        self.told_by.into_iter().for_each(|node| flow.is_told_by(node));
        told.records.iter().for_each(|record| flow.take(record));
        flow.is_whole_from(told.older);
        let rows = self.kept_rows(position, AT_ONCE_RECORDS, flow.order());
        let records = match self.records {
            SessionRecords::Held(_) => self.records_told(position, RECORDS_MAX).collect(),
            SessionRecords::Stored(_) => self.earlier.iter().cloned().chain(told.records).collect(),
        };
        Scene { world: self.world(position), rows, records, flow, at, facts }
    }

    /// What is known of the session before a position: so many newest records, and older ones that are shown by default.
    fn records_told(&self, position: usize, newest: usize) -> impl Iterator<Item = Arc<Record>> {
        self.earlier.iter().cloned().chain(self.told(position, newest).records)
    }

    /// So many newest records before a position, and older ones that are shown by default.
    fn told(&self, position: usize, newest: usize) -> MomentRecords {
        // Of a session file whole pieces are read.
        let first = position.saturating_sub(newest) / CHUNK_RECORDS * CHUNK_RECORDS;
        let start = self.noted.start(first, position, SHOWN_RECORDS);
        let (start, beginning) = self.keyframes.before(start);
        let older = self.noted.between(start, first, |place| self.record(place));
        let mut records: Vec<Arc<Record>> = older.into_iter().map(|(_, record)| record).collect();
        let older = records.len();
        records.extend((first..position).map(|place| self.record(place)));
        MomentRecords { beginning, records, older }
    }

    /// The newest rows before a position, of a session file those of at most so many records; and older news.
    fn kept_rows(&self, position: usize, records_max: usize, order: StampOrder) -> KeptRows {
        let end = self.rows_before[position];
        let start = end.saturating_sub(ROWS_MAX);
        let mut first = self.rows_before.partition_point(|before| *before < start).min(position);
        let rows = match self.records {
            SessionRecords::Held(_) => self.rows[start..end].to_vec(),
            SessionRecords::Stored(_) => {
                first = first.max(position.saturating_sub(records_max)) / CHUNK_RECORDS * CHUNK_RECORDS;
                let of = |place| self.rows_of(place, &self.record(place));
                let rows: Vec<Arc<Row>> = (first..position).flat_map(of).collect();
                rows[rows.len().saturating_sub(ROWS_MAX)..].to_vec()
            }
        };
        let older = self.noted.start(first, position, SHOWN_RECORDS);
        let older = self.noted.between(older, first, |place| self.record(place));
        let numbered = |(place, record): &(usize, Arc<Record>)| {
            (self.rows_before[*place] as u64..).zip(self.rows_of(*place, record))
        };
        let news = older.iter().flat_map(numbered).filter(|(_, row)| row.kind.is_news());
        KeptRows::holding(end - rows.len(), &rows, news, order)
    }

    /// The rows of the record at a place.
    fn rows_of(&self, place: usize, record: &Arc<Record>) -> Vec<Arc<Row>> {
        let (first, after) = (self.rows_before[place], self.rows_before[place + 1]);
        match self.records {
            SessionRecords::Held(_) => self.rows[first..after].to_vec(),
            SessionRecords::Stored(_) => rows_told(record, after - first, self.tip.facts.as_deref()),
        }
    }

    fn world(&self, position: usize) -> World {
        let (keyframe, mut world) = self.keyframes.before(position);
        for place in keyframe..position {
            world.fold(&self.record(place));
        }
        world
    }

    fn record(&self, place: usize) -> Arc<Record> {
        self.records.get(place).expect("a position lies within the session")
    }
}

impl Playback {
    /// The scene just after the last such record before the latest one, or at the beginning. `None` at the beginning.
    pub fn back_to(&mut self, is_it: impl Fn(&Record) -> bool) -> Option<Scene> {
        let latest = self.position.checked_sub(1)?;
        let place = (0..latest).rev().find(|place| is_it(&self.record(*place)));
        self.position = place.map_or(0, |place| place + 1);
        Some(self.moment(self.time_of(self.position)))
    }

    /// Whether such a target is known after the position.
    pub fn has_next(&self, target: LeapTarget) -> bool {
        self.leap_targets.iter().any(|(place, of)| *place >= self.position && *of == target)
    }

    /// The scene just after the next such target, and its record. `None`, without moving, if there is none.
    pub fn next_of(&mut self, target: LeapTarget) -> Option<(Scene, Arc<Record>)> {
        loop {
            let is_it = |(place, of): &&(usize, LeapTarget)| *place >= self.position && *of == target;
            if let Some((place, _)) = self.leap_targets.iter().find(is_it) {
                return self.just_after(*place);
            }
            if !self.read_on() {
                return None;
            }
        }
    }

    /// The scene just after the last such target before the latest record, and its record. `None`, without moving, if
    /// there is none.
    pub fn last_of(&mut self, target: LeapTarget) -> Option<(Scene, Arc<Record>)> {
        let is_it = |(place, of): &&(usize, LeapTarget)| place + 1 < self.position && *of == target;
        let (place, _) = *self.leap_targets.iter().rev().find(is_it)?;
        self.just_after(place)
    }

    fn just_after(&mut self, place: usize) -> Option<(Scene, Arc<Record>)> {
        let record = self.records.get(place)?;
        self.position = place + 1;
        Some((self.moment(self.time_of(self.position)), record))
    }

    /// The scene just after the target of this ordinal, from 1, and its record. `None`, without moving, if there is none.
    pub fn nth_of(&mut self, target: LeapTarget, ordinal: usize) -> Option<(Scene, Arc<Record>)> {
        let index = ordinal.checked_sub(1)?;
        loop {
            let mut all = self.leap_targets.iter().filter(|(_, of)| *of == target);
            if let Some((place, _)) = all.nth(index) {
                return self.just_after(*place);
            }
            if !self.read_on() {
                return None;
            }
        }
    }

    /// The scene just after the record of this number, or after the last one before that if records are missing; and that
    /// record. `None`, without moving, if there is none.
    pub fn record_of(&mut self, number: u64) -> Option<(Scene, Arc<Record>)> {
        // Numbers count from 1; where records are missing, there are fewer of them than numbers.
        self.read_records(usize::try_from(number).unwrap_or(usize::MAX));
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if self.record(middle).number <= number { first = middle + 1 } else { end = middle }
        }
        let is_beyond = self.len().checked_sub(1).is_none_or(|last| self.record(last).number < number);
        if is_beyond { None } else { self.just_after(first.checked_sub(1)?) }
    }
}

/// So many entries are read in one go: in a few hundredths of a second.
const ENTRIES_AT_ONCE: usize = 3_000;
/// So many lines that cannot be used are named.
const NAMED_MAX: usize = 8;
/// A file with more of them is not read to its end: it is no session.
const UNUSABLE_MAX: usize = 10_000;

impl Playback {
    /// A session file at its beginning, of which the first piece has been read.
    ///
    /// # Errors
    /// Not even that can be read.
    pub fn opened(session: StoredSession) -> Result<Playback, SessionError> {
        let head = session.head().cloned();
        let stored = SessionRecords::Stored(Box::new(StoredRecords::new(session)));
        let mut playback = Playback::empty(head.as_ref(), stored);
        playback.read_on();
        playback.or_its_end()
    }

    /// A session file at its beginning, read to its end.
    ///
    /// # Errors
    /// The file cannot be read to its end.
    pub fn stored(session: StoredSession) -> Result<Playback, SessionError> {
        let mut playback = Playback::opened(session)?;
        playback.read_until(i64::MAX);
        playback.or_its_end()
    }

    /// Itself, unless it could not be read any further.
    fn or_its_end(mut self) -> Result<Playback, SessionError> {
        let end = self.unusable.as_mut().and_then(|unusable| unusable.end.take());
        end.map_or(Ok(self), Err)
    }

    /// Whether the session is known to its end.
    pub fn is_whole(&self) -> bool {
        match &self.records {
            SessionRecords::Held(_) => true,
            SessionRecords::Stored(stored) => stored.is_whole(),
        }
    }

    /// How much of the session has been read, from 0 to 1.
    pub fn share_read(&self) -> f64 {
        match &self.records {
            SessionRecords::Held(_) => 1.0,
            SessionRecords::Stored(stored) => stored.share_read(),
        }
    }

    /// What of the file cannot be used, once that is known; the second time nothing.
    pub fn take_unusable(&mut self) -> Option<Unusable> {
        if self.is_whole() { self.unusable.take() } else { None }
    }

    /// How many records of the file are missing, as far as it was read.
    pub fn lost(&self) -> u64 {
        self.lost.count()
    }

    /// Whether the file is known to its end, and the lab's end is missing.
    pub fn lacks_end(&self) -> bool {
        matches!(&self.records, SessionRecords::Stored(stored) if stored.is_whole()) && self.tip.world.ended.is_none()
    }

    /// Reads the next piece of the file. Returns whether there was one.
    pub fn read_on(&mut self) -> bool {
        let SessionRecords::Stored(stored) = &mut self.records else { return false };
        if stored.is_whole() {
            return false;
        }
        let entries = stored.read_on(ENTRIES_AT_ONCE).unwrap_or_else(|error| {
            self.unusable.get_or_insert_default().end = Some(error);
            Vec::new()
        });
        for entry in entries {
            match entry {
                SessionEntry::Record(record) => {
                    self.lost.take_record(&record);
                    self.index(&Arc::new(record));
                }
                SessionEntry::Skipped(line) => self.pass_over(line),
                SessionEntry::Head(_) => {}
            }
        }
        true
    }

    /// This line cannot be used.
    pub fn pass_over(&mut self, line: Skipped) {
        self.lost.skip();
        let unusable = self.unusable.get_or_insert_default();
        unusable.count += 1;
        if unusable.first.len() < NAMED_MAX {
            unusable.first.push(line.clone());
        }
        if unusable.count > UNUSABLE_MAX {
            unusable.end.get_or_insert(SessionError::NotASession(line));
            if let SessionRecords::Stored(stored) = &mut self.records {
                stored.give_up();
            }
        }
    }

    /// Reads on until the record after this time is known, or the end.
    pub fn read_until(&mut self, at: i64) {
        while self.latest.last().is_none_or(|latest| *latest <= at) && self.read_on() {}
    }

    /// Reads on until so many records are known, or the end.
    pub fn read_records(&mut self, count: usize) {
        while self.len() < count && self.read_on() {}
    }
}

/// What of a session file cannot be used.
#[derive(Clone, Default, Debug)]
pub struct Unusable {
    /// How many lines.
    pub count: usize,
    pub first: Vec<Skipped>,
    /// Why it is not read any further, if it is not.
    pub end: Option<SessionError>,
}

/// A record that a person may want to go to.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LeapTarget {
    /// An order of a fault.
    Fault,
    Violation,
    /// The beginning of an election.
    Election,
}

impl LeapTarget {
    /// Which target the record is, if it is one; the elections before it were so many, and after it they are.
    pub fn of(record: &Record, elections_before: u64, elections: u64) -> Option<LeapTarget> {
        match record.body {
            Body::FaultOrdered { .. } => Some(LeapTarget::Fault),
            Body::Violation(_) => Some(LeapTarget::Violation),
            _ => (elections > elections_before).then_some(LeapTarget::Election),
        }
    }
}

/// A move in time that waits until the session file has been read so far: nobody has to wait with a dead keyboard.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct PendingSeek {
    /// What has to be known for it.
    pub to: Destination,
    /// What asked for it.
    pub by: SeekOrder,
}

/// What has to be known of a session before a screen can go there.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Destination {
    /// The whole session.
    End,
    /// All records up to this time.
    Time(i64),
    /// So many records.
    Record(u64),
    /// The next such target.
    Next(LeapTarget),
    /// The target of this ordinal, from 1.
    Nth(LeapTarget, usize),
}

/// What asked for a move in time.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum SeekOrder {
    Key(Action),
    /// A line, with these words after `seek`.
    Line(String),
}

impl Playback {
    /// Whether the session has been read so far that this is known.
    pub fn knows(&self, to: Destination) -> bool {
        let count = |target| self.times_of(target).count();
        self.is_whole()
            || match to {
                Destination::End => false,
                Destination::Time(at) => self.end() > at,
                Destination::Record(number) => self.len() as u64 > number,
                Destination::Next(target) => self.has_next(target),
                Destination::Nth(target, ordinal) => count(target) >= ordinal,
            }
    }
}
