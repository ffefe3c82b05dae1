//! What cannot be explored is refused, with its place.

use std::sync::Arc;

use super::{BUILT_IN, ExploreTerms, ExploreWish, bully, terms, text, wish};
use protocol::Span;

/// What is said of this lab: what is wrong, and the text there.
fn refused(text: &str) -> Vec<(String, String)> {
    let lab = Arc::new(lab::parse("small", text, BUILT_IN).expect("a lab"));
    let errors = ExploreTerms::new(lab, "small", &ExploreWish::default()).expect_err("it is refused");
    errors.list.into_iter().map(|error| (error.what, text[error.at].to_owned())).collect()
}

#[test]
fn what_the_explorer_does_not_know_is_refused_where_it_stands() {
    let of = |text: &str, what: &str, place: &str| {
        let all = refused(text);
        assert!(all.iter().any(|(said, at)| said.contains(what) && at == place), "{all:?}");
    };
    of(&bully(7, ""), "7 nodes are too many to explore", "7");
    let with_application = format!("{}\n[application]\nname = \"shards\"\n", bully(3, ""));
    of(&with_application, "an application cannot be explored", "application");
    of(&text("king-ni-5-3", 3, ("700ms", "4s"), ""), "its processes sign what they say", "\"king-ni-5-3\"");
    let cut = "\n[[step]]\nat = \"0ms\"\ndo = [\"cut 1->2\"]\n";
    of(
        &format!("{}{cut}", text("king-ni-b2", 3, ("700ms", "4s"), "")),
        "`cut 1->2` cannot be explored",
        "[\"cut 1->2\"]",
    );
    let random = text("king-ni-c", 3, ("6s", "9s"), "criterion = \"random\"\n");
    of(&random, "a capacity by \"random\" changes", "\"random\"");
    let lossy = format!("{}\n[[step]]\nat = \"0ms\"\ndo = [\"loss 1->2 30%\"]\n", bully(3, ""));
    of(&lossy, "`loss 1->2 30%` cannot be explored", "[\"loss 1->2 30%\"]");
}

#[test]
fn steps_at_the_start_cut_links_and_order_elections_and_later_ones_are_left_out() {
    let steps = "\n[[step]]\nat = \"0ms\"\ndo = [\"cut 1<->3\", \"elect 2\"]\n[[step]]\nname = \"later\"\nat = \"2s\"\n\
                 do = [\"crash 3\"]\n";
    let terms = terms(&format!("{}{steps}", bully(3, "")), &ExploreWish::default());
    let cut: Vec<String> = terms.cut.iter().map(|(from, to)| format!("{from}->{to}")).collect();
    assert_eq!((cut, terms.electing.to_string().as_str()), (vec!["1->3".to_owned(), "3->1".to_owned()], "2"));
    assert_eq!(terms.left_out, ["later"]);
}

#[test]
fn periods_are_whole_ticks_that_the_card_allows() {
    let short = terms(&bully(3, ""), &ExploreWish::default());
    let ticks = |terms: &ExploreTerms| {
        [terms.timing.t, terms.timing.check, terms.timing.silence].map(|span: Span| terms.ticks(span))
    };
    assert_eq!(ticks(&short), [3, 3, 13]);
    // Two elections of 4T, and then the bound of quiet.
    assert_eq!((short.faults_until, short.quiet, short.horizon), (24, 46, 70));
    let long = terms(&text("bully", 3, ("350ms", "1250ms"), ""), &wish(&[], None, Some(20)));
    assert_eq!((ticks(&long), long.faults_until, long.comes_to_rest()), ([3, 4, 13], 20, false));
}
