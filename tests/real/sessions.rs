//! The sessions that lie in the default place: which stay whatever is pruned, and what damaged ones do to the commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::bench::{Bench, bully_lab};

/// So many sessions are made by hand, and so many by `run`.
const BY_HAND: usize = 150;
const BY_RUN: usize = 150;

fn contents(paths: &[PathBuf]) -> BTreeMap<PathBuf, Vec<u8>> {
    paths.iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn aged(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400);
    fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn whatever_is_pruned_what_people_recorded_stays_byte_for_byte_while_a_lab_records() {
    let bench = Bench::new();
    let directory = bench.path("hustings");
    bench.must(&["run", "first", "--sim"]);
    let of_run = fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let kept = bench.path("by-hand.jsonl.zst");
    bench.must(&["run", "first", "--sim", "--record", kept.to_str().unwrap()]);
    // Half by hand: under names of their own, under such as the program gives, and one of `run` that has a note.
    let by_hand: Vec<PathBuf> = (0..BY_HAND)
        .map(|place| {
            let name = if place % 2 == 0 {
                format!("lesson-{place}.jsonl.zst")
            } else {
                format!("first-{place}-0000beef.jsonl.zst")
            };
            let path = directory.join(name);
            fs::copy(&kept, &path).unwrap();
            aged(&path, 400);
            path
        })
        .collect();
    for place in 0..BY_RUN {
        let path = directory.join(format!("first-{place}-aabbccdd.jsonl.zst"));
        fs::copy(&of_run, &path).unwrap();
        aged(&path, 300 - place as u64);
    }
    let noted = directory.join("first-0-aabbccdd.jsonl.zst");
    bench.must(&["sessions", "note", noted.to_str().unwrap(), "look here", "--at", "2s"]);
    let mut precious = by_hand;
    precious.extend([noted.clone(), directory.join("first-0-aabbccdd.notes"), directory.join("unrelated.txt")]);
    fs::write(directory.join("unrelated.txt"), "no session\n").unwrap();
    let before = contents(&precious);

    let file = bench.file("lab.toml", &bully_lab(""));
    bench.must(&["up", &file, "--detach"]);
    bench.must(&["wait", "coordinator 5"]);
    let would = bench.must(&["sessions", "prune", "--dry-run"]);
    let gone = bench.must(&["sessions", "prune"]);
    assert_eq!(gone.lines().count(), would.lines().count());
    assert!(gone.lines().count() >= BY_RUN - 100, "{gone}");
    for _ in 0..3 {
        bench.must(&["run", "first", "--sim"]);
    }
    assert_eq!(contents(&precious), before);
    let listed = bench.must(&["sessions", "--json"]);
    let prunable = listed.lines().filter(|line| line.contains("\"is_prunable\":true")).count();
    assert!(prunable <= 100, "{prunable} are kept");
    assert!(bench.must(&["sessions"]).lines().all(|line| line.chars().count() <= 80));
    let verdict = bench.must(&["down"]);
    let session = verdict.trim().rsplit(' ').next().unwrap();
    assert!(bench.must(&["verify", session]).contains("conforms"));
    assert_eq!(contents(&precious), before);
}

#[test]
fn a_session_is_shrunk_to_a_lab_that_shows_its_violation_again_and_two_sessions_are_held_against_each_other() {
    let bench = Bench::without_labs();
    let session = |name: &str, lab: &str| {
        let path = bench.path(name).to_str().unwrap().to_owned();
        let printed = bench.run(&["run", lab, "--sim", "--record", &path]);
        assert_eq!(printed.code, 0, "{printed:?}");
        path
    };
    let letter = session("letter.jsonl", "bully-pause");
    let few = bench.path("few.toml").to_str().unwrap().to_owned();
    let shrunk = bench.run(&["shrink", &letter, "--output", &few]);
    assert!(shrunk.code == 0 && shrunk.err.contains(" of 3 fault lines"), "{shrunk:?}");
    let text = fs::read_to_string(&few).unwrap();
    assert!(text.contains("pause") && text.contains("[[expect]]"), "{text}");
    let again = bench.run(&["run", &few, "--sim", "--no-record"]);
    assert!(again.code == 0 && again.out.contains("violated"), "{again:?}");
    let kept = bench.run(&["shrink", &letter, "--output", &few]);
    assert_ne!(kept.code, 0, "{kept:?}");
    // What virtual time does not show is not passed off as what it shows.
    let text = fs::read_to_string(&letter).unwrap();
    let violation = text.lines().find(|line| line.contains("\"kind\":\"violation\"")).unwrap();
    assert!(violation.contains("\"word\":\"Reorganization\""), "{violation}");
    let changed = violation.replace("\"word\":\"Reorganization\"", "\"word\":\"Election\"");
    let other = bench.file("other.jsonl", &text.replace(violation, &changed));
    let told = bench.run(&["shrink", &other, "--violation", "1"]);
    let another =
        "virtual time does not show this contradiction, but another one of assertion-1; shrinking towards that: ";
    assert!(told.code == 0 && told.err.contains(another), "{told:?}");
    // Nothing was violated there, and there is no tenth violation here.
    let calm = session("calm.jsonl", "first");
    let nothing = bench.run(&["shrink", &calm]);
    assert!(nothing.code == 5 && nothing.out.is_empty(), "{nothing:?}");
    assert_eq!(bench.run(&["shrink", &letter, "--violation", "10"]).code, 2);

    let copy = bench.path("copy.jsonl");
    fs::copy(&letter, &copy).unwrap();
    assert!(bench.must(&["diff", &letter, copy.to_str().unwrap()]).ends_with("no difference\n"));
    let mended = session("mended.jsonl", "bully-pause-mended");
    let differs = bench.run(&["diff", &letter, &mended]);
    assert!(differs.code == 4 && differs.out.contains("the first difference is in "), "{differs:?}");
    let first = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/labs/first.toml")).unwrap();
    let seeds = [1, 2].map(|seed| {
        let lab = bench.file(&format!("seed-{seed}.toml"), &first.replace("seed = 1\n", &format!("seed = {seed}\n")));
        session(&format!("seed-{seed}.jsonl"), &lab)
    });
    let differs = bench.run(&["diff", &seeds[0], &seeds[1], "--json"]);
    let told: serde_json::Value = serde_json::from_str(&differs.out).unwrap();
    assert!(told["heads"][0]["what"] == "dice seed", "{told}");
    assert_eq!(differs.code, if told["first"].is_null() { 0 } else { 4 }, "{told}");
}

#[test]
fn a_note_is_one_line_and_about_a_moment_of_the_session() {
    let bench = Bench::without_labs();
    let path = bench.path("noted.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", "first", "--sim", "--record", &path]);
    let late = bench.run(&["sessions", "note", &path, "too late", "--at", "999s"]);
    let why = "999s is after the session's last record, at 8.000 s";
    assert!(late.code == 2 && late.out.is_empty() && late.err.contains(why), "{late:?}");
    assert!(!bench.path("noted.notes").exists());
    bench.must(&["sessions", "note", &path, "one\n\ttwo\r\nthree", "--at", "2s"]);
    let listed = bench.must(&["sessions", "notes", &path]);
    assert_eq!(listed.lines().map(str::trim).collect::<Vec<_>>(), ["2.000 s  note     one two three"]);
}

#[test]
fn a_session_of_the_list_is_kept_and_forgotten_by_its_path_too_and_kept_once() {
    let bench = Bench::without_labs();
    for lab in ["first", "bully-pause"] {
        bench.must(&["run", lab, "--sim"]);
    }
    let named = |end: &str| -> Vec<String> {
        let listed = bench.must(&["sessions", "--json"]);
        let names = listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].clone());
        names.map(|name| name.as_str().unwrap().to_owned()).filter(|name| name.ends_with(end)).collect()
    };
    let [one, other] = &named("")[..] else { panic!("another number of sessions") };
    let path = |name: &str| bench.path(&format!("hustings/{name}.jsonl.zst")).to_str().unwrap().to_owned();
    // Twice the same, and once more: it has its new name once.
    assert!(bench.must(&["sessions", "keep", &path(one), one]).contains(&format!("{one} is kept as ")));
    let kept = format!("{one}-kept");
    assert!(bench.must(&["sessions", "keep", &kept, &format!("{kept}.jsonl.zst")]).contains("keeps its name"));
    assert_eq!(named("-kept"), [kept.as_str()]);
    // By hand it is never removed anyway.
    let by_hand = path("by-hand");
    bench.must(&["run", "first", "--sim", "--record", &by_hand]);
    assert!(bench.must(&["sessions", "keep", "by-hand"]).contains("never removed to make room"));
    assert!(Path::new(&by_hand).exists());
    assert_eq!(bench.must(&["sessions", "forget", &path(other), &by_hand]).lines().count(), 2);
    assert_eq!(named(""), [kept]);
    let elsewhere = bench.file("elsewhere.jsonl", "");
    let refused = bench.run(&["sessions", "forget", &elsewhere]);
    assert!(refused.code == 1 && refused.err.contains("is not the first file of a session"), "{refused:?}");
    assert!(Path::new(&elsewhere).exists());
}

#[test]
fn sessions_are_read_where_no_file_can_be_made_and_what_cannot_be_read_is_told() {
    let bench = Bench::without_labs();
    let whole = bench.path("hustings/whole.jsonl.zst").to_str().unwrap().to_owned();
    bench.must(&["run", "first", "--sim", "--record", &whole]);
    let nowhere = bench.path("none");
    let without = |arguments: &[&str]| {
        let mut command = bench.hustings(arguments);
        crate::bench::Printed::of(command.env("TMPDIR", &nowhere).output().unwrap())
    };
    let of_whole = "lasted 8.0 s, ";
    // Its end tells what came out; without it, all of it is read.
    let packed = fs::read(&whole).unwrap();
    let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let of_before = zstd::encode_all(text.replace(",\"outcome\":{", ",\"former\":{").as_bytes(), 1).unwrap();
    fs::write(bench.path("hustings/of-before.jsonl.zst"), of_before).unwrap();
    fs::write(bench.path("hustings/cut.jsonl.zst"), &packed[..packed.len() / 2]).unwrap();
    let listed = without(&["sessions"]);
    assert!(listed.code == 0 && listed.out.matches(of_whole).count() == 2, "{listed:?}");
    assert_eq!((listed.out.matches(": 7 met").count(), listed.out.matches(": no end").count()), (2, 1), "{listed:?}");
    for arguments in
        [&["why", &whole][..], &["export", &whole, "--format", "md"], &["verify", &whole], &["grade", &whole]]
    {
        let printed = without(arguments);
        assert_eq!((printed.code, printed.err.as_str()), (0, ""), "{arguments:?}: {printed:?}");
    }
}

#[test]
fn a_name_that_may_mean_two_sessions_deletes_neither() {
    let bench = Bench::without_labs();
    let path = |name: &str| bench.path(&format!("hustings/{name}.jsonl.zst"));
    for name in ["1", "last"] {
        bench.must(&["run", "first", "--sim", "--record", path(name).to_str().unwrap()]);
    }
    bench.must(&["run", "first", "--sim"]);
    let files = || fs::read_dir(bench.path("hustings")).unwrap().count();
    for name in ["1", "last"] {
        let refused = bench.run(&["sessions", "forget", name]);
        assert!(refused.code == 1 && refused.err.contains("so nothing is done"), "{refused:?}");
        assert!(refused.err.contains(&format!("  {name}.jsonl.zst\n")), "{refused:?}");
        assert_eq!(files(), 3);
        // Who only reads it means its whole name.
        assert!(bench.must(&["verify", name]).contains(&format!("hustings/{name}.jsonl.zst: conforms")));
    }
    assert_eq!(bench.must(&["sessions", "forget", "1.jsonl.zst"]), "1 is gone\n");
    assert!(!path("1").exists() && path("last").exists());
}

#[test]
fn a_name_of_several_lines_makes_no_row_of_a_table() {
    let bench = Bench::without_labs();
    let path = bench.path("hustings/mine.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", "first", "--sim", "--record", &path]);
    let text = fs::read_to_string(&path).unwrap();
    let name = "first\\nher-session.jsonl  first  bully  met\\tcrash\\r\\u2028";
    fs::write(&path, text.replacen("\"name\":\"first\"", &format!("\"name\":\"{name}\""), 1)).unwrap();
    for arguments in [&["grade", &path][..], &["grade", &path, "--csv"], &["sessions"]] {
        let printed = bench.must(arguments);
        assert_eq!(printed.lines().count(), if arguments[0] == "sessions" { 3 } else { 2 }, "{printed}");
        assert!(printed.contains("first\\u000aher-session.jsonl") && !is_obeyed(&printed), "{printed}");
    }
    let wide = bench.path("hustings/a\nb.jsonl");
    fs::rename(&path, &wide).unwrap();
    let printed = bench.must(&["sessions"]);
    assert!(printed.starts_with("1  a\\u000ab\n"), "{printed}");
}

#[test]
fn a_shrunk_lab_expects_what_the_only_claimed_hole_does_and_leaves_real_processes_time() {
    let bench = Bench::without_labs();
    let session = bench.path("hole.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", "king-ni-b2-hole-1", "--sim", "--record", &session]);
    let few = bench.path("few.toml").to_str().unwrap().to_owned();
    let shrunk = bench.run(&["shrink", &session, "--output", &few]);
    assert_eq!(shrunk.code, 0, "{shrunk:?}");
    let text = fs::read_to_string(&few).unwrap();
    let uniqueness = "[[expect]]\nthat = \"violation uniqueness because hole 1\"\n";
    for piece in [uniqueness, "that = \"violation deadlock-free-malicious because hole 1\"", "is put down to it too.\n"]
    {
        assert!(text.contains(piece), "{piece} is not in\n{text}");
    }
    let again = bench.path("again.jsonl");
    let printed = bench.run(&["run", &few, "--sim", "--record", again.to_str().unwrap()]);
    assert_eq!(printed.code, 0, "{printed:?}");
    // Its T is 600 ms.
    let records = Bench::records(&again);
    let at = |kind: &str| records.iter().find(|record| record["kind"] == kind).unwrap()["at"].as_i64().unwrap();
    assert!(at("ended") - at("violation") >= 10 * 600_000_000, "{} {}", at("ended"), at("violation"));

    let half = bench.file("half.toml", &text.replace(uniqueness, ""));
    let failed = bench.run(&["run", &half, "--sim", "--no-record"]);
    let why = "FAILED violation deadlock-free-malicious because hole 1, at the end: it came, and so did what the lab does \
               not expect: uniqueness of ";
    assert!(failed.code == 4 && failed.out.contains(why), "{failed:?}");
}

#[test]
fn a_session_that_stops_early_is_not_held_against_a_whole_one_as_if_it_had_an_end() {
    let bench = Bench::without_labs();
    let whole = bench.path("whole.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", "first", "--sim", "--record", &whole]);
    let text = fs::read_to_string(&whole).unwrap();
    let cut = bench.file("cut.jsonl", &text.lines().take(101).map(|line| format!("{line}\n")).collect::<String>());
    let told = bench.run(&["diff", &whole, &cut]);
    assert!(told.code == 4 && told.out.contains("B stops after record 100: the lab's end is missing"), "{told:?}");
    assert!(!told.out.contains("but it does not come"), "{told:?}");
    let without = text.lines().enumerate().filter(|(place, _)| *place != 50);
    let without = bench.file("without.jsonl", &without.map(|(_, line)| format!("{line}\n")).collect::<String>());
    let told: serde_json::Value = serde_json::from_str(&bench.run(&["diff", &whole, &without, "--json"]).out).unwrap();
    assert_eq!((&told["missing"], &told["cut_after"]), (&[0, 1].into(), &serde_json::json!([null, null])), "{told}");
}

#[test]
fn a_number_that_is_out_of_all_order_hides_no_missing_record() {
    let bench = Bench::without_labs();
    let whole = bench.path("whole.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", "first", "--sim", "--record", &whole]);
    let text = fs::read_to_string(&whole).unwrap();
    let wrong = text.replacen("{\"number\":300,", &format!("{{\"number\":{},", u64::MAX), 1);
    let file = bench.file("wrong.jsonl", &wrong);
    let told = bench.run(&["why", &file]);
    assert!(told.code == 5 && told.err.contains("which the file lacks"), "{told:?}");
    let handout = bench.must(&["export", &file, "--format", "md"]);
    assert!(handout.contains("Records are missing, so nobody knows whether there was a violation."), "{handout}");
}

#[test]
fn a_lab_is_graded_by_its_name_and_no_name_is_a_formula() {
    let bench = Bench::without_labs();
    assert!(bench.must(&["grade", "first"]).contains("bully"));
    let lab = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/labs/first.toml")).unwrap();
    bench.file("=2+2.toml", &lab);
    let mut grade = bench.hustings(&["grade", "=2+2.toml", "--csv"]);
    let printed = crate::bench::Printed::of(grade.current_dir(bench.path("")).output().unwrap());
    assert!(printed.out.contains("\n'=2+2.toml,"), "{printed:?}");
}

#[test]
fn a_swarm_of_many_faults_that_meets_a_hole_of_a_paper_is_shrunk_to_a_few() {
    let bench = Bench::without_labs();
    let session = bench.path("swarm.jsonl").to_str().unwrap().to_owned();
    let swarm = ["simulate", "first", "--swarm", "--holes", "--faults", "30", "--seeds", "0..1", "--record", &session];
    let simulated = bench.run(&swarm);
    assert!(simulated.err.contains("--swarm --holes --faults 30 --seeds 0..1` plays it again"), "{simulated:?}");
    let orders = Bench::records(Path::new(&session)).into_iter().filter(|record| record["kind"] == "fault-ordered");
    assert!(orders.count() >= 20);
    let few = bench.path("few.toml").to_str().unwrap().to_owned();
    let shrunk = bench.run(&["shrink", &session, "--output", &few]);
    assert!(shrunk.code == 0, "{shrunk:?}");
    let lines = fs::read_to_string(&few).unwrap().parse::<toml::Table>().unwrap()["step"].as_array().unwrap().len();
    assert!(lines <= 5, "{lines} steps are left");
    // Nothing excuses the violation, so no expectation may ask for it.
    let again = bench.run(&["run", &few, "--sim", "--no-record"]);
    assert!(again.code == 4 && again.out.contains("violated"), "{again:?}");
}

/// A sequence of numbers that looks drawn, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Whether a terminal would obey something in this text.
fn is_obeyed(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n')
}

/// Runs each command on the session; none may panic, end by a signal, or print what a terminal obeys.
fn bear(bench: &Bench, session: &str, whole: &str, what: &str) {
    let output = bench.path("out.toml");
    let output = output.to_str().unwrap();
    for arguments in [
        &["diff", session, whole][..],
        &["diff", whole, session, "--json"],
        &["shrink", session, "--output", output, "--force"],
        &["sessions", "notes", session],
    ] {
        let printed = bench.run(arguments);
        assert!([0, 1, 2, 4, 5, 6].contains(&printed.code), "{what}: {arguments:?}: {printed:?}");
        assert!(!printed.err.contains("panicked"), "{what}: {arguments:?}: {printed:?}");
        assert!(!is_obeyed(&printed.out) && !is_obeyed(&printed.err), "{what}: {arguments:?}: {printed:?}");
    }
}

/// How often a session is damaged in each way.
const DAMAGES: usize = if cfg!(debug_assertions) { 8 } else { 200 };

#[test]
fn flipped_bits_and_cuts_make_no_command_panic() {
    let bench = Bench::without_labs();
    let whole = bench.path("whole.jsonl");
    bench.run(&["run", "bully-pause", "--sim", "--record", whole.to_str().unwrap()]);
    let bytes = fs::read(&whole).unwrap();
    let whole = whole.to_str().unwrap();
    let mut numbers = Numbers(7);
    let damaged = bench.path("damaged.jsonl");
    let path = damaged.to_str().unwrap();
    for number in 0..DAMAGES {
        let mut flipped = bytes.clone();
        // Half of them in the head and the first records, where most is decided.
        let within = if number % 2 == 0 { bytes.len().min(20_000) } else { bytes.len() };
        let place = numbers.below(within);
        flipped[place] ^= 1 << numbers.below(8);
        fs::write(&damaged, &flipped).unwrap();
        bear(&bench, path, whole, &format!("bit of byte {place}"));
        let cut = numbers.below(bytes.len());
        fs::write(&damaged, &bytes[..cut]).unwrap();
        bear(&bench, path, whole, &format!("cut at {cut}"));
    }
}
