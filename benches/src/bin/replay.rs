//! A long session on the screen: a million steps of eight nodes with two hundred faults, simulated.
//!
//! Bars: the first frame in 2 s, a random time in 50 ms with its frame, memory at most twice the file; a session that was
//! cut in half opens too. Beside it, in the same run, a bare loop that only parses the lines as JSON.
//!
//! The argument `child FILE` measures one file in a process of its own, so that its memory is its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hustings::dashboard::{Offscreen, Options};
use hustings::record::StoredSession;
use hustings_benches::Place;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SIZE: (u16, u16) = (140, 45);
const SEEKS: u64 = 100;
/// Pairs of a fault and its end, and how far apart two orders are.
const PAIRS: u64 = 100;
const APART_S: u64 = 70;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[1..] {
        [] => measure(),
        [word, file] if word == "child" => show(Path::new(file)),
        _ => panic!("no arguments, or: child FILE"),
    }
}

fn measure() {
    let place = Place::new();
    let session = simulated(&place);
    let parts = parts_of(&session);
    let bytes: u64 = parts.iter().map(|part| part.metadata().expect("it is there").len()).sum();
    let (lines, steps, took) = parsed(&parts);
    println!(
        "{lines} records, {steps} of them steps, {} MB; a bare loop that parses them: {took:?}",
        bytes / 1_000_000
    );
    child(&session);
    let last = &parts[parts.len() / 2];
    let half = last.metadata().expect("it is there").len() / 2;
    parts[parts.len() / 2 + 1..].iter().for_each(|part| std::fs::remove_file(part).expect("it is there"));
    let file = std::fs::OpenOptions::new().write(true).open(last).expect("it is there");
    file.set_len(half).expect("it can be cut");
    println!("the same, cut in half:");
    child(&session);
}

/// The session of a lab whose nodes crash, pause and are cut off in turn, and come back.
fn simulated(place: &Place) -> PathBuf {
    let mut lab =
        "name = \"long\"\nabout = \"A million steps and two hundred faults.\"\nalgorithm = \"bully\"\nnodes = 8\n\
                   seed = 7\nT = \"200ms\"\ncheck = \"300ms\"\nsilence = \"1400ms\"\n"
            .to_owned();
    for pair in 0..PAIRS {
        let node = pair * 5 % 8 + 1;
        let [fault, end] = match pair % 3 {
            0 => [format!("crash {node}"), format!("recover {node}")],
            1 => [format!("pause {node}"), format!("resume {node}")],
            _ => [format!("isolate {node}"), "heal".to_owned()],
        };
        for (turn, line) in [fault, end].iter().enumerate() {
            let at = 3 + (2 * pair + turn as u64) * APART_S;
            lab += &format!("[[step]]\nat = \"{at}s\"\ndo = [\"{line}\"]\n");
        }
    }
    let (file, session) = (place.path("long.toml"), place.path("long.jsonl"));
    std::fs::write(&file, lab).expect("the lab can be written");
    let path = |path: &Path| path.to_str().expect("a path of letters").to_owned();
    // Excused violations make it end with another code than 0.
    let output = place.hustings(&["run", "--sim", "--record", &path(&session), &path(&file)]).output();
    output.expect("the program can be started");
    assert!(session.exists(), "the lab was not recorded");
    session
}

fn parts_of(session: &Path) -> Vec<PathBuf> {
    let later = (1..).map(|part| session.with_extension(format!("{part}.jsonl")));
    std::iter::once(session.to_owned()).chain(later).take_while(|part| part.exists()).collect()
}

/// How many lines these files have, how many of them are steps, and how long it takes to parse them.
fn parsed(parts: &[PathBuf]) -> (usize, usize, Duration) {
    let began = Instant::now();
    let (mut lines, mut steps) = (0, 0);
    for part in parts {
        let file = std::fs::File::open(part).expect("it is there");
        for line in BufReader::with_capacity(1 << 16, file).lines().skip(1) {
            let line: serde_json::Value = serde_json::from_str(&line.expect("it is text")).expect("it is JSON");
            lines += 1;
            steps += usize::from(line["kind"] == "step");
        }
    }
    (lines, steps, began.elapsed())
}

fn child(session: &Path) {
    let program = std::env::current_exe().expect("this program has a path");
    let status = Command::new(program).arg("child").arg(session).status().expect("it can be started");
    assert!(status.success());
}

fn show(session: &Path) {
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal in memory");
    let began = Instant::now();
    let options = Options::of_session(session);
    let stored = StoredSession::open(session).expect("the session can be opened");
    let mut screen = Offscreen::opened(&options, stored, SIZE).expect("the session can be read");
    terminal.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
    let first = began.elapsed();
    let mut turns = 0;
    while screen.is_reading() {
        turns += 1;
        screen.tick(Duration::from_millis(turns));
    }
    let whole = began.elapsed();
    let mut took = Vec::new();
    let mut drawn = 88_172_645_463_325_252_u64;
    for _ in 0..SEEKS {
        drawn ^= drawn << 13;
        drawn ^= drawn >> 7;
        drawn ^= drawn << 17;
        let began = Instant::now();
        screen.seek_part((drawn >> 11) as f64 / (1_u64 << 53) as f64);
        terminal.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
        took.push(began.elapsed());
    }
    took.sort();
    let (median, longest) = (took[took.len() / 2], took[took.len() - 1]);
    println!("  the first frame after {first:?}, all of it read after {whole:?}");
    println!("  {SEEKS} random times, each with its frame: median {median:?}, longest {longest:?}");
    println!("  the most memory: {} MB", most_memory_kb() / 1_000);
}

fn most_memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells the most memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
