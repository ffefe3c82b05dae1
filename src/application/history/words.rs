//! Words about the history of the groups: who knows how many groups, and who lacks some.

use std::cmp::Reverse;

use crate::words::{Emphasis, RowPart, by_number, is_running, together, words, working};
use protocol::{ApplicationFacts, Work};
use world::World;

/// How many groups are known, most first, and who fetches from whom.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let works = || {
        working(world, is_running).filter_map(|(id, _, work)| match work {
            Work::History(work) => Some((id, work)),
            _ => None,
        })
    };
    let mut counts = together(works().map(|(id, work)| (id, work.groups)));
    counts.sort_by_key(|(groups, _)| Reverse(*groups));
    let known = counts.into_iter().map(|(groups, knowing)| {
        let verb = by_number(knowing.len(), "knows", "know");
        let noun = if groups == 1 { "group" } else { "groups" };
        words(format!("{knowing} {verb} {groups} {noun}  "), Emphasis::Strong)
    });
    let lacking = works().filter(|(_, work)| !work.fetches.is_empty());
    let fetching = together(lacking.map(|(id, work)| (id, work.fetches))).into_iter().map(|(from, asking)| {
        let verb = by_number(asking.len(), "fetches", "fetch");
        words(format!("{asking} {verb} from {from}  "), Emphasis::Doubt)
    });
    known.chain(fetching).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::ToldLab;
    use judge::trial::application;
    use protocol::HistoryWork;

    #[test]
    fn the_row_says_who_knows_and_fetches() {
        let mut lab = ToldLab::new(application("history", &[], 0));
        let knows = |groups: u32, fetches: &str| {
            Work::History(HistoryWork { groups, fetches: fetches.parse().unwrap(), ..HistoryWork::default() })
        };
        lab.works(1, knows(1, "-"), &[]);
        lab.works(2, knows(3, "4"), &[]);
        let row = lab.works(3, knows(3, "4"), &[]);
        assert_eq!(row, "2,3 know 3 groups  1 knows 1 group  2,3 fetch from 4");
    }
}
