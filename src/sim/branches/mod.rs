//! A simulated lab that a person can break at any moment that it has reached. What it did after that moment is
//! forgotten: the lab is simulated again from its seed, with all requests up to that moment.
//!
//! Invariant: its records are those of a fresh simulation that gets the same requests at the same moments.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::{AfterScript, Listener, Plan, SimEnd, Simulated};
use lab::Lab;
use record::{Answer, Head, Record, Request};
use script::{Pace, Refused, RequestOutcome, Steps, VirtualLab, VirtualMoment};

/// A simulated lab and the requests on its present branch.
pub struct Branches {
    plan: Plan,
    run: Take,
    orders: Vec<Asked>,
    /// How many of the run's records were given out.
    given: u64,
}

/// A request to the lab.
#[derive(Clone, Debug)]
struct Asked {
    moment: VirtualMoment,
    request: Request,
    /// When that was, in nanoseconds since the lab began.
    at: i64,
    /// How many records there were before it, and after it.
    records: (u64, u64),
}

/// One simulation.
struct Take {
    simulation: Box<dyn Simulated>,
    tape: Rc<RefCell<RecordTail>>,
}

/// The records of a simulation from one number on.
#[derive(Default)]
struct RecordTail {
    after: u64,
    records: Vec<Record>,
}

impl Asked {
    /// Whether the request was made before this moment.
    fn is_before(&self, moment: VirtualMoment) -> bool {
        let (before, after) = self.records;
        match moment {
            VirtualMoment::At(at) => self.at <= at,
            // A person may have watched the records of a request appear; then the request stays.
            VirtualMoment::After(count) => before < count || after <= count,
        }
    }
}

impl Branches {
    /// A lab that is about to begin; its script waits to be played.
    pub fn new(lab: Lab) -> Branches {
        let plan = Plan { pace: Pace::Held, after: AfterScript::Nothing, ..Plan::of(Arc::new(lab)) };
        Branches { run: Take::begin(&plan, 0), plan, orders: Vec::new(), given: 0 }
    }

    /// Simulates the lab again on its present branch, up to where it stands, and ends it there. The listener hears every
    /// record.
    pub fn replay(&self, listener: Listener<'_>) -> SimEnd {
        let mut again = super::start(&self.plan, listener);
        for order in &self.orders {
            carry(&mut *again, order.moment);
            ask(&mut *again, &order.request);
        }
        carry(&mut *again, self.tip());
        again.end()
    }

    /// The lab's own head, except that its id depends on the requests and on how far the lab came: another branch is
    /// another session.
    pub fn session_head(&self) -> Head {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"branch");
        hasher.update(self.run.simulation.head().lab_id.as_bytes());
        for Asked { moment, request, .. } in &self.orders {
            hasher.update(format!("{moment:?} {request:?};").as_bytes());
        }
        hasher.update(format!("{:?}", self.tip()).as_bytes());
        let lab_id = hasher.finalize().to_hex()[..32].to_owned();
        Head { lab_id, ..self.run.simulation.head().clone() }
    }

    /// How far the lab has come.
    fn tip(&self) -> VirtualMoment {
        let (now, simulation) = (self.now(), &self.run.simulation);
        match simulation.next_at() {
            Some(next) if next <= now => VirtualMoment::After(simulation.world().records),
            _ => VirtualMoment::At(now),
        }
    }

    /// Whether nothing has been simulated after this moment.
    fn has_come_no_further(&self, moment: VirtualMoment) -> bool {
        let world = self.run.simulation.world();
        match moment {
            VirtualMoment::At(at) => self.now() <= at,
            VirtualMoment::After(count) => world.records < count || (world.records == count && self.now() <= world.now),
        }
    }

    /// Carries a request out on this run, after carrying the run to this moment. An error is a refusal.
    fn order(run: &mut Take, moment: VirtualMoment, request: &Request) -> Result<(Answer, Asked), Refused> {
        carry(&mut *run.simulation, moment);
        let before = run.simulation.world().records;
        let answer = match ask(&mut *run.simulation, request) {
            Answer::Refused { why } => return Err(Refused(why)),
            answer => answer,
        };
        let (at, after) = (run.simulation.now(), run.simulation.world().records);
        Ok((answer, Asked { moment, request: request.clone(), at, records: (before, after) }))
    }
}

impl VirtualLab for Branches {
    fn head(&self) -> Head {
        self.run.simulation.head().clone()
    }

    fn now(&self) -> i64 {
        self.run.simulation.now()
    }

    fn next_at(&self) -> Option<i64> {
        self.run.simulation.next_at()
    }

    fn advance_to(&mut self, until: i64) -> Vec<Record> {
        self.run.simulation.advance_to(until);
        self.given = self.run.simulation.world().records;
        self.run.take()
    }

    fn ask(&mut self, moment: VirtualMoment, request: &Request) -> Result<RequestOutcome, Refused> {
        let given = self.given;
        let (answer, order) = if self.has_come_no_further(moment) {
            Branches::order(&mut self.run, moment, request)?
        } else {
            let orders: Vec<Asked> = self.orders.iter().filter(|order| order.is_before(moment)).cloned().collect();
            let mut run = Take::begin(&self.plan, given);
            for order in &orders {
                carry(&mut *run.simulation, order.moment);
                ask(&mut *run.simulation, &order.request);
            }
            carry(&mut *run.simulation, moment);
            run.begin_tape();
            let ordered = Branches::order(&mut run, moment, request)?;
            (self.run, self.orders) = (run, orders);
            ordered
        };
        let kept = given.min(order.records.0);
        self.orders.push(order);
        self.given = self.run.simulation.world().records;
        let records = self.run.take();
        Ok(RequestOutcome { answer, kept: usize::try_from(kept).unwrap_or(usize::MAX), records })
    }

    fn steps_at(&self, moment: VirtualMoment) -> Steps {
        let is_played = |order: &Asked| matches!(order.request, Request::PlaySteps) && order.is_before(moment);
        if self.orders.iter().any(is_played) { Steps::Playing } else { Steps::Held }
    }
}

impl fmt::Debug for Branches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Branches").field("now", &self.now()).field("orders", &self.orders).finish_non_exhaustive()
    }
}

impl Take {
    /// A lab at its beginning, and a tape that takes the records after this many.
    fn begin(plan: &Plan, after: u64) -> Take {
        let tape = Rc::new(RefCell::new(RecordTail { after, records: Vec::new() }));
        let taking = Rc::clone(&tape);
        let listener = move |record: &Record| {
            let mut tape = taking.borrow_mut();
            if record.number > tape.after {
                tape.records.push(record.clone());
            }
        };
        Take { simulation: super::start(plan, Box::new(listener)), tape }
    }

    /// From now on the tape takes every record.
    fn begin_tape(&self) {
        let mut tape = self.tape.borrow_mut();
        tape.after = tape.after.min(self.simulation.world().records);
    }

    fn take(&self) -> Vec<Record> {
        std::mem::take(&mut self.tape.borrow_mut().records)
    }
}

/// Carries a simulation on to a moment.
fn carry(simulation: &mut dyn Simulated, moment: VirtualMoment) {
    match moment {
        VirtualMoment::At(at) => simulation.advance_to(at),
        VirtualMoment::After(count) => simulation.advance_to_record(count),
    }
}

/// Carries out a request now.
fn ask(simulation: &mut dyn Simulated, request: &Request) -> Answer {
    match request {
        Request::Inject(line) => simulation.inject(line),
        Request::PlaySteps => {
            simulation.play_steps();
            Answer::Done { id: None, text: "the lab's steps are played from now on".to_owned() }
        }
        Request::Note(text) => {
            simulation.note(text);
            Answer::Done { id: None, text: "the note is recorded".to_owned() }
        }
        Request::End => Answer::Refused { why: "A simulated lab ends with its screen.".to_owned() },
    }
}

#[cfg(test)]
mod tests;
