//! The one table of all actions of a person: footer, help, palette and keys come from it.
//!
//! Invariant: within one kind of feed no two rows have the same key, and every row does something there. A running lab and
//! its past are two kinds, because other keys move in them.

use crossterm::event::{KeyCode, KeyEvent};

use super::key::Key;

/// What a person can do.
#[expect(missing_docs, reason = "the row of each in the table says what it does")]
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Action {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    First,
    Last,
    NextPane,
    PreviousPane,
    Unfold,
    Heartbeats,
    Cause,
    Consequence,
    Zoom,
    Overview,
    Messages,
    Faults,
    Paper,
    Links,
    Elections,
    History,
    Violations,
    Promises,
    Steps,
    Predict,
    Score,
    Answer,
    Reveal,
    PassOver,
    Tour,
    Open,
    Why,
    Copy,
    Mouse,
    Back,
    Mark,
    Crash,
    Recover,
    PauseOrResume,
    IsolateOrRejoin,
    Elect,
    OrderApplication,
    Loss,
    Delay,
    Partition,
    LieOrBeHonest,
    SlowMotion,
    Undo,
    HealAll,
    PlaySteps,
    Palette,
    Filter,
    NextMatch,
    PreviousMatch,
    Follow,
    Freeze,
    LastMinute,
    Pace,
    StopWhen,
    PlayOrStand,
    EventBack,
    EventForward,
    SecondBack,
    SecondForward,
    FaultBack,
    FaultForward,
    ViolationBack,
    ViolationForward,
    ElectionBack,
    ElectionForward,
    NoteBack,
    NoteForward,
    WriteMarker,
    Slower,
    Faster,
    Beginning,
    End,
    Redraw,
    Suspend,
    OtherSession,
    Difference,
    Sessions,
    Help,
    Quit,
}

/// A heading of the help.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Heading {
    /// Moving about.
    Move,
    /// Breaking things.
    Break,
    /// Finding and looking.
    Look,
    /// Moving in time.
    Time,
    Lesson,
    Program,
}

impl Heading {
    /// All, in the order of the help.
    pub const ALL: [Heading; 6] =
        [Heading::Break, Heading::Time, Heading::Look, Heading::Lesson, Heading::Move, Heading::Program];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Heading::Move => "Move",
            Heading::Break => "Break and mend (on the row, or on the marked rows)",
            Heading::Look => "Look",
            Heading::Time => "Move in time",
            Heading::Lesson => "Learn",
            Heading::Program => "Program",
        }
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    /// What it does.
    pub action: Action,
    /// The keys, unless a person binds others.
    pub keys: &'static [Key],
    /// The name in the palette.
    pub name: &'static str,
    /// What it does, as the help says it.
    pub about: &'static str,
    /// The word in the footer, and how early the footer drops it (0: never shown).
    pub hint: (&'static str, u8),
    /// Where the help lists it.
    pub group: Heading,
    /// In which feeds it applies.
    pub feeds: Feeds,
}

const fn letter(c: char) -> Key {
    Key::Plain(KeyCode::Char(c))
}

const fn named(code: KeyCode) -> Key {
    Key::Plain(code)
}

macro_rules! table {
    ($table:ident $about_table:literal; $($group:ident $feeds:ident $action:ident [$($key:expr),+] $name:literal ($hint:literal $rank:literal) $about:literal;)*) => {
        #[doc = $about_table]
        pub const $table: &[Binding] = &[$(Binding {
            action: Action::$action,
            keys: &[$($key),+],
            name: $name,
            about: $about,
            hint: ($hint, $rank),
            group: Heading::$group,
            feeds: Feeds::$feeds,
        }),*];
    };
}

table! {
    TABLE "The table.";
    Break All Crash [letter('c')] "crash" ("crash" 2) "kill its process (SIGKILL)";
    Break All Recover [letter('r')] "recover" ("recover" 3) "start a new process on the same store and address";
    Break All PauseOrResume [letter('p')] "pause or resume" ("pause" 4) "stop its process where it stands, or let it \
        go on";
    Break All IsolateOrRejoin [letter('i')] "isolate or rejoin" ("isolate" 7) "lose all that it sends or should \
        receive, or end this loss";
    Break All Elect [letter('e')] "elect" ("elect" 8) "order it to hold an election";
    Break All OrderApplication [letter('a')] "order" ("" 0) "hand it a user's request, or in a lab with updates order \
        it to add 1 to the counter; a line such as `update 3 7` adds another number";
    Break All Loss [letter('o')] "loss" ("loss" 10) "lose a share of what it sends; asks for the line";
    Break All Delay [letter('d')] "delay" ("delay" 11) "hold back what it sends; asks for the line";
    Break All Partition [letter('x')] "partition" ("partition" 6) "lose all between the marked rows and the rest; \
        asks for the line";
    Break All LieOrBeHonest [letter('L')] "lie or be honest" ("lie" 13) "order it to lie, which asks for the lie, or a liar to be \
        honest again";
    Break Live SlowMotion [letter('T')] "slow motion" ("" 0) "run the lab's time at another speed, from 0.02x to 10x; asks \
        for the line. Real datagrams still take a real tenth of a millisecond";
    Break All Undo [letter('u')] "undo" ("undo" 5) "undo the last fault that is not undone yet";
    Break All HealAll [letter('U')] "heal all" ("heal all" 9) "end all link faults, resume paused nodes, recover \
        dead nodes";
    Break Live Mark [letter(' '), letter('m')] "mark" ("mark" 12) "mark the row, or unmark it";
    Break Simulated Mark [letter('m')] "mark" ("mark" 12) "mark the row, or unmark it";
    Break All PlaySteps [letter('S')] "play steps" ("play steps" 1) "play the lab's own steps from now on";
    Time Timed PlayOrStand [letter(' ')] "play or stop" ("play" 1) "play at the speed in the header, or stop";
    Time Timed EventBack [letter(',')] "event back" ("event back" 4) "back to the event before that the flow shows";
    Time Timed EventForward [letter('.')] "event forward" ("event on" 3) "on to the next event that the flow shows";
    Time Timed SecondBack [letter('h'), named(KeyCode::Left)] "second back" ("-1 s" 6) "one second back";
    Time Timed SecondForward [letter('l'), named(KeyCode::Right)] "second forward" ("+1 s" 5) "one second forward";
    Time Timed FaultBack [letter('[')] "previous fault" ("fault back" 8) "to the previous fault";
    Time Timed FaultForward [letter(']')] "next fault" ("fault on" 7) "to the next fault";
    Time Timed ViolationBack [letter('{')] "previous violation" ("violation back" 10) "to the previous violation";
    Time Timed ViolationForward [letter('}')] "next violation" ("violation on" 9) "to the next violation";
    Time Timed ElectionBack [letter('(')] "previous election" ("election back" 13) "to the beginning of the previous election";
    Time Timed ElectionForward [letter(')')] "next election" ("election on" 12) "to the beginning of the next election";
    Time Recorded NoteBack [letter('K')] "previous marker" ("marker back" 15) "to the previous marker, note or chapter";
    Time Recorded NoteForward [letter('J')] "next marker" ("marker on" 14) "to the next marker, note or chapter";
    Time Timed Slower [letter('-')] "slower" ("slower" 12) "play slower; the slowest is a fiftieth of the lab's time";
    Time Timed Faster [letter('=')] "faster" ("faster" 11) "play faster; the fastest is 16 times the lab's time";
    Time Timed Beginning [named(KeyCode::Home)] "beginning" ("beginning" 13) "go to the beginning of the session";
    Time Timed End [named(KeyCode::End)] "end" ("end" 14) "go to the end of the session";
    Look All Palette [letter(':')] "palette" ("line" 15) "write the name of an action in this list, a time to seek, or a fault line, where these do something";
    Look All Open [named(KeyCode::Enter)] "details" ("details" 16) "show all about the row";
    Look All Why [letter('v')] "why" ("why" 16) "why the node, the row of the flow, the message or the election is as \
        it is; pressed again, which faults were needed";
    Look All Copy [letter('Y')] "copy" ("" 0) "send what is under the cursor, or all of the open page, to the terminal's \
        clipboard";
    Look All Filter [letter('/')] "filter" ("filter" 17) "show only rows that contain all of these words, and no word after a `!`; in the flow, a number names a process";
    Look All NextMatch [letter('n')] "next match" ("next" 18) "to the next row that passes the filter";
    Look All PreviousMatch [letter('N')] "previous match" ("" 0) "to the row before that passes the filter";
    Look All Follow [letter('f')] "follow" ("follow" 18) "follow the newest message, in the flow the newest row, in the paper the node, or stop following it";
    Look Live Freeze [letter('F')] "freeze" ("freeze" 19) "freeze the screen while the lab goes on, or return to the \
                                                           present";
    Look Running LastMinute [letter('R')] "last minute" ("last minute" 19) "play the last minute again while the lab goes on, or \
        return to the present";
    Look Timed Pace [letter('P')] "paced view" ("paced" 20) "play what happens event by event, slow enough to watch, or \
        no longer";
    Look Live Pace [letter('P')] "paced view" ("paced" 20) "play what happens event by event, slow enough to watch, or no \
        longer; the lab itself goes on as it does";
    Look All StopWhen [letter('W')] "stop when" ("stop when" 21) "stop the picture when an election begins, a violation \
        comes or a condition holds; asks for it, and pressed again forgets it";
    Look Live Slower [letter('-')] "slower" ("" 0) "a paced view with twice the time between two events";
    Look Live Faster [letter('=')] "faster" ("" 0) "a paced view with half the time between two events";
    Look All WriteMarker [letter('M')] "write a marker" ("" 0) "write a marker at this moment, beside the session; `:note TEXT` \
        and `:chapter TEXT` write others, and `:unmark` takes one back";
    Look All Overview [letter('1')] "overview" ("" 0) "the nodes and the flow, and the log where there is room";
    Look All Messages [letter('2')] "messages" ("" 0) "every message and event";
    Look All Faults [letter('3')] "faults" ("" 0) "every fault line, its state and its effects";
    Look All Paper [letter('4')] "paper" ("" 0) "the algorithm's listing, and where each process is in it; from a \
        record, its lines, and Esc leads back";
    Look All Links [letter('5')] "links" ("" 0) "who hears whom: what is in force on each link, and what waits there";
    Look All Elections [letter('6')] "elections" ("" 0) "the latest elections: who began each and why, what it cost, \
        how it ended; Enter goes there in the flow";
    Look All History [letter('7')] "history" ("" 0) "the history of the groups, in a lab that keeps one: its members, and \
        the groups from which they came";
    Look All Violations [letter('V')] "violations" ("" 0) "the list of violations; Enter opens one";
    Look All Promises [letter('A')] "promises" ("" 0) "what the algorithm assumes and promises, and what broke it";
    Look All Steps [letter('s')] "steps" ("steps" 19) "the lab's steps: which were taken, which is next, and what it waits \
                                                       for since when";
    Look All Unfold [letter('+')] "unfold" ("unfold" 21) "show each sending in the flow, or fold those that belong \
                                                         together; among many nodes, show each node, or the groups; \
                                                         among the messages, show each receipt, or fold it";
    Look All Heartbeats [letter('b')] "heartbeats" ("" 0) "show heartbeats, other periodic messages and what liars whisper in the flow, \
                                                            or hide them";
    Look All Cause [letter('<')] "cause" ("" 0) "in the flow, go to the row that caused this one; among \
                                                 the links, to the receiver before";
    Look All Consequence [letter('>')] "consequence" ("" 0) "in the flow, go to the next row that this one \
                                                              caused; among the links, to the next receiver";
    Look All Zoom [letter('z')] "zoom" ("zoom" 22) "give the pane that you are in, or the drawing of the links, the whole \
                                            screen, or a part of it";
    Look All NextPane [named(KeyCode::Tab)] "next pane" ("panes" 20) "the next pane, then the next screen";
    Look All PreviousPane [named(KeyCode::BackTab)] "previous pane" ("" 0) "the pane before, then the screen before";
    Lesson All Predict [letter('w')] "predict" ("" 0) "predict who wins the next election, and with how many messages; \
        asks for both";
    Lesson All Score [letter('y')] "score" ("" 0) "what was predicted, what came of it, and the score";
    Lesson All Tour [letter('t')] "tour" ("" 0) "hide the strip for newcomers for good; pressed again, show it once more";
    Move All Mouse [letter('@')] "mouse" ("" 0) "let a click select, the wheel scroll and a click on a session's band \
        seek; pressed again, the mouse is the terminal's, which selects text with it";
    Move All Up [letter('k'), named(KeyCode::Up)] "up" ("" 0) "a row up";
    Move All Down [letter('j'), named(KeyCode::Down)] "down" ("" 0) "a row down";
    Move Live Left [letter('h'), named(KeyCode::Left)] "left" ("" 0) "scroll long lines to the left; where the nodes stand side by side, to the node before; among the links, to the receiver before";
    Move Live Right [letter('l'), named(KeyCode::Right)] "right" ("" 0) "scroll long lines to the right; where the nodes stand side by side, to the next node; among the links, to the next receiver";
    Move All PageUp [named(KeyCode::PageUp)] "page up" ("" 0) "a page up";
    Move All PageDown [named(KeyCode::PageDown)] "page down" ("" 0) "a page down";
    Move Live First [letter('g'), named(KeyCode::Home)] "first" ("" 0) "the first row";
    Move Timed First [letter('g')] "first" ("" 0) "the first row";
    Move Live Last [letter('G'), named(KeyCode::End)] "last" ("" 0) "the last row; on the messages screen, follow again";
    Move Timed Last [letter('G')] "last" ("" 0) "the last row; on the messages screen, follow again";
    Move All Back [named(KeyCode::Esc)] "back" ("" 0) "close what is open; then clear the filter and the marks, \
                                                       return to the nodes, to the present, to screen 1";
    Look Pair OtherSession [letter('X')] "other session" ("other" 2) "take the other session to the front: the keys move in that one, \
        and this one follows in time";
    Look Pair Difference [letter('D')] "difference" ("difference" 3) "go to the first difference of the two sessions; pressed there, \
        tell all about it";
    Program All Sessions [letter('O')] "sessions" ("" 0) "the recorded sessions; Enter opens one over this screen, and `q` leads \
        back; `:open last` opens one by its name";
    Program All Help [letter('?')] "help" ("" 0) "this list";
    Program All Redraw [Key::Ctrl('l')] "redraw" ("" 0) "draw the screen again";
    Program All Suspend [Key::Ctrl('z')] "suspend" ("" 0) "back to the shell; `fg` returns";
    Program All Quit [letter('q'), Key::Ctrl('c')] "quit" ("" 0) "close what is open; then leave: the bottom \
        right says what happens to the lab, and a lab that would end is asked about first";
}

table! {
    QUESTIONS "The keys that an open question takes before all others.";
    Lesson All Answer [letter('1'), letter('2'), letter('3'), letter('4'), letter('5'), letter('6')] "answer" ("answers" 1)
        "add an answer for the choice of this number; several people may answer";
    Lesson All Reveal [named(KeyCode::Enter)] "reveal" ("reveals" 2) "show the right answer and why; pressed again, go on";
    Lesson All PassOver [named(KeyCode::Esc)] "pass over" ("passes over" 3) "go on without an answer";
}

/// The action of this key while a question is open.
pub fn question_action_of(event: &KeyEvent) -> Option<Action> {
    let key = Key::of(event)?;
    QUESTIONS.iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}

/// The rows that apply in this feed.
pub fn rows(feed: FeedKind) -> impl Iterator<Item = &'static Binding> {
    TABLE.iter().filter(move |binding| binding.feeds.holds_in(feed))
}

/// Whether the action orders faults, or asks for a fault line.
pub fn is_fault_key(action: Action) -> bool {
    TABLE.iter().any(|row| row.action == action && row.group == Heading::Break) && action != Action::Mark
}

/// The action of this name in this feed.
pub fn action_named(name: &str, feed: FeedKind) -> Option<Action> {
    rows(feed).find(|binding| binding.name == name).map(|binding| binding.action)
}

/// Where the records come from.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FeedKind {
    /// A running lab.
    Live,
    /// The last minute of a running lab.
    Past,
    /// A session file.
    Replay,
    /// Two session files side by side.
    Pair,
    /// A lab in virtual time.
    Simulated,
}

impl FeedKind {
    /// All of them.
    pub const ALL: [FeedKind; 5] =
        [FeedKind::Live, FeedKind::Past, FeedKind::Replay, FeedKind::Pair, FeedKind::Simulated];
}

/// In which feeds a row of the table applies.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Feeds {
    /// In all.
    All,
    /// In the present of a running lab only.
    Live,
    /// In a running lab, its present and its past.
    Running,
    /// In feeds with movable time: a running lab's past, a replay and a simulated lab.
    Timed,
    /// In what was recorded: a running lab's past, a replay, and two of them.
    Recorded,
    /// In two replays side by side only.
    Pair,
    /// In a simulated lab only.
    Simulated,
}

impl Feeds {
    /// Whether the row applies in this feed.
    pub fn holds_in(self, feed: FeedKind) -> bool {
        match self {
            Feeds::All => true,
            Feeds::Live => feed == FeedKind::Live,
            Feeds::Running => matches!(feed, FeedKind::Live | FeedKind::Past),
            Feeds::Timed => feed != FeedKind::Live,
            Feeds::Recorded => matches!(feed, FeedKind::Past | FeedKind::Replay | FeedKind::Pair),
            Feeds::Pair => feed == FeedKind::Pair,
            Feeds::Simulated => feed == FeedKind::Simulated,
        }
    }
}
