//! What a liar makes of what its machine would send: lie by lie, in a fixed order.
//!
//! Through the ordered broadcast (King, Gendreau and Ni 1988, section 5.2) a process cannot tell two receivers different
//! things, nor speak in another's name; it may say what it likes, to all or to nobody. Where it tries more, the told lie
//! says so. Over bare sockets it can do all.
//!
//! Invariant: the result is a function of the order, of what was heard and of what the machine wants to send; each
//! change is told.

use litemap::LiteMap;

use super::context::{BroadcastForm, LiarContext};
use super::dice::LieDice;
use protocol::{Claimant, Lie, Lying, MessageDeceit, MessageMark, NodeId, NodeSet, Payload, Roster, ToldLie};

/// How many of its words a liar keeps, to say them again.
const KEPT_MAX: usize = 8;

/// A word of a liar that is to be sent; to all, if it has no receiver.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LiarMessage {
    /// To whom.
    pub to: Option<NodeId>,
    pub message: Payload,
}

/// What makes a liar speak: a message that it answers, or something of its own.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum LieTrigger {
    /// This came from that node.
    Heard(NodeId, Payload),
    /// A timer, an order or its start.
    Own,
}

/// A liar's memory, and its lies.
#[derive(Clone, Debug)]
pub struct LiarState {
    /// What it can make of messages.
    pub(super) deceit: MessageDeceit,
    pub(super) place: LiarContext,
    pub(super) order: Lying,
    pub(super) dice: LieDice,
    /// The highest number of an election that it has heard of.
    pub(super) highest: u64,
    /// The highest value that it has heard of.
    best: i64,
    claims: u32,
    /// What it has sent.
    kept: Vec<LiarMessage>,
    /// What waits to be sent late, by the number of its timer.
    pub(super) waiting: LiteMap<u32, LiarMessage>,
}

impl LiarState {
    /// The plot of a process that has just been ordered to lie.
    pub fn new(deceit: MessageDeceit, place: LiarContext, order: Lying, highest: u64) -> LiarState {
        let (dice, waiting) = (LieDice::new(order.dice), LiteMap::new());
        LiarState { deceit, place, order, dice, highest, best: 0, claims: 0, kept: Vec::new(), waiting }
    }

    /// From now on it tells these lies.
    pub fn take_order(&mut self, order: Lying) {
        self.order = order;
    }

    /// Whether it tells this lie.
    pub fn tells(&self, lie: Lie) -> bool {
        self.order.lies.has(lie)
    }

    /// Something came, from an honest process or from a fellow.
    pub fn hear(&mut self, message: &Payload) {
        self.highest = self.highest.max(self.deceit.number(message).unwrap_or(0));
        self.best = self.best.max(self.deceit.value(message).unwrap_or(0));
    }

    /// What it says instead of these words, and which lies these are.
    pub fn twist(&mut self, words: Vec<LiarMessage>, occasion: &LieTrigger) -> (Vec<LiarMessage>, Vec<ToldLie>) {
        let (mut words, mut told) = (words, Vec::new());
        for lie in [Lie::MuteAcceptor, Lie::RandomValue, Lie::Collude, Lie::LongList, Lie::Equivocate] {
            if self.tells(lie) {
                words = self.twist_by(lie, words, occasion, &mut told);
            }
        }
        if self.tells(Lie::Replay) {
            self.sign_again(&mut words, &mut told);
            self.replay(&mut words, &mut told);
        }
        for lie in [Lie::Forge, Lie::Withhold] {
            if self.tells(lie) {
                words = self.twist_by(lie, words, occasion, &mut told);
            }
        }
        (words, told)
    }

    /// What it claims now.
    pub fn claim(&mut self, told: &mut Vec<ToldLie>) -> Vec<LiarMessage> {
        let node = if self.tells(Lie::Collude) { self.favourite() } else { self.place.me };
        let claimant = self.claimant(node);
        self.claims += 1;
        let claims = self.deceit.claims(&claimant);
        let kinds: Vec<&str> = claims.iter().map(Payload::kind).collect();
        if claims.is_empty() {
            return Vec::new();
        }
        let what = format!("says {} although it was not elected", kinds.join(", "));
        self.tell(Lie::Claim, self.others(), what, told);
        claims.into_iter().flat_map(|claim| self.to_all(claim)).collect()
    }

    /// The next higher election that it announces.
    pub fn bar(&mut self, capacity: i64, told: &mut Vec<ToldLie>) -> Vec<LiarMessage> {
        self.highest = self.highest.saturating_add(1);
        let Some(opening) = self.deceit.opening(self.highest, capacity) else { return Vec::new() };
        let what = format!("begins election {} in the midst of others", self.highest);
        self.tell(Lie::Bar, self.others(), what, told);
        self.to_all(opening)
    }

    /// What it tells its fellows of a message that came to it.
    pub fn whisper(&mut self, message: &Payload, told: &mut Vec<ToldLie>) -> Vec<LiarMessage> {
        let fellows = self.order.fellows.minus(&NodeSet::of(self.place.me));
        if self.deceit.value(message).is_none() || fellows.is_empty() {
            return Vec::new();
        }
        self.tell(Lie::Collude, fellows, format!("whispers {} that it has heard", told_of(message)), told);
        let whisper = message.with_aside(Some(MessageMark::Whisper));
        fellows.iter().map(|fellow| LiarMessage { to: Some(fellow), message: whisper.clone() }).collect()
    }

    /// Keeps what it has sent.
    pub fn keep(&mut self, words: &[LiarMessage]) {
        for word in words.iter().filter(|word| word.message.aside().is_none()) {
            if self.kept.len() < KEPT_MAX && !self.kept.contains(word) {
                self.kept.push(word.clone());
            }
        }
    }

    /// That lie, told of a word to its receivers.
    pub fn told(&self, lie: Lie, word: &LiarMessage, what: String) -> ToldLie {
        ToldLie { lie, to: self.hearers(word), what, attacks: lie.attacks(self.place.promises) }
    }

    /// Notes a lie.
    pub(super) fn tell(&self, lie: Lie, to: NodeSet, what: String, told: &mut Vec<ToldLie>) {
        told.push(ToldLie { lie, to, what, attacks: lie.attacks(self.place.promises) });
    }

    /// All other nodes that elect.
    pub(super) fn others(&self) -> NodeSet {
        self.place.roster.electors().others(self.place.me)
    }

    fn to_all(&self, message: Payload) -> Vec<LiarMessage> {
        match self.place.reach {
            BroadcastForm::Ordered | BroadcastForm::Bare => vec![LiarMessage { to: None, message }],
            BroadcastForm::None => {
                let word = |to| LiarMessage { to: Some(to), message: message.clone() };
                self.others().iter().map(word).collect()
            }
        }
    }

    fn claimant(&self, node: NodeId) -> Claimant {
        let LiarContext { roster, incarnation, .. } = self.place;
        Claimant { node, incarnation, roster, number: self.highest, claims: self.claims }
    }

    /// The fellow for whom all speak.
    fn favourite(&self) -> NodeId {
        self.order.fellows.highest().unwrap_or(self.place.me)
    }

    /// Those to whom a liar that withholds still speaks: half of the others, always the same.
    fn favoured(&self) -> NodeSet {
        let mut dice = LieDice::new(self.order.dice);
        let others = self.others();
        let drawn: NodeSet = others.iter().filter(|_| dice.below(2) == 0).collect();
        // Neither all nor nobody: that would be honest, or silent.
        match others.highest() {
            Some(highest) if drawn.is_empty() => NodeSet::of(highest),
            Some(highest) if drawn == others => drawn.minus(&NodeSet::of(highest)),
            _ => drawn,
        }
    }

    fn twist_by(
        &mut self,
        lie: Lie,
        words: Vec<LiarMessage>,
        occasion: &LieTrigger,
        told: &mut Vec<ToldLie>,
    ) -> Vec<LiarMessage> {
        let mut twisted = Vec::with_capacity(words.len());
        for word in words {
            match lie {
                Lie::MuteAcceptor => self.act_or_answer(word, occasion, &mut twisted, told),
                Lie::RandomValue => self.draw_value(word, &mut twisted, told),
                Lie::Collude => self.speak_for_favourite(word, &mut twisted, told),
                Lie::LongList => self.lengthen(word, &mut twisted, told),
                Lie::Equivocate => self.equivocate(word, &mut twisted, told),
                Lie::Forge => self.forge(word, &mut twisted, told),
                Lie::Withhold => self.withhold(word, &mut twisted, told),
                Lie::Claim | Lie::Bar | Lie::Replay | Lie::Late => twisted.push(word),
            }
        }
        twisted
    }

    fn act_or_answer(
        &self,
        word: LiarMessage,
        occasion: &LieTrigger,
        words: &mut Vec<LiarMessage>,
        told: &mut Vec<ToldLie>,
    ) {
        match occasion {
            LieTrigger::Heard(from, _) if word.to == Some(*from) => words.push(word),
            _ => {
                let what = format!("does not send {}", told_of(&word.message));
                self.tell(Lie::MuteAcceptor, self.hearers(&word), what, told);
            }
        }
    }

    fn draw_value(&mut self, mut word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        if let Some(value) = self.deceit.value(&word.message) {
            let drawn = self.value_beside(value);
            let changed = self.with_value(&word.message, drawn);
            let what = format!("says {} instead of {}", told_of(&changed), told_of(&word.message));
            self.tell(Lie::RandomValue, self.hearers(&word), what, told);
            word.message = changed;
        }
        words.push(word);
    }

    fn speak_for_favourite(&mut self, mut word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        let favourite = self.favourite();
        let before = word.message.clone();
        let named = self.deceit.naming(&before, favourite);
        let valued = || match self.deceit.value(&before) {
            Some(_) if favourite == self.place.me => Some(self.with_value(&before, self.best.saturating_add(1))),
            // Its fellows stand back.
            Some(_) => Some(self.with_value(&before, 0)),
            None => None,
        };
        if let Some(changed) = named.or_else(valued).filter(|changed| *changed != before) {
            let what = format!("says {} for {favourite}, instead of {}", told_of(&changed), told_of(&before));
            self.tell(Lie::Collude, self.hearers(&word), what, told);
            word.message = changed;
        }
        words.push(word);
    }

    fn lengthen(&mut self, mut word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        let names: NodeSet = self.others().iter().filter(|_| self.dice.below(2) == 0).collect();
        if let Some(changed) = self.deceit.with_names(&word.message, names) {
            let what = format!("says {} instead of {}", told_of(&changed), told_of(&word.message));
            self.tell(Lie::LongList, self.hearers(&word), what, told);
            word.message = changed;
        }
        words.push(word);
    }

    fn equivocate(&mut self, word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        let Some(value) = self.deceit.value(&word.message) else { return words.push(word) };
        let receivers = self.hearers(&word);
        if self.place.reach == BroadcastForm::Ordered && word.to.is_none() {
            // It tries, to one process alone.
            let victim = self.dice.one_of(receivers);
            let drawn = self.value_beside(value);
            let other = self.with_value(&word.message, drawn);
            let what = format!(
                "tries to tell {} another value than the others: the ordered broadcast tells all the same",
                victim.map_or_else(|| "nobody".to_owned(), |victim| victim.to_string())
            );
            self.tell(Lie::Equivocate, NodeSet::EMPTY, what, told);
            words.push(word);
            words.extend(victim.map(|victim| LiarMessage { to: Some(victim), message: other }));
            return;
        }
        for (place, receiver) in receivers.iter().enumerate() {
            // One of them may hear the truth. Each of the others always hears the same, as if all were true.
            let drawn = if place == 0 && receivers.len() > 1 { value } else { self.value_for(receiver, value) };
            let message = self.with_value(&word.message, drawn);
            if drawn != value {
                let what = format!("says {} to {receiver}", told_of(&message));
                self.tell(Lie::Equivocate, NodeSet::of(receiver), what, told);
            }
            words.push(LiarMessage { to: Some(receiver), message: message.with_aside(word.message.aside()) });
        }
    }

    fn forge(&mut self, word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        let Some(other) = self.dice.one_of(self.others()) else { return words.push(word) };
        let before = word.message.clone();
        if self.place.reach == BroadcastForm::Ordered {
            let named = self.deceit.naming(&before, other).filter(|named| *named != before);
            let (what, to) = match &named {
                Some(named) => (format!("names {other} in {}", told_of(named)), self.hearers(&word)),
                None => (
                    format!("tries to send {} in the name of {other}: the broadcast tells who sent it", before.kind()),
                    NodeSet::EMPTY,
                ),
            };
            self.tell(Lie::Forge, to, what, told);
            let message = named.unwrap_or(before);
            return words.push(LiarMessage { to: word.to, message });
        }
        let value = self.deceit.value(&before).map(|value| self.value_beside(value));
        let message = value.map_or(before.clone(), |value| self.with_value(&before, value));
        let to = self.hearers(&word).minus(&NodeSet::of(other));
        if !to.is_empty() {
            self.tell(Lie::Forge, to, format!("says {} in the name of {other}", told_of(&message)), told);
            // First, for of two that tell the same many machines hear only the first.
            let message = message.with_aside(Some(MessageMark::InNameOf(other)));
            words.push(LiarMessage { to: word.to, message });
        }
        words.push(word);
    }

    fn withhold(&mut self, word: LiarMessage, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        let (receivers, favoured) = (self.hearers(&word), self.favoured());
        let left_out = receivers.minus(&favoured);
        let kind = word.message.kind();
        if left_out.is_empty() {
            return words.push(word);
        }
        if self.place.reach == BroadcastForm::Ordered && word.to.is_none() {
            if self.dice.below(2) == 0 {
                self.tell(Lie::Withhold, receivers, format!("does not send {kind}"), told);
            } else {
                let what = format!("tries to keep {kind} from {left_out}: the ordered broadcast goes to all");
                self.tell(Lie::Withhold, NodeSet::EMPTY, what, told);
                words.push(word);
            }
            return;
        }
        self.tell(Lie::Withhold, left_out, format!("does not send {kind} to {left_out}"), told);
        let to = receivers.intersection(&favoured);
        words.extend(to.iter().map(|to| LiarMessage { to: Some(to), message: word.message.clone() }));
    }

    fn replay(&mut self, words: &mut Vec<LiarMessage>, told: &mut Vec<ToldLie>) {
        if words.is_empty() || self.kept.is_empty() {
            return;
        }
        let place = self.dice.below(self.kept.len() as u64) as usize;
        let again = self.kept[place].clone();
        if !words.contains(&again) {
            self.tell(Lie::Replay, self.hearers(&again), format!("says {} again", told_of(&again.message)), told);
            words.push(again);
        }
    }

    fn with_value(&self, message: &Payload, value: i64) -> Payload {
        self.deceit.with_value(message, value, self.place.roster)
    }

    /// Another value than this one, mostly a near one.
    fn value_beside(&mut self, value: i64) -> i64 {
        drawn_beside(&mut self.dice, value, self.place.roster)
    }

    /// What that receiver hears instead of this value, whenever it hears of it.
    fn value_for(&self, receiver: NodeId, value: i64) -> i64 {
        let mut dice = LieDice::new(self.order.dice.wrapping_add(u64::from(receiver.get()) << 8));
        drawn_beside(&mut dice, value, self.place.roster)
    }

    fn hearers(&self, word: &LiarMessage) -> NodeSet {
        word.to.map_or_else(|| self.others(), NodeSet::of)
    }
}

/// Another value than this one: of a process, or far beyond all.
fn drawn_beside(dice: &mut LieDice, value: i64, roster: Roster) -> i64 {
    match dice.below(8) {
        0 => i64::MAX,
        1 => -1,
        _ => {
            let drawn = dice.below(2 * u64::from(roster.len()) + 2) as i64;
            if drawn == value { drawn + 1 } else { drawn }
        }
    }
}

/// A message in a few words: `init (capacity 7, election 2)`.
pub fn told_of(message: &Payload) -> String {
    let fields: Vec<String> = message.fields().iter().map(|(name, value)| format!("{name} {value}")).collect();
    if fields.is_empty() { message.kind().to_owned() } else { format!("{} ({})", message.kind(), fields.join(", ")) }
}
