//! What the papers promise, under one name each (notes: "What must hold").
//!
//! Invariant: a name is the same in lab files, verdicts, sessions and tables, and is never given to another property.

use serde::{Deserialize, Serialize};

crate::worded! {
    /// A property that an algorithm promises and the judge watches, in the order of the notes' table. The word is its
    /// name in lab files, verdicts and sessions.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Property {
        /// Two nodes in Reorganization or Normal have one coordinator; two in Normal one task.
        #[serde(rename = "assertion-1")]
        Assertion1 = "assertion-1",
        /// With no failures in the way, some node is Normal under itself, and every node that is up is Normal under it.
        #[serde(rename = "assertion-2")]
        Assertion2 = "assertion-2",
        /// As assertion 1, for two nodes with the same group number.
        #[serde(rename = "assertion-3")]
        Assertion3 = "assertion-3",
        /// In a maximal set of nodes with links both ways among all, one coordinates, and all are Normal under it in one
        /// group.
        #[serde(rename = "assertion-4")]
        Assertion4 = "assertion-4",
        /// No group number is ever used for two groups, across crashes.
        GroupNumbers = "group-numbers",
        /// Two nodes in Normal have one leader.
        #[serde(rename = "sle-1")]
        Sle1 = "sle-1",
        /// With no failures in the way, every node that is up is Normal under one leader, which is up too.
        #[serde(rename = "sle-2")]
        Sle2 = "sle-2",
        /// Two nodes in Normal in one group have one leader.
        #[serde(rename = "ale-1")]
        Ale1 = "ale-1",
        /// In a stable system every node that is up is Normal, its leader is up and in its group, and the number of groups
        /// is at most the number of linked sets of nodes that it takes to cover all.
        #[serde(rename = "ale-2")]
        Ale2 = "ale-2",
        /// As ale-2, with any number of groups.
        #[serde(rename = "ale-2-prime")]
        Ale2Prime = "ale-2-prime",
        /// At the end of an election all correct processes name one master; with no failures in the way all running
        /// processes do.
        Uniqueness = "uniqueness",
        /// At the end of an election the master is the largest candidate that took part and did not crash: by capacity,
        /// then by id. Where lists decide, it is the largest of the list that decided.
        Largest = "largest",
        /// At the end of an election some process takes itself for master, and with no failures in the way every election
        /// ends.
        DeadlockFree = "deadlock-free",
        /// With no failures in the way, all processes that are up name the largest that is up; where elections have
        /// numbers, the largest that took part in the latest one.
        EndState = "end-state",
        /// At the end of an election the elected process, if it is correct, takes itself for master, and with no failures
        /// in the way every election ends.
        DeadlockFreeMalicious = "deadlock-free-malicious",
        /// At most one node ever leads in a term: that is Normal under itself, in the election of that number.
        ElectionSafety = "election-safety",
        /// With no failures in the way, while most nodes are up, all that are up are Normal under one leader, which is up too.
        SteadyLeader = "steady-leader",
        /// Each shard has the result that it has when it is computed alone, and is computed in Normal and at most once under
        /// one definition; what a process keeps is not lost; no two coordinators have a shard given out at once.
        Work = "work",
        /// The parents of a group are the groups in which its members were at work before; all members know the same history.
        History = "history",
        /// An update is decided in a group with a majority of all nodes, by the votes of a majority; of two decisions of
        /// different coordinators one happened before the other. Where copies are weighed: an update is acknowledged only if
        /// copies of more than half of all weight have it, and no later write lacks it. Where newcomers join: each is admitted with
        /// the yes of a majority of the members.
        Majority = "majority",
        /// No process does an update that another aborts; all logs have one update at one place; a log never shrinks or
        /// changes; an update that is acknowledged is in the log. Where all groups do updates, a log is a set, and lists
        /// exactly those of its updates that conflict.
        AtomicCommit = "atomic-commit",
        /// No write of an older coordinator lands on the resource after a write of a newer one, and none of a newer one is
        /// refused. Who is older is decided by happened-before, not by numbers: its coming to Normal was known to the other
        /// one when that entered its election.
        Fencing = "fencing",
        /// At no instant two processes are inside the critical section.
        MutualExclusion = "mutual-exclusion",
        /// While a process waits for the critical section, no other one that knows of it gets in more often than the
        /// application allows.
        Fairness = "fairness",
        /// Each part of a service comes to what it comes to alone; no part is done twice for one master; the account of a
        /// service at its asker does not go back.
        Service = "service",
        /// When nothing disturbs it, a process that waits for the critical section gets in, and one that is inside leaves; what
        /// a user has asked for is served; and once all processes run, nobody is in doubt of an update, and no order waits.
        Progress = "progress",
    }
}

impl Property {
    /// What is promised, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Property::Assertion1 => {
                "At any instant, two nodes in Reorganization or Normal have one coordinator, and two nodes in Normal \
                 have one task."
            }
            Property::Assertion2 => {
                "If no failure comes in the way, some node becomes Normal as its own coordinator, and every node that \
                 is up becomes Normal under it."
            }
            Property::Assertion3 => {
                "At any instant, two nodes in Reorganization or Normal with one group number have one coordinator, and \
                 two such nodes in Normal have one task."
            }
            Property::Assertion4 => {
                "If all nodes of a largest possible set can talk to each other, one of them becomes their coordinator, \
                 and all of them become Normal under it in one group."
            }
            Property::GroupNumbers => "No group number is ever used for two groups, not even after crashes.",
            Property::Sle1 => "At any instant, two nodes in Normal have one leader.",
            Property::Sle2 => {
                "If no failure comes in the way, every node that is up becomes Normal under one leader that is up too."
            }
            Property::Ale1 => "At any instant, two nodes in Normal in one group have one leader.",
            Property::Ale2 => {
                "In a stable system every node that is up becomes Normal, and its leader is up and in its group; there \
                 are no more groups than sets of linked nodes that it takes to cover all."
            }
            Property::Ale2Prime => {
                "In a stable system every node that is up becomes Normal, and its leader is up and in its group."
            }
            Property::Uniqueness => "At the end of an election all correct processes name one master.",
            Property::Largest => {
                "At the end of an election the master is the candidate with the largest capacity of those that took \
                 part and did not crash; of equal ones it is the one with the highest id."
            }
            Property::DeadlockFree => "At the end of an election some process takes itself for master.",
            Property::EndState => {
                "If no failure comes in the way, all processes that are up name the largest that is up, or where \
                 elections have numbers, the largest that took part in the latest one."
            }
            Property::DeadlockFreeMalicious => {
                "At the end of an election the elected process takes itself for master, if it is correct."
            }
            Property::ElectionSafety => "At most one node ever leads in a term, not even after crashes.",
            Property::SteadyLeader => {
                "If no failure comes in the way and most nodes are up, every node that is up becomes Normal under one \
                 leader that is up too."
            }
            Property::History => {
                "The parents of a group are the groups in which its members were at work before, all its members are told \
                 the same of it, and those that lack nothing know the same history."
            }
            Property::Fencing => {
                "No write of an older coordinator lands after a write of a newer one, and no write of a newer one is \
                 refused."
            }
            Property::Work => {
                "Each shard gets the result that it has when it is computed alone, and is computed in Normal and at \
                 most once under one definition; no process loses results that it keeps; if only a majority computes, \
                 no two coordinators have a shard given out at one instant."
            }
            Property::Majority => {
                "Each update is decided in a group with a majority of all nodes, by the votes of a majority, and no two \
                 groups decide updates at one instant; where copies are weighed, more than half of all weight has what \
                 is acknowledged, and no later write lacks it; where newcomers join, a majority of the members has said \
                 yes to each."
            }
            Property::MutualExclusion => "At no instant are two processes inside the critical section.",
            Property::Fairness => {
                "While a process waits for the critical section, no other one that knows of it, or stands before it in a \
                 waiting list, gets in more often than the application allows."
            }
            Property::Service => {
                "Each part of a service has the result that it has when it is computed alone; no part is done twice for \
                 one master; what the asker knows of a service is never less than before."
            }
            Property::Progress => {
                "If no failure comes in the way, each process that waits for the critical section gets in, each service is \
                 served that a user has asked for, and once all processes run, nobody is in doubt of an update and no \
                 order waits."
            }
            Property::AtomicCommit => {
                "No process does an update that another one aborts; all logs have the same update at the same place; \
                 no log shrinks or changes, and what is acknowledged is in it. Where all groups do updates, a log may \
                 grow anywhere, and lists exactly those of its updates that conflict."
            }
        }
    }

    /// Where it stands.
    pub fn source(self) -> &'static str {
        match self {
            Property::Assertion1 => "Garcia-Molina 1982, section III, Assertion 1",
            Property::Assertion2 => "Garcia-Molina 1982, section III, Assertion 2",
            Property::Assertion3 => "Garcia-Molina 1982, section IV, Assertion 3",
            Property::Assertion4 => "Garcia-Molina 1982, section IV, Assertion 4",
            Property::GroupNumbers => "Garcia-Molina 1982, section IV, on group numbers",
            Property::Sle1 => "Stoller 1997, section 3, SLE1",
            Property::Sle2 => "Stoller 1997, section 3, SLE2",
            Property::Ale1 => "Stoller 1997, section 5, ALE1",
            Property::Ale2 => "Stoller 1997, section 5, ALE2",
            Property::Ale2Prime => "Stoller 1997, section 5, ALE2'",
            Property::Uniqueness => "King, Gendreau and Ni 1988, section 3, uniqueness property",
            Property::Largest => "King, Gendreau and Ni 1988: the largest candidate is elected",
            Property::DeadlockFree => "King, Gendreau and Ni 1988, section 3, deadlock-free property",
            Property::EndState => "the textbooks' description of the algorithm",
            Property::DeadlockFreeMalicious => {
                "King, Gendreau and Ni 1988, section 3, deadlock-free property among malicious processes"
            }
            Property::ElectionSafety => "Ongaro and Ousterhout 2014, section 5.2, election safety",
            Property::SteadyLeader => "Ongaro and Ousterhout 2014, section 5.6, timing and availability",
            Property::History => "this lab, on the history of Garcia-Molina 1982, section IV.B",
            Property::Fencing => "this lab, on the pauses that Garcia-Molina 1982, section II, excludes",
            Property::MutualExclusion => "King, Gendreau and Ni 1988, section 7, mutual exclusion",
            Property::Fairness => "King, Gendreau and Ni 1988, section 3, fairness property",
            Property::Service | Property::Progress => {
                "this lab, on the applications of King, Gendreau and Ni 1988, section 7"
            }
            Property::Work => "this lab, on the task definition of Garcia-Molina 1982, section II",
            Property::Majority => {
                "Garcia-Molina 1982, section IV.B, restricted operations; King, Gendreau and Ni 1988, section 7, items 3 and 5"
            }
            Property::AtomicCommit => "Garcia-Molina 1982, section IV.B, two-phase commit",
        }
    }

    /// Whether it is a promise of the lab's application, and not of its algorithm.
    pub fn is_of_application(self) -> bool {
        matches!(
            self,
            Property::Work
                | Property::History
                | Property::Majority
                | Property::AtomicCommit
                | Property::Fencing
                | Property::MutualExclusion
                | Property::Fairness
                | Property::Service
                | Property::Progress
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_has_one_name_everywhere_and_its_place_in_the_list() {
        for (place, property) in Property::ALL.into_iter().enumerate() {
            assert_eq!(Property::named(property.word()), Some(property));
            assert_eq!(serde_json::to_value(property).unwrap(), property.word());
            assert_eq!(property as usize, place);
        }
    }
}
