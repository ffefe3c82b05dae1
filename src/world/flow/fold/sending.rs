//! What a step sends, and the row in which that stands.
//!
//! Invariant: of a step's messages only the first one back to the sender of its input is an answer. A step that lies has
//! rows of its own, and what it says differently to others stands in one of them.

use super::super::arrow::ArrowLoss;
use super::super::reason::{SendingForm, StepSending, lies_told};
use super::*;

impl FlowFold {
    /// What a step sends, by kinds and in order.
    pub(super) fn sendings(&self, step: &Step) -> Vec<StepSending> {
        let mut sendings: Vec<StepSending> = Vec::new();
        let lies = !lies_told(step).is_empty();
        let given = match &step.input {
            Input::Message { id, message } => Some((id, message)),
            _ => None,
        };
        let mut asker = given.map(|(given, _)| given.from);
        for effect in step.effects_around_hold().0 {
            let EffectText::Send { id, message } = effect else { continue };
            // The first message back to the sender is the answer.
            let is_answer = asker.is_some_and(|asker| id.to == Some(asker));
            asker = asker.filter(|_| !is_answer);
            let of_unshown = given.is_some_and(|(given, message)| match self.flights.get(given) {
                Some(flight) => matches!(flight.shown, Shown::Nowhere),
                None => self.is_unshown(message),
            });
            let manner = if self.is_unshown(message) {
                SendingForm::Unshown
            } else if lies {
                SendingForm::Lie
            } else if is_answer && !of_unshown && self.rules.folding == FlowDetail::Folded {
                SendingForm::Answer
            } else {
                SendingForm::Arrow
            };
            let same = |last: &&mut StepSending| {
                let (known, text) = &last.messages[0];
                last.manner == manner
                    && (manner == SendingForm::Arrow || manner == SendingForm::Lie && text.fields == message.fields)
                    && text.kind == message.kind
                    && known.to.is_some()
                    && last.messages.iter().all(|(known, _)| known.to != id.to)
                    && id.to.is_some()
            };
            // What a liar says to one and another stands together, whatever it says to others between.
            let known = match manner {
                SendingForm::Lie => sendings.iter_mut().rfind(same),
                _ => sendings.last_mut().filter(same),
            };
            match known {
                Some(last) => last.messages.push((*id, message.clone())),
                None => sendings.push(StepSending { manner, messages: vec![(*id, message.clone())] }),
            }
        }
        sendings
    }

    /// The row in which a sending stands.
    pub(super) fn row_of_sending(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        sending: &StepSending,
        received: Option<ReceiptPlace>,
        cause: FlowCause,
    ) -> usize {
        let kind = &sending.messages[0].1.kind;
        let same_kind = |row: &FlowRow| row.arrows.iter().all(|arrow| arrow.message.kind == *kind);
        // What is sent because of a late message stands beside that message's receipt.
        let of_receipt = received.map(|receipt| receipt.row).filter(|row| {
            let (row, floor) = (&self.rows[*row], self.fronts.get(&node).map_or(0, LaneFront::floor) <= *row);
            floor && !row.arrivals.is_empty() && same_kind(row)
        });
        let like = |row: &FlowRow| !row.arrows.is_empty() && same_kind(row);
        let row = of_receipt.or_else(|| self.row_like(node, record, &cause, like));
        let row = row.unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.add_cause(row, cause);
        self.join(node, row, record);
        row
    }

    /// The row in which a lie stands: what the step has said of this kind already, or a new one.
    pub(super) fn row_of_lies(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        step: &Step,
        sending: &StepSending,
        cause: FlowCause,
    ) -> usize {
        let kind = &sending.messages[0].1.kind;
        let is_of_step = |row: &FlowRow| row.record.number == record.number && row.arrows[0].message.kind == *kind;
        let floor = self.fronts.get(&node).map_or(0, LaneFront::floor);
        let known = (floor..self.rows.len()).rev().find(|row| {
            let row = &self.rows[*row];
            !row.lies.is_empty() && is_of_step(row)
        });
        let row = known.unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.rows[row].lies = lies_told(step);
        if known.is_none() {
            self.add_cause(row, cause);
        }
        self.join(node, row, record);
        row
    }

    /// Draws a sending in its row, and the state that came with it.
    pub(super) fn draw(
        &mut self,
        row: usize,
        node: NodeId,
        record: &Arc<Record>,
        sending: &StepSending,
        change: Option<LaneChange>,
    ) {
        let arrow = self.rows[row].arrows.len();
        let is_multicast = sending.messages[0].0.to.is_none();
        let receivers: NodeSet = if is_multicast {
            self.lanes.each.keys().copied().filter(|to| *to != node).collect()
        } else {
            sending.messages.iter().filter_map(|(id, _)| id.to).collect()
        };
        let end = |to: &NodeId| match self.lanes.each.get(to).map(|lane| lane.process) {
            _ if self.rules.vantage.is_some_and(|teller| teller != *to) => ArrowEnd::Unknown,
            Some(ProcessState::Dead | ProcessState::Absent) => ArrowEnd::Lost(ArrowLoss::Dead),
            _ => ArrowEnd::Flying,
        };
        let heads = receivers.iter().map(|to| ArrowHead { to, end: end(&to) }).collect();
        let message = sending.messages[0].1.clone();
        self.rows[row].arrows.push(Arrow { from: node, is_multicast, message, heads });
        for (id, message) in &sending.messages {
            let rows = BTreeSet::from([row]);
            let shown = Shown::Arrow(row, arrow);
            let (message, sent) = (message.clone(), record.number);
            self.follow(*id, FlowFlight { shown, message, sent, rows, held_by: None });
        }
        if let Some(change) = change {
            self.apply(node, row, change);
        }
    }

    pub(super) fn is_unshown(&self, message: &MessageText) -> bool {
        self.rules.hides(message)
    }
}
