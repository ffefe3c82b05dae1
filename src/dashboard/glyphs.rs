//! The characters that the screen is drawn with.
//!
//! Invariant: each set has a character for everything, and those of one set differ where they stand for other things.

use ratatui::symbols::border;

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
    /// The flow.
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
    /// The coordinator.
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
