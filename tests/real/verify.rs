//! A session of real processes, fed to the machines again: whole it conforms, and altered it is refused. (Whole, those of
//! all labs are: `labs.rs`.) And sessions that are long, or have no end.
//!
//! Invariant: each alteration is made in the file, as anybody with an editor could make it; no lab is run for it.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

/// The session's lines with one of them altered; the first that this alters at all. Answers its record's number too.
fn altered(text: &str, alter: impl Fn(&mut Value) -> Option<()>) -> (u64, String) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in lines.iter_mut().skip(1) {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record["kind"] == "step" && alter(&mut record).is_some() {
            *line = record.to_string();
            return (record["number"].as_u64().unwrap(), lines.join("\n") + "\n");
        }
    }
    panic!("no step has what is to be altered");
}

/// The first effect of a record of that kind.
fn effect<'a>(record: &'a mut Value, kind: &str) -> Option<&'a mut Value> {
    record.get_mut("effects")?.as_array_mut()?.iter_mut().find_map(|effect| effect.get_mut(kind))
}

/// Another digit in the place of a body's last one.
fn another_body(value: &mut Value) -> Option<()> {
    let text = value["body"].as_str()?;
    let (head, last) = text.split_at(text.len() - 1);
    value["body"] = format!("{head}{}", if last == "0" { '1' } else { '0' }).into();
    Some(())
}

/// This Bully session conforms; with one effect, one drawn span, one saved byte, one message, one state altered it does not,
/// and nobody can say of it once it is cut.
pub fn conforms_and_altered_or_cut_it_does_not(bench: &Bench, session: &str) {
    let text = Bench::unpacked(session.as_ref());
    let fed = bench.must(&["verify", session]);
    let steps = text.lines().filter(|line| line.contains("\"kind\":\"step\"")).count();
    assert!(fed.contains(&format!(": conforms: {steps} steps fed (node 1 ")), "{fed}");

    type Alteration = fn(&mut Value) -> Option<()>;
    let alterations: [(&str, Alteration); 5] = [
        ("send.message.body", |record| another_body(&mut effect(record, "send")?["message"])),
        ("set-timer.span", |record| {
            let span = &mut effect(record, "set-timer")?["span"];
            *span = (span.as_u64()? + 1).into();
            Some(())
        }),
        ("save.body", |record| another_body(effect(record, "save")?)),
        ("input.message.message", |record| another_body(record["input"].get_mut("message")?.get_mut("message")?)),
        ("state.status", |record| {
            let status = record.get_mut("state")?.get_mut("status").filter(|status| *status == "normal")?;
            *status = "election".into();
            Some(())
        }),
    ];
    for (place, alter) in alterations {
        let (number, text) = altered(&text, alter);
        let printed = bench.run(&["verify", &bench.file("altered.jsonl", &text)]);
        assert_eq!(printed.code, 4, "{place}: {printed:?}");
        let named = printed.out.contains(&format!(": differs: record {number} (step ")) && printed.out.contains(place);
        assert!(named, "{place} of record {number}: {printed:?}");
    }

    let cut = text.trim_end().rsplit_once('\n').unwrap().0;
    let (kept, torn) = text.split_at(text.len() / 2);
    let gap = [kept, torn.split_once('\n').unwrap().1].concat();
    for (text, says) in [(cut, "the lab's end is missing"), (&gap, "cannot be read"), ("", "it has no head")] {
        let printed = bench.run(&["verify", &bench.file("cut.jsonl", text)]);
        assert!(printed.code == 5 && printed.out.contains(says), "{says}: {printed:?}");
    }
    assert_eq!(bench.run(&["verify", "no-such-file"]).code, 1);
}

/// The most memory that a command had at once, in KiB.
fn peak(mut command: Command) -> u64 {
    let mut process = command.stdout(Stdio::null()).spawn().unwrap();
    let of_process = |name: &str| format!("/proc/{}/{name}", process.id());
    let (name, status) = (of_process("comm"), of_process("status"));
    let mut peak = 0;
    while process.try_wait().unwrap().is_none() {
        // Until it has become the program, its memory is that of this test.
        let is_program = std::fs::read_to_string(&name).is_ok_and(|name| name == "hustings\n");
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).filter(|_| is_program);
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = kib.map_or(peak, |kib: u64| kib.max(peak));
        // How often it is looked at does not matter: the system keeps the most there was.
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

#[test]
fn a_long_session_needs_no_more_memory_than_a_short_one() {
    let bench = Bench::without_labs();
    let session = |name: &str, minutes: u32| {
        let file = bench.file("lab.toml", &bully_lab(&format!("[[step]]\nat = \"{minutes}m\"\ndo = []\n")));
        let session = bench.path(name).to_str().unwrap().to_owned();
        bench.must(&["run", "--sim", &file, "--record", &session]);
        session
    };
    let (short, long) = (session("short.jsonl", 1), session("long.jsonl", 6));
    let bytes = std::fs::metadata(&long).unwrap().len();
    for arguments in [&["verify"][..], &["export", "--format", "jsonl"], &["export", "--format", "lab"]] {
        // One look may come just too early to see all of a short run.
        let of = |session: &str| (0..3).map(|_| peak(bench.hustings(&[arguments, &[session]].concat()))).max().unwrap();
        let more = of(&long).saturating_sub(of(&short)) * 1024;
        assert!(more < bytes / 2, "{arguments:?}: {more} bytes more for a session of {bytes}");
    }
}

#[test]
fn a_file_without_an_end_is_unknown_to_every_command_that_reads_one() {
    let bench = Bench::without_labs();
    let sparse = bench.path("sparse.jsonl");
    File::create(&sparse).unwrap().set_len(100 << 30).unwrap();
    // A few kilobytes that hold more text than a part of a session has.
    let packed = bench.path("packed.jsonl.zst");
    let text = std::io::Read::take(std::io::repeat(b'y'), 128 << 20);
    zstd::stream::copy_encode(text, File::create(&packed).unwrap(), 1).unwrap();
    let too_long = (5, "it has more than ");
    let no_file = (1, "it is no regular file");
    let commands = [&["verify"][..], &["export", "--format", "jsonl"], &["export", "--format", "lab"]];
    // It is one line that is too long, or too much for one compressed file: each command says which it met first.
    for arguments in commands {
        let printed = bench.run(&[arguments, &[packed.to_str().unwrap()]].concat());
        assert_eq!(printed.code, 5, "{arguments:?}: {printed:?}");
    }
    for (file, (wanted, why)) in [(sparse.to_str().unwrap(), too_long), ("/dev/zero", no_file)] {
        for arguments in commands {
            let printed = bench.run(&[arguments, &[file]].concat());
            assert!(printed.code == wanted && printed.err.contains(why), "{arguments:?} {file}: {printed:?}");
        }
        let (code, screen) = Terminal::open(&bench, &["replay", file]).end();
        assert!(i64::from(code) == i64::from(wanted) && screen.screen().contents().contains(why), "{file}");
    }
}
