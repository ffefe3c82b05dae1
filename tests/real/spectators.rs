//! A class and those who look on, each at a screen of its own, over real processes.
//!
//! Invariant: a spectator's picture goes on when the class has answered, and every screen tells why the lab is over.

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

const LESSON: &str = "[[step]]\nname = \"who\"\nat = \"0s\"\nask = \"5 is being killed. Who will coordinate?\"\n\
    choices = [\"nobody\", \"4\"]\nanswer = 2\ndo = [\"crash 5\"]\n\n\
    [[step]]\nname = \"end\"\nwhen = \"coordinator 4\"\nsay = \"4 it is; `{recover}` brings 5 back.\"\n";

#[test]
fn a_spectator_waits_at_the_question_for_the_class_and_every_screen_tells_why_the_lab_is_over() {
    let bench = Bench::new();
    let file = bench.file("lesson.toml", &bully_lab(LESSON));
    let mut owner = Terminal::open(&bench, &["up", &file, "--yes"]);
    owner.wait_until("the lesson", |screen| screen.contents().contains("asks one question"));
    bench.must(&["wait", "coordinator 5"]);
    let mut spectator = Terminal::open(&bench, &["watch", "--read-only"]);
    let mut of_node = Terminal::open(&bench, &["watch", "--node", "4"]);
    spectator.wait_until("the lab", |screen| screen.contents().contains("LIVE"));
    of_node.wait_until("the node", |screen| screen.contents().contains("as node 4 alone sees it"));
    owner.press("S");
    spectator.wait_until("the question", |screen| screen.contents().contains("QUESTION"));
    bench.must(&["wait", "coordinator 4"]);
    spectator.press("19\r");
    spectator.wait_until("whose answer it is", |screen| screen.contents().contains("The class answers at its own"));
    spectator.wait_until("the question still", |screen| {
        let told = screen.contents();
        told.contains("QUESTION") && !told.contains("4 it is") && !told.contains("Right is")
    });
    owner.press("2\r");
    spectator.wait_until("the answer", |screen| screen.contents().contains("Right is 2."));
    spectator.wait_until("what came of it", |screen| screen.contents().contains("4 it is; `r` brings 5 back."));
    bench.must(&["down"]);
    for mut terminal in [spectator, of_node] {
        terminal.wait_until("why", |screen| screen.contents().contains("The lab is over: it was told to end"));
        terminal.press("q");
        assert_eq!(terminal.end().0, 0);
    }
    assert_eq!(owner.end().0, 0);
}
