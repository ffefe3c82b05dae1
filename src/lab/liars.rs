//! How many processes a lab lets lie at once, beside how many its algorithm bears.
//!
//! Invariant: more liars than are borne are allowed; it is only told.

use super::Lab;
use fault::{FaultLine, ProcessFault, Target};
use protocol::{Assumption, NodeSet};

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
        let all = self.roster.electors().all();
        for line in self.steps.iter().flat_map(|step| &step.lines) {
            match line {
                FaultLine::Process(ProcessFault::Liar(_), Target::Nodes(nodes)) => liars = liars.union(nodes),
                FaultLine::Process(ProcessFault::Liar(_), Target::All) => liars = all,
                FaultLine::Process(ProcessFault::Liar(_), _) => coordinator = 1,
                FaultLine::Process(ProcessFault::Honest, Target::Nodes(nodes)) => liars = liars.minus(nodes),
                FaultLine::Process(ProcessFault::Honest, Target::All) => (liars, coordinator) = (NodeSet::EMPTY, 0),
                FaultLine::Process(ProcessFault::Honest, _) => coordinator = 0,
                _ => {}
            }
            most = most.max((liars.len() + coordinator).min(all.len()));
        }
        most
    }
}
