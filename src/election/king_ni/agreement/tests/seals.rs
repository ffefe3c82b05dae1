//! Words count only with the seal of the process that they come from, for this receiver, and for the open call.
//!
//! Invariant: each message is taken when its own sender sends it.

use super::*;

#[test]
fn a_word_that_its_sender_has_not_sealed_is_refused() {
    let election = ElectionNumber(1);
    let all = [
        ended(1, 1, 0, None),
        under_way(1, 1, 1),
        elected(1, 1),
        word(1, Word::Ask { call: call(7), spent: ElectionNumber(0) }),
        claim(1, 1, 1),
        sealed(watch::Message::Answer(call(1)).into(), &keyring(1), Some(node(3))),
        sealed(watch::Message::Ask { call: call(1), election }.into(), &keyring(1), Some(node(3))),
    ];
    for message in all {
        let mut bench = started("1-5");
        bench.hear(1, message.clone());
        assert_ne!(bench.lines, [414], "{message:?}");
        assert_eq!(bench.hear(2, message.clone()), [], "D, which is 1, sends it in the name of 2");
        assert_eq!(bench.lines, [414], "{message:?}");
        let unsealed = match message {
            Message::Word { word, .. } => Message::Word { word, seal: Seal::default() },
            Message::Watch { message, .. } => Message::Watch { message, seal: Seal::default() },
            other => other,
        };
        assert_eq!(bench.hear(1, unsealed), []);
        assert_eq!(bench.lines, [414]);
    }
}

#[test]
fn an_answer_to_another_process_or_with_other_words_is_refused() {
    let to_another = Word::Ended { call: call(1), election: ElectionNumber(0), master: None, spent: ElectionNumber(0) };
    let mut bench = started("1-5");
    bench.hear(1, sealed(to_another.into(), &keyring(1), Some(node(4))));
    assert_eq!(bench.lines, [414]);
    let Message::Word { seal, .. } = ended(1, 1, 0, None) else { unreachable!() };
    for changed in [
        Word::Ended { call: call(1), election: ElectionNumber(0), master: Some(node(2)), spent: ElectionNumber(0) },
        Word::Ended { call: call(1), election: ElectionNumber(1), master: None, spent: ElectionNumber(0) },
        Word::Ended { call: call(2), election: ElectionNumber(0), master: None, spent: ElectionNumber(0) },
        Word::Ended { call: call(1), election: ElectionNumber(0), master: None, spent: ElectionNumber(1) },
        Word::UnderWay { call: call(1), election: ElectionNumber(0) },
    ] {
        bench.hear(1, Message::Word { word: changed, seal: seal.clone() });
        assert_eq!(bench.lines, [414], "{changed:?}");
    }
}

#[test]
fn an_answer_to_an_earlier_question_does_not_count() {
    let mut bench = started("1-5");
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [112, 105], "nobody has answered: it asks again");
    for from in [1, 2] {
        bench.hear(from, ended(from, 1, 4, Some(1)));
    }
    assert_eq!(word_of(&bench), "normal");
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 4, Some(1)));
    }
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[110, 206][..], "stop"));
}

#[test]
fn everything_that_goes_out_is_sealed() {
    let mut bench = coll1();
    let ask = word(4, Word::Ask { call: call(9), spent: ElectionNumber(0) });
    let answer = Word::UnderWay { call: call(9), election: ElectionNumber(1) };
    assert_eq!(bench.hear(4, ask), [said_to(4, answer)]);
    assert_eq!(bench.lines, [116]);
}
