//! The timers that the world keeps, against the time-outs of every lab of the project.

use super::*;
use protocol::NodeSet;
use record::Input;
use world::World;

#[test]
fn every_time_out_was_due_then() {
    let mut total = 0;
    for lab in labs() {
        let world = RefCell::new((World::new(lab.roster), NodeSet::EMPTY, 0));
        run(
            &Plan::of(Arc::clone(&lab)),
            Box::new(|record: &Record| {
                let (world, held, timeouts) = &mut *world.borrow_mut();
                if record.step().is_some_and(|step| step.held.is_some()) {
                    held.insert(record.node.unwrap());
                }
                if let Some(Input::Timer { timer, set, due, .. }) = record.step().map(|step| &step.input) {
                    let node = record.node.unwrap();
                    let known = world.nodes[&node].timers.iter().find(|known| known.name == *timer);
                    let known = known.unwrap_or_else(|| panic!("{}: {timer} did not run: {record:?}", lab.name));
                    *timeouts += 1;
                    if held.contains(node) {
                        // What it did after the hold it did later than the record says.
                        return world.fold(record);
                    }
                    assert_eq!(known.set, i64::try_from(*set).unwrap(), "{}: {record:?}", lab.name);
                    // Another rate is rounded to a nanosecond at each change.
                    let off = known.due - i64::try_from(*due).unwrap();
                    assert!(off.abs() <= 3, "{}: {off} ns: {record:?}", lab.name);
                }
                world.fold(record);
            }),
        );
        total += world.into_inner().2;
    }
    assert!(total > 5_000, "{total}");
}
