//! The recorder: carries every record of a simulation into its run, and to the listeners.
//!
//! A simulation makes its records in causal order, so no orderer is needed before the run. Records that follow from a
//! record have its stamp.
//!
//! Invariant: with [`Recorded::No`] nodes make no records, and nothing is judged or heard: the simulator's own records
//! of processes and faults go only to the world, where the script looks for them.

use std::sync::Arc;

use super::{Plan, Recorded};
use driver::Stamp;
use protocol::NodeId;
use record::{Body, Head, Record};
use script::{Judging, Run};

/// Gets every record.
pub type Listener<'a> = Box<dyn FnMut(&Record) + 'a>;

/// Carries the records.
pub(super) struct RunRecorder<'a> {
    pub run: Run,
    listener: Listener<'a>,
}

impl<'a> RunRecorder<'a> {
    pub fn new(plan: &Plan, head: &Head, listener: Listener<'a>) -> Self {
        let judging = match plan.recorded {
            Recorded::Yes => Judging::On,
            Recorded::Unjudged => Judging::Off,
            Recorded::No => Judging::Unheard,
        };
        RunRecorder { run: Run::new(Arc::clone(&plan.lab), head, plan.pace, judging), listener }
    }

    /// Takes in the next record of the causal order.
    pub fn publish(&mut self, record: Record) {
        let at = record.at;
        self.run.publish(record, at, &mut self.listener);
    }

    /// A record about a node, or about none, at this moment.
    pub fn record(&mut self, now: u64, node: Option<NodeId>, body: Body) {
        self.publish(stamp(now).record(node, body));
    }

    /// Lets everything happen that time alone brings.
    pub fn pass_time(&mut self, now: i64) {
        self.run.pass_time(now, &mut self.listener);
    }

    /// Nobody can say from now on what is right, and nothing more comes.
    pub fn give_up(&mut self, why: String, now: i64) {
        self.run.give_up(why, now, &mut self.listener);
    }

    /// The judge tells everything that still waits; then the script's last verdicts are due.
    pub fn close(&mut self, now: i64) {
        self.run.close(now, &mut self.listener);
    }
}

/// The stamp of a moment of virtual time.
pub(super) fn stamp(now: u64) -> Stamp {
    Stamp::of(now)
}
