//! A fake lab in virtual time for tests. It replays the records of `storm()`, whatever it is ordered, and records the
//! orders.
//!
//! Invariant: it keeps the promises of a [`VirtualLab`], but that no order changes what the storm does.

use std::cell::RefCell;
use std::rc::Rc;

use super::stage::{head, numbered, options, storm};
use crate::model::Model;
use crate::{Role, Source};
use fault::{FaultId, FaultLine};
use protocol::NodeSet;
use record::{Answer, Body, Head, Origin, Record, Request};
use script::{Refused, RequestOutcome, SharedLab, Steps, VirtualLab, VirtualMoment};

/// Faults that were ordered here have numbers from this one on.
pub const FIRST: u32 = 100;

/// The lab.
#[derive(Debug)]
pub struct Rehearsed {
    /// Everything that it has done and is going to do.
    records: Vec<Record>,
    given: usize,
    now: i64,
    played: Option<i64>,
    orders: u32,
}

/// The owner's screen of such a lab, and the lab.
pub fn simulated_with() -> (Model, Rc<RefCell<Rehearsed>>) {
    simulated_of(storm())
}

/// A screen of its owner on a lab that does this, and the lab.
pub fn simulated_of(mut records: Vec<Record>) -> (Model, Rc<RefCell<Rehearsed>>) {
    records.iter_mut().for_each(|record| record.at = record.at.max(0));
    records.sort_by_key(|record| record.at);
    let lab = Rehearsed { records: numbered(records), given: 0, now: 0, played: None, orders: 0 };
    let lab = Rc::new(RefCell::new(lab));
    let shared: SharedLab = Rc::<RefCell<Rehearsed>>::clone(&lab);
    (Model::simulated(&options(Source::Simulated(SharedLab::clone(&shared)), Role::Owner), shared), lab)
}

/// A screen of its owner.
pub fn simulated() -> Model {
    simulated_with().0
}

impl Rehearsed {
    fn place(&self, moment: VirtualMoment) -> usize {
        match moment {
            VirtualMoment::At(at) => self.records.partition_point(|record| record.at <= at),
            VirtualMoment::After(count) => usize::try_from(count).unwrap(),
        }
    }
}

fn is_ordered_here(record: &Record) -> bool {
    match record.body {
        Body::FaultOrdered { id, .. } | Body::FaultInForce { id } => id.0 >= FIRST,
        _ => false,
    }
}

impl VirtualLab for Rehearsed {
    fn head(&self) -> Head {
        Head { origin: Origin::Simulated, wall_clock: 0, base_port: 0, ..head() }
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn next_at(&self) -> Option<i64> {
        self.records.get(self.given).map(|record| record.at)
    }

    fn advance_to(&mut self, until: i64) -> Vec<Record> {
        let from = self.given;
        self.given = self.place(VirtualMoment::At(until)).max(from);
        self.now = self.now.max(until);
        self.records[from..self.given].to_vec()
    }

    fn ask(&mut self, moment: VirtualMoment, request: &Request) -> Result<RequestOutcome, Refused> {
        let place = self.place(moment);
        let at = match moment {
            VirtualMoment::At(at) => at,
            // A moment before the first record counts as the time of the first record.
            VirtualMoment::After(_) => self.records[place.saturating_sub(1)].at,
        };
        let (mut made, mut text) = (Vec::new(), "the lab's steps are played from now on".to_owned());
        if let Request::Inject(line) = request {
            let order = line.parse::<FaultLine>().map_err(|error| Refused(error.drawn(line)))?;
            if line == "crash 9" {
                return Err(Refused("there is no node 9 in this lab".into()));
            }
            let id = FaultId(FIRST + self.orders);
            let ordered = Body::FaultOrdered { id, line: order, nodes: NodeSet::EMPTY, rule: None, step: None };
            made = [ordered, Body::FaultInForce { id }].map(|body| Record::of_host(at, body)).to_vec();
            text = format!("{id} {line}: in force");
            self.orders += 1;
        }
        self.played = self.played.filter(|played| *played <= at);
        if matches!(request, Request::PlaySteps) {
            self.played = Some(at);
        }
        let rest = self.records.split_off(place).into_iter().filter(|record| !is_ordered_here(record));
        let (kept, given) = (self.given.min(place), place + made.len());
        self.records.extend(made.into_iter().chain(rest));
        self.records = numbered(std::mem::take(&mut self.records));
        (self.given, self.now) = (given, at);
        Ok(RequestOutcome {
            answer: Answer::Done { id: None, text },
            kept,
            records: self.records[kept..given].to_vec(),
        })
    }

    fn steps_at(&self, moment: VirtualMoment) -> Steps {
        let at = match moment {
            VirtualMoment::At(at) => at,
            VirtualMoment::After(count) => self.records[usize::try_from(count).unwrap().saturating_sub(1)].at,
        };
        if self.played.is_some_and(|played| played <= at) { Steps::Playing } else { Steps::Held }
    }
}
