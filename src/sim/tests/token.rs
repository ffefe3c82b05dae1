//! The token in whole labs: who is inside when, and how many messages an entry takes, counted here from the records.
//!
//! Invariant: the judge has no part in it.

use super::*;
use crate::Weather;
use protocol::{NodeId, NodeMap, Stance};
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
    /// The stamps of each stay that has ended, by node.
    stays: Vec<(i64, i64, NodeId)>,
    inside: NodeMap<i64>,
    /// How often each request was sent on, by its own fields.
    sent: BTreeMap<Vec<String>, u64>,
    tokens: u64,
}

impl Count {
    fn take(&mut self, node: NodeId, at: i64, step: &Step) {
        let section = step.state.as_ref().and_then(|state| state.work.as_deref()?.section());
        match section.map(|section| section.stance) {
            Some(Stance::Inside) => drop(self.inside.get_or_insert_with(node, || at)),
            Some(_) => self.stays.extend(self.inside.remove(&node).map(|since| (since, at, node))),
            None => {}
        }
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
fn no_two_are_inside_by_their_stamps_and_a_request_goes_less_than_half_the_way_round() {
    for seed in 0..12 {
        let count = RefCell::new(Count::default());
        let listener = |record: &Record| {
            if let (Some(node), Some(step)) = (record.node, record.step()) {
                count.borrow_mut().take(node, record.at, step);
            }
        };
        run(&Plan { seed, weather: Weather::Drawn, ..Plan::of(busy()) }, Box::new(listener));
        let Count { mut stays, sent, tokens, .. } = count.into_inner();
        stays.sort();
        assert!(stays.len() > 100, "seed {seed}: {} stays", stays.len());
        for pair in stays.windows(2) {
            let [(_, until, one), (since, _, other)] = pair else { panic!("two") };
            assert!(until <= since, "seed {seed}: {one} is inside until {until}, and {other} since {since}");
        }
        let furthest = sent.values().max().copied().unwrap_or(0);
        assert!((1..NODES).contains(&furthest), "seed {seed}: a request was sent {furthest} times");
        // Pointing at the requester is what makes the ways short: without it nearly every request goes all the way.
        let (requests, way) = (sent.len() as u64, sent.values().sum::<u64>());
        assert!(2 * way < NODES * requests, "seed {seed}: {requests} requests were sent {way} times");
        assert!(tokens <= requests, "seed {seed}: {tokens} tokens for {requests} requests");
    }
}
