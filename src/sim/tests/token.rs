//! The token in whole labs: how many messages an entry takes, counted from the records. Who is inside when is judged.

use super::*;
use crate::NetworkKind;
use record::{EffectText, Step};
use std::collections::BTreeMap;

const NODES: u64 = 6;

/// All ask all the time.
fn busy() -> Arc<Lab> {
    let text = format!(
        r#"
        name = "busy"
        about = "Everybody wants in again and again, and nothing fails."
        algorithm = "bully"
        nodes = {NODES}
        seed = 1
        T = "200ms"
        check = "500ms"
        silence = "2s"
        application = {{ name = "token", outside_ms = 60, inside_ms = 20 }}
        step = [{{ at = "15s", do = [] }}]
        "#
    );
    lab_of("busy", &text)
}

/// What was counted in one run.
#[derive(Default)]
struct Count {
    /// How often each request was sent on, by its own fields.
    sent: BTreeMap<Vec<String>, u64>,
    tokens: u64,
}

impl Count {
    fn take(&mut self, step: &Step) {
        for effect in &step.effects {
            let EffectText::Send { message, .. } = effect else { continue };
            match message.kind.as_ref() {
                "Token" => self.tokens += 1,
                "Request" => {
                    let fields = message.fields.iter().map(|(_, value)| value.to_string()).collect();
                    *self.sent.entry(fields).or_default() += 1;
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_request_goes_less_than_half_way_round() {
    for seed in 0..12 {
        let count = RefCell::new(Count::default());
        let listener = |record: &Record| {
            if let Some(step) = record.step() {
                count.borrow_mut().take(step);
            }
        };
        let end = run(&Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(busy()) }, Box::new(listener));
        let Count { sent, tokens } = count.into_inner();
        let held = end.run.tallies.get(Property::MutualExclusion).held;
        assert!(held > 100 && end.run.summary.violations == 0, "seed {seed}: {held} entries");
        let furthest = sent.values().max().copied().unwrap_or(0);
        assert!((1..NODES).contains(&furthest), "seed {seed}: a request was sent {furthest} times");
        // Pointing at the requester is what makes the ways short: without it nearly every request goes all the way.
        let (requests, way) = (sent.len() as u64, sent.values().sum::<u64>());
        assert!(2 * way < NODES * requests, "seed {seed}: {requests} requests were sent {way} times");
        assert!(tokens <= requests, "seed {seed}: {tokens} tokens for {requests} requests");
    }
}
