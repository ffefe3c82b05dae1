//! Labs with one thing wrong: each error by its place and its words, and a few as they are drawn.

use super::*;

/// The whole lab with one text put in place of another.
fn with(old: &str, new: &str) -> String {
    assert!(WHOLE.contains(old), "{old}");
    WHOLE.replacen(old, new, 1)
}

fn errors(text: &str) -> LabErrors {
    match parse("labs/whole.toml", text, *REGISTRY) {
        Ok(_) => panic!("this parsed:\n{text}"),
        Err(errors) => errors,
    }
}

/// What was, what is in its place, where the error is, what it says, what was expected.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// A hundred characters, one of two bytes, in quotes.
const TOO_LONG: &str = concat!(
    "\"0123456789012345678901234567890123456789012345678",
    "é01234567890123456789012345678901234567890123456789\""
);

const CASES: &[Case] = &[
    // The lab's own keys.
    ("name = \"whole\"\n", "", "about = \"Every key of a lab.\"", "this lab has no `name`", "`name` is missing"),
    ("nodes = 5\n", "", "name = \"whole\"", "this lab has no `nodes`", "`nodes` is missing"),
    ("\"whole\"", "\"\"", "\"\"", "this text is empty", "expected the lab's name"),
    (
        "\"whole\"",
        TOO_LONG,
        TOO_LONG,
        "a lab's name has at most 100 bytes, but this one has 101",
        "expected a shorter name",
    ),
    ("\"whole\"", "\"a\\tb\"", "\"a\\tb\"", "this text has a tab", "expected the lab's name"),
    ("seed = 7", "sead = 7\nseed = 7", "sead", "a lab has no key `sead`", "did you mean `seed`?"),
    ("seed = 7", "colour = 7\nseed = 7", "colour", "a lab has no key `colour`", "expected one of name, about, "),
    ("seed = 7", "seed = -7", "-7", "a whole number from 0 belongs here, and this is -7", "expected a whole number"),
    ("seed = 7", "seed = \"7\"", "\"7\"", "a whole number from 0 belongs here, and this is a TOML string", "expected"),
    ("\"bully\"", "\"buly\"", "\"buly\"", "there is no algorithm `buly`", "did you mean `bully`?"),
    (
        "\"bully\"",
        "\"\"",
        "\"\"",
        "there is no algorithm ``",
        "expected one of bully, invitation, king-ni-b1, king-ni-b2, king-ni-c",
    ),
    (
        "\"bully\"",
        "3",
        "3",
        "an algorithm's name such as \"bully\" belongs here, and this is a TOML integer",
        "expected",
    ),
    ("nodes = 5", "nodes = 0", "0", "a number of nodes from 1 to 256 (bully takes no more) belongs here", "expected"),
    (
        "nodes = 5",
        "nodes = 257",
        "257",
        "a number of nodes from 1 to 256 (bully takes no more) belongs here",
        "expected",
    ),
    ("T = \"200ms\"", "T = 200", "200", "a duration such as \"200ms\" belongs here, and this is a TOML integer", ""),
    ("T = \"200ms\"", "T = \"0ms\"", "\"0ms\"", "a period cannot be 0", "expected a longer time"),
    ("\"400ms\"", "\"fast\"", "\"fast\"", "`fast` is not a duration", "expected a duration"),
    ("\"400ms\"", "\"100ms\"", "\"100ms\"", "for bully check must be at least T", "a Check waits T for its answers"),
    (
        "\"1s\"\nlimit",
        "\"800ms\"\nlimit",
        "\"800ms\"",
        "for bully silence must be longer than 4T",
        "the periods break this rule",
    ),
    ("\"30s\"", "\"0s\"", "\"0s\"", "a period cannot be 0", "expected a longer time"),
    ("\"Garcia-Molina 1982, section III\"", "3", "3", "a paper and a section, such as", "expected a paper"),
    ("\"Garcia-Molina 1982, section III\"", "\" \"", "\" \"", "this text is empty", "expected a paper and a section"),
    // Settings.
    ("errata = false", "errate = false", "errate", "bully has no setting `errate`", "did you mean `errata`?"),
    (
        "errata = false",
        "errata = \"no\"",
        "\"no\"",
        "true, false, or a list of the holes to mend belongs here, and this is a TOML string",
        "expected",
    ),
    (
        "errata = false",
        "form = \"parallell\"",
        "\"parallell\"",
        "`form` cannot be \"parallell\"",
        "did you mean `parallel`?",
    ),
    ("errata = false", "errata = [\"B1\", \"B12\"]", "\"B12\"", "bully has no hole \"B12\"", "did you mean `B1`?"),
    ("errata = false", "errata = [8]", "8", "the number of a hole, in quotes belongs here", "expected the number"),
    // Steps.
    ("at = \"2s\"\n", "", "[[step]]", "this step does not say when it happens", "`at` or `when` is missing"),
    (
        "at = \"2s\"",
        "at = \"2s\"\nwhen = \"groups 1\"",
        "\"groups 1\"",
        "this step has `at` and `when`",
        "expected one of the two",
    ),
    (
        "at = \"2s\"",
        "at = \"2s\"\nthen_wait = \"1s\"",
        "\"1s\"",
        "`then_wait` needs `when`",
        "nothing is expected here",
    ),
    (
        "when = \"coordinator 4 of 1-3\"",
        "when = \"no violation\"",
        "\"no violation\"",
        "`no violation` is checked at the end",
        "expected a condition that can be checked during the lab",
    ),
    (
        "coordinator 4 of 1-3",
        "coordinator 4 of 1-x",
        "1-x",
        "`x` is not a node id",
        "expected `coordinator N` or `coordinator N of A`",
    ),
    (
        "coordinator 4 of 1-3",
        "coordinator 4 of 1-9",
        "\"coordinator 4 of 1-9\"",
        "there is no node 6-9 in this lab",
        "expected nodes of 1-5",
    ),
    (
        "\"coordinator 4 of 1-3\"\nthen_wait = \"1s\"",
        "\"first Hlat sent\"",
        "\"first Hlat sent\"",
        "bully has no message `Hlat`",
        "did you mean `Halt`?",
    ),
    ("coordinator 4 of 1-3", "done 3", "\"done 3\"", "this lab has 0 shards", "expected 0 at most"),
    (
        "coordinator 4 of 1-3",
        "logged 3",
        "\"logged 3\"",
        "a log has room for 0 updates in this lab, and not for 3",
        "expected 0 at most",
    ),
    (
        "coordinator 4 of 1-3",
        "blocked 5",
        "\"blocked 5\"",
        "this lab has no updates that could block",
        "expected another condition",
    ),
    (
        "coordinator 4 of 1-3",
        "conflicts 5",
        "\"conflicts 5\"",
        "no updates of this lab can conflict",
        "expected another condition",
    ),
    (
        "crash coordinator",
        "update coordinator 7",
        "\"update coordinator 7\"",
        "this lab has no application, and no algorithm knows the order `update`",
        "expected an order that the lab knows",
    ),
    ("crash coordinator", "update 3 seven", "seven", "a whole number belongs here", "expected `update N V`"),
    (
        "\"coordinator 4 of 1-3\"\nthen_wait = \"1s\"",
        "\"elected sent by 5\"",
        "\"elected sent by 5\"",
        "bully has no message `elected`",
        "expected one of Halt, HaltAnswer, Ready",
    ),
    (
        "\"coordinator 4 of 1-3\"\nthen_wait = \"1s\"",
        "\"2 enters coll2\"",
        "\"2 enters coll2\"",
        "bully has no state `coll2`",
        "expected one of Down, Election, Reorganization, Normal",
    ),
    (
        "\"coordinator 4 of 1-3\"\nthen_wait = \"1s\"",
        "\"7 enters Normal\"",
        "\"7 enters Normal\"",
        "there is no node 7 in this lab",
        "expected nodes of 1-5",
    ),
    (
        "coordinator 4 of 1-3\"\nthen_wait = \"1s\"",
        "Ready sent by all\"",
        "all",
        "`all` is not a node id",
        "expected `first KIND sent` or `KIND sent by N`",
    ),
    (
        "coordinator 4 of 1-3",
        "first Halt sent",
        "\"1s\"",
        "a protocol moment takes no `then_wait`",
        "nothing is expected here",
    ),
    ("do = []\n", "", "[[step]]", "this step has no `do`", "`do` is missing"),
    (
        "do = []",
        "do = \"crash 5\"",
        "\"crash 5\"",
        "a list of fault lines such as [\"crash 5\"] belongs here",
        "expected",
    ),
    (
        "do = []",
        "do = [5]",
        "5",
        "a list of fault lines such as [\"crash 5\"] belongs here, and this is a TOML integer",
        "",
    ),
    (
        "cut 1->2",
        "cut 1 2",
        "1 2",
        "an arrow is missing here",
        "expected `cut A->B`, `cut A<->B` or `cut A->B multicast`",
    ),
    ("cut 1->2", "cut 1->6", "\"cut 1->6\"", "there is no node 6 in this lab", "expected nodes of 1-5"),
    (
        "crash coordinator",
        "crash coordinator of 7",
        "\"crash coordinator of 7\"",
        "there is no node 7 in this lab",
        "expected",
    ),
    ("crash coordinator", "crush \\u0035", "\"crush \\u0035\"", "there is no fault `crush`", "expected `crash N`"),
    (
        "[[expect]]",
        "[[step]]\nname = \"crash\"\nat = \"9s\"\ndo = []\n[[expect]]",
        "\"crash\"",
        "two steps are called \"crash\"",
        "expected another name",
    ),
    ("at = \"2s\"", "att = 1\nat = \"2s\"", "att", "a step has no key `att`", "did you mean `at`?"),
    // Expectations.
    ("that = \"groups 1\"\n", "", "[[expect]]", "this expectation has no `that`", "`that` is missing"),
    ("within = \"3s\"\n", "", "[[expect]]", "this expectation has no `within`", "`within` is missing"),
    ("\"groups 1\"", "\"groups 6\"", "\"groups 6\"", "5 nodes cannot be in 6 groups", "expected 5 groups at most"),
    ("\"groups 1\"", "\"all is well\"", "is well", "`normal` belongs here", "expected `all normal`"),
    ("\"20T\"", "\"20 t\"", "\"20 t\"", "`20 t` is not a duration", "expected a duration"),
    ("\"20T\"", "\"-1T\"", "\"-1T\"", "`-1T` is not a multiple of T", "expected a duration"),
    ("\"step 2\"", "\"step 3\"", "\"step 3\"", "there is no step \"step 3\"", "did you mean `step 2`?"),
    (
        "because hole B1\"",
        "\"\nwithin = \"1s\"",
        "\"1s\"",
        "`violation assertion-1` is checked at the end of the lab, so it takes no `within`",
        "nothing",
    ),
    ("assertion-1", "assertion-7", "assertion-7", "a property belongs here: assertion-1", "expected `violation P`"),
];

#[test]
fn each_error_has_its_place_its_words_and_a_remedy() {
    for (old, new, place, what, expected) in CASES {
        let text = with(old, new);
        let errors = errors(&text);
        let [error] = errors.list.as_slice() else { panic!("one error for {new}:\n{errors}") };
        assert_eq!(&text[error.at.clone()], *place, "{errors}");
        assert!(error.what.starts_with(what), "{errors}");
        assert!(error.expected.starts_with(expected), "{errors}");
        assert!(!error.remedy.is_empty(), "{errors}");
    }
}

#[test]
fn a_step_cannot_be_earlier_than_the_one_before_it() {
    let text = with("when = \"coordinator 4 of 1-3\"\nthen_wait = \"1s\"", "at = \"1s\"");
    let errors = errors(&text);
    assert_eq!(errors.list.len(), 1, "{errors}");
    assert_eq!(errors.list[0].what, "this step is at 1s, but an earlier step of the file is at 2s");
}

#[test]
fn the_nodes_of_a_setting_are_the_labs() {
    let text = with("\"bully\"", "\"king-ni-c\"").replace("errata = false", "candidates = \"2-8\"");
    let errors = errors(&text);
    assert_eq!(errors.list.len(), 1, "{errors}");
    assert_eq!(errors.list[0].what, "there is no node 6-8 in this lab");
}

#[test]
fn all_errors_come_in_one_go_in_the_order_of_the_file() {
    let text = with("nodes = 5", "nodes = \"five\"");
    let text = text.replace("\"200ms\"", "\"soon\"").replace("crash coordinator", "crush 5").replace("\"20T\"", "20");
    let errors = errors(&text);
    let places: Vec<&str> = errors.list.iter().map(|error| &text[error.at.clone()]).collect();
    assert_eq!(places, ["\"five\"", "\"soon\"", "crush", "20"], "{errors}");
}

#[test]
fn what_is_no_toml_is_one_error() {
    for (old, new, place) in [("nodes = 5", "nodes = = 5", "= 5"), ("seed = 7", "seed = 7\nseed = 8", "seed")] {
        let text = with(old, new);
        let errors = errors(&text);
        assert_eq!(errors.list.len(), 1, "{errors}");
        assert!(errors.list[0].what.starts_with("this is not valid TOML: "), "{errors}");
        assert!(text[errors.list[0].at.start..].starts_with(&place[..1]), "{errors}");
    }
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    let text = format!("{WHOLE}#{}", " ".repeat(FILE_BYTES_MAX));
    let errors = errors(&text);
    assert!(errors.list[0].what.starts_with("a lab file has at most 1048576 bytes"), "{errors}");
    assert!(!errors.to_string().is_empty());
}

#[test]
fn errors_are_drawn_into_the_file() {
    let text = with("crash coordinator", "crush coordinator").replace("seed = 7", "sead = 7");
    let drawn = r#"error: this lab has no `seed`
 --> labs/whole.toml:1:1
  |
1 | name = "whole"
  | ^^^^^^^^^^^^^^ `seed` is missing
  |
  = help: add a line `seed = 1`

error: a lab has no key `sead`
 --> labs/whole.toml:6:1
  |
6 | sead = 7
  | ^^^^ did you mean `seed`?
  |
  = help: a lab takes name, about, source, algorithm, nodes, seed, T, check, silence, limit, settings, application, step, expect

error: there is no fault `crush` (did you mean `crash`?)
  --> labs/whole.toml:16:8
   |
16 | do = ["crush coordinator", "cut 1->2"]
   |        ^^^^^ expected `crash N`
   |
   = help: `hustings help faults` lists the forms of fault lines"#;
    assert_eq!(errors(&text).to_string(), drawn);
}

/// Whatever stands in a file: it parses, or every error can be drawn.
fn parses_or_is_drawn(text: &str) {
    if let Err(errors) = parse("labs/whole.toml", text, *REGISTRY) {
        assert!(!errors.list.is_empty(), "{text}");
        assert!(errors.to_string().contains("error: "), "{text}");
    }
}

#[test]
fn a_file_cut_anywhere_or_with_anything_put_in_is_read_without_a_panic() {
    for at in 0..WHOLE.len() {
        let (before, after) = WHOLE.split_at(at);
        parses_or_is_drawn(before);
        for put in ["\"", "\n", "[", "7", "é", "\u{1b}[31m", "step = 1\n", "\r\n"] {
            parses_or_is_drawn(&format!("{before}{put}{after}"));
            parses_or_is_drawn(&format!("{before}{put}{}", after.get(1..).unwrap_or_default()));
        }
    }
}

/// A program that looks at every error for every error does not come to the end of this.
#[test]
fn of_many_errors_the_first_are_told_and_the_rest_is_counted() {
    let lines = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let keys = lines(12_000, |index| format!("key{index} = 1\n"));
    let faults = lines(4_000, |index| format!("[[step]]\nat = \"1s\"\ncry = 1\ndo = [\"crsh {index}\"]\n"));
    let steps = lines(2_000, |index| format!("[[step]]\nname = \"step{index}\"\nat = \"9s\"\ndo = []\n"));
    let expectations =
        lines(2_000, |index| format!("[[expect]]\nthat = \"all normal\"\nwithin = \"1s\"\nafter = \"stop{index}\"\n"));
    for (text, count) in [
        (format!("{keys}{WHOLE}"), 12_000),
        (format!("{WHOLE}{faults}"), 12_000),
        (format!("{WHOLE}{steps}{expectations}"), 2_000),
    ] {
        let errors = errors(&text);
        let told = errors.to_string();
        assert_eq!((errors.list.len(), told.matches("error: ").count()), (count, 20), "{told}");
        assert!(told.ends_with(&format!("\n\nand {} more errors", count - 20)), "{told}");
    }
}
