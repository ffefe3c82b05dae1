//! The messages screen folds a receipt into the row of its sending.

use super::stage::{calm, given, id, live, message, node, sent, step};
use super::{hear, press, text};
use crate::model::Model;
use fault::FaultId;
use protocol::{Incarnation, Order};
use record::{Body, EffectText, Input, MessageId, Record};

const NOW: i64 = 900_000_000;

fn sends(ids: &[MessageId]) -> Record {
    let send = |id: &MessageId| EffectText::Send { id: *id, message: message("Halt") };
    step(NOW, 5, Input::Order { order: Order::Elect }, ids.iter().map(send).collect(), None)
}

fn gets(of: MessageId, who: u16) -> Record {
    step(NOW, who, Input::Message { id: of, message: message("Halt") }, vec![], None)
}

fn halts(model: &mut Model) -> Vec<String> {
    let screen = text(model, 100, 40);
    let rows = screen.lines().filter(|line| line.contains("Halt"));
    rows.map(|row| row.trim_start_matches(['›', ' ']).to_owned()).collect()
}

#[test]
fn a_receipt_is_a_sign_in_the_row_of_its_sending_until_it_is_unfolded() {
    let mut model = live(&calm());
    let ids = [id(5, 1, 70), id(5, 2, 70), id(5, 3, 70), id(5, 4, 70)];
    hear(&mut model, sends(&ids));
    hear(&mut model, gets(ids[0], 1));
    let dropped = Body::Dropped { id: ids[1], by: FaultId(3), message: None };
    hear(&mut model, Record::of_node(NOW, node(2), dropped));
    let held = Body::Held { id: ids[2], by: FaultId(2), span: None, message: None };
    hear(&mut model, Record::of_node(NOW, node(3), held));
    press(&mut model, "2");
    let sent = |to: u16, end: &str| format!("0.900  5 -> {to}  Halt(number=1.7){end}");
    assert_eq!(halts(&mut model), [sent(1, "  ✓"), sent(2, "  ✗ f3"), sent(3, "  … f2"), sent(4, "")]);
    hear(&mut model, gets(ids[2], 3));
    assert_eq!(halts(&mut model)[2], sent(3, "  ✓"), "what was held has come");
    press(&mut model, "+");
    let unfolded = halts(&mut model);
    assert_eq!(unfolded.len(), 6, "{unfolded:?}");
    assert_eq!(unfolded[4], "0.900  1 <- 5  Halt(number=1.7)");
    press(&mut model, "+");
    assert_eq!(halts(&mut model).len(), 4);
}

#[test]
fn a_multicast_names_who_got_it_and_a_receipt_without_its_sending_has_a_row() {
    let mut model = live(&calm());
    let multicast = MessageId { from: node(5), incarnation: Incarnation(1), to: None, sequence: 9 };
    hear(&mut model, sends(&[multicast]));
    for who in [1, 2, 4] {
        hear(&mut model, gets(multicast, who));
    }
    let late = Body::Stale { id: multicast };
    hear(&mut model, Record::of_node(NOW, node(3), late));
    hear(&mut model, step(NOW, 4, given(3, 4, "Halt"), vec![sent(4, 3, "Yes")], None));
    press(&mut model, "2");
    assert_eq!(
        halts(&mut model),
        ["0.900  5 -> *  Halt(number=1.7)  ✓1,2,4 ✗3 overtaken", "0.900  4 <- 3  Halt(number=1.7)"]
    );
}
