//! The history of the groups as a graph in the language DOT of Graphviz: a vertex for each group, an edge from each of its
//! parents (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: the same session gives the same bytes; a group without a vertex of its own, because no process told of it,
//! has one with its number alone.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;

use protocol::{TaskId, Work};
use record::{Body, Session, SessionEntry};
use world::{FormedGroups, stamp};

/// Writes the graph. A session of a lab that keeps no history gives a graph without vertices, and says why.
pub fn write(session: &dyn Session, out: &mut dyn Write) -> io::Result<()> {
    let mut groups = FormedGroups::default();
    let read = session.go_through(&mut |entry| {
        if let SessionEntry::Record(record) = entry
            && let Body::Step(step) = &record.body
            && let Some(state) = &step.state
            && let Some(Work::History(work)) = state.work.as_deref()
        {
            groups.take(state, work, record.at);
        }
        ControlFlow::Continue(())
    });
    writeln!(out, "digraph history {{")?;
    if groups.is_empty() {
        writeln!(out, "  // No process of this lab told of a group: its application is not `history`.")?;
    }
    writeln!(out, "  node [shape=box];")?;
    for view in groups.iter() {
        let group = &view.group;
        let words = format!("{} under {}\\n{}", group.members, group.coordinator(), stamp(view.at));
        writeln!(out, "  \"{}\" [label=\"{}\\n{words}\"];", group.number, groups.name_of(group.number))?;
    }
    let edges =
        groups.iter().flat_map(|view| view.group.parents.iter().map(move |parent| (*parent, view.group.number)));
    let edges: BTreeSet<(TaskId, TaskId)> = edges.collect();
    for (parent, group) in &edges {
        writeln!(out, "  \"{parent}\" -> \"{group}\";")?;
    }
    writeln!(out, "}}")?;
    read.map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use protocol::{FormedGroup, HistoryWork, Incarnation, NodeId, StateVector, Status};
    use record::{Head, Input, Record, SessionError, Step};

    /// A session of these records.
    struct Told(Vec<Record>);

    impl Session for Told {
        fn head(&self) -> Option<&Head> {
            None
        }

        fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
            for record in &self.0 {
                if take(SessionEntry::Record(record.clone())).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    fn number(author: u16, serial: u32) -> TaskId {
        TaskId { author: NodeId::new(author).unwrap(), incarnation: Incarnation(1), serial }
    }

    /// The coordinator comes to work in this group.
    fn formed(at: i64, author: u16, serial: u32, members: &str, parents: &[TaskId]) -> Record {
        let group = FormedGroup {
            number: number(author, serial),
            members: members.parse().unwrap(),
            parents: parents.into(),
            depth: 1,
        };
        let work = Work::History(HistoryWork { group: Some(group), ..HistoryWork::default() });
        let node = NodeId::new(author).unwrap();
        let state =
            StateVector { work: Some(Box::new(work)), ..StateVector::new(Status::Normal, "Normal", Some(node)) };
        let step = Step { state: Some(state), ..Step::first(Input::Start { saved: false }) };
        Record { node: Some(node), ..Record::of_host(at, Body::Step(step)) }
    }

    fn written(records: Vec<Record>) -> String {
        let mut out = Vec::new();
        write(&Told(records), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_group_is_a_vertex_and_each_parent_an_edge() {
        let first = formed(1_000_000_000, 5, 1, "1-5", &[]);
        let left = formed(3_000_000_000, 2, 1, "1,2", &[number(5, 1)]);
        let right = formed(3_100_000_000, 4, 1, "3,4", &[number(5, 1)]);
        let merged = formed(9_000_000_000, 4, 2, "1-4", &[number(2, 1), number(4, 1)]);
        assert_snapshot!(written(vec![first, left, right, merged]));
    }

    #[test]
    fn a_session_without_a_history_gives_a_graph_that_says_so() {
        assert_snapshot!(written(Vec::new()));
    }
}
