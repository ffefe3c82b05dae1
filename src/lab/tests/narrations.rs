//! What a step tells, and the errors of one that tells it wrongly.

use super::*;

const ASKS: &str = r#"
[[step]]
name = "question"
at = "3s"
chapter = "The crash"
ask = "5 is dead. Who will coordinate?"
choices = ["nobody", "4, the highest of the living", "a vote decides"]
answer = 2
because = "Everybody else is outranked by 4."
"#;

fn lab_with(steps: &str) -> Result<Lab, LabErrors> {
    parse("labs/told.toml", &format!("{WHOLE}{steps}"), *REGISTRY)
}

#[test]
fn a_step_says_or_asks_and_may_order_nothing() {
    let says = "\n[[step]]\nat = \"4s\"\nsay = \"\"\"\nThis is \\\n   one line.\"\"\"\ndo = [\"crash 5\"]\n";
    let lab = lab_with(&format!("{ASKS}{says}")).unwrap();
    let [.., asked, said] = &lab.steps[..] else { panic!("{:?}", lab.steps) };
    let question = ClassQuestion {
        text: "5 is dead. Who will coordinate?".parse().unwrap(),
        choices: ["nobody", "4, the highest of the living", "a vote decides"]
            .map(|choice| choice.parse().unwrap())
            .into(),
        answer: 1,
        because: Some("Everybody else is outranked by 4.".parse().unwrap()),
    };
    let words = Some(NarratedWords::Ask(question));
    assert_eq!(asked.narration, Narration { chapter: Some("The crash".into()), words });
    assert!(asked.lines.is_empty());
    let words = Some(NarratedWords::Say("This is one line.".parse().unwrap()));
    assert_eq!((&said.narration, said.lines.len()), (&Narration { chapter: None, words }, 1));
    let again = parse("again", &lab.written(), *REGISTRY).unwrap();
    assert_eq!(again.steps, lab.steps);
}

#[test]
fn a_name_in_braces_stands_for_a_key_and_one_that_no_action_has_is_refused_with_a_near_one() {
    let says = |text: &str| format!("\n[[step]]\nat = \"4s\"\nsay = \"{text}\"\n");
    let lab = lab_with(&says("`{crash}` kills it, `{pause_or_resume}` stops it.")).unwrap();
    let told = lab.steps.last().unwrap().narration.in_a_line().unwrap();
    assert_eq!(told, "`c` kills it, `p` stops it.");
    assert_eq!(parse("again", &lab.written(), *REGISTRY).unwrap().steps, lab.steps);
    for (old, new, at) in [
        ("5 is dead", "{krash}", "\"{krash}. Who"),
        ("nobody", "{krash}", "\"{krash}\""),
        ("Everybody else", "{krash}", "\"{krash} is outranked"),
    ] {
        let errors = lab_with(&ASKS.replacen(old, new, 1)).unwrap_err();
        let [error] = &errors.list[..] else { panic!("{errors}") };
        assert!(errors.text[error.at.clone()].starts_with(at), "{errors}");
        assert_eq!(error.what, "`{krash}` is no key of the screen");
        assert!(error.remedy.starts_with("did you mean `{crash}`?"), "{errors}");
    }
    let errors = lab_with(&says("{zzzzzz}")).unwrap_err();
    assert!(errors.list[0].remedy.starts_with("`hustings config` lists the actions"), "{errors}");
}

#[test]
fn a_question_that_a_small_screen_cannot_show_whole_is_refused() {
    let ask = |words: usize| format!("ask = \"{}5 is dead", "word ".repeat(words));
    let long = ASKS.replacen("Everybody", &format!("{}Everybody", "word ".repeat(70)), 1);
    // Three rows, three choices and six rows of reasons.
    assert!(lab_with(&long.replacen("ask = \"5 is dead", &ask(35), 1)).is_ok());
    let errors = lab_with(&long.replacen("ask = \"5 is dead", &ask(75), 1)).unwrap_err();
    let [error] = &errors.list[..] else { panic!("{errors}") };
    assert!(errors.text[error.at.clone()].starts_with("\"word word"), "{errors}");
    assert!(error.what.contains("takes 15 rows") && error.expected.contains("12 rows or less"), "{errors}");
}

#[test]
fn a_question_without_choices_or_without_its_answer_is_refused_with_its_place_and_a_remedy() {
    let choices = "choices = [\"nobody\", \"4, the highest of the living\", \"a vote decides\"]\n";
    let long = format!("ask = \"{}\"", "a".repeat(421));
    for (old, new, at, what, expected) in [
        (choices, "", "[[step]]", "this step has no `choices`", "`choices` is missing"),
        (choices, "choices = [\"4\"]\n", "[\"4\"]", "this question has one choice only", "expected 2 to 6 choices"),
        (choices, "choices = []\n", "[]", "this question has no choice", "expected 2 to 6 choices"),
        (choices, "choices = [\"4\", \"4\"]\n", "\"4\"", "two choices are the same", "expected another answer"),
        (choices, "choices = 4\n", "4", "a list of 2 to 6 answers", "expected a list"),
        ("answer = 2\n", "", "[[step]]", "this step has no `answer`", "`answer` is missing"),
        ("answer = 2", "answer = 4", "4", "this answer is none of the 3 choices", "expected a number from 1 to 3"),
        ("answer = 2", "answer = 0", "0", "this answer is none of the 3 choices", "expected a number from 1 to 3"),
        ("answer = 2", "answer = \"4\"", "\"4\"", "this answer is none of the 3 choices", "expected a number from 1"),
        (
            "ask = \"5",
            "say = \"All\"\nask = \"5",
            "\"5 is dead",
            "this step says something and asks",
            "expected one of",
        ),
        ("ask = \"5 is dead. Who will coordinate?\"\n", "", "[\"nobody", "`choices` needs `ask`", "nothing is asked"),
        ("ask = \"5 is dead. Who will coordinate?\"", &long, "\"aaaa", "421 characters", "expected a shorter text"),
        ("chapter = \"The crash\"", "chapter = \"\"", "\"\"", "this text is empty", "expected the chapter's title"),
    ] {
        assert!(ASKS.contains(old), "{old}");
        let errors = lab_with(&ASKS.replacen(old, new, 1)).unwrap_err();
        let [error] = &errors.list[..] else { panic!("{new}: {errors}") };
        let place = &errors.text[error.at.clone()];
        assert!(place.starts_with(at) && error.what.contains(what) && error.expected.contains(expected), "{errors}");
        assert!(!error.remedy.is_empty());
    }
}
