//! Tests of the wire: round trips, every short input, every prefix, every flipped bit, golden bytes.
//!
//! Invariant: the golden bytes never change: a node of an older build would refuse them.

use proptest::prelude::*;

use super::*;
use protocol::codec::{EncodeError, decode_message, encode_message, hex};
use protocol::trial::{TrialMessage, count};

const LAB: &str = "000102030405060708090a0b0c0d0e0f";
const KEY: &str = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";
const BASE: u16 = 20_224;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn wire(me: u16) -> Wire {
    Wire::new(LAB, KEY, BASE, 5, 250, node(me)).unwrap()
}

fn from(number: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, BASE + number)
}

fn sealed(message: &TrialMessage) -> Vec<u8> {
    wire(3).seal(Incarnation(7), Via::Unicast, 9, &encode_message(message).unwrap())
}

fn open(datagram: &[u8]) -> Result<(Passage, TrialMessage), Refusal> {
    wire(1)
        .open(datagram, Via::Unicast, from(3), decode_message::<TrialMessage>)
        .map(|opened| (opened.passage, opened.message))
}

/// A datagram with these bytes in the place of the header and body, rightly tagged.
fn retagged(mut sealed: Vec<u8>) -> Vec<u8> {
    sealed.truncate(sealed.len() - TAG_BYTES);
    let tag = wire(3).tag(&sealed);
    sealed.extend_from_slice(&tag);
    sealed
}

#[test]
fn a_datagram_opens_as_it_was_sealed() {
    let (passage, message) = open(&sealed(&count(4))).unwrap();
    let expected = Passage { from: node(3), to: node(1), multicast: false, incarnation: Incarnation(7), sequence: 9 };
    assert_eq!((passage, message), (expected, count(4)));
    let datagram = wire(3).seal(Incarnation(7), Via::Multicast, 9, &encode_message(&count(4)).unwrap());
    let opened = wire(1).open(&datagram, Via::Multicast, from(3), decode_message::<TrialMessage>).unwrap();
    assert!(opened.passage.multicast);
}

fn original() -> BroadcastId {
    BroadcastId { stamp: 123_456_789, from: node(3), incarnation: Incarnation(7), sequence: 9 }
}

#[test]
fn a_copy_names_its_broadcast_whoever_sends_it() {
    let body = encode_message(&count(4)).unwrap();
    let direct = wire(3).seal_copy(Incarnation(7), &original(), &body);
    let opened = wire(1).open(&direct, Via::Ordered, from(3), decode_message::<TrialMessage>).unwrap();
    assert_eq!(opened.passage, Passage { from: node(3), to: node(1), ..original().passage(node(1)) });
    let relayed = wire(4).seal_copy(Incarnation(2), &original(), &body);
    let relay = wire(1).open(&relayed, Via::Ordered, from(4), decode_message::<TrialMessage>).unwrap();
    let sequence = 0x0003_0007_0000_0009;
    let expected = Passage { from: node(4), to: node(1), multicast: true, incarnation: Incarnation(2), sequence };
    assert_eq!(relay.passage, expected);
    for opened in [opened, relay] {
        assert_eq!((opened.original, opened.message), (Some(original()), count(4)));
    }
}

#[test]
fn a_copy_whose_header_belies_what_it_is_a_copy_of_is_malformed() {
    let body = encode_message(&count(4)).unwrap();
    let open = |me: u16, incarnation, original: BroadcastId| {
        let copy = wire(me).seal_copy(Incarnation(incarnation), &original, &body);
        wire(1).open(&copy, Via::Ordered, from(me), decode_message::<TrialMessage>).map(drop)
    };
    assert_eq!(open(3, 7, original()), Ok(()));
    assert_eq!(open(3, 8, original()), Err(Refusal::Malformed), "another incarnation than its header's");
    assert_eq!(open(4, 7, BroadcastId { from: node(6), ..original() }), Err(Refusal::Malformed), "no node of the lab");
    let short = wire(3).seal(Incarnation(7), Via::Ordered, 9, &[0; ORIGINAL_BYTES - 1]);
    assert_eq!(wire(1).open(&short, Via::Ordered, from(3), decode_message::<TrialMessage>), Err(Refusal::Malformed));
    let wrong_number = wire(3).seal_copy(Incarnation(7), &original(), &body);
    let mut sealed = wrong_number[..wrong_number.len() - TAG_BYTES].to_vec();
    sealed[34] ^= 1;
    let tag = wire(3).tag(&sealed);
    sealed.extend_from_slice(&tag);
    assert_eq!(wire(1).open(&sealed, Via::Ordered, from(3), decode_message::<TrialMessage>), Err(Refusal::Malformed));
}

#[test]
fn a_datagram_is_these_bytes() {
    let header = "48555354".to_owned() // HUST
        + "01"
        + LAB
        + "0003"
        + "00000007"
        + "0000000000000009"
        + "00"
        + "fa";
    let body = "00" /* the variant */
        .to_owned()
        + "04"
        + "07"
        + "636f756e746564";
    let tag = "d3d226107f7b60cfb130a70208876b4e";
    assert_eq!(hex(&sealed(&count(4))), header + &body + tag);
}

#[test]
fn every_input_of_two_bytes_or_fewer_is_malformed() {
    assert_eq!(open(&[]), Err(Refusal::Malformed));
    for first in 0..=255 {
        assert_eq!(open(&[first]), Err(Refusal::Malformed));
        for second in 0..=255 {
            assert_eq!(open(&[first, second]), Err(Refusal::Malformed));
        }
    }
}

#[test]
fn every_prefix_and_every_flipped_bit_is_refused() {
    let whole = sealed(&count(4));
    for length in 0..whole.len() {
        assert!(open(&whole[..length]).is_err(), "{length} bytes");
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&flipped).is_err(), "bit {bit}");
    }
}

#[test]
fn a_spoiled_datagram_has_a_wrong_tag_wherever_it_is_spoiled() {
    let whole = sealed(&count(4));
    for place in 0..1_000 {
        let mut spoiled = whole.clone();
        flip_sealed_bit(&mut spoiled, f64::from(place) / 1_000.0);
        let changed: u32 = whole.iter().zip(&spoiled).map(|(a, b)| (a ^ b).count_ones()).sum();
        assert_eq!((changed, open(&spoiled)), (1, Err(Refusal::WrongTag)));
    }
}

#[test]
fn each_refusal_has_its_reason_and_the_first_one_counts() {
    let whole = sealed(&count(4));
    assert_eq!(open(&[whole.clone(), vec![0; DATAGRAM_BYTES_MAX]].concat()), Err(Refusal::TooLong));
    let mut other_version = whole.clone();
    other_version[4] = 2;
    assert_eq!(open(&other_version), Err(Refusal::Malformed));
    let foreign = Wire { lab_id: [9; 16], ..wire(3) }.seal(Incarnation(1), Via::Unicast, 1, b"anything");
    assert_eq!(open(&foreign), Err(Refusal::Foreign));
    let forged = Wire { key: [9; 32], ..wire(3) }.seal(Incarnation(1), Via::Unicast, 1, b"anything");
    assert_eq!(wire(1).open(&forged, Via::Unicast, from(4), decode_message::<TrialMessage>), Err(Refusal::WrongTag));
    let elsewhere = SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, 2), BASE + 3);
    for source in [from(4), elsewhere] {
        assert_eq!(
            wire(1).open(&whole, Via::Unicast, source, decode_message::<TrialMessage>),
            Err(Refusal::WrongSource)
        );
    }
    let stranger = Wire { nodes: 9, ..wire(6) }.seal(Incarnation(1), Via::Unicast, 1, b"");
    assert_eq!(
        wire(1).open(&stranger, Via::Unicast, from(6), decode_message::<TrialMessage>),
        Err(Refusal::WrongSource)
    );
    assert_eq!(wire(1).open(&whole, Via::Multicast, from(3), decode_message::<TrialMessage>), Err(Refusal::Malformed));
    let other_algorithm = Wire { algorithm: 1, ..wire(3) }.seal(Incarnation(1), Via::Unicast, 1, b"");
    assert_eq!(open(&other_algorithm), Err(Refusal::Malformed));
}

#[test]
fn a_body_with_bytes_left_over_is_malformed() {
    let body = encode_message(&count(4)).unwrap();
    let datagram = wire(3).seal(Incarnation(7), Via::Unicast, 9, &[&body[..], &[0]].concat());
    assert_eq!(open(&datagram), Err(Refusal::Malformed));
}

#[test]
fn what_is_too_long_has_no_encoding() {
    let note = |bytes: usize| TrialMessage::Count { number: 1, note: "x".repeat(bytes) };
    // The variant, the number, and three bytes of length stand before it.
    let fits = BODY_BYTES_MAX - 5;
    let longest = wire(3).seal_copy(Incarnation(7), &original(), &encode_message(&note(fits)).unwrap());
    assert_eq!(longest.len(), DATAGRAM_BYTES_MAX);
    assert!(wire(1).open(&longest, Via::Ordered, from(3), decode_message::<TrialMessage>).is_ok());
    assert_eq!(open(&sealed(&note(fits))).unwrap().1, note(fits));
    let error = EncodeError::TooLong { bytes: BODY_BYTES_MAX + 1, most: BODY_BYTES_MAX };
    assert_eq!(encode_message(&note(fits + 1)), Err(error));
}

#[test]
fn ids_and_keys_of_another_length_make_no_wire() {
    assert!(Wire::new(&LAB[1..], KEY, BASE, 5, 1, node(1)).is_none());
    assert!(Wire::new(LAB, LAB, BASE, 5, 1, node(1)).is_none());
    assert!(Wire::new(LAB, &KEY.replace('2', "g"), BASE, 5, 1, node(1)).is_none());
}

proptest! {
    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..RECEIVE_BYTES)) {
        prop_assert!(open(&bytes).is_err());
    }

    #[test]
    fn random_bodies_never_panic_and_have_one_spelling(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let datagram = wire(3).seal(Incarnation(1), Via::Unicast, 1, &body);
        match open(&datagram) {
            Ok((_, message)) => prop_assert_eq!(encode_message(&message).unwrap(), body),
            Err(reason) => prop_assert_eq!(reason, Refusal::Malformed),
        }
    }

    #[test]
    fn a_changed_byte_is_refused_even_with_a_right_tag_or_is_another_message(
        place in 0..HEADER_BYTES + 10, change in 1..=255u8
    ) {
        let mut changed = sealed(&count(4));
        changed[place] ^= change;
        prop_assert!(open(&changed).is_err());
        if let Ok(opened) = open(&retagged(changed)) {
            prop_assert_ne!(opened, open(&sealed(&count(4))).unwrap());
        }
    }

    #[test]
    fn any_message_goes_there_and_back(number: u64, note in ".{0,200}") {
        let message = TrialMessage::Count { number, note };
        prop_assert_eq!(open(&sealed(&message)).unwrap().1, message);
    }
}
