//! Conditions read back what they print, and an error says where a text goes wrong.

use crate::condition::{Condition, condition_forms};

#[test]
fn a_condition_reads_back_what_it_prints() {
    for text in [
        "coordinator 4",
        "coordinator 4 of 1-3",
        "all normal",
        "groups 2",
        "group 3,4 under 4",
        "master 5",
        "help none",
        "help 2",
        "help 1-3,5",
        "done 256",
        "history 64",
        "logged 12",
        "blocked none",
        "blocked 1,5",
        "conflicts 7",
        "refused 1",
        "served 3",
        "served 3 by 2",
        "counter 12",
        "members 1-5",
        "counter -5",
        "entered 20",
        "inside none",
        "inside 2",
        "no violation",
        "violation assertion-1",
        "violation assertion-3 because 9",
        "violation uniqueness because hole B1",
        "violation fairness because unpromised",
        "violation deadlock-free because 8",
    ] {
        assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
    }
    assert_eq!(" coordinator  4   of 1, 2,3 ".parse::<Condition>().unwrap().to_string(), "coordinator 4 of 1-3");
}

#[test]
fn an_error_says_where_and_shows_the_form() {
    for (text, place, what) in [
        ("", "", "a condition is missing here"),
        ("coordinater 4", "coordinater", "there is no condition `coordinater`"),
        ("coordinator", "", "a node is missing here"),
        ("coordinator four", "four", "`four` is not a node id"),
        ("coordinator 4 of", "", "a node is missing here"),
        ("coordinator 4 of -", "-", "a node is missing here"),
        ("all abnormal", "abnormal", "`normal` belongs here"),
        ("groups 0", "0", "the number of groups belongs here"),
        ("group 3,4", "3,4", "`under` is missing here"),
        ("group 4-3 under 4", "4-3", "the range `4-3` runs backwards"),
        ("help nobody", "nobody", "`nobody` is not a node id"),
        ("history 65", "65", "a number of groups belongs here, from 1 to 64"),
        ("done 257", "257", "a number of shards belongs here, from 1 to 256"),
        ("logged 0", "0", "a number of updates belongs here, from 1 to 4096"),
        ("blocked", "", "a node is missing here"),
        ("conflicts none", "none", "a number of updates belongs here, from 1"),
        ("inside", "", "a node is missing here"),
        ("refused 0", "0", "a number of writes or updates belongs here, from 1"),
        ("members", "", "a node is missing here"),
        ("counter many", "many", "a whole number belongs here"),
        ("entered 0", "0", "a number of entries belongs here, from 1"),
        ("no violations", "violations", "`violation` belongs here"),
        ("violation assertion-9", "assertion-9", "a property belongs here: assertion-1, "),
        ("violation assertion-1 for 9", "for", "`because` belongs here"),
        ("violation assertion-1 because 15", "15", "the number of an assumption belongs here"),
        ("violation assertion-1 because hole", "hole", "one name of a hole belongs here"),
    ] {
        let error = text.parse::<Condition>().unwrap_err();
        assert_eq!(&text[error.at.clone()], place, "{text}");
        assert!(error.to_string().starts_with(what), "{error}");
        assert!(error.to_string().contains("the form is `"), "{error}");
    }
}

#[test]
fn every_form_of_the_table_is_one() {
    for (form, _) in condition_forms() {
        let text = form.replace("hole H", "hole B1").replace(" P", " assertion-1");
        let text = text.replace(" N", " 4").replace(" A", " 1-3").replace(" K", " 2");
        assert!(text.parse::<Condition>().is_ok(), "{text}");
    }
}
