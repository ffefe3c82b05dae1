//! What a node holds of the lab's application: a coordinator's term and write, what the resource has taken, how it stands
//! to a critical section, what it asks for and serves, which updates conflict, its copy of a counter, whom it knows as
//! members.
//!
//! Invariant: a process that does not coordinate, and has written nothing, has no rows of writes.

use super::sheet::Sheet;
use protocol::{
    ConflictList, ConflictingUpdate, CopyWork, FencingWork, JoinWork, MemberView, ResourceWork, SectionWork,
    ServiceWork, TokenWork, Work, WriteFate, WriteProgress, WriteView, WriterWork,
};

/// Its fields.
pub fn lines(sheet: &mut Sheet<'_>, work: &Work) {
    match work {
        Work::Fencing(FencingWork::Writer(work)) => of_writer(sheet, work),
        Work::Fencing(FencingWork::Resource(work)) => of_resource(sheet, work),
        Work::Exclusion(section) => of_section(sheet, *section),
        Work::Copies(work) => of_copy(sheet, work),
        Work::Joining(work) => of_member(sheet, work),
        Work::Service(work) => of_service(sheet, work),
        Work::Token(work) => of_token(sheet, *work),
        Work::Updates(work) => work.conflicts.iter().for_each(|conflicts| of_conflicts(sheet, conflicts)),
        Work::Shards(_) | Work::History(_) => {}
    }
}

/// The updates that conflict, the last ones by name.
fn of_conflicts(sheet: &mut Sheet<'_>, conflicts: &ConflictList) {
    let pairs = if conflicts.pairs == 1 { "1 pair".to_owned() } else { format!("{} pairs", conflicts.pairs) };
    sheet.field("updates", &format!("{conflicts}; {pairs} of which neither builds on the other"));
    for ConflictingUpdate { position, update, others } in &conflicts.last {
        let (id, value, author) = (update.id, update.value, update.by.task.author);
        sheet.field("", &format!("update {position}: {value:+}, order {id}, done under {author}, against {others}"));
    }
}

fn of_member(sheet: &mut Sheet<'_>, work: &JoinWork) {
    let MemberView { version, members } = work.view;
    sheet.field("members", &format!("{members}, after {version} admissions"));
    sheet.field("itself", &work.stance.to_string());
    if let Some(poll) = work.poll {
        sheet.field("votes", &poll.to_string());
    }
    if let Some(pending) = work.pending {
        sheet.field("its vote", &format!("yes to {}", pending.newcomer));
    }
    if let Some(poll) = work.refused_by {
        sheet.field("refused", &format!("{}, the last by {poll}", times(work.refusals.into())));
    }
}

fn of_copy(sheet: &mut Sheet<'_>, work: &CopyWork) {
    let held = work.held;
    let of = held.version.map_or_else(|| "never written".to_owned(), |version| format!("of write {version}"));
    sheet.field("its copy", &format!("counter {} after {} updates, {of}", held.counter, held.count));
    if let Some(control) = work.control {
        sheet.field("control", &format!("of {control} of the weight"));
    }
    if let Some(acknowledged) = work.acknowledged {
        sheet.field("its orders", &format!("{} acknowledged, the last is {}", acknowledged.times, acknowledged.id));
    }
    if let Some(refused) = work.refused {
        sheet.field(
            "refused",
            &format!("{}, the last {:+}: {}", times(refused.times.into()), refused.value, refused.why),
        );
    }
    if let Some(doubted) = work.doubted {
        sheet.field("in doubt", &format!("{}, the last {:+}", times(doubted.times.into()), doubted.value));
    }
}

fn of_section(sheet: &mut Sheet<'_>, section: SectionWork) {
    sheet.field("section", &format!("{}; it has entered {} since its start", section.stance, times(section.entries)));
}

fn of_service(sheet: &mut Sheet<'_>, work: &ServiceWork) {
    if let Some(log) = work.asked {
        let server = log.server.map_or_else(|| "nobody serves it".to_owned(), |server| format!("{server} serves it"));
        sheet.field("asks for", &format!("service {}: {} parts are done, {server}", log.id, log.done));
    }
    if work.waiting > 0 {
        sheet.field("requests", &format!("{} more wait", work.waiting));
    }
    sheet.field("serves", &format!("{}; it has finished {}", work.serves, work.finished));
}

fn of_token(sheet: &mut Sheet<'_>, work: TokenWork) {
    of_section(sheet, work.section);
    let place = match (work.token, work.guess) {
        (Some(number), _) => format!("here: it was handed over {}", times(number)),
        (None, Some(guess)) => format!("not here; this process would ask {guess}"),
        (None, None) => "not here; this process is the last that waits for it".to_owned(),
    };
    sheet.field("token", &place);
    if let Some(next) = work.next {
        sheet.field("next", &format!("{next} gets it after this one"));
    }
}

fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        number => format!("{number} times"),
    }
}

fn of_writer(sheet: &mut Sheet<'_>, work: &WriterWork) {
    if let (Some(term), Some(number)) = (work.term, work.number) {
        sheet.field("term", &format!("{term}, number {number}"));
        let progress = match work.progress {
            WriteProgress::None => "none: it waits before the next one".to_owned(),
            WriteProgress::Reads => "it has asked the resource for its content".to_owned(),
            WriteProgress::Writes(value) => format!("it has sent {value}"),
        };
        sheet.field("its write", &progress);
    }
    if work.landed + work.refused > 0 {
        sheet.field("its writes", &format!("{} landed, {} refused", work.landed, work.refused));
    }
}

fn of_resource(sheet: &mut Sheet<'_>, work: &ResourceWork) {
    sheet.field("content", &work.value.to_string());
    let highest = work.highest.map_or_else(|| "-".to_owned(), |highest| highest.to_string());
    sheet.field("highest", &format!("number {highest} of all writes that have landed"));
    sheet.field("writes", &format!("{} landed, {} refused since its start", work.landed, work.refused));
    if let Some(WriteView { term, number, value, fate }) = work.latest {
        let fate = match fate {
            WriteFate::Landed => "landed",
            WriteFate::Refused => "was refused",
        };
        sheet.field("the last", &format!("{value} of {}, number {number}, term {term}: it {fate}", term.node));
    }
}
