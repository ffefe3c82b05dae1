//! Nothing of a file, an argument or an answer reaches a terminal as it is.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use hustings::record::{Body, SessionReader};
use hustings::world::World;
use nix::fcntl::{Flock, FlockArg};
use serde_json::{Value, json};

use crate::bench::{Bench, Printed, bully_lab};
use crate::hostile::{SAMPLES, is_poisoned, poison, records, spoiled};
use crate::screen::Terminal;

/// What the commands print, checked.
fn shown(bench: &Bench, arguments: &[&str]) -> String {
    let printed = Printed::of(bench.hustings(arguments).current_dir(bench.path("")).output().unwrap());
    let all = printed.out.clone() + &printed.err;
    assert!(!is_poisoned(&all), "{arguments:?}: {printed:?}");
    assert!(printed.code != 70 && !all.contains("panicked at src"), "{arguments:?}: {printed:?}");
    printed.out
}

/// The head of a session of the program itself, and the rest of it. Of the listing one line stands for all.
fn session(bench: &Bench) -> (Value, String) {
    let (file, path) = (bench.file("short.toml", &bully_lab("")), bench.path("clean.jsonl"));
    bench.must(&["run", &file, "--sim", "--record", path.to_str().unwrap()]);
    let text = fs::read_to_string(path).unwrap();
    let (head, rest) = text.split_once('\n').unwrap();
    let mut head: Value = serde_json::from_str(head).unwrap();
    head["facts"]["listing"].as_array_mut().unwrap().truncate(1);
    (head, rest.to_owned())
}

#[test]
fn the_samples_hold_every_kind_of_record() {
    let error = Body::deserialize(json!("")).unwrap_err().to_string();
    let mut kinds: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
    let samples: Vec<Value> = SAMPLES.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    kinds.retain(|kind| !samples.iter().any(|sample| sample["kind"] == *kind));
    assert!(error.contains("`spawned`") && kinds.is_empty(), "{kinds:?}");
    let read = SessionReader::read(format!("\n{SAMPLES}").as_bytes());
    assert!(read.skipped.is_empty() && read.records.len() == samples.len(), "{:?}", read.skipped);
}

#[test]
fn no_text_of_a_session_reaches_the_terminal_as_it_is() {
    let bench = Bench::without_labs();
    let (head, rest) = session(&bench);
    // A spoiled record is read alike under every head that can be read: it stands under the whole one, and under one that
    // is spoiled too.
    let samples = |index: usize| if index < 2 { records() } else { String::new() };
    let sessions: Vec<String> = [head.clone()]
        .into_iter()
        .chain(spoiled(&head))
        .enumerate()
        .map(|(index, head)| bench.file(&format!("{index}.jsonl"), &format!("{head}\n{rest}{}", samples(index))))
        .collect();
    assert!(sessions.len() > 20);
    assert!(sessions.iter().skip(1).all(|session| is_poisoned(&fs::read_to_string(session).unwrap())));
    for session in &sessions {
        shown(&bench, &["verify", session]);
        shown(&bench, &["diff", session, &sessions[0]]);
        shown(&bench, &["shrink", session]);
        shown(&bench, &["sessions", "notes", session]);
        let again = shown(&bench, &["export", session, "--format", "jsonl"]);
        let read = SessionReader::open(session.as_ref()).unwrap();
        let lines = read.head.iter().map(|head| json!(head).to_string());
        let lines = lines.chain(read.records.iter().map(|record| record.to_line()));
        // Not a character is lost: only its spelling is another one.
        let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        assert!(again.lines().map(value).eq(lines.map(|line| value(&line))), "{session}");
        let lab = shown(&bench, &["export", session, "--format", "lab"]);
        if read.head.is_some() {
            let lab: toml::Table = lab.parse().unwrap_or_else(|error| panic!("{session}: {error}"));
            assert!(lab["name"].is_str());
        }
    }
    // Each record alone: an error in one keeps `verify` from all that follow.
    let each: Vec<String> = records()
        .lines()
        .enumerate()
        .map(|(index, line)| bench.file(&format!("record-{index}.jsonl"), &format!("{head}\n{line}\n")))
        .collect();
    shown(&bench, &[&["verify"], &each.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
    let mut terminal = Terminal::open(&bench, &["replay", &sessions[0]]);
    terminal.wait_until("the replay", |screen| screen.contents().contains("short │"));
    terminal.press(":end\r2");
    terminal.wait_until("the messages", |screen| screen.contents().contains("SIMULATED"));
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn no_text_of_a_lab_or_an_argument_reaches_the_terminal_as_it_is() {
    let bench = Bench::without_labs();
    let whole = "limit = \"5s\"\nsource = \"a paper\"\n";
    let more = "[settings]\nform = \"parallel\"\n[[step]]\nname = \"a\"\nat = \"2s\"\ndo = [\"crash coordinator\"]\n[[step]]\nwhen = \
                \"coordinator 4\"\nthen_wait = \"1s\"\ndo = []\n[[expect]]\nthat = \"coordinator 4\"\nafter = \
                \"a\"\nwithin = \"20T\"\nstays = \"1s\"\n";
    let lab: toml::Table = (whole.to_owned() + &bully_lab(more)).parse().unwrap();
    let mut labs: Vec<String> = spoiled(&serde_json::to_value(&lab).unwrap())
        .into_iter()
        .map(|lab| toml::to_string(&serde_json::from_value::<toml::Table>(lab).unwrap()).unwrap())
        .collect();
    assert!(labs.len() > 15);
    // The same not as escapes, between the lines, as a key, and as a name that a lab may have.
    labs.push(format!("{}# {}\n{} = 1\n", bully_lab(""), poison(), poison()));
    labs.push(bully_lab(&format!("\"{}\" = 1\n", poison())));
    labs.push(bully_lab("\"\u{202e}\" = 1\n[[step]]\nname = \"\u{2066}a\"\nat = \"\u{200f}\"\ndo = []\n"));
    labs.push(bully_lab("").replace("\"short\"", "\"\u{202e}short\u{2066}\u{feff}\""));
    let files: Vec<String> =
        labs.iter().enumerate().map(|(index, text)| bench.file(&format!("{index}.toml"), text)).collect();
    for file in &files {
        shown(&bench, &["check", file]);
    }
    let named = files.last().unwrap();
    assert!(shown(&bench, &["run", named, "--sim", "--no-record"]).contains("\\u202eshort\\u2066"));
    let json = shown(&bench, &["run", named, "--sim", "--no-record", "--json"]);
    assert!(
        json.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["lab"] == "\u{202e}short\u{2066}\u{feff}")
    );
    let poison = poison();
    for command in [
        "check",
        "run",
        "up",
        "verify",
        "export",
        "replay",
        "algorithms",
        "watch",
        "inject",
        "wait",
        "ls",
        "down",
        "labs",
        "simulate",
        "",
    ] {
        let spoiled = format!("{command}{poison}");
        shown(&bench, &[&spoiled]);
        shown(&bench, &[command, &poison]);
        shown(&bench, &[command, &format!("--{poison}")]);
        for option in ["--lab", "--group", "--format", "--seeds", "--within", "--node", "--record"] {
            shown(&bench, &[command, "no-such-lab", option, &poison]);
        }
    }
}

/// A run directory that this test holds as a host would, and whose sockets say one thing each time.
struct FakeHost {
    directory: PathBuf,
    _lock: Flock<fs::File>,
}

impl FakeHost {
    fn open(bench: &Bench) -> FakeHost {
        let directory = bench.path("hustings/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        fs::create_dir_all(&directory).unwrap();
        let lock = fs::File::create(directory.join("lock")).unwrap();
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno).unwrap();
        let poison = poison();
        let entry = json!({
            "lab_id": format!("aa{poison}"), "name": format!("short{poison}"), "algorithm": poison, "nodes": 5,
            "base_port": 1, "pid": 1, "started": 7, "session": poison,
        });
        fs::write(directory.join("lab.json"), entry.to_string()).unwrap();
        FakeHost { directory, _lock: lock }
    }

    /// From now on this is what the socket says to everybody, as soon as it has heard something if `hears`.
    fn says(&self, socket: &str, lines: &str, hears: bool) {
        let path = self.directory.join(socket);
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(path).unwrap();
        let lines = lines.to_owned();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                if hears {
                    let _ = BufReader::new(&stream).read_line(&mut String::new());
                }
                let _ = stream.write_all(lines.as_bytes());
                if !hears {
                    let _ = stream.read(&mut [0]);
                }
            }
        });
    }
}

#[test]
fn no_word_of_a_host_reaches_the_terminal_as_it_is() {
    let bench = Bench::without_labs();
    let host = FakeHost::open(&bench);
    let poison = poison();
    assert!(shown(&bench, &["ls"]).contains("short\\u0001"));
    let listed: Value = serde_json::from_str(&shown(&bench, &["ls", "--json"])).unwrap();
    assert_eq!((&listed["algorithm"], listed["nodes"].as_u64()), (&json!(poison), Some(5)));
    shown(&bench, &["inject", "crash 5", "--lab", "none"]);
    for answer in [
        json!({"done": {"id": null, "text": poison}}),
        json!({"refused": {"why": poison}}),
        json!({"not-in-force": {"id": "f1", "why": poison}}),
        json!({&poison: poison}),
        json!({"done": {"id": poison, "text": poison}}),
    ] {
        host.says("inject.sock", &format!("{answer}\n"), true);
        shown(&bench, &["inject", "crash 5"]);
    }
    let (head, _) = session(&bench);
    for head in [head.clone()].into_iter().chain(spoiled(&head)) {
        let frame = json!({
            "frame": "snapshot", "head": head, "world": World::default(), "recent": [], "missed": 0, "session": poison,
            "steps_held": false,
        });
        let goodbye = json!({"frame": "goodbye", "why": poison});
        host.says("observe.sock", &format!("{frame}\n{goodbye}\n"), false);
        shown(&bench, &["wait", "coordinator 5", "--within", "1s"]);
    }
    let snapshot = json!({
        "frame": "snapshot", "head": head, "world": World::default(), "recent": [], "missed": 0, "session": poison,
        "steps_held": false,
    });
    let frames =
        records().lines().map(|line| format!("{{\"frame\":\"record\",\"record\":{line}}}\n")).collect::<String>();
    host.says("observe.sock", &format!("{snapshot}\n{frames}"), false);
    shown(&bench, &["wait", "coordinator 5", "--within", "300ms"]);
    let mut terminal = Terminal::open(&bench, &["watch"]);
    terminal.wait_until("the lab", |screen| screen.contents().contains("short │"));
    terminal.press("2");
    terminal.wait_until("the end", |screen| screen.contents().contains("its script is finished"));
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
    for frame in [json!({"frame": poison}), json!({"frame": "record", "record": {"kind": poison}}), json!(poison)] {
        host.says("observe.sock", &format!("{frame}\n"), false);
        shown(&bench, &["wait", "coordinator 5", "--within", "300ms"]);
    }
}
