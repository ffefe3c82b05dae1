//! Formats for other programs, read by libraries that are not ours.
//!
//! Invariant: what a reader finds is what the session holds.

use std::collections::{BTreeMap, HashMap};

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use pcap_parser::{Block, OptionCode, PcapBlock, PcapNGCapture};
use serde_json::Value;

use super::{bytes_of, exported, recorded};
use export::CastVersion;
use record::{EffectText, Input, Record, SessionReader};

fn records(directory: &tempfile::TempDir) -> Vec<Record> {
    SessionReader::read(std::fs::read(recorded(directory)).unwrap().as_slice()).records
}

#[test]
fn every_event_of_shiviz_has_a_clock_that_knows_its_causes() {
    let directory = tempfile::tempdir().unwrap();
    let log = exported(&recorded(&directory), "shiviz", CastVersion::Three, None);
    let (expression, events) = log.split_once("\n\n").unwrap();
    // As ShiViz does: line by line, and each match once.
    let expression = regex::Regex::new(&format!("(?m)^{expression}$")).unwrap();
    let mut clocks: HashMap<String, BTreeMap<String, u64>> = HashMap::new();
    let mut seen: HashMap<(String, u64), BTreeMap<String, u64>> = HashMap::new();
    let mut count = 0;
    for event in expression.captures_iter(events) {
        let host = event["host"].to_owned();
        let clock: BTreeMap<String, u64> = serde_json::from_str(&event["clock"]).unwrap();
        let before = clocks.get(&host).cloned().unwrap_or_default();
        assert_eq!(clock[&host], before.get(&host).unwrap_or(&0) + 1);
        // An event's clock covers the clock of the event before it and the clocks of all events that it names.
        for (other, time) in clock.iter().filter(|(other, _)| **other != host) {
            let cause = &seen[&(other.clone(), *time)];
            assert!(cause.iter().all(|(known, time)| clock[known] >= *time), "{}", &event["event"]);
        }
        assert!(before.iter().all(|(known, time)| clock[known] >= *time));
        seen.insert((host.clone(), clock[&host]), clock.clone());
        clocks.insert(host, clock);
        count += 1;
    }
    assert_eq!(count * 2, events.lines().count());
    assert_eq!(clocks.len(), 6, "five processes and the lab");
    assert!(log.contains(" s f1 crash coordinator\nlab {\"lab\":1}\n"), "{log}");
    assert!(log.contains("hears nothing from 5; sends Halt"), "{log}");
}

#[test]
fn a_trace_has_tracks_slices_in_order_and_an_arrow_for_each_message_that_came() {
    let directory = tempfile::tempdir().unwrap();
    let records = records(&directory);
    let trace: Value =
        serde_json::from_str(&exported(&recorded(&directory), "perfetto", CastVersion::Three, None)).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |phase: &'static str| events.iter().filter(move |event| event["ph"] == phase);
    let came =
        records.iter().filter_map(Record::step).filter(|step| matches!(step.input, Input::Message { .. })).count();
    assert!(came > 50 && of("s").count() == came && of("f").count() == came);
    let mut ends: HashMap<(u64, u64), f64> = HashMap::new();
    for slice in of("X") {
        let [at, long] = ["ts", "dur"].map(|field| slice[field].as_f64().unwrap());
        let end = ends.entry((slice["pid"].as_u64().unwrap(), slice["tid"].as_u64().unwrap())).or_default();
        assert!(at >= *end - 1e-6 && long >= 0.0, "{slice}");
        *end = at + long;
    }
    let steps = |arrow: &Value| {
        of("X").any(|slice| {
            let [at, long] = ["ts", "dur"].map(|field| slice[field].as_f64().unwrap());
            let ts = arrow["ts"].as_f64().unwrap();
            slice["pid"] == arrow["pid"] && slice["tid"] == 2 && at <= ts && ts <= at + long
        })
    };
    assert!(of("s").chain(of("f")).all(steps));
    let named = |words: &str| events.iter().any(|event| event["name"] == words);
    assert!(named("f1 crash coordinator") && named("election 2") && named("Normal under 4") && named("dead"));
    assert_eq!((of("b").count(), of("e").count()), (2, 2));
}

#[test]
fn a_capture_has_a_packet_for_each_message_with_its_addresses_and_its_body() {
    let directory = tempfile::tempdir().unwrap();
    let records = records(&directory);
    let sent: Vec<(u64, u16, u16, String)> = records
        .iter()
        .filter_map(|record| Some((record.at, record.step()?)))
        .flat_map(|(at, step)| step.effects.iter().map(move |effect| (at, effect)))
        .filter_map(|(at, effect)| match effect {
            EffectText::Send { id, message } => {
                let to = id.to.map_or(0, |to| to.get());
                Some((at as u64, id.from.get(), to, message.body.clone()))
            }
            _ => None,
        })
        .collect();
    let bytes = bytes_of(&recorded(&directory), "pcap", CastVersion::Three, None);
    let capture = PcapNGCapture::from_file(&bytes).unwrap();
    let mut packets = Vec::new();
    for block in capture.iter() {
        let PcapBlock::NG(block) = block else { panic!("no block of pcapng") };
        match block {
            Block::SectionHeader(head) => {
                let comment = head.options.iter().find(|option| option.code == OptionCode::Comment).unwrap();
                assert!(String::from_utf8_lossy(&comment.value).contains("without the header and the tag"));
            }
            Block::InterfaceDescription(interface) => {
                assert_eq!((interface.linktype.0, interface.if_tsresol), (101, 9));
            }
            Block::EnhancedPacket(packet) => {
                let at = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let data = &packet.data[..packet.caplen as usize];
                let sliced = SlicedPacket::from_ip(data).unwrap();
                let Some(NetSlice::Ipv4(ip)) = &sliced.net else { panic!("no IPv4") };
                let header = ip.header().to_header();
                assert_eq!(header.header_checksum, header.calc_header_checksum());
                assert_eq!(header.source, [127, 0, 0, 1]);
                let Some(TransportSlice::Udp(udp)) = &sliced.transport else { panic!("no UDP") };
                let sum = udp.to_header().calc_checksum_ipv4(&header, udp.payload()).unwrap();
                assert_eq!(udp.checksum(), sum);
                let body: String = udp.payload().iter().map(|byte| format!("{byte:02x}")).collect();
                assert!(packet.options.iter().any(|option| option.code == OptionCode::Comment));
                packets.push((at, udp.source_port(), udp.destination_port(), body));
            }
            other => panic!("{other:?}"),
        }
    }
    let (mut sent, mut found) = (sent, packets.clone());
    assert!(packets.is_sorted_by_key(|packet| packet.0));
    sent.sort();
    found.sort();
    assert!(sent.len() > 50 && sent == found);
}
