//! Words about joining: who is known as a member by whom, who asks with which votes, and who was refused.

use std::cmp::Reverse;

use super::card as line;
use crate::words::{Emphasis, Field, RowPart, by_number, is_running, sends, times, together, took, words, working};
use protocol::{ApplicationFacts, JoinState, JoinWork, MemberView, NodeId, Work};
use record::Step;
use world::World;

/// What a step did for a newcomer.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Joining(work) = work else { return None };
    match (work.pending, work.refused_by) {
        _ if took(step, line::ADMIT) => Some(format!("is admitted: the members are {}", work.view.members)),
        (_, Some(poll)) if took(step, line::REFUSED) => Some(format!("is refused: {poll}")),
        (Some(pending), _) if sends(step, "Yes") => Some(format!("says yes to {}", pending.newcomer)),
        _ if sends(step, "No") => Some("says no to a newcomer".to_owned()),
        _ if sends(step, "Join") => Some("asks to be admitted".to_owned()),
        _ => None,
    }
}

/// The member sets, largest first, and who wants in.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let works: Vec<(NodeId, &JoinWork)> = working(world, is_running)
        .filter_map(|(id, _, work)| match work {
            Work::Joining(work) => Some((id, work)),
            _ => None,
        })
        .collect();
    let mut views = together(works.iter().map(|(id, work)| (*id, work.view.members)));
    views.sort_by_key(|(members, _)| Reverse(members.len()));
    let mut row = Vec::new();
    for (members, knowing) in views {
        let verb = by_number(knowing.len(), "knows", "know");
        row.push(words(format!("{knowing} {verb} the members {members}  "), Emphasis::Strong));
    }
    for (id, work) in &works {
        match (work.stance, work.poll, work.refused_by) {
            (_, Some(poll), _) => row.push(words(format!("{id} asks: {poll}  "), Emphasis::Normal)),
            (JoinState::Asks | JoinState::GivesWay, ..) => {
                row.push(words(format!("{id} wants in  "), Emphasis::Dim));
            }
            (JoinState::Outside, _, Some(poll)) => {
                row.push(words(format!("{id} was refused: {poll}  "), Emphasis::Doubt));
            }
            (JoinState::Outside | JoinState::Member, ..) => {}
        }
    }
    row
}

/// All about a process.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Joining(work) = work else { return Vec::new() };
    let MemberView { version, members } = work.view;
    let mut fields =
        vec![("members", format!("{members}, after {version} admissions")), ("itself", work.stance.to_string())];
    if let Some(poll) = work.poll {
        fields.push(("votes", poll.to_string()));
    }
    if let Some(pending) = work.pending {
        fields.push(("its vote", format!("yes to {}", pending.newcomer)));
    }
    if let Some(poll) = work.refused_by {
        fields.push(("refused", format!("{}, the last by {poll}", times(work.refusals.into()))));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, fields, nodes};
    use judge::trial::application;
    use protocol::{Incarnation, JoinAttempt, JoinPoll};

    #[test]
    fn the_row_says_who_is_member_and_asks() {
        let mut lab = ToldLab::new(application("joining", &[], 0));
        let knows = |version: u32, members: &str| JoinWork {
            view: MemberView { version, members: nodes(members) },
            ..JoinWork::default()
        };
        lab.works(1, Work::Joining(knows(0, "1-4")), &[]);
        let attempt = JoinAttempt { incarnation: Incarnation(1), serial: 1 };
        let poll = Some(JoinPoll { attempt, yes: nodes("1"), no: nodes("2,3") });
        let asks = Work::Joining(JoinWork { stance: JoinState::Asks, poll, ..knows(0, "1-4") });
        assert_eq!(lab.works(5, asks, &[]), "1,5 know the members 1-4  5 asks: yes 1, no 2,3");
        let stance = JoinState::Outside;
        let refused = Work::Joining(JoinWork { stance, refusals: 1, refused_by: poll, ..knows(0, "1-4") });
        let row = lab.works(5, refused.clone(), &[line::REFUSED]);
        assert_eq!(row, "1,5 know the members 1-4  5 was refused: yes 1, no 2,3");
        let row = lab.works(5, Work::Joining(knows(1, "1-5")), &[line::ADMIT]);
        assert_eq!(row, "5 knows the members 1-5  1 knows the members 1-4");
        assert_eq!(lab.did, ["5 is refused: yes 1, no 2,3", "5 is admitted: the members are 1-5"]);
        let told = fields(&refused);
        let expected = "members: 1-4, after 0 admissions\nitself: no member, and does not ask\nrefused: once, the last by \
                        yes 1, no 2,3";
        assert_eq!(told, expected);
    }
}
