//! The session file takes no more: the lab goes on, the screen says it, and when there is room recording goes on. And
//! which sessions make room for others.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::bench::{Bench, Printed, bully_lab};
use crate::screen::Terminal;

/// A tmpfs of 64 KiB, unmounted when dropped; `None` where this user may not mount.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> Option<SmallDisk> {
        std::fs::create_dir(path).unwrap();
        let arguments = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"];
        let mounted = Command::new("mount").args(arguments).arg(path).output().ok()?;
        mounted.status.success().then(|| SmallDisk(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A mount that stays keeps the test's directory; there is nothing more to be done about it here.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Records a lab to `session` until that takes no more, makes room, and looks at all that is to be seen of it.
fn outlive(bench: &Bench, up: &mut Command, session: &Path, make_room: impl FnOnce(&str)) {
    let started = up.output().unwrap();
    assert!(started.status.success(), "{started:?}");
    bench.must(&["wait", "coordinator 5"]);
    let mut terminal = Terminal::open(bench, &["watch"]);
    terminal.wait_until("the badge", |screen| screen.contents().contains("REC suspended"));
    bench.must(&["inject", "crash 5"]);
    // So that nobody need wait for a silence.
    bench.must(&["inject", "elect 4"]);
    bench.must(&["wait", "coordinator 4"]);
    let path = session.to_str().unwrap();
    assert!(bench.must(&["export", path, "--format", "jsonl"]).contains("\"kind\":\"began\""));

    let entry: Value = serde_json::from_str(bench.must(&["ls", "--json"]).trim()).unwrap();
    make_room(&entry["pid"].to_string());
    terminal.wait_until("recording to go on", |screen| {
        let header = screen.contents().lines().next().unwrap_or_default().to_owned();
        header.contains("REC") && !header.contains("suspended")
    });
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
    bench.must(&["inject", "recover 5"]);
    bench.must(&["wait", "coordinator 5"]);
    let verdict = bench.must(&["down"]);
    assert!(verdict.contains("no violation; ") && verdict.contains(" records could not be written; "), "{verdict}");

    let exported = bench.must(&["export", path, "--format", "jsonl"]);
    let records: Vec<Value> = exported.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |record: &Value| record["number"].as_u64().unwrap();
    assert!(records.windows(2).all(|two| number(&two[0]) < number(&two[1])));
    let mut missing = 0;
    for two in records.windows(2) {
        let between = number(&two[1]) - number(&two[0]);
        let is_gap = two[1]["kind"] == "gap";
        assert_eq!(between, if is_gap { two[1]["count"].as_u64().unwrap() } else { 1 }, "{two:?}");
        missing += if is_gap { between } else { 0 };
    }
    assert!(missing > 0 && verdict.contains(&format!("; {missing} records could")), "{missing}: {verdict}");
    assert_eq!(records.last().unwrap()["kind"], "ended");
}

#[test]
fn a_full_disk_suspends_recording_and_nothing_else() {
    let bench = Bench::new();
    let Some(disk) = SmallDisk::mount(&bench.path("disk")) else {
        eprintln!("skipped: a_full_disk_suspends_recording_and_nothing_else (this user may not mount a tmpfs)");
        return;
    };
    let (session, ballast) = (disk.0.join("session.jsonl.zst"), disk.0.join("ballast"));
    std::fs::write(&ballast, [0; 52 * 1024]).unwrap();
    let file = bench.file("lab.toml", &bully_lab(""));
    let mut up = bench.hustings(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    outlive(&bench, &mut up, &session, |_| std::fs::remove_file(&ballast).unwrap());
}

#[test]
fn a_file_that_may_not_grow_suspends_recording_and_nothing_else() {
    let bench = Bench::new();
    let session = bench.path("session.jsonl");
    let file = bench.file("lab.toml", &bully_lab(""));
    let up = bench.hustings(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    let mut limited = Command::new("bash");
    limited.args(["-c", "ulimit -S -f 32; exec \"$@\"", "bash"]).arg(up.get_program()).args(up.get_args());
    limited.envs(up.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outlive(&bench, &mut limited, &session, |host| {
        let raised = Command::new("prlimit").args(["--pid", host, "--fsize=unlimited:"]).status().unwrap();
        assert!(raised.success());
    });
}

#[test]
fn a_killed_runs_session_makes_room_and_a_running_ones_does_not() {
    let bench = Bench::new();
    let steps = "[[step]]\nat = \"10m\"\ndo = []\n";
    let file = bench.file("lab.toml", &bully_lab(steps));
    let mut running = bench.hustings(&["run", &file]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let listed = std::iter::repeat_with(|| bench.must(&["ls", "--json"])).find(|listed| !listed.is_empty());
    let entry: Value = serde_json::from_str(listed.unwrap().trim()).unwrap();
    let live = Path::new(entry["session"].as_str().unwrap());
    // Those of earlier builds are plain.
    let end = |number: u64| if number.is_multiple_of(2) { ".zst" } else { "" };
    let name = |number| live.with_file_name(format!("short-{number}-aabbccdd.jsonl{}", end(number)));
    let plain = format!("{}\n", Bench::unpacked(live).lines().next().unwrap()).into_bytes();
    let packed = zstd::encode_all(&plain[..], 1).unwrap();
    for number in 1..=101 {
        std::fs::write(name(number), if end(number).is_empty() { &plain } else { &packed }).unwrap();
        let made = SystemTime::now() + Duration::from_secs(3600 + number);
        File::options().write(true).open(name(number)).unwrap().set_modified(made).unwrap();
    }
    let simulated = bench.file("simulated.toml", &bully_lab(""));
    let told = bench.run(&["run", "--sim", &simulated]).err;
    assert!(told.contains("removed 3 old sessions of `run` and `simulate` from "), "{told}");
    assert!(live.exists() && !name(3).exists() && name(4).exists());

    running.kill().unwrap();
    running.wait().unwrap();
    // It may have recorded longer than the simulated run, so by itself it need not be the older one.
    File::options().write(true).open(live).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let told = bench.run(&["run", "--sim", &simulated]).err;
    assert!(told.contains("removed 1 old session of"), "{told}");
    assert!(!live.exists() && name(4).exists());
}

#[test]
fn a_file_that_may_not_grow_holds_whole_lines_or_is_not_there() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab("[[expect]]\nthat = \"coordinator 5\"\nwithin = \"10T\"\n"));
    let mut lengths = Vec::new();
    for (kib, time, end) in [
        ("0", "--sim", "jsonl"),
        ("4", "--sim", "jsonl"),
        ("16", "--sim", "jsonl"),
        ("17", "--sim", "jsonl"),
        ("4", "--json", "jsonl"),
        ("17", "--json", "jsonl"),
        ("1", "--sim", "zst"),
        ("3", "--sim", "zst"),
        ("4", "--sim", "zst"),
        ("4", "--json", "zst"),
    ] {
        let session = bench.path(&format!("{kib}{time}.{end}"));
        let path = session.to_str().unwrap();
        let run = bench.hustings(&["run", time, &file, "--record", path]);
        let mut limited = Command::new("bash");
        limited.args(["-c", &format!("ulimit -S -f {kib}; exec \"$@\""), "bash"]);
        limited.arg(run.get_program()).args(run.get_args());
        limited.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let printed = Printed::of(limited.output().unwrap());
        if !session.exists() {
            assert!(printed.code == 6 && printed.err.contains("cannot record to"), "{kib} {time}: {printed:?}");
            continue;
        }
        assert_eq!(printed.code, 0, "{kib} {time}: {printed:?}");
        let is_plain = end == "jsonl";
        let text = if is_plain { std::fs::read_to_string(&session).unwrap() } else { Bench::unpacked(&session) };
        lengths.push(text.len());
        let exported = bench.run(&["export", path, "--format", "jsonl"]);
        assert!(exported.code == 0 && exported.err.is_empty(), "{kib} {time}: {exported:?}");
        assert_eq!(exported.out.lines().count(), text.lines().filter(|line| !line.is_empty()).count());
        assert_eq!(bench.run(&["verify", path]).code, 5);
    }
    assert!(lengths.len() >= 5 && lengths.iter().all(|length| *length > 4 * 1024), "{lengths:?}");
}
