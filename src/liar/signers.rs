//! How liars attack the counting of signatures (section 5.3 of King, Gendreau and Ni 1988; the adversary of Dolev and
//! Strong 1983): one signs more than once, or several keep a list among themselves until it has the signatures of all.
//!
//! A list with k signatures counts no later than the end of round k, because one of t+1 signers is correct and has handed
//! it to all in time. A signer that counts twice, or a round too few, lets liars show a list to one process alone at the
//! end of the last round.
//!
//! Invariant: no signature is false; where signers are not counted, nothing changes, and no dice are thrown.

use super::deception::{LiarMessage, LiarState, told_of};
use protocol::{Keyring, Lie, MessageMark, NodeSet, Payload, ToldLie};

impl LiarState {
    /// In half of its words that signers are counted in, the liar's own signature stands once, twice or three times more.
    pub(super) fn sign_again(&mut self, words: &mut [LiarMessage], told: &mut Vec<ToldLie>) {
        let me = self.place.me;
        for word in words {
            let again = |times| self.deceit.signed_again(&word.message, me, times);
            if again(0).is_none() || self.dice.below(2) == 0 {
                continue;
            }
            let Some(message) = again(1 + self.dice.below(3) as usize) else { continue };
            let what = format!("says {} and signs it more than once", told_of(&message));
            told.push(self.told(Lie::Replay, word, what));
            word.message = message;
        }
    }

    /// These words, and what its fellows are told of them so that they sign it too. In half of the cases nobody else hears
    /// it before they have.
    pub fn keep_among_fellows(
        &mut self,
        words: Vec<LiarMessage>,
        keyring: &Keyring,
        told: &mut Vec<ToldLie>,
    ) -> Vec<LiarMessage> {
        let (me, fellows) = (self.place.me, self.fellows());
        let mut said = Vec::with_capacity(words.len());
        for word in words {
            let message = word.message.clone();
            let is_for_fellows = word.to.is_none() && self.deceit.signed_again(&message, me, 0).is_some();
            if fellows.is_empty() || !is_for_fellows {
                said.push(word);
                continue;
            }
            let message = self.deceit.signed(&message, keyring, me, None);
            self.tell(Lie::Collude, fellows, format!("whispers {}, to have it signed", told_of(&message)), told);
            said.extend(whispered(&message, fellows));
            if self.dice.below(2) == 0 {
                said.push(word);
            } else {
                let others = self.others().minus(&fellows);
                self.tell(Lie::Collude, others, format!("does not send {} to {others}", message.kind()), told);
            }
        }
        said
    }

    /// What it says when a fellow has whispered that: the same with its own signature, to all and to its fellows.
    pub fn countersign(&mut self, message: &Payload, keyring: &Keyring, told: &mut Vec<ToldLie>) -> Vec<LiarMessage> {
        let fellows = self.fellows();
        let Some(message) = self.deceit.countersigned(message, keyring, self.place.me, fellows) else {
            return Vec::new();
        };
        self.tell(Lie::Collude, self.others(), format!("says {} for a fellow", told_of(&message)), told);
        let to_all = LiarMessage { to: None, message: message.clone() };
        whispered(&message, fellows).chain([to_all]).collect()
    }

    /// Those that it colludes with.
    pub fn fellows(&self) -> NodeSet {
        if self.tells(Lie::Collude) { self.order.fellows.minus(&NodeSet::of(self.place.me)) } else { NodeSet::EMPTY }
    }
}

fn whispered(message: &Payload, fellows: NodeSet) -> impl Iterator<Item = LiarMessage> {
    let whisper = message.with_aside(Some(MessageMark::Whisper));
    fellows.iter().collect::<Vec<_>>().into_iter().map(move |to| LiarMessage { to: Some(to), message: whisper.clone() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::context::{BroadcastForm, LiarContext};
    use election::king_ni::ElectionNumber;
    use election::king_ni::agreement::{Algorithm53, Message, RelayedList, SignedInit};
    use protocol::{Deceit, Incarnation, LabKeys, LieSet, Lying, MachineKind, NodeId, Roster};

    const ELECTION: ElectionNumber = ElectionNumber(1);

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn keyring(of: u16) -> Keyring {
        LabKeys::of(1, 4).keyring(node(of))
    }

    /// What process `me` of four makes up, with 2 and 3 as fellows.
    fn deception(me: u16, lie: Lie, dice: u64) -> LiarState {
        let roster = Roster::new(4).unwrap();
        let place = LiarContext {
            me: node(me),
            roster,
            incarnation: Incarnation(1),
            reach: BroadcastForm::Bare,
            promises: &[],
        };
        let lies = LieSet::HONEST.with(lie);
        LiarState::new(
            MachineKind::that_deceives::<Algorithm53>().deceit(),
            place,
            Lying { lies, fellows: "2,3".parse().unwrap(), dice },
            0,
        )
    }

    /// The list of 2, as it goes to all.
    fn own_list() -> LiarMessage {
        let list = vec![SignedInit::sign(&keyring(2), ELECTION, node(2), 7)];
        let relay = RelayedList { owner: node(2), list, signatures: Vec::new() };
        let message = Message::Vect { election: ELECTION, relay: Arc::new(relay) };
        LiarMessage { to: None, message: Payload::of(message.signed(&keyring(2), node(2), None)) }
    }

    /// To whom it goes, whether as a whisper, and who has signed it.
    fn told(words: &[LiarMessage]) -> Vec<(Option<u16>, bool, Vec<u16>)> {
        let signers = |message: &Payload| match message.get() {
            Some(Message::Vect { relay, .. }) => relay.signatures.iter().map(|signed| signed.by.get()).collect(),
            _ => Vec::new(),
        };
        let of = |LiarMessage { to, message }: &LiarMessage| {
            (to.map(NodeId::get), message.aside() == Some(MessageMark::Whisper), signers(message))
        };
        words.iter().map(of).collect()
    }

    #[test]
    fn in_half_of_its_words_it_signs_more_than_once() {
        let signed = |dice| {
            let (mut words, mut lies) = ([own_list()], Vec::new());
            deception(2, Lie::Replay, dice).sign_again(&mut words, &mut lies);
            let signers = told(&words)[0].2.clone();
            assert_eq!(lies.len(), usize::from(signers.len() > 1));
            signers.len()
        };
        let counts: std::collections::BTreeSet<usize> = (0..40).map(|dice| signed(dice * 7_919)).collect();
        assert_eq!(counts, (1..=4).collect());
    }

    #[test]
    fn it_has_its_list_signed_by_its_fellows_before_others_hear_it_or_tells_all_too() {
        let said = |dice| {
            let mut deception = deception(2, Lie::Collude, dice);
            told(&deception.keep_among_fellows(vec![own_list()], &keyring(2), &mut Vec::new()))
        };
        let whisper = (Some(3), true, vec![2]);
        let kept = (0..40).map(|dice| said(dice * 7_919)).filter(|said| *said == [whisper.clone()]).count();
        let open = [whisper.clone(), (None, false, vec![2])];
        let told = (0..40).map(|dice| said(dice * 7_919)).filter(|said| *said == open).count();
        assert!(kept > 10 && told > 10 && kept + told == 40, "{kept} {told}");
    }

    #[test]
    fn a_fellow_signs_what_it_is_whispered_and_says_it_to_all() {
        let (mut fellow, mut lies) = (deception(3, Lie::Collude, 7), Vec::new());
        let words = fellow.countersign(&own_list().message, &keyring(3), &mut lies);
        assert_eq!(told(&words), [(Some(2), true, vec![2, 3]), (None, false, vec![2, 3])]);
        let again = fellow.countersign(&words[0].message, &keyring(3), &mut lies);
        assert_eq!((told(&again), lies.len()), (vec![], 1));
        let mut honest = deception(3, Lie::Late, 7);
        assert_eq!(honest.countersign(&own_list().message, &keyring(3), &mut lies), []);
    }
}
