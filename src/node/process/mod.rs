//! A node's process from its first packet to its end.
//!
//! Order of a start: the plan comes on descriptor 3; the store is opened, what others have done to it is told, what a
//! fault has taken of it is lost, the incarnation raised and stored; the sockets are opened; the host is told `ready`;
//! at the moment that the host names the machine starts.
//!
//! Invariant: nothing is sent before the incarnation is on disk, and nothing outlives the host: when descriptor 3 says
//! that it is gone, so is this process.

#[cfg(test)]
mod broadcasts;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddrV4;
use std::os::fd::AsFd;

use tokio::net::UnixListener;

use super::attach::Observers;
use super::clock::{LabClock, Stamp};
use super::host_channel::{FromHost, HostChannel};
use super::life::{NodeLoop, OpenedNode, Turn};
use super::os::{self, Alarm, Waitable};
use super::replay::ReplayGuard;
use super::sockets::Sockets;
use super::stderr::complain;
use super::store::{Store, StoreError};
use super::wire::Wire;
use fault::StoreLoss;
use protocol::{MachineKind, NodeId, Registry, codec};
use record::{Body, Control, NodePlan, Report, STREAM_DESCRIPTOR, SpeedFile, hub};

/// Exit code: the host went away; this is how a node ends.
const EXIT_DONE: i32 = 0;
/// Exit code: not started by a host.
const EXIT_USAGE: i32 = 2;
/// Exit code: an address, the store or a directory cannot be used.
const EXIT_ENVIRONMENT: i32 = 6;
/// Exit code: a bug of ours.
const EXIT_BUG: i32 = 70;

/// Why a node cannot run, or not go on.
#[derive(Debug)]
struct Unable {
    taken: Option<SocketAddrV4>,
    why: String,
}

/// Runs a node of one of these algorithms until its host is gone, and gives its exit code. It speaks with the host on
/// descriptor 3.
pub fn main(registry: Registry) -> i32 {
    let channel = match os::inherited_socket(STREAM_DESCRIPTOR) {
        Ok(socket) => HostChannel::new(socket),
        Err(error) => {
            complain(format_args!(
                "hustings node: there is no host on descriptor {STREAM_DESCRIPTOR} ({error}); only a host starts \
                 nodes: use `hustings up`"
            ));
            return EXIT_USAGE;
        }
    };
    // Sockets and stores are their owner's alone from the moment they exist.
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o077));
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(format_args!(
                "hustings node: the system gives no event queue: {error}; raise the limit of open files"
            ));
            return EXIT_ENVIRONMENT;
        }
    };
    tokio::task::LocalSet::new().block_on(&runtime, run(channel, registry))
}

async fn run(channel: HostChannel, registry: Registry) -> i32 {
    let plan = match first_packet(&channel).await {
        Ok(Some(plan)) => plan,
        Ok(None) => return EXIT_DONE,
        Err(why) => {
            complain(format_args!("hustings node: {why}"));
            return EXIT_BUG;
        }
    };
    match registry.kind_of(&plan.head.facts.name, &plan.head.settings) {
        Some(kind) => run_as(kind, plan, channel).await,
        None => {
            complain(format_args!("hustings node: this build has no algorithm {}", plan.head.facts.name));
            EXIT_BUG
        }
    }
}

/// Why there is no plan, although the host is there.
#[derive(Debug, thiserror::Error)]
enum NoPlan {
    #[error(transparent)]
    NotHeard(#[from] io::Error),
    #[error("the first packet is not a plan: {0:?}")]
    Another(Control),
    #[error("the plan cannot be read: {0}")]
    Unreadable(String),
}

/// The plan; `None` if the host went away instead.
async fn first_packet(channel: &HostChannel) -> Result<Option<NodePlan>, NoPlan> {
    let watch = Waitable::on(channel.socket())?;
    loop {
        match channel.hear() {
            FromHost::Control(Control::Plan(plan)) => return Ok(Some(*plan)),
            FromHost::Control(other) => return Err(NoPlan::Another(other)),
            FromHost::Unreadable(why) => return Err(NoPlan::Unreadable(why)),
            FromHost::Gone => return Ok(None),
            FromHost::Nothing => watch.readable().await?,
        }
    }
}

async fn run_as(kind: MachineKind, plan: NodePlan, mut channel: HostChannel) -> i32 {
    let me = plan.setup.me;
    let clock = LabClock::default();
    os::name_process(&format!("hustings-n{me}"));
    let ended = match tell_panics(&channel, me, clock.clone()).and_then(|()| open(kind, plan, clock)) {
        Ok((opened, listener)) => {
            let life = NodeLoop::new(channel, opened);
            tokio::task::spawn_local(life.observers().serve(listener));
            live(life).await
        }
        Err(unable) => {
            let why = unable.why.clone();
            channel.answer(Stamp::default(), &Report::Unable { taken: unable.taken, why });
            Err(unable)
        }
    };
    match ended {
        Ok(()) => EXIT_DONE,
        Err(unable) => {
            complain(format_args!("node {me}: {}", unable.why));
            EXIT_ENVIRONMENT
        }
    }
}

/// Everything that can fail before `ready`.
fn open(kind: MachineKind, plan: NodePlan, clock: LabClock) -> Result<(OpenedNode, UnixListener), Unable> {
    let NodePlan {
        head,
        mut setup,
        key,
        store: directory,
        observe,
        speeds,
        faults,
        clock: clock_fault,
        loss,
        past,
        heard,
    } = plan;
    let speeds = SpeedFile::open(&speeds)
        .map_err(|error| Unable::because(format!("cannot read the lab's speeds {}: {error}", speeds.display())))?;
    let wire = Wire::new(&head.lab_id, &key, head.base_port, setup.roster.len(), kind.card().wire, setup.me)
        .ok_or_else(|| Unable::because("the plan's lab id or key is not hex of the right length"))?;
    let (mut store, found) = Store::open(&directory, kind.card().wire).map_err(Unable::because)?;
    let mut lost = Vec::new();
    let left = |store: &Store| store.content().saved.as_deref().map(codec::hex);
    if store.was_changed(past) {
        lost.push(Body::CellsChanged { left: left(&store) });
    }
    if let Some(StoreLoss { by, loss }) = loss
        && store.lose(loss).map_err(Unable::because)?
    {
        lost.push(Body::CellsLost { by, loss, left: left(&store) });
    }
    let unreadable = || Unable::because(StoreError::Unreadable(directory.clone()));
    let saved = match &store.content().saved {
        Some(bytes) => Some(kind.read_cells(bytes).ok_or_else(unreadable)?),
        None => None,
    };
    setup.incarnation = store.raise_incarnation(found, past.incarnation).map_err(Unable::because)?;
    let sockets = Sockets::open(wire.address(setup.me), head.group)
        .map_err(|error| Unable { taken: error.taken(), why: error.to_string() })?;
    let listener = hub::bind(&observe).map_err(|error| {
        Unable::because(format!("cannot make the socket {}: {error}; make its directory writable", observe.display()))
    })?;
    // If the system's limit is lower than the size asked for, this explains an overflow.
    complain(format_args!("node {}: receive buffers of {:?} bytes", setup.me, sockets.receive_buffers()));
    // The alarm and the watches on the sockets are still to come.
    let observers = Observers::new(head.clone(), clock.clone(), hub::Room::for_watchers(8));
    let opened = OpenedNode {
        kind,
        seed: head.seed,
        setup,
        saved,
        found,
        lost,
        faults,
        clock_fault,
        seen: ReplayGuard::after(&heard),
        wire,
        store,
        sockets,
        observers,
        clock,
        speeds,
    };
    Ok((opened, listener))
}

/// Turns until the host is gone.
async fn live(mut life: NodeLoop) -> Result<(), Unable> {
    let watch = |descriptor| Waitable::on(descriptor).map_err(Unable::because);
    let control = watch(life.channel().socket().as_fd())?;
    let (unicast, multicast) = life.sockets().descriptors();
    let unicast = watch(unicast)?;
    let multicast = multicast.map(watch).transpose()?;
    let alarm = Alarm::new().map_err(Unable::because)?;
    loop {
        match life.turn().map_err(Unable::because)? {
            Turn::HostGone => return Ok(()),
            // Watchers get their share between two turns of a busy node.
            Turn::Again => tokio::task::yield_now().await,
            Turn::Wait => {
                let heard = tokio::select! {
                    heard = control.readable() => heard,
                    heard = unicast.readable() => heard,
                    heard = readable(multicast.as_ref()) => heard,
                    room = control.writable(), if life.channel().owes() => room,
                    rung = alarm.wait_until(life.next_wake()) => rung,
                };
                heard.map_err(Unable::because)?;
            }
        }
    }
}

async fn readable(watch: Option<&Waitable>) -> std::io::Result<()> {
    match watch {
        Some(watch) => watch.readable().await,
        None => std::future::pending().await,
    }
}

/// A panic becomes a record and ends the process; its words are on standard error too.
fn tell_panics(channel: &HostChannel, me: NodeId, clock: LabClock) -> Result<(), Unable> {
    let words = channel.last_words().map_err(Unable::because)?;
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        words.say(clock.now().record(Some(me), Body::Panicked { message: panic.to_string() }));
        std::process::exit(EXIT_BUG);
    }));
    Ok(())
}

impl Unable {
    fn because(why: impl std::fmt::Display) -> Unable {
        Unable { taken: None, why: why.to_string() }
    }
}
