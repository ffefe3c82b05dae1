//! Whether a fault was needed: the session's lab in virtual time, with all its orders and without one of them.
//!
//! Invariant: it says that a fault was or was not needed only if the rerun with all orders shows the result itself.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::election::CARDS;
use crate::export::orders_alone;
use crate::fault::FaultId;
use crate::judge::why::{Need, Search, Sought};
use crate::lab;
use crate::record::{Head, Record, Session, SessionEntry, SessionError};
use crate::sim::{self, After, Plan, Weather};
use crate::world::World;

/// What reruns without each of these faults show.
pub fn needs(session: &dyn Session, sought: &Sought, faults: &[FaultId]) -> Vec<(FaultId, Need)> {
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
fn shows(session: &dyn Session, sought: &Sought, without: Option<FaultId>) -> Result<bool, String> {
    let text =
        orders_alone(session, without, sought.by()).map_err(|error| format!("Its orders cannot be read: {error}."))?;
    let lab = lab::parse("the session's orders", &text, CARDS)
        .map_err(|errors| format!("Its orders are no lab for this build: {}.", errors.list.len()))?;
    lab.check_simulable("the session's orders").map_err(|_| "Its orders cannot be simulated.".to_owned())?;
    let plan = Plan { after: After::Judgement, ..plan_of(lab, session.head()) };
    let search = RefCell::new(Search::new(sought, World::new(plan.lab.roster)));
    sim::run(&plan, Box::new(|record| search.borrow_mut().take(record)));
    Ok(search.into_inner().is_found())
}

/// The plan with the seeds of the session.
fn plan_of(lab: lab::Lab, head: Option<&Head>) -> Plan {
    let plan = Plan::of(Arc::new(lab));
    match head.and_then(|head| head.drawn.as_ref()) {
        Some(drawn) => Plan { seed: drawn.seed, weather: Weather::Drawn, ..plan },
        None => plan,
    }
}

/// The same for a screen, which holds the session's records.
pub fn again(head: &Head, records: &[Arc<Record>], sought: &Sought, faults: &[FaultId]) -> Vec<(FaultId, Need)> {
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
