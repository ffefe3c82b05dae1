//! What is refused: each with the state unchanged and nothing sent.

use super::*;

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

#[test]
fn the_list_unchanged_is_taken() {
    let mut bench = round1();
    bench.hear(5, changed(|_| {}));
    assert_eq!(bench.lines, [8]);
}

#[test]
fn a_forged_signature_is_refused_whosever_it_is() {
    refuses(round1(), changed(|relay| relay.signatures[1].signature.s[0] ^= 1), 407);
    refuses(round1(), changed(|relay| relay.signatures[0].signature.r[31] ^= 1), 407);
    // D signs in the name of 4.
    let digest = ListDigest::of(&relayed(1, 5, &[1, 5], &[]).list);
    let forged = Endorsement::sign(&keyring(5), ElectionNumber(1), node(5), digest, node(4));
    refuses(round1(), changed(|relay| relay.signatures[1] = forged), 407);
}

#[test]
fn a_chain_whose_beginning_is_cut_off_is_refused() {
    refuses(round1(), changed(|relay| relay.signatures.rotate_left(1)), 406);
    refuses(round1(), changed(|relay| relay.signatures = relay.signatures[1..].to_vec()), 406);
    refuses(round1(), changed(|relay| relay.signatures.clear()), 406);
}

#[test]
fn a_chain_whose_end_is_cut_off_counts_as_what_is_left_of_it() {
    refuses(round2(), changed(|relay| relay.signatures.truncate(1)), 405);
}

#[test]
fn a_signer_counts_once() {
    refuses(round2(), vect(1, 5, &[1, 5], &[5, 5]), 406);
    refuses(round2(), vect(1, 5, &[1, 5], &[5, 4, 4]), 406);
}

#[test]
fn a_signature_of_another_election_is_refused() {
    let of_two = relayed(2, 5, &[1, 5], &[5, 4]);
    refuses(round1(), vect_of(1, of_two.clone()), 407);
    refuses(round1(), changed(|relay| relay.signatures[1] = of_two.signatures[1]), 407);
}

#[test]
fn a_signature_for_another_owner_is_refused() {
    let of_four = relayed(1, 4, &[1, 5], &[4, 5]);
    refuses(round1(), changed(|relay| relay.signatures[1] = of_four.signatures[0]), 407);
}

#[test]
fn a_list_taken_in_round_2_with_one_signature_is_late() {
    refuses(round2(), vect(1, 5, &[1, 5], &[5]), 405);
}

#[test]
fn a_capacity_that_its_process_has_not_signed_is_refused() {
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
fn what_has_not_the_form_of_a_list_is_refused() {
    for inits in [&[][..], &[5, 1], &[1, 1, 5], &[1, 5, 9]] {
        refuses(round1(), vect(1, 5, inits, &[5]), 406);
    }
    refuses(round1(), vect(1, 9, &[1, 5], &[9]), 406);
    refuses(round1(), vect(1, 5, &[1, 5], &[5, 9]), 406);
}

#[test]
fn of_an_owner_with_two_lists_a_third_is_dropped() {
    let mut bench = round1();
    for inits in [&[5][..], &[1, 5]] {
        bench.hear(5, vect(1, 5, inits, &[5]));
        assert_eq!(bench.lines, [8, 404], "both are handed on, so that all know of both");
    }
    refuses(bench, vect(1, 5, &[2, 5], &[5]), 408);
}

#[test]
fn messages_of_other_elections_are_dropped() {
    refuses(round1(), vect(3, 5, &[1, 5], &[5]), 103);
    refuses(round1(), init(3, 5, 5), 103);
    refuses(round1(), init(0, 5, 5), 103);
    refuses(ready("1-5"), init(0, 5, 5), 103);
}
