//! Lists: what of one fits a datagram, what is put together of parts, what is refused; and `el(Y')`, which list decides.
//!
//! Invariant: what a liar sends in parts costs a correct process's list nothing. The lists that decide stand by the ids of
//! their owners, as the book hands them out.

use super::super::parts::ITEMS_MAX;
use super::super::walk::{Decision, el};
use super::super::{ListPart, messages_of, part_bytes};
use super::*;
use protocol::{NodeId, Signature, Standing};

/// Process 3 of fourteen, t = 2, in round 1.
fn of_fourteen() -> Bench<Algorithm53> {
    let mut bench: Bench<Algorithm53> = Bench::start(3, 14, timing(), with(2, "1-14"));
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 1, 0, None));
    }
    bench.time_out(Timer::Ready);
    bench.elect();
    bench.time_out(Timer::Table);
    bench
}

fn parts(election: u64, relay: RelayedList, sender: u16) -> Vec<Message> {
    messages_of(Arc::new(relay), ElectionNumber(election), &keyring(sender))
}

fn all() -> Vec<u16> {
    (1..=14).collect()
}

fn bytes_of(message: &Message) -> usize {
    bincode::serde::encode_to_vec(message, bincode::config::standard()).unwrap().len()
}

fn part_of(message: &Message) -> ListPart {
    let Message::Part { part, .. } = message else { panic!("{message:?}") };
    (**part).clone()
}

#[test]
fn the_longest_message_fits_a_datagram() {
    let signature = Signature { r: [255; 32], s: [255; 32] };
    let far = NodeId::new(256).unwrap();
    let init = SignedInit { node: far, capacity: i64::MIN, signature };
    let (owner, digest, inits) = (far, ListDigest([255; 32]), vec![init; ITEMS_MAX]);
    let part = ListPart { owner, digest, place: 255, parts: 255, inits, signatures: vec![], seal: signature };
    let election = ElectionNumber(u64::MAX);
    let bytes = bytes_of(&Message::Part { election, part: Arc::new(part) });
    assert!(bytes <= 1_125, "{bytes} bytes, and so many have room in a datagram");
    let relay = RelayedList { owner, list: vec![init; ITEMS_MAX], signatures: vec![] };
    assert!(bytes_of(&Message::Vect { election, relay: Arc::new(relay) }) < bytes);
}

#[test]
fn a_list_goes_out_whole_or_in_parts() {
    assert_eq!(parts(1, relayed(1, 5, &all()[..11], &[5, 4]), 4).len(), 1);
    let relay = relayed(1, 5, &all(), &[5, 4]);
    let messages = parts(1, relay.clone(), 4);
    let numbers = |part: ListPart| (part.place, part.parts, part.inits.len(), part.signatures.len());
    assert_eq!(messages.iter().map(|part| numbers(part_of(part))).collect::<Vec<_>>(), [(0, 2, 13, 0), (1, 2, 1, 2)]);
    for order in [[0, 1], [1, 0]] {
        let mut bench = of_fourteen();
        assert_eq!(bench.hear(4, messages[order[0]].clone()), []);
        assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[410][..], vec![3]));
        let expected: Vec<_> = parts(1, relayed(1, 5, &all(), &[5, 4, 3]), 3).into_iter().map(broadcast).collect();
        assert_eq!(bench.hear(4, messages[order[1]].clone()), expected);
        assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[410, 8, 404][..], vec![3, 5]));
        assert_eq!(bench.hear(4, messages[0].clone()), []);
        assert_eq!(bench.lines, [410, 408], "what is held is not collected again");
    }
}

#[test]
fn parts_before_the_start_are_kept_too() {
    let mut bench: Bench<Algorithm53> = Bench::start(3, 14, timing(), with(2, "1-14"));
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 1, 0, None));
    }
    bench.time_out(Timer::Ready);
    for part in parts(1, relayed(1, 5, &all(), &[5]), 5) {
        bench.hear(5, part);
    }
    assert_eq!(bench.lines, [410, 402]);
}

#[test]
fn a_forged_part_spoils_nothing() {
    let messages = parts(1, relayed(1, 5, &all(), &[5]), 5);
    let refused = |from: u16, part: ListPart, lines: &[LineNumber]| {
        let mut bench = of_fourteen();
        bench.hear(5, messages[0].clone());
        let message = Message::Part { election: ElectionNumber(1), part: Arc::new(part) };
        assert_eq!(bench.hear(from, message), []);
        assert_eq!(bench.lines, lines);
        bench.hear(5, messages[1].clone());
        assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[410, 8, 404][..], vec![3, 5]));
    };
    let second = part_of(&messages[1]);
    let forged = |change: &dyn Fn(&mut ListPart), by: u16| {
        let mut part = second.clone();
        change(&mut part);
        part.seal = keyring(by).sign(&part_bytes(ElectionNumber(1), &part));
        part
    };
    // D is 6, and says that it is 5.
    refused(5, forged(&|part| part.signatures.clear(), 6), &[410, 407]);
    // Its own parts are its own: 5's list does not wait for them.
    refused(6, forged(&|part| part.signatures.clear(), 6), &[410]);
    refused(5, ListPart { place: 0, ..second.clone() }, &[410, 407]);
    refused(5, forged(&|part| part.place = 2, 5), &[410, 406]);
    refused(5, forged(&|part| part.parts = 4, 5), &[410, 406]);
    refused(5, forged(&|part| (part.place, part.parts) = (0, 1), 5), &[410, 406]);
    refused(5, forged(&|part| part.inits = vec![part.inits[0]; ITEMS_MAX], 5), &[410, 406]);
    refused(5, forged(&|part| part.owner = node(15), 5), &[410, 406]);
}

#[test]
fn parts_of_another_list_are_refused() {
    let other = ListDigest::of(&[signed(1, 1, 1)]);
    let mut bench = of_fourteen();
    for message in parts(1, relayed(1, 5, &all(), &[5]), 5) {
        let mut part = part_of(&message);
        part.digest = other;
        part.seal = keyring(5).sign(&part_bytes(ElectionNumber(1), &part));
        bench.hear(5, Message::Part { election: ElectionNumber(1), part: Arc::new(part) });
    }
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[410, 406][..], vec![3]));
}

#[test]
fn parts_of_two_lists_are_kept() {
    let mut bench = of_fourteen();
    // The capacities of a liar's init make as many lists as it likes.
    for (capacity, lines) in [(1, &[410][..]), (2, &[410]), (3, &[410, 408])] {
        let mut relay = relayed(1, 5, &all(), &[]);
        relay.list[4] = signed(1, 5, 100 + capacity);
        let digest = ListDigest::of(&relay.list);
        relay.signatures = vec![Endorsement::sign(&keyring(5), ElectionNumber(1), node(5), digest, node(5))];
        bench.hear(5, parts(1, relay, 5)[0].clone());
        assert_eq!(bench.lines, lines, "list {capacity}");
    }
}

fn agreed(lists: &[(u16, &[(u16, i64)])]) -> Vec<(NodeId, Vec<Standing>)> {
    let entries = |list: &[(u16, i64)]| list.iter().map(|(of, capacity)| (node(*of), *capacity)).collect();
    lists.iter().map(|(owner, list)| (node(*owner), entries(list))).collect()
}

fn decides(lists: &[(u16, &[(u16, i64)])]) -> (LineNumber, Option<(u16, usize)>) {
    let lists = agreed(lists);
    let Decision { line, elected } = el(&lists);
    let place = |list: &[Standing]| lists.iter().position(|(_, other)| other.as_ptr() == list.as_ptr()).unwrap();
    (line, elected.map(|(master, list)| (master.get(), place(list))))
}

#[test]
fn the_first_candidate_with_a_list_decides() {
    let (one, two, three) = ((1, -1), (2, 7), (3, 9));
    assert_eq!(decides(&[(2, &[two]), (3, &[two, three])]), (302, Some((2, 0))));
    assert_eq!(decides(&[(1, &[one, three]), (2, &[two]), (3, &[two, three])]), (302, Some((2, 1))), "1 is none");
    assert_eq!(decides(&[(1, &[two, three]), (3, &[three])]), (302, Some((3, 1))), "2 has no list");
    assert_eq!(decides(&[(3, &[(3, 4), (4, 4)]), (4, &[three])]), (302, Some((4, 0))), "of equal ones the larger id");
}

#[test]
fn else_the_first_list_with_a_candidate_decides() {
    assert_eq!(decides(&[(1, &[(1, -1)]), (2, &[(4, 7)]), (3, &[(5, 9)])]), (303, Some((4, 1))));
    assert_eq!(decides(&[(1, &[(1, -1)])]), (303, None));
    assert_eq!(decides(&[]), (303, None));
}

#[test]
fn a_candidate_with_an_empty_list_decides_nothing() {
    assert_eq!(decides(&[(2, &[(1, -1)]), (3, &[(2, 7), (3, 9)])]), (302, Some((3, 1))));
}
