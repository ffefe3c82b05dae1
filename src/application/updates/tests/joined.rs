//! Without the majority rule: any group does updates, and logs join before that.

use super::*;

/// Node `me` of five without the majority rule, with this log.
fn loose(me: u16, log: &UpdateLog, prepared: Option<PreparedUpdate>) -> Updates {
    let roster = Roster::new(5).unwrap();
    let own = Settings::defaults(card::CARD.settings, roster.all()).with(card::MAJORITY, SettingValue::Flag(false));
    Updates::start(
        &setup(me, roster, T, SILENCE),
        &own,
        Some(UpdateCells { updates: vec![], prepared, built: log.built() }),
    )
}

fn empty() -> UpdateLog {
    UpdateLog::graph_of(&[])
}

/// An update that this coordinator did first of all.
fn alone(under: u16) -> UpdateLog {
    let mut log = empty();
    log.append(update(u32::from(under), attempt(under, 1)));
    log
}

fn has(log: &UpdateLog, in_doubt: Option<PreparedUpdate>) -> LogStanding {
    LogStanding { length: log.length(), digest: log.digest(), in_doubt: in_doubt.map(Box::new) }
}

fn keeps(log: &UpdateLog, prepared: Option<PreparedUpdate>) -> Option<UpdateCells> {
    Some(UpdateCells { updates: vec![], prepared, built: log.built() })
}

fn known(to: u16, log: &UpdateLog) -> ApplicationEffect<Updates> {
    send(to, knows(log))
}

fn knows(log: &UpdateLog) -> UpdateMessage {
    UpdateMessage::Known { version: log.version(), digest: log.digest() }
}

fn lacking(log: &UpdateLog, after: &UpdateLog) -> UpdateMessage {
    UpdateMessage::Lacking(log.lacking(&after.version()))
}

/// Both logs in one.
fn union(one: &UpdateLog, other: &UpdateLog) -> UpdateLog {
    let mut log = one.clone();
    log.join(&other.built());
    log
}

/// This node begins to coordinate these, which have reported this.
fn began(machine: &mut Updates, me: u16, reports: &[(u16, LogStanding)]) -> Did {
    let up = reports.iter().map(|(of, _)| node(*of)).collect::<NodeSet>().to_string();
    did(|fx| machine.on_state(&state(Status::Reorganization, me, &up, &up), fx));
    for (of, standing) in reports {
        did(|fx| machine.on_report(node(*of), UpdateMessage::Report(standing.clone(), None), fx));
    }
    did(|fx| machine.on_state(&state(Status::Normal, me, &up, &up), fx))
}

#[test]
fn one_alone_does_an_update() {
    let mut five = loose(5, &empty(), None);
    assert_eq!(began(&mut five, 5, &[]).1, vec![34]);
    let first = LoggedUpdate { id: id(5, 1), value: 7, by: attempt(5, 1) };
    let mut log = empty();
    log.append(first);
    let done = did(|fx| five.on_update(7, fx));
    let effects = [vec![cancel(UpdateTimer::Request)], waits_no_more().to_vec()].concat();
    assert_eq!(done, (effects, vec![31, 37, 40, 54], keeps(&log, None)));
}

#[test]
fn a_coordinator_begins_once_logs_are_joined() {
    let (two, five) = (alone(2), alone(5));
    let both = union(&two, &five);
    let mut machine = loose(5, &five, None);
    let begun = began(&mut machine, 5, &[(1, has(&five, None)), (2, has(&two, None))]);
    assert_eq!(begun, ([vec![known(2, &five)], waits().to_vec()].concat(), vec![34, 56], None));
    let waiting = did(|fx| machine.on_update(7, fx));
    assert_eq!(waiting, (vec![], vec![31], None), "not before the log is the union");
    let told = hear(&mut machine, 2, lacking(&two, &five));
    let asks_again = [vec![known(2, &both)], waits().to_vec()].concat();
    assert_eq!(told, (asks_again, vec![58, 59, 56], keeps(&both, None)));
    assert_eq!(work(&machine).learnt, two.updates());
    assert_eq!((work(&machine).in_conflict(), work(&machine).counter), (2, 7));
    let compared = hear(&mut machine, 2, knows(&two));
    let parts = vec![send(1, lacking(&both, &five)), send(2, lacking(&both, &two))];
    assert_eq!(compared, ([parts, waits().to_vec()].concat(), vec![57, 57], None));
    assert!(work(&machine).learnt.is_empty());
    hear(&mut machine, 1, knows(&both));
    assert_eq!(work(&machine).in_doubt, None, "2 has not said so");
    let begins = hear(&mut machine, 2, knows(&both));
    assert_eq!(begins.1, vec![37]);
    let asked = work(&machine).in_doubt.unwrap();
    assert_eq!((asked.position, asked.voters), (3, nodes("1,2,5")));
    // While the voters have this log, nothing else is taken in.
    let late = hear(&mut machine, 2, lacking(&alone(4), &empty()));
    assert_eq!((late.1, late.2), (vec![], None));
}

#[test]
fn a_member_answers_with_what_is_lacking() {
    let (two, five) = (alone(2), alone(5));
    let both = union(&two, &five);
    let mut machine = loose(2, &two, None);
    did(|fx| machine.on_state(&state(Status::Normal, 5, "-", "1,2"), fx));
    let asked = hear(&mut machine, 5, knows(&five));
    assert_eq!(asked, (vec![send(5, lacking(&two, &five))], vec![57], None));
    let compared = hear(&mut machine, 5, knows(&both));
    assert_eq!(compared, (vec![known(5, &two)], vec![56], None));
    let took = hear(&mut machine, 5, lacking(&both, &two));
    assert_eq!(took, (vec![known(5, &both)], vec![58, 59], keeps(&both, None)));
    let twice = hear(&mut machine, 5, lacking(&both, &two));
    assert_eq!(twice, (vec![known(5, &both)], vec![], None));
    let part = LogPart { first: 3, before: both.digest(), updates: done(1) };
    let foreign = hear(&mut machine, 5, UpdateMessage::Entries(Box::new(part)));
    assert_eq!(foreign, nothing(), "its log is no line");
}

#[test]
fn a_doubt_ends_when_the_log_grows() {
    let asked = prepared(0, attempt(5, 1), "1,2,5");
    let mut five = empty();
    five.append(asked.update);
    let (three, mut machine) = (alone(3), loose(2, &empty(), Some(asked)));
    did(|fx| machine.on_state(&state(Status::Normal, 3, "-", "2"), fx));
    let took = hear(&mut machine, 3, lacking(&three, &empty()));
    assert_eq!(took, (vec![known(3, &three)], vec![58], keeps(&three, Some(asked))));
    let commit = hear(&mut machine, 3, UpdateMessage::Commit { transaction: asked.update.by });
    let still = send(3, UpdateMessage::Have(has(&three, Some(asked))));
    assert_eq!(commit, (vec![still], vec![], None), "its place is another one now");
    let both = union(&three, &five);
    let took = hear(&mut machine, 3, lacking(&both, &three));
    assert_eq!(took, (vec![cancel(UpdateTimer::Doubt), known(3, &both)], vec![58, 59], keeps(&both, None)));
}

#[test]
fn a_doubt_blocks_any_group() {
    let asked = prepared(0, attempt(5, 1), "2,5");
    let three = alone(3);
    let mut machine = loose(3, &three, None);
    let begun = began(&mut machine, 3, &[(2, has(&three, Some(asked)))]);
    assert_eq!(begun.1, vec![34, 47]);
    assert_eq!(work(&machine).blocked, Some(BlockedUpdate { position: 1, knows: nodes("5") }));
}

#[test]
fn who_does_not_vote_orders_nothing() {
    let mut machine = loose(5, &empty(), None);
    let up = "1,2";
    did(|fx| machine.on_state(&state(Status::Normal, 5, up, up), fx));
    hear(&mut machine, 1, UpdateMessage::Have(has(&empty(), None)));
    let asked = hear(&mut machine, 2, UpdateMessage::Request { id: id(2, 1), value: 1 });
    assert_eq!((asked.1, work(&machine).in_doubt), (vec![36], None));
    hear(&mut machine, 2, UpdateMessage::Have(has(&empty(), None)));
    assert_eq!(hear(&mut machine, 2, UpdateMessage::Request { id: id(2, 1), value: 1 }).1, vec![36, 37]);
}

#[test]
fn who_has_another_log_takes_no_part() {
    let mut other = empty();
    other.append(LoggedUpdate { value: 9, ..update(5, attempt(5, 2)) });
    let mut machine = loose(5, &alone(5), None);
    assert_eq!(began(&mut machine, 5, &[(2, has(&other, None))]).1, vec![34, 56]);
    let compared = hear(&mut machine, 2, knows(&other));
    let effects = [vec![set(UpdateTimer::Knock, SILENCE)], waits_no_more().to_vec()].concat();
    assert_eq!(compared, (effects, vec![], None));
    assert_eq!(did(|fx| machine.on_update(7, fx)).1, vec![31, 37, 40, 54], "it does without");
}
