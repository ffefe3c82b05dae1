//! Messages that never came, and no record tells why.
//!
//! Invariant: most traces end in two coordinators; only what happened to one message before differs.

use super::*;

#[test]
fn a_message_is_missing_past_the_bound() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.send(2, 1900, 1, None);
    trace.speak(1901, "2");
    trace.become_state(1, 2500, normal(1));
    trace.close(2900);
    assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime));
    let words = "cause: this computer broke assumption 8 (delivery within the bound): 1 message did not come, the first \
                 from 2 to 1, due by 2.000 s";
    assert!(trace.only().text.contains(words), "{}", trace.only().text);
}

#[test]
fn a_silent_sender_sent_at_its_step() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.send(2, 1900, 1, None);
    // Its next step comes long after the bound, just before the contradiction, and the receiver speaks only after it.
    trace.speak(2290, "2");
    trace.become_state(1, 2300, normal(1));
    trace.speak(2310, "1,2");
    trace.close(2900);
    assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime), "{}", trace.only().text);
}

#[test]
fn what_may_have_come_is_not_missing() {
    type Happens<'a> = &'a dyn Fn(&mut Trace, MessageId);
    let cases: [(&str, Happens<'_>); 7] = [
        ("it came", &|trace, word| {
            trace.speak(1901, "2");
            trace.receive(1, 1950, word, None);
        }),
        ("its sender took no other step", &|_, _| {}),
        ("its sender died, and came back", &|trace, _| {
            trace.happened(2, 1901, Body::Died { death: Death::Signalled { signal: 9 } });
            trace.recover(2, 1950, normal(2));
        }),
        ("it could not be sent, which is told apart", &|trace, word| {
            trace.happened(2, 1901, Body::SendFailed { id: word, error: "no route".into() });
            trace.speak(1902, "2");
        }),
        ("its reception may be in a gap", &|trace, _| {
            trace.speak(1901, "2");
            trace.gap(Some(1), 1950);
        }),
        ("its receiver started later", &|trace, _| {
            trace.speak(1901, "2");
            trace.happened(1, 1902, Body::Died { death: Death::Signalled { signal: 9 } });
            trace.recover(1, 1950, normal(2));
        }),
        ("its receiver had no process meanwhile", &|trace, _| {
            trace.happened(1, 1901, Body::Died { death: Death::Signalled { signal: 9 } });
            trace.send(2, 1902, 1, None);
            trace.speak(1903, "2");
            trace.recover(1, 2400, normal(2));
        }),
    ];
    for (case, happens) in cases {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        let word = trace.send(2, 1900, 1, None);
        happens(&mut trace, word);
        trace.speak(2500, "1");
        trace.close(2900);
        let text = trace.assumption(Assumption::DeliveryInTime).text;
        assert!(text.is_none_or(|text| !text.contains("did not come")), "{case}");
    }
}

#[test]
fn a_stopped_receiver_has_more_time() {
    let word_of = |speaks_at| {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.send(2, 1900, 1, None);
        trace.speak(1901, "2");
        trace.pause(1, 1902);
        trace.resume(1, 2400);
        trace.speak(speaks_at, "1");
        trace.assumption(Assumption::DeliveryInTime).text
    };
    assert_eq!(word_of(2499), None);
    assert!(word_of(2500).unwrap().contains("1 message did not come"));
}

#[test]
fn a_message_that_was_passed_is_missing() {
    for (needs, expected) in [(&Assumption::ALL[..], Some(Assumption::DeliveryInTime)), (&[], None)] {
        let mut trace = Trace::new(&head(2, &[Property::Assertion1], needs));
        trace.agree(2, 900);
        trace.send(2, 1900, 1, None);
        let later = trace.send(2, 1901, 1, None);
        trace.receive(1, 1902, later, Some(normal(1)));
        // Its next record could tell that a fault let the later message pass.
        trace.speak(1903, "1,2");
        trace.close(2900);
        assert_eq!(trace.only().because(), expected, "{}", trace.only().text);
    }
}

#[test]
fn a_broadcast_is_missing_after_two_ways() {
    let word_of = |speaks_at| {
        let mut trace = Trace::bully(3);
        trace.agree(3, 900);
        let word = trace.broadcast(3, 1900, None);
        trace.speak(1901, "3");
        trace.receive(2, 1902, word, None);
        trace.speak(speaks_at, "1,2");
        trace.assumption(Assumption::DeliveryInTime).text
    };
    assert_eq!(word_of(2101), None);
    assert!(word_of(2102).unwrap().contains("1 message did not come, the first from 3 to 1"));
}

/// Two coordinators at 2.5 s, after 2 took leave of 1 at 1.9 s. What 2 does next is to become one of them, or to speak.
fn two_coordinators_of(becomes: u16, receiver_speaks_at: i64) -> Option<Assumption> {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.send(2, 1900, 1, None);
    let other = 3 - becomes;
    trace.become_state(becomes, 2500, normal(1));
    trace.speak(receiver_speaks_at, &other.to_string());
    trace.speak(receiver_speaks_at + 1, "1,2");
    trace.close(2900);
    trace.only().because()
}

#[test]
fn a_missing_message_explains_its_senders_state() {
    for becomes in [1, 2] {
        for speaks_at in [2502, 2800] {
            let because = two_coordinators_of(becomes, speaks_at);
            assert_eq!(because, Some(Assumption::DeliveryInTime), "{becomes} {speaks_at}");
        }
    }
}

#[test]
fn a_broadcast_explains_things_from_its_delivery() {
    for (contradiction, expected) in [(1974, None), (1975, Some(Assumption::DeliveryInTime))] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.broadcast(2, 1900, None);
        trace.speak(1901, "2");
        trace.become_state(1, contradiction, normal(1));
        trace.speak(2200, "1,2");
        trace.close(2900);
        assert_eq!(trace.only().because(), expected, "{contradiction}");
    }
}

#[test]
fn a_message_passed_last_explains_things_too() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    trace.send(2, 1900, 1, None);
    trace.become_state(1, 2100, normal(1));
    let later = trace.send(2, 2101, 1, None);
    trace.receive(1, 2102, later, None);
    trace.close(2103);
    assert_eq!(trace.only().because(), Some(Assumption::DeliveryInTime), "{}", trace.only().text);
}
