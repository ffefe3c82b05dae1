//! Tests of branches: whatever way a lab came to its branch, it is the lab that is asked the same from the beginning.

use super::*;
use record::Body;

const SECOND: i64 = 1_000_000_000;

fn lab(path: &str) -> Lab {
    let path = format!("{}/labs/{path}", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = std::fs::read_to_string(&path).unwrap();
    lab::parse(&path, &text, registry::BUILT_IN).unwrap()
}

fn inject(line: &str) -> Request {
    Request::Inject(line.to_owned())
}

/// A lab, and the records that a screen holds of it.
struct Screen {
    lab: Branches,
    records: Vec<Record>,
}

impl Screen {
    fn new(path: &str) -> Screen {
        Screen { lab: Branches::new(lab(path)), records: Vec::new() }
    }

    fn to(mut self, at: i64) -> Screen {
        self.records.extend(self.lab.advance_to(at));
        self
    }

    fn ask(mut self, moment: VirtualMoment, request: Request) -> Screen {
        let branch = self.lab.ask(moment, &request).unwrap_or_else(|why| panic!("{request:?} at {moment:?}: {why}"));
        self.records.truncate(branch.kept);
        self.records.extend(branch.records);
        self
    }

    fn numbers_rise(&self) -> bool {
        (1..).zip(&self.records).all(|(number, record)| record.number == number)
    }
}

#[test]
fn a_branch_is_a_fresh_simulation() {
    for path in ["first.toml", "king-ni-c-loss.toml", "partition-and-merge.toml", "king-ni-b1.toml"] {
        let wandered = Screen::new(path)
            .to(2 * SECOND)
            .ask(VirtualMoment::At(2 * SECOND), inject("pause 2"))
            .to(7 * SECOND)
            .ask(VirtualMoment::At(4 * SECOND), inject("loss *->* 20%"))
            .to(9 * SECOND)
            .ask(VirtualMoment::At(6 * SECOND), inject("heal all"))
            .to(8 * SECOND)
            // Here the branch leaves what was asked at 4 s and at 6 s behind.
            .ask(VirtualMoment::At(3 * SECOND), inject("crash 1"))
            .ask(VirtualMoment::At(3 * SECOND), Request::PlaySteps)
            .to(12 * SECOND);
        let fresh = Screen::new(path)
            .to(2 * SECOND)
            .ask(VirtualMoment::At(2 * SECOND), inject("pause 2"))
            .to(3 * SECOND)
            .ask(VirtualMoment::At(3 * SECOND), inject("crash 1"))
            .ask(VirtualMoment::At(3 * SECOND), Request::PlaySteps)
            .to(12 * SECOND);
        assert!(wandered.numbers_rise(), "{path}");
        assert!(wandered.records.len() > 40, "{path}: {} records", wandered.records.len());
        assert!(wandered.records == fresh.records, "{path}");
        let lines: Vec<String> = wandered
            .records
            .iter()
            .filter_map(|record| match &record.body {
                Body::FaultOrdered { line, step: None, .. } => Some(line.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(lines, ["pause 2", "crash 1"], "{path}");
    }
}

#[test]
fn a_lab_branches_between_any_two_records() {
    let whole = Screen::new("first.toml").to(SECOND / 2);
    for count in 0..=whole.records.len() {
        let moment = VirtualMoment::After(count as u64);
        let branched = Screen::new("first.toml").to(SECOND / 2).ask(moment, inject("crash 5")).to(SECOND);
        let fresh = Screen::new("first.toml").ask(moment, inject("crash 5")).to(SECOND);
        assert!(branched.numbers_rise(), "after {count}");
        assert!(branched.records == fresh.records, "after {count}");
        assert!(branched.records[..count] == whole.records[..count], "what had happened before {count} stands");
        let ordered = branched.records.iter().position(|record| matches!(record.body, Body::FaultOrdered { .. }));
        assert!(ordered.is_some_and(|ordered| ordered >= count), "after {count}");
    }
}

#[test]
fn an_order_that_was_seen_to_begin_stands() {
    let begun = |screen: Screen| screen.to(SECOND / 3).ask(VirtualMoment::At(SECOND / 3), inject("crash 4"));
    let whole = begun(Screen::new("first.toml")).to(SECOND / 2);
    let is_order = |record: &Record| matches!(record.body, Body::FaultOrdered { .. });
    let order = whole.records.iter().position(is_order).unwrap();
    for count in order - 2..whole.records.len() {
        let moment = VirtualMoment::After(count as u64);
        let branched = begun(Screen::new("first.toml")).to(SECOND / 2).ask(moment, inject("pause 5")).to(SECOND);
        let fresh = Screen::new("first.toml");
        let fresh = if count > order { begun(fresh) } else { fresh };
        let fresh = fresh.ask(moment, inject("pause 5")).to(SECOND);
        assert!(branched.records == fresh.records, "after {count}, the order at {order}");
        assert!(branched.records[..count] == whole.records[..count], "after {count}, the order at {order}");
    }
}

#[test]
fn a_refusal_forgets_nothing_and_does_nothing() {
    let mut screen = Screen::new("first.toml").to(5 * SECOND);
    for line in ["crash 9", "crush 5", "lift f7", "resume 1"] {
        assert!(screen.lab.ask(VirtualMoment::At(SECOND), &inject(line)).is_err(), "{line}");
        assert!(screen.lab.ask(VirtualMoment::At(5 * SECOND), &inject(line)).is_err(), "{line}");
    }
    let screen = screen.to(8 * SECOND);
    assert!(screen.records == Screen::new("first.toml").to(8 * SECOND).records);
}

#[test]
fn steps_are_held_until_they_are_played() {
    let screen = Screen::new("first.toml").to(3 * SECOND).ask(VirtualMoment::At(2 * SECOND), Request::PlaySteps);
    let steps = |seconds: i64| screen.lab.steps_at(VirtualMoment::At(seconds * SECOND));
    assert_eq!((steps(1), steps(2), steps(3)), (Steps::Held, Steps::Playing, Steps::Playing));
    let screen = screen.to(4 * SECOND).ask(VirtualMoment::At(SECOND), inject("elect 1"));
    assert_eq!(screen.lab.steps_at(VirtualMoment::At(4 * SECOND)), Steps::Held);
}

#[test]
fn the_session_holds_its_branch_and_end() {
    let screen = Screen::new("first.toml")
        .to(6 * SECOND)
        .ask(VirtualMoment::At(2 * SECOND), inject("pause 5"))
        .to(9 * SECOND)
        .ask(VirtualMoment::At(7 * SECOND), inject("resume 5"))
        .to(8 * SECOND);
    let session = RefCell::new(Vec::new());
    let end = screen.lab.replay(Box::new(|record| session.borrow_mut().push(record.clone())));
    let session = session.into_inner();
    let (seen, rest) = session.split_at(screen.records.len());
    assert!(seen == screen.records);
    assert!(
        matches!(rest.last().map(|record| &record.body), Some(Body::Ended { why, .. }) if why.contains("told to end"))
    );
    assert!(end.run.summary.violations > 0 && !end.run.summary.was_played, "{:?}", end.run.summary);
    // Another branch is another session, and so is a longer one.
    let plain = |seconds| Screen::new("first.toml").to(seconds * SECOND);
    let other = plain(8);
    let ids = [&screen, &other, &plain(7), &plain(4).to(8 * SECOND)].map(|screen| screen.lab.session_head().lab_id);
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[1] == ids[3], "{ids:?}");
}
