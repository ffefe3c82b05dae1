//! Every lab of the project as a session, that session as a lab, and that lab once more.
//!
//! Invariant: what a session showed in virtual time, the lab that is made of it shows again.

use std::sync::Arc;

use crate::cli::built_in;
use export::{CastVersion, Exported, ScreenSize, named};
use lab::{Lab, parse};
use record::SessionReader;
use registry::BUILT_IN;

/// So many at once: the labs are many, and a simulation is one thread's work.
const AT_ONCE: usize = 2;

fn session_of(lab: Lab) -> (SessionReader, u8) {
    let plan = sim::Plan::of(Arc::new(lab));
    let mut session = SessionReader { head: Some(sim::head(&plan)), records: Vec::new(), skipped: Vec::new() };
    let end = sim::run(&plan, Box::new(|record| session.records.push(record.clone())));
    let code = end.run.summary.exit_code();
    (session, code)
}

fn exported(session: &SessionReader) -> String {
    let size = ScreenSize { columns: 100, rows: 30 };
    let (path, cast) = ("s.jsonl".as_ref(), CastVersion::Three);
    let mut text = Vec::new();
    (named("lab").unwrap().write)(&Exported { session, notes: &[], path, size, at: None, cast }, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What the lab of this text does not show again, if anything.
fn missed(name: &str, text: &str) -> Option<String> {
    let lab = parse(name, text, BUILT_IN).unwrap();
    lab.check_simulable(name).ok()?;
    let (session, code) = session_of(lab);
    assert_eq!(code, 0, "{name}");
    let again = exported(&session);
    let lab = parse("again", &again, BUILT_IN).unwrap_or_else(|errors| panic!("{name}: {errors}\n{again}"));
    let (session, code) = session_of(lab);
    let lines = session.records.iter().map(|record| record.to_line());
    let verdicts: Vec<String> = lines.filter(|line| line.contains("\"kind\":\"verdict\"")).collect();
    (code != 0).then(|| format!("{name} ends with code {code}: {}\n{again}", verdicts.join("\n")))
}

#[test]
fn every_lab_that_is_made_of_a_session_shows_it_again() {
    let threads: Vec<_> = (0..AT_ONCE)
        .map(|first| {
            std::thread::spawn(move || {
                let labs = built_in::LABS.iter().skip(first).step_by(AT_ONCE);
                labs.filter_map(|lab| missed(lab.name, lab.text)).collect::<Vec<String>>()
            })
        })
        .collect();
    let missed: Vec<String> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert!(missed.is_empty(), "{} labs:\n{}", missed.len(), missed.join("\n\n"));
}
