//! How many processes a lab lets lie at once, beside how many its algorithm bears.
//!
//! Invariant: more liars than are borne are allowed; it is only told.

use super::Lab;
use crate::fault::{FaultLine, ProcessFault, Target};
use crate::protocol::{Assumption, NodeSet};

impl Lab {
    /// A sentence about its liars, if they are more at once than the algorithm bears. A coordinator that is to lie, whoever
    /// it is by then, counts as one more.
    pub fn told_of_liars(&self) -> Option<String> {
        let is_any_too_many = self.card.needs.contains(&Assumption::AllCooperate);
        let borne = if is_any_too_many { 0 } else { self.settings.number_if_any("t").unwrap_or(0) };
        let liars = self.most_liars();
        if liars as u64 <= borne {
            return None;
        }
        let said = |count: u64, none: &str| match count {
            0 => none.to_owned(),
            1 => "1 is borne".to_owned(),
            count => format!("{count} are borne"),
        };
        let liar = if liars == 1 { "liar" } else { "liars" };
        Some(format!("{liars} {liar}, {}: no promise holds while they lie", said(borne, "none is borne")))
    }

    /// The most processes that lie at once, as far as the steps tell.
    fn most_liars(&self) -> usize {
        let (mut liars, mut coordinator, mut most) = (NodeSet::EMPTY, 0, 0);
        for line in self.steps.iter().flat_map(|step| &step.lines) {
            match line {
                FaultLine::Process(ProcessFault::Liar(_), Target::Nodes(nodes)) => liars = liars.union(nodes),
                FaultLine::Process(ProcessFault::Liar(_), _) => coordinator = 1,
                FaultLine::Process(ProcessFault::Honest, Target::Nodes(nodes)) => liars = liars.minus(nodes),
                FaultLine::Process(ProcessFault::Honest, _) => coordinator = 0,
                _ => {}
            }
            most = most.max(liars.len() + coordinator);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use crate::election::CARDS;
    use crate::lab::parse;

    fn told(algorithm: &str, settings: &str, lines: &str) -> Option<String> {
        let text = format!(
            "name = \"liars\"\nabout = \"They lie.\"\nalgorithm = \"{algorithm}\"\nnodes = 7\nseed = 1\nT = \"200ms\"\n\
             check = \"900ms\"\nsilence = \"3s\"\n[settings]\n{settings}\n[[step]]\nat = \"1s\"\ndo = [{lines}]\n"
        );
        parse("liars", &text, CARDS).unwrap().told_of_liars()
    }

    #[test]
    fn more_liars_than_are_borne_are_told() {
        let three = "\"liar 1,2 claim\", \"liar 3 claim\"";
        let sentence = "3 liars, 2 are borne: no promise holds while they lie";
        assert_eq!(told("king-ni-b2", "t = 2", three).as_deref(), Some(sentence));
        assert_eq!(told("king-ni-b2", "t = 3", three), None);
        let after = "\"liar 1,2 claim\", \"honest 1\", \"liar 3 claim\"";
        assert_eq!(told("king-ni-b2", "t = 2", after), None);
    }

    #[test]
    fn where_all_must_cooperate_no_liar_is_borne() {
        let sentence = "1 liar, none is borne: no promise holds while they lie";
        assert_eq!(told("king-ni-c", "", "\"liar 3 withhold\"").as_deref(), Some(sentence));
        assert_eq!(told("king-ni-c", "", "\"crash 3\""), None);
    }
}
