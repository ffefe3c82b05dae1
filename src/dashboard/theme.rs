//! All colours and glyphs of the screen, as named fields.
//!
//! Invariant: only the 16 ANSI colours, on the terminal's own foreground and background; without colour only bold, dim,
//! underlined and reversed are set, and no state is shown by colour alone.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::world::ProcessState;

/// Which characters the screen is drawn with.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Glyphs {
    /// Box drawing and geometric shapes.
    Unicode,
    /// ASCII alone (`--ascii`).
    Ascii,
}

/// Whether the screen has colours.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Colour {
    /// The terminal's 16 colours.
    Ansi,
    /// None (`NO_COLOR`).
    Mono,
}

/// How everything looks.
#[derive(Clone, Debug)]
pub struct Theme {
    /// The characters.
    pub glyphs: GlyphSet,
    /// Less important text.
    pub dim: Style,
    /// The lab's name, titles, keys.
    pub strong: Style,
    /// The row under the cursor.
    pub cursor: Style,
    /// A marked row's mark.
    pub mark: Style,
    /// A process that runs.
    pub running: Style,
    /// A process that starts.
    pub starting: Style,
    /// A process that is stopped or silent.
    pub paused: Style,
    /// A process that died.
    pub dead: Style,
    /// Status Normal.
    pub normal: Style,
    /// A status in which an election or a reorganization is under way.
    pub unsettled: Style,
    /// A process that has called for help.
    pub help: Style,
    /// LIVE.
    pub live: Style,
    /// FROZEN.
    pub frozen: Style,
    /// REPLAY.
    pub replay: Style,
    /// REC.
    pub recording: Style,
    /// All is well.
    pub good: Style,
    /// A violation, a failed expectation, an error.
    pub bad: Style,
    /// Unknown, excused, not in force.
    pub doubt: Style,
    /// A message that was received.
    pub received: Style,
    /// A message that was sent.
    pub sent: Style,
    /// A message that was dropped or held.
    pub lost: Style,
    /// A fault line.
    pub fault: Style,
    /// The prompt.
    pub prompt: Style,
    /// The groups, A first.
    pub groups: [Style; 6],
}

/// The characters of a screen.
#[derive(Clone, Debug)]
pub struct GlyphSet {
    /// Before `running`.
    pub running: &'static str,
    /// Before `starting`.
    pub starting: &'static str,
    /// Before `paused` and `silent`.
    pub paused: &'static str,
    /// Before `dead`.
    pub dead: &'static str,
    /// Before `absent`.
    pub absent: &'static str,
    /// The cursor's row.
    pub cursor: &'static str,
    /// A marked row.
    pub mark: &'static str,
    /// A good light.
    pub good: &'static str,
    /// A bad light.
    pub bad: &'static str,
    /// A light in doubt.
    pub doubt: &'static str,
    /// Between the parts of the header.
    pub between: &'static str,
    /// A rule across the screen.
    pub rule: &'static str,
    /// Before how often something was said.
    pub times: &'static str,
    /// The groups, A first, each with a mark of its own.
    pub groups: [&'static str; 6],
    /// Where a line is scrolled to the left.
    pub scrolled: &'static str,
    /// Where a text was cut.
    pub cut: &'static str,
    /// The edge of a box.
    pub border: border::Set<'static>,
}

const UNICODE: GlyphSet = GlyphSet {
    running: "●",
    starting: "◌",
    paused: "‖",
    dead: "✗",
    absent: "·",
    cursor: "›",
    mark: "◆",
    good: "●",
    bad: "✗",
    doubt: "?",
    between: "│",
    rule: "─",
    times: "×",
    groups: ["■", "▲", "▼", "◐", "▰", "▢"],
    scrolled: "«",
    cut: "…",
    border: border::PLAIN,
};

const ASCII: GlyphSet = GlyphSet {
    running: "*",
    starting: "o",
    paused: "=",
    dead: "x",
    absent: ".",
    cursor: ">",
    mark: "#",
    good: "*",
    bad: "x",
    doubt: "?",
    between: "|",
    rule: "-",
    times: "x",
    groups: ["#", "^", "%", "@", "&", "+"],
    scrolled: "<",
    cut: "~",
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
};

impl Theme {
    /// The theme of these choices.
    pub fn new(glyphs: Glyphs, colour: Colour) -> Theme {
        let glyphs = match glyphs {
            Glyphs::Unicode => UNICODE,
            Glyphs::Ascii => ASCII,
        };
        match colour {
            Colour::Ansi => Theme::ansi(glyphs),
            Colour::Mono => Theme::mono(glyphs),
        }
    }

    fn ansi(glyphs: GlyphSet) -> Theme {
        let of = |colour| Style::new().fg(colour);
        let bold = |colour| Style::new().fg(colour).add_modifier(Modifier::BOLD);
        Theme {
            running: of(Color::Green),
            starting: of(Color::Cyan),
            paused: of(Color::Yellow),
            dead: of(Color::Red),
            normal: Style::new(),
            unsettled: of(Color::Yellow),
            help: bold(Color::Magenta),
            live: bold(Color::Green),
            frozen: bold(Color::Cyan),
            replay: bold(Color::Magenta),
            recording: of(Color::Red),
            good: of(Color::Green),
            bad: bold(Color::Red),
            doubt: bold(Color::Yellow),
            received: Style::new(),
            sent: of(Color::Blue),
            lost: of(Color::Yellow),
            fault: of(Color::Red),
            prompt: bold(Color::Cyan),
            groups: [Color::Cyan, Color::Magenta, Color::Blue, Color::Yellow, Color::Green, Color::Red].map(bold),
            ..Theme::mono(glyphs)
        }
    }

    fn mono(glyphs: GlyphSet) -> Theme {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let dim = plain.add_modifier(Modifier::DIM);
        let reversed = plain.add_modifier(Modifier::REVERSED);
        Theme {
            glyphs,
            dim,
            strong: bold,
            cursor: reversed,
            mark: bold,
            running: plain,
            starting: plain,
            paused: bold,
            dead: dim,
            normal: plain,
            unsettled: bold,
            help: bold,
            live: bold,
            frozen: reversed,
            replay: reversed,
            recording: bold,
            good: plain,
            bad: reversed.add_modifier(Modifier::BOLD),
            doubt: bold.add_modifier(Modifier::UNDERLINED),
            received: plain,
            sent: plain,
            lost: bold,
            fault: bold,
            prompt: bold,
            groups: [bold; 6],
        }
    }

    /// Glyph, word and style of what a process does.
    pub fn process(&self, state: ProcessState) -> (&'static str, &'static str, Style) {
        match state {
            ProcessState::Absent => (self.glyphs.absent, "absent", self.dim),
            ProcessState::Starting => (self.glyphs.starting, "starting", self.starting),
            ProcessState::Running => (self.glyphs.running, "running", self.running),
            ProcessState::Paused => (self.glyphs.paused, "paused", self.paused),
            ProcessState::Dead => (self.glyphs.dead, "dead", self.dead),
        }
    }

    /// The mark of the group at this place, which tells it apart without its colour.
    pub fn group_mark(&self, place: usize) -> &'static str {
        self.glyphs.groups[place % self.glyphs.groups.len()]
    }

    /// The style of the group at this place, the one with the highest coordinator first.
    pub fn group(&self, place: usize) -> Style {
        self.groups[place % self.groups.len()]
    }
}
