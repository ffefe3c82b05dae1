//! The commands that work on a running lab, together.

use std::process::{Command, Stdio};

use crate::bench::{Bench, Printed, bully_lab, slowed_lab};

#[test]
fn a_script_breaks_a_running_lab_and_waits() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let none = bench.run(&["inject", "crash 5"]);
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.err.contains("no lab is running"), "{none:?}");

    let lab = bench.must(&["up", &file, "--detach"]).trim().to_owned();
    assert!(bench.must(&["ls"]).contains(&lab[..12]));
    bench.must(&["wait", "coordinator 5"]);
    assert_eq!(bench.must(&["inject", "crash 5"]), "f1 crash 5: in force\n");
    bench.must(&["wait", "coordinator 4"]);
    bench.must(&["wait", "all normal"]);

    let again = bench.run(&["inject", "crash 5"]);
    assert_eq!((again.code, again.err.as_str()), (2, "5 is dead already\n"));
    let nonsense = bench.run(&["inject", "crush 5"]);
    assert_eq!(nonsense.code, 2);
    assert!(nonsense.err.contains("^^^^^ there is no fault `crush`"), "{nonsense:?}");
    let never = bench.run(&["wait", "coordinator 1", "--within", "300ms"]);
    assert_eq!(never.code, 4);
    assert!(never.err.contains("instead"), "{never:?}");

    assert_eq!(bench.must(&["inject", "undo"]), "f2 undo: done\n");
    bench.must(&["wait", "coordinator 5"]);
    assert_eq!(bench.must(&["inject", "loss 1->2 10%"]), "f3 loss 1->2 10%: in force\n");
    assert_eq!(bench.must(&["inject", "heal all"]), "f4 heal all: f3 is over\n");
    let verdict = bench.must(&["down"]);
    assert!(verdict.contains("steps not played, "), "{verdict}");
    assert_eq!(bench.run(&["ls"]).out, "");

    let session = verdict.trim().rsplit(' ').next().unwrap();
    let exported = bench.must(&["export", session, "--format", "jsonl"]);
    // An export is a person's own file: nothing says that a command made it.
    let recorded = Bench::unpacked(session.as_ref()).replacen(",\"made_by\":\"up\"", "", 1);
    assert!(exported == recorded, "the export is not what was recorded");
    // Nothing but a stall of this computer can bring a violation here.
    for violation in exported.lines().filter(|line| line.contains("\"kind\":\"violation\"")) {
        assert!(violation.contains("\"by\":\"this-computer\""), "{violation}");
    }
    for kind in ["began", "step", "fault-ordered", "fault-in-force", "fault-lifted", "died", "ended"] {
        assert!(exported.contains(&format!("\"kind\":\"{kind}\"")), "{kind}");
    }
}

#[test]
fn a_lab_that_is_wrong_starts_nothing() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &slowed_lab("first.toml").replace("nodes = 5", "nodes = 5\nnoodles = 6"));
    let printed = bench.run(&["run", &file]);
    assert_eq!(printed.code, 3, "{printed:?}");
    assert!(printed.err.contains("noodles") && printed.out.is_empty(), "{printed:?}");
    // A name that is none: what it may mean, the nearest first, and not every lab of the algorithm.
    let printed = bench.run(&["simulate", "labs/bully.toml", "--seeds", "0..1"]);
    let meant = printed.err.split_once("did you mean ").and_then(|(_, rest)| Some(rest.split_once('?')?.0));
    let meant: Vec<&str> = meant.unwrap_or_else(|| panic!("{printed:?}")).split(", ").collect();
    assert!(printed.code == 3 && meant.len() == 5 && meant[0] == "bully-fd", "{printed:?}");
}

#[test]
fn up_without_a_terminal_is_run_and_says_so() {
    let bench = Bench::new();
    let expect = "[[expect]]\nthat = \"coordinator 5\"\nwithin = \"60s\"\n[[expect]]\nthat = \"no violation\"\n";
    let file = bench.file("lab.toml", &bully_lab(expect));
    let printed = bench.run(&["up", &file]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.err.contains("no terminal"), "{printed:?}");
    assert!(
        printed
            .last_line()
            .starts_with("short: 2 of 2 expectations met, no violation; never due: assertion-2; session "),
        "{printed:?}"
    );
}

#[test]
fn two_labs_on_one_group_refuse_each_other() {
    let bench = Bench::new();
    let whole = slowed_lab("king-ni-c.toml");
    // Up to the first master: by then both have broadcast.
    let until_master = &whole[..whole.find("[[step]]\nname = \"crash\"").unwrap()];
    let file = bench.file("lab.toml", until_master);
    let sessions = [bench.path("one.jsonl"), bench.path("other.jsonl")];
    let labs: Vec<_> = sessions
        .iter()
        .map(|session| {
            let session = session.to_str().unwrap();
            let mut command = bench.hustings(&["run", &file, "--group", "239.255.9.9:24999", "--record", session]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for lab in labs {
        let printed = Printed::of(lab.wait_with_output().unwrap());
        assert_eq!(printed.code, 0, "{printed:?}");
    }
    for session in sessions {
        let text = std::fs::read_to_string(session).unwrap();
        assert!(text.contains("\"reason\":\"foreign\""));
    }
}

#[test]
fn a_group_that_something_else_holds_is_told_at_once() {
    let bench = Bench::without_labs();
    let _held = std::net::UdpSocket::bind("239.255.9.9:24998").unwrap();
    let file = bench.file("lab.toml", &slowed_lab("king-ni-c.toml"));
    let printed = bench.run(&["run", &file, "--group", "239.255.9.9:24998"]);
    assert_eq!(printed.code, 6, "{printed:?}");
    assert!(
        printed.err.contains("239.255.9.9:24998") && printed.err.contains("another group with --group"),
        "{printed:?}"
    );
    assert!(!printed.err.contains("tries"), "{printed:?}");
}

#[test]
fn what_a_fault_dropped_is_on_its_receipt() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &slowed_lab("king-ni-c.toml"));
    let lab = bench.must(&["up", &file, "--detach"]).trim().to_owned();
    bench.must(&["inject", "loss 2->* 100%"]);
    bench.must(&["inject", "elect 1"]);
    bench.must(&["wait", "master 5"]);
    bench.must(&["inject", "heal"]);
    let observe = bench.path(&format!("hustings/{lab}/observe.sock"));
    let mut snapshot = String::new();
    let socket = std::os::unix::net::UnixStream::connect(observe).unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(socket), &mut snapshot).unwrap();
    let snapshot: serde_json::Value = serde_json::from_str(&snapshot).unwrap();
    let receipts = snapshot["world"]["faults"][0]["receipts"].as_array().unwrap();
    let on_receipt: u64 = receipts.iter().map(|link| link["dropped"].as_u64().unwrap()).sum();

    let verdict = bench.must(&["down"]);
    let session = Bench::unpacked(verdict.trim().rsplit(' ').next().unwrap().as_ref());
    let dropped: Vec<&str> = session.lines().filter(|line| line.contains("\"kind\":\"dropped\"")).collect();
    assert!(dropped.iter().all(|line| line.contains("\"by\":\"f1\"") && line.contains("\"from\":2")), "{dropped:?}");
    // At least the one broadcast with which 2 enters the election, at each of the four others.
    assert!(dropped.len() >= 4, "{dropped:?}");
    assert_eq!(on_receipt, dropped.len() as u64);
}

/// Runs the program with at most this many open files.
fn with_few_files(bench: &Bench, most: u32, arguments: &[&str]) -> Printed {
    let program = bench.hustings(arguments);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")])
        .arg(program.get_program())
        .args(program.get_args());
    for (name, value) in program.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        shell.env(name, value);
    }
    Printed::of(shell.output().unwrap())
}

#[test]
fn what_this_computer_is_short_of_is_the_environment() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    for most in [6, 12] {
        for arguments in [&["run", &file, "--no-record"][..], &["up", &file, "--detach", "--no-record"]] {
            let printed = with_few_files(&bench, most, arguments);
            assert!(
                printed.code == 6 && printed.err.contains("Too many open files"),
                "{most} {arguments:?}: {printed:?}"
            );
        }
    }
    let session = bench.path("session.jsonl").to_str().unwrap().to_owned();
    bench.must(&["run", &file, "--sim", "--record", &session]);
    for arguments in [
        &["check", &file][..],
        &["verify", &session],
        &["export", &session, "--format", "jsonl"],
        &["run", &file, "--sim", "--no-record"],
        &["labs"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let printed = Printed::of(bench.hustings(arguments).stdout(full).output().unwrap());
        assert!(printed.code == 6 && printed.err.contains("No space left"), "{arguments:?}: {printed:?}");
    }
}

#[test]
fn an_export_replaces_nothing_unless_it_is_told_to_and_leaves_nothing_half() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(""));
    let (session, other) =
        (bench.path("session.jsonl").to_str().unwrap().to_owned(), bench.file("other.toml", "precious"));
    bench.must(&["run", &file, "--sim", "--record", &session]);
    let export = ["export", &session, "--format", "lab", "-o", &other];
    let kept = bench.run(&export);
    assert!(kept.code == 6 && kept.err.contains("--force"), "{kept:?}");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    bench.must(&[&export[..], &["--force"]].concat());
    assert!(std::fs::read_to_string(&other).unwrap().contains("name = \"short"));
    // A session without its head makes no lab.
    let headless = bench.file("headless.jsonl", "\n");
    let nothing = bench.path("nothing.toml");
    let failed = bench.run(&["export", &headless, "--format", "lab", "-o", nothing.to_str().unwrap()]);
    assert!(failed.code == 5 && !nothing.exists(), "{failed:?}");
}
