//! The one text form of faults, such as `crash 5` or `loss 2->* 30%`.
//!
//! Invariant: a line reads back what it prints, and an error says where the line goes wrong and shows the form.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{FaultId, LabSpeed, LinkRule, ProcessFault, Target, effect, process, speed, text};
use protocol::{Assumption, Lie, NodeSet, Span};

/// A form of a fault line, and what it does.
pub type Form = (&'static str, &'static str);

/// The lines that end faults.
const FORMS_OF_ENDS: &[Form] = &[
    ("lift F", "end the fault with this id, such as `lift f2`"),
    ("heal", "end all link faults"),
    ("heal all", "end all link faults, resume paused nodes, recover dead nodes"),
    ("undo", "undo the last fault that is not yet undone"),
];

/// What the letters of the forms stand for; help and manual read these.
pub const FORM_LETTERS: &[(&str, &str)] = &[
    ("N, A, B", "an id, a list such as 1,2, a range such as 1-3, `*`, `coordinator`, or `coordinator of 3`"),
    ("N of a held datagram", "its number as screen 5 shows it, `next` or `last`"),
    ("P", "a share in percent, such as 30"),
    ("D", "a duration, such as 50ms or 1.5s"),
    ("K", "a whole number"),
    ("L", "a length, in datagrams"),
    ("R", "a rate: 0.5 is half as fast, and 2 twice as fast"),
    ("V", "a whole number, which may be negative"),
    ("F", "the id of a fault, such as f2"),
    ("LIE", "one of the lies"),
];

/// Every form of a fault line; help, palette and error texts read these.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    let links = effect::FORMS.iter().copied().flatten();
    process::FORMS.iter().chain(links).chain(speed::FORMS).chain(FORMS_OF_ENDS)
}

/// The verbs of the lines about processes or links.
pub fn breaking_verbs() -> impl Iterator<Item = &'static str> {
    let ends: Vec<&str> = text::verbs_of(speed::FORMS.iter().chain(FORMS_OF_ENDS));
    text::verbs().into_iter().filter(move |verb| !ends.contains(verb))
}

/// A fault line, parsed. Its text form is the lab file's, the keyboard's, the command line's and the session's.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum FaultLine {
    /// A fault of processes, such as `crash 5`.
    Process(ProcessFault, Target),
    /// A fault of links, such as `cut A->B`.
    Link(LinkRule<Target>),
    /// `speed 0.05x`: of the whole lab.
    Speed(LabSpeed),
    /// `lift F`.
    Lift(FaultId),
    Heal,
    /// `heal all`.
    HealAll,
    Undo,
}

impl FaultLine {
    /// The assumption that the line is meant to break, if one way may take this long.
    pub fn breaks(&self, one_way_bound: Span) -> Option<Assumption> {
        match self {
            FaultLine::Process(fault, _) => fault.breaks(),
            FaultLine::Link(rule) => rule.effect.breaks(one_way_bound),
            FaultLine::Speed(_) => None,
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => None,
        }
    }

    /// Whether the line makes processes tell this lie.
    pub fn is_lie(&self, lie: Lie) -> bool {
        matches!(self, FaultLine::Process(ProcessFault::Liar(told), _) if *told == lie)
    }

    /// The nodes that the line names by their ids.
    pub fn named(&self) -> NodeSet {
        let targets = match self {
            FaultLine::Process(_, target) => vec![target],
            FaultLine::Link(rule) => rule.links.targets(),
            FaultLine::Speed(_) => Vec::new(),
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => Vec::new(),
        };
        targets.into_iter().fold(NodeSet::EMPTY, |named, target| named.union(&target.named()))
    }

    /// Whether the line breaks nothing: it repairs, orders an election, runs lab time at another speed or ends other
    /// faults.
    pub fn only_repairs(&self) -> bool {
        match self {
            FaultLine::Process(fault, _) => fault.only_repairs(),
            FaultLine::Link(_) => false,
            FaultLine::Speed(_) => true,
            FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo => true,
        }
    }

    /// The kind of fault that the line is: its verb, and the word that makes it a different kind, such as `loss
    /// bursts`.
    pub fn kind(&self) -> String {
        if let FaultLine::Process(ProcessFault::Liar(lie), _) = self {
            return format!("liar {lie}");
        }
        let text = self.to_string();
        let word = ["multicast", "unicast", "bursts", "reversed"]
            .into_iter()
            .find(|word| text.split(' ').any(|of| of == *word));
        word.map_or_else(|| self.verb().to_owned(), |word| format!("{} {word}", self.verb()))
    }

    /// The word that the line begins with.
    pub fn verb(&self) -> &'static str {
        match self {
            FaultLine::Process(fault, _) => fault.verb(),
            FaultLine::Link(rule) => {
                let text = rule.to_string();
                let mut verbs = effect::FORMS.iter().copied().flatten().filter_map(|(form, _)| form.split(' ').next());
                let begins = |verb: &&str| text.strip_prefix(*verb).is_some_and(|rest| rest.starts_with(' '));
                verbs.find(begins).expect("a line begins with the verb of one of its effect's forms")
            }
            FaultLine::Speed(_) => "speed",
            FaultLine::Lift(_) => "lift",
            FaultLine::Heal | FaultLine::HealAll => "heal",
            FaultLine::Undo => "undo",
        }
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
            FaultLine::Process(fault, target) => fault.write(f, target),
            FaultLine::Link(rule) => write!(f, "{rule}"),
            FaultLine::Speed(speed) => write!(f, "speed {speed}"),
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
            "update 3 7",
            "update coordinator -2",
            "wipe 3",
            "rollback coordinator of 3",
            "slow 3 50%",
            "slow coordinator of 2 12.5%",
            "clock 3 1.5x",
            "clock coordinator of 2 0.125x",
            "liar 3 equivocate",
            "liar 2,3 mute-acceptor",
            "liar coordinator of 2 claim",
            "honest 3",
            "honest *",
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
            "deliver 1->2 7",
            "drop coordinator->3 m2.7",
            "double 1->coordinator of 3 last",
            "first 1->2 3:m7",
            "corrupt 1->2 30%",
            "duplicate *->* 5%",
            "reorder 2,3->coordinator 100%",
            "garble 1->* 0.5%",
            "speed 0.05x",
            "speed 1x",
            "lift f3",
            "heal",
            "heal all",
            "undo",
        ] {
            assert_eq!(text.parse::<FaultLine>().unwrap().to_string(), text);
        }
    }
}
