//! The examinations of `doctor`, one function each.
//!
//! Invariant: an examination asks the system the way a lab does.

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};

use super::Diagnosis;
use crate::cli::characters::{CharactersName, TerminalCharacters};
use crate::cli::config;
use dashboard::Glyphs;
use host::{RunDirectories, hears_multicast};
use record::state_directory;

/// A group of the labs' block, which no lab has: a lab's second number is not 0.
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);
/// What a node asks for as its receive buffer, in bytes.
const BUFFER_WANTED: usize = 4 << 20;
/// Less than this is worth a word: the usual size on Linux, which five nodes never fill.
const BUFFER_LEAST: usize = 400 << 10;
/// What a lab of 32 nodes with a few watchers needs: open files, and processes.
const FILES_WANTED: u64 = 512;
const PROCESSES_WANTED: u64 = 256;
/// Room for sessions, in bytes.
const ROOM_WANTED: u64 = 256 << 20;
const ROOM_LEAST: u64 = 8 << 20;
/// The screen shows everything from this size on.
const SCREEN: (u16, u16) = (80, 24);
const WITHIN: Duration = Duration::from_millis(500);

/// The name of what is examined, and the function that examines it.
pub(super) type Examination = (&'static str, fn() -> Diagnosis);

/// All of them, in the order in which a lab needs what they look at.
pub(super) const EXAMINATIONS: &[Examination] = &[
    ("processes", processes),
    ("sockets", sockets),
    ("multicast", multicast),
    ("receive buffers", buffers),
    ("open files", open_files),
    ("process limit", process_limit),
    ("run directory", run_directory),
    ("sessions", sessions),
    ("terminal", terminal),
    ("locale", locale),
    ("config file", config_file),
];

/// Whether this program can start itself, as a host starts nodes.
fn processes() -> Diagnosis {
    let remedy = "install the program in a place from which this user may start programs";
    let started = std::env::current_exe().and_then(|program| {
        let status = Command::new(&program).arg("-V").stdin(Stdio::null()).stdout(Stdio::null()).status();
        status.map(|status| (program, status))
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match started {
        Ok((program, status)) if status.success() => {
            Diagnosis::well(format!("{} can start processes; there are {cores} cores", program.display()))
        }
        Ok((program, status)) => {
            Diagnosis::ill(format!("{} cannot tell its version: {status}", program.display()), remedy)
        }
        Err(error) => Diagnosis::ill(format!("the program cannot start itself: {error}"), remedy),
    }
}

/// Whether a datagram on the loopback interface comes.
fn sockets() -> Diagnosis {
    let sent_and_heard = || -> io::Result<()> {
        let [mouth, ear] = [UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?, UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?];
        ear.set_read_timeout(Some(WITHIN))?;
        mouth.send_to(b"hustings", ear.local_addr()?)?;
        ear.recv(&mut [0; 8]).map(drop)
    };
    match sent_and_heard() {
        Ok(()) => Diagnosis::well("a datagram on 127.0.0.1 comes"),
        Err(error) => Diagnosis::ill(
            format!("a datagram on 127.0.0.1 does not come: {error}"),
            "see that `ip link show lo` says UP, and that no packet filter drops UDP on lo (`nft list ruleset`)",
        ),
    }
}

fn multicast() -> Diagnosis {
    match hears_multicast(GROUP) {
        Ok(()) => Diagnosis::well("a datagram to a group on the loopback interface comes back"),
        Err(error) => Diagnosis::ill(error.what(), error.remedy()),
    }
}

fn buffers() -> Diagnosis {
    let given = || -> io::Result<usize> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let socket = socket2::SockRef::from(&socket);
        socket.set_recv_buffer_size(BUFFER_WANTED)?;
        socket.recv_buffer_size()
    };
    let remedy = format!("`sysctl -w net.core.rmem_max={BUFFER_WANTED}`, if labs tell of datagrams that overflowed");
    match given() {
        Ok(bytes) if bytes >= BUFFER_LEAST => Diagnosis::well(format!("a process gets {} KiB", bytes >> 10)),
        Ok(bytes) => Diagnosis::fair(format!("a process gets {} KiB, which bursts may overflow", bytes >> 10), remedy),
        Err(error) => Diagnosis::fair(format!("their size cannot be set: {error}"), remedy),
    }
}

fn open_files() -> Diagnosis {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((_, most)) if most >= FILES_WANTED => Diagnosis::well(format!("up to {}", limit(most))),
        Ok((_, most)) => Diagnosis::ill(
            format!("a process may have only {most} open, and a large lab needs {FILES_WANTED}"),
            format!("`ulimit -n {FILES_WANTED}`, or a higher `nofile` in /etc/security/limits.conf; or fewer nodes"),
        ),
        Err(error) => Diagnosis::fair(format!("the limit is not known: {error}"), "look with `ulimit -n`"),
    }
}

fn process_limit() -> Diagnosis {
    match getrlimit(Resource::RLIMIT_NPROC) {
        Ok((most, _)) if most >= PROCESSES_WANTED => Diagnosis::well(format!("up to {} for this user", limit(most))),
        Ok((most, _)) => Diagnosis::ill(
            format!("this user may have only {most} processes and threads"),
            format!("`ulimit -u {PROCESSES_WANTED}`, or a higher `nproc` in /etc/security/limits.conf"),
        ),
        Err(error) => Diagnosis::fair(format!("the limit is not known: {error}"), "look with `ulimit -u`"),
    }
}

/// A limit, which may be none.
fn limit(most: u64) -> String {
    if most == u64::MAX { "any number".to_owned() } else { most.to_string() }
}

fn run_directory() -> Diagnosis {
    let remedy = "set XDG_RUNTIME_DIR to a directory of your own with mode 700, in memory if there is one";
    match RunDirectories::find() {
        Ok(found) => with_room(found.place(), &format!("labs run in {}", found.place().display()), remedy),
        Err(error) => Diagnosis::ill(format!("there is no place for running labs: {error}"), remedy),
    }
}

fn sessions() -> Diagnosis {
    let place = state_directory();
    let remedy = "set XDG_STATE_HOME to a directory that you may write, or name a file with --record";
    match place.ancestors().find(|path| path.exists()) {
        Some(there) if access(there, AccessFlags::W_OK | AccessFlags::X_OK).is_ok() => {
            with_room(there, &format!("sessions are kept in {}", place.display()), remedy)
        }
        Some(there) => Diagnosis::ill(format!("{} cannot be written, so nothing is recorded", there.display()), remedy),
        None => Diagnosis::ill(format!("no part of {} exists", place.display()), remedy),
    }
}

/// How much room there is in a directory, behind what it is for.
fn with_room(place: &Path, what: &str, remedy: &str) -> Diagnosis {
    let Ok(disk) = statvfs(place) else {
        return Diagnosis::fair(format!("{what}; how much room there is is not known"), remedy);
    };
    #[expect(clippy::unnecessary_cast, reason = "the types of these numbers differ between systems")]
    let free = (disk.blocks_available() as u64).saturating_mul(disk.fragment_size() as u64);
    let told = format!("{what}, with {} MiB free", free >> 20);
    match free {
        ROOM_WANTED.. => Diagnosis::well(told),
        ROOM_LEAST.. => Diagnosis::fair(told, format!("make room; or {remedy}")),
        _ => Diagnosis::ill(told, format!("make room; or {remedy}")),
    }
}

fn terminal() -> Diagnosis {
    let terminal = std::env::var("TERM").unwrap_or_default();
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let remedy = "start `up`, `watch` and `replay` in a terminal; `run` and the others need none";
        return Diagnosis::fair("standard input and output are not a terminal, so no screen can be shown", remedy);
    }
    if ["", "dumb"].contains(&terminal.as_str()) {
        return Diagnosis::ill(
            format!("TERM is \"{terminal}\", so no screen can be shown"),
            "set TERM to what the terminal is, such as xterm-256color",
        );
    }
    let colour = match std::env::var("COLORTERM").unwrap_or_default().as_str() {
        "truecolor" | "24bit" => "all colours",
        _ => "16 colours",
    };
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns >= SCREEN.0 && rows >= SCREEN.1 => {
            Diagnosis::well(format!("{terminal}, {columns}x{rows}, {colour}"))
        }
        Ok((columns, rows)) => Diagnosis::fair(
            format!("{terminal}, {columns}x{rows}: the screen shows less than it can"),
            format!("make the window {}x{} or larger", SCREEN.0, SCREEN.1),
        ),
        Err(error) => Diagnosis::fair(format!("{terminal}; its size is not known: {error}"), "use another terminal"),
    }
}

fn locale() -> Diagnosis {
    let (terminal, config) = (TerminalCharacters::here(), config::load().config);
    let drawn = match (config.glyphs, config.glyphs.glyphs(&terminal)) {
        (CharactersName::Auto, Glyphs::Unicode) => "",
        (CharactersName::Auto, Glyphs::Ascii) => "; the screen is drawn in ASCII",
        (_, Glyphs::Unicode) => "; the config file says that the screen is drawn with all characters",
        (_, Glyphs::Ascii) => "; the config file says that the screen is drawn in ASCII",
    };
    let (told, remedy) = match terminal {
        TerminalCharacters::Unicode(locale) => return Diagnosis::well(format!("{locale}{drawn}")),
        TerminalCharacters::OfLocale(locale) => (format!("{locale} is not UTF-8"), "`export LC_ALL=C.UTF-8`"),
        TerminalCharacters::WithoutLocale => ("none is set, which is C".to_owned(), "`export LC_ALL=C.UTF-8`"),
        TerminalCharacters::OfConsole => ("the console of Linux has few characters".to_owned(), "use another terminal"),
    };
    Diagnosis::fair(format!("{told}{drawn}"), format!("{remedy}, or draw with --unicode if they are shown right"))
}

fn config_file() -> Diagnosis {
    match config::load().wrong {
        None => Diagnosis::well("it is correct, or there is none"),
        Some(wrong) => Diagnosis::fair(
            wrong.in_brief().trim_end_matches('.'),
            "mend it; `hustings config` tells each error with its line and remedy",
        ),
    }
}
