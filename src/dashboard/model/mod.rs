//! Everything the screen shows, as data.
//!
//! The model says which row is under a cursor, which rows pass the filter and which actions are allowed, to panels and
//! updates alike.
//!
//! Invariants: a panel takes `&Model` and reads what to show through [`Model::seen`]; it cannot tell where the records
//! come from, nor whether the picture is behind the present. What has already happened takes no faults. A cursor whose row
//! is gone, or that follows, is on the newest row. Of two sessions side by side each knows which of them it is, and only
//! the one in front has the other one.

pub mod dialogs;
pub mod drawing;
pub mod kept_rows;
pub mod lesson;
pub mod notes;
pub mod pages;
pub mod pair;
pub mod places;
pub mod row;
pub mod steps;
pub mod toast;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::input::action::{Action, Binding, FeedKind, QUESTIONS};
use super::input::keymap::Keymap;
use super::input::prompt::Suggestion;
use super::options::{Access, Leaving, Mouse, Options, Role, Source, Tour};
use super::time::feed::{Contact, Feed, Live};
use super::time::freshness::{Freshness, Rate};
use super::time::playback::{Destination, LeapTarget, Playback, Unusable};
use super::time::scene::Scene;
use super::time::simulated::SimulatedLab;
use super::time::timeline::{PlayHolds, Timeline};
use super::view::theme::Theme;
use dialogs::Dialogs;
pub use dialogs::PendingQuestion;
use drawing::Drawing;
use judge::why::{WhyInBrief, in_brief};
use lesson::{AboveScreen, AnswerStage, Asking, ClassAnswers, Lesson, reading_time};
use notes::SessionNotes;
use pages::Rerun;
pub use pages::{Layer, Subject};
use pair::{OtherSession, PairSide, SessionDifference};
pub use places::{Follow, Receipts};
use places::{LinksPlace, Places, Screen};
use protocol::{ApplicationFacts, Criterion, NodeId, Property};
use record::{Head, NoteKind, Record, Session, SessionError, SessionNote, StoredSession, ViolationReport};
use row::Row;
use script::{ClassQuestion, LessonText, NarratedWords, SharedLab, StepBook, Steps, own_key};
use steps::StepCache;
pub use toast::Tone;
use toast::{Toast, Toasts};
use world::{ElectionView, FaultView, World};

#[derive(Debug)]
pub struct Model {
    /// What the session's head says; absent before the first snapshot, and in a file that is cut within it.
    pub head: Option<Head>,
    /// Whether the screen sees the lab or one node alone.
    pub vantage: Viewpoint,
    /// What this screen may do.
    pub rights: Rights,
    /// Which moment is on the screen, where its records come from, and how it goes on.
    pub time: Timeline,
    /// Where the person is.
    pub places: Places,
    /// What lies over the screen, and what the person is asked.
    pub dialogs: Dialogs,
    /// The messages to show for a while.
    pub toasts: Toasts,
    /// What was dismissed, answered and predicted.
    pub lesson: Lesson,
    /// The lab's steps, once they have been read.
    pub step_cache: StepCache,
    /// What people wrote about the session.
    pub notes: SessionNotes,
    /// The screen over which this one was opened.
    pub beneath: Option<Box<Model>>,
    /// The session beside this one, if this one is in front.
    pub beside: Option<Box<OtherSession<Model>>>,
    /// Which of two sessions side by side this one is.
    pub side: Option<PairSide>,
    /// The size of the terminal.
    pub size: (u16, u16),
    /// The screen's own clock.
    pub clock: Duration,
    /// How everything looks.
    pub theme: Theme,
    /// Which key does what.
    pub keymap: Keymap,
    /// Whose the mouse is.
    pub mouse: Mouse,
    /// Plays its lab again without a fault.
    pub rerun: Rerun,
    /// When the next drawing is due, and what the last one left.
    pub drawing: Drawing,
}

/// What a screen may do.
#[derive(Copy, Clone, Debug)]
pub struct Rights {
    /// Whether the person may order faults.
    pub access: Access,
    /// What leaving does to the lab.
    pub role: Role,
    /// Whether leaving asks first.
    pub leaving: Leaving,
}

/// Whose view the screen has.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Viewpoint {
    /// The view of the host: all nodes.
    Lab,
    /// The view of one node.
    Node(NodeId),
}

impl Model {
    /// A screen for a running lab; it knows nothing of the lab yet.
    pub fn live(options: &Options) -> Model {
        Model::new(options, None, Feed::Live(Live::new()), Scene::new(None))
    }

    /// A screen for a session of this head, which is at the beginning.
    pub fn replay(options: &Options, head: Option<Head>, playback: Playback) -> Model {
        let scene = playback.beginning();
        Model::new(options, head, Feed::Replay(playback), scene)
    }

    /// A screen for a lab in virtual time, which goes on as far as this screen shows it.
    pub fn simulated(options: &Options, lab: SharedLab) -> Model {
        let head = lab.borrow().head();
        let (simulated, scene) = SimulatedLab::new(lab);
        let mut model = Model::new(options, Some(head), Feed::Simulated(simulated), scene);
        model.time.play_on();
        model
    }

    fn new(options: &Options, head: Option<Head>, feed: Feed, scene: Scene) -> Model {
        let vantage = match &options.source {
            Source::Lab { node: Some(node), .. } => Viewpoint::Node(*node),
            Source::Lab { node: None, .. } | Source::Session(_) | Source::Simulated(_) => Viewpoint::Lab,
        };
        Model {
            head,
            vantage,
            rights: Rights { access: options.access, role: options.role, leaving: options.leaving },
            time: Timeline::new(feed, scene),
            places: Places::default(),
            dialogs: Dialogs::default(),
            toasts: Toasts::default(),
            lesson: Lesson { tour: options.tour, ..Lesson::default() },
            step_cache: StepCache::default(),
            notes: SessionNotes::default(),
            beneath: None,
            beside: None,
            side: None,
            size: (80, 24),
            clock: Duration::ZERO,
            theme: Theme::new(options.glyphs, options.colour),
            keymap: options.keymap.clone(),
            mouse: options.mouse,
            rerun: options.rerun,
            drawing: Drawing::default(),
        }
    }

    /// What to show: the present, or the picture behind it.
    pub fn seen(&self) -> &Scene {
        self.time.shown()
    }

    /// How far the picture is behind the present, in nanoseconds, if it is a picture of a running lab.
    pub fn behind(&self) -> i64 {
        self.time.nanos_behind()
    }

    /// The running lab or the session, also while the screen shows the lab's past.
    pub fn lab_feed(&self) -> &Feed {
        &self.time.of_lab().feed
    }

    /// How current the records of the lab are, also while the screen shows the lab's past.
    pub fn lab_standing(&self) -> Freshness {
        self.time.of_lab().freshness()
    }

    /// The kind of feed, for the table of keys.
    pub fn feed_kind(&self) -> FeedKind {
        match (&self.time.lab, self.side) {
            (Some(_), _) => FeedKind::Past,
            (None, Some(_)) => FeedKind::Pair,
            (None, None) => self.time.feed.kind(),
        }
    }

    /// The name of the key that does this here.
    pub fn key(&self, action: Action) -> String {
        self.keymap.name_of(action, self.feed_kind())
    }

    /// How current and complete the shown records are.
    pub fn standing(&self) -> Freshness {
        self.time.freshness()
    }

    /// Whether the lab has sent nothing yet, so that there is nothing to show.
    pub fn awaits_lab(&self) -> bool {
        self.head.is_none() && matches!(&self.time.feed, Feed::Live(Live { contact: Contact::Calling, .. }))
    }

    /// Whether what was before this screen is being read.
    pub fn is_being_read(&self) -> bool {
        self.time.feed.is_being_read()
    }

    /// Whether this shows a running lab of which something came before all that this screen holds.
    pub fn begins_in_midst(&self) -> bool {
        self.time.feed.begins_in_midst()
    }

    /// Whether anything is known of what came before the first record of the session that is played.
    pub fn knows_earlier(&self) -> bool {
        self.time.feed.playback().is_some_and(Playback::knows_earlier)
    }

    /// Whether the lab records what the screen hears.
    pub fn is_recorded(&self) -> bool {
        self.lab_feed().is_recorded()
    }

    /// Whether the lab's algorithm compares capacities that a criterion makes.
    pub fn has_criterion(&self) -> bool {
        self.head.as_ref().is_some_and(|head| Criterion::of(&head.settings).is_some())
    }

    /// What the lab's application says of itself, if the lab has one.
    pub fn application(&self) -> Option<&ApplicationFacts> {
        self.head.as_ref()?.facts.application.as_ref()
    }

    /// The lab's steps; nothing, if the session does not tell them.
    pub fn book(&self) -> Option<Rc<StepBook>> {
        self.step_cache.book(self.head.as_ref()?)
    }

    /// Why a violation that no broken assumption excuses is there, as a fragment.
    pub fn unexcused(&self, report: &ViolationReport) -> String {
        let expected = self.book().and_then(|book| book.expects(report));
        expected.unwrap_or_else(|| "no broken assumption excuses it".to_owned())
    }

    /// Whether the lab expects this violation although no broken assumption excuses it.
    pub fn is_expected(&self, report: &ViolationReport) -> bool {
        self.book().is_some_and(|book| book.expects(report).is_some())
    }

    /// Whether the lab's own steps are being played.
    pub fn steps(&self) -> Steps {
        self.time.steps()
    }

    /// Whether the lab is known to have no steps of its own.
    pub fn has_no_steps(&self) -> bool {
        let file = self.head.as_ref().map(|head| head.lab_file.as_str());
        file.is_some_and(|file| !file.is_empty() && !file.contains("[[step]]"))
    }

    /// How many rows stand above a screen without what the lab tells.
    pub fn rows_of_head(&self) -> u16 {
        2 + u16::from(self.application().is_some())
    }

    /// The screens of this lab: only one that keeps a history of its groups has a screen for it.
    pub fn screens(&self) -> &'static [Screen] {
        let keeps_history = self.application().is_some_and(|of| of.promises.contains(&Property::History));
        &Screen::ALL[..Screen::ALL.len() - usize::from(!keeps_history)]
    }

    /// The nodes that have a row: all, or the one whose view the screen has.
    pub fn rows(&self) -> Vec<NodeId> {
        match self.vantage {
            Viewpoint::Lab => self.seen().world.nodes.keys().copied().collect(),
            Viewpoint::Node(node) => vec![node],
        }
    }

    /// The nodes in the order of the matrix of links.
    pub fn link_ends(&self) -> Vec<NodeId> {
        LinksPlace::ends(&self.seen().world)
    }

    /// The link under the cursor, or the first one on which something is in force, or the first one.
    pub fn selected_link(&self) -> Option<(NodeId, NodeId)> {
        self.places.links.selected(&self.seen().world)
    }

    /// The node under the cursor: the selected one, or the first.
    pub fn selected_node(&self) -> Option<NodeId> {
        let rows = self.rows();
        self.places.node.filter(|node| rows.contains(node)).or(rows.first().copied())
    }

    /// How many columns the long lines of this screen are moved to the left.
    pub fn pan(&self) -> usize {
        self.places.pan()
    }

    /// The suggestions for the line that is being written.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        self.dialogs.prompt.as_ref().map_or_else(Vec::new, |prompt| prompt.suggestions(self.feed_kind()))
    }

    /// When what may be shown ends.
    pub fn known_end(&self) -> i64 {
        let at = self.seen().at;
        match self.time.feed.playback() {
            Some(playback) => playback.end().max(at),
            None if self.open_question().is_some() => at.max(self.known_world().now),
            None => self.time.scene.at.max(self.known_world().now),
        }
    }

    /// When violations were found, as far as it may be shown.
    pub fn violation_times(&self) -> Vec<i64> {
        match self.time.feed.playback() {
            Some(playback) => playback.times_of(LeapTarget::Violation).collect(),
            None => self.known_world().violations.iter().map(|view| view.at).collect(),
        }
    }

    /// When the lab's step of this name was taken, as far as it may be known.
    pub fn taken_at(&self, step: &str) -> Option<i64> {
        self.known_world().steps.iter().find(|(name, _)| name == step).map(|(_, at)| *at)
    }

    /// The world at the end, as far as it may be shown.
    pub fn known_world(&self) -> &World {
        match self.time.feed.playback() {
            Some(playback) => playback.whole(),
            // What is later than an open question would give its answer away.
            None if self.open_question().is_some() => &self.seen().world,
            None => &self.time.scene.world,
        }
    }

    /// What people wrote, and the chapters of what the lab tells, by their moments.
    pub fn notes_and_chapters(&self) -> Vec<SessionNote> {
        let chapters = self.book().map(|book| book.chapters(self.known_world())).unwrap_or_default();
        let chapters =
            chapters.into_iter().map(|(at, text)| SessionNote { kind: NoteKind::Chapter, at, after: 0, text });
        let mut all: Vec<SessionNote> = chapters.chain(self.notes.all().cloned()).collect();
        all.sort_by_key(|note| note.at);
        all
    }

    /// One of these in words: its kind, its place among those of its kind, its text.
    pub fn note_told(&self, note: &SessionNote) -> String {
        let of_kind: Vec<SessionNote> =
            self.notes_and_chapters().into_iter().filter(|other| other.kind == note.kind).collect();
        let count = of_kind.len();
        let place = of_kind.iter().position(|other| other == note).map_or(count, |place| place + 1);
        format!("{} {place} of {count}: {}", note.kind.word(), note.text)
    }

    /// Since when the lab is silent, if it is.
    pub fn silent_since(&self) -> Option<i64> {
        match &self.time.feed {
            Feed::Live(Live { contact: Contact::Silent | Contact::Gone, heard, .. }) => heard.map(|(at, _)| at),
            _ => None,
        }
    }

    /// Shows a message for a while.
    pub fn tell(&mut self, tone: Tone, text: impl Into<String>) {
        self.tell_until(tone, text.into(), tone.lasts(), None);
    }

    /// Shows a message for half a minute.
    pub fn tell_long(&mut self, tone: Tone, text: impl Into<String>) {
        self.tell_until(tone, text.into(), Duration::from_secs(30), None);
    }

    /// Shows a message about the row of this number. What is wrong stays longer; of several that tell of something good
    /// only the newest is shown, for the log has all.
    pub fn tell_of_row(&mut self, tone: Tone, text: impl Into<String>, row: u64) {
        let lasts = match tone {
            Tone::Good => {
                self.toasts.forget_good_rows();
                tone.lasts()
            }
            Tone::Plain | Tone::Bad => Duration::from_secs(15),
        };
        self.tell_until(tone, text.into(), lasts, Some(row));
    }

    fn tell_until(&mut self, tone: Tone, text: String, lasts: Duration, row: Option<u64>) {
        self.toasts.push(Toast { tone, text, count: 1, until: self.clock + lasts, row });
        self.drawing.need();
    }

    /// These two sessions side by side, the first one in front.
    pub fn beside(one: Model, other: Model, told: SessionDifference) -> Model {
        let side = |letter, place| Some(PairSide { letter, place, parts_at: None });
        let (mut one, mut other) = (one, other);
        (one.side, other.side) = (side('A', 0), side('B', 1));
        let (size, followed) = (one.size, one.time.scene.at);
        one.beside = Some(Box::new(OtherSession { other, told: Arc::new(told), size, followed }));
        one
    }

    /// The size of the terminal, of which this screen may have one half.
    pub fn whole_size(&self) -> (u16, u16) {
        self.beside.as_ref().map_or(self.size, |beside| beside.size)
    }

    /// The place of this session among two side by side.
    pub fn place_in_pair(&self) -> usize {
        self.side.map_or(0, |side| side.place)
    }

    /// The number of the row under the cursor among the messages: the newest that passes the filter while it follows.
    pub fn selected_message(&self) -> Option<u64> {
        self.places.messages.selected(&self.seen().rows)
    }

    /// Whether the messages screen shows this row: it passes the filter, and is no receipt that its sending tells of.
    pub fn has_message_row(&self, row: &Row) -> bool {
        self.places.messages.shows(row, &self.seen().rows)
    }

    /// The fault under the cursor: the chosen one, or the newest.
    pub fn selected_fault(&self) -> Option<&FaultView> {
        self.places.selected_fault(&self.seen().world)
    }

    /// The election under the cursor: the chosen one, or the newest.
    pub fn selected_election(&self) -> Option<&ElectionView> {
        self.places.selected_election(&self.seen().world)
    }

    /// The row of the log under the cursor; the newest one while it follows.
    pub fn selected_news(&self) -> Option<Arc<Row>> {
        self.places.panes.selected_news(&self.seen().rows)
    }

    /// Whether a fault may be ordered here; if not, why.
    pub fn permission(&self) -> Result<(), NoFaults> {
        match &self.time.feed {
            _ if self.time.lab.is_some() => Err(NoFaults::InThePast(self.key(Action::LastMinute))),
            Feed::Replay(_) => Err(NoFaults::InAReplay),
            _ if self.rights.access == Access::ReadOnly => Err(NoFaults::ReadOnly),
            Feed::Live(Live { contact: Contact::Ended(_) | Contact::Gone, .. }) => Err(NoFaults::Over),
            Feed::Live(_) | Feed::Simulated(_) => Ok(()),
        }
    }

    /// The newest records up to what is shown, those without a row too, in their order.
    pub fn records_seen(&self) -> Vec<Arc<Record>> {
        match self.time.feed.playback() {
            Some(playback) => playback.records_before(),
            None => self.seen().records.all().to_vec(),
        }
    }

    /// Why the node is in the state that is shown, in one sentence and its parts.
    pub fn why_in_brief(&self, node: NodeId) -> WhyInBrief {
        let records = &self.seen().records;
        let answer = || in_brief(&records.session_past(self.head.as_ref()), node);
        self.drawing.why_line.brief(records.all().last().cloned(), node, answer)
    }

    /// A screen for a session file, which is at the beginning; the file is read on as time passes.
    ///
    /// # Errors
    /// The file's first records cannot be read.
    pub fn opened(options: &Options, session: StoredSession) -> Result<Model, SessionError> {
        let head = session.head().cloned();
        let mut model = Model::replay(options, head, Playback::opened(session)?);
        model.read_marks(&options.source);
        model.tell_unusable();
        Ok(model)
    }

    /// The same, read to its end.
    ///
    /// # Errors
    /// The session cannot be read to its end.
    pub fn stored(options: &Options, session: StoredSession) -> Result<Model, SessionError> {
        let head = session.head().cloned();
        let mut model = Model::replay(options, head, Playback::stored(session)?);
        model.read_marks(&options.source);
        model.tell_unusable();
        Ok(model)
    }

    /// Reads what was written beside the session of this source, if it is one; says what cannot be read.
    fn read_marks(&mut self, source: &Source) {
        let Source::Session(path) = source else { return };
        let (marks, told) = SessionNotes::of(path, self.head.as_ref());
        self.notes = marks;
        told.into_iter().for_each(|told| self.tell_long(Tone::Bad, told));
    }

    /// Whether a session file is not known to its end yet.
    pub fn is_reading(&self) -> bool {
        matches!(&self.time.feed, Feed::Replay(playback) if !playback.is_whole())
    }

    /// Whether this screen can go there at once.
    pub fn knows(&self, to: Destination) -> bool {
        match &self.time.feed {
            Feed::Replay(playback) => playback.knows(to),
            Feed::Live(_) | Feed::Simulated(_) => true,
        }
    }

    /// How much of the session file has been read, in percent.
    pub fn percent_read(&self) -> u32 {
        match &self.time.feed {
            Feed::Replay(playback) => (playback.share_read() * 100.0) as u32,
            Feed::Live(_) | Feed::Simulated(_) => 100,
        }
    }

    /// How many records of a session file are missing, as far as it was read.
    pub fn lost(&self) -> u64 {
        match &self.time.feed {
            Feed::Replay(playback) => playback.lost(),
            Feed::Live(_) | Feed::Simulated(_) => 0,
        }
    }

    /// Whether a session file lacks the lab's end, as far as it was read.
    pub fn lacks_end(&self) -> bool {
        match &self.time.feed {
            Feed::Replay(playback) => playback.lacks_end(),
            Feed::Live(_) | Feed::Simulated(_) => false,
        }
    }

    /// Reads the next piece of a session file that is not known to its end yet.
    pub fn read_on(&mut self) {
        let Feed::Replay(playback) = &mut self.time.feed else { return };
        self.drawing.need_if(playback.read_on());
        self.tell_unusable();
    }

    /// Once the file is known to its end: says which lines of it cannot be used, and why it ends there if it should not.
    pub fn tell_unusable(&mut self) {
        let Feed::Replay(playback) = &mut self.time.feed else { return };
        let Some(Unusable { count, first, end }) = playback.take_unusable() else { return };
        if let Some(line) = first.first() {
            let lines: Vec<String> = first.iter().map(|skipped| skipped.line.to_string()).collect();
            let more = if count > lines.len() { " and others" } else { "" };
            let (lines, why) = (lines.join(", "), &line.why);
            let text = format!("{count} of the file's lines were skipped: {lines}{more} (line {}: {why})", line.line);
            self.tell_long(Tone::Bad, text);
        }
        if let Some(error) = end {
            self.tell_long(Tone::Bad, format!("The file is not read any further: {error}"));
        }
    }

    /// What stands above the screens at this moment, if anything does.
    pub fn above_screen(&self) -> Option<AboveScreen> {
        let narrated = if self.vantage == Viewpoint::Lab { self.narrated() } else { None };
        // Amid a lesson there is enough to read, and a page needs the room.
        let is_tour = self.lesson.tour == Tour::Shown && !self.is_told() && self.dialogs.layer.is_none();
        narrated.or_else(|| is_tour.then_some(AboveScreen::Tour))
    }

    /// These words with the keys that this screen has for the actions that they name.
    pub fn worded(&self, words: &LessonText) -> String {
        words.with_keys(|name| {
            let action = Keymap::action_named(name);
            let key = action.map(|action| self.key(action)).filter(|key| !key.is_empty());
            // In another feed the action has no row: a key that nobody has bound is better than none.
            key.unwrap_or_else(|| own_key(name).unwrap_or_default().to_owned())
        })
    }

    /// Whether the lab tells something while its steps are played.
    pub fn is_told(&self) -> bool {
        self.book().is_some_and(|book| book.narrations().any(|(_, narration)| !narration.is_silent()))
    }

    fn narrated(&self) -> Option<AboveScreen> {
        let book = self.book()?;
        let world = &self.seen().world;
        let Some(step) = book.narrated(world) else {
            let is_ahead = world.steps.is_empty() && self.steps() == Steps::Held && self.permission().is_ok();
            let questions = book.narrations().filter(|(_, narration)| narration.question().is_some()).count();
            return (is_ahead && self.is_told()).then_some(AboveScreen::Beginning { questions });
        };
        let chapter = step.chapter;
        if self.lesson.dismissed.as_ref() == Some(&step.name) {
            return None;
        }
        let question = match step.words {
            NarratedWords::Say(words) => {
                return Some(AboveScreen::Said { chapter, text: self.worded(&words) });
            }
            NarratedWords::Ask(question) => question,
        };
        let answers = self.lesson.answers.get(&step.name).cloned();
        let answers = answers.unwrap_or_else(|| ClassAnswers::none(&question));
        let asked = self.asking();
        match (asked, answers.stage) {
            (Asking::Here, AnswerStage::Closed | AnswerStage::PassedOver) => {
                return self.has_told_all().then_some(AboveScreen::Ended);
            }
            (Asking::Elsewhere, AnswerStage::PassedOver) => return None,
            _ => {}
        }
        Some(AboveScreen::Asked { chapter, question, answers, asked })
    }

    /// The step and its question, if the picture shows a question that is not over on this screen.
    pub fn open_question(&self) -> Option<(String, ClassQuestion)> {
        self.open_question_of(&self.seen().world)
    }

    /// The same, if the picture were this world.
    pub fn open_question_of(&self, world: &World) -> Option<(String, ClassQuestion)> {
        if !self.stands_at_questions() {
            return None;
        }
        let step = self.book()?.narrated(world)?;
        let NarratedWords::Ask(question) = step.words else { return None };
        (!self.is_closed(&step.name)).then_some((step.name, question))
    }

    /// The steps whose questions are not over on this screen.
    fn questions_ahead(&self) -> BTreeSet<String> {
        let Some(book) = self.book().filter(|_| self.stands_at_questions()) else { return BTreeSet::new() };
        let asks =
            book.narrations().filter(|(name, narration)| narration.question().is_some() && !self.is_closed(name));
        asks.map(|(name, _)| name.to_owned()).collect()
    }

    /// How long it takes to read what each step says. The last words stay: nothing has to wait until they are read.
    fn reading_times(&self) -> BTreeMap<String, Duration> {
        let Some(book) = self.book() else { return BTreeMap::new() };
        let mut told = book.narrations().filter_map(|(name, narration)| Some((name, narration.words.as_ref()?)));
        told.next_back();
        let says = told.filter_map(|(name, words)| match words {
            NarratedWords::Say(text) => Some((name.to_owned(), reading_time(&text.to_string()))),
            NarratedWords::Ask(_) => None,
        });
        says.collect()
    }

    /// Where what plays is held on this screen.
    pub fn play_holds(&self) -> PlayHolds {
        let catches_up = matches!(self.time.rate(), Rate::CatchingUp { .. });
        let says = if catches_up { self.reading_times() } else { BTreeMap::new() };
        PlayHolds { asks: self.questions_ahead(), says }
    }

    /// The keys of an open question that work on this screen.
    pub fn question_keys(&self) -> impl Iterator<Item = &'static Binding> {
        let (stands, asking) = (self.stands_at_questions(), self.asking());
        QUESTIONS.iter().filter(move |row| stands && (asking == Asking::Here || row.action == Action::PassOver))
    }

    /// The step whose words belong to the picture.
    pub fn narrated_step(&self) -> Option<String> {
        Some(self.book()?.narrated(&self.seen().world)?.name)
    }

    fn is_closed(&self, step: &str) -> bool {
        self.lesson.answers.get(step).is_some_and(|answers| answers.stage.is_over())
    }

    /// Whether the picture stands where a question is asked: a session tells the answer at once, and a node knows of none.
    fn stands_at_questions(&self) -> bool {
        self.vantage == Viewpoint::Lab && self.asking() != Asking::Before
    }

    /// Whose the questions are.
    pub fn asking(&self) -> Asking {
        match (&self.time.feed, self.rights.role) {
            (Feed::Replay(_), _) => Asking::Before,
            (Feed::Live(_) | Feed::Simulated(_), Role::Owner) if self.vantage == Viewpoint::Lab => Asking::Here,
            (Feed::Live(_) | Feed::Simulated(_), _) => Asking::Elsewhere,
        }
    }

    /// Whether the picture has come to the end of the lab's lesson, with every word of it said.
    pub fn has_told_all(&self) -> bool {
        let Some(book) = self.book().filter(|_| self.asking() == Asking::Here) else { return false };
        let Some((last, narration)) = book.narrations().rfind(|(_, narration)| narration.words.is_some()) else {
            return false;
        };
        let is_taken = self.seen().world.steps.iter().any(|(name, _)| name == last);
        is_taken && (narration.question().is_none() || self.is_closed(last))
    }
}

/// Why this screen orders no faults.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NoFaults {
    /// The screen shows what has already happened.
    #[error("A replay takes no faults: it shows what has already happened.")]
    InAReplay,
    /// The screen shows the past of a running lab.
    #[error("This is the past, which takes no faults; {0} returns to the present of the lab.")]
    InThePast(String),
    /// The screen was opened only to watch.
    #[error("This screen is read-only and takes no faults; use `hustings watch` without --read-only.")]
    ReadOnly,
    /// The lab has ended.
    #[error("The lab is over and takes no more faults.")]
    Over,
}
