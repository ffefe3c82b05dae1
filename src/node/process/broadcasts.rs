//! Tests of the ordered broadcast over real loopback sockets: whole nodes, several in one thread.
//!
//! Invariant: T is a second here, so that no scheduler's delay is near Delta; nothing waits for a guessed time.

use super::tests::*;
use crate::clock::monotonic;
use driver::counting_broadcast::CountingBroadcast;
use fault::{FaultId, LinkFault};
use protocol::{MachineKind, Order, Span};
use record::{Body, Control, MessageId, NodePlan, Record};

const T: Span = Span::from_millis(1_000);
const DELTA: i64 = 750_000_000;

fn slow(mut plan: NodePlan) -> NodePlan {
    plan.setup.timing.t = T;
    plan.head.timing.t = T;
    plan
}

/// Nodes 1 to 3, all begun at one moment.
async fn choir(base_port: u16, directory: &tempfile::TempDir) -> Vec<Host> {
    let hosts: Vec<Host> = (1..=3)
        .map(|me| Host::spawn_as(MachineKind::of::<CountingBroadcast>(), slow(plan(me, base_port, directory.path()))))
        .collect();
    for host in &hosts {
        host.ready().await;
    }
    let now = monotonic();
    hosts.iter().for_each(|host| host.tell(&Control::Begin { at: now, epoch: now }));
    for host in &hosts {
        host.records_until(|record| record.step().is_some()).await;
    }
    hosts
}

/// The records of a node up to its delivery of this many broadcasts.
async fn deliveries(host: &Host, count: usize) -> Vec<Record> {
    let heard = std::cell::Cell::new(0);
    host.records_until(|record| {
        heard.set(heard.get() + usize::from(received(record).is_some()));
        heard.get() == count
    })
    .await
}

#[test]
fn three_nodes_deliver_all_broadcasts_once_in_one_order_and_not_before_delta() {
    lab(async |base_port, directory| {
        let hosts = choir(base_port, &directory).await;
        for version in 1..=10 {
            for host in &hosts {
                host.tell(&Control::Order { version, order: Order::Elect });
            }
        }
        let mut sent_at: Vec<(MessageId, i64)> = Vec::new();
        let mut orders: Vec<Vec<(MessageId, i64)>> = Vec::new();
        for host in &hosts {
            let records = deliveries(host, 30).await;
            assert!(!records.iter().any(|record| matches!(record.body, Body::Late { .. })), "{records:?}");
            sent_at.extend(records.iter().flat_map(|record| sent(record).into_iter().map(|id| (id, record.at))));
            orders.push(records.iter().filter_map(|record| Some((received(record)?, record.at))).collect());
        }
        sent_at.sort_by_key(|(id, at)| (*at, id.from));
        let expected: Vec<MessageId> = sent_at.iter().map(|(id, _)| *id).collect();
        for order in &orders {
            let ids: Vec<MessageId> = order.iter().map(|(id, _)| *id).collect();
            assert_eq!(ids, expected, "in the order of their stamps, the sender's own too");
            let kept = order.iter().zip(&sent_at).all(|((_, delivered), (_, sent))| *delivered >= sent + DELTA);
            assert!(kept, "one was delivered before its moment");
        }
    });
}

#[test]
fn what_a_cut_takes_from_one_link_a_relay_brings_and_the_copys_loss_is_on_record() {
    lab(async |base_port, directory| {
        let hosts = choir(base_port, &directory).await;
        let rule = "cut 1->2".parse().unwrap();
        let cut = LinkFault { id: FaultId(4), text: "cut 1->2".into(), rule };
        hosts[1].tell(&Control::Faults { version: 8, faults: vec![cut] });
        hosts[1].acknowledged(8).await;
        hosts[0].tell(&Control::Order { version: 1, order: Order::Elect });
        let records = deliveries(&hosts[1], 1).await;
        let bitten: Vec<&Body> =
            records.iter().map(|record| &record.body).filter(|body| matches!(body, Body::Copy { .. })).collect();
        let id = received(records.last().unwrap()).unwrap();
        let [Body::Copy { id: of, through, by: FaultId(4), .. }] = bitten[..] else { panic!("{records:?}") };
        assert_eq!((*of, *through), (id, id.from));
    });
}
