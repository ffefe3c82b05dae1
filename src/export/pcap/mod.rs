//! The messages of a session as packets, for tcpdump and Wireshark: a file of the format pcapng, with a packet for each
//! datagram that a process sent, from its own address and port to the receiver's or to the multicast group.
//!
//! A session holds the bodies of messages, and neither the header that stood before them on the wire nor the tag behind
//! them, for the key is in no session. So the payload of a packet is the body alone, as it was recorded; the packet's
//! comment says in words what it is and what became of it. The heads of IP and UDP are made anew. The file says so too.
//!
//! Invariant: a packet for each sending that was carried out, in the order of their stamps, which have nanoseconds.

mod blocks;
mod packet;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddrV4};

use self::blocks::{interface, packet_block, section};
use self::packet::datagram;
use super::exported::Exported;
use super::step_words::message_words;
use super::told::ToldSession;
use protocol::{Incarnation, NodeId, visible};
use record::{Body, EffectText, Head, MessageId, MessageText, Origin, Record};

/// Where a broadcast goes if the session names no group, because nothing went over a network.
const NO_GROUP: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(239, 255, 0, 0), 0);

/// Writes the file.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    out.write_all(&section(&about(&told.head)))?;
    out.write_all(&interface())?;
    let fates = fates(&told.records);
    let mut sendings = sendings(&told.records);
    sendings.sort_by_key(|sending| sending.at);
    for sending in &sendings {
        let to = match sending.id.to {
            Some(to) => address(&told.head, to),
            None => told.head.group.unwrap_or(NO_GROUP),
        };
        let mut words = format!("{} of {}, record {}", message_words(sending.message), sending.id.from, sending.record);
        for fate in fates.get(&sending.id).into_iter().flatten() {
            words += &format!("; {fate}");
        }
        let bytes = datagram(address(&told.head, sending.id.from), to, &bytes_of(&sending.message.body));
        out.write_all(&packet_block(time(&told.head, sending.at), &bytes, &visible(&words)))?;
    }
    Ok(())
}

/// What the file says of itself.
fn about(head: &Head) -> String {
    let wire = match head.origin {
        Origin::Live => "What the processes of a lab sent over loopback.",
        Origin::Simulated => {
            "What the processes of a simulated lab sent: nothing went over a network, a port is the number of its node, \
             and a broadcast goes to 239.255.0.0."
        }
    };
    format!(
        "Lab {}. {wire} A payload is the body of a message as it was recorded, without the header and the tag that stood \
         round it on the wire; the heads of IP and UDP are made of the session's addresses. Copies that the ordered \
         broadcast relays are not in it. A stamp is lab time since the lab was made.",
        visible(&head.name)
    )
}

/// One datagram that a process sent.
struct SentDatagram<'a> {
    at: i64,
    record: u64,
    id: MessageId,
    message: &'a MessageText,
}

/// What was sent. Effects behind a hold were carried out before the process took its next step, or never.
fn sendings(records: &[Record]) -> Vec<SentDatagram<'_>> {
    let failed: HashSet<MessageId> = records
        .iter()
        .filter_map(|record| match &record.body {
            Body::SendFailed { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    let mut sendings = Vec::new();
    let mut held: BTreeMap<(NodeId, Incarnation), Vec<SentDatagram<'_>>> = BTreeMap::new();
    for record in records {
        let (Body::Step(step), Some(node)) = (&record.body, record.node) else { continue };
        let waiting = held.remove(&(node, step.incarnation)).into_iter().flatten();
        sendings.extend(waiting.map(|sending| SentDatagram { at: record.at, ..sending }));
        let (before, behind) = step.effects_around_hold();
        sendings.extend(before.iter().filter_map(|effect| sending_of(effect, record)));
        let behind: Vec<SentDatagram<'_>> = behind.iter().filter_map(|effect| sending_of(effect, record)).collect();
        if !behind.is_empty() {
            held.insert((node, step.incarnation), behind);
        }
    }
    sendings.retain(|sending| !failed.contains(&sending.id));
    sendings
}

fn sending_of<'a>(effect: &'a EffectText, record: &Record) -> Option<SentDatagram<'a>> {
    match effect {
        EffectText::Send { id, message } => {
            Some(SentDatagram { at: record.at, record: record.number, id: *id, message })
        }
        _ => None,
    }
}

/// What faults did to each message, at whom.
fn fates(records: &[Record]) -> HashMap<MessageId, Vec<String>> {
    let mut fates: HashMap<MessageId, Vec<String>> = HashMap::new();
    for record in records {
        let Some(node) = record.node else { continue };
        let (id, fate) = match &record.body {
            Body::Dropped { id, by, .. } => (id, format!("dropped at {node} by {by}")),
            Body::Held { id, by, .. } => (id, format!("held at {node} by {by}")),
            Body::Released { id, by } => (id, format!("released at {node} by {by}")),
            Body::Spoiled { id, by, .. } => (id, format!("spoiled at {node} by {by}")),
            Body::Garbled { id, by, .. } => (id, format!("garbled at {node} by {by}")),
            Body::Duplicated { id, by } => (id, format!("doubled at {node} by {by}")),
            Body::Stale { id } => (id, format!("dropped at {node}: a younger one was delivered")),
            Body::Late { id, .. } => (id, format!("discarded at {node}: it came too late")),
            _ => continue,
        };
        fates.entry(*id).or_default().push(fate);
    }
    fates
}

/// The address of a node; a session that claims a port beyond the last one gets one again from the beginning.
fn address(head: &Head, node: NodeId) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, head.base_port.wrapping_add(node.get()))
}

/// Nanoseconds since 1970.
fn time(head: &Head, at: i64) -> u64 {
    let made = i128::from(head.wall_clock) * 1_000_000_000;
    u64::try_from(made + i128::from(at)).unwrap_or(0)
}

/// The bytes that this text has in hex; what is no hex is left out.
fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
