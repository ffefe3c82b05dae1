//! Rows 2 and 3: hustings' simulator, `LABS SEED off` without records, `LABS SEED on` with every record made, folded into
//! the world, judged and put into its line of text, as a session has it.
//!
//! Invariant: both ask the machines themselves whether they agree; with records, every expectation of the lab must be
//! met besides, and nothing be violated.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hustings::record::Record;
use hustings::script::Pace;
use hustings::sim::{self, After, Listener, Moves, Plan, Recorded, Weather};
use hustings_sim_benches::{Report, agree, lab, report, turns};

fn main() {
    let (labs, seed, rest) = hustings_sim_benches::arguments();
    let lab = lab();
    let recorded = if rest.first().is_some_and(|word| word == "off") { Recorded::No } else { Recorded::Yes };
    report(|| {
        let mut whole = Report::default();
        let kept: Rc<(Cell<u64>, Cell<u64>, RefCell<Vec<u8>>)> = Rc::default();
        for seed in seed..seed + labs {
            let (weather, moves, pace) = (Weather::Drawn, Moves::Typed, Pace::Played);
            let plan = Plan { lab: lab.clone(), seed, weather, moves, pace, recorded, after: After::End };
            let keeping = Rc::clone(&kept);
            let listener: Listener = Box::new(move |record: &Record| {
                let (records, bytes, session) = &*keeping;
                let mut session = session.borrow_mut();
                session.clear();
                session.extend_from_slice(record.to_line().as_bytes());
                records.set(records.get() + 1);
                bytes.set(bytes.get() + session.len() as u64 + 1);
            });
            let mut simulation = sim::start(&plan, listener);
            for turn in turns() {
                simulation.advance_to(i64::try_from(turn.at_ms * 1_000_000 - 1).expect("a lab is short"));
                let states = lab.roster.all().iter().map(|node| simulation.state(node));
                whole.agreements += u64::from(agree(states, turn.coordinator));
            }
            let end = simulation.run_to_end();
            whole.messages += end.delivered;
            whole.virtual_seconds += end.lasted as f64 / 1e9;
        }
        whole.did = match recorded {
            Recorded::No => "links, order filter, orders, script; no record".to_owned(),
            Recorded::Yes => {
                let each = |count: u64| count as f64 / whole.messages as f64;
                format!("{:.2} records, {:.0} bytes of session", each(kept.0.get()), each(kept.1.get()))
            }
        };
        whole
    });
}
