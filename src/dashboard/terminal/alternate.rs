//! The alternate screen, raw mode and the cursor.
//!
//! Invariant: leaving puts back everything that entering changed; a second leaving does nothing.

use std::io::{self, Stdout, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{getpgrp, tcgetpgrp};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// The alternate screen; it is left when this is dropped.
pub struct Alternate {
    /// What draws on it.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Alternate {
    /// Enters it.
    pub fn enter() -> io::Result<Alternate> {
        // The theme decides about colours; by default the library would turn NO_COLOR into resets that also remove bold
        // and reversed.
        crossterm::style::force_color_output(true);
        let entered = enter().and_then(|()| fresh());
        if entered.is_err() {
            leave();
        }
        Ok(Alternate { terminal: entered? })
    }

    /// Enters it again after the terminal was another program's.
    pub fn enter_again(&mut self) -> io::Result<()> {
        // The library believes that raw mode is on already, unless it is taken off first.
        disable_raw_mode()?;
        enter()
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

fn fresh() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    Terminal::new(CrosstermBackend::new(stdout()))
}

fn enter() -> io::Result<()> {
    IS_ENTERED.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, Hide)
}

/// Leaves it, if it was entered. An error here means that the terminal is gone.
pub fn leave() {
    if IS_ENTERED.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Whether the terminal is gone.
pub fn is_gone() -> bool {
    let stdin = stdin();
    let mut watched = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
    let is_bad = |flags: PollFlags| flags.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL);
    poll(&mut watched, PollTimeout::ZERO).is_ok() && watched[0].revents().is_some_and(is_bad)
}

/// Whether this process is in the foreground of the terminal.
pub fn is_ours() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}
