//! Tests of why, over all labs: what each sentence cites lies before the state that it explains, as it says.
//!
//! Invariant: happened-before is reckoned here from the records alone, by clocks of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{lab_named, lab_of, labs, recorded};
use crate::{Plan, head};
use judge::why::{Explanation, RecordRole, Sentence, SessionPast, violations, why, why_record};
use protocol::{NodeId, StateVector};
use record::{Body, EffectText, Head, Input, MessageId, Record};

/// The lab of this name, in virtual time.
fn session_of(name: &str) -> (Head, Vec<Record>) {
    let plan = Plan::of(lab_named(name));
    (head(&plan), recorded(&plan))
}

/// By record, what its node knows: of each node, and of the host, how many records.
fn pasts(records: &[Record]) -> Vec<BTreeMap<Option<NodeId>, usize>> {
    let mut known: BTreeMap<Option<NodeId>, BTreeMap<Option<NodeId>, usize>> = BTreeMap::new();
    let mut sendings: HashMap<MessageId, BTreeMap<Option<NodeId>, usize>> = HashMap::new();
    let mut pasts = Vec::new();
    for record in records {
        let mut past = known.get(&record.node).cloned().unwrap_or_default();
        let mut learn = |other: Option<&BTreeMap<Option<NodeId>, usize>>| {
            other.into_iter().flatten().for_each(|(node, count)| {
                let own = past.entry(*node).or_default();
                *own = (*own).max(*count);
            });
        };
        let message = match &record.body {
            Body::Step(step) => match &step.input {
                Input::Message { id, .. } => Some(id),
                // The host orders a start, and what the operator wants.
                Input::Start { .. } | Input::Order { .. } => {
                    learn(known.get(&None));
                    None
                }
                Input::Timer { .. } => None,
            },
            Body::Held { id, .. } | Body::Garbled { id, .. } | Body::Duplicated { id, .. } => Some(id),
            _ => None,
        };
        learn(message.and_then(|id| sendings.get(id)));
        *past.entry(record.node).or_default() += 1;
        if let Body::Step(step) = &record.body {
            for effect in &step.effects {
                if let EffectText::Send { id, .. } = effect {
                    sendings.insert(*id, past.clone());
                }
            }
        }
        known.insert(record.node, past.clone());
        pasts.push(past);
    }
    pasts
}

/// The places after which somebody has come into another state, and after each violation.
fn moments(records: &[Record]) -> Vec<(usize, Option<NodeId>)> {
    let changes = |record: &Record| record.step().is_some_and(|step| step.state.is_some());
    let asked = records.iter().enumerate().filter(|(_, record)| changes(record));
    asked.map(|(place, record)| (place + 1, record.node)).collect()
}

fn cited_places(records: &[Record], sentence: &Sentence) -> Vec<(usize, RecordRole)> {
    let place = |number: u64| records.iter().position(|record| record.number == number);
    sentence.records.iter().map(|cited| (place(cited.number).expect("it exists"), cited.bond)).collect()
}

/// What a sentence may not hold: names that only the code has.
fn assert_readable(explanation: &Explanation) {
    for sentence in explanation.all() {
        let text = &sentence.text;
        assert!(text.ends_with('.') && !text.ends_with("..") && !text.contains("  "), "{text}");
        for name in ["Detector(", "Watch(", "Some(", "None", "NodeId", "::", " ;", " ,", "()"] {
            assert!(!text.contains(name), "{name} in: {text}");
        }
        let numbers = sentence.records.iter().map(|cited| cited.number);
        assert!(numbers.clone().count() == numbers.collect::<BTreeSet<_>>().len(), "{text}");
    }
}

#[test]
fn what_is_cited_happened_before() {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for lab in labs() {
        let plan = Plan::of(lab.clone());
        let (head, records) = (head(&plan), recorded(&plan));
        let pasts = pasts(&records);
        let happened_before = |one: usize, other: usize| {
            let own = pasts[one][&records[one].node];
            pasts[other].get(&records[one].node).is_some_and(|known| *known >= own)
        };
        // A long lab is asked about some of its moments.
        let asked = moments(&records);
        let some = (asked.len() / 60).max(1);
        for (end, node) in asked.into_iter().step_by(some) {
            let session_past = SessionPast::new(Some(&head), &records[..end]);
            let Some(node) = node else { continue };
            let explanation = why(&session_past, node);
            assert_readable(&explanation);
            assert!(explanation.sentences.len() <= 7 + 5, "{}: {explanation:#?}", lab.name);
            let (state, _) = cited_places(&records, &explanation.headline)[0];
            for sentence in explanation.all() {
                for (place, bond) in cited_places(&records, sentence) {
                    let told = format!("{}, at record {end}: {} cites {}", lab.name, sentence.text, place + 1);
                    assert!(place < end, "{told}");
                    counts.entry(lab.card.name).or_default()[bond as usize] += 1;
                    match bond {
                        RecordRole::Before => assert!(happened_before(place, state), "{told}"),
                        RecordRole::Silence => assert!(place < state, "{told}"),
                        RecordRole::Beside => {}
                    }
                }
            }
        }
        let session_past = SessionPast::new(Some(&head), &records);
        for number in violations(&session_past) {
            let explanation = why_record(&session_past, number).expect("it is there");
            assert_readable(&explanation);
            assert!(explanation.sentences.len() >= 2, "{}: {explanation:#?}", lab.name);
            let before = records.iter().position(|record| record.number == number).unwrap();
            for sentence in explanation.all() {
                assert!(
                    cited_places(&records, sentence).iter().all(|(place, _)| *place <= before),
                    "{}",
                    sentence.text
                );
            }
        }
    }
    for (algorithm, [before, ..]) in &counts {
        assert!(*before > 100, "{algorithm} is hardly told: {counts:?}");
    }
    assert_eq!(counts.len(), registry::BUILT_IN.algorithms.len(), "{counts:?}");
}

/// All sentences of the answer about this node, at the first moment at which its state is so.
fn told(name: &str, node: u16, is_it: impl Fn(&StateVector) -> bool) -> Vec<String> {
    let (head, records) = session_of(name);
    let node = NodeId::new(node).unwrap();
    let shows = |record: &Record| {
        record.node == Some(node) && record.step().and_then(|step| step.state.as_ref()).is_some_and(&is_it)
    };
    let end = records.iter().position(shows).expect("it comes to that") + 1;
    let explanation = why(&SessionPast::new(Some(&head), &records[..end]), node);
    explanation.all().map(|sentence| sentence.text.clone()).collect()
}

fn believes(state: &StateVector, coordinator: u16) -> bool {
    state.believes_in() == NodeId::new(coordinator)
}

#[test]
fn a_bully_takes_over_from_a_crashed_one() {
    assert_eq!(
        told("first", 4, |state| believes(state, 4)),
        [
            "4 has coordinated since 3.600 s, in Reorganization (247).",
            "4 last heard 5 at 2.000 s (184).",
            "f1 crashed 5 at 2.000 s (178).",
            "4 waited in vain for 5: 5T and twice T after AreYouThere, until 3.400 s; then it came into Election and \
             sent Halt to 1-3 (208, 216, 236).",
            "4 waited T; meanwhile it heard HaltAnswer of 1-3; and at 3.600 s it took itself for the coordinator \
             (Reorganization) (240, 241, 242, 247).",
        ]
    );
    let three = told("first", 3, |state| believes(state, 4));
    assert_eq!(
        three.last().unwrap(),
        "Why not 3: it sent AreYouThere to 4, and 4 answered AreYouThereAnswer at 3.204 s: 3 stood back (217, 227)."
    );
}

#[test]
fn what_goes_round_a_ring_is_one_sentence() {
    assert_eq!(
        told("ring", 4, |state| believes(state, 4)),
        [
            "4 has coordinated since 0.909 s, in Normal (190).",
            "4 last heard 5 at 0.011 s (113).",
            "f1 crashed 5 at 0.411 s (120).",
            "4 waited in vain for 5: T after inquiry(of=4, after=5), until 0.700 s; then it sent inquiry(of=4, \
             after=5) to 1 (122, 138).",
            "inquiry(of=4, after=5) went from 4 over 1, 2 and 3 to 4 by 0.704 s; then 4 came into Election and sent \
             inquiry-receipt to 3 and elect(of=4) to 5 (139, 145, 151, 160).",
            "4 waited in vain for 5: T after elect(of=4), until 0.904 s; then it sent elect(of=4) to 1 (160, 171).",
            "elect(of=4) went from 4 over 1, 2 and 3 to 4 by 0.909 s; then 4 took itself for the coordinator (Normal) \
             (172, 178, 184, 190).",
        ]
    );
}

#[test]
fn the_largest_capacity_decides() {
    assert_eq!(
        told("king-ni-c", 4, |state| believes(state, 5)),
        [
            "4 has followed 5 since 1.504 s, in stop (100).",
            "f1 ordered 1 at 0.500 s to hold an election; it came into coll1 and sent init(capacity=1) to all (63, 64).",
            "4 got init(capacity=1), which 1 sent, at 0.504 s and came into coll1 and sent init(capacity=4) to all \
             (64, 73).",
            "4 waited 2T; meanwhile it heard init of 2,3,5; and at 0.904 s it came into wait1 (74, 78, 81, 94).",
            "4 waited 3T; meanwhile it heard elected(capacity=5, round=1) of 5; and at 1.504 s it took 5 for its \
             coordinator (stop) (95, 100).",
            "Why not 4: it stood with capacity 4, and heard of capacity 5 from 5 at 0.905 s (95).",
        ]
    );
}

#[test]
fn questions_and_answers_are_told_in_turn() {
    assert_eq!(
        told("async-bully", 2, |state| believes(state, 2)),
        [
            "2 has coordinated since 2.822 s, in Norm (114).",
            "2 last heard 1 at 2.002 s (88).",
            "f1 crashed 1 at 2.014 s (94).",
            "2 waited in vain for 1: 2T after AreYouAlive, until 2.813 s; then it came into Elec2 and sent Halt to 3 \
             (97, 101).",
            "3, which followed 1, answered Rej, which 2 got at 2.815 s; 2 then sent Halt to 4 (36, 103, 106).",
            "4, which was in Wait, answered Ack, which 2 got at 2.820 s; 2 then sent Halt to 5 (107, 110, 111).",
            "5, which was in Wait, answered Ack, which 2 got at 2.822 s; 2 then took itself for the coordinator (Norm) \
             (112, 113, 114).",
        ]
    );
}

#[test]
fn a_violation_is_told_by_its_states() {
    let (head, records) = session_of("bully-pause");
    let session_past = SessionPast::new(Some(&head), &records);
    let explanation = why_record(&session_past, violations(&session_past)[0]).unwrap();
    let texts: Vec<&str> = explanation.all().map(|sentence| sentence.text.as_str()).collect();
    assert!(texts[0].starts_with("assertion-1 violated at 3.501 s (observed): 5 is Normal under 5"), "{}", texts[0]);
    assert_eq!(texts[1], "4 has coordinated since 3.501 s, in Reorganization (115).");
    assert_eq!(texts[3], "f1 paused 5 at 1.100 s (77).");
    assert!(
        texts.contains(&"5 has coordinated since 0.200 s, and has been in Normal since 0.206 s (45, 61)."),
        "{texts:#?}"
    );
    let judged = "The judge: path: 5 was affected at 1.100 s, 4 timed out on 5 at 3.301 s (record 108); cause: f1 (pause \
                  coordinator) broke assumption 9 (no pauses): node 5 has been paused for 2.4s (124).";
    assert_eq!(texts.last(), Some(&judged));
    assert_eq!(explanation.faults(), ["f1".parse().unwrap()]);
}

#[test]
fn the_forged_message_that_decided_is_named() {
    let (head, records) = session_of("liar-c-forge");
    let session_past = SessionPast::new(Some(&head), &records);
    let explanation = why_record(&session_past, violations(&session_past)[0]).unwrap();
    let texts: Vec<&str> = explanation.all().map(|sentence| sentence.text.as_str()).collect();
    let forged = "f3 (liar 2 forge) made 2 lie to 3 at 1.002 s: it says init (capacity 1, election 1) in the name of 4 \
                  (73).";
    let heard = "3 waited 2T; meanwhile it heard init(in-name-of=4) of 2 and init of 2,4; and at 1.401 s it came into \
                 coll2 and sent elected(capacity=3, round=1) to all (78, 89, 90, 97).";
    assert!(texts.contains(&forged) && texts.contains(&heard), "{texts:#?}");
}

/// Five nodes of the Bully algorithm, of which one comes back by these steps: what is told of 5 then.
fn told_of_comeback(first: &str, second: &str) -> Vec<String> {
    let step =
        |name: &str, at: &str, line: &str| format!("[[step]]\nname = \"{name}\"\nat = \"{at}\"\ndo = [\"{line}\"]\n");
    let text = format!(
        "name = \"back\"\nabout = \"One comes back.\"\nsource = \"Garcia-Molina 1982\"\nalgorithm = \"bully\"\n\
         nodes = 5\nseed = 1\nT = \"200ms\"\ncheck = \"200ms\"\nsilence = \"1s\"\n[settings]\nform = \"parallel\"\n{}{}\
         [[step]]\nname = \"quiet\"\nat = \"8s\"\ndo = []\n",
        step("away", "2s", first),
        step("back", "4s", second)
    );
    let plan = Plan::of(lab_of("back", &text));
    let (head, records) = (head(&plan), recorded(&plan));
    let session_past = SessionPast::new(Some(&head), &records);
    why(&session_past, NodeId::new(5).unwrap()).all().map(|sentence| sentence.text.clone()).collect()
}

#[test]
fn behind_an_answer_stands_a_recovery() {
    let told = told_of_comeback("crash 4", "recover 4");
    let back = told.iter().position(|text| text.starts_with("f2 recovered 4: 4 started at 4.0"));
    let answer = told.iter().position(|text| text.contains("AreYouNormalAnswer(normal=no)"));
    assert!(back.is_some() && back < answer, "{told:#?}");
}

#[test]
fn behind_an_answer_stands_the_askers_pause() {
    let told = told_of_comeback("pause 5", "resume 5");
    let pause = told.iter().position(|text| text.starts_with("f1 paused 5 at 2.000 s, until it went on at 4.000 s"));
    let answer = told.iter().position(|text| text.contains("which followed 4, answered AreYouNormalAnswer(normal=no)"));
    assert!(pause.is_some() && pause < answer, "{told:#?}");
}

#[test]
fn answers_awaited_together_are_told_together() {
    let (head, records) = session_of("partition-and-merge");
    let explanation = why(&SessionPast::new(Some(&head), &records), NodeId::new(5).unwrap());
    let told: Vec<&str> = explanation.all().map(|sentence| sentence.text.as_str()).collect();
    let answers = "2 answered AreYouCoordinatorAnswer(coordinator=yes) and 1,3,4 answered \
                   AreYouCoordinatorAnswer(coordinator=no); 5 got the last of these answers at 6.003 s; 5 then came into \
                   Election and sent Invitation";
    assert!(told.iter().any(|text| text.starts_with(answers)), "{told:#?}");
}

/// All sentences about the first violation of the lab of this name.
fn told_of_violation(name: &str) -> Vec<String> {
    let (head, records) = session_of(name);
    let session_past = SessionPast::new(Some(&head), &records);
    let explanation = why_record(&session_past, violations(&session_past)[0]).expect("it is there");
    explanation.all().map(|sentence| sentence.text.clone()).collect()
}

#[track_caller]
fn assert_tells(name: &str, sentences: &[&str]) {
    let told = told_of_violation(name);
    for sentence in sentences {
        assert!(told.iter().any(|text| text.contains(sentence)), "{name}: {sentence} is not in {told:#?}");
    }
}

#[test]
fn what_keeps_a_state_is_told() {
    assert_tells("king-ni-a-letter", &["4 has been dead since 1.600 s: f2 crashed it ("]);
    assert_tells(
        "bully-hole-b2",
        &["1 waits for 3, whose Halt it obeys; 3 has been dead since 0.002 s: f1 crashed it ("],
    );
    assert_tells("async-bully-hole-5", &["1 sent Halt to 2 and has no answer: f1 (cut 1->2) dropped it ("]);
    assert_tells("ring-swallowed", &["1 sent elect(of=1) to 2, and 2 has been dead since 2.282 s: f3 crashed it ("]);
}

#[test]
fn of_two_tasks_each_origin_is_told() {
    assert_tells(
        "liar-bully-claim",
        &["1 has had task 4.1.1073741824 under 4 since 2.002 s", "3 has had task 4.1.1 under 4 since 0.204 s"],
    );
    assert_tells(
        "liar-invitation-equivocate",
        &["2 has had task 4.1.5 under 4 since 4.003 s", "3 has had task 4.1.1 under 4 since 4.004 s"],
    );
}

#[test]
fn a_pause_within_a_wait_is_told() {
    let step =
        |name: &str, at: &str, line: &str| format!("[[step]]\nname = \"{name}\"\nat = \"{at}\"\ndo = [\"{line}\"]\n");
    let text = format!(
        "name = \"paused\"\nabout = \"One pauses in its election.\"\nsource = \"King, Gendreau and Ni 1988\"\nalgorithm \
         = \"king-ni-c\"\nnodes = 4\nseed = 1\nT = \"600ms\"\ncheck = \"2s\"\nsilence = \"5s\"\n{}{}{}{}",
        step("elect", "5s", "elect 1-4"),
        step("pause", "7s", "pause 4"),
        step("resume", "14s", "resume 4"),
        "[[step]]\nname = \"quiet\"\nat = \"15s\"\ndo = []\n"
    );
    let plan = Plan::of(lab_of("paused", &text));
    let (head, records) = (head(&plan), recorded(&plan));
    let end = records.iter().position(|record| record.at > 14_500_000_000).unwrap_or(records.len());
    let explanation = why(&SessionPast::new(Some(&head), &records[..end]), NodeId::new(4).unwrap());
    let told: Vec<&str> = explanation.all().map(|sentence| sentence.text.as_str()).collect();
    let waited = "4 waited 3T, and stood still from 7.000 s to 14.000 s (f2 paused it), and at 14.000 s it took itself";
    assert!(told.iter().any(|text| text.starts_with(waited)), "{told:#?}");
}
