//! A lab that was broken by hand, exported as a lab file, and played again; the longest labs, exported; and what exports
//! say of what is in a session.

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

/// The session of this lab in virtual time.
fn simulated(bench: &Bench, lab: &str) -> String {
    let path = bench.path("simulated.jsonl").to_str().unwrap().to_owned();
    let printed = bench.run(&["run", lab, "--sim", "--record", &path]);
    assert_eq!(printed.code, 0, "{printed:?}");
    path
}

#[test]
fn a_diagram_names_the_record_in_which_each_message_was_sent() {
    let bench = Bench::without_labs();
    let session = simulated(&bench, "first");
    let diagram = bench.must(&["export", &session, "--format", "mermaid"]);
    let records = Bench::records(session.as_ref());
    let line = regex::Regex::new(r"(\d+)->>(\d+): [0-9.]+ s (\w+), sent in record (\d+)\n").unwrap();
    let mut senders = std::collections::BTreeSet::new();
    for told in line.captures_iter(&diagram) {
        let [from, to, number] = [1, 2, 4].map(|place| told[place].parse::<u64>().unwrap());
        let record = records.iter().find(|record| record["number"] == number).unwrap();
        let sends = |effect: &serde_json::Value| {
            effect["send"]["id"]["to"] == to && effect["send"]["message"]["kind"] == told[3]
        };
        let is_sending = record["node"] == from && record["effects"].as_array().unwrap().iter().any(sends);
        assert!(is_sending, "{}: {record}", &told[0]);
        senders.insert(from);
    }
    assert!(senders.len() > 2, "{senders:?}");
}

#[test]
fn a_handout_tells_what_people_wrote_and_why_there_is_no_verdict() {
    let bench = Bench::without_labs();
    let session = simulated(&bench, "bully-pause");
    bench.must(&["sessions", "note", &session, "look | here", "--at", "4s", "--kind", "marker"]);
    let handout = bench.must(&["export", &session, "--format", "md"]);
    for piece in [
        "| 4.000 s | marker | look \\| here |",
        "The judge found 2 violations, and broken assumptions excuse some of them; below stands why.",
        "- Source: Garcia-Molina 1982",
        "- met violation assertion-2 because hole B1",
    ] {
        assert!(handout.contains(piece), "{piece} is not in\n{handout}");
    }
    let page = bench.must(&["export", &session, "--format", "html"]);
    assert!(page.contains("marker: look | here") && page.contains(" · source: Garcia-Molina 1982"));
    assert!(bench.must(&["export", &session, "--format", "perfetto"]).contains("\"kind\":\"marker\""));
    assert!(bench.must(&["export", &session, "--format", "cast"]).contains("\"m\",\"marker: look | here\""));

    let text = std::fs::read_to_string(&session).unwrap();
    let lines = |keep: &dyn Fn(usize, &str) -> bool| {
        let kept = text.lines().enumerate().filter(|(place, line)| keep(*place, line));
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    let told = |text: &str| bench.must(&["export", &bench.file("other.jsonl", text), "--format", "md"]);
    let unplayed = told(&lines(&|_, line| !line.contains("\"kind\":\"verdict\"")));
    assert!(unplayed.contains("its steps were not played: nothing was decided."), "{unplayed}");
    let cut = told(&lines(&|place, _| place < 20));
    assert!(cut.contains("The session stops before the lab's end: nothing was decided."), "{cut}");
    let calm = bench.file("calm.toml", &bully_lab("[[step]]\nname = \"still\"\nat = \"3s\"\ndo = []\n"));
    let nothing = bench.must(&["export", &simulated_again(&bench, &calm), "--format", "md"]);
    assert!(nothing.contains("The lab expects nothing.\n\nThe judge found no violation."), "{nothing}");
}

/// The session of this lab in virtual time, instead of the one before.
fn simulated_again(bench: &Bench, lab: &str) -> String {
    std::fs::remove_file(bench.path("simulated.jsonl")).unwrap();
    simulated(bench, lab)
}

#[test]
fn a_page_shows_a_process_that_goes_on_in_the_state_in_which_it_was_paused() {
    let bench = Bench::without_labs();
    let page = bench.must(&["export", &simulated(&bench, "bully-pause"), "--format", "html"]);
    let row = regex::Regex::new(r#"<li id="r(\d+)"[^>]*>(?:[^\n]*)f2 resume 5"#).unwrap();
    let row = &row.captures(&page).unwrap()[1];
    let change = format!(r#"<g class="change normal k4" data-node="5" data-row="{row}"><title>Normal under 5</title>"#);
    assert!(page.contains(&change), "{change}");
}

#[test]
fn a_picture_has_words_for_those_who_do_not_see_it_and_a_moment_that_is_not_there_is_refused() {
    let bench = Bench::without_labs();
    let session = simulated(&bench, "first");
    let picture = bench.must(&["export", &session, "--format", "svg", "--at", "4s"]);
    for piece in ["role=\"img\"", "<title id=\"title\">first, at 4.000 s</title>", "1-4: Normal under 4; 5: dead."] {
        assert!(picture.contains(piece), "{piece} is not in\n{picture}");
    }
    for (arguments, why) in [
        (&["svg", "--at", "4000s"][..], "4000s is after the session's last record, at 8.000 s"),
        (&["md", "--at", "4s"], "--at is about one moment of the screen, which md does not show"),
        (&["csv", "--size", "80x24"], "--size is about the screen, which csv does not show"),
        (&["svg", "--cast-version", "2"], "--cast-version is about a recording, which svg does not show"),
    ] {
        let refused = bench.run(&[&["export", &session, "--format"], arguments].concat());
        assert!(refused.code == 2 && refused.out.is_empty() && refused.err.contains(why), "{refused:?}");
    }
}
