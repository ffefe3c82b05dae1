//! Every key of a keyboard in every pane, and any keys, pastes and sizes in any order.
//!
//! Invariant: whatever was pressed, Esc and `?` bring the help and `q` closes it; nothing pasted becomes an order.

use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

/// Esc in the form that no program can take for the beginning of another key.
const ESC: &str = "\x1b[27u";

/// Keys that are no character: Backspace, Tab and back, the arrows, Home, End, the pages, Insert, Delete, F1 and F5.
const NAMED: &[&str] = &[
    "\x7f", "\t", "\x1b[Z", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~",
    "\x1b[2~", "\x1b[3~", "\x1bOP", "\x1b[15~", "é", "漢",
];

/// The keys that lead to a pane from anywhere once all is closed, and what stands there.
const PANES: &[(&str, &str)] = &[
    ("6\t", "[1 overview]"),
    ("6\x1b[F\r", "[1 overview]"),
    ("2", "[2 messages]"),
    ("2G\r", "─ record ─"),
    ("3", "[3 faults]"),
    ("4", "[4 paper]"),
    ("5", "[5 links]"),
    ("5\r", "─ link "),
    ("6", "[6 elections]"),
    ("?", "─ help ─"),
    (":", "Tab completes"),
    ("2/", "Enter filters"),
    ("1v", "─ why, at "),
    ("V", "─ violations ─"),
    ("A", "─ assumptions and promises ─"),
    ("s", "─ the lab's steps ─"),
    ("y", "─ predictions ─"),
    ("w", ":predict"),
    ("W", ":stop when"),
    ("M", ":marker"),
];

/// The same for the panes that stand side by side on a wide screen, one after another.
const WIDE_PANES: &[(&str, &str)] = &[
    ("6\t", "›nodes"),
    ("6\x1b[F\r", "›flow"),
    ("6\x1b[F\r\t", "›paper"),
    ("6\x1b[F\r\t\t", "election: number"),
    ("6\x1b[F\r\t\t\t", "›assumptions"),
    ("6\x1b[F\r\t\t\t\t", "›the lab's steps"),
    ("6\x1b[F\r\t\t\t\t\t", "›why"),
    ("6\x1b[F\r\t\t\t\t\t\t", "›log"),
];

/// Rows, columns, and the panes that are there.
const SIZES: &[Size] = &[(16, 60, PANES), (24, 80, PANES), (60, 200, PANES), (60, 200, WIDE_PANES)];

type Size = (u16, u16, &'static [(&'static str, &'static str)]);

/// In a script, so that the steps and their list have something to show; a question is among them, and some words.
const STEPS: &str = "[[step]]\nname = \"question\"\nat = \"0s\"\nchapter = \"one\"\nask = \"Who?\"\n\
    choices = [\"5\", \"nobody\"]\nanswer = 1\n\n[[step]]\nname = \"words\"\nat = \"5s\"\nsay = \"Look.\"\n\n\
    [[step]]\nname = \"far\"\nat = \"600s\"\ndo = [\"crash 5\"]\n";

/// With an election in it, a fault and another election.
const FAILOVER: &str = "[[step]]\nname = \"crash\"\nat = \"5s\"\ndo = [\"crash 5\"]\n\n\
    [[expect]]\nthat = \"coordinator 4\"\nafter = \"crash\"\nwithin = \"20T\"\n";

/// The keys that leave, or ask whether to.
const LEAVING: [&str; 2] = ["q", "\x03"];

/// What a keyboard has, but for Ctrl-Z, Enter and the keys that leave.
fn keyboard() -> Vec<String> {
    let characters = (' '..='~').filter(|c| *c != 'q').map(String::from);
    let with_ctrl = ('\x01'..='\x19').filter(|c| !"\x03\r".contains(*c)).map(String::from);
    let with_alt = ('a'..='z').map(|c| format!("\x1b{c}"));
    let named = NAMED.iter().map(|key| (*key).to_owned());
    characters.chain(with_ctrl).chain(with_alt).chain(named).collect()
}

/// Closes whatever is open, and clears the filter, the marks and the freeze.
fn close_all() -> String {
    ESC.repeat(6)
}

/// The help comes when it is asked for, and `q` closes it.
fn is_well(terminal: &mut Terminal, after: &str) {
    terminal.press(&format!("{}?", close_all()));
    terminal.wait_until(&format!("help after {after}"), |screen| screen.contents().contains("─ help ─"));
    terminal.press("q");
    terminal.wait_until(&format!("no help after {after}"), |screen| !screen.contents().contains("─ help ─"));
}

/// A text as a terminal pastes it.
fn pasted(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

/// The fault lines that a session has.
fn ordered(session: &Path) -> Vec<String> {
    let orders = Bench::records(session).into_iter().filter(|record| record["kind"] == "fault-ordered");
    orders.map(|record| record["line"].as_str().unwrap().to_owned()).collect()
}

/// A lab that runs on its screen, and its session.
fn live() -> (Bench, PathBuf, Terminal) {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(STEPS));
    let session = bench.path("session.jsonl");
    let mut terminal = Terminal::open(&bench, &["up", &file, "--record", session.to_str().unwrap()]);
    terminal.wait_until("the lab", |screen| screen.contents().contains("LIVE"));
    (bench, session, terminal)
}

/// Presses each key in each pane.
fn press_everything(terminal: &mut Terminal, sizes: &[Size], leaving: &[&str]) {
    terminal.press("\x1b[F");
    terminal.wait_until("an election", |screen| screen.contents().contains('★'));
    for (rows, columns, panes) in sizes {
        terminal.resize(*rows, *columns);
        for (way, what) in *panes {
            // Seconds forward, where time can be moved: a key before may have led to the very beginning.
            terminal.press(&format!("{}1llllll{way}", close_all()));
            terminal.wait_until(what, |screen| screen.contents().contains(what));
            for key in keyboard() {
                terminal.press(&format!("{ESC}{ESC}{ESC}{way}{key}"));
            }
            for key in leaving.iter().chain(&["\r"]) {
                terminal.press(&format!("{ESC}{ESC}{ESC}{way}{key}{ESC}"));
            }
            is_well(terminal, &format!("every key at {what} in {columns}x{rows}"));
        }
    }
}

#[test]
fn every_key_of_every_pane_of_a_live_lab_leaves_help_and_q_at_work() {
    let (bench, session, mut terminal) = live();
    press_everything(&mut terminal, SIZES, &LEAVING);
    terminal.press("qq");
    assert_eq!(terminal.end().0, 0);
    assert!(ordered(&session).iter().any(|line| line.starts_with("crash")), "{:?}", ordered(&session));
    bench.must(&["verify", session.to_str().unwrap()]);
}

#[test]
fn every_key_of_every_pane_of_a_replay_and_a_simulated_lab_leaves_help_and_q_at_work() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(FAILOVER));
    let session = bench.path("session.jsonl");
    bench.must(&["run", &file, "--sim", "--record", session.to_str().unwrap()]);
    for (arguments, sizes, leaving, ends) in [
        (&["replay", session.to_str().unwrap()][..], &SIZES[1..], &[][..], "q"),
        // It simulates anew for every order: one size has to do.
        (&["up", &file, "--sim", "--no-record"], &SIZES[1..2], &LEAVING, "qq"),
    ] {
        let mut terminal = Terminal::open(&bench, arguments);
        terminal.wait_until("the lab", |screen| screen.contents().contains("SIMULATED"));
        press_everything(&mut terminal, sizes, leaving);
        terminal.press(ends);
        assert_eq!(terminal.end().0, 0, "{arguments:?}");
    }
}

#[test]
fn ten_thousand_keys_pastes_and_sizes_leave_it_running_and_nothing_pasted_is_an_order() {
    let (_bench, session, mut terminal) = live();
    let (keyboard, mut random) = (keyboard(), ChaCha8Rng::seed_from_u64(14));
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    for count in 1..=10_000 {
        match below(20) {
            // An order that no key could have written. Enter would make it one, so it is closed before.
            0 => {
                let keys: String = (0..below(4)).map(|_| keyboard[below(keyboard.len())].as_str()).collect();
                let text = [":loss 1->2 37%\r", ":loss 2->* 37%\n:loss 3->4 37%\r\n", "c:loss 4->* 37%\n"][below(3)];
                terminal.press(&format!("{}{keys}{}", pasted(text), close_all()));
            }
            1 => terminal.shape(1 + below(70) as u16, 1 + below(220) as u16),
            // What leaves, if it is pressed twice, is pressed once.
            2 => terminal.press(&format!("{}{ESC}", LEAVING[below(2)])),
            3 => terminal.press(&format!("\r{}", keyboard[below(keyboard.len())])),
            _ => terminal.press(&keyboard[below(keyboard.len())]),
        }
        if count % 500 == 0 {
            terminal.resize(24, 80);
            is_well(&mut terminal, &format!("{count} random keys"));
        }
    }
    // A session that lies over the lab leads back first; else this is a question that is not answered.
    terminal.press(&format!("q{ESC}{ESC}qq"));
    assert_eq!(terminal.end().0, 0);
    let ordered = ordered(&session);
    assert!(ordered.iter().any(|line| line.starts_with("crash")), "the keys were orders");
    assert!(!ordered.iter().any(|line| line.contains("37%")), "{ordered:?}");
}
