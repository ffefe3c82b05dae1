//! What a shell puts into its line when a person presses Tab, in each shell that is on this computer.
//!
//! In the place of the program that the line calls stands one that keeps the words that it is given; the shell's script
//! asks the real one.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use portable_pty::{CommandBuilder, native_pty_system};

use crate::bench::{Bench, bully_lab};
use crate::screen::{PATIENCE, size};

/// What each shell shows when it takes a line.
const PROMPT: &[u8] = b"ready> ";

/// What a line calls: it keeps its words, each with a zero byte after it, all at once.
const KEEPER: &str = "#!/bin/sh\nprintf '%s\\0' \"$@\" > \"$KEPT.new\"\nmv \"$KEPT.new\" \"$KEPT\"\n";

/// Names that a shell would obey, split or spread out if they stood in its line as they are. Each has a beginning of its
/// own.
const QUOTED: &[&str] = &[
    "a$(touch pwned).jsonl",
    "b`touch pwned`.jsonl",
    "c;touch pwned;.jsonl",
    "d&touch pwned&.jsonl",
    "e|touch pwned|.jsonl",
    "f>pwned.jsonl",
    "g<(touch pwned).jsonl",
    "h'it's.jsonl",
    "i\"said\".jsonl",
    "j two words.jsonl",
    "k\\back\\slash.jsonl",
    "m?[a-z]{x,y}.jsonl",
    "x*.jsonl",
    "n!!#~^%.jsonl",
    "o:colon=equal,@.jsonl",
    "p$HOME ${HOME}.jsonl",
    "qä€.jsonl",
    "r$(touch pwned);touch pwned/",
];

/// The name of a recorded session, which is the name of no file.
const SESSION: &str = "w$(touch pwned) `touch pwned`;touch pwned";

/// Names that no shell is told.
const LEFT_OUT: &[&[u8]] = &[b"s\ntouch pwned\n.jsonl", b"t\ttab.jsonl", b"u\x1b[2J.jsonl", b"v\xff\xfe.jsonl"];

/// A shell, its arguments, the file that it reads first, and what stands there before the script.
struct Completing {
    shell: &'static str,
    arguments: &'static [&'static str],
    file: &'static str,
    before: &'static str,
    /// What runs a line after Tab. Elvish shows what it would put in, and the first key takes it.
    enter: &'static str,
}

const COMPLETING: &[Completing] = &[
    Completing {
        shell: "bash",
        arguments: &["--noprofile", "--rcfile", "begin", "-i"],
        file: "begin",
        before: "PS1='ready> '\n",
        enter: "\r",
    },
    Completing {
        shell: "zsh",
        arguments: &["-d", "-i"],
        file: ".zshrc",
        before: "PS1='ready> '\nautoload -U compinit\ncompinit -u -D\n",
        enter: "\r",
    },
    Completing {
        shell: "fish",
        arguments: &["--no-config", "--init-command", "source begin", "-i"],
        file: "begin",
        before: "function fish_prompt\n    echo -n 'ready> '\nend\n",
        enter: "\r",
    },
    Completing {
        shell: "elvish",
        arguments: &["-rc", "begin"],
        file: "begin",
        before: "set edit:prompt = { put 'ready> ' }\n",
        enter: "\r\r",
    },
];

/// The words that the program is given when a person types this beginning of a name in this shell, and then Tab.
fn given(bench: &Bench, completing: &Completing, beginning: &str) -> Vec<Vec<u8>> {
    let (home, kept) = (bench.path(""), bench.path("kept"));
    let mut shell = CommandBuilder::new(completing.shell);
    shell.args(completing.arguments);
    shell.cwd(&home);
    for (name, value) in bench.hustings(&[]).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        }
    }
    let path = std::env::var("PATH").unwrap();
    shell.env("PATH", format!("{}:{path}", bench.path("bin").display()));
    shell.env("HOME", &home);
    shell.env("ZDOTDIR", &home);
    shell.env("KEPT", &kept);
    let pair = native_pty_system().openpty(size(30, 100)).unwrap();
    let mut child = pair.slave.spawn_command(shell).unwrap();
    drop(pair.slave);
    let (mut reader, mut keys) = (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
    let (prompts, prompted) = mpsc::channel();
    let screen = std::thread::spawn(move || {
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            shown.extend(&buffer[..length]);
            if shown.windows(PROMPT.len()).any(|bytes| bytes == PROMPT) {
                let _ = prompts.send(());
            }
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    prompted.recv_timeout(PATIENCE).unwrap();
    write!(keys, "hustings verify {beginning}\t{}", completing.enter).unwrap();
    Bench::until("the program is called", || kept.exists());
    // Whatever else the line says is done before the shell ends.
    write!(keys, "exit\r").unwrap();
    child.wait().unwrap();
    drop(keys);
    drop(pair.master);
    let shown = screen.join().unwrap();
    assert!(!is_pwned(&home), "{} ran a name:\n{shown}", completing.shell);
    let words = fs::read(&kept).unwrap();
    fs::remove_file(kept).unwrap();
    words.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

/// Whether a file has come to be that only a name orders to make.
fn is_pwned(home: &Path) -> bool {
    let made = |directory: &Path| {
        fs::read_dir(directory).unwrap().any(|entry| entry.unwrap().file_name().as_bytes().starts_with(b"pwned"))
    };
    made(home) || made(&home.join("names"))
}

#[test]
fn what_tab_puts_into_a_line_is_the_name_itself_and_runs_nothing() {
    let bench = Bench::without_labs();
    let names = bench.path("names");
    fs::create_dir(bench.path("bin")).unwrap();
    fs::create_dir(&names).unwrap();
    let keeper = bench.file("bin/hustings", KEEPER);
    fs::set_permissions(keeper, fs::Permissions::from_mode(0o755)).unwrap();
    for name in QUOTED {
        match name.strip_suffix('/') {
            Some(directory) => fs::create_dir(names.join(directory)).unwrap(),
            None => fs::write(names.join(name), "").unwrap(),
        }
    }
    LEFT_OUT.iter().for_each(|name| fs::write(names.join(OsStr::from_bytes(name)), "").unwrap());
    let session = bench.path(&format!("hustings/{SESSION}.jsonl"));
    bench.must(&["run", "--sim", &bench.file("lab.toml", &bully_lab("")), "--record", session.to_str().unwrap()]);
    let known = QUOTED.iter().chain([&SESSION]).map(|name| (*name, name.as_bytes()));
    // What is not offered stays as it was typed.
    let unknown = LEFT_OUT.iter().map(|name| (std::str::from_utf8(&name[..1]).unwrap(), &name[..1]));
    let cases: Vec<(&str, &[u8])> = known.chain(unknown).collect();
    for completing in COMPLETING {
        let shell = completing.shell;
        let is_here = Command::new(shell).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if is_here.is_err() {
            assert_ne!(shell, "bash", "bash is on every computer");
            eprintln!("{shell} is not on this computer, and so not tested");
            continue;
        }
        let script = bench.must(&["completions", shell]);
        bench.file(completing.file, &format!("{}{script}\ncd names\n", completing.before));
        for (name, is_given) in &cases {
            let beginning = name.chars().next().unwrap().to_string();
            let words = given(&bench, completing, &beginning);
            assert_eq!(words, [b"verify", *is_given, b""], "{shell}: {name:?}");
        }
    }
}
