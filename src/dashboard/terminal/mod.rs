//! The loop: messages in, at most thirty pictures a second out.
//!
//! Invariant: the terminal is entered once and left on every way out, and while it is entered nothing else writes to
//! it.

pub mod alternate;
pub mod clipboard;
pub mod notice;
pub mod session_list;
pub mod source;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use nix::sys::signal::{Signal, raise};

use super::ending::{DashboardError, ScreenEnd};
use super::input::message::{Command, NoteChange, ScreenMessage};
use super::input::update::{open_session, update};
use super::model::Model;
use super::options::{Options, Source};
use super::time::session_so_far::NotReadSoFar;
use super::view::panel::view;
use alternate::Alternate;
use notice::Notices;
use protocol::visible;
use record::Request;

/// The least time between two pictures.
const FRAME: Duration = Duration::from_millis(33);
/// How often the clock, the signals and the terminal's health are checked at least.
const BEAT: Duration = Duration::from_millis(100);
/// How long one wait for a key lasts; leaving takes up to so long. The library waits in whole milliseconds and is busy for
/// the rest, so each wait costs up to one.
const KEY_WAIT: Duration = Duration::from_millis(250);
/// How many messages may wait before their senders have to wait.
const MESSAGES_MAX: usize = 1_024;

/// Runs the screen until it ends.
pub fn run(options: Options, model: Model) -> Result<ScreenEnd, DashboardError> {
    let (sender, messages) = mpsc::sync_channel(MESSAGES_MAX);
    let stop = Arc::new(AtomicBool::new(false));
    let notices = Notices::install();
    let requests = match &options.source {
        Source::Lab { directory, node } => Some(source::start(directory.clone(), *node, &sender, &stop)?),
        Source::Session(_) | Source::Simulated(_) => None,
    };
    let alternate = Alternate::enter(options.mouse)?;
    let keys = listen_to_keys(sender.clone(), Arc::clone(&stop))?;
    let mut screen = ScreenLoop {
        model,
        alternate,
        messages,
        sender,
        stop: Arc::clone(&stop),
        requests,
        options: options.clone(),
        began: Instant::now(),
        drawn: None,
    };
    let ended = catch_unwind(AssertUnwindSafe(|| screen.run()));
    stop.store(true, Ordering::Relaxed);
    let was_heard = screen.model.head.is_some();
    drop(screen);
    let ending = match ended {
        Ok(ending) => ending,
        // The hook has put the terminal back and printed what happened.
        Err(panic) => ScreenEnd::Panicked(notice::words_of(panic.as_ref())),
    };
    if !matches!(ending, ScreenEnd::TerminalGone | ScreenEnd::Signalled(_)) {
        // Where the terminal is gone, the thread may be stuck reading it; its panic has been reported already.
        let _ = keys.join();
    }
    if let Some(told) = notices.take_panic() {
        // If standard error is gone with the terminal, there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", visible(&told));
    }
    match (ending, options.source) {
        (ScreenEnd::LabLost, Source::Lab { directory, .. }) if !was_heard => {
            Err(DashboardError::Unreachable { path: directory })
        }
        (ending, _) => Ok(ending),
    }
}

/// Reads keys in a thread of its own: a dead terminal blocks a reader for ever.
fn listen_to_keys(messages: SyncSender<ScreenMessage>, stop: Arc<AtomicBool>) -> io::Result<JoinHandle<()>> {
    let listen = move || {
        while !stop.load(Ordering::Relaxed) {
            let message =
                match event::poll(KEY_WAIT).and_then(|ready| if ready { event::read().map(Some) } else { Ok(None) }) {
                    Ok(Some(Event::Key(key))) => ScreenMessage::Key(key),
                    Ok(Some(Event::Mouse(event))) => ScreenMessage::Mouse(event),
                    Ok(Some(Event::Paste(text))) => ScreenMessage::Paste(text),
                    Ok(Some(Event::Resize(width, height))) => ScreenMessage::Resize(width, height),
                    Ok(_) => continue,
                    // The loop checks the terminal's health itself.
                    Err(_) => {
                        thread::sleep(KEY_WAIT);
                        continue;
                    }
                };
            if messages.send(message).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".into()).spawn(listen)
}

/// The loop's own things.
struct ScreenLoop {
    model: Model,
    alternate: Alternate,
    messages: Receiver<ScreenMessage>,
    /// Where threads that read for this screen send what they have read, and what ends them.
    sender: SyncSender<ScreenMessage>,
    stop: Arc<AtomicBool>,
    requests: Option<Sender<Request>>,
    options: Options,
    began: Instant,
    drawn: Option<Instant>,
}

impl ScreenLoop {
    fn run(&mut self) -> ScreenEnd {
        self.measure();
        loop {
            if let Some(ending) = self.draw() {
                return ending;
            }
            let messages = self.wait();
            // The library reports a key before a size that came earlier, and a size of then: its report only wakes the loop.
            self.measure();
            for message in messages.into_iter().filter(|message| !matches!(message, ScreenMessage::Resize(..))) {
                if let Some(ending) = self.take(message) {
                    return ending;
                }
            }
            let clock = self.began.elapsed();
            if let Some(ending) = self.take(ScreenMessage::Tick(clock)).or_else(|| self.look_around()) {
                return ending;
            }
        }
    }

    /// Gives the model the size that the terminal has.
    fn measure(&mut self) {
        if let Ok((width, height)) = alternate::drawn_size()
            && (width, height) != self.model.whole_size()
        {
            update(&mut self.model, ScreenMessage::Resize(width, height));
        }
    }

    /// The messages that have come, after at most a beat, or after the rest of a picture's time.
    fn wait(&mut self) -> Vec<ScreenMessage> {
        let since = self.drawn.map_or(FRAME, |drawn| drawn.elapsed());
        let timeout = match (self.model.is_reading(), self.model.drawing.is_needed()) {
            // Nobody has to wait for a long session longer than it takes.
            (true, _) => Duration::ZERO,
            (false, true) => FRAME.saturating_sub(since),
            (false, false) => BEAT,
        };
        let mut messages = Vec::new();
        match self.messages.recv_timeout(timeout) {
            Ok(message) => messages.push(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => panic!("the loop itself holds a sender"),
        }
        while let Some(message) = (messages.len() < MESSAGES_MAX).then(|| self.messages.try_recv().ok()).flatten() {
            messages.push(message);
        }
        messages
    }

    fn take(&mut self, message: ScreenMessage) -> Option<ScreenEnd> {
        for command in update(&mut self.model, message) {
            match command {
                Command::Request(request) => {
                    // The thread that takes requests outlives the loop.
                    let _ = self.requests.as_ref().map(|requests| requests.send(request));
                }
                Command::Note(file, change) => {
                    let done = match &change {
                        NoteChange::Written(note) => file.add(note),
                        NoteChange::TakenBack(note) => file.take_back(note),
                    };
                    let refused = done.err().map(|error| error.to_string());
                    update(&mut self.model, ScreenMessage::NoteChanged { change, refused });
                }
                Command::ReadSoFar(wanted) => {
                    if let Err(error) = source::read_so_far(wanted, &self.sender, &self.stop) {
                        update(&mut self.model, ScreenMessage::SoFar(Err(NotReadSoFar::NoThread(error))));
                    }
                }
                Command::ListSessions => {
                    update(&mut self.model, ScreenMessage::Listed(session_list::listed()));
                }
                Command::OpenSession(meant) => {
                    open_session(&mut self.model, session_list::opened(&self.options, &meant));
                }
                Command::Redraw => self.redraw(),
                Command::Suspend => {
                    if let Some(ending) = self.suspend() {
                        return Some(ending);
                    }
                }
                // A terminal that takes no more is found gone when the loop looks around.
                Command::Copy(text) => alternate::write(&clipboard::sequence(&text)),
                Command::UseMouse(mouse) => alternate::use_mouse(mouse),
                Command::Remember(what) => {
                    if let Err(error) = (self.options.remember)(&what) {
                        update(&mut self.model, ScreenMessage::Unremembered(error.to_string()));
                    }
                }
                Command::Leave(ending) => return Some(ending),
            }
        }
        None
    }

    /// Signals, panics of other threads, and the terminal's health.
    fn look_around(&mut self) -> Option<ScreenEnd> {
        if let Some(told) = notice::panic_elsewhere() {
            return Some(ScreenEnd::Panicked(told));
        }
        if let Some(signal) = notice::signal() {
            return Some(ScreenEnd::Signalled(signal));
        }
        if alternate::is_gone() {
            return Some(ScreenEnd::TerminalGone);
        }
        if notice::take_continued() {
            // The shell may have put the terminal into its own mode meanwhile.
            if alternate::is_ours() && self.alternate.enter_again().is_err() {
                return Some(ScreenEnd::TerminalGone);
            }
            self.redraw();
        }
        None
    }

    fn redraw(&mut self) {
        self.alternate.forget();
        self.model.drawing.need();
        self.drawn = None;
    }

    fn suspend(&mut self) -> Option<ScreenEnd> {
        alternate::leave();
        // A self-raised TSTP would be dropped where nobody could continue the process; STOP always stops.
        let stopped = raise(Signal::SIGSTOP);
        if stopped.is_err() || self.alternate.enter_again().is_err() {
            return Some(ScreenEnd::TerminalGone);
        }
        notice::take_continued();
        self.redraw();
        None
    }

    fn draw(&mut self) -> Option<ScreenEnd> {
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
        if !self.model.drawing.is_needed() || !is_due {
            return None;
        }
        let model = &self.model;
        if self.alternate.draw(|frame| view(model, frame)).is_err() {
            return Some(ScreenEnd::TerminalGone);
        }
        self.model.drawing.done();
        self.drawn = Some(Instant::now());
        None
    }
}
