//! Tables 4a and 4b (section 6) and the mends of their holes, row by row; below them what their words mean.
//!
//! Invariant: `dup` goes out at 9, 12 and 19 and where a mend says so, never at 10, 13 and 20.

use super::super::Hole::*;
use super::super::table::Event::*;
use super::super::table::Phase::*;
use super::super::table::{self, TableMachine, mend, row};
use super::{ASKS, Age, AlgorithmC, HeardFrom, Message};

type Row = table::Row<AlgorithmC>;
type Guard = table::Guard<AlgorithmC>;
type Act = table::Act<AlgorithmC>;

/// The rows of the paper.
#[rustfmt::skip]
pub(super) const PAPER: &[Row] = &[
    row( 1, Normal, Begins ).given(CANDIDATE)    .sets(S_IS_I)       .sends(INIT)    .timer(2).to(Coll1),
    row( 2, Normal, Init   ).given(CANDIDATE)    .sets(S_IS_I_AND_J) .sends(INIT)    .timer(2).to(Coll1),
    row( 3, Normal, Init   ).given(NOT_CANDIDATE)                                    .timer(5).to(Wait1),
    row( 4, Normal, Elected)                     .sets(MS_IS_J)                      .timer(3).to(Wait2),
    row( 5, Normal, Dup    )                                                         .timer(3).to(Wait3),
    row( 6, Coll1,  Init   )                     .sets(ADD_INIT)                              .to(Coll1),
    row( 7, Coll1,  TimeOut).given(I_IS_NOT_MAX)                                     .timer(3).to(Wait1),
    row( 8, Coll1,  TimeOut).given(I_IS_MAX)     .sets(ONLY_I)       .sends(ELECTED) .timer(3).to(Coll2),
    row( 9, Coll2,  Elected)                     .sets(ADD_J)        .sends(DUP_I_J)          .to(Coll3),
    row(10, Coll2,  Dup    )                     .sets(ADD_K_AND_L)                           .to(Coll3),
    row(11, Coll2,  TimeOut)                     .sets(MS_IS_I)                               .to(Master),
    row(12, Coll3,  Elected)                     .sets(ADD_J)        .sends(DUP_I_J)          .to(Coll3),
    row(13, Coll3,  Dup    )                     .sets(ADD_K_AND_L)                           .to(Coll3),
    row(14, Coll3,  TimeOut).given(I_IS_MAX)     .sets(ONLY_I_AGAIN) .sends(ELECTED) .timer(3).to(Coll2),
    row(15, Coll3,  TimeOut).given(I_IS_NOT_MAX)                                     .timer(3).to(Wait1),
    row(16, Wait1,  Elected)                     .sets(MS_IS_J)                               .to(Wait2),
    row(17, Wait1,  Dup    )                                                         .timer(2).to(Wait3),
    row(18, Wait1,  TimeOut)                                         .sends(HELP)             .to(Help),
    row(19, Wait2,  Elected).given(J_IS_NOT_MS)                      .sends(DUP_MS_J)         .to(Wait3),
    row(20, Wait2,  Dup    )                                                                  .to(Wait3),
    row(21, Wait2,  TimeOut)                                                                  .to(Stop),
    row(22, Wait3,  TimeOut)                                                         .timer(3).to(Wait1),
];

/// The mends, in the order in which they are tried.
#[rustfmt::skip]
pub(super) const MENDS: &[Row] = &[
    mend(ElectedInColl1, 102, &[Coll1], Elected).or(Dup).sets(REMEMBER),
    mend(ElectedInColl1, 112, &[Coll2], Remembered).sets(ADD_REMEMBERED).sends(DUP_I_EACH).to(Coll3),
    mend(ElectedInColl1, 122, &[Coll1], TimeOut).given(ONE_ANNOUNCER).sets(MS_IS_ANNOUNCER).timer(3).to(Wait2),
    mend(ElectedInColl1, 132, &[Coll1], TimeOut).given(ANNOUNCERS).sends(DUP_UNHEARD).timer(3).to(Wait3),
    mend(NextRoundInWait3, 103, &[Wait1, Wait2, Wait3], Elected).given(LATER).sets(MS_IS_J).timer(3).to(Wait2),
    mend(NextRoundInWait3, 113, &[Wait2, Wait3], Dup).given(LATER).timer(2).to(Wait3),
    mend(MissedOutcome, 105, &[Normal], Starts).or(TimeOut).given(ASKS_ARE_LEFT).sets(ONE_ASK_LESS).sends(ASK).timer(2),
    mend(NoSecondElection, 175, &[Master], Query).sends(ELECTED_AGAIN),
    mend(OnlyCandidatesBegin, 107, &[Normal], Begins).given(NOT_CANDIDATE).sends(INIT_MINUS_1).timer(5).to(Wait1),
    mend(RoundsMixed, 142, &[Coll2, Coll3], Elected).given(LATER_FROM_ABOVE).sets(MS_IS_J).timer(3).to(Wait2),
    mend(RoundsMixed, 152, &[Coll2, Coll3], Elected).given(LATER).sets(ROUND_IS_J_S).goes_on(),
    mend(DeafFinal, 193, &[Master], Elected).given(EARLIER).sends(ELECTED_AGAIN),
    mend(DeafFinal, 133, &[Master], Elected).given(J_OUTRANKS_I).sets(MS_IS_J).timer(3).to(Wait2),
    mend(DeafFinal, 143, &[Master], Elected).sets(ONLY_I_AGAIN).sends(ELECTED).timer(3).to(Coll2),
    mend(DeafFinal, 153, &[Master], Dup).sets(ONLY_I_K_AND_L).timer(3).to(Coll3),
    mend(DeafFinal, 163, &[Stop, Help], Elected).given(LATER_OR_HELP).sets(MS_IS_J).timer(3).to(Wait2),
    mend(DeafFinal, 173, &[Stop], Elected).given(J_OUTRANKS_MS).sets(MS_IS_J).to(Stop),
    mend(DeafFinal, 183, &[Stop], Elected).given(J_IS_NOT_MS).sends(DUP_MS_J),
    mend(LateCandidate, 114, &[Coll2, Coll3, Master], Init).sets(LEARN_W).sends(ELECTED_AGAIN),
    mend(HelpAtOnce, 115, &[Wait1], TimeOut).given(ASKS_ARE_LEFT).sets(ONE_ASK_LESS).sends(ASK).timer(2),
    mend(HelpAtOnce, 125, &[Coll2, Coll3, Master], Ask).sends(ELECTED_AGAIN),
    mend(HelpAtOnce, 135, &[Wait1], TimeOut).given(CANDIDATE).sets(BEGIN_ANEW),
    mend(HelpAtOnce, 165, &[Normal, Help], Claim).sets(ANY_ROUND).sends(ASK),
];

const CANDIDATE: Guard = Guard::CANDIDATE;
const NOT_CANDIDATE: Guard = Guard::NOT_CANDIDATE;
const I_IS_MAX: Guard = Guard::new("i is max(S)", |c, _, _| c.candidates.is_max(c.me));
const I_IS_NOT_MAX: Guard = Guard::new("i is not max(S)", |c, _, _| !c.candidates.is_max(c.me));
const J_IS_NOT_MS: Guard = Guard::new("j is not ms", |c, heard, _| c.master != Some(heard.j()));
const J_OUTRANKS_I: Guard = Guard::new("j outranks i", |c, heard, _| c.candidates.outranks(heard.j(), c.me));
const J_OUTRANKS_MS: Guard = Guard::new("of this round, j outranks ms", |c, heard, _| {
    heard.age == Age::Current && c.master.is_some_and(|ms| ms != heard.j() && c.candidates.outranks(heard.j(), ms))
});
const EARLIER: Guard = Guard::new("of an earlier round", |_, heard, _| heard.age == Age::Earlier);
const LATER: Guard = Guard::new("of a later round", |_, heard, _| heard.age == Age::Later);
const LATER_OR_HELP: Guard =
    Guard::new("of a later round, in help of this one too", |c, heard, _| heard.age == Age::Later || c.phase == Help);
const LATER_FROM_ABOVE: Guard = Guard::new("of a later round, j outranks i", |c, heard, _| {
    heard.age == Age::Later && c.candidates.outranks(heard.j(), c.me)
});
const ONE_ANNOUNCER: Guard = Guard::new("i is not max(S), one announcer is remembered and no dup", |c, _, _| {
    !c.candidates.is_max(c.me) && c.early.announcers.len() == 1 && c.early.duplicated.is_empty()
});
const ANNOUNCERS: Guard = Guard::new("i is not max(S), announcers are remembered", |c, _, _| {
    !c.candidates.is_max(c.me) && !c.early.names().is_empty()
});
const ASKS_ARE_LEFT: Guard = Guard::new("fewer than three asks yet", |c, _, _| c.asked < ASKS);

const S_IS_I: Act = Act::new("S={(i,v)}", |c, _, fx| c.candidates.enter(c.me, fx.capacity()));
const S_IS_I_AND_J: Act = Act::new("S={(i,v),(j,w)}", |c, heard, fx| {
    c.candidates.enter_name(heard.k);
    c.candidates.enter(c.me, fx.capacity());
});
const ADD_INIT: Act = Act::new("S+=(j,w)", |c, heard, _| c.candidates.enter_name(heard.k));
const ADD_J: Act = Act::new("S+=j", |c, heard, _| c.candidates.add(heard.names()));
const ADD_K_AND_L: Act = Act::new("S+=k,l", |c, heard, _| c.candidates.add(heard.names()));
const ONLY_I: Act = Act::new("S={i}", |c, _, _| c.candidates.reset_to(c.me));
const ONLY_I_AGAIN: Act = Act::new("S={i} (mended, in the next round)", |c, _, _| {
    c.round = c.round.saturating_add(u32::from(c.mends(NextRoundInWait3)));
    c.candidates.reset_to(c.me);
});
const ONLY_I_K_AND_L: Act = Act::new("S={i,k,l}", |c, heard, _| {
    c.candidates.reset_to(c.me);
    c.candidates.add(heard.names());
});
const ADD_REMEMBERED: Act = Act::new("S+=them", |c, _, _| c.candidates.add(c.early.names()));
const REMEMBER: Act = Act::new("remember the names", |c, heard, _| match heard.event {
    Dup => c.early.duplicated = c.early.duplicated.union(&heard.names()),
    _ => c.early.announcers = c.early.announcers.union(&heard.names()),
});
const LEARN_W: Act = Act::new("learn w", |c, heard, _| {
    if let Some(capacity) = heard.k.capacity {
        c.candidates.learn(heard.k.node, capacity, HeardFrom::Itself);
    }
});
const MS_IS_I: Act = Act::new("ms=i", |c, _, _| c.master = Some(c.me));
const MS_IS_J: Act = Act::new("ms=j", |c, heard, _| c.master = Some(heard.j()));
const MS_IS_ANNOUNCER: Act = Act::new("ms=the announcer", |c, _, _| c.master = c.early.announcers.highest());
const ROUND_IS_J_S: Act = Act::new("i takes that round; as 9 or 12", |_, _, _| {});
// No answer may count as of too early a round: the latest round that this process knows may be garbled.
const ANY_ROUND: Act = Act::new("of any round an answer counts", |c, _, _| c.round = c.first_round());
const ONE_ASK_LESS: Act = Act::new("one ask is made", |c, _, _| c.asked += 1);
const BEGIN_ANEW: Act = Act::new("begins, with a higher number", |c, _, fx| c.begin_anew(c.highest, fx));

const INIT: Act = Act::new("broadcast init,v", |c, _, fx| {
    let (election, capacity) = (c.election, fx.capacity());
    c.stands_with = Some(capacity);
    fx.broadcast(Message::Init { election, capacity });
});
const INIT_MINUS_1: Act =
    Act::new("broadcast init,-1", |c, _, fx| fx.broadcast(Message::Init { election: c.election, capacity: -1 }));
const ELECTED: Act = Act::new("broadcast elected", |c, _, fx| {
    c.announcements = c.announcements.saturating_add(1);
    c.broadcast_elected(fx);
});
const ELECTED_AGAIN: Act = Act::new("broadcast elected", |c, _, fx| c.broadcast_elected(fx));
const DUP_I_J: Act = Act::new("broadcast dup i,j", |c, heard, fx| c.broadcast_dup(c.me, heard.j(), fx));
const DUP_MS_J: Act = Act::new("broadcast dup ms,j", |c, heard, fx| {
    if let Some(master) = c.master {
        c.broadcast_dup(master, heard.j(), fx);
    }
});
const DUP_I_EACH: Act = Act::new("broadcast dup i,j for each announcer j", |c, _, fx| {
    for announcer in c.early.announcers.iter() {
        c.broadcast_dup(c.me, announcer, fx);
    }
});
const DUP_UNHEARD: Act = Act::new("broadcast dup k,l if none was heard", |c, _, fx| {
    let mut announcers = c.early.announcers.iter();
    if let (Some(k), Some(l), true) = (announcers.next(), announcers.next(), c.early.duplicated.is_empty()) {
        c.broadcast_dup(k, l, fx);
    }
});
const ASK: Act = Act::new("broadcast ask", |c, _, fx| fx.broadcast(Message::Ask { election: c.highest }));
const HELP: Act = Act::new("help to the operator", |_, _, fx| {
    fx.help("no master has announced itself in time, or none was heard; order a new election");
});
