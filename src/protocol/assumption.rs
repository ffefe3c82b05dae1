//! What the papers assume, under one name each (notes: "Assumptions have one name each").
//!
//! Invariant: a number belongs to one assumption; lab files and verdicts use the numbers of Garcia-Molina 1982, and the
//! numbers from 10 on are assumptions that only the other papers make.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An assumption of the papers, numbered as in Garcia-Molina 1982 if it is one of his nine.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// 1: all nodes run the same algorithm.
    AllCooperate,
    /// 2: the layers below have no bugs.
    NoBugsBelow,
    /// 3: nothing is received that was not sent.
    NothingFromNowhere,
    /// 4: safe cells survive a crash.
    SafeCells,
    /// 5: a failed node halts.
    FailStop,
    /// 6: no message arrives garbled.
    NothingGarbled,
    /// 7: a link keeps the order of its messages.
    Order,
    /// 8: a node that is up gets a message within the bound.
    DeliveryInTime,
    /// 9: no node pauses.
    NoPauses,
    /// 10: all clocks run at one rate (King, Gendreau and Ni, 1.1).
    OneClockRate,
    /// 11: all processes begin an election within one way of a broadcast (their partial synchrony).
    StartsWithinT,
    /// 12: a process that fails is down for longer than an election takes (their 1.2 and 1.4).
    RecoveryOutlasts,
    /// 13: all processes begin an election at the same time (their synchronous system, 4, 1.1).
    StartsTogether,
    /// 14: at most t processes are faulty (their malicious system, 5.2).
    FaultyAtMostT,
}

impl Assumption {
    /// All of them, in the order of their numbers.
    pub const ALL: [Assumption; 14] = [
        Assumption::AllCooperate,
        Assumption::NoBugsBelow,
        Assumption::NothingFromNowhere,
        Assumption::SafeCells,
        Assumption::FailStop,
        Assumption::NothingGarbled,
        Assumption::Order,
        Assumption::DeliveryInTime,
        Assumption::NoPauses,
        Assumption::OneClockRate,
        Assumption::StartsWithinT,
        Assumption::RecoveryOutlasts,
        Assumption::StartsTogether,
        Assumption::FaultyAtMostT,
    ];

    /// Those numbered 1 to this: the nine of Garcia-Molina 1982 are the first nine.
    pub const fn first(number: usize) -> &'static [Assumption] {
        const ALL: &[Assumption] = &Assumption::ALL;
        ALL.split_at(number).0
    }

    /// The number: up to 9 that of Garcia-Molina 1982.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The assumption with this number.
    pub fn numbered(number: u8) -> Option<Assumption> {
        Assumption::ALL.into_iter().find(|assumption| assumption.number() == number)
    }

    /// What it says, in a few words.
    pub fn says(self) -> &'static str {
        match self {
            Assumption::AllCooperate => "all nodes run the same algorithm",
            Assumption::NoBugsBelow => "no bugs below",
            Assumption::NothingFromNowhere => "nothing is received that was not sent",
            Assumption::SafeCells => "safe cells survive",
            Assumption::FailStop => "a failed node halts",
            Assumption::NothingGarbled => "no garbled message",
            Assumption::Order => "messages of a link arrive in order",
            Assumption::DeliveryInTime => "delivery within the bound",
            Assumption::NoPauses => "no pauses",
            Assumption::OneClockRate => "one clock rate",
            Assumption::StartsWithinT => "all begin an election within T",
            Assumption::RecoveryOutlasts => "a process is down for longer than an election takes",
            Assumption::StartsTogether => "all begin an election at the same time",
            Assumption::FaultyAtMostT => "at most t processes are faulty",
        }
    }

    /// What it says, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Assumption::AllCooperate => "All nodes cooperate and run the same algorithm.",
            Assumption::NoBugsBelow => "What lies below the algorithm, such as the operating system, has no bugs.",
            Assumption::NothingFromNowhere => "Nothing is received from a node that this node did not send before.",
            Assumption::SafeCells => "What a node has saved in its safe cells survives its crashes.",
            Assumption::FailStop => "A node that fails halts at once, and later starts again from a known state.",
            Assumption::NothingGarbled => "A message that is received is the message that was sent.",
            Assumption::Order => {
                "The messages from one node to another are received in the order in which they were sent."
            }
            Assumption::DeliveryInTime => "A message to a node that is up is delivered within a fixed time.",
            Assumption::NoPauses => "A node that is up never pauses: it responds to a message without delay.",
            Assumption::OneClockRate => "The clocks of all processes run at one rate.",
            Assumption::StartsWithinT => "All processes begin an election within the time that one broadcast takes.",
            Assumption::RecoveryOutlasts => "A process that fails is down for longer than an election takes.",
            Assumption::StartsTogether => "All processes begin an election at the same time.",
            Assumption::FaultyAtMostT => "At most t processes are faulty; these may do anything.",
        }
    }

    /// Where it stands.
    pub fn source(self) -> &'static str {
        match self {
            Assumption::OneClockRate => "King, Gendreau and Ni 1988, condition 1.1",
            Assumption::StartsWithinT => "King, Gendreau and Ni 1988, section 5 (partial synchrony)",
            Assumption::RecoveryOutlasts => "King, Gendreau and Ni 1988, conditions 1.2 and 1.4",
            Assumption::StartsTogether => "King, Gendreau and Ni 1988, section 4, condition 1.1",
            Assumption::FaultyAtMostT => "King, Gendreau and Ni 1988, section 5.2",
            _ => "Garcia-Molina 1982, section II; it has the same number there",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assumption {} ({})", self.number(), self.says())
    }
}
