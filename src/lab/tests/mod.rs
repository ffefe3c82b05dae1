//! The tests of the lab file: the house's own labs, what a lab comes to as data, and every error by its words.
//!
//! Invariant: the Cards here have the settings and period rules of the real ones, so a lab that parses here is held to
//! the same rules.

mod broken;
mod claims;
mod conditions;
mod criteria;
mod liars;
mod links;
mod narrations;
mod ordered;
mod resource;
mod weights;

use std::sync::LazyLock;

use super::*;
use ::application::{copies::CounterCopies, fencing::Fencing, token::PathCompression};
use protocol::trial::registry_of;
use protocol::{
    ApplicationEntry, Assumption, CAPACITIES, CRITERION, Channel, CoordinatorNumbers, Criterion, Delivery, ERRATA,
    Formula, Groups, KeyUse, ListingForm, Mends, NodeId, Order, PeriodRule, Property, Rank, SettingCard, SettingKind,
    SettingValue, Status, TBounds, holes,
};

const NO_BOUND: Formula = Formula { text: "0", value: |_, _, _| Span::ZERO };

enum Hole {
    B1,
    B8,
}

holes! {
    B1 = "B1", "Two coordinators stay.", "AreYouNormal", [], Lab("bully-pause");
    B8 = "B8", "A garbled Halt is obeyed.", "Halt", [], Lab("bully-pause");
    B1 = "B9", "One stays too.", "Timeout", [], Lab("bully-pause");
}

const MENDS: SettingCard = Mends::setting(HOLES, "Mends the holes.");

fn is_sequential(settings: &Settings) -> bool {
    settings.word("form") == "sequential"
}

const BULLY: Card = Card {
    name: "bully",
    title: "Bully",
    paper: "Garcia-Molina 1982, Appendix I",
    wire: 1,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    listing: &[],
    listing_form: ListingForm::Procedures,
    messages: &["Halt", "HaltAnswer", "Ready"],
    hands_in: &[],
    hands_out: &[],
    periodic: &[],
    plays_dead: None,
    words: Status::WORDS,
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::None("Nothing is numbered here."),
    needs: &Assumption::ALL,
    promises: &[Property::Assertion1],
    withholds: |_, _| &[],
    time_bound: NO_BOUND,
    quiet_bound: NO_BOUND,
    message_bound: "0",
    nodes_max: 256,
    settings: &[
        SettingCard {
            name: "form",
            kind: SettingKind::Word(&["parallel", "sequential", "parallel-early"]),
            about: "How a phase makes its calls.",
        },
        MENDS,
    ],
    periods: &[
        PeriodRule {
            key: "check",
            must: "check must be at least T",
            why: Some("a Check waits T for its answers"),
            holds: |timing, _, _| timing.check >= timing.t,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 4T",
            why: None,
            holds: |timing, _, settings| is_sequential(settings) || timing.silence > timing.t * 4,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 3(n-1)T in the sequential form",
            why: None,
            holds: |timing, nodes, settings| {
                !is_sequential(settings) || timing.silence > timing.t * (3 * (u64::from(nodes) - 1))
            },
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than check + T",
            why: Some("members hear their coordinator once a check"),
            holds: |timing, _, _| timing.silence > timing.check + timing.t,
        },
    ],
};

const INVITATION: Card = Card {
    name: "invitation",
    messages: &["Invitation", "Ready"],
    groups: Groups::Numbered,
    numbers: CoordinatorNumbers::None("Nothing is numbered here."),
    settings: &[MENDS],
    periods: &[
        PeriodRule {
            key: "check",
            must: "check must be longer than 4T",
            why: None,
            holds: |timing, _, _| timing.check > timing.t * 4,
        },
        PeriodRule {
            key: "silence",
            must: "silence must be longer than 3T",
            why: None,
            holds: |timing, _, _| timing.silence > timing.t * 3,
        },
    ],
    ..BULLY
};

const KING_NI_C: Card = Card {
    name: "king-ni-c",
    messages: &["init", "elected"],
    words: &["coll1", "coll2"],
    channel: Channel::Multicast,
    settings: &[
        MENDS,
        SettingCard { name: "candidates", kind: SettingKind::Nodes, about: "Who may be elected." },
        CRITERION,
        CAPACITIES,
    ],
    periods: &[PeriodRule {
        key: "check",
        must: "check must be at least 2T",
        why: None,
        holds: |timing, _, _| timing.check >= timing.t * 2,
    }],
    ..BULLY
};

const KING_NI_B1: Card = Card { name: "king-ni-b1", delivery: Delivery::OrderedBroadcast, ..KING_NI_C };

const KING_NI_B2: Card = Card {
    name: "king-ni-b2",
    settings: &[
        MENDS,
        SettingCard {
            name: "t",
            kind: SettingKind::Number { default: 1, most: |nodes| u64::from(nodes.saturating_sub(1)) },
            about: "How many may be faulty.",
        },
        SettingCard { name: "lists", kind: SettingKind::Word(&["full", "lengths"]), about: "What travels." },
        SettingCard { name: "candidates", kind: SettingKind::Nodes, about: "Who may be elected." },
    ],
    ..KING_NI_B1
};

static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| registry(&[BULLY, INVITATION, KING_NI_B1, KING_NI_B2, KING_NI_C]));

fn registry(cards: &[Card]) -> Registry {
    registry_of(
        cards,
        const {
            &[
                ApplicationEntry::of::<CounterCopies>(),
                ApplicationEntry::of::<Fencing>(),
                ApplicationEntry::of::<PathCompression>(),
            ]
        },
    )
}

const WHOLE: &str = r#"name = "whole"
about = "Every key of a lab."
source = "Garcia-Molina 1982, section III"
algorithm = "bully"
nodes = 5
seed = 7
T = "200ms"
check = "400ms"
silence = "1s"
limit = "30s"
[settings]
errata = false
[[step]]
name = "crash"
at = "2s"
do = ["crash coordinator", "cut 1->2"]
[[step]]
when = "coordinator 4 of 1-3"
then_wait = "1s"
do = []
[[expect]]
that = "coordinator  4"
after = "crash"
within = "20T"
stays = "1.5T"
[[expect]]
that = "groups 1"
after = "step 2"
within = "3s"
[[expect]]
that = "violation assertion-1 because hole B1"
"#;

/// What [`WHOLE`] claims of a hole.
const CLAIM: &str = " because hole B1";

fn span(millis: u64) -> Span {
    Span::from_millis(millis)
}

/// The text of that lab of the house.
fn house_lab(name: &str) -> String {
    std::fs::read_to_string(format!("{}/labs/{name}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap()
}

#[test]
fn a_lab_with_every_key_comes_to_this() {
    let lab = parse("whole.toml", WHOLE, *REGISTRY).unwrap();
    assert_eq!((lab.name.as_str(), lab.about.as_str(), lab.seed), ("whole", "Every key of a lab.", 7));
    assert_eq!(lab.source.as_deref(), Some("Garcia-Molina 1982, section III"));
    assert_eq!((lab.card.name, lab.roster.len(), lab.limit), ("bully", 5, span(30_000)));
    assert_eq!(lab.timing, Timing { t: span(200), check: span(400), silence: span(1_000) });
    assert!(lab.settings.value(ERRATA) == Some(&SettingValue::Flag(false)) && lab.settings.word("form") == "parallel");
    assert_eq!(lab.text, WHOLE);
    let lines = ["crash coordinator", "cut 1->2"].map(|line| line.parse().unwrap()).to_vec();
    let condition = "coordinator 4 of 1-3".parse().unwrap();
    assert_eq!(
        lab.steps,
        [
            LabStep { name: "crash".into(), when: When::At(span(2_000)), lines, narration: Narration::default() },
            LabStep {
                name: "step 2".into(),
                when: When::Condition { condition, then_wait: span(1_000) },
                lines: vec![],
                narration: Narration::default(),
            },
        ]
    );
    let four = Condition::Coordinator { node: NodeId::new(4).unwrap(), of: None };
    let hole = ViolationReason::Hole("B1".into());
    let violation = Condition::Violation { property: Property::Assertion1, because: Some(hole) };
    let expectation = |that, text: &str, after, within, stays| Expectation {
        that,
        text: text.into(),
        after,
        within: span(within),
        stays: span(stays),
    };
    assert_eq!(
        lab.expectations,
        [
            expectation(four, "coordinator  4", Some(0), 4_000, 300),
            expectation(Condition::Groups(1), "groups 1", Some(1), 3_000, 0),
            expectation(violation, "violation assertion-1 because hole B1", None, 0, 0),
        ]
    );
}

#[test]
fn what_is_written_of_a_lab_reads_back_as_that_lab() {
    let lab = parse("whole.toml", WHOLE, *REGISTRY).unwrap();
    let again = parse("whole.toml", &lab.written(), *REGISTRY).unwrap();
    assert_eq!((&again.name, &again.about, &again.source), (&lab.name, &lab.about, &lab.source));
    assert_eq!((again.roster, again.timing, again.limit), (lab.roster, lab.timing, lab.limit));
    assert_eq!((&again.settings, &again.steps), (&lab.settings, &lab.steps));
    assert_eq!(again.expectations.len(), lab.expectations.len());
    let without = parse("whole", &WHOLE.replace("source", "# source"), *REGISTRY).unwrap();
    assert_eq!(without.source, None);
    assert!(!without.written().contains("source"));
}

#[test]
fn an_expectation_is_written_behind_its_step() {
    let written = parse("whole.toml", WHOLE, *REGISTRY).unwrap().written();
    let is_told = |line: &&str| ["[[", "after", "within", "stays"].iter().any(|begins| line.starts_with(begins));
    let told: Vec<&str> = written.lines().filter(is_told).collect();
    let first = ["[[step]]", "[[expect]]", "after = \"crash\"", "within = \"20T\"", "stays = \"300ms\""];
    let second = ["[[step]]", "[[expect]]", "after = \"step 2\"", "within = \"15T\"", "[[expect]]"];
    assert_eq!(told, [first, second].concat());
}

#[test]
fn a_step_may_hang_on_a_protocol_moment() {
    let when = "when = \"coordinator 4 of 1-3\"\nthen_wait = \"1s\"";
    for text in ["first Halt sent", "Ready sent by 5", "2 enters Reorganization"] {
        let lab = parse("whole.toml", &WHOLE.replace(when, &format!("when = \"{text}\"")), *REGISTRY).unwrap();
        assert_eq!(lab.steps[1].when, When::Moment(text.parse().unwrap()));
    }
}

#[test]
fn a_list_of_holes_mends_these_and_what_goes_with_them() {
    let errata = |list: &str| {
        let text = WHOLE.replace("errata = false", &format!("errata = {list}")).replace(CLAIM, "");
        let lab = parse("whole.toml", &text, *REGISTRY).unwrap();
        lab.settings.value(ERRATA).unwrap().to_string()
    };
    for (list, mended) in [
        ("true", "true"),
        ("[]", "false"),
        ("[\"B8\"]", "[\"B8\"]"),
        ("[\"B9\"]", "[\"B1\", \"B9\"]"),
        ("[\"B9\", \"B8\"]", "true"),
    ] {
        assert_eq!(errata(list), mended, "{list}");
        assert_eq!(errata(mended), mended, "as it is written");
    }
}

#[test]
fn what_a_lab_leaves_out_has_its_default() {
    let text = WHOLE.replace("limit = \"30s\"\n", "").replace("[settings]\nerrata = false\n", "").replace(CLAIM, "");
    let lab = parse("whole.toml", &text, *REGISTRY).unwrap();
    assert_eq!(lab.limit, span(60_000));
    assert!(lab.settings.value(ERRATA) == Some(&SettingValue::Flag(true)));
    let candidates = parse("c.toml", &text.replace("\"bully\"", "\"king-ni-c\""), *REGISTRY).unwrap().settings;
    assert_eq!(candidates.nodes("candidates"), Some("1-5".parse().unwrap()));
}

#[test]
fn the_pause_is_a_lab_under_invitation_too() {
    let text = house_lab("bully-pause").replace("algorithm = \"bully\"", "algorithm = \"invitation\"");
    let lab = parse("bully-pause", &text, *REGISTRY).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(lab.card.name, "invitation");
}
