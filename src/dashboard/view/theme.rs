//! All colours and characters of the screen, as named fields.
//!
//! Invariants: everything stands on the terminal's own background, and no colour is blue of the 16, which nobody can read
//! on black; without colour only bold, dim, underlined and reversed are set, and no state is shown by colour alone. Each
//! set of characters has one for everything, and those of one set differ where they stand for other things.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use world::ProcessState;

/// Whether the screen has colours.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Colour {
    /// The terminal's 16 colours.
    Ansi,
    /// Colours of our own, for a dark background.
    Dark,
    /// Colours of our own, for a light background.
    Light,
    /// The brightest of the 16 colours, and nothing dim.
    HighContrast,
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
    pub live: Style,
    pub frozen: Style,
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
    pub prompt: Style,
    /// The groups, A first.
    pub groups: [Style; 6],
}

/// The colours of a theme, by what they are nearest to.
struct Hues {
    green: Color,
    cyan: Color,
    sky: Color,
    yellow: Color,
    red: Color,
    magenta: Color,
    /// Less important text; absent: as the terminal makes it dim.
    faint: Option<Style>,
}

const ANSI: Hues = Hues {
    green: Color::Green,
    cyan: Color::Cyan,
    sky: Color::LightBlue,
    yellow: Color::Yellow,
    red: Color::Red,
    magenta: Color::Magenta,
    faint: None,
};

/// The colours that people with every kind of sight tell apart best, made brighter.
const DARK: Hues = Hues {
    green: Color::Rgb(60, 200, 150),
    cyan: Color::Rgb(100, 220, 230),
    sky: Color::Rgb(110, 180, 255),
    yellow: Color::Rgb(240, 220, 80),
    red: Color::Rgb(255, 120, 90),
    magenta: Color::Rgb(230, 150, 220),
    faint: Some(Style::new().fg(Color::Rgb(150, 150, 150))),
};

/// The same, made darker.
const LIGHT: Hues = Hues {
    green: Color::Rgb(0, 110, 75),
    cyan: Color::Rgb(0, 105, 125),
    sky: Color::Rgb(0, 80, 170),
    yellow: Color::Rgb(125, 90, 0),
    red: Color::Rgb(180, 40, 0),
    magenta: Color::Rgb(150, 40, 130),
    faint: Some(Style::new().fg(Color::Rgb(95, 95, 95))),
};

const HIGH_CONTRAST: Hues = Hues {
    green: Color::LightGreen,
    cyan: Color::LightCyan,
    sky: Color::White,
    yellow: Color::LightYellow,
    red: Color::LightRed,
    magenta: Color::LightMagenta,
    faint: Some(Style::new()),
};

impl Theme {
    /// The theme of these choices.
    pub fn new(glyphs: Glyphs, colour: Colour) -> Theme {
        let glyphs = match glyphs {
            Glyphs::Unicode => UNICODE,
            Glyphs::Ascii => ASCII,
        };
        match colour {
            Colour::Ansi => Theme::coloured(glyphs, &ANSI),
            Colour::Dark => Theme::coloured(glyphs, &DARK),
            Colour::Light => Theme::coloured(glyphs, &LIGHT),
            Colour::HighContrast => Theme::coloured(glyphs, &HIGH_CONTRAST),
            Colour::Mono => Theme::mono(glyphs),
        }
    }

    fn coloured(glyphs: GlyphSet, hues: &Hues) -> Theme {
        let of = |colour| Style::new().fg(colour);
        let bold = |colour| Style::new().fg(colour).add_modifier(Modifier::BOLD);
        let Hues { green, cyan, sky, yellow, red, magenta, faint } = *hues;
        let mono = Theme::mono(glyphs);
        Theme {
            dim: faint.unwrap_or(mono.dim),
            running: of(green),
            starting: of(cyan),
            paused: of(yellow),
            dead: of(red),
            normal: Style::new(),
            unsettled: of(yellow),
            help: bold(magenta),
            live: bold(green),
            frozen: bold(cyan),
            replay: bold(magenta),
            recording: of(red),
            good: of(green),
            bad: bold(red),
            doubt: bold(yellow),
            received: Style::new(),
            sent: of(sky),
            lost: of(yellow),
            fault: of(red),
            prompt: bold(cyan),
            groups: [cyan, magenta, sky, yellow, green, red].map(bold),
            ..mono
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

/// Which characters the screen is drawn with.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Glyphs {
    /// Box drawing and geometric shapes.
    Unicode,
    /// ASCII alone (`--ascii`).
    Ascii,
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
    /// At a process that lies.
    pub mask: &'static str,
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
    /// Of a bar beside a list, what is in sight.
    pub thumb: &'static str,
    /// A full cell of a bar, and an empty one.
    pub bar: [&'static str; 2],
    /// Where a text was cut.
    pub cut: &'static str,
    /// The edge of a box.
    pub border: border::Set<'static>,
    /// A link that is whole.
    pub whole: &'static str,
    /// In the matrix of links, where a node meets itself.
    pub itself: &'static str,
    /// Heads of arrows to the right, to the left, down and up.
    pub arrows: [&'static str; 4],
    /// Edges across, along, rising to the right and falling to the right.
    pub edges: [&'static str; 4],
    /// On the timeline: what has passed, what is to come, an election, a note, a fault, a violation, and the present.
    pub timeline: [&'static str; 7],
    pub flow: FlowGlyphs,
}

/// The characters of the flow.
#[derive(Clone, Debug)]
pub struct FlowGlyphs {
    /// The lane of a process that runs, and of one that is stopped.
    pub lanes: [&'static str; 2],
    /// The way of a message, and of a multicast.
    pub ways: [&'static str; 2],
    /// Where a way crosses a lane.
    pub crossings: [&'static str; 2],
    /// A sender, and one whose message comes in a later row.
    pub senders: [&'static str; 2],
    /// A receiver of what comes from the left, and from the right.
    pub heads: [&'static str; 2],
    /// A process that sends and receives.
    pub both: &'static str,
    /// A receipt of what an earlier row sent.
    pub receipt: &'static str,
    /// A message that is lost, and one that is on its way.
    pub ends: [&'static str; 2],
    /// A process that starts, and one that goes on.
    pub starts: [&'static str; 2],
    pub coordinator: &'static str,
    /// An idle time.
    pub idle: &'static str,
    /// The signs of the rows' words, and what stands for them.
    pub signs: &'static [(char, &'static str)],
}

/// Box drawing and geometric shapes.
pub const UNICODE: GlyphSet = GlyphSet {
    running: "●",
    starting: "◌",
    paused: "‖",
    mask: "☺",
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
    thumb: "█",
    bar: ["▮", "▯"],
    cut: "…",
    border: border::PLAIN,
    whole: "·",
    itself: "\\",
    arrows: ["▶", "◀", "▼", "▲"],
    edges: ["─", "│", "╱", "╲"],
    timeline: ["━", "─", "▒", "◆", "▼", "✗", "█"],
    flow: FlowGlyphs {
        lanes: ["│", "║"],
        ways: ["─", "═"],
        crossings: ["┼", "╪"],
        senders: ["●", "○"],
        heads: ["▶", "◀"],
        both: "◉",
        receipt: "●",
        ends: ["✗", "…"],
        starts: ["┬", "▷"],
        coordinator: "★",
        idle: "┆",
        signs: &[],
    },
};

/// ASCII alone.
pub const ASCII: GlyphSet = GlyphSet {
    running: "*",
    starting: "o",
    paused: "=",
    mask: "&",
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
    thumb: "#",
    bar: ["#", "."],
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
    whole: ".",
    itself: "\\",
    arrows: [">", "<", "v", "^"],
    edges: ["-", "|", "/", "\\"],
    timeline: ["=", "-", "E", "m", "f", "x", "#"],
    flow: FlowGlyphs {
        lanes: ["|", "\""],
        ways: ["-", "="],
        crossings: ["+", "+"],
        senders: ["o", "0"],
        heads: [">", "<"],
        both: "@",
        receipt: "o",
        ends: ["x", "~"],
        starts: ["v", ">"],
        coordinator: "*",
        idle: ":",
        signs: &[('→', "->"), ('←', "<-"), ('✓', "+"), ('✗', "x"), ('…', "~"), ('○', "o")],
    },
};

impl FlowGlyphs {
    /// The words with the signs that the screen has.
    pub fn spoken(&self, text: &str) -> String {
        let mut spoken = String::with_capacity(text.len());
        for c in text.chars() {
            match self.signs.iter().find(|(sign, _)| *sign == c) {
                Some((_, stands)) => spoken.push_str(stands),
                None => spoken.push(c),
            }
        }
        spoken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hues(theme: &Theme) -> Vec<Color> {
        let Theme { dim, running, starting, paused, dead, help, sent, .. } = theme;
        [dim, running, starting, paused, dead, help, sent]
            .into_iter()
            .chain(&theme.groups)
            .filter_map(|style| style.fg)
            .collect()
    }

    fn luminance(colour: Color) -> f64 {
        let Color::Rgb(red, green, blue) = colour else { panic!("{colour:?} is the terminal's own") };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn what_is_written_can_be_read() {
        for (colour, background) in [(Colour::Dark, 0.0), (Colour::Light, 1.0)] {
            for hue in hues(&Theme::new(Glyphs::Unicode, colour)) {
                let (one, other) = (luminance(hue) + 0.05, background + 0.05);
                assert!(f64::max(one, other) / f64::min(one, other) >= 4.5, "{hue:?} of {colour:?}");
            }
        }
        for colour in [Colour::Ansi, Colour::HighContrast] {
            let hues = hues(&Theme::new(Glyphs::Unicode, colour));
            assert!(!hues.contains(&Color::Blue) && !hues.contains(&Color::Black), "{colour:?}");
        }
        assert!(hues(&Theme::new(Glyphs::Unicode, Colour::Mono)).is_empty());
    }

    #[test]
    fn groups_have_marks_of_their_own() {
        for glyphs in [UNICODE, ASCII] {
            for (place, mark) in glyphs.groups.iter().enumerate() {
                assert!(!glyphs.groups[..place].contains(mark), "{mark}");
            }
        }
    }
}
