//! The kind of a contradiction: what it says, whoever it is about and whenever it was.
//!
//! Invariant: two contradictions of one kind differ in nodes, numbers and times alone.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

use protocol::{NodeId, NodeSet};
use record::{Claim, ClaimedTask, Contradiction, NodeEnd, NodesWithState, StalledWork, WorkContradiction};

/// So many standings make a contradiction together. Where there are more, each of them is wrong.
const STANDINGS_OF_A_PAIR: usize = 2;

/// The kind of a contradiction.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct ContradictionKind {
    what: Discriminant<Contradiction>,
    detail: Detail,
    /// How the nodes stand that it is about, where it tells that.
    standings: BTreeSet<StandingKind>,
}

/// What it says besides.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Detail {
    Nothing,
    Work(Discriminant<WorkContradiction>),
    Undone(Discriminant<StalledWork>),
    /// Nobody is inside, and yet others wait.
    NobodyInside,
    /// The master had not stood at all.
    HadNotStood,
}

/// How a node stands, without its number and its times.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
struct StandingKind {
    word: Cow<'static, str>,
    under: Under,
    task: TaskKind,
}

/// Whom a node takes for its coordinator.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
enum Under {
    Nobody,
    Itself,
    Another,
}

/// What a node says of its task.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
enum TaskKind {
    NotAsked,
    None,
    Some,
}

impl ContradictionKind {
    /// The kind of this one.
    pub fn of(contradiction: &Contradiction) -> ContradictionKind {
        let detail = match contradiction {
            Contradiction::Work(work) => Detail::Work(discriminant(work)),
            Contradiction::Undone { what: StalledWork::Section { inside, .. }, .. } if inside.is_empty() => {
                Detail::NobodyInside
            }
            Contradiction::Undone { what, .. } => Detail::Undone(discriminant(what)),
            Contradiction::NotLargest { stood: None, .. } | Contradiction::WronglyListed { stood: None, .. } => {
                Detail::HadNotStood
            }
            _ => Detail::Nothing,
        };
        let standings = match contradiction {
            Contradiction::Claims(claims) => claims.iter().map(StandingKind::of_claim).collect(),
            Contradiction::Ends(ends) | Contradiction::NoMasterOfItself(ends) => {
                ends.iter().map(StandingKind::of_end).collect()
            }
            Contradiction::Unaccepted(end) => BTreeSet::from([StandingKind::of_end(end)]),
            Contradiction::AtRest { states, .. }
            | Contradiction::NoEnd { states, .. }
            | Contradiction::NobodyElected { states, .. } => states.iter().map(StandingKind::of_state).collect(),
            _ => BTreeSet::new(),
        };
        ContradictionKind { what: discriminant(contradiction), detail, standings }
    }

    /// Whether that one is of this kind. One of many standings may come again with some of them.
    pub fn is_shown_by(&self, shown: &ContradictionKind) -> bool {
        self == shown
            || self.standings.len() > STANDINGS_OF_A_PAIR
                && (self.what, self.detail) == (shown.what, shown.detail)
                && !shown.standings.is_empty()
                && shown.standings.is_subset(&self.standings)
    }
}

impl StandingKind {
    fn of_claim(claim: &Claim) -> StandingKind {
        let task = match claim.task {
            ClaimedTask::NotAsked => TaskKind::NotAsked,
            ClaimedTask::None => TaskKind::None,
            ClaimedTask::Task(_) => TaskKind::Some,
        };
        let under = Under::of(NodeSet::of(claim.node), Some(claim.coordinator));
        StandingKind { word: claim.word.clone(), under, task }
    }

    fn of_end(end: &NodeEnd) -> StandingKind {
        let under = Under::of(NodeSet::of(end.node), end.master);
        StandingKind { word: end.word.clone(), under, task: TaskKind::NotAsked }
    }

    fn of_state(of: &NodesWithState) -> StandingKind {
        let word = of.state.as_ref().map_or(Cow::Borrowed(""), |state| state.word.clone());
        let under = Under::of(of.nodes, of.state.as_ref().and_then(|state| state.coordinator));
        StandingKind { word, under, task: TaskKind::NotAsked }
    }
}

impl Under {
    fn of(nodes: NodeSet, coordinator: Option<NodeId>) -> Under {
        match coordinator {
            None => Under::Nobody,
            Some(coordinator) if nodes == NodeSet::of(coordinator) => Under::Itself,
            Some(_) => Under::Another,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::ShortState;

    fn node(id: u16) -> NodeId {
        NodeId::new(id).unwrap()
    }

    fn claims(of: [(u16, &'static str, u16, i64); 2]) -> ContradictionKind {
        let claim = |(id, word, coordinator, since): (u16, &'static str, u16, i64)| Claim {
            node: node(id),
            word: word.into(),
            coordinator: node(coordinator),
            group: None,
            task: ClaimedTask::NotAsked,
            since,
            until: None,
        };
        ContradictionKind::of(&Contradiction::Claims(of.map(claim)))
    }

    fn at_rest(quiet_since: i64, of: &[(&str, &'static str, Option<u16>)]) -> ContradictionKind {
        let state = |(nodes, word, coordinator): &(&str, &'static str, Option<u16>)| NodesWithState {
            nodes: nodes.parse().unwrap(),
            state: Some(ShortState { word: (*word).into(), coordinator: coordinator.map(node), group: None }),
        };
        ContradictionKind::of(&Contradiction::AtRest { quiet_since, states: of.iter().map(state).collect() })
    }

    #[test]
    fn claims_of_other_nodes_are_one_kind() {
        let early = claims([(3, "Reorganization", 3, 4_365), (1, "Reorganization", 2, 4_423)]);
        for (other, is_shown) in [
            ([(4, "Reorganization", 4, 1_200), (2, "Reorganization", 3, 1_250)], true),
            ([(2, "Reorganization", 3, 1_250), (4, "Reorganization", 4, 1_251)], true),
            ([(1, "Normal", 3, 33), (2, "Normal", 2, 11_010)], false),
            ([(3, "Reorganization", 3, 4_300), (2, "Reorganization", 2, 4_400)], false),
        ] {
            assert_eq!(early.is_shown_by(&claims(other)), is_shown, "{other:?}");
        }
    }

    #[test]
    fn of_many_states_some_are_enough() {
        let many = at_rest(5_540, &[("1", "stop", Some(3)), ("2,3", "stop", None), ("4", "stop", Some(4))]);
        assert!(many.is_shown_by(&at_rest(1_000, &[("1", "stop", Some(2)), ("2", "stop", None)])));
        assert!(!many.is_shown_by(&at_rest(1_000, &[("1", "coll1", None), ("2", "stop", None)])));
    }

    #[test]
    fn one_act_is_one_kind_whatever_its_numbers() {
        let inside = |id, other| {
            ContradictionKind::of(&Contradiction::Work(WorkContradiction::TwoInside {
                node: node(id),
                other: node(other),
            }))
        };
        assert_eq!(inside(2, 1), inside(5, 3));
        let waits = |waiting: &str, inside: &str| {
            let what = StalledWork::Section { waiting: waiting.parse().unwrap(), inside: inside.parse().unwrap() };
            ContradictionKind::of(&Contradiction::Undone { quiet_since: 7, what })
        };
        assert_eq!(waits("1", "2"), waits("1,3", "2"));
        assert_ne!(waits("1", "2"), waits("1", "-"));
        assert_ne!(inside(2, 1), waits("1", "2"));
    }
}
