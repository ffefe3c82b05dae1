//! On the screen of a real lab: its last minute again, another session over it, and two sessions side by side.

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

/// Esc in the form that no program can take for the beginning of another key.
const ESC: &str = "\x1b[27u";

fn wait_for(terminal: &mut Terminal, text: &str) {
    terminal.wait_until(text, |screen| screen.contents().contains(text));
}

#[test]
fn the_last_minute_of_a_running_lab_plays_again_while_the_lab_goes_on_and_is_recorded() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let session = bench.path("session.jsonl");
    bench.must(&["run", "first", "--sim"]);
    let mut terminal = Terminal::open(&bench, &["up", &file, "--record", session.to_str().unwrap()]);
    wait_for(&mut terminal, "LIVE");
    bench.must(&["wait", "coordinator 5"]);
    bench.must(&["inject", "crash 5"]);
    bench.must(&["wait", "coordinator 4"]);
    wait_for(&mut terminal, "dead");
    // At its beginning 5 is not dead yet.
    terminal.press("R \x1b[H");
    wait_for(&mut terminal, "PAST stopped");
    wait_for(&mut terminal, "behind live");
    terminal.wait_until("nobody is dead", |screen| !screen.contents().contains("dead"));
    // What is ordered meanwhile happens to the lab, and not to the past.
    bench.must(&["inject", "recover 5"]);
    bench.must(&["wait", "coordinator 5"]);
    terminal.press("]");
    wait_for(&mut terminal, "f1 crash 5");
    for keys in ["[", "}", "{", "(", ")", ",", ".", "h", "l", "J", "K", "-", "=", "\x1b[F", "P", "P", " ", " "] {
        terminal.press(keys);
    }
    terminal.press("c");
    wait_for(&mut terminal, "This is the past, which takes no faults");
    terminal.press("R");
    wait_for(&mut terminal, "LIVE");
    // Another session over the lab, which goes on.
    terminal.press("O");
    wait_for(&mut terminal, "─ sessions ─");
    terminal.press("j\r");
    wait_for(&mut terminal, "REPLAY");
    wait_for(&mut terminal, "q leads back");
    bench.must(&["inject", "crash 5"]);
    bench.must(&["wait", "coordinator 4"]);
    terminal.press("q");
    wait_for(&mut terminal, "LIVE");
    wait_for(&mut terminal, "dead");
    terminal.press(":open nothing-like-it\r");
    wait_for(&mut terminal, "there is no file and no session nothing-like-it");
    terminal.press(&format!("{ESC}:open last\r"));
    wait_for(&mut terminal, "q leads back");
    terminal.press("qqq");
    assert_eq!(terminal.end().0, 0);
    let records = Bench::records(&session);
    let ordered = records.iter().filter(|record| record["kind"] == "fault-ordered").count();
    assert_eq!(ordered, 3, "what was done while the past was shown is recorded");
    bench.must(&["verify", session.to_str().unwrap()]);
}

#[test]
fn two_sessions_stand_side_by_side_and_every_key_of_them_works() {
    let bench = Bench::without_labs();
    let session = |name: &str, lab: &str| {
        let path = bench.path(name).to_str().unwrap().to_owned();
        bench.must(&["run", lab, "--sim", "--record", &path]);
        path
    };
    let letter = session("letter.jsonl", "bully-pause");
    let mended = session("mended.jsonl", "bully-pause-mended");
    let mut terminal = Terminal::open(&bench, &["diff", &letter, &mended, "--screen"]);
    wait_for(&mut terminal, "first difference: ");
    wait_for(&mut terminal, "X shows B");
    terminal.press("X");
    wait_for(&mut terminal, "X shows A");
    terminal.resize(45, 140);
    terminal.wait_until("both", |screen| screen.contents().matches("stopped 1x").count() == 2);
    for keys in
        ["h", "l", ",", ".", "[", "]", "{", "}", "(", ")", "J", "K", "\x1b[H", " ", " ", "\x1b[F", "2", "3", "1"]
    {
        terminal.press(keys);
    }
    terminal.press("DD");
    wait_for(&mut terminal, "─ two sessions ─");
    terminal.press("q?");
    wait_for(&mut terminal, "─ help ─");
    terminal.press("q");
    terminal.wait_until("no help", |screen| !screen.contents().contains("─ help ─"));
    terminal.press("q");
    assert_eq!(terminal.end().0, 4);
    let copy = bench.path("copy.jsonl");
    std::fs::copy(&letter, &copy).unwrap();
    let mut terminal = Terminal::open(&bench, &["diff", &letter, copy.to_str().unwrap(), "--screen"]);
    wait_for(&mut terminal, "no difference");
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
    let refused = bench.run(&["diff", &letter, &mended, "--screen"]);
    assert!(refused.code == 2 && refused.err.contains("needs a terminal"), "{refused:?}");
}
