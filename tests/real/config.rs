//! The config file of a person: what it sets, what is said of its errors, and that no command stops at them.

use std::fs;

use crate::bench::{Bench, bully_lab};
use crate::screen::Terminal;

/// Writes the config file of this bench.
fn write(bench: &Bench, text: &str) {
    fs::create_dir_all(bench.path("hustings")).unwrap();
    fs::write(bench.path("hustings/config.toml"), text).unwrap();
}

#[test]
fn what_holds_is_shown_with_its_line_and_the_example_is_correct() {
    let bench = Bench::without_labs();
    let printed = bench.run(&["config"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    assert!(printed.out.contains("theme = \"auto\"") && !printed.out.contains("# line"), "{printed:?}");
    write(&bench, "theme = \"light\"\n[keys]\nwhy = \"F3\"\n");
    let printed = bench.run(&["config"]);
    assert!(printed.out.contains("hustings/config.toml\n"), "{printed:?}");
    for (setting, from) in
        [("theme = \"light\"", "# line 1"), ("why = \"F3\"", "# line 3"), ("crash = \"c\"", "# default")]
    {
        let line = printed.out.lines().find(|line| line.starts_with(setting));
        assert!(line.is_some_and(|line| line.ends_with(from)), "{setting}: {printed:?}");
    }
    write(&bench, &bench.run(&["config", "--example"]).out);
    let printed = bench.run(&["config"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    let mut named = bench.hustings(&["config"]);
    let printed = crate::bench::Printed::of(named.env("HUSTINGS_CONFIG", "/nowhere/config.toml").output().unwrap());
    assert_eq!(printed.code, 2);
    assert!(printed.err.contains("/nowhere/config.toml cannot be read"), "{printed:?}");
}

#[test]
fn an_error_is_told_once_the_command_runs_and_no_session_is_removed() {
    let bench = Bench::without_labs();
    write(&bench, "kept_sesions = 1\nkept_sessions = 1\n");
    let file = bench.file("lab.toml", &bully_lab("[[expect]]\nthat = \"coordinator 5\"\nwithin = \"20T\"\n"));
    let printed = bench.run(&["run", &file, "--sim"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    for words in ["config.toml:1:1", "did you mean `kept_sessions`?", "the defaults hold"] {
        assert_eq!(printed.err.matches(words).count(), 1, "{words}: {printed:?}");
    }
    let printed = bench.run(&["sessions", "prune"]);
    assert_eq!(printed.code, 2, "{printed:?}");
    assert!(printed.err.contains("nothing is removed while the config file is wrong"), "{printed:?}");
    // With a correct file, one session is kept: there is no room beside the one that is there.
    write(&bench, "kept_sessions = 1\n");
    let printed = bench.run(&["sessions", "prune"]);
    assert_eq!((printed.code, printed.out.lines().count()), (0, 1), "{printed:?}");
}

#[test]
fn a_bound_key_works_on_the_screen_which_tells_that_something_is_wrong() {
    let bench = Bench::without_labs();
    write(&bench, "glyphs = \"ascii\"\ntheme = \"drak\"\n[keys]\nquit = \"Z\"\n");
    let file = bench.file("lab.toml", &bully_lab(""));
    let mut terminal = Terminal::open(&bench, &["up", &file, "--sim", "--no-record"]);
    terminal.wait_until("the message", |screen| {
        screen.contents().contains("config.toml has 1 error") && screen.contents().contains("Z ends the lab")
    });
    terminal.press("q");
    terminal.wait_until("that q does nothing", |screen| screen.contents().contains("q does nothing here; ? lists"));
    terminal.press("ZZ");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0);
    assert!(!screen.screen().contents().contains("did you mean"), "it was told on the screen");
}
