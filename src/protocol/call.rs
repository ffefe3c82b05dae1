//! CALL … ONTIMEOUT of Garcia-Molina 1982, Appendix I, as numbered requests and their answers.
//!
//! Invariant: a number is used for one round of calls, also across crashes (the incarnation is part of it), so the
//! number shows that an answer is late or answers something else, and it is dropped.

use serde::{Deserialize, Serialize};

use super::{Incarnation, NodeId, NodeSet};

/// The number of a round of calls: a caller's, and never used again.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct CallNumber {
    /// The caller's incarnation.
    pub incarnation: Incarnation,
    /// Counts up within it.
    pub serial: u32,
}

impl std::fmt::Display for CallNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.incarnation, self.serial)
    }
}

/// Makes call numbers.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct CallNumbers(CallNumber);

impl CallNumbers {
    /// The numbers of this incarnation, none used yet.
    pub fn new(incarnation: Incarnation) -> CallNumbers {
        CallNumbers(CallNumber { incarnation, serial: 0 })
    }

    /// A number that was not given out before.
    pub fn give_out(&mut self) -> CallNumber {
        self.0.serial += 1;
        self.0
    }
}

/// One round of calls under one number: who was called, and who has answered.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Round {
    number: CallNumber,
    silent: NodeSet,
    answered: NodeSet,
}

impl Round {
    /// The round that has just called these nodes.
    pub fn new(number: CallNumber, called: NodeSet) -> Round {
        Round { number, silent: called, answered: NodeSet::EMPTY }
    }

    /// Takes an answer. `false`, and nothing changes, if it is late, foreign or a repetition.
    pub fn take_answer(&mut self, from: NodeId, number: CallNumber) -> bool {
        if number != self.number || !self.silent.remove(from) {
            return false;
        }
        self.answered.insert(from);
        true
    }

    /// The round's number.
    pub fn number(&self) -> CallNumber {
        self.number
    }

    /// The nodes that have not answered.
    pub fn silent(&self) -> NodeSet {
        self.silent
    }

    /// The nodes that have answered.
    pub fn answered(&self) -> NodeSet {
        self.answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_and_under_its_own_number_only() {
        let mut numbers = CallNumbers::new(Incarnation(2));
        let (earlier, number) = (numbers.give_out(), numbers.give_out());
        let called: NodeSet = "1-3".parse().unwrap();
        let mut round = Round::new(number, called);
        let two: NodeId = "2".parse().unwrap();
        assert!(!round.take_answer(two, earlier));
        assert!(round.take_answer(two, number));
        assert!(!round.take_answer(two, number));
        assert!(!round.take_answer("4".parse().unwrap(), number));
        assert_eq!((round.answered(), round.silent()), ("2".parse().unwrap(), "1,3".parse().unwrap()));
    }
}
