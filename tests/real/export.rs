//! A lab that was broken by hand, exported as a lab file, and played again.

use crate::bench::{Bench, bully_lab};

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
