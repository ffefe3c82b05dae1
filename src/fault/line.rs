//! The one text form of faults, such as `crash 5` or `loss 2->* 30%`.
//!
//! Invariant: a line reads back what it prints, and an error says where the line goes wrong and shows the form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{BurstLength, Cast, ClockRate, FaultId, Loss, ReleaseOrder, Tampering};
use crate::protocol::{NodeId, NodeSet, Span};

/// Every form of a fault line with what it does; help, palette and error texts read this table.
pub const FORMS: &[(&str, &str)] = &[
    ("crash N", "kill the process (SIGKILL)"),
    ("recover N", "start a new process on the same store and address"),
    ("pause N", "stop the process where it stands (SIGSTOP)"),
    ("resume N", "let it go on (SIGCONT)"),
    ("elect N", "order it to hold an election"),
    (
        "start-over N",
        "order it to call Recovery without a crash (Bully): it forgets who halted it, and holds an election",
    ),
    ("wipe N", "its next start finds nothing saved, unless it saves before"),
    ("rollback N", "its next start finds what it had saved before its last save, unless it saves before"),
    ("slow N P%", "let it run for this share of every 2T, and stand still for the rest (SIGSTOP, SIGCONT)"),
    ("clock N Rx", "run its timers at another rate, from 0.1x to 10x, until it is lifted: 1.5x is half as fast again"),
    ("cut A->B", "lose all that A sends to B"),
    ("cut A<->B", "lose all between A and B"),
    ("cut A->B multicast", "lose all that A broadcasts at B, and nothing else"),
    ("cut A->B unicast", "lose all that A sends to B alone; `<->` cuts one channel both ways"),
    ("isolate N", "lose all that N sends or should receive"),
    ("partition 1,2|3,4,5", "lose all between the parts"),
    ("loss A->B P%", "lose each datagram from A to B with this chance"),
    ("loss A->B P% bursts L", "lose the same share in runs, of L datagrams on average"),
    ("partial A->B K", "of each broadcast of A only K of B, drawn anew each time, hear it"),
    ("delay A->B D", "hold each datagram from A to B so long"),
    ("delay A->B D..D", "hold each datagram for a time from this range"),
    ("hold A->B", "keep back all that A sends to B until it is released; it dies with B"),
    ("release A->B", "let what is held from A to B come, in order"),
    ("release A->B reversed", "let it come youngest first: the order filter drops the others"),
    ("corrupt A->B P%", "spoil each datagram with this chance; its tag tells, and it is lost"),
    ("duplicate A->B P%", "deliver each message twice with this chance, behind the order filter"),
    ("reorder A->B P%", "let each message be overtaken with this chance, behind the order filter"),
    ("garble A->B P%", "change each message's body with this chance, behind its tag"),
    ("lift F", "end the one fault with this id, such as `lift f2`"),
    ("heal", "end all link faults"),
    ("heal all", "end all link faults, continue the stopped, recover the dead"),
    ("undo", "undo the last fault that is not yet undone"),
];

/// A fault line, parsed. Its text form is the lab file's, the keyboard's, the command line's and the session's.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum FaultLine {
    /// `crash N`.
    Crash(Target),
    /// `recover N`.
    Recover(Target),
    /// `pause N`.
    Pause(Target),
    /// `resume N`.
    Resume(Target),
    /// `elect N`.
    Elect(Target),
    /// `start-over N`.
    StartOver(Target),
    /// `wipe N`, `rollback N`.
    Lose(Loss, Target),
    /// `slow N P%`, from 1% to 99%.
    Slow(Target, Percent),
    /// `clock N 1.5x`.
    Clock(Target, ClockRate),
    /// `cut A->B`, `cut A<->B`.
    Cut(Target, Way, Target),
    /// `cut A->B multicast`, `cut A<->B unicast`.
    CutChannel(Target, Way, Target, Cast),
    /// `isolate N`.
    Isolate(Target),
    /// `partition A|B|…`.
    Partition(Vec<Target>),
    /// `loss A->B P%`.
    Loss(Target, Target, Percent),
    /// `loss A->B P% bursts L`.
    BurstLoss(Target, Target, Percent, BurstLength),
    /// `partial A->B K`.
    Partial(Target, Target, u16),
    /// `delay A->B D`, `delay A->B D..D`.
    Delay(Target, Target, Span, Span),
    /// `hold A->B`.
    Hold(Target, Target),
    /// `release A->B`, `release A->B reversed`.
    Release(Target, Target, ReleaseOrder),
    /// `corrupt A->B P%`, `duplicate A->B P%`, `reorder A->B P%`, `garble A->B P%`.
    Tamper(Tampering, Target, Target, Percent),
    /// `lift F`.
    Lift(FaultId),
    /// `heal`.
    Heal,
    /// `heal all`.
    HealAll,
    /// `undo`.
    Undo,
}

/// Whom a fault line means.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Target {
    /// An id, a list or a range.
    Nodes(NodeSet),
    /// `*`: every node.
    All,
    /// `coordinator`: the one most running processes believe in.
    Coordinator,
    /// `coordinator of 3`: whom 3 believes in.
    CoordinatorOf(NodeId),
}

/// Why a target means nobody at this moment.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum TargetError {
    /// The lab has no such nodes.
    #[error("there is no node {unknown} in this lab; it has {all}")]
    Unknown {
        /// Those it has not.
        unknown: NodeSet,
        /// Those it has.
        all: NodeSet,
    },
    /// Nobody is believed in.
    #[error("no running process names a coordinator at this moment; name the node by its id")]
    NoCoordinator,
    /// That node believes in nobody.
    #[error("{0} names no coordinator at this moment; name the node by its id")]
    NoCoordinatorOf(NodeId),
}

impl Target {
    /// The nodes that are meant, in a lab of `all`. `coordinator` answers whom the given node believes in, or whom
    /// most do.
    pub fn resolve(
        &self,
        all: NodeSet,
        coordinator: impl Fn(Option<NodeId>) -> Option<NodeId>,
    ) -> Result<NodeSet, TargetError> {
        let known = |nodes: NodeSet| match nodes.minus(&all) {
            unknown if unknown.is_empty() => Ok(nodes),
            unknown => Err(TargetError::Unknown { unknown, all }),
        };
        match self {
            Target::Nodes(nodes) => known(*nodes),
            Target::All => Ok(all),
            Target::Coordinator => coordinator(None).map(NodeSet::of).ok_or(TargetError::NoCoordinator),
            Target::CoordinatorOf(node) => {
                known(NodeSet::of(*node))?;
                coordinator(Some(*node)).map(NodeSet::of).ok_or(TargetError::NoCoordinatorOf(*node))
            }
        }
    }
}

/// Whether a cut is one way or both.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// `->`.
    OneWay,
    /// `<->`.
    Both,
}

/// A chance in hundredths of a percent, 0 to 10,000. In text `30%` or `2.5%`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Percent(u16);

impl Percent {
    /// So many percent, 100 at most.
    pub const fn whole(percent: u8) -> Percent {
        Percent(if percent > 100 { 10_000 } else { percent as u16 * 100 })
    }

    /// The chance as a fraction of one.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 100.0)
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Percent, String> {
        let number: Option<f64> = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
        match number {
            Some(number) if (0.0..=100.0).contains(&number) => Ok(Percent((number * 100.0).round() as u16)),
            _ => Err(format!("`{text}` is no share; write a number from 0 to 100 and a percent sign, such as `30%`")),
        }
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Percent, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Why a text is no fault line. Nothing was done.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{what}; the form is `{form}`")]
pub struct FaultTextError {
    /// Where in the text, in bytes.
    pub at: std::ops::Range<usize>,
    /// What is wrong there.
    pub what: String,
    /// The form it should have.
    pub form: &'static str,
}

impl FaultTextError {
    /// The line with a caret under what is wrong, and the form, for stderr and toasts of more than one line.
    pub fn drawn(&self, text: &str) -> String {
        let before = text[..self.at.start].chars().count();
        let width = text[self.at.clone()].chars().count().max(1);
        format!("{text}\n{}{} {self}", " ".repeat(before), "^".repeat(width))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Nodes(nodes) => write!(f, "{nodes}"),
            Target::All => f.write_str("*"),
            Target::Coordinator => f.write_str("coordinator"),
            Target::CoordinatorOf(node) => write!(f, "coordinator of {node}"),
        }
    }
}

impl fmt::Display for FaultLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultLine::Crash(target) => write!(f, "crash {target}"),
            FaultLine::Recover(target) => write!(f, "recover {target}"),
            FaultLine::Pause(target) => write!(f, "pause {target}"),
            FaultLine::Resume(target) => write!(f, "resume {target}"),
            FaultLine::Elect(target) => write!(f, "elect {target}"),
            FaultLine::StartOver(target) => write!(f, "start-over {target}"),
            FaultLine::Lose(loss, target) => write!(f, "{loss} {target}"),
            FaultLine::Slow(target, share) => write!(f, "slow {target} {share}"),
            FaultLine::Clock(target, rate) => write!(f, "clock {target} {rate}"),
            FaultLine::Cut(from, Way::OneWay, to) => write!(f, "cut {from}->{to}"),
            FaultLine::Cut(from, Way::Both, to) => write!(f, "cut {from}<->{to}"),
            FaultLine::CutChannel(from, Way::OneWay, to, cast) => write!(f, "cut {from}->{to} {cast}"),
            FaultLine::CutChannel(from, Way::Both, to, cast) => write!(f, "cut {from}<->{to} {cast}"),
            FaultLine::Isolate(target) => write!(f, "isolate {target}"),
            FaultLine::Partition(parts) => {
                let parts: Vec<String> = parts.iter().map(Target::to_string).collect();
                write!(f, "partition {}", parts.join("|"))
            }
            FaultLine::Loss(from, to, percent) => write!(f, "loss {from}->{to} {percent}"),
            FaultLine::BurstLoss(from, to, percent, bursts) => write!(f, "loss {from}->{to} {percent} bursts {bursts}"),
            FaultLine::Partial(from, to, hear) => write!(f, "partial {from}->{to} {hear}"),
            FaultLine::Delay(from, to, shortest, longest) if shortest == longest => {
                write!(f, "delay {from}->{to} {shortest}")
            }
            FaultLine::Delay(from, to, shortest, longest) => write!(f, "delay {from}->{to} {shortest}..{longest}"),
            FaultLine::Hold(from, to) => write!(f, "hold {from}->{to}"),
            FaultLine::Release(from, to, order) => write!(f, "release {from}->{to}{order}"),
            FaultLine::Tamper(how, from, to, percent) => write!(f, "{how} {from}->{to} {percent}"),
            FaultLine::Lift(id) => write!(f, "lift {id}"),
            FaultLine::Heal => f.write_str("heal"),
            FaultLine::HealAll => f.write_str("heal all"),
            FaultLine::Undo => f.write_str("undo"),
        }
    }
}

impl Serialize for FaultLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FaultLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaultLine, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_what_it_prints() {
        for text in [
            "crash 5",
            "crash coordinator",
            "recover 1-3,5",
            "pause *",
            "resume 2",
            "elect coordinator of 3",
            "start-over 1-3",
            "wipe 3",
            "rollback coordinator of 3",
            "slow 3 50%",
            "slow coordinator of 2 12.5%",
            "clock 3 1.5x",
            "clock coordinator of 2 0.125x",
            "cut 1->2",
            "cut 1,2<->*",
            "cut 1->3 multicast",
            "cut coordinator<->coordinator of 3 unicast",
            "isolate coordinator of 3",
            "partition 1,2|3-5",
            "loss 2->* 30%",
            "loss coordinator of 2->* 2.5%",
            "loss 2->* 30% bursts 5",
            "loss coordinator of 2->1,3 2.5% bursts 1000",
            "partial 2->* 3",
            "partial coordinator->1-3,5 1",
            "delay *->3 400ms",
            "delay 1->2 5ms..1.5s",
            "hold 1->2,3",
            "hold *->coordinator of 3",
            "release 1->2",
            "release *->coordinator reversed",
            "release coordinator of 3->coordinator of 2 reversed",
            "corrupt 1->2 30%",
            "duplicate *->* 5%",
            "reorder 2,3->coordinator 100%",
            "garble 1->* 0.5%",
            "lift f3",
            "heal",
            "heal all",
            "undo",
        ] {
            assert_eq!(text.parse::<FaultLine>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn targets_resolve_against_the_lab_and_what_it_believes() {
        let all: NodeSet = "1-5".parse().unwrap();
        let five = NodeId::new(5);
        let believes = |of: Option<NodeId>| if of.is_none() { five } else { None };
        assert_eq!(Target::All.resolve(all, believes), Ok(all));
        assert_eq!(Target::Coordinator.resolve(all, believes), Ok("5".parse().unwrap()));
        let three = NodeId::new(3).unwrap();
        assert_eq!(Target::CoordinatorOf(three).resolve(all, believes), Err(TargetError::NoCoordinatorOf(three)));
        let unknown = Target::Nodes("4-6".parse().unwrap()).resolve(all, believes);
        assert_eq!(unknown, Err(TargetError::Unknown { unknown: "6".parse().unwrap(), all }));
    }
}
