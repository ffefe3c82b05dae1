//! The records behind a screen, and what they tell of causes.
//!
//! Invariant: nothing that is later than what is shown has a part in it.

use std::sync::Arc;

use super::model::Model;
use judge::why::{WhyInBrief, in_brief};
use protocol::NodeId;
use record::Record;

impl Model {
    /// The newest records up to what is shown, those without a row too, in their order.
    pub fn records_seen(&self) -> Vec<Arc<Record>> {
        match self.feed.playback() {
            Some(playback) => playback.records_before(),
            None => self.seen().records.all().to_vec(),
        }
    }

    /// Why the node is in the state that is shown, in one sentence and its parts.
    pub fn why_in_brief(&self, node: NodeId) -> WhyInBrief {
        let records = &self.seen().records;
        let answer = || in_brief(&records.annals(self.head.as_ref()), node);
        self.why_line.brief(records.all().last().cloned(), node, answer)
    }
}
