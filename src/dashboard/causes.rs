//! The records behind a screen, and what they tell of causes.
//!
//! Invariant: nothing that is later than what is shown has a part in it.

use std::sync::Arc;

use super::model::Model;
use super::why_sheet::annals;
use crate::judge::why::{WhyInBrief, in_brief};
use crate::protocol::NodeId;
use crate::record::Record;

impl Model {
    /// The newest records up to what is shown, those without a row too, in their order.
    pub fn records_seen(&self) -> Vec<Arc<Record>> {
        self.after_what_is_known(self.feed.records(self.shown_until()))
    }

    /// Why the node is in the state that is shown, in one sentence and its parts.
    pub fn why_in_brief(&self, node: NodeId) -> WhyInBrief {
        let records = || self.after_what_is_known(self.feed.records_read(self.shown_until()));
        let answer = || in_brief(&annals(self.head.as_ref(), &records()), node);
        self.why_line.brief(self.feed.newest_record(self.shown_until()), node, answer)
    }

    /// These records, after those that the screen knows of what lies before the past that is played.
    fn after_what_is_known(&self, records: Vec<Arc<Record>>) -> Vec<Arc<Record>> {
        let Some(present) = &self.present else { return records };
        present.earlier.iter().cloned().chain(records).collect()
    }

    fn shown_until(&self) -> i64 {
        self.delayed.as_ref().map_or(i64::MAX, |delayed| delayed.scene.at)
    }
}
