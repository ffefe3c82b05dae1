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
        self.feed.records(self.shown_until())
    }

    /// Why the node is in the state that is shown, in one sentence and its parts.
    pub fn why_in_brief(&self, node: NodeId) -> WhyInBrief {
        let answer = || in_brief(&annals(self.head.as_ref(), &self.feed.records_read(self.shown_until())), node);
        self.why_line.brief(self.feed.newest_record(self.shown_until()), node, answer)
    }

    fn shown_until(&self) -> i64 {
        self.delayed.as_ref().map_or(i64::MAX, |delayed| delayed.scene.at)
    }
}
