//! Tests of machines without their type: they do what the typed ones do, and keep their equality and their order.

use proptest::prelude::*;

use super::*;
use crate::protocol::trial::{Bell, Trial, count, setup};

fn bells() -> impl Strategy<Value = Bell> {
    prop_oneof![
        Just(Bell::Alone),
        Just(Bell::Drawn),
        any::<u64>().prop_map(Bell::Numbered),
        (0..600u64).prop_map(Bell::Numbered)
    ]
}

proptest! {
    #[test]
    fn the_keys_of_timers_have_the_order_of_the_timers(one in bells(), other in bells()) {
        prop_assert_eq!(TimerKey::of(&one).cmp(&TimerKey::of(&other)), one.cmp(&other));
        prop_assert_eq!(TimerKey::of(&one).read::<Bell>(), one);
    }
}

#[test]
fn a_step_does_what_the_typed_machine_does() {
    let mut typed = Effects::<Trial>::new(7);
    let mut machine = Trial::start(&setup(1), None, &mut typed);
    typed.begin_anew(7);
    machine.on_message(NodeId::new(2).unwrap(), count(3), &mut typed);
    let kind = MachineKind::of::<Trial>();
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
    assert_eq!((*timer, saved), (TimerKey::of(&Bell::Alone), &SavedCells::of(&3u64)));
    let again = kind.start(&setup(1), Some(saved), &mut StepEffects::new(7));
    assert_eq!(again.state(), boxed.state());
}

#[test]
fn the_same_message_to_several_nodes_is_kept_once() {
    let mut effects = Effects::<Trial>::new(0);
    effects.send_each([1, 2, 3].map(|id| NodeId::new(id).unwrap()).into_iter().collect(), count(1));
    let mut fx = StepEffects::new(0);
    hand_on(&mut effects, &mut fx);
    let payloads: Vec<&Payload> = fx
        .list
        .iter()
        .map(|effect| match effect {
            StepEffect::Send { message, .. } => message,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(payloads.windows(2).all(|pair| Arc::ptr_eq(&pair[0].0, &pair[1].0)));
}

#[test]
fn what_is_of_another_kind_is_refused() {
    let kind = MachineKind::of::<Trial>();
    assert_eq!(kind.read_message(&[9]), None);
    assert_eq!(kind.read_cells(&[]), None);
    assert_eq!(kind.read_cells(SavedCells::of(&5u64).bytes()), Some(SavedCells::of(&5u64)));
}
