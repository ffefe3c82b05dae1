//! Words about the resource and its writers: what it holds, has seen and has refused, and who writes with which number.

use crate::words::{Emphasis, Field, RowPart, words, working};
use protocol::{ApplicationFacts, FencingWork, ResourceWork, Work, WriteFate, WriteProgress, WriteView, WriterWork};
use record::{Input, Step};
use world::{ProcessState, World};

/// What the resource did with a write. Only a write changes what it shows.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Fencing(FencingWork::Resource(work)) = work else { return None };
    let write = work.latest.filter(|_| matches!(step.input, Input::Message { .. }))?;
    let WriteView { term, number, value, fate } = write;
    Some(match (fate, work.highest) {
        (WriteFate::Refused, Some(highest)) => {
            format!("refuses {value} of {}: its number {number} is lower than {highest}", term.node)
        }
        _ => format!("takes {value} of {}, number {number}", term.node),
    })
}

/// The resource, and who writes to it.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let mut row = Vec::new();
    for (id, view, work) in working(world, |_| true) {
        let Work::Fencing(FencingWork::Resource(work)) = work else { continue };
        let ResourceWork { value, highest, refused, latest, .. } = work;
        let highest = highest.map_or_else(String::new, |highest| format!(", highest {highest}"));
        row.push(words(format!("{id} holds {value}{highest}"), Emphasis::Strong));
        match latest {
            Some(WriteView { term, number, fate: WriteFate::Refused, .. }) => {
                let text = format!(", refused {refused}: {number} of {} is lower", term.node);
                row.push(words(text, Emphasis::Doubt));
            }
            Some(WriteView { term, .. }) => row.push(words(format!(", written by {}", term.node), Emphasis::Dim)),
            None => {}
        }
        if view.process != ProcessState::Running {
            row.push(words(", and does not run", Emphasis::Doubt));
        }
        row.push(words("  ", Emphasis::Plain));
    }
    for (id, view, work) in working(world, |_| true) {
        let Work::Fencing(FencingWork::Writer(work)) = work else { continue };
        let Some(number) = work.number else { continue };
        let (does, emphasis) = match (view.process, work.progress) {
            (ProcessState::Paused, WriteProgress::None) => ("is paused", Emphasis::Doubt),
            (ProcessState::Paused, _) => ("is paused amid a write", Emphasis::Doubt),
            (_, WriteProgress::Reads) => ("reads", Emphasis::Normal),
            (_, WriteProgress::Writes(_)) => ("writes", Emphasis::Normal),
            (_, WriteProgress::None) => ("waits to write", Emphasis::Normal),
        };
        row.push(words(format!("{id} {does} with {number}  "), emphasis));
    }
    row
}

/// All about the resource, or about a writer.
pub fn fields(work: &Work) -> Vec<Field> {
    match work {
        Work::Fencing(FencingWork::Writer(work)) => of_writer(work),
        Work::Fencing(FencingWork::Resource(work)) => of_resource(work),
        _ => Vec::new(),
    }
}

/// A process that does not coordinate, and has written nothing, has none.
fn of_writer(work: &WriterWork) -> Vec<Field> {
    let mut fields = Vec::new();
    if let (Some(term), Some(number)) = (work.term, work.number) {
        fields.push(("term", format!("{term}, number {number}")));
        let progress = match work.progress {
            WriteProgress::None => "none: it waits before the next one".to_owned(),
            WriteProgress::Reads => "it has asked the resource for its content".to_owned(),
            WriteProgress::Writes(value) => format!("it has sent {value}"),
        };
        fields.push(("its write", progress));
    }
    if work.landed + work.refused > 0 {
        fields.push(("its writes", format!("{} landed, {} refused", work.landed, work.refused)));
    }
    fields
}

fn of_resource(work: &ResourceWork) -> Vec<Field> {
    let highest = work.highest.map_or_else(|| "-".to_owned(), |highest| highest.to_string());
    let mut fields = vec![
        ("content", work.value.to_string()),
        ("highest", format!("number {highest} of all writes that have landed")),
        ("writes", format!("{} landed, {} refused since its start", work.landed, work.refused)),
    ];
    if let Some(WriteView { term, number, value, fate }) = work.latest {
        let fate = match fate {
            WriteFate::Landed => "landed",
            WriteFate::Refused => "was refused",
        };
        fields.push(("the last", format!("{value} of {}, number {number}, term {term}: it {fate}", term.node)));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, at_work, fields, given, node};
    use judge::trial::application;
    use protocol::{FencingNumber, Incarnation, StateVector, Status, TermId};
    use record::Body;

    fn number(count: u64, of: u16) -> FencingNumber {
        FencingNumber { count, node: node(of) }
    }

    fn term(of: u16) -> TermId {
        TermId { node: node(of), incarnation: Incarnation(1), serial: 1 }
    }

    /// A process that coordinates with this number, and whose write is so far.
    fn writer(who: u16, count: u64, progress: WriteProgress) -> Work {
        let (term, number) = (Some(term(who)), Some(number(count, who)));
        Work::Fencing(FencingWork::Writer(WriterWork { term, number, progress, landed: 0, refused: 0 }))
    }

    /// The resource after that write.
    fn resource(who: u16, count: u64, written: u64, fate: WriteFate) -> Work {
        let latest = Some(WriteView { term: term(who), number: number(count, who), value: written, fate });
        let (highest, refused) = (Some(number(2, 3)), u64::from(fate == WriteFate::Refused));
        Work::Fencing(FencingWork::Resource(ResourceWork { value: 6, highest, landed: 6, refused, latest }))
    }

    #[test]
    fn the_row_says_who_writes_and_is_refused() {
        let mut lab = ToldLab::new(application("fencing", &[], 0));
        let takes = |lab: &mut ToldLab, from: u16, work: Work| {
            let step = at_work(StateVector::new(Status::Normal, "Bystander", None), work);
            lab.takes(5, Step { input: given(from, "Write"), ..step })
        };
        lab.works(4, writer(4, 1, WriteProgress::Reads), &[]);
        let row = takes(&mut lab, 3, resource(3, 2, 6, WriteFate::Landed));
        assert_eq!(row, "5 holds 6, highest 2.3, written by 3  4 reads with 1.4");
        lab.happens(4, Body::Stopped { by: fault::FaultId(1) });
        lab.works(3, writer(3, 2, WriteProgress::Writes(7)), &[]);
        let row = takes(&mut lab, 4, resource(4, 1, 2, WriteFate::Refused));
        let expected = "5 holds 6, highest 2.3, refused 1: 1.4 of 4 is lower  3 writes with 2.3  4 is paused amid a \
                        write with 1.4";
        assert_eq!(row, expected);
        assert_eq!(lab.did, ["5 takes 6 of 3, number 2.3", "5 refuses 2 of 4: its number 1.4 is lower than 2.3"]);
    }

    #[test]
    fn the_fields_tell_of_resource_and_writer() {
        let told = fields(&resource(4, 1, 2, WriteFate::Refused));
        let expected = "content: 6\nhighest: number 2.3 of all writes that have landed\nwrites: 6 landed, 1 refused since \
                        its start\nthe last: 2 of 4, number 1.4, term 4.1.1: it was refused";
        assert_eq!(told, expected);
        let told = fields(&writer(3, 2, WriteProgress::Writes(7)));
        assert_eq!(told, "term: 3.1.1, number 2.3\nits write: it has sent 7");
    }
}
