//! Words about a token: who has it, and whom each other one would ask for it.

use crate::section;
use crate::words::{Emphasis, Field, RowPart, joined, times, words, working};
use protocol::{ApplicationFacts, NodeId, NodeSet, TokenWork, Work};
use record::{EffectText, Step};
use world::{ProcessState, World};

/// What a step did at the critical section, and with the token.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Token(token) = work else { return None };
    let handed = step.effects.iter().find_map(|effect| match effect {
        EffectText::Send { id, message, .. } if message.kind == "Token" => {
            Some(format!("hands the token to {}", id.to?))
        }
        _ => None,
    });
    let said: Vec<String> = section::words::did(token.section, step).into_iter().chain(handed).collect();
    joined(&said)
}

/// Who has the token, whom each other one would ask for it, and who is inside.
pub fn row(world: &World, facts: &ApplicationFacts) -> Vec<RowPart> {
    let works = working(world, ProcessState::is_up).filter_map(|(id, _, work)| Some((id, work.token()?)));
    let works: Vec<(NodeId, TokenWork)> = works.collect();
    let mut row = Vec::new();
    if !works.is_empty() {
        let holders: NodeSet = works.iter().filter(|(_, work)| work.token.is_some()).map(|(id, _)| *id).collect();
        row.push(match holders.len() {
            0 => words("nobody holds the token", Emphasis::Doubt),
            1 => words(format!("{holders} holds the token"), Emphasis::Strong),
            _ => words(format!("{holders} hold a token each"), Emphasis::Bad),
        });
        let guesses = works.iter().filter(|(_, work)| work.token.is_none()).map(|(id, work)| match work.guess {
            Some(guess) => format!("{id}→{guess}"),
            None => format!("{id} last"),
        });
        let guesses: Vec<String> = guesses.collect();
        let whom = if guesses.is_empty() { "  ".to_owned() } else { format!("; {}  ", guesses.join(" ")) };
        row.push(words(whom, Emphasis::Normal));
    }
    row.extend(section::words::row(world, facts));
    row
}

/// How a process stands to the section and to the token.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Token(token) = work else { return Vec::new() };
    let place = match (token.token, token.guess) {
        (Some(number), _) => format!("here: it was handed over {}", times(number)),
        (None, Some(guess)) => format!("not here; this process would ask {guess}"),
        (None, None) => "not here; this process is the last that waits for it".to_owned(),
    };
    let mut fields = vec![section::words::field(token.section), ("token", place)];
    if let Some(next) = token.next {
        fields.push(("next", format!("{next} gets it after this one")));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::words::{ENTERING_LINE, LEAVING_LINES, WANTING_LINE};
    use crate::tests::{ToldLab, at_work, fields, node, normal, sent};
    use judge::trial::application;
    use protocol::{LineNumber, SectionState, SectionWork};

    fn lab() -> ToldLab {
        ToldLab::new(application("token", &[], 0))
    }

    /// What a process knows: the token's number if it is here, its guess, and the next one.
    type Known = (Option<u64>, Option<u16>, Option<u16>);

    fn work(stance: SectionState, (token, guess, next): Known) -> Work {
        let [guess, next] = [guess, next].map(|other| other.map(node));
        Work::Token(TokenWork { section: SectionWork { stance, entries: 1 }, token, guess, next })
    }

    /// The process hands the token to that one, and is left so.
    fn hands(lab: &mut ToldLab, from: u16, to: u16, line: LineNumber, known: Known) {
        let step = at_work(normal(5, 1), work(SectionState::Outside, known));
        lab.takes(from, Step { lines: vec![line], effects: vec![sent(from, to, "Token")], ..step });
    }

    #[test]
    fn the_row_says_who_holds_it() {
        let mut lab = lab();
        lab.works(1, work(SectionState::Inside, (Some(2), Some(3), Some(3))), &[ENTERING_LINE]);
        hands(&mut lab, 2, 1, LEAVING_LINES[0], (None, Some(3), None));
        let row = lab.works(3, work(SectionState::Waiting, (None, None, None)), &[WANTING_LINE]);
        assert_eq!(row, "1 holds the token; 2→3 3 last  1 is inside, 3 waits  entered 1:1 2:1 3:1");
        let expected = [
            "1 enters the critical section",
            "2 leaves the critical section, and hands the token to 1",
            "3 waits for the critical section",
        ];
        assert_eq!(lab.did, expected);
    }

    #[test]
    fn no_token_and_two_tokens_are_told() {
        let mut lab = lab();
        hands(&mut lab, 1, 3, LEAVING_LINES[0], (None, Some(3), None));
        let row = lab.works(3, work(SectionState::Waiting, (None, None, None)), &[WANTING_LINE]);
        assert_eq!(row, "nobody holds the token; 1→3 3 last  nobody is inside, 3 waits  entered 1:1 3:1");
        lab.works(1, work(SectionState::Inside, (Some(0), None, None)), &[ENTERING_LINE]);
        let row = lab.works(3, work(SectionState::Inside, (Some(3), None, None)), &[ENTERING_LINE]);
        assert_eq!(row, "1,3 hold a token each  1,3 are inside  entered 1:1 3:1");
    }

    #[test]
    fn the_fields_tell_where_it_is() {
        let told = fields(&work(SectionState::Inside, (Some(2), Some(3), Some(3))));
        let expected = "section: inside; it has entered once since its start\ntoken: here: it was handed over 2 times\n\
                        next: 3 gets it after this one";
        assert_eq!(told, expected);
        let told = fields(&work(SectionState::Outside, (None, Some(3), None)));
        assert!(told.ends_with("token: not here; this process would ask 3"), "{told}");
        let told = fields(&work(SectionState::Waiting, (None, None, None)));
        assert!(told.ends_with("token: not here; this process is the last that waits for it"), "{told}");
    }
}
