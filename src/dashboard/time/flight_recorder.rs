//! The flight recorder: the last minute of a running lab, as a screen has heard it.
//!
//! Records that are older are folded into the world from which the last minute begins, so this screen's memory does not
//! grow with the lab.
//!
//! Invariant: its records follow its world without a gap, and there are never more than a given number of them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::playback::Playback;
use protocol::NodeId;
use record::{Head, Record};
use world::World;

/// How far it reaches back, in nanoseconds of lab time.
pub const REACH: i64 = 60_000_000_000;
/// At most this many records are held.
const RECORDS_MAX: usize = 20_000;

/// The last minute of a running lab.
#[derive(Clone, Default, Debug)]
pub struct FlightRecorder {
    /// The world before its records.
    beginning: World,
    /// The latest stamp that is known of what lies before them, if anything does.
    since: Option<i64>,
    records: VecDeque<Arc<Record>>,
}

impl FlightRecorder {
    /// From now on the minute begins with this world, after which these records came. If something came before this world, that was until
    /// this stamp.
    pub fn begin(&mut self, beginning: World, since: Option<i64>, records: &[Arc<Record>]) {
        *self = FlightRecorder { beginning, since, records: VecDeque::new() };
        records.iter().for_each(|record| self.take(Arc::clone(record)));
    }

    /// Whether something came before its records that it does not hold.
    pub fn begins_in_midst(&self) -> bool {
        self.since.is_some()
    }

    /// Takes in the next record of the lab.
    pub fn take(&mut self, record: Arc<Record>) {
        self.records.push_back(record);
        let newest = self.records.back().map_or(0, |record| record.at);
        self.forget_before(newest.saturating_sub(REACH));
    }

    /// Forgets what is older than this stamp, and what there is no room for.
    fn forget_before(&mut self, oldest: i64) {
        let is_old = |front: &Arc<Record>, count: usize| front.at < oldest || count > RECORDS_MAX;
        while self.records.front().is_some_and(|front| is_old(front, self.records.len())) {
            let Some(record) = self.records.pop_front() else { return };
            self.beginning.fold(&record);
            self.since = Some(self.since.map_or(record.at, |since| since.max(record.at)));
        }
    }

    /// The minute before this moment as a session at its beginning, as a node tells it, if only that node is heard;
    /// nothing, if no record is held.
    pub fn session(&self, head: Option<&Head>, now: i64, told_by: Option<NodeId>) -> Option<Playback> {
        let mut recorder = self.clone();
        recorder.forget_before(now.saturating_sub(REACH));
        let FlightRecorder { beginning, since, records } = recorder;
        let since = since.map(|since| since.max(now.saturating_sub(REACH)));
        let is_there = !records.is_empty();
        is_there.then(|| Playback::since(head, beginning, since, told_by, records.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::stage::{MS, crash, head, numbered};
    use protocol::Roster;

    /// This many records, each this long after the one before.
    fn many(count: usize, apart: i64) -> Vec<Arc<Record>> {
        let base = crash();
        let at = |(place, record): (i64, &Record)| Record { at: place * apart, ..record.clone() };
        let records = (0..).zip(base.iter().cycle()).take(count).map(at).collect();
        numbered(records).into_iter().map(Arc::new).collect()
    }

    fn recorded(records: &[Arc<Record>]) -> FlightRecorder {
        let mut recorder = FlightRecorder::default();
        recorder.begin(World::new(Roster::new(5).unwrap()), None, &[]);
        records.iter().for_each(|record| recorder.take(Arc::clone(record)));
        recorder
    }

    #[test]
    fn the_last_minute_is_played_as_the_whole_lab_would_be() {
        let records = many(4_000, 40 * MS);
        let recorder = recorded(&records);
        let now = records.last().unwrap().at;
        let mut whole = Playback::new(Some(&head()), records.iter().map(|record| Record::clone(record)).collect());
        let mut minute = recorder.session(Some(&head()), now, None).unwrap();
        assert_eq!((minute.len(), minute.start(), minute.end()), (1_501, now - REACH, now));
        for at in [now, now - REACH, now - REACH / 2, now - 1, now - REACH + 40 * MS] {
            let (one, other) = (whole.seek(at), minute.seek(at));
            assert_eq!((one.at, one.world), (other.at, other.world), "{at}");
        }
        assert_eq!(minute.seek(0).at, now - REACH, "it goes back no further");
    }

    #[test]
    fn it_holds_no_more_than_it_has_room_for_and_nothing_before_the_first_record() {
        let recorder = recorded(&many(RECORDS_MAX + 500, MS / 10));
        assert_eq!(recorder.records.len(), RECORDS_MAX);
        let mut world = World::new(Roster::new(5).unwrap());
        many(500, MS / 10).iter().for_each(|record| world.fold(record));
        assert_eq!(recorder.beginning, world);
        assert!(recorded(&[]).session(Some(&head()), 0, None).is_none());
        let short = recorded(&many(3, MS));
        assert_eq!(short.session(Some(&head()), 5 * MS, None).map(|minute| minute.start()), Some(-1));
    }
}
