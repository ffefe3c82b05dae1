//! What the promises of applications need: an application says it, and not the algorithm that elects for it.
//!
//! Invariant: what excuses a broken promise is an assumption that this promise needs.

use super::{lab_of, labs, session};
use crate::{Plan, head};
use protocol::Assumption;

/// 3 has an account of a service in its safe cells, and loses the last save. Algorithm B.1 needs no safe cells: a service
/// does.
const ROLLBACK: &str = r#"
name = "service-rollback"
about = "An asker loses the last save of its safe cells, and its account goes back."
algorithm = "king-ni-b1"
nodes = 4
seed = 7100366
T = "200ms"
check = "401.593ms"
silence = "2s"
[settings]
candidates = "1-4"
criterion = "random"
delta = "3/4"
errata = true
[application]
name = "service"
busy = 0
numbers = 1000
pace_ms = 500
parts = 20
service_load = 1000
[[step]]
at = "1s"
do = ["request 1-4"]
[[step]]
at = "5s"
do = ["crash 3", "rollback 3"]
[[step]]
at = "5.02s"
do = ["lift f2"]
[[step]]
name = "the lab ends"
at = "7.1s"
do = []
"#;

#[test]
fn lost_cells_excuse_an_account_going_back() {
    let (_, end) = session(&Plan::of(lab_of("service-rollback", ROLLBACK)));
    let [told] = end.run.violations.as_slice() else { panic!("{:?}", end.run.violations) };
    assert!(told.starts_with("service violated") && told.contains("(rollback 3) broke assumption 4"), "{told}");
}

#[test]
fn an_application_needs_what_it_says() {
    for lab in labs() {
        let (facts, own) = (head(&Plan::of(lab.clone())).facts, lab.application());
        let (Some(application), Some(own)) = (facts.application, own) else { continue };
        let needs = |assumption: &Assumption| application.needs.contains(assumption);
        assert!(own.needs.iter().all(needs), "{}: {:?}", lab.name, application.needs);
        assert!(needs(&Assumption::AllCooperate) && needs(&Assumption::NothingGarbled), "{}", lab.name);
        let rests_on_elections = facts.needs.iter().all(needs);
        match own.name {
            "service" => assert!(rests_on_elections && needs(&Assumption::SafeCells), "{}", lab.name),
            "mutual-exclusion" => assert!(rests_on_elections && !needs(&Assumption::SafeCells), "{}", lab.name),
            "copies" | "joining" | "token" => assert_eq!(application.needs, Assumption::first(6), "{}", lab.name),
            "updates" | "history" => assert_eq!(application.needs, Assumption::first(7), "{}", lab.name),
            "shards" => assert_eq!(application.needs, Assumption::first(10), "{}", lab.name),
            "fencing" => {
                let is_kept_out = facts.withheld.is_empty();
                assert_eq!(needs(&Assumption::NoPauses), !is_kept_out, "{}: {:?}", lab.name, application.needs);
            }
            other => panic!("{other} says nothing of what it needs"),
        }
    }
}
