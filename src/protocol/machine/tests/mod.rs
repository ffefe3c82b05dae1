//! Tests of machines without their type: they do what the typed ones do, and keep their equality and their order.

mod working;

use proptest::prelude::*;

use super::*;
use crate::Effects;
use crate::trial::{CountingAlgorithm, TrialTimer, count, setup};

fn bells() -> impl Strategy<Value = TrialTimer> {
    prop_oneof![
        Just(TrialTimer::Alone),
        Just(TrialTimer::Drawn),
        any::<u64>().prop_map(TrialTimer::Numbered),
        (0..600u64).prop_map(TrialTimer::Numbered)
    ]
}

proptest! {
    #[test]
    fn the_keys_of_timers_have_the_order_of_the_timers(one in bells(), other in bells()) {
        prop_assert_eq!(TimerKey::of(&one).cmp(&TimerKey::of(&other)), one.cmp(&other));
        prop_assert_eq!(TimerKey::of(&one).read::<TrialTimer>(), one);
    }
}

#[test]
fn a_step_does_what_the_typed_machine_does() {
    let mut typed = Effects::<CountingAlgorithm>::new(7);
    let mut machine = CountingAlgorithm::start(&setup(1), None, &mut typed);
    typed.begin_anew(7);
    machine.on_message(NodeId::new(2).unwrap(), count(3), &mut typed);
    let kind = MachineKind::of::<CountingAlgorithm>();
    let mut fx = StepEffects::new(7);
    let mut boxed = kind.start(&setup(1), None, &mut fx);
    let started = boxed.clone();
    fx.begin_anew(7);
    boxed.on_message(NodeId::new(2).unwrap(), &Payload::of(count(3)), &mut fx);
    assert_eq!((fx.capacity, &fx.lines[..]), (typed.capacity(), typed.lines()));
    assert_eq!(boxed.state(), machine.state());
    assert_ne!(boxed, started);
    let to = NodeId::new(2).unwrap();
    let [
        StepEffect::Send { to: first, message: four },
        StepEffect::Save { saved },
        StepEffect::Send { message: five, .. },
        StepEffect::CancelTimer { timer },
    ] = &fx.list[..]
    else {
        panic!("{:?}", fx.list)
    };
    assert_eq!((*first, four.get(), five.get()), (to, Some(&count(4)), Some(&count(5))));
    assert_eq!((*timer, saved), (TimerKey::of(&TrialTimer::Alone), &SavedCells::of(3u64)));
    let again = kind.start(&setup(1), Some(saved), &mut StepEffects::new(7));
    assert_eq!(again.state(), boxed.state());
}

#[test]
fn the_same_message_to_several_nodes_is_kept_once() {
    let mut effects = Effects::<CountingAlgorithm>::new(0);
    effects.send_each([1, 2, 3].map(|id| NodeId::new(id).unwrap()).into_iter().collect(), count(1));
    let mut fx = StepEffects::new(0);
    algorithm::hand_on(&mut effects, &mut fx);
    let payloads: Vec<&Payload> = fx
        .list
        .iter()
        .map(|effect| match effect {
            StepEffect::Send { message, .. } => message,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(payloads.windows(2).all(|pair| Arc::ptr_eq(&pair[0].message, &pair[1].message)));
}

#[test]
fn what_is_of_another_kind_is_refused() {
    let kind = MachineKind::of::<CountingAlgorithm>();
    assert_eq!(kind.read_message(&[9]), None);
    assert_eq!(kind.read_cells(&[]), None);
    assert_eq!(kind.read_cells(&SavedCells::of(5u64).encode()), Some(SavedCells::of(5u64)));
}

#[test]
fn a_garbled_message_is_another_one_or_none() {
    let (mut others, mut nothing) = (0, 0);
    for place in 0..1_000 {
        match MachineKind::of::<CountingAlgorithm>().garbled(&Payload::of(count(4)), f64::from(place) / 1_000.0) {
            Some(other) => {
                assert_ne!(other, Payload::of(count(4)));
                others += 1;
            }
            None => nothing += 1,
        }
    }
    assert!(others > 100 && nothing > 100, "{others} others, {nothing} came to nothing");
}

#[test]
fn a_plain_message_has_the_bytes_of_its_algorithm_and_an_aside_follows_it() {
    let (kind, message) = (MachineKind::of::<CountingAlgorithm>(), Payload::of(count(4)));
    let plain = message.encode().unwrap();
    assert_eq!(plain, codec::encode_message(&count(4)).unwrap());
    for aside in [MessageMark::InNameOf(NodeId::new(3).unwrap()), MessageMark::Whisper] {
        let besides = message.with_aside(Some(aside));
        let bytes = besides.encode().unwrap();
        assert!(bytes.len() > plain.len());
        assert_eq!(kind.read_message(&bytes), Some(besides.clone()));
        assert_eq!(kind.read_text(&besides.text()), Some(besides.clone()));
        assert_eq!(besides.text().fields.last().map(|(name, _)| &**name), Some(aside.field().0));
        assert_ne!(besides, message);
    }
    let read = |extra: &[u8]| kind.read_message(&[&plain[..], extra].concat());
    assert_eq!(read(&[]), Some(message));
    assert_eq!([read(&[9]), read(&[0]), read(&[1, 1])], [None, None, None]);
}

#[test]
fn timers_beside_a_machine_come_after_all_of_its_own() {
    let bar = TimerKey::beside(1, 7);
    assert_eq!(bar.read_beside(), Some((1, 7)));
    assert_eq!(TimerKey::of(&TrialTimer::Numbered(u64::MAX)).read_beside(), None);
    assert!(
        TimerKey::of(&TrialTimer::Numbered(u64::MAX)) < TimerKey::beside(0, u32::MAX)
            && TimerKey::beside(0, u32::MAX) < bar
    );
}

#[test]
fn a_whisper_is_for_one() {
    let message = Payload::of(working::LedMessage::Lead { serial: 1 });
    assert!(message.is_for_all() && !message.with_aside(Some(MessageMark::Whisper)).is_for_all());
    assert!(message.with_aside(Some(MessageMark::InNameOf(NodeId::new(3).unwrap()))).is_for_all());
}
