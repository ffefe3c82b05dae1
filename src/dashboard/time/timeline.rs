//! Which moment is on the screen, where its records come from, and how it goes on: one timeline for a running lab, for
//! the last minute of one, for a session and for a simulated lab.
//!
//! | source | moments that it shows | how they go on |
//! |---|---|---|
//! | a running lab | the newest one | with the lab |
//! | a running lab, behind its newest moment | what came before the records that wait | stand, by event, catch up |
//! | the last minute of a running lab, which goes on beneath | any of that minute | stand, at a speed, by event |
//! | a session | any, as far as it has been read | stand, at a speed, by event |
//! | a simulated lab | any, and later ones, which are simulated then; it branches where a person breaks it | the same |
//!
//! Invariants: whatever is shown, a running lab's newest moment takes in each of its records at once. A moment at which a
//! running lab stands is the one that a replay shows at its time; no record is left out of what is played; if records are
//! missing behind the moment, it does not go on from there. A moment that catches up never falls further behind: what is
//! said stays for as long as it did in the lab, or until it is read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::feed::{Feed, Live};
use super::freshness::{EventPace, Freshness, Rate, Speed};
use super::playback::{PendingSeek, Playback};
use super::scene::Scene;
use super::simulated::{Branched, Reached, SimulatedLab};
use crate::view::paint;
use record::{Body, Record, Request};
use script::{PictureStop, Refused, Steps};
use world::flow::{FlowDetail, Periodic};

/// At most this many records of a running lab wait to be played.
const WAITING_MAX: usize = 20_000;
/// Nobody sees a shorter silence between two events.
const SILENCE_MIN: Duration = Duration::from_millis(20);
/// A longer pause of the screen itself (a suspension) is not played.
const PASSED_MAX: Duration = Duration::from_millis(250);
/// How long to wait for a simulated lab's next record, in nanoseconds of its time.
const NEXT_WITHIN: i64 = 60_000_000_000;
/// So many records that the flow does not show are passed at once.
pub const UNSEEN_MAX: usize = 5_000;

/// The moment on the screen, its source, and how it goes on.
#[derive(Debug)]
pub struct Timeline {
    /// Where the records come from.
    pub feed: Feed,
    /// The newest moment of a running lab; of any other source the moment on the screen.
    pub scene: Scene,
    /// The moment on the screen, if it is behind the newest one of a running lab.
    behind: Option<Box<Behind>>,
    rate: Rate,
    /// How fast a session plays.
    pub speed: Speed,
    /// How far apart the events are of what is paced; of what catches up, how far they are at most.
    pub pace: EventPace,
    /// At what the moment on the screen stops, if it was asked to.
    pub stop: Option<PictureStop>,
    /// What waits until the session has been read so far.
    pub pending: Option<PendingSeek>,
    /// The running lab, which goes on while its last minute is shown.
    pub lab: Option<Box<Timeline>>,
}

/// A moment behind the newest one of a running lab, and the records after it.
#[derive(Debug)]
struct Behind {
    scene: Scene,
    later: Later,
    /// Until the screen's clock shows this, people read what a step has said.
    read_until: Duration,
}

/// The records after the moment that is shown.
#[derive(Debug)]
enum Later {
    /// These wait.
    Waiting(VecDeque<Arc<Record>>),
    /// Some are missing.
    Cut,
}

/// Where what plays is held.
#[derive(Debug, Default)]
pub struct PlayHolds {
    /// At these steps of the lab it stands: they ask something.
    pub asks: BTreeSet<String>,
    /// What these steps say takes so long to read: meanwhile a moment that catches up cuts no silence short.
    pub says: BTreeMap<String, Duration>,
}

/// What was played.
#[derive(Debug)]
pub struct Played {
    /// The records, in their order.
    pub records: Vec<Arc<Record>>,
    /// Why it plays no further now.
    pub end: PlayEnd,
}

/// Why nothing more is played.
#[derive(Debug)]
pub enum PlayEnd {
    /// All that is due was played.
    Reached,
    /// After very many records that the flow does not show, it has not come to one that it shows.
    Unseen,
    /// The moment stands.
    Held {
        /// What it was to stop at, if that has come; it will not stop there again.
        stop: Option<PictureStop>,
        /// How it went on before, if a step asks something.
        asked: Option<Rate>,
    },
    /// There are no more records, or the simulated lab went only so far: it stands.
    Over(Option<Reached>),
    /// The newest moment of the running lab is shown again.
    CaughtUp,
}

impl Timeline {
    /// The timeline of this source, at this moment.
    pub fn new(feed: Feed, scene: Scene) -> Timeline {
        let rate = if matches!(feed, Feed::Live(_)) { Rate::WithTheLab } else { Rate::Standing };
        Timeline {
            feed,
            scene,
            behind: None,
            rate,
            speed: Speed::AS_IT_HAPPENED,
            pace: EventPace::FIRST,
            stop: None,
            pending: None,
            lab: None,
        }
    }

    /// The moment on the screen.
    pub fn shown(&self) -> &Scene {
        self.behind.as_deref().map_or(&self.scene, |behind| &behind.scene)
    }

    /// How the moment on the screen goes on.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Whether the moment on the screen is behind the newest one of a running lab; not while the lab's past is shown.
    pub fn is_behind(&self) -> bool {
        self.behind.is_some()
    }

    /// Whether the moment on the screen stands behind the newest one of a running lab.
    pub fn is_frozen(&self) -> bool {
        self.is_behind() && self.rate == Rate::Standing
    }

    /// The timeline of the running lab while its past is shown; else this one.
    pub fn of_lab(&self) -> &Timeline {
        self.lab.as_deref().unwrap_or(self)
    }

    /// How far the moment on the screen is behind the newest one of a running lab, in nanoseconds.
    pub fn nanos_behind(&self) -> i64 {
        self.of_lab().scene.at.saturating_sub(self.shown().at).max(0)
    }

    /// What the shown records are.
    pub fn freshness(&self) -> Freshness {
        match &self.feed {
            Feed::Live(live) => live.freshness(),
            Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Freshness::Played {
                rate: self.rate,
                speed: self.speed,
                position: playback.position(),
                count: playback.len(),
            },
        }
    }

    /// When the session that is played begins; nothing of a running lab.
    pub fn session_start(&self) -> Option<i64> {
        self.feed.playback().map(Playback::start)
    }

    /// Whether the lab's own steps are being played.
    pub fn steps(&self) -> Steps {
        match &self.feed {
            Feed::Live(live) => live.steps,
            Feed::Replay(_) => Steps::Playing,
            Feed::Simulated(simulated) => simulated.steps(&self.scene),
        }
    }

    /// The running lab, if this shows one, not its past.
    pub fn live(&self) -> Option<&Live> {
        match &self.feed {
            Feed::Live(live) => Some(live),
            Feed::Replay(_) | Feed::Simulated(_) => None,
        }
    }

    /// The same, to change it.
    pub fn live_mut(&mut self) -> Option<&mut Live> {
        match &mut self.feed {
            Feed::Live(live) => Some(live),
            Feed::Replay(_) | Feed::Simulated(_) => None,
        }
    }

    /// The session that is played, with the moment on the screen; nothing of a running lab.
    pub fn session_mut(&mut self) -> Option<(&mut Playback, &mut Scene)> {
        let scene = &mut self.scene;
        self.feed.playback_mut().map(|playback| (playback, scene))
    }

    /// The simulated lab, if this shows one.
    pub fn simulated_mut(&mut self) -> Option<&mut SimulatedLab> {
        match &mut self.feed {
            Feed::Simulated(simulated) => Some(simulated),
            Feed::Live(_) | Feed::Replay(_) => None,
        }
    }

    /// The flow shows this much, at the newest moment and at the one on the screen.
    pub fn show_flow(&mut self, folding: FlowDetail, periodic: Periodic) {
        self.scene.flow.show(folding, periodic);
        if let Some(behind) = &mut self.behind {
            behind.scene.flow.show(folding, periodic);
        }
    }

    /// Goes to this time of a session, or as near as it reaches. What is paced looks for its next event from there on.
    pub fn seek(&mut self, at: i64) {
        let Some((playback, scene)) = self.session_mut() else { return };
        scene.become_moment(playback.seek(at));
        if let Rate::Paced { next, .. } = self.rate {
            self.rate = Rate::Paced { next, seen_at: self.scene.at };
        }
    }

    /// Shows the last minute of a running lab from its beginning, while the lab goes on.
    pub fn show_past(&mut self, mut past: Timeline) {
        past.pace = self.pace;
        let lab = std::mem::replace(self, past);
        self.lab = Some(Box::new(lab));
    }

    /// Shows the running lab again, as it was shown before its past. Returns whether its past was shown.
    pub fn leave_past(&mut self) -> bool {
        let Some(lab) = self.lab.take() else { return false };
        let (stop, pace) = (self.stop.take(), self.pace);
        *self = *lab;
        (self.stop, self.pace) = (stop.or(self.stop.take()), pace);
        true
    }

    /// From now on a session plays at its speed.
    pub fn play_on(&mut self) {
        self.rate = Rate::Playing;
    }

    /// From now on a session goes on as it did before.
    pub fn play_again(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// Makes a request to a simulated lab at the moment on the screen, which then goes on to just after it; nothing of any
    /// other source. The error is a refusal.
    pub fn branch(&mut self, request: &Request) -> Option<Result<Branched, Refused>> {
        let Feed::Simulated(simulated) = &mut self.feed else { return None };
        Some(simulated.ask(&mut self.scene, request))
    }

    /// From now on it plays event by event, the next one at once. Returns whether it can: of a running lab no record may be
    /// missing behind the moment.
    pub fn play_by_event(&mut self, clock: Duration) -> bool {
        if !self.goes_on_behind() {
            return false;
        }
        self.rate = Rate::Paced { next: clock, seen_at: self.shown().at };
        true
    }

    /// From now on a moment behind the newest one of a running lab plays until it shows that one. Returns whether it can.
    pub fn catch_up(&mut self, clock: Duration) -> bool {
        if !self.goes_on_behind() {
            return false;
        }
        self.rate = Rate::CatchingUp { since: clock, seen_at: self.shown().at };
        true
    }

    /// Whether the moment on the screen can go on. Of a running lab it is behind the newest one from now on, and its rows
    /// come in the order of the session, as in a replay.
    fn goes_on_behind(&mut self) -> bool {
        if !matches!(self.feed, Feed::Live(_)) {
            return true;
        }
        if self.is_cut() {
            return false;
        }
        let behind = self.behind.get_or_insert_with(|| Box::new(Behind::of(self.scene.clone())));
        behind.scene.wait_for_order(i64::MAX);
        true
    }

    /// A running lab's newest moment is shown again, and goes on with the lab.
    pub fn show_newest(&mut self) {
        if matches!(self.feed, Feed::Live(_)) {
            self.behind = None;
            self.rate = Rate::WithTheLab;
        }
    }

    /// From now on it stands. A running lab stands at the moment that it has reached or at that of the newest record that
    /// is shown, whichever is later, rounded up to a microsecond. Returns the records of that moment that had not been
    /// played yet.
    pub fn stand(&mut self) -> Vec<Arc<Record>> {
        self.rate = Rate::Standing;
        if !matches!(self.feed, Feed::Live(_)) {
            return Vec::new();
        }
        match &mut self.behind {
            Some(behind) => behind.stand(),
            None => {
                let at = paint::round_up(self.scene.world.now);
                let mut scene = Scene { at, ..self.scene.clone() };
                // All records of the moment have come: none of its rows has to wait.
                scene.wait_for_order(i64::MAX);
                self.behind = Some(Box::new(Behind::of(scene)));
                Vec::new()
            }
        }
    }

    /// What is said has been read: what catches up does not wait any longer before the next event.
    pub fn hasten(&mut self, clock: Duration) {
        if let Some(behind) = &mut self.behind {
            behind.read_until = Duration::ZERO;
        }
        if let Rate::CatchingUp { since, .. } = &mut self.rate {
            *since = clock.min(*since);
        }
    }

    /// If it catches up, the next event waits until the screen's clock shows this.
    pub fn wait_until(&mut self, until: Duration) {
        if let Rate::CatchingUp { since, .. } = &mut self.rate {
            *since = until;
        }
    }

    /// Records of a running lab are missing after those that the moment on the screen has.
    pub fn cut(&mut self) {
        if let Some(behind) = &mut self.behind {
            behind.later = Later::Cut;
        }
    }

    /// Whether records are missing after those that the moment on the screen has, so that it cannot go on.
    pub fn is_cut(&self) -> bool {
        self.behind.as_ref().is_some_and(|behind| matches!(behind.later, Later::Cut))
    }

    /// How many records of a running lab wait to be played, if none is missing.
    pub fn waiting(&self) -> usize {
        match self.behind.as_ref().map(|behind| &behind.later) {
            Some(Later::Waiting(waiting)) => waiting.len(),
            Some(Later::Cut) | None => 0,
        }
    }

    /// The moment on the screen, where it is behind the newest one and no record is missing after it.
    pub fn behind_mut(&mut self) -> Option<&mut Scene> {
        let behind = self.behind.as_mut().filter(|behind| matches!(behind.later, Later::Waiting(_)))?;
        Some(&mut behind.scene)
    }

    /// A running lab's newest moment takes in a record that has just come. Returns what it was to stop at, if that has
    /// come on the screen.
    pub fn take_newest(&mut self, record: &Arc<Record>) -> Option<PictureStop> {
        let stop = self.stop.as_ref().filter(|_| self.behind.is_none());
        if self.scene.take_until(record, stop) { self.stop.take() } else { None }
    }

    /// The moment behind the newest one takes in a record that has just come. Returns whether that changes what is shown.
    pub fn take_behind(&mut self, record: &Arc<Record>) -> bool {
        let is_standing = self.rate == Rate::Standing;
        let Some(Behind { scene, later, .. }) = self.behind.as_deref_mut() else { return false };
        let Later::Waiting(waiting) = later else { return false };
        // Stamps are not in order.
        if is_standing && waiting.is_empty() && record.at <= scene.at {
            scene.take(record);
            return true;
        }
        if waiting.len() == WAITING_MAX {
            *later = Later::Cut;
        } else {
            waiting.push_back(Arc::clone(record));
        }
        false
    }

    /// Plays what is due when the screen's clock shows this and so much of its time has passed since it was looked at last.
    pub fn play(&mut self, clock: Duration, passed: Duration, holds: &PlayHolds) -> Played {
        let mut played = Played { records: Vec::new(), end: PlayEnd::Reached };
        if self.is_behind() && self.waiting() == 0 && !self.is_cut() && self.rate != Rate::Standing {
            // While none wait, the newest moment is shown.
            let newest = self.scene.at;
            self.behind.iter_mut().for_each(|behind| behind.scene.at = behind.scene.at.max(newest));
        }
        match self.rate {
            Rate::WithTheLab | Rate::Standing => {}
            Rate::Playing => self.play_at_speed(passed, holds, &mut played),
            Rate::Paced { next, seen_at } => {
                if clock >= next {
                    self.play_event(seen_at.saturating_add(NEXT_WITHIN), holds, &mut played);
                    if let (PlayEnd::Reached, Rate::Paced { .. }) = (&played.end, self.rate) {
                        self.rate = Rate::Paced { next: clock + self.pace.apart(), seen_at: self.shown().at };
                    }
                }
            }
            Rate::CatchingUp { .. } => self.play_due(clock, holds, &mut played),
        }
        played
    }

    /// Goes on to just after the next record that the flow shows, and stands there.
    pub fn play_next_event(&mut self, holds: &PlayHolds) -> Played {
        self.rate = Rate::Standing;
        let mut played = Played { records: Vec::new(), end: PlayEnd::Reached };
        self.play_event(self.shown().at.saturating_add(NEXT_WITHIN), holds, &mut played);
        played
    }

    /// Plays a session by this much of the screen's time.
    fn play_at_speed(&mut self, passed: Duration, holds: &PlayHolds, played: &mut Played) {
        let passed = i64::try_from(passed.min(PASSED_MAX).as_nanos()).unwrap_or(0);
        let target = self.scene.at + self.speed.of(passed);
        let reached = self.simulated_mut().map(|simulated| simulated.reach(target));
        if let Some((playback, _)) = self.session_mut() {
            playback.read_until(target);
        }
        let is_due = |next: i64| next <= target;
        while self.feed.playback().and_then(Playback::next_time).is_some_and(is_due) {
            match self.take_next(holds, played) {
                Taken::Held => return,
                Taken::Nothing => break,
                Taken::Record => {}
            }
        }
        let Some((playback, scene)) = self.session_mut() else { return };
        playback.advance_to(target, scene);
        if playback.next().is_none() && reached != Some(Reached::It) {
            self.rate = Rate::Standing;
            played.end = PlayEnd::Over(reached);
        }
    }

    /// Plays the next event that can be seen, and what cannot be seen before it; a simulated lab goes no further than this
    /// time.
    fn play_event(&mut self, until: i64, holds: &PlayHolds, played: &mut Played) {
        for _ in 0..UNSEEN_MAX {
            let reached = self.simulated_mut().map(|simulated| simulated.reach_next(until));
            match self.take_next(holds, played) {
                Taken::Held => return,
                Taken::Nothing if self.is_behind() => {
                    played.end = PlayEnd::Unseen;
                    return;
                }
                Taken::Nothing => {
                    self.rate = Rate::Standing;
                    played.end = PlayEnd::Over(reached);
                    return;
                }
                Taken::Record if played.records.last().is_some_and(|record| self.shown().flow.shows(record)) => {
                    return;
                }
                Taken::Record => {}
            }
        }
        played.end = PlayEnd::Unseen;
    }

    /// Plays the records that are due: as far apart as they happened, but for long silences while nothing is read.
    fn play_due(&mut self, clock: Duration, holds: &PlayHolds, played: &mut Played) {
        let apart = self.pace.apart();
        while let Some(Behind { scene, later: Later::Waiting(waiting), read_until }) = self.behind.as_deref_mut()
            && let Some(record) = waiting.front()
            && let Rate::CatchingUp { since, seen_at } = self.rate
        {
            let is_seen = scene.flow.shows(record);
            let silence = Duration::from_nanos(u64::try_from(record.at - seen_at).unwrap_or(0));
            // While something is read, the next words come no sooner than they did.
            let is_read = clock < *read_until && clock < since + silence;
            let silence = silence.min(apart);
            let is_silent = is_seen && silence >= SILENCE_MIN && clock < since + silence;
            if clock < since || is_read || is_silent {
                break;
            }
            let read = step_of(record).and_then(|step| holds.says.get(step));
            if is_seen || read.is_some() {
                self.rate = Rate::CatchingUp { since: clock, seen_at: record.at.max(seen_at) };
            }
            if let Some(read) = read {
                *read_until = clock + *read;
            }
            if self.take_next(holds, played) == Taken::Held {
                return;
            }
        }
        self.pass_time(clock);
        if self.waiting() == 0 && !self.is_cut() {
            self.show_newest();
            played.end = PlayEnd::CaughtUp;
        }
    }

    /// While something is read, time goes on as it did in the lab, up to the next record.
    fn pass_time(&mut self, clock: Duration) {
        if let (Rate::CatchingUp { since, seen_at }, Some(behind)) = (self.rate, self.behind.as_deref_mut())
            && let Later::Waiting(waiting) = &behind.later
            && let Some(next) = waiting.front().filter(|_| clock < behind.read_until)
        {
            let passed = i64::try_from(clock.saturating_sub(since).as_nanos()).unwrap_or(i64::MAX);
            behind.scene.at = behind.scene.at.max(seen_at.saturating_add(passed).min(next.at));
        }
    }

    /// Takes the next record into the moment on the screen; where the stop has come, or a step asks, it stands.
    fn take_next(&mut self, holds: &PlayHolds, played: &mut Played) -> Taken {
        let before = self.stop.as_ref().map(|stop| stop.look(&self.shown().world));
        let record = match &mut self.behind {
            Some(behind) => behind.take_next(),
            None => self.session_mut().and_then(|(playback, scene)| playback.advance(scene)),
        };
        let Some(record) = record else { return Taken::Nothing };
        let is_asked = step_of(&record).is_some_and(|step| holds.asks.contains(step));
        played.records.push(record);
        let world = &self.shown().world;
        let has_come = self.stop.as_ref().zip(before).is_some_and(|(stop, before)| stop.has_come(before, world));
        if !has_come && !is_asked {
            return Taken::Record;
        }
        let stop = if has_come { self.stop.take() } else { None };
        let asked = is_asked.then_some(self.rate);
        played.records.extend(self.stand());
        played.end = PlayEnd::Held { stop, asked };
        Taken::Held
    }
}

/// What became of taking the next record.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Taken {
    /// There is none.
    Nothing,
    /// The record was taken, and the moment may go on.
    Record,
    /// The record was taken, and the moment stands.
    Held,
}

/// The step of the lab that this record tells of.
fn step_of(record: &Record) -> Option<&String> {
    match &record.body {
        Body::StepTaken { step } => Some(step),
        _ => None,
    }
}

impl Behind {
    fn of(scene: Scene) -> Behind {
        Behind { scene, later: Later::Waiting(VecDeque::new()), read_until: Duration::ZERO }
    }

    fn take_next(&mut self) -> Option<Arc<Record>> {
        let Later::Waiting(waiting) = &mut self.later else { return None };
        let record = waiting.pop_front()?;
        self.scene.take(&record);
        self.scene.at = self.scene.at.max(record.at);
        Some(record)
    }

    fn stand(&mut self) -> Vec<Arc<Record>> {
        self.scene.at = self.scene.at.max(paint::round_up(self.scene.world.now));
        let Later::Waiting(waiting) = &mut self.later else { return Vec::new() };
        let later = waiting.iter().position(|record| record.at > self.scene.at).unwrap_or(waiting.len());
        let of_the_moment: Vec<Arc<Record>> = waiting.drain(..later).collect();
        of_the_moment.iter().for_each(|record| self.scene.take(record));
        of_the_moment
    }
}
