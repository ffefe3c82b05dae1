//! Slow motion: lab time runs at another speed, in all processes at one instant.
//!
//! Invariant: lab time has one speed at a time; a speed that could not be set leaves the one before.

use super::book::Deed;
use super::{Hands, Tempo, carry, running};
use fault::{FaultId, LabSpeed};
use record::{Body, Control};
use world::ProcessState;

/// Lab time runs as before: its speed could not be changed, and the order has failed.
#[derive(Debug)]
pub struct SpeedKept;

/// What stands of a line, and the faults that end with it.
type SpeedChange = (Option<Deed>, Vec<FaultId>);

/// Lab time runs at another speed; the speed before ends with this one.
pub fn change(hands: &mut impl Hands, id: FaultId, speed: LabSpeed) -> Result<SpeedChange, SpeedKept> {
    let before = hands.desk().book.speed();
    run_at(hands, id, speed)?;
    let ends: Vec<FaultId> = before.into_iter().map(|(before, _)| before).collect();
    ends.iter().for_each(|before| hands.desk_mut().book.strike(*before));
    Ok(((speed != LabSpeed::PLAIN).then_some(Deed::Speed(speed)), ends))
}

/// Lab time runs as this computer's clock again.
pub fn end(hands: &mut impl Hands, by: FaultId) -> Result<(), SpeedKept> {
    run_at(hands, by, LabSpeed::PLAIN)
}

/// Has lab time run at this speed in all processes, and tells those that run: one that sleeps must reckon anew until
/// when. A stopped one hears it when it goes on, and reads the right time before that.
fn run_at(hands: &mut impl Hands, id: FaultId, speed: LabSpeed) -> Result<(), SpeedKept> {
    match hands.set_speed(speed) {
        Err(error) => {
            hands.desk_mut().book.refuse(id, format!("the speed cannot be changed: {error}"));
            return Err(SpeedKept);
        }
        Ok(Tempo::Virtual) => {
            let text = "this lab runs in virtual time, where a speed changes nothing".to_owned();
            hands.record(None, Body::Note { text });
        }
        Ok(Tempo::Changes) => {
            let version = hands.desk_mut().book.next_version();
            let running = running(hands);
            let with_process = running.union(&hands.that_are(ProcessState::Paused));
            carry::tell(hands, id, with_process, running, &Control::Speed { version }, version);
            hands.await_speed();
            hands.record(None, Body::SpeedSet { speed, by: id });
        }
    }
    Ok(())
}
