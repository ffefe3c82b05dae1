//! Reading fault lines: the pieces of a line, and the verbs that end faults. The effects read the lines about links, and
//! the faults of processes their own.
//!
//! Invariant: an error says where the line goes wrong and shows the form it should have.

use std::fmt::Display;
use std::str::FromStr;

use super::{
    FaultEffect, FaultIdTextError, FaultLine, FaultTextError, Form, LabSpeed, Links, Percent, PercentTextError,
    ProcessFault, Target, forms,
};
use protocol::NodeSet;

/// A piece of the text with its place in it.
#[derive(Copy, Clone)]
pub(super) struct TextPiece<'a> {
    pub text: &'a str,
    start: usize,
}

impl<'a> TextPiece<'a> {
    fn new(text: &'a str, start: usize) -> TextPiece<'a> {
        let trimmed = text.trim_start();
        TextPiece { start: start + (text.len() - trimmed.len()), text: trimmed.trim_end() }
    }

    pub fn split_once(self, separator: &str) -> Option<(TextPiece<'a>, TextPiece<'a>)> {
        let at = self.text.find(separator)?;
        let rest = at + separator.len();
        Some((TextPiece::new(&self.text[..at], self.start), TextPiece::new(&self.text[rest..], self.start + rest)))
    }

    pub fn wrong(self, what: impl Display, form: &'static str) -> FaultTextError {
        FaultTextError { at: self.start..self.start + self.text.len(), what: what.to_string(), form }
    }

    pub fn target(self, form: &'static str) -> Result<Target, FaultTextError> {
        match self.text {
            "" => Err(self.wrong("a node is missing here", form)),
            "*" => Ok(Target::All),
            "coordinator" => Ok(Target::Coordinator),
            text => match text.strip_prefix("coordinator of ") {
                Some(node) => node.trim().parse().map(Target::CoordinatorOf).map_err(|error| self.wrong(error, form)),
                None => match text.parse::<NodeSet>() {
                    Ok(nodes) if !nodes.is_empty() => Ok(Target::Nodes(nodes)),
                    Ok(_) => Err(self.wrong("a node is missing here", form)),
                    Err(error) => match meant_target(self.text) {
                        Some(meant) => Err(self.wrong(format!("{error} (did you mean `{meant}`?)"), form)),
                        None => Err(self.wrong(error, form)),
                    },
                },
            },
        }
    }

    /// A target, and the word that qualifies it if one follows: that word begins with a letter, and no node after a
    /// space does.
    pub fn qualified(self) -> (TextPiece<'a>, Option<TextPiece<'a>>) {
        let Some(cut) = self.text.rfind(char::is_whitespace) else { return (self, None) };
        let last = TextPiece::new(&self.text[cut..], self.start + cut);
        match last.text.starts_with(char::is_alphabetic) {
            true => (TextPiece::new(&self.text[..cut], self.start), Some(last)),
            false => (self, None),
        }
    }

    /// `A->B`.
    pub fn links(self, form: &'static str) -> Result<Links<Target>, FaultTextError> {
        let (from, to) = self.sides(form)?;
        Ok(Links::To { from: from.target(form)?, to: to.target(form)? })
    }

    /// The text before the arrow, and the text after it.
    pub fn sides(self, form: &'static str) -> Result<(TextPiece<'a>, TextPiece<'a>), FaultTextError> {
        self.split_once("->").ok_or_else(|| self.wrong("an arrow `->` is missing here", form))
    }

    /// `N` up to the last word, which is the fault's measure.
    pub fn target_and_measure(self, form: &'static str) -> Result<(Target, TextPiece<'a>), FaultTextError> {
        let cut = self.text.rfind(char::is_whitespace).ok_or_else(|| self.wrong("a value is missing here", form))?;
        let measure = TextPiece::new(&self.text[cut..], self.start + cut);
        Ok((TextPiece::new(&self.text[..cut], self.start).target(form)?, measure))
    }

    /// `A->B` up to the last word, which is the fault's measure.
    pub fn links_and_measure(self, form: &'static str) -> Result<(Links<Target>, TextPiece<'a>), FaultTextError> {
        let (from, rest) = self.sides(form)?;
        let cut = rest.text.rfind(char::is_whitespace).ok_or_else(|| rest.wrong("a value is missing here", form))?;
        let to = TextPiece::new(&rest.text[..cut], rest.start);
        let measure = TextPiece::new(&rest.text[cut..], rest.start + cut);
        Ok((Links::To { from: from.target(form)?, to: to.target(form)? }, measure))
    }

    /// `A->B P%`.
    pub fn links_and_share(self, form: &'static str) -> Result<(Links<Target>, Percent), FaultTextError> {
        let (links, measure) = self.links_and_measure(form)?;
        let percent = measure.text.parse().map_err(|error: PercentTextError| measure.wrong(error, form))?;
        Ok((links, percent))
    }
}

impl FromStr for FaultLine {
    type Err = FaultTextError;

    fn from_str(text: &str) -> Result<FaultLine, FaultTextError> {
        let whole = TextPiece::new(text, 0);
        let end = whole.text.find(char::is_whitespace).unwrap_or(whole.text.len());
        let verb = TextPiece::new(&whole.text[..end], whole.start);
        let rest = TextPiece::new(&whole.text[end..], whole.start + end);
        let nothing_more = |form: &'static str, line: FaultLine| match rest.text {
            "" => Ok(line),
            _ => Err(rest.wrong("nothing may follow here", form)),
        };
        match verb.text {
            "lift" => {
                rest.text.parse().map(FaultLine::Lift).map_err(|error: FaultIdTextError| rest.wrong(error, "lift F"))
            }
            "speed" => LabSpeed::read(rest).map(FaultLine::Speed),
            "heal" if rest.text == "all" => Ok(FaultLine::HealAll),
            "heal" => nothing_more("heal` or `heal all", FaultLine::Heal),
            "undo" => nothing_more("undo", FaultLine::Undo),
            "" => Err(verb.wrong("a fault line is missing here", "crash N")),
            other => match (FaultEffect::read(other, rest), ProcessFault::read(other, rest)) {
                (Some(rule), _) => rule.map(FaultLine::Link),
                (None, Some(read)) => read.map(|(fault, target)| FaultLine::Process(fault, target)),
                (None, None) => {
                    let (meant, form) = meant_verb(other);
                    let meant = match meant {
                        Some(meant) => format!(" (did you mean `{meant}`?)"),
                        None => format!("; the faults are {}", verbs().join(", ")),
                    };
                    Err(verb.wrong(format!("there is no fault `{other}`{meant}"), form))
                }
            },
        }
    }
}

/// Words that people know from elsewhere, and the verb that means the same here.
const OTHER_VERBS: [(&str, &str); 11] = [
    ("kill", "crash"),
    ("stop", "pause"),
    ("suspend", "pause"),
    ("freeze", "pause"),
    ("continue", "resume"),
    ("restart", "recover"),
    ("start", "recover"),
    ("election", "elect"),
    ("split", "partition"),
    ("disconnect", "isolate"),
    ("fix", "heal"),
];

/// Words that people know from elsewhere, and the target that means the same here.
const OTHER_TARGETS: [(&str, &str); 5] =
    [("leader", "coordinator"), ("master", "coordinator"), ("all", "*"), ("everybody", "*"), ("any", "*")];

/// A word is taken for another one if so many letters differ.
const LETTERS_MAX: usize = 2;

/// The verb that this word may mean, and its form.
fn meant_verb(word: &str) -> (Option<&'static str>, &'static str) {
    let meant = OTHER_VERBS.iter().find(|(other, _)| *other == word).map(|(_, verb)| *verb);
    let meant = meant.or_else(|| nearest(word, &verbs()));
    let form = meant.and_then(|verb| forms().find(|(form, _)| form.split(' ').next() == Some(verb)));
    (meant, form.map_or("crash N", |(form, _)| form))
}

/// The target that this word may mean.
fn meant_target(word: &str) -> Option<&'static str> {
    let meant = OTHER_TARGETS.iter().find(|(other, _)| *other == word).map(|(_, target)| *target);
    meant.or_else(|| nearest(word, &["coordinator"]))
}

fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let steps = |other: &str| strsim::levenshtein(word, other);
    let near =
        known.iter().filter(|other| word.len() < 20 && steps(other) <= LETTERS_MAX && steps(other) <= other.len() / 2);
    near.min_by_key(|other| steps(other)).copied()
}

/// The verbs of all lines, in the order of their forms.
pub(super) fn verbs() -> Vec<&'static str> {
    verbs_of(forms())
}

/// The verbs of these forms.
pub(super) fn verbs_of(forms: impl Iterator<Item = &'static Form>) -> Vec<&'static str> {
    let mut verbs: Vec<&str> = forms.filter_map(|(form, _)| form.split(' ').next()).collect();
    verbs.dedup();
    verbs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_from_elsewhere_and_a_slip_are_understood() {
        for (text, meant) in [
            ("crash leader", "coordinator"),
            ("crash coordinatr", "coordinator"),
            ("crash all", "*"),
            ("cut all->2", "*"),
            ("loss leader->* 5%", "coordinator"),
            ("kill 5", "crash"),
            ("restart 5", "recover"),
            ("hael", "heal"),
        ] {
            let error = text.parse::<FaultLine>().unwrap_err().to_string();
            assert!(error.contains(&format!("(did you mean `{meant}`?)")), "{error}");
        }
    }

    #[test]
    fn an_error_says_where_and_shows_the_form() {
        for (text, place, what) in [
            ("crush 5", "crush", "there is no fault `crush` (did you mean `crash`?); the form is `crash N`"),
            ("kill 5", "kill", "there is no fault `kill` (did you mean `crash`?); the form is `crash N`"),
            ("isolat 5", "isolat", "there is no fault `isolat` (did you mean `isolate`?); the form is `isolate N`"),
            ("crash leader", "leader", "`leader` is not a node id"),
            ("crash coordinatr", "coordinatr", "`coordinatr` is not a node id"),
            ("crash all", "all", "`all` is not a node id"),
            ("loss leader->* 5%", "leader", "`leader` is not a node id"),
            ("frobnicate 5", "frobnicate", "there is no fault `frobnicate`; the faults are crash, recover"),
            ("crash", "", "a node is missing here"),
            ("crash five", "five", "`five` is not a node id"),
            ("crash 900", "900", "there is no node 900"),
            ("start-over", "", "a node is missing here"),
            ("wipe", "", "a node is missing here"),
            ("rollback five", "five", "`five` is not a node id"),
            ("slow 3", "3", "a value is missing here"),
            ("slow 3 fast", "fast", "`fast` is not a percentage"),
            ("slow 3 100%", "100%", "a slow process runs from 1% to 99% of the time"),
            ("clock 3", "3", "a value is missing here"),
            ("clock 3 1.5", "1.5", "`1.5` is not a rate; write"),
            ("clock 3 20x", "20x", "`20x` is not a clock rate"),
            ("clock 3 1x", "1x", "a clock at 1x runs normally"),
            ("cut 1 2", "1 2", "an arrow is missing here"),
            ("loss 1->2", "2", "a value is missing here"),
            ("loss 1->2 130%", "130%", "`130%` is not a percentage"),
            ("garble 1->2", "2", "a value is missing here"),
            ("reorder 1->2 often", "often", "`often` is not a percentage"),
            ("delay 1->2 9..5ms", "9", "`9` is not a duration"),
            ("delay 1->2 9ms..5ms", "9ms..5ms", "the range runs backwards"),
            ("partition 1,2", "1,2", "a second part is missing here"),
            ("partition 1,2|2,3", "2,3", "2 is in two parts"),
            ("cut 1->2 broadcast", "broadcast", "`broadcast` is not a channel"),
            ("cut 1<->2 multicast 3", "2 multicast 3", "`2 multicast 3` is not a node id"),
            ("cut 1 2 multicast", "1 2 multicast", "an arrow is missing here"),
            ("loss 1->2 30% bursts", "", "`` is not a burst length"),
            ("loss 1->2 30% bursts 1001", "1001", "`1001` is not a burst length"),
            ("loss 1->2 30% bursts 1", "1", "a loss of 30% has runs of this length"),
            ("loss 1->2 100% bursts 5", "5", "a loss of 100% has no bursts"),
            ("loss 1->2 often bursts 5", "often", "`often` is not a percentage"),
            ("partial 1->*", "*", "a value is missing here"),
            ("partial 1->* 0", "0", "`0` is not a number of receivers"),
            ("partial 1->* some", "some", "`some` is not a number"),
            ("throttle 1->2", "2", "a value is missing here"),
            ("throttle 1->2 20", "20", "`20` is not a rate; write how many a second"),
            ("throttle 1->2 0/s", "0/s", "`0/s` is not a rate"),
            ("hold 1 2", "1 2", "an arrow `->` is missing here"),
            ("hold 1->", "", "a node is missing here"),
            ("release 1->2 backwards", "backwards", "`backwards` is not an order"),
            ("release 1 reversed", "1 reversed", "an arrow `->` is missing here"),
            ("speed", "", "a speed is missing here"),
            ("speed 3 0.5x", "3 0.5x", "`3 0.5x` is not a speed; write"),
            ("speed 0.01x", "0.01x", "`0.01x` is not a speed of a lab"),
            ("undo 3", "3", "nothing may follow here"),
        ] {
            let error = text.parse::<FaultLine>().unwrap_err();
            assert_eq!(&text[error.at.clone()], place, "{text}");
            assert!(error.to_string().starts_with(what), "{error}");
            assert!(error.to_string().contains("the form is `"), "{error}");
        }
    }
}
