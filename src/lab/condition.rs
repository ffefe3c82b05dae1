//! Conditions on the world, and their one text form: in a lab file's `when` and `that`, and in the `wait` command.
//!
//! Invariant: a condition reads back what it prints, and an error says where the text goes wrong and shows the form.

use std::fmt;
use std::str::FromStr;

use protocol::{Assumption, HISTORY_MAX, LOG_MAX, NodeId, NodeSet, Property, SHARDS_MAX};

/// Every form of a condition with what it says; help and error texts read this table.
pub const CONDITION_FORMS: &[(&str, &str)] = &[
    ("coordinator N", "N runs, and every process that runs is in Reorganization or Normal under N"),
    ("coordinator N of A", "every process of A that runs is so under N, whether N runs or not; at least one of A runs"),
    ("all normal", "every process that runs is Normal"),
    ("groups K", "every process that runs is Normal, and they are in K groups"),
    ("group A under N", "the processes of A, and no others that run, are Normal in one group under N"),
    ("master N", "every process that runs is in an end state; each that names a master names N; N names itself"),
    ("help none", "no process that runs asks the operator for help"),
    ("help A", "the processes of A, and no others that run, ask the operator for help"),
    ("done K", "a coordinator that runs and is Normal has the results of K shards, or more"),
    ("history K", "every process that runs is at work with a history of K groups, or more, and lacks none"),
    ("logged K", "every process that runs has at least K updates in its log"),
    (
        "blocked none",
        "no coordinator that runs and is Normal is blocked by an update of which it does not know the outcome",
    ),
    ("blocked A", "one is, and only the nodes A may know the outcome"),
    ("conflicts K", "every process that runs lists K updates in conflict, no more and no fewer"),
    (
        "refused K",
        "the resource of the lab runs, and has refused K writes since its process started, or more; in a lab with a \
         replicated counter: the processes that run have refused K updates since their starts, or more; in a lab with \
         members: those that run were refused K times",
    ),
    ("counter K", "every process that runs holds the counter K: what all updates that it has add up to"),
    ("served K", "the processes that run have finished K services together, or more"),
    ("served K by N", "process N has finished K services, or more"),
    ("entered K", "every process that runs has entered the critical section K times since its start, or more"),
    ("inside none", "no process that runs is inside the critical section"),
    ("inside A", "these processes run and are inside the critical section, and no others that run"),
    ("members A", "every process that runs knows the nodes A, and no others, as members of the group"),
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
    /// `done K`.
    Done(u16),
    /// `history K`.
    History(u32),
    /// `logged K`.
    Logged(u32),
    /// `blocked none`, `blocked A`: the nodes that may know the outcome, if one is blocked.
    Blocked(Option<NodeSet>),
    /// `conflicts K`.
    Conflicts(u32),
    /// `refused K`.
    Refused(u64),
    /// `served K`, or `served K by N`.
    Served {
        /// How many services.
        services: u64,
        /// Whose; all processes' together if nobody is named.
        by: Option<NodeId>,
    },
    Members(NodeSet),
    /// `counter K`.
    Counter(i64),
    /// `entered K`.
    Entered(u64),
    /// `inside none`, `inside A`.
    Inside(Option<NodeSet>),
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
            Condition::Master(node) | Condition::Served { by: Some(node), .. } => NodeSet::of(*node),
            Condition::Help(nodes)
            | Condition::Members(nodes)
            | Condition::Blocked(Some(nodes))
            | Condition::Inside(Some(nodes)) => *nodes,
            Condition::AllNormal
            | Condition::Groups(_)
            | Condition::HelpNone
            | Condition::Done(_)
            | Condition::History(_)
            | Condition::Logged(_)
            | Condition::Conflicts(_)
            | Condition::Blocked(None)
            | Condition::Refused(_)
            | Condition::Served { by: None, .. }
            | Condition::Counter(_)
            | Condition::Entered(_)
            | Condition::Inside(None)
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
            Condition::Done(shards) => write!(f, "done {shards}"),
            Condition::History(groups) => write!(f, "history {groups}"),
            Condition::Logged(updates) => write!(f, "logged {updates}"),
            Condition::Blocked(None) => f.write_str("blocked none"),
            Condition::Blocked(Some(nodes)) => write!(f, "blocked {nodes}"),
            Condition::Conflicts(updates) => write!(f, "conflicts {updates}"),
            Condition::Refused(writes) => write!(f, "refused {writes}"),
            Condition::Served { services, by: None } => write!(f, "served {services}"),
            Condition::Served { services, by: Some(node) } => write!(f, "served {services} by {node}"),
            Condition::Members(nodes) => write!(f, "members {nodes}"),
            Condition::Counter(counter) => write!(f, "counter {counter}"),
            Condition::Entered(times) => write!(f, "entered {times}"),
            Condition::Inside(None) => f.write_str("inside none"),
            Condition::Inside(Some(nodes)) => write!(f, "inside {nodes}"),
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
    pub form: &'static str,
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

    fn wrong(self, what: impl Into<String>, form: &'static str) -> ConditionTextError {
        ConditionTextError { at: self.start..self.start + self.text.len(), what: what.into(), form }
    }

    fn node(self, form: &'static str) -> Result<NodeId, ConditionTextError> {
        match self.text {
            "" => Err(self.wrong("a node is missing here", form)),
            text => text.parse().map_err(|e: protocol::NodeTextError| self.wrong(e.to_string(), form)),
        }
    }

    fn nodes(self, form: &'static str) -> Result<NodeSet, ConditionTextError> {
        match self.text.parse::<NodeSet>() {
            Ok(nodes) if !nodes.is_empty() => Ok(nodes),
            Ok(_) => Err(self.wrong("a node is missing here", form)),
            Err(_) if self.text.is_empty() => Err(self.wrong("a node is missing here", form)),
            Err(e) => Err(self.wrong(e.to_string(), form)),
        }
    }

    fn exactly(self, word: &str, form: &'static str) -> Result<(), ConditionTextError> {
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
            "done" => match rest.text.parse() {
                Ok(shards @ 1..=SHARDS_MAX) => Ok(Condition::Done(shards)),
                _ => Err(rest.wrong(format!("a number of shards belongs here, from 1 to {SHARDS_MAX}"), "done K")),
            },
            "history" => match rest.text.parse() {
                Ok(groups @ 1..=HISTORY_MAX) => Ok(Condition::History(groups)),
                _ => Err(rest.wrong(format!("a number of groups belongs here, from 1 to {HISTORY_MAX}"), "history K")),
            },
            "logged" => match rest.text.parse() {
                Ok(updates @ 1..=LOG_MAX) => Ok(Condition::Logged(updates)),
                _ => Err(rest.wrong(format!("a number of updates belongs here, from 1 to {LOG_MAX}"), "logged K")),
            },
            "blocked" if rest.text == "none" => Ok(Condition::Blocked(None)),
            "blocked" => rest.nodes("blocked none` or `blocked A").map(|nodes| Condition::Blocked(Some(nodes))),
            "conflicts" => match rest.text.parse() {
                Ok(updates) if updates > 0 => Ok(Condition::Conflicts(updates)),
                _ => Err(rest.wrong("a number of updates belongs here, from 1", "conflicts K")),
            },
            "refused" => match rest.text.parse() {
                Ok(writes) if writes > 0 => Ok(Condition::Refused(writes)),
                _ => Err(rest.wrong("a number of writes or updates belongs here, from 1", "refused K")),
            },
            "members" => rest.nodes("members A").map(Condition::Members),
            "counter" => match rest.text.parse() {
                Ok(counter) => Ok(Condition::Counter(counter)),
                Err(_) => Err(rest.wrong("a whole number belongs here", "counter K")),
            },
            "served" => served(rest),
            "entered" => match rest.text.parse() {
                Ok(times) if times > 0 => Ok(Condition::Entered(times)),
                _ => Err(rest.wrong("a number of entries belongs here, from 1", "entered K")),
            },
            "inside" if rest.text == "none" => Ok(Condition::Inside(None)),
            "inside" => rest.nodes("inside none` or `inside A").map(|nodes| Condition::Inside(Some(nodes))),
            "no" => rest.exactly("violation", "no violation").map(|()| Condition::NoViolation),
            "violation" => violation(rest),
            "" => Err(subject.wrong("a condition is missing here", "coordinator N")),
            other => {
                let subjects = "coordinator, all normal, groups, group, master, help, done, logged, blocked, conflicts, \
                                history, refused, counter, members, served, entered, inside, no violation, violation";
                Err(subject
                    .wrong(format!("there is no condition `{other}`; the conditions are {subjects}"), "coordinator N"))
            }
        }
    }
}

fn served(rest: ConditionPiece<'_>) -> Result<Condition, ConditionTextError> {
    let form = "served K` or `served K by N";
    let (number, by) = match rest.split_at_word("by") {
        None => (rest, None),
        Some((number, by)) => (number, Some(by.node(form)?)),
    };
    match number.text.parse() {
        Ok(services) if services > 0 => Ok(Condition::Served { services, by }),
        _ => Err(number.wrong("a number of services belongs here, from 1", form)),
    }
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
