//! A lab that was broken by hand, exported as a lab file, and played again; and the longest labs, exported.

use hustings::lab::{FILE_BYTES_MAX, NAME_BYTES_MAX};

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

const AGREED: &str = "[[expect]]\nthat = \"coordinator 5\"\nwithin = \"10T\"\n";

#[test]
fn a_session_by_hand_becomes_a_lab_that_comes_out_the_same() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    bench.must(&["up", &file, "--detach"]);
    bench.must(&["wait", "group 1-5 under 5"]);
    // Told to, 4 does not wait for the silence of 5; the lab that comes of it waits as long as this session did.
    for (lines, then) in
        [(&["crash coordinator", "elect 4"][..], "group 1-4 under 4"), (&["undo"], "group 1-5 under 5")]
    {
        for line in lines {
            bench.must(&["inject", line]);
        }
        bench.must(&["wait", then]);
    }
    let refused = bench.run(&["inject", "resume 1"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let verdict = bench.must(&["down"]);
    let session = verdict.trim().rsplit(' ').next().unwrap();

    let again = bench.path("again.toml");
    let again = again.to_str().unwrap();
    bench.must(&["export", session, "--format", "lab", "--output", again]);
    let text = std::fs::read_to_string(again).unwrap();
    for piece in [
        "do = [\"crash 5\"]",
        "do = [\"elect 4\"]",
        "do = [\"recover 5\"]",
        "that = \"coordinator 4\"",
        "that = \"no violation\"",
    ] {
        assert!(text.contains(piece), "{piece} is not in\n{text}");
    }
    assert!(!text.contains("undo") && !text.contains("resume 1"), "{text}");

    assert!(bench.must(&["check", again]).contains("4 steps"));
    let printed = bench.run(&["run", again]);
    assert_eq!(printed.code, 0, "{printed:?}\n{text}");
    // Played again it is a session too, and says the same.
    let session = printed.last_line().rsplit(' ').next().unwrap();
    let exported = bench.must(&["export", session, "--format", "lab"]);
    let orders =
        |text: &str| text.lines().filter(|line| line.starts_with("do = ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(orders(&exported), orders(&text));
}

#[test]
fn the_longest_lab_that_is_accepted_gives_sessions_that_can_be_read() {
    let bench = Bench::new();
    let name = "n".repeat(NAME_BYTES_MAX);
    let lab = bully_lab(AGREED).replace("\"short\"", &format!("\"{name}\""));
    let lab = lab.replace("seed = 1\n", &format!("seed = {}\n", i64::MAX));
    // Quotes and backslashes: no other characters of a lab file have longer escapes.
    let with = |about: &str| lab.replace("\"Five Bully processes.\"", &format!("'{about}'"));
    let room = FILE_BYTES_MAX - with("").len();
    let files = [with(&"\"".repeat(room)), format!("{}#{}", with("short"), "\\".repeat(room - 6))];
    for (number, text) in files.iter().enumerate() {
        assert_eq!(text.len(), FILE_BYTES_MAX);
        let file = bench.file(&format!("{number}.toml"), text);
        bench.must(&["check", &file]);
        for how in [&["run", "--sim", &file][..], &["run", &file]] {
            let session = bench.must(how).trim().rsplit(' ').next().unwrap().to_owned();
            assert!(bench.must(&["verify", &session]).contains("conforms"));
            assert!(bench.must(&["export", &session, "--format", "jsonl"]).contains("\"kind\":\"ended\""));
            let again = bench.path("again.toml");
            bench.must(&["export", &session, "--format", "lab", "--force", "--output", again.to_str().unwrap()]);
            bench.must(&["check", again.to_str().unwrap()]);
            let mut terminal = Terminal::open(&bench, &["replay", &session]);
            terminal.press("G");
            terminal.wait_until("the lab's name", |screen| screen.contents().contains(&name[..40]));
            terminal.press("q");
            assert_eq!(terminal.end().0, 0);
        }
    }
    let longer = bench.file("longer.toml", &format!("{} ", files[0]));
    assert_eq!(bench.run(&["check", &longer]).code, 3);
}
