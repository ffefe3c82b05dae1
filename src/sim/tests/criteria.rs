//! Tests of simulated elections by each criterion that a simulator can run: what is remembered of a win, and that what was
//! recorded is what the machines do when it is fed to them again. Who is elected is shown by labs: `king-ni-fixed`,
//! `king-ni-last-win`.
//!
//! Invariant: no capacity here rises with the id, but where it is the id.

use std::collections::BTreeSet;

use super::{lab_of, session};
use crate::{NetworkKind, Plan, Recorded, head, run};
use driver::conformance;
use protocol::NodeId;
use protocol::capacity::NEVER_WON;
use record::{Body, SessionReader, Step};
use registry::BUILT_IN;

const ALGORITHMS: [&str; 2] = ["king-ni-b1", "king-ni-c"];

/// Five nodes, these settings, and these steps and expectations.
fn plan(algorithm: &str, settings: &str, more: &str) -> Plan {
    let text = format!(
        "name = \"criteria\"\nabout = \"Capacities.\"\nalgorithm = \"{algorithm}\"\nnodes = 5\nseed = 3\nT = \"200ms\"\n\
         check = \"500ms\"\nsilence = \"2s\"\n[settings]\n{settings}\n{more}"
    );
    Plan { network_kind: NetworkKind::Drawn, ..Plan::of(lab_of("criteria", &text)) }
}

/// The steps that order these, one after another, and the masters that are expected of each.
fn orders(orders: &[(&str, u16)]) -> String {
    let steps = orders.iter().enumerate().map(|(place, (order, master))| {
        let at = 2 + 8 * place;
        format!(
            "[[step]]\nname = \"{place}\"\nat = \"{at}s\"\ndo = [\"{order}\"]\n[[expect]]\nthat = \"master {master}\"\n\
             after = \"{place}\"\nwithin = \"35T\"\nstays = \"400ms\"\n"
        )
    });
    steps.collect()
}

/// The session as it is read back.
fn read_back(plan: &Plan) -> SessionReader {
    let (lines, _) = session(plan);
    let head = serde_json::to_string(&head(plan)).unwrap();
    SessionReader::read([vec![head], lines].concat().join("\n").as_bytes())
}

fn steps(session: &SessionReader, node: u16) -> Vec<&Step> {
    let of_node = session.records.iter().filter(|record| record.node == NodeId::new(node));
    of_node.filter_map(|record| if let Body::Step(step) = &record.body { Some(step) } else { None }).collect()
}

#[test]
fn who_has_crashed_has_never_won() {
    for algorithm in ALGORITHMS {
        let more = orders(&[("elect 1", 5), ("elect 1", 4), ("crash 4", 3)])
            + "[[step]]\nname = \"back\"\nat = \"26s\"\ndo = [\"recover 4\"]\n"
            + "[[step]]\nname = \"again\"\nat = \"30s\"\ndo = [\"elect 1\"]\n"
            + "[[expect]]\nthat = \"master 4\"\nafter = \"again\"\nwithin = \"12T\"\n";
        let (_, end) = session(&plan(algorithm, "criterion = \"last-win\"", &more));
        assert_eq!((end.run.summary.exit_code(), end.run.violations), (0, Vec::new()));
    }
}

#[test]
fn by_every_criterion_records_conform() {
    let more = "[[step]]\nat = \"2s\"\ndo = [\"elect 1\"]\n[[step]]\nat = \"4s\"\ndo = [\"crash coordinator\"]\n\
                [[step]]\nat = \"8s\"\ndo = [\"recover 1-5\", \"elect 2\"]\n[[step]]\nat = \"12s\"\ndo = []\n";
    for algorithm in ALGORITHMS {
        for settings in [
            "criterion = \"id\"",
            "criterion = \"fixed\"\ncapacities = [9, 7, 5, 3, 0]",
            "criterion = \"random\"",
            "criterion = \"last-win\"",
        ] {
            let session = read_back(&plan(algorithm, settings, more));
            let fed = conformance::verify(&session, BUILT_IN)
                .unwrap_or_else(|error| panic!("{algorithm} {settings}: {error}"));
            assert!(fed.starts > 5, "{fed:?}");
            // The check is one: another capacity is found.
            let mut altered = session;
            let record = altered.records.iter_mut().rev().find(|record| matches!(record.body, Body::Step(_))).unwrap();
            let Body::Step(step) = &mut record.body else { unreachable!() };
            step.capacity += 1;
            let error = conformance::verify(&altered, BUILT_IN).unwrap_err().to_string();
            assert!(error.contains("capacity"), "{error}");
        }
    }
}

#[test]
fn a_throw_is_one_for_each_step() {
    let more = orders(&[("elect 1", 5)]).split("[[expect]]").next().unwrap().to_owned();
    let wait = "[[step]]\nat = \"9s\"\ndo = []\n";
    for algorithm in ALGORITHMS {
        let thrown = read_back(&plan(algorithm, "criterion = \"random\"", &format!("{more}{wait}")));
        let capacities: BTreeSet<i64> = steps(&thrown, 2).iter().map(|step| step.capacity).collect();
        assert!(capacities.len() > 5, "{capacities:?}");
        let won = read_back(&plan(algorithm, "criterion = \"last-win\"", &format!("{more}{wait}")));
        assert!(steps(&won, 2).iter().all(|step| step.capacity == NEVER_WON));
        let last = steps(&won, 5).last().unwrap().capacity;
        assert!((4_000..7_000).contains(&last), "{last}");
    }
}

#[test]
fn records_or_none_the_capacities_are_the_same() {
    let more = orders(&[("elect 1", 5), ("elect 1", 4), ("elect 1", 3)]);
    let steps: String =
        more.split("[[").filter(|part| part.starts_with("step")).map(|part| format!("[[{part}")).collect();
    for algorithm in ALGORITHMS {
        for criterion in ["random", "last-win"] {
            let plan = plan(algorithm, &format!("criterion = \"{criterion}\""), &steps);
            let recorded = run(&plan, Box::new(|_| {}));
            let bare = run(&Plan { recorded: Recorded::No, ..plan.clone() }, Box::new(|_| {}));
            // Who is master hangs on the capacities, and what travels hangs on who is master.
            assert_eq!(bare.delivered, recorded.delivered, "{algorithm} {criterion}");
            assert!(bare.delivered > 100);
        }
    }
}
