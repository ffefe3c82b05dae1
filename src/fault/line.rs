//! The one text form of faults, such as `crash 5` or `loss 2->* 30%`.
//!
//! Invariant: a line reads back what it prints, and an error says where the line goes wrong and shows the form.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{CellLoss, ClockRate, FaultId, LinkRule, Percent, Target, effect, text};
use crate::protocol::{Assumption, NodeSet, Span};

/// A form of a fault line, and what it does.
pub type Form = (&'static str, &'static str);

/// The lines about processes.
const FORMS_OF_PROCESSES: &[Form] = &[
    ("crash N", "kill the process (SIGKILL)"),
    ("recover N", "start a new process on the same store and address"),
    ("pause N", "stop the process where it stands (SIGSTOP)"),
    ("resume N", "let it go on (SIGCONT)"),
    ("elect N", "order it to hold an election"),
    (
        "start-over N",
        "order it to call Recovery without a crash (Bully): it forgets which node halted it, and holds an election",
    ),
    ("wipe N", "its next start finds nothing saved, unless it saves first"),
    ("rollback N", "its next start finds what the save before its last one kept, unless it saves first"),
    ("slow N P%", "let it run for this share of every 2T, and stop it for the rest (SIGSTOP, SIGCONT)"),
    ("clock N Rx", "run its timers at another rate, from 0.1x to 10x, until the fault ends; 1.5x is 50% faster"),
];

/// The lines that end faults.
const FORMS_OF_ENDS: &[Form] = &[
    ("lift F", "end the fault with this id, such as `lift f2`"),
    ("heal", "end all link faults"),
    ("heal all", "end all link faults, resume paused nodes, recover dead nodes"),
    ("undo", "undo the last fault that is not yet undone"),
];

/// Every form of a fault line; help, palette and error texts read these.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    let links = effect::FORMS.iter().copied().flatten();
    FORMS_OF_PROCESSES.iter().chain(links).chain(FORMS_OF_ENDS)
}

/// The verbs of the lines about processes or links.
pub fn breaking_verbs() -> impl Iterator<Item = &'static str> {
    let ends: Vec<&str> = text::verbs_of(FORMS_OF_ENDS.iter());
    text::verbs().into_iter().filter(move |verb| !ends.contains(verb))
}

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
    Lose(CellLoss, Target),
    /// `slow N P%`, from 1% to 99%.
    Slow(Target, Percent),
    /// `clock N 1.5x`.
    Clock(Target, ClockRate),
    /// A fault of links, such as `cut A->B`.
    Link(LinkRule<Target>),
    /// `lift F`.
    Lift(FaultId),
    /// `heal`.
    Heal,
    /// `heal all`.
    HealAll,
    /// `undo`.
    Undo,
}

impl FaultLine {
    /// The assumption that the line is meant to break, if one way may take this long. A crash breaks none, and a repair
    /// breaks none.
    pub fn breaks(&self, one_way_bound: Span) -> Option<Assumption> {
        match self {
            FaultLine::Pause(_) | FaultLine::Slow(..) => Some(Assumption::NoPauses),
            FaultLine::Lose(..) => Some(Assumption::SafeCells),
            FaultLine::Clock(..) => Some(Assumption::OneClockRate),
            FaultLine::Link(rule) => rule.effect.breaks(one_way_bound),
            FaultLine::Crash(_)
            | FaultLine::Recover(_)
            | FaultLine::Resume(_)
            | FaultLine::Elect(_)
            | FaultLine::StartOver(_)
            | FaultLine::Lift(_)
            | FaultLine::Heal
            | FaultLine::HealAll
            | FaultLine::Undo => None,
        }
    }

    /// The nodes that the line names by their ids.
    pub fn named(&self) -> NodeSet {
        let targets = match self {
            FaultLine::Crash(target)
            | FaultLine::Recover(target)
            | FaultLine::Pause(target)
            | FaultLine::Resume(target)
            | FaultLine::Elect(target)
            | FaultLine::StartOver(target)
            | FaultLine::Lose(_, target)
            | FaultLine::Slow(target, _)
            | FaultLine::Clock(target, _) => vec![target],
            FaultLine::Link(rule) => rule.links.targets(),
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => Vec::new(),
        };
        targets.into_iter().fold(NodeSet::EMPTY, |named, target| named.union(&target.named()))
    }

    /// Whether the line breaks nothing: it repairs, orders an election or ends other faults.
    pub fn only_repairs(&self) -> bool {
        match self {
            FaultLine::Recover(_) | FaultLine::Resume(_) | FaultLine::Elect(_) | FaultLine::StartOver(_) => true,
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => true,
            FaultLine::Crash(_) | FaultLine::Pause(_) | FaultLine::Lose(..) => false,
            FaultLine::Slow(..) | FaultLine::Clock(..) | FaultLine::Link(_) => false,
        }
    }

    /// The kind of fault that the line is: its verb, and the word that makes it a different kind, such as `loss
    /// bursts`.
    pub fn kind(&self) -> String {
        let text = self.to_string();
        let word = ["multicast", "unicast", "bursts", "reversed"]
            .into_iter()
            .find(|word| text.split(' ').any(|of| of == *word));
        word.map_or_else(|| self.verb().to_owned(), |word| format!("{} {word}", self.verb()))
    }

    /// The word that the line begins with.
    pub fn verb(&self) -> &'static str {
        let text = self.to_string();
        let begins = |verb: &&&str| text.split(' ').next() == Some(**verb);
        text::verbs().iter().find(begins).expect("every line begins with a verb of its forms")
    }
}

/// Why a text is not a fault line. Nothing was done.
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
            FaultLine::Link(rule) => write!(f, "{rule}"),
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
            "throttle 1->2,3 20/s",
            "throttle *->coordinator of 3 1/s",
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
}
