//! The alternate screen, raw mode, the cursor, and pastes that come as one text instead of as keys.
//!
//! Invariants: leaving puts back everything that entering changed; a second leaving does nothing. A terminal that is gone
//! causes no panic, and no size of a terminal takes more memory than the largest area does.

use std::io::{self, Write, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use nix::unistd::{getpgrp, tcgetpgrp};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use crate::options::Mouse;

/// The largest area that is drawn: a terminal may say that it has 65,535 rows of 65,535 columns.
const COLUMNS_MAX: u16 = 1_000;
const ROWS_MAX: u16 = 500;

static IS_ENTERED: AtomicBool = AtomicBool::new(false);
static IS_BROKEN: AtomicBool = AtomicBool::new(false);
static HAS_MOUSE: AtomicBool = AtomicBool::new(false);

/// Asks for presses and the wheel alone, in the form that has room for every column (xterm's 1000 and 1006); the library
/// would ask for every movement too.
const TAKE_MOUSE: &str = "\x1b[?1000h\x1b[?1006h";
const GIVE_MOUSE_BACK: &str = "\x1b[?1006l\x1b[?1000l";

/// The alternate screen; it is left when this is dropped.
pub struct Alternate {
    terminal: Terminal<CrosstermBackend<ScreenOutput>>,
}

impl Alternate {
    /// Enters it; the mouse is this one's.
    pub fn enter(mouse: Mouse) -> io::Result<Alternate> {
        // The theme decides about colours; by default the library would turn NO_COLOR into resets that also remove bold
        // and reversed.
        crossterm::style::force_color_output(true);
        IS_BROKEN.store(false, Ordering::SeqCst);
        HAS_MOUSE.store(mouse == Mouse::OfTheScreen, Ordering::SeqCst);
        let entered = enter().and_then(|()| fresh());
        if entered.is_err() {
            leave();
        }
        Ok(Alternate { terminal: entered? })
    }

    /// Enters it again after the terminal was another program's.
    pub fn enter_again(&mut self) -> io::Result<()> {
        enter()?;
        // The library may believe that raw mode is on already. Taking it off first would be no help: keys that arrive in
        // that moment are edited by the terminal, and the end of a paste can be lost.
        let stdin = stdin();
        let mut mode = tcgetattr(&stdin)?;
        cfmakeraw(&mut mode);
        Ok(tcsetattr(&stdin, SetArg::TCSANOW, &mode)?)
    }

    /// Draws a picture of the terminal's size of now.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let area = area()?;
        if self.terminal.get_frame().area() != area {
            self.terminal.resize(area)?;
        }
        self.terminal.draw(view).map(drop)
    }

    /// Forgets the last picture, so that the next one is drawn completely.
    pub fn forget(&mut self) {
        // The terminal's own `clear` asks for the place of the cursor, and the reader of keys would swallow the answer.
        if let (Ok(()), Ok(terminal)) = (execute!(stdout(), Clear(ClearType::All)), fresh()) {
            self.terminal = terminal;
            // Dropping the old terminal has shown the cursor.
            let _ = execute!(stdout(), Hide);
        }
    }
}

impl Drop for Alternate {
    fn drop(&mut self) {
        leave();
    }
}

/// Standard output for the library, which prints to standard error what it cannot write when it is dropped, and panics
/// if standard error is gone too. So this takes everything, and notes that it could not write.
struct ScreenOutput;

impl Write for ScreenOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        taken(stdout().write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        taken(stdout().flush(), ())
    }
}

fn taken<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => {
            IS_BROKEN.store(true, Ordering::SeqCst);
            Ok(all)
        }
        written => written,
    }
}

fn fresh() -> io::Result<Terminal<CrosstermBackend<ScreenOutput>>> {
    let viewport = Viewport::Fixed(area()?);
    Terminal::with_options(CrosstermBackend::new(ScreenOutput), TerminalOptions { viewport })
}

fn area() -> io::Result<Rect> {
    let (columns, rows) = drawn_size()?;
    Ok(Rect::new(0, 0, columns, rows))
}

/// The columns and rows of the terminal, as far as they are drawn.
pub fn drawn_size() -> io::Result<(u16, u16)> {
    let (columns, rows) = size()?;
    Ok((columns.min(COLUMNS_MAX), rows.min(ROWS_MAX)))
}

fn enter() -> io::Result<()> {
    IS_ENTERED.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide)?;
    if HAS_MOUSE.load(Ordering::SeqCst) {
        write(TAKE_MOUSE);
    }
    Ok(())
}

/// Takes the mouse, or gives it back to the terminal.
pub fn use_mouse(mouse: Mouse) {
    HAS_MOUSE.store(mouse == Mouse::OfTheScreen, Ordering::SeqCst);
    write(match mouse {
        Mouse::OfTheScreen => TAKE_MOUSE,
        Mouse::OfTheTerminal => GIVE_MOUSE_BACK,
    });
}

/// Writes a sequence to the terminal. If that fails, the terminal is gone.
pub fn write(sequence: &str) {
    let mut out = ScreenOutput;
    let _ = out.write_all(sequence.as_bytes()).and_then(|()| out.flush());
}

/// Leaves it, if it was entered. An error here means that the terminal is gone.
pub fn leave() {
    if IS_ENTERED.swap(false, Ordering::SeqCst) {
        if HAS_MOUSE.load(Ordering::SeqCst) {
            write(GIVE_MOUSE_BACK);
        }
        let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Whether the terminal is gone.
pub fn is_gone() -> bool {
    let stdin = stdin();
    let mut watched = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    let is_bad = |flags: PollFlags| flags.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL);
    IS_BROKEN.load(Ordering::SeqCst)
        || poll(&mut watched, PollTimeout::ZERO).is_ok() && watched[0].revents().is_some_and(is_bad)
}

/// Whether this process is in the foreground of the terminal.
pub fn is_ours() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}
