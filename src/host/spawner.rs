//! The spawner: one thread that forks, signals and reaps all node processes, and lives as long as the host.
//!
//! It must be one thread, and a lasting one: PDEATHSIG fires when the *thread* that forked ends. The same thread
//! signals and reaps, so it never signals a pid after it was reaped.
//!
//! Invariant: every process it started has been killed before its thread ends, even a stopped one, and reaped, unless
//! the kernel itself keeps it; and no errand waits for a process without end.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, getppid};

use super::child::{DIES_WITHIN, KernelState, NodeChild};
use protocol::NodeId;
use record::{STREAM_DESCRIPTOR, monotonic_nanos};

/// What to start.
#[derive(Debug)]
pub struct Spawn {
    /// For which node.
    pub node: NodeId,
    /// The lab's id, for `ps`.
    pub lab_id: String,
    /// The node's end of the stream.
    pub stream: OwnedFd,
    /// Where its own output goes; appended to.
    pub output: PathBuf,
}

/// How a process ended.
#[derive(Copy, Clone, Debug)]
pub struct Exit {
    /// When the host killed it, in nanoseconds of CLOCK_MONOTONIC; when it was reaped, if the host did not.
    pub at: u64,
    /// The exit code or signal.
    pub status: ExitStatus,
}

/// What became of an order to kill a process.
#[derive(Copy, Clone, Debug)]
pub enum Killed {
    /// There was no process.
    None,
    /// Has ended, and is reaped.
    Ended(Exit),
    /// Has not ended in time: the kernel keeps it, and ends it as soon as it can. It runs no more code of its own.
    Dying,
}

enum SpawnerRequest {
    Spawn(Spawn, Sender<io::Result<u32>>),
    Kill(NodeId, Sender<Killed>),
    Stop(NodeId, Sender<io::Result<()>>),
    Continue(NodeId, Sender<io::Result<()>>),
    Look(Sender<Vec<(NodeId, KernelState)>>),
}

/// The handle of the spawner thread. When it is dropped, the thread kills the remaining processes, reaps them and ends.
#[derive(Debug)]
pub struct Spawner {
    errands: Option<Sender<SpawnerRequest>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Spawner {
    /// Starts the thread.
    pub fn start() -> io::Result<Spawner> {
        let (errands, inbox) = mpsc::channel();
        let thread = thread::Builder::new().name("spawner".to_owned()).spawn(move || run(inbox))?;
        Ok(Spawner { errands: Some(errands), thread: Some(thread) })
    }

    /// Starts a node's process; returns its process id.
    pub fn spawn(&self, spawn: Spawn) -> io::Result<u32> {
        self.ask(|answer| SpawnerRequest::Spawn(spawn, answer))
    }

    /// Kills a node's process, whatever it does, and reaps it.
    pub fn kill(&self, node: NodeId) -> Killed {
        self.ask(|answer| SpawnerRequest::Kill(node, answer))
    }

    /// Stops a node's process; it is stopped when this returns. The error says why it runs.
    pub fn stop(&self, node: NodeId) -> io::Result<()> {
        self.ask(|answer| SpawnerRequest::Stop(node, answer))
    }

    /// Which processes run, and which a signal has stopped, whoever sent it.
    pub fn look(&self) -> Vec<(NodeId, KernelState)> {
        self.ask(SpawnerRequest::Look)
    }

    /// Lets a node's process go on.
    pub fn resume(&self, node: NodeId) -> io::Result<()> {
        self.ask(|answer| SpawnerRequest::Continue(node, answer))
    }

    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> SpawnerRequest) -> T {
        let (answer, reply) = mpsc::channel();
        let errands = self.errands.as_ref().expect("only drop takes it");
        errands.send(request(answer)).expect("the spawner thread outlives every handle");
        reply.recv().expect("the spawner thread answers every errand")
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        self.errands = None;
        if let Some(thread) = self.thread.take() {
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// The processes that it started and has not reaped.
#[derive(Default)]
struct Children(Vec<(NodeId, NodeChild)>);

fn run(inbox: Receiver<SpawnerRequest>) {
    let mut children = Children::default();
    for request in inbox {
        // If the asker is gone, nobody wants the answer.
        match request {
            SpawnerRequest::Spawn(spawn, answer) => drop(answer.send(children.spawn(spawn))),
            SpawnerRequest::Kill(node, answer) => drop(answer.send(children.kill(node))),
            SpawnerRequest::Stop(node, answer) => drop(answer.send(children.stop(node))),
            SpawnerRequest::Continue(node, answer) => drop(answer.send(children.resume(node))),
            SpawnerRequest::Look(answer) => drop(answer.send(children.look())),
        }
    }
    children.kill_all();
}

impl Children {
    fn spawn(&mut self, spawn: Spawn) -> io::Result<u32> {
        let output = File::options().create(true).append(true).mode(0o600).open(&spawn.output)?;
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("hustings")
            .args(["node", "--lab", &spawn.lab_id, "--node", &spawn.node.to_string()])
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0);
        die_with_this_thread(&mut command, spawn.stream.as_raw_fd());
        let child = NodeChild::of(command.spawn()?);
        let pid = child.pid();
        self.0.push((spawn.node, child));
        Ok(pid)
    }

    fn place(&self, node: NodeId) -> Option<usize> {
        self.0.iter().position(|(owner, _)| *owner == node)
    }

    fn of(&mut self, node: NodeId) -> io::Result<&mut NodeChild> {
        let place = self.place(node).ok_or_else(|| io::Error::other("it has no process"))?;
        Ok(&mut self.0[place].1)
    }

    fn stop(&mut self, node: NodeId) -> io::Result<()> {
        self.of(node)?.stop()
    }

    fn resume(&mut self, node: NodeId) -> io::Result<()> {
        self.of(node)?.resume()
    }

    fn look(&mut self) -> Vec<(NodeId, KernelState)> {
        self.0.iter_mut().map(|(node, child)| (*node, child.look())).collect()
    }

    fn kill(&mut self, node: NodeId) -> Killed {
        let Some(place) = self.place(node) else { return Killed::None };
        let at = monotonic_nanos();
        let Some(status) = self.0[place].1.kill(DIES_WITHIN) else { return Killed::Dying };
        self.0.swap_remove(place);
        Killed::Ended(Exit { at, status })
    }

    fn kill_all(&mut self) {
        for (_, child) in &self.0 {
            // It gets the signal again below if it has not ended.
            let _ = child.signal(Signal::SIGKILL);
        }
        let deadline = Instant::now() + DIES_WITHIN;
        for (_, child) in &mut self.0 {
            // Once this process has ended too, the system reaps what is not dead yet.
            child.kill(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

/// Makes the child die with the spawner thread, and puts its stream where a node looks for it.
#[expect(unsafe_code, reason = "what a child does between fork and exec cannot be said without pre_exec")]
fn die_with_this_thread(command: &mut Command, stream: RawFd) {
    let host = getpid();
    // SAFETY: the closure runs in the forked child and makes system calls only: no allocation, no lock. `stream` is
    // open until `spawn` returns, since the caller owns it, and fd 3 is either that stream or, in the child, nobody's.
    unsafe {
        command.pre_exec(move || {
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            // The host may have died between fork and prctl; then nobody would kill this process.
            if getppid() != host {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let stream = BorrowedFd::borrow_raw(stream);
            if stream.as_raw_fd() == STREAM_DESCRIPTOR {
                fcntl(stream, FcntlArg::F_SETFD(FdFlag::empty()))?;
            } else {
                let _ = nix::unistd::dup2_raw(stream, STREAM_DESCRIPTOR)?.into_raw_fd();
            }
            Ok(())
        });
    }
}
