//! Conditions on the world, and their one text form: in a lab file's `when` and `that`, and in the `wait` command.
//!
//! Invariant: a condition reads back what it prints, and an error says where the text goes wrong and shows the form.

use std::fmt;
use std::str::FromStr;

use application::{Asked, Asks, ConditionForm, WorkCondition};
use protocol::{Assumption, NodeId, NodeSet, Property};

/// The forms of the conditions of every lab, with what they say.
const OF_ALL_LABS: &[(&str, &str)] = &[
    ("coordinator N", "N runs, and every process that runs is in Reorganization or Normal under N"),
    ("coordinator N of A", "every process of A that runs is so under N, whether N runs or not; at least one of A runs"),
    ("all normal", "every process that runs is Normal"),
    ("groups K", "every process that runs is Normal, and they are in K groups"),
    ("group A under N", "the processes of A, and no others that run, are Normal in one group under N"),
    ("master N", "every process that runs is in an end state; each that names a master names N; N names itself"),
    ("help none", "no process that runs asks the operator for help"),
    ("help A", "the processes of A, and no others that run, ask the operator for help"),
];

/// The forms of the conditions of a whole run.
const OF_THE_END: &[(&str, &str)] = &[
    ("no violation", "at the end: the judge found no violation at all, excused or not"),
    ("violation P", "at the end: the judge found violations of P, and no violation that the lab does not expect"),
    ("violation P because N", "the same, and the judge says of each that a fault broke assumption N"),
    ("violation P because hole H", "the same, and no assumption was broken: it is a hole of the paper"),
    ("violation P because unpromised", "the same, and with the lab's settings nobody promises P"),
];

/// What the letters of the forms stand for; the manual reads this table.
pub const CONDITION_LETTERS: &[(&str, &str)] = &[
    ("N", "a node's id, such as 4; behind `because` the number of an assumption, such as 9"),
    ("A", "nodes: an id, a list such as 1,2 or a range such as 1-3"),
    ("K", "a whole number"),
    ("P", "a promise, such as assertion-1"),
    ("H", "the number of a hole, such as B1; `hustings algorithms NAME` lists those of an algorithm"),
];

/// Every form of a condition with what it says; help reads this table.
pub fn condition_forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_applications = application::CONDITIONS.into_iter().flat_map(|form| form.ways);
    OF_ALL_LABS.iter().chain(of_applications).chain(OF_THE_END).copied()
}

/// A question about the world at a moment, or, for the last two, about a whole run at its end.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Condition {
    /// `coordinator N`, `coordinator N of A`.
    Coordinator {
        /// The coordinator.
        node: NodeId,
        /// The processes that are asked; absent: every process that runs.
        of: Option<NodeSet>,
    },
    /// `all normal`.
    AllNormal,
    /// `groups K`.
    Groups(usize),
    /// `group A under N`.
    Group {
        /// Exactly its members.
        members: NodeSet,
        /// The coordinator.
        under: NodeId,
    },
    /// `master N`.
    Master(NodeId),
    HelpNone,
    Help(NodeSet),
    /// A condition of an application.
    Work(WorkCondition),
    NoViolation,
    /// `violation P`, with or without its cause.
    Violation {
        property: Property,
        /// The cause; absent: any cause.
        because: Option<ViolationReason>,
    },
}

/// Why a lab expects a violation.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum ViolationReason {
    /// A fault broke this assumption.
    Assumption(Assumption),
    /// No assumption was broken; the paper has a hole of this name. The lab says so: nothing infers a hole.
    Hole(String),
    /// No assumption was broken; with the lab's settings the property is not promised.
    Unpromised,
}

impl Condition {
    /// Whether it is about a whole run at its end, and not about a moment.
    pub fn is_at_end(&self) -> bool {
        matches!(self, Condition::NoViolation | Condition::Violation { .. })
    }

    /// The nodes it names.
    pub fn nodes(&self) -> NodeSet {
        match self {
            Condition::Coordinator { node, of } => of.unwrap_or_default().union(&NodeSet::of(*node)),
            Condition::Group { members, under } => members.union(&NodeSet::of(*under)),
            Condition::Master(node) => NodeSet::of(*node),
            Condition::Help(nodes) => *nodes,
            Condition::Work(work) => work.nodes(),
            Condition::AllNormal
            | Condition::Groups(_)
            | Condition::HelpNone
            | Condition::NoViolation
            | Condition::Violation { .. } => NodeSet::EMPTY,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Coordinator { node, of: None } => write!(f, "coordinator {node}"),
            Condition::Coordinator { node, of: Some(of) } => write!(f, "coordinator {node} of {of}"),
            Condition::AllNormal => f.write_str("all normal"),
            Condition::Groups(number) => write!(f, "groups {number}"),
            Condition::Group { members, under } => write!(f, "group {members} under {under}"),
            Condition::Master(node) => write!(f, "master {node}"),
            Condition::HelpNone => f.write_str("help none"),
            Condition::Help(nodes) => write!(f, "help {nodes}"),
            Condition::Work(work) => work.fmt(f),
            Condition::NoViolation => f.write_str("no violation"),
            Condition::Violation { property, because: None } => write!(f, "violation {property}"),
            Condition::Violation { property, because: Some(because) } => write!(f, "violation {property} {because}"),
        }
    }
}

impl fmt::Display for ViolationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViolationReason::Assumption(assumption) => write!(f, "because {}", assumption.number()),
            ViolationReason::Hole(hole) => write!(f, "because hole {hole}"),
            ViolationReason::Unpromised => f.write_str("because unpromised"),
        }
    }
}

/// Why a text is not a condition.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{what}; the form is `{form}`")]
pub struct ConditionTextError {
    /// Where in the text, in bytes.
    pub at: std::ops::Range<usize>,
    /// What is wrong there.
    pub what: String,
    /// The form it should have.
    pub form: String,
}

/// A piece of the text with its place in it.
#[derive(Copy, Clone)]
struct ConditionPiece<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> ConditionPiece<'a> {
    fn new(text: &'a str, start: usize) -> ConditionPiece<'a> {
        let trimmed = text.trim_start();
        ConditionPiece { start: start + (text.len() - trimmed.len()), text: trimmed.trim_end() }
    }

    fn split_at(self, left: usize, right: usize) -> (ConditionPiece<'a>, ConditionPiece<'a>) {
        (
            ConditionPiece::new(&self.text[..left], self.start),
            ConditionPiece::new(&self.text[right..], self.start + right),
        )
    }

    /// The first word and what follows it.
    fn split_word(self) -> (ConditionPiece<'a>, ConditionPiece<'a>) {
        let end = self.text.find(char::is_whitespace).unwrap_or(self.text.len());
        self.split_at(end, end)
    }

    /// What stands before and after this word.
    fn split_at_word(self, word: &str) -> Option<(ConditionPiece<'a>, ConditionPiece<'a>)> {
        let end_of = |start: usize| self.text[start..].find(char::is_whitespace).map_or(self.text.len(), |n| start + n);
        let mut start = 0;
        while start < self.text.len() {
            let end = end_of(start);
            if &self.text[start..end] == word {
                return Some(self.split_at(start, end));
            }
            start = end + self.text[end..].find(|c: char| !c.is_whitespace()).unwrap_or(self.text.len() - end);
        }
        None
    }

    fn wrong(self, what: impl Into<String>, form: &str) -> ConditionTextError {
        ConditionTextError { at: self.start..self.start + self.text.len(), what: what.into(), form: form.to_owned() }
    }

    fn node(self, form: &str) -> Result<NodeId, ConditionTextError> {
        match self.text {
            "" => Err(self.wrong("a node is missing here", form)),
            text => text.parse().map_err(|e: protocol::NodeTextError| self.wrong(e.to_string(), form)),
        }
    }

    fn nodes(self, form: &str) -> Result<NodeSet, ConditionTextError> {
        match self.text.parse::<NodeSet>() {
            Ok(nodes) if !nodes.is_empty() => Ok(nodes),
            Ok(_) => Err(self.wrong("a node is missing here", form)),
            Err(_) if self.text.is_empty() => Err(self.wrong("a node is missing here", form)),
            Err(e) => Err(self.wrong(e.to_string(), form)),
        }
    }

    fn exactly(self, word: &str, form: &str) -> Result<(), ConditionTextError> {
        if self.text == word { Ok(()) } else { Err(self.wrong(format!("`{word}` belongs here"), form)) }
    }
}

impl FromStr for Condition {
    type Err = ConditionTextError;

    fn from_str(text: &str) -> Result<Condition, ConditionTextError> {
        let (subject, rest) = ConditionPiece::new(text, 0).split_word();
        match subject.text {
            "coordinator" => {
                let form = "coordinator N` or `coordinator N of A";
                match rest.split_at_word("of") {
                    None => Ok(Condition::Coordinator { node: rest.node(form)?, of: None }),
                    Some((node, of)) => {
                        Ok(Condition::Coordinator { node: node.node(form)?, of: Some(of.nodes(form)?) })
                    }
                }
            }
            "all" => rest.exactly("normal", "all normal").map(|()| Condition::AllNormal),
            "groups" => match rest.text.parse() {
                Ok(number) if number > 0 => Ok(Condition::Groups(number)),
                _ => Err(rest.wrong("the number of groups belongs here, from 1", "groups K")),
            },
            "group" => {
                let form = "group A under N";
                let (members, under) =
                    rest.split_at_word("under").ok_or_else(|| rest.wrong("`under` is missing here", form))?;
                Ok(Condition::Group { members: members.nodes(form)?, under: under.node(form)? })
            }
            "master" => rest.node("master N").map(Condition::Master),
            "help" if rest.text == "none" => Ok(Condition::HelpNone),
            "help" => rest.nodes("help none` or `help A").map(Condition::Help),
            "no" => rest.exactly("violation", "no violation").map(|()| Condition::NoViolation),
            "violation" => violation(rest),
            "" => Err(subject.wrong("a condition is missing here", "coordinator N")),
            other => {
                let Some(form) = application::condition(other) else {
                    let of_applications = application::CONDITIONS.map(|form| form.word).join(", ");
                    let what = format!(
                        "there is no condition `{other}`; the conditions are coordinator, all normal, groups, group, \
                         master, help, {of_applications}, no violation, violation"
                    );
                    return Err(subject.wrong(what, "coordinator N"));
                };
                asked(form, rest).map(|asked| Condition::Work(WorkCondition { form, asked }))
            }
        }
    }
}

/// What a condition of an application asks for.
fn asked(form: &ConditionForm, rest: ConditionPiece<'_>) -> Result<Asked, ConditionTextError> {
    let told = form.form();
    let number = |piece: ConditionPiece<'_>, of: &str, most: Option<u32>| {
        let most_read = most.map_or(i128::from(u64::MAX), i128::from);
        let read = piece.text.parse().ok().filter(|number| (1..=most_read).contains(number));
        let to = || most.map_or_else(String::new, |most| format!(" to {most}"));
        read.ok_or_else(|| piece.wrong(format!("a number of {of} belongs here, from 1{}", to()), &told))
    };
    Ok(match form.asks {
        Asks::Number(of, most) => Asked { number: number(rest, of, most)?, ..Asked::default() },
        Asks::NumberBy(of) => match rest.split_at_word("by") {
            None => Asked { number: number(rest, of, None)?, ..Asked::default() },
            Some((piece, by)) => {
                let by = Some(by.node(&told)?);
                Asked { number: number(piece, of, None)?, by, ..Asked::default() }
            }
        },
        Asks::WholeNumber => match rest.text.parse::<i64>() {
            Ok(number) => Asked { number: number.into(), ..Asked::default() },
            Err(_) => return Err(rest.wrong("a whole number belongs here", &told)),
        },
        Asks::NodesOrNone if rest.text == "none" => Asked::default(),
        Asks::Nodes | Asks::NodesOrNone => Asked { nodes: rest.nodes(&told)?, ..Asked::default() },
    })
}

fn violation(rest: ConditionPiece<'_>) -> Result<Condition, ConditionTextError> {
    let form = "violation P`, `violation P because N`, `violation P because hole H` or `violation P because unpromised";
    let (name, more) = rest.split_word();
    let property = Property::named(name.text)
        .ok_or_else(|| name.wrong(format!("a property belongs here: {}", Property::WORDS.join(", ")), form))?;
    if more.text.is_empty() {
        return Ok(Condition::Violation { property, because: None });
    }
    let (word, cause) = more.split_word();
    word.exactly("because", form)?;
    let because = match cause.split_word() {
        (only, rest) if only.text == "unpromised" && rest.text.is_empty() => ViolationReason::Unpromised,
        (first, hole) if first.text == "hole" => {
            let (hole, after) = hole.split_word();
            if hole.text.is_empty() || !after.text.is_empty() {
                return Err(cause.wrong("one name of a hole belongs here, such as `hole B1`", form));
            }
            ViolationReason::Hole(hole.text.to_owned())
        }
        _ => cause.text.parse().ok().and_then(Assumption::numbered).map(ViolationReason::Assumption).ok_or_else(|| {
            let last = Assumption::ALL.len();
            let what = format!(
                "the number of an assumption belongs here, from 1 to {last}, or `hole` and its name, or `unpromised`"
            );
            cause.wrong(what, form)
        })?,
    };
    Ok(Condition::Violation { property, because: Some(because) })
}
