//! Everything the screen shows, as data.
//!
//! The model says which row is under a cursor, which rows pass the filter and which actions are allowed, to panels and
//! updates alike.
//!
//! Invariant: a panel takes `&Model` and reads what to show through [`Model::seen`]; it cannot tell where the records
//! come from, nor whether the picture is behind the present.

use std::time::Duration;

use super::action::{Action, FeedKind};
use super::answers::Lesson;
use super::beside::{Beside, PairSide};
use super::crossing::Crossing;
use super::delayed::Delayed;
use super::errand::ReadingErrand;
use super::feed::{Contact, Feed, Live};
use super::freshness::{EventPace, Freshness, Motion};
use super::journal::Filter;
use super::keymap::Keymap;
use super::marks::SessionMarks;
use super::options::{Access, Farewell, Mouse, Options, Role, Source};
use super::panes::Panes;
use super::paper_place::PaperPlace;
use super::playback::Playback;
use super::present::Present;
use super::prompt::{Histories, Prompt, Suggestion};
use super::scene::Scene;
use super::screen::Screen;
use super::simulated::SimulatedLab;
use super::spots::Spots;
use super::step_shelf::StepShelf;
pub use super::subject::{Layer, Subject};
use super::theme::Theme;
pub use super::toast::Tone;
use super::toast::{Toast, Toasts};
use super::why_line::WhyLine;
use super::why_sheet::Rerun;
use fault::FaultId;
use protocol::{ApplicationFacts, Criterion, NodeId, NodeSet, Property};
use record::Head;
use script::{PictureStop, SharedLab};

/// What no row shows is drawn so much later at the most: heartbeats come more often than a person looks.
const UNSEEN_WAIT: Duration = Duration::from_millis(100);

/// The model.
#[derive(Debug)]
pub struct Model {
    /// What the session's head says; absent before the first snapshot, and in a file that is cut within it.
    pub head: Option<Head>,
    /// Whether the screen sees the lab or one node alone.
    pub vantage: Vantage,
    /// Whether the person may order faults.
    pub access: Access,
    /// What leaving does to the lab.
    pub role: Role,
    /// Whether leaving asks first.
    pub farewell: Farewell,
    /// What the person was asked, and has not answered.
    pub asked: PendingQuestion,
    /// The source of the records, and its state.
    pub feed: Feed,
    /// The present.
    pub scene: Scene,
    /// The picture, if it is behind the present.
    pub delayed: Option<Box<Delayed>>,
    /// The running lab, while this screen shows its past.
    pub present: Option<Box<Present>>,
    /// The screen over which this one was opened.
    pub beneath: Option<Box<Model>>,
    /// The session beside this one, if this one is in front.
    pub beside: Option<Box<Beside<Model>>>,
    /// Which of two sessions side by side this one is.
    pub side: Option<PairSide>,
    /// Where this screen goes once its session has been read so far.
    pub errand: Option<ReadingErrand>,
    /// How far apart the events of a paced picture are.
    pub pace: EventPace,
    /// At what the picture stops, if it was asked to.
    pub stop: Option<PictureStop>,
    /// Which screen.
    pub screen: Screen,
    /// What lies over it.
    pub layer: Option<Layer>,
    /// The line that is being written.
    pub prompt: Option<Prompt>,
    /// The lines that were written before.
    pub histories: Histories,
    /// The messages to show for a while.
    pub toasts: Toasts,
    /// The row under the cursor on the overview.
    pub selected: Option<NodeId>,
    /// The marked rows.
    pub marked: NodeSet,
    /// The messages screen.
    pub reading: Reading,
    /// The panes of the overview.
    pub panes: Panes,
    /// The lab's steps, once they have been read.
    pub steps_read: StepShelf,
    /// The links screen.
    pub crossing: Crossing,
    /// The row under the cursor on the faults screen; absent: the newest.
    pub fault: Option<FaultId>,
    /// What was dismissed, answered and predicted.
    pub lesson: Lesson,
    /// The place in the paper's listing.
    pub paper: PaperPlace,
    /// The screen and the page from which one came to the paper.
    pub came_from: Option<(Screen, Option<Layer>)>,
    /// The number of the election under the cursor on the elections screen; absent: the newest.
    pub election: Option<u64>,
    /// How many groups below the last row in sight are hidden on the history screen.
    pub history_above: usize,
    /// How many columns the long lines of each screen are moved to the left.
    pub pans: [usize; Screen::ALL.len()],
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
    /// What people wrote about the session.
    pub marks: SessionMarks,
    /// Whether something on the screen has changed since the last drawing.
    pub is_dirty: bool,
    /// When it is drawn anyway, for what has changed only a little: a heartbeat came.
    pub redraw_at: Option<Duration>,
    /// The why line of the last drawing.
    pub why_line: WhyLine,
    /// What stands where in the last picture.
    pub spots: Spots,
}

/// Whose view the screen has.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Vantage {
    /// The view of the host: all nodes.
    Lab,
    /// The view of one node.
    Node(NodeId),
}

/// A question to the person.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PendingQuestion {
    /// None.
    Nothing,
    /// Whether the lab is to end.
    WhetherToEnd,
}

/// The state of the messages screen.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The number of the row under the cursor, when it does not follow.
    pub cursor: Option<u64>,
    /// Whether it follows.
    pub follow: Follow,
    /// What it shows.
    pub filter: Filter,
    /// Where it shows the receipt of a message whose sending it shows.
    pub receipts: Receipts,
}

/// Where the messages screen shows the receipt of a message.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Receipts {
    /// As a sign in the row of its sending.
    Folded,
    /// In a row of its own too, which says what the receiver did then.
    Shown,
}

/// Whether the screen keeps the newest message in sight.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Follow {
    /// It is.
    On,
    /// The cursor stays on its row.
    Off,
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
        let (mut simulated, scene) = SimulatedLab::new(lab);
        simulated.playback.motion = Motion::Playing;
        Model::new(options, Some(head), Feed::Simulated(simulated), scene)
    }

    fn new(options: &Options, head: Option<Head>, feed: Feed, scene: Scene) -> Model {
        let vantage = match &options.source {
            Source::Lab { node: Some(node), .. } => Vantage::Node(*node),
            Source::Lab { node: None, .. } | Source::Session(_) | Source::Simulated(_) => Vantage::Lab,
        };
        Model {
            head,
            vantage,
            access: options.access,
            role: options.role,
            farewell: options.farewell,
            asked: PendingQuestion::Nothing,
            feed,
            scene,
            delayed: None,
            present: None,
            beneath: None,
            beside: None,
            side: None,
            errand: None,
            pace: EventPace::FIRST,
            stop: None,
            screen: Screen::Overview,
            layer: None,
            prompt: None,
            histories: Histories::default(),
            toasts: Toasts::default(),
            selected: None,
            marked: NodeSet::EMPTY,
            reading: Reading {
                cursor: None,
                follow: Follow::On,
                filter: Filter::default(),
                receipts: Receipts::Folded,
            },
            panes: Panes::default(),
            steps_read: StepShelf::default(),
            crossing: Crossing::default(),
            fault: None,
            lesson: Lesson { tour: options.tour, ..Lesson::default() },
            paper: PaperPlace::default(),
            came_from: None,
            election: None,
            history_above: 0,
            pans: [0; Screen::ALL.len()],
            size: (80, 24),
            clock: Duration::ZERO,
            theme: Theme::new(options.glyphs, options.colour),
            keymap: options.keymap.clone(),
            mouse: options.mouse,
            rerun: options.rerun,
            marks: SessionMarks::default(),
            is_dirty: true,
            redraw_at: None,
            why_line: WhyLine::default(),
            spots: Spots::default(),
        }
    }

    /// Something has changed that no row shows: it is drawn with the next drawing, or by itself a little later.
    pub fn change_unseen(&mut self) {
        self.redraw_at.get_or_insert(self.clock + UNSEEN_WAIT);
    }

    /// All that has changed is drawn.
    pub fn be_drawn(&mut self) {
        (self.is_dirty, self.redraw_at) = (false, None);
    }

    /// What to show: the present, or the picture behind it.
    pub fn seen(&self) -> &Scene {
        self.delayed.as_deref().map_or(&self.scene, |delayed| &delayed.scene)
    }

    /// How far the picture is behind the present, in nanoseconds, if it is a picture of a running lab.
    pub fn behind(&self) -> i64 {
        let present = self.present.as_ref().map_or(&self.scene, |present| &present.scene);
        present.at.saturating_sub(self.seen().at).max(0)
    }

    /// The running lab or the session, also while the screen shows the lab's past.
    pub fn lab_feed(&self) -> &Feed {
        self.present.as_ref().map_or(&self.feed, |present| &present.feed)
    }

    /// How current the records of the lab are, also while the screen shows the lab's past.
    pub fn lab_standing(&self) -> Freshness {
        self.lab_feed().standing()
    }

    /// The kind of feed, for the table of keys.
    pub fn feed_kind(&self) -> FeedKind {
        match (&self.present, self.side) {
            (Some(_), _) => FeedKind::Past,
            (None, Some(_)) => FeedKind::Pair,
            (None, None) => self.feed.kind(),
        }
    }

    /// The name of the key that does this here.
    pub fn key(&self, action: Action) -> String {
        self.keymap.name_of(action, self.feed_kind())
    }

    /// How current and complete the shown records are.
    pub fn standing(&self) -> Freshness {
        self.feed.standing()
    }

    /// Whether the lab has sent nothing yet, so that there is nothing to show.
    pub fn awaits_lab(&self) -> bool {
        self.head.is_none() && matches!(&self.feed, Feed::Live(Live { contact: Contact::Calling, .. }))
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

    /// The screens of this lab: only one that keeps a history of its groups has a screen for it.
    pub fn screens(&self) -> &'static [Screen] {
        let keeps_history = self.application().is_some_and(|of| of.promises.contains(&Property::History));
        &Screen::ALL[..Screen::ALL.len() - usize::from(!keeps_history)]
    }

    /// The nodes that have a row: all, or the one whose view the screen has.
    pub fn rows(&self) -> Vec<NodeId> {
        match self.vantage {
            Vantage::Lab => self.seen().world.nodes.keys().copied().collect(),
            Vantage::Node(node) => vec![node],
        }
    }

    /// The node under the cursor: the selected one, or the first.
    pub fn selected_node(&self) -> Option<NodeId> {
        let rows = self.rows();
        self.selected.filter(|node| rows.contains(node)).or(rows.first().copied())
    }

    /// How many columns the long lines of this screen are moved to the left.
    pub fn pan(&self) -> usize {
        self.pans[self.screen as usize]
    }

    /// The suggestions for the line that is being written.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        self.prompt.as_ref().map_or_else(Vec::new, |prompt| prompt.suggestions(self.feed_kind()))
    }

    /// Since when the lab is silent, if it is.
    pub fn silent_since(&self) -> Option<i64> {
        match &self.feed {
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
        self.is_dirty = true;
    }
}
