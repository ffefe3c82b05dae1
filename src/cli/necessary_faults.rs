//! Whether a fault was needed: the session's lab in virtual time, with all its orders and without one of them.
//!
//! Invariant: it says that a fault was or was not needed only if the rerun with all orders shows the result itself.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::registry_in_use;
use export::orders_alone;
use fault::FaultId;
use judge::why::{Need, RerunGoal, Search};
use record::{Head, Record, Session, SessionEntry, SessionError};
use sim::{AfterScript, NetworkKind, Plan};
use world::World;

/// What reruns without each of these faults show.
pub fn needs(session: &dyn Session, sought: &RerunGoal, faults: &[FaultId]) -> Vec<(FaultId, Need)> {
    let unknown = |why: &str| faults.iter().map(|fault| (*fault, Need::Unknown(why.to_owned()))).collect();
    match shows(session, sought, None) {
        Err(why) => unknown(&why),
        Ok(false) => unknown("The lab in virtual time with all its faults does not come to this either."),
        Ok(true) => {
            let need = |fault: &FaultId| match shows(session, sought, Some(*fault)) {
                Ok(true) => Need::NotNeeded,
                Ok(false) => Need::Needed,
                Err(why) => Need::Unknown(why),
            };
            faults.iter().map(|fault| (*fault, need(fault))).collect()
        }
    }
}

/// Whether a rerun without this fault shows it; the error is a sentence.
fn shows(session: &dyn Session, sought: &RerunGoal, without: Option<FaultId>) -> Result<bool, String> {
    let text =
        orders_alone(session, without, sought.by()).map_err(|error| format!("Its orders cannot be read: {error}."))?;
    let lab = lab::parse("the session's orders", &text, registry_in_use())
        .map_err(|errors| format!("Its orders are no lab for this build: {}.", errors.list.len()))?;
    lab.check_simulable("the session's orders").map_err(|_| "Its orders cannot be simulated.".to_owned())?;
    let plan = Plan { after: AfterScript::Judgement, ..plan_of(lab, session.head()) };
    let search = RefCell::new(Search::new(sought, World::new(plan.lab.roster)));
    sim::run(&plan, Box::new(|record| search.borrow_mut().take(record)));
    Ok(search.into_inner().is_found())
}

/// The plan with the seeds of the session.
fn plan_of(lab: lab::Lab, head: Option<&Head>) -> Plan {
    let plan = Plan::of(Arc::new(lab));
    match head.and_then(|head| head.drawn.as_ref()) {
        Some(drawn) => Plan { seed: drawn.seed, network_kind: NetworkKind::Drawn, ..plan },
        None => plan,
    }
}

/// The same for a screen, which holds the session's records.
pub fn again(head: &Head, records: &[Arc<Record>], sought: &RerunGoal, faults: &[FaultId]) -> Vec<(FaultId, Need)> {
    needs(&HeldSession { head, records }, sought, faults)
}

/// A session that is held in memory.
struct HeldSession<'a> {
    head: &'a Head,
    records: &'a [Arc<Record>],
}

impl Session for HeldSession<'_> {
    fn head(&self) -> Option<&Head> {
        Some(self.head)
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        for record in self.records {
            if take(SessionEntry::Record(Record::clone(record))).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use registry::BUILT_IN;

    use super::*;
    use judge::why::{AskedWhy, SessionPast, violations};
    use protocol::NodeId;

    /// A lab's session in virtual time.
    fn session_of(text: &str) -> (Head, Vec<Arc<Record>>) {
        let plan = Plan::of(Arc::new(lab::parse("lab", text, BUILT_IN).unwrap()));
        let records = RefCell::new(Vec::new());
        sim::run(&plan, Box::new(|record| records.borrow_mut().push(Arc::new(record.clone()))));
        (sim::head(&plan), records.into_inner())
    }

    fn lab_named(name: &str) -> String {
        std::fs::read_to_string(format!("{}/labs/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn session_past<'a>(head: &'a Head, records: &'a [Arc<Record>]) -> SessionPast<'a> {
        SessionPast::new(Some(head), records.iter().map(|record| &**record))
    }

    /// What reruns show of these faults, for the violation of that place among all.
    fn of_violation(name: &str, place: usize, faults: &[u32]) -> Vec<Need> {
        let (head, records) = session_of(&lab_named(name));
        let session_past = session_past(&head, &records);
        let sought = AskedWhy::Record(violations(&session_past)[place]).sought(&session_past).unwrap();
        let faults: Vec<FaultId> = faults.iter().map(|id| FaultId(*id)).collect();
        again(&head, &records, &sought, &faults).into_iter().map(|(_, need)| need).collect()
    }

    #[test]
    fn what_a_violation_needs_is_told_by_reruns() {
        assert_eq!(of_violation("bully-pause", 0, &[1]), [Need::Needed]);
        // Each of the two pauses has its own violation, of the same nodes.
        assert_eq!(of_violation("app-fencing-unordered", 0, &[1, 3]), [Need::Needed, Need::NotNeeded]);
        // The delay of the coordinator's links has no part in what the loss does.
        assert_eq!(of_violation("king-ni-c-loss-letter", 0, &[1, 2, 3]), [Need::NotNeeded, Need::Needed, Need::Needed]);
    }

    #[test]
    fn what_a_coordinator_needs_is_asked_at_its_moment() {
        let (head, records) = session_of(&lab_named("first"));
        let until = records.iter().position(|record| record.at > 4_000_000_000).unwrap();
        let need = |until: usize, node: u16, fault: u32| {
            let sought =
                AskedWhy::Node(NodeId::new(node).unwrap()).sought(&session_past(&head, &records[..until])).unwrap();
            again(&head, &records, &sought, &[FaultId(fault)])[0].1.clone()
        };
        assert_eq!(need(until, 4, 1), Need::Needed, "without the crash 5 coordinates then");
        assert_eq!(need(records.len(), 5, 2), Need::Needed, "without its recovery 5 is dead in the end");
        assert_eq!(need(records.len(), 5, 1), Need::NotNeeded, "5 coordinates in the end too if it never crashed");
    }

    #[test]
    fn where_all_faults_do_not_bring_it_again_nothing_is_told() {
        let (head, records) = session_of(&lab_named("first"));
        let node = NodeId::new(1).unwrap();
        let sought =
            RerunGoal::State { node, believes_in: Some(node), word: String::new(), at: 4_000_000_000, slack: 0 };
        let needs = again(&head, &records, &sought, &[FaultId(1)]);
        assert!(matches!(&needs[0].1, Need::Unknown(why) if why.contains("with all its faults")), "{needs:?}");
        let unread = Head { facts: protocol::Facts { name: "none".into(), ..head.facts.clone() }, ..head };
        let needs = again(&unread, &records, &sought, &[FaultId(1)]);
        assert!(matches!(&needs[0].1, Need::Unknown(why) if why.contains("no lab for this build")), "{needs:?}");
    }

    #[test]
    fn the_lines_that_end_a_fault_go_with_it_and_no_other_fault_is_ended_instead() {
        let steps = [
            ("1s", "cut 1->2"),
            ("2s", "pause 5"),
            ("3s", "undo"),
            ("4s", "crash 4"),
            ("5s", "recover 4"),
            ("6s", "lift f1"),
        ];
        let steps: String =
            steps.iter().map(|(at, line)| format!("[[step]]\nat = \"{at}\"\ndo = [\"{line}\"]\n")).collect();
        let text = format!(
            "name = \"l\"\nabout = \"l\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\nT = \"200ms\"\ncheck = \"200ms\"\n\
             silence = \"1s\"\n{steps}"
        );
        let (head, records) = session_of(&text);
        let orders = |without: Option<u32>| {
            let session = HeldSession { head: &head, records: &records };
            let text = orders_alone(&session, without.map(FaultId), 0).unwrap();
            let lab = lab::parse("orders", &text, BUILT_IN).unwrap();
            let lines = lab.steps.iter().flat_map(|step| &step.lines).map(ToString::to_string);
            lines.collect::<Vec<String>>().join(", ")
        };
        assert_eq!(orders(None), "cut 1->2, pause 5, resume 5, crash 4, recover 4, lift f1");
        assert_eq!(orders(Some(1)), "pause 5, resume 5, crash 4, recover 4");
        assert_eq!(orders(Some(2)), "cut 1->2, crash 4, recover 4, lift f1");
        assert_eq!(orders(Some(4)), "cut 1->2, pause 5, resume 5, lift f1");
    }
}
