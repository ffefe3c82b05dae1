//! The algorithm of section 5.3: each transition of Table 3, each row of the agreement, and what is refused. State, one
//! input, the exact effects. Which election a process is in is in `asking`, lists in parts in `lists`, and elections with
//! liars in `network`.
//!
//! Invariant: one test for each transition, which names it. A malicious process, D, is played by the test, which has its
//! key.

mod asking;
mod lists;
mod network;

use std::sync::Arc;

use super::signed::SignedInit;
use super::{
    Algorithm53, ElectionNumber, Endorsement, ListDigest, Message, RelayedList, Timer, Word, WordSignature, sealed,
};
use crate::king_ni::tests::network::{t, timing};
use crate::king_ni::watch;
use protocol::{
    Algorithm, CallNumber, Described, Effect, Keyring, LabKeys, LineNumber, NodeSet, Received, SettingValue, Settings,
    Span,
};
use test_harness::{Bench, cancel, node, nodes, save};

/// The settings with this t and these candidates.
fn with(t: u64, candidates: &str) -> impl Fn(Settings) -> Settings {
    let candidates: NodeSet = candidates.parse().unwrap();
    move |settings| settings.with("t", SettingValue::Number(t)).with("candidates", SettingValue::Nodes(candidates))
}

/// The keyring of a process, as benches and networks hand it out.
fn keyring(of: u16) -> Keyring {
    LabKeys::of(0, 16).keyring(node(of))
}

/// Process 3 of five, t = 1, which has just started and asked.
fn started(candidates: &str) -> Bench<Algorithm53> {
    Bench::start(3, 5, timing(), with(1, candidates))
}

/// The same, and t+1 have answered that there was no election.
fn ready(candidates: &str) -> Bench<Algorithm53> {
    let mut bench = started(candidates);
    for from in [1, 2] {
        bench.hear(from, ended(from, 1, 0, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [111]);
    bench
}

/// The same in coll1 of election 1, which it has begun.
fn coll1() -> Bench<Algorithm53> {
    let mut bench = ready("1-5");
    bench.elect();
    bench
}

/// The same in round 1, with the inits of 1 and 2 besides its own.
fn round1() -> Bench<Algorithm53> {
    let mut bench = coll1();
    for from in [1, 2] {
        bench.hear(from, init(1, from, i64::from(from)));
    }
    bench.time_out(Timer::Table);
    bench
}

/// The same in the last round.
fn round2() -> Bench<Algorithm53> {
    let mut bench = round1();
    bench.time_out(Timer::Table);
    bench
}

/// The init of that process, signed.
fn signed(election: u64, of: u16, capacity: i64) -> SignedInit {
    SignedInit::sign(&keyring(of), ElectionNumber(election), node(of), capacity)
}

fn init(election: u64, of: u16, capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(election), init: Arc::new(signed(election, of, capacity)) }
}

/// The list of that owner with these inits (the capacity of each is its number), signed by these.
fn relayed(election: u64, owner: u16, inits: &[u16], signers: &[u16]) -> RelayedList {
    let list: Vec<SignedInit> = inits.iter().map(|of| signed(election, *of, i64::from(*of))).collect();
    let digest = ListDigest::of(&list);
    let endorse = |by: &u16| Endorsement::sign(&keyring(*by), ElectionNumber(election), node(owner), digest, node(*by));
    RelayedList { owner: node(owner), list, signatures: signers.iter().map(endorse).collect() }
}

fn vect(election: u64, owner: u16, inits: &[u16], signers: &[u16]) -> Message {
    vect_of(election, relayed(election, owner, inits, signers))
}

fn vect_of(election: u64, relay: RelayedList) -> Message {
    Message::Vect { election: ElectionNumber(election), relay: Arc::new(relay) }
}

/// The call of this serial of process 3.
fn call(serial: u32) -> CallNumber {
    test_harness::call(serial)
}

/// A word of that process to process 3.
fn word(from: u16, word: Word) -> Message {
    let to = match word {
        Word::Elected { .. } | Word::Ask { .. } | Word::Call { .. } => None,
        Word::UnderWay { .. } | Word::Ended { .. } => Some(node(3)),
    };
    sealed(word.into(), &keyring(from), to)
}

/// Of a process that has signed nothing yet.
fn ended(from: u16, serial: u32, election: u64, master: Option<u16>) -> Message {
    ended_after(from, serial, election, master, 0)
}

/// Of one that signs nothing under that number any more.
fn ended_after(from: u16, serial: u32, election: u64, master: Option<u16>, spent: u64) -> Message {
    let (election, master, spent) = (ElectionNumber(election), master.map(node), ElectionNumber(spent));
    word(from, Word::Ended { call: call(serial), election, master, spent })
}

fn under_way(from: u16, serial: u32, election: u64) -> Message {
    word(from, Word::UnderWay { call: call(serial), election: ElectionNumber(election) })
}

fn elected(from: u16, election: u64) -> Message {
    word(from, Word::Elected { election: ElectionNumber(election) })
}

fn claim(from: u16, election: u64, master: u16) -> Message {
    let claim = watch::Claim { election: ElectionNumber(election), master: node(master) };
    sealed(watch::Message::Claim(claim).into(), &keyring(from), Some(node(3)))
}

fn broadcast(message: Message) -> Effect<Algorithm53> {
    Effect::Broadcast { message }
}

/// The question of process 3, which signs nothing under that number any more.
fn ask(serial: u32, spent: u64) -> Effect<Algorithm53> {
    said(Word::Ask { call: call(serial), spent: ElectionNumber(spent) })
}

/// A word of process 3 to all.
fn said(of: Word) -> Effect<Algorithm53> {
    broadcast(word(3, of))
}

/// A word of process 3 to one.
fn said_to(to: u16, message: impl Into<Message>) -> Effect<Algorithm53> {
    Effect::Send { to: node(to), message: sealed(message.into(), &keyring(3), Some(node(to))) }
}

fn timer(of: Timer, times: f64) -> Effect<Algorithm53> {
    test_harness::set(of, t(times))
}

fn word_of(bench: &Bench<Algorithm53>) -> String {
    bench.machine.state().word.into_owned()
}

/// The owners of the lists that it holds.
fn owners(bench: &Bench<Algorithm53>) -> Vec<u16> {
    let ballot = bench.machine.state().ballot.unwrap();
    ballot.lists.map_or(Vec::new(), |lists| lists.received.iter().map(|(owner, _)| owner.get()).collect())
}

#[test]
fn the_card_states_the_bound() {
    let settings = Settings::defaults(Algorithm53::CARD.settings, nodes("1-5"));
    let facts = |settings: &Settings| Algorithm53::CARD.facts(&timing(), 5, settings);
    assert_eq!((facts(&settings).time_bound, settings.number("t")), (timing().t * 7, 1));
    assert_eq!(facts(&settings).quiet_bound, timing().check * 4 + timing().t * 42);
    let many = settings.clone().with("t", SettingValue::Number(3));
    assert_eq!(facts(&many).time_bound, timing().t * 11);
    let two = settings.with("t", SettingValue::Number(2));
    let withheld = |of: u16| (Algorithm53::CARD.withholds)(&two, of);
    assert_eq!((withheld(5), withheld(4)), (&[][..], Algorithm53::CARD.promises), "t of n/2 or more");
    let alone = |all: &str| Settings::defaults(Algorithm53::CARD.settings, nodes(all)).number("t");
    assert_eq!((alone("1"), alone("1,2"), alone("1-3")), (0, 0, 1));
    let most = usize::from(Algorithm53::CARD.nodes_max) - 1;
    assert_eq!(super::card::ROUNDS.len(), most, "a word for each round of the most nodes");
}

#[test]
fn a_message_fits_64_bytes() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
    let vect = vect(7, 4, &[1, 4], &[4, 2]);
    let fields = [("owner", "4"), ("list", "[1:1 4:4]"), ("signed by", "4,2"), ("election", "7")];
    assert_eq!((vect.kind(), vect.fields()), ("vect", fields.map(|(name, value)| (name, value.to_owned())).to_vec()));
}

#[test]
fn transition_1_a_candidate_begins() {
    let mut bench = ready("1-5");
    let expected =
        [save(ElectionNumber(1)), cancel(Timer::Elected), broadcast(init(1, 3, 3)), timer(Timer::Table, 2.0)];
    assert_eq!(bench.elect(), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[1][..], "coll1"));
    assert_eq!(bench.machine.state().ballot.unwrap().stands_with, Some(3));
}

#[test]
fn transition_2_a_candidate_hears_an_init() {
    let mut bench = ready("1-5");
    let expected = [
        save(ElectionNumber(1)),
        cancel(Timer::Elected),
        broadcast(init(1, 3, 3)),
        broadcast(init(1, 5, 5)),
        timer(Timer::Table, 2.0),
    ];
    assert_eq!(bench.hear(5, init(1, 5, 5)), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[2, 401][..], "coll1"));
}

#[test]
fn transition_3_a_non_candidate_hears_an_init() {
    let mut bench = ready("1,2,4,5");
    let expected =
        [save(ElectionNumber(1)), cancel(Timer::Elected), broadcast(init(1, 5, 5)), timer(Timer::Table, 2.0)];
    assert_eq!(bench.hear(1, init(1, 5, 5)), expected);
    assert_eq!(bench.lines, [3, 401]);
    assert_eq!(bench.machine.state().ballot.unwrap().stands_with, None);
}

#[test]
fn transition_5_an_init_enters_s_once() {
    let mut bench = coll1();
    assert_eq!(bench.hear(1, init(1, 5, 5)), []);
    assert_eq!(bench.lines, [5]);
    let s = |bench: &Bench<Algorithm53>| bench.machine.state().ballot.unwrap().lists.unwrap().candidates;
    assert_eq!(s(&bench), [(node(3), 3), (node(5), 5)]);
    assert_eq!(bench.hear(5, init(1, 5, 9)), []);
    assert_eq!((bench.lines.as_slice(), s(&bench)), (&[413][..], vec![(node(3), 3), (node(5), 5)]));
}

#[test]
fn transition_6_s_goes_out_signed() {
    let mut bench = coll1();
    bench.hear(5, init(1, 5, 5));
    let expected = [broadcast(vect(1, 3, &[3, 5], &[3])), timer(Timer::Table, 2.0)];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[6][..], "round1"));
    assert_eq!(owners(&bench), [3], "its own list is the first that it holds");
    assert_eq!(bench.hear(4, init(1, 4, 4)), []);
    assert_eq!(bench.lines, [413], "an init after coll1 is too late");
}

#[test]
fn transition_8_in_round_1() {
    let mut bench = round1();
    let expected = [broadcast(vect(1, 5, &[1, 5], &[5, 3]))];
    assert_eq!(bench.hear(5, vect(1, 5, &[1, 5], &[5])), expected);
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[8, 404][..], vec![3, 5]));
    assert_eq!(bench.hear(4, vect(1, 5, &[1, 5], &[5, 4])), [], "the same list once more");
    assert_eq!(bench.lines, [408]);
}

#[test]
fn transition_8_in_coll1() {
    let mut bench = coll1();
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [broadcast(vect(1, 5, &[5], &[5, 3]))]);
    assert_eq!(bench.lines, [8, 404]);
}

#[test]
fn transition_8_in_the_last_round() {
    let mut bench = round2();
    assert_eq!(bench.hear(4, vect(1, 5, &[1, 5], &[5, 4])), []);
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[8][..], vec![3, 5]));
}

#[test]
fn a_round_leads_to_the_next() {
    let mut bench = round1();
    assert_eq!(bench.time_out(Timer::Table), [timer(Timer::Table, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[409][..], "round2"));
}

#[test]
fn transition_9_n_minus_t_lists_elect() {
    let mut bench = round1();
    for owner in [1, 2, 5] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3, 5], &[owner]));
    }
    bench.time_out(Timer::Table);
    let expected = [timer(Timer::Elected, 2.0), timer(Timer::Ready, 2.0)];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!(bench.lines, [9, 302]);
    let state = bench.machine.state();
    assert_eq!((state.word.as_ref(), state.believes_in()), ("stop", Some(node(5))));
    let lists = state.ballot.unwrap().lists.unwrap();
    assert_eq!(lists.decided, Some(vec![(node(1), 1), (node(2), 2), (node(3), 3), (node(5), 5)]), "the list of 1");
    assert_eq!(lists.received[2], (node(3), Received::First(3)), "its own list, as it reads in its S");
    assert_eq!(bench.hear(5, elected(5, 1))[..1], [cancel(Timer::Elected)]);
    assert_eq!(bench.lines, [206]);
}

#[test]
fn transition_9_the_elected_process_leads() {
    let mut bench = round1();
    for owner in [1, 2, 4] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3], &[owner]));
    }
    bench.time_out(Timer::Table);
    let expected = [
        said(Word::Elected { election: ElectionNumber(1) }),
        timer(Timer::Watch(watch::Timer::Ask), 6.0),
        timer(Timer::Ready, 2.0),
    ];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!(bench.lines, [9, 302, 205]);
}

#[test]
fn transition_9_two_lists_of_one_owner() {
    let mut bench = round1();
    for owner in [1, 2] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3], &[owner]));
    }
    bench.hear(5, vect(1, 5, &[5], &[5]));
    assert_eq!(bench.hear(4, vect(1, 5, &[3, 5], &[5, 4])), []);
    assert_eq!(bench.lines, [8], "with t+1 signatures it is taken, and every other one has it too");
    assert_eq!(owners(&bench), [1, 2, 3], "5 has signed two lists");
    bench.time_out(Timer::Table);
    let effects = bench.time_out(Timer::Table).to_vec();
    assert_eq!(effects, [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[415, 301, 105][..], "normal"));
}

#[test]
fn where_nobody_is_a_candidate_nobody_is_elected() {
    let mut bench = ready("1");
    assert_eq!(bench.elect()[2], broadcast(init(1, 3, -1)));
    assert_eq!(bench.lines, [107]);
    bench.time_out(Timer::Table);
    let of_none = |owner: u16| {
        let list = vec![signed(1, 3, -1)];
        let by = Endorsement::sign(&keyring(owner), ElectionNumber(1), node(owner), ListDigest::of(&list), node(owner));
        vect_of(1, RelayedList { owner: node(owner), list, signatures: vec![by] })
    };
    for owner in [1, 2, 4] {
        bench.hear(owner, of_none(owner));
    }
    bench.time_out(Timer::Table);
    assert_eq!(bench.time_out(Timer::Table), [timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[117, 303][..], "normal"));
}

#[test]
fn a_list_before_the_start_is_kept() {
    let mut bench = ready("1,2,4,5");
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [timer(Timer::Kept, 1.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[402][..], "normal"));
    let effects = bench.hear(4, init(1, 4, 4)).to_vec();
    assert_eq!(bench.lines, [3, 401, 404]);
    assert_eq!(effects.last(), Some(&broadcast(vect(1, 5, &[5], &[5, 3]))));
    assert_eq!(owners(&bench), [5]);
}

/// The machine refuses this at that line: nothing changes but what it has counted as verified, and nothing goes out.
fn refuses(mut bench: Bench<Algorithm53>, message: Message, line: LineNumber) {
    let before = (owners(&bench), bench.machine.state());
    assert_eq!(bench.hear(5, message), []);
    assert_eq!(bench.lines, [line]);
    assert_eq!((owners(&bench), bench.machine.state()), before);
}

/// A list of 5 that would be taken in round 1, changed.
fn changed(change: impl FnOnce(&mut RelayedList)) -> Message {
    let mut relay = relayed(1, 5, &[1, 5], &[5, 4]);
    change(&mut relay);
    vect_of(1, relay)
}

/// Next to each list that is refused stands the one that is taken, and differs in one thing.
#[test]
fn a_list_that_is_changed_is_refused() {
    let mut bench = round1();
    bench.hear(5, changed(|_| {}));
    assert_eq!(bench.lines, [8]);

    let digest = ListDigest::of(&relayed(1, 5, &[1, 5], &[]).list);
    let in_the_name_of_4 = Endorsement::sign(&keyring(5), ElectionNumber(1), node(5), digest, node(4));
    let of_election_2 = relayed(2, 5, &[1, 5], &[5, 4]);
    let of_owner_4 = relayed(1, 4, &[1, 5], &[4, 5]);
    let forged = [
        changed(|relay| relay.signatures[1].signature.s[0] ^= 1),
        changed(|relay| relay.signatures[0].signature.r[31] ^= 1),
        changed(|relay| relay.signatures[1] = in_the_name_of_4),
        vect_of(1, of_election_2.clone()),
        changed(|relay| relay.signatures[1] = of_election_2.signatures[1]),
        changed(|relay| relay.signatures[1] = of_owner_4.signatures[0]),
    ];
    let without_a_beginning = [
        changed(|relay| relay.signatures.rotate_left(1)),
        changed(|relay| relay.signatures = relay.signatures[1..].to_vec()),
        changed(|relay| relay.signatures.clear()),
    ];
    let not_a_list = [&[][..], &[5, 1], &[1, 1, 5], &[1, 5, 9]].map(|inits| vect(1, 5, inits, &[5]));
    let of_nobody = [vect(1, 9, &[1, 5], &[9]), vect(1, 5, &[1, 5], &[5, 9])];
    let of_others = [vect(3, 5, &[1, 5], &[5]), init(3, 5, 5), init(0, 5, 5)];
    let all =
        [(&forged[..], 407), (&without_a_beginning, 406), (&not_a_list, 406), (&of_nobody, 406), (&of_others, 103)];
    for (messages, line) in all {
        messages.iter().for_each(|message| refuses(round1(), message.clone(), line));
    }
}

#[test]
fn a_list_with_too_few_signers_is_late() {
    // Whose end is cut off counts as what is left of it; and a signer counts once.
    refuses(round2(), changed(|relay| relay.signatures.truncate(1)), 405);
    refuses(round2(), vect(1, 5, &[1, 5], &[5]), 405);
    refuses(round2(), vect(1, 5, &[1, 5], &[5, 5]), 406);
    refuses(round2(), vect(1, 5, &[1, 5], &[5, 4, 4]), 406);
}

#[test]
fn a_capacity_that_is_forged_is_refused() {
    let mut forged = relayed(1, 5, &[1, 5], &[]);
    forged.list[0].capacity = 99;
    let digest = ListDigest::of(&forged.list);
    forged.signatures = vec![Endorsement::sign(&keyring(5), ElectionNumber(1), node(5), digest, node(5))];
    refuses(round1(), vect_of(1, forged), 407);
    let mut own = signed(1, 4, 4);
    own.signature = signed(1, 5, 4).signature;
    refuses(coll1(), Message::Init { election: ElectionNumber(1), init: Arc::new(own) }, 412);
    refuses(ready("1-5"), Message::Init { election: ElectionNumber(1), init: Arc::new(own) }, 412);
}

#[test]
fn a_third_list_of_one_owner_is_dropped() {
    let mut bench = round1();
    for inits in [&[5][..], &[1, 5]] {
        bench.hear(5, vect(1, 5, inits, &[5]));
        assert_eq!(bench.lines, [8, 404], "both are handed on, so that all know of both");
    }
    refuses(bench, vect(1, 5, &[2, 5], &[5]), 408);
}

#[test]
fn a_word_that_is_not_sealed_is_refused() {
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
            Message::Word { word, .. } => Message::Word { word, seal: WordSignature::default() },
            Message::Watch { message, .. } => Message::Watch { message, seal: WordSignature::default() },
            other => other,
        };
        assert_eq!(bench.hear(1, unsealed), []);
        assert_eq!(bench.lines, [414]);
    }
}

#[test]
fn an_answer_with_other_words_is_refused() {
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
fn an_earlier_answer_does_not_count() {
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
