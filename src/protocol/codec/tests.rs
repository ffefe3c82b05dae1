//! Tests of the codec: one spelling of each value, what a flipped bit makes of it, bodies in hex and back.
//!
//! Invariant: what does not read back exactly is no message.

use proptest::prelude::*;

use super::*;
use crate::trial::{CountingAlgorithm, TrialMessage, count};
use crate::{MachineKind, Payload};

#[test]
fn a_body_with_bytes_left_over_or_a_second_spelling_is_no_message() {
    let body = encode_message(&count(4)).unwrap();
    assert_eq!(decode_message(&body), Some(count(4)));
    assert_eq!(decode_message::<TrialMessage>(&[&body[..], &[0]].concat()), None);
    // 4 as a number of three bytes: bincode reads it all the same.
    let longer = [&body[..1], &[251, 4, 0], &body[2..]].concat();
    let standard = bincode::config::standard();
    assert_eq!(bincode::serde::decode_from_slice::<TrialMessage, _>(&longer, standard).unwrap().0, count(4));
    assert_eq!(decode_message::<TrialMessage>(&longer), None);
    // A note that claims 2^62 bytes.
    let mut claim = body[..2].to_vec();
    claim.extend_from_slice(&[253, 0, 0, 0, 0, 0, 0, 0, 64]);
    assert_eq!(decode_message::<TrialMessage>(&claim), None);
}

#[test]
fn a_records_body_reads_back() {
    let (kind, text) = (MachineKind::of::<CountingAlgorithm>(), Payload::of(count(4)).text());
    assert_eq!(text.body, hex(&encode_message(&count(4)).unwrap()));
    assert_eq!(kind.read_text(&text), Some(Payload::of(count(4))));
    for spoiled in ["", "0", "zz", &format!("{}0", text.body), &format!("{}00", text.body)] {
        let spoiled = Words { body: spoiled.to_owned(), ..Words::clone(&text) };
        assert_eq!(kind.read_text(&spoiled.clone().into()), None, "{spoiled:?}");
    }
}

proptest! {
    #[test]
    fn any_message_goes_there_and_back(number: u64, note in ".{0,200}") {
        let message = TrialMessage::Count { number, note };
        let payload = Payload::of(message);
        prop_assert_eq!(MachineKind::of::<CountingAlgorithm>().read_text(&payload.text()), Some(payload));
    }

    #[test]
    fn random_bodies_never_panic_and_have_one_spelling(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Some(message) = decode_message::<TrialMessage>(&body) {
            prop_assert_eq!(encode_message(&message).unwrap(), body);
        }
    }
}
