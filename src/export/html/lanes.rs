//! The strokes of the flow's picture: the lanes, the ways of messages, the signs of new states.
//!
//! Invariant: a row's picture holds all that belongs to the row and nothing else: its lanes come in at the top and go out
//! at the bottom. What a stroke looks like is a class out of a fixed list; the only text of a session in a picture is a
//! state's sign and its words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dashboard::sign_within;
use protocol::{NodeId, NodeMap, NodeSet, Status};
use web::escaped;
use world::ProcessState;
use world::flow::{Arrow, ArrowEnd, FlowLane, LaneChange};

/// From one lane to the next, and to the first, in pixels.
const LANE: u32 = 44;
const MARGIN: u32 = 26;
/// A row's lanes are drawn down to here and end with the row, however high its words make it.
const LANE_END: u32 = 4_000;
/// So many colours are told apart; the coordinators take turns in them.
const COLOURS: u16 = 8;
/// A sign has at most so many characters.
const SIGN_MAX: usize = 2;

/// A message's way on one line of a row.
pub(super) enum MessageWay<'a> {
    /// Was sent here.
    Sent(&'a Arrow),
    /// Was sent in an earlier row, and came here.
    Received {
        /// By this node.
        from: NodeId,
        /// At these nodes.
        to: Vec<NodeId>,
    },
}

/// The strokes of a row so far, and how the lanes look there.
pub(super) struct LaneStrokes {
    nodes: NodeSet,
    /// How each lane looks, and since where in this row.
    stretches: NodeMap<(LaneStyle, u32)>,
    /// The lanes, which everything else stands on: the stretches of each look.
    ground: BTreeMap<LaneStyle, String>,
    svg: String,
}

/// The class of a lane, and the colour of its coordinator.
type LaneStyle = (&'static str, u16);

impl LaneStrokes {
    /// The lanes of these nodes, without a process yet.
    pub fn of(nodes: NodeSet) -> LaneStrokes {
        let stretches = nodes.iter().map(|node| (node, (("absent", 0), 0))).collect();
        LaneStrokes { nodes, stretches, ground: BTreeMap::new(), svg: String::new() }
    }

    /// How wide the picture is.
    pub fn width(&self) -> u32 {
        self.nodes.len() as u32 * LANE + MARGIN
    }

    /// The numbers of the nodes, each above its lane.
    pub fn heads(&self) -> String {
        self.nodes.iter().map(|node| format!("<text x=\"{}\" y=\"18\">{node}</text>", self.x_of(node))).collect()
    }

    /// The picture of the row, with its lanes down to its end; the next row begins.
    pub fn end_row(&mut self) -> String {
        for (node, (look, _)) in self.stretches.clone() {
            self.turn(node, look, LANE_END);
            self.stretches.insert(node, (look, 0));
        }
        let ground = std::mem::take(&mut self.ground).into_iter();
        let ground = ground.map(|((kind, colour), way)| format!("<path class=\"lane {kind} k{colour}\" d=\"{way}\"/>"));
        ground.collect::<String>() + &std::mem::take(&mut self.svg)
    }

    /// Draws the way of a message.
    pub fn draw_way(&mut self, way: &MessageWay<'_>, y: u32) {
        let (from, mut heads): (NodeId, Vec<(NodeId, &str, bool)>) = match way {
            MessageWay::Sent(arrow) => {
                let head = |to: NodeId, end: &ArrowEnd| match end {
                    ArrowEnd::Arrived => (to, "came", false),
                    ArrowEnd::Answered => (to, "came", true),
                    ArrowEnd::AnswerLost => (to, "unanswered", true),
                    ArrowEnd::Dropped(_) | ArrowEnd::Lost(_) => (to, "lost", false),
                    ArrowEnd::Held(_) => (to, "held", false),
                    ArrowEnd::Flying | ArrowEnd::Later | ArrowEnd::Unknown => (to, "later", false),
                };
                (arrow.from, arrow.heads.iter().map(|end| head(end.to, &end.end)).collect())
            }
            MessageWay::Received { from, to } => (*from, to.iter().map(|to| (*to, "came", false)).collect()),
        };
        // What is near is drawn over what is far.
        heads.sort_by_key(|(to, ..)| std::cmp::Reverse(self.x_of(*to).abs_diff(self.x_of(from))));
        let class = if matches!(way, MessageWay::Sent(_)) { "sent" } else { "receipt" };
        let x = self.x_of(from);
        for (to, end, is_answered) in heads {
            let (to_x, side) = (self.x_of(to), if self.x_of(to) >= x { -1 } else { 1 });
            let tip = to_x as i32 + side * 3;
            self.add(format_args!("<path class=\"{class} {end}\" d=\"M{x} {y}H{tip}\"/>"));
            match end {
                "lost" => {
                    let at = tip + side * 6;
                    self.add(format_args!(
                        "<path class=\"lost cross\" d=\"M{} {}l8 8m0 -8l-8 8\"/>",
                        at - 4,
                        y as i32 - 4
                    ));
                }
                "later" | "held" => self.add(format_args!("<circle class=\"{end}\" cx=\"{tip}\" cy=\"{y}\" r=\"3\"/>")),
                _ => self.add(format_args!("<path class=\"{end} head\" d=\"M{tip} {y}l{} -4v8z\"/>", side * 7)),
            }
            if is_answered {
                self.add(format_args!("<circle class=\"answer {end}\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"));
            }
        }
        if class == "sent" {
            self.add(format_args!("<circle class=\"from\" cx=\"{x}\" cy=\"{y}\" r=\"2.5\"/>"));
        }
    }

    /// Draws a change of a lane, after which it is this one, in the row of this place.
    pub fn draw_change(&mut self, node: NodeId, change: &LaneChange, after: &FlowLane, y: u32, row: usize) {
        self.turn(node, look(after), y);
        // A process that goes on is in the state in which it was paused: the row shows it again.
        let change = match (change, &after.state) {
            (LaneChange::Process(ProcessState::Running), Some(state)) => &LaneChange::State(state.clone()),
            (change, _) => change,
        };
        let Some(words) = change.words() else { return };
        let (kind, colour) = look(after);
        let (x, words) = (self.x_of(node), escaped(&words));
        let (sign, is_coordinator) = match change {
            LaneChange::State(state) => (sign_within(state, SIGN_MAX), state.coordinator == Some(node)),
            LaneChange::Process(ProcessState::Dead) => ("✗".to_owned(), false),
            LaneChange::Process(_) => ("=".to_owned(), false),
        };
        let shape = match is_coordinator {
            true => format!("<rect x=\"{}\" y=\"{}\" width=\"17\" height=\"17\"/>", x as f64 - 8.5, y as f64 - 8.5),
            false => format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"8.5\"/>"),
        };
        self.add(format_args!(
            "<g class=\"change {kind} k{colour}\" data-node=\"{node}\" data-row=\"{row}\"><title>{words}</title>{shape}\
             <text x=\"{x}\" y=\"{}\">{}</text></g>",
            y + 4,
            escaped(&sign)
        ));
    }

    /// Draws the lane up to here; from here on it looks like this.
    fn turn(&mut self, node: NodeId, after: LaneStyle, y: u32) {
        let x = self.x_of(node);
        let (before, since) = self.stretches.insert(node, (after, y)).unwrap_or((after, y));
        if y > since {
            let way = self.ground.entry(before).or_default();
            write!(way, "M{x} {since}V{y}").expect("memory can be written to");
        }
    }

    fn x_of(&self, node: NodeId) -> u32 {
        let place = self.nodes.iter().position(|other| other == node).unwrap_or(0);
        MARGIN + place as u32 * LANE
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        write!(self.svg, "{text}").expect("memory can be written to");
    }
}

fn look(lane: &FlowLane) -> LaneStyle {
    match (lane.process, &lane.state) {
        (ProcessState::Absent, _) => ("absent", 0),
        (ProcessState::Dead, _) => ("dead", 0),
        (ProcessState::Paused, _) => ("paused", 0),
        (ProcessState::Starting, _) | (_, None) => ("starting", 0),
        (_, Some(state)) => match (state.status, state.coordinator) {
            (Status::Normal, Some(coordinator)) => ("normal", (coordinator.get() - 1) % COLOURS),
            (Status::Reorganization, Some(coordinator)) => ("reorganizing", (coordinator.get() - 1) % COLOURS),
            _ => ("electing", 0),
        },
    }
}
