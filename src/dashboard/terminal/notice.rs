//! Signals and panics, noted where they happen and read by the loop.
//!
//! Invariant: a signal handler stores a number and does nothing else; when the screen ends, the earlier handlers and
//! the earlier hook are back, but for that of SIGHUP after a terminal that closed.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::alternate;

static SIGNAL: AtomicI32 = AtomicI32::new(0);
static IS_CONTINUED: AtomicBool = AtomicBool::new(false);
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// The signals that are noted: SIGCONT, and all that would end the process while the terminal is in our mode, but for
/// those that tell of a bug.
const SIGNALS: &[Signal] = &[
    Signal::SIGCONT,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
    #[cfg(target_os = "linux")]
    Signal::SIGIO,
    #[cfg(target_os = "linux")]
    Signal::SIGPWR,
    #[cfg(target_os = "linux")]
    Signal::SIGSTKFLT,
];

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// The handlers and the hook; when this is dropped, the earlier ones come back.
pub struct Notices {
    handlers: Vec<(Signal, SigAction)>,
    hook: Arc<Hook>,
}

impl Notices {
    /// Puts them in place.
    pub fn install() -> Notices {
        SIGNAL.store(0, Ordering::SeqCst);
        IS_CONTINUED.store(false, Ordering::SeqCst);
        let ours = SigAction::new(SigHandler::Handler(note), SaFlags::SA_RESTART, SigSet::empty());
        let handlers = SIGNALS.iter().filter_map(|signal| Some((*signal, handle(*signal, &ours)?))).collect();
        let before: Arc<Hook> = Arc::from(panic::take_hook());
        let (hook, screen) = (Arc::clone(&before), thread::current().id());
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == screen {
                alternate::leave();
                before(info);
            } else {
                let name = thread::current().name().unwrap_or("without a name").to_owned();
                let told = format!("thread {name}: {info}");
                PANIC.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(told);
            }
        }));
        Notices { handlers, hook }
    }

    /// The message of another thread's panic, if one has panicked.
    pub fn take_panic(&self) -> Option<String> {
        PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        // A terminal that closes may send SIGHUP twice, from its shell and from the kernel. The second must not cut short
        // what is still written when the screen has ended.
        let is_closing = signal() == Some(Signal::SIGHUP as c_int) || alternate::is_gone();
        for (signal, action) in self.handlers.iter().filter(|(signal, _)| !is_closing || *signal != Signal::SIGHUP) {
            handle(*signal, action);
        }
        if !thread::panicking() {
            let before = Arc::clone(&self.hook);
            panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}

#[expect(unsafe_code, reason = "a signal handler can be set in no other way")]
fn handle(signal: Signal, action: &SigAction) -> Option<SigAction> {
    // SAFETY: the handlers given here are `note`, which only stores into atomics, or those that were there before.
    unsafe { sigaction(signal, action) }.ok()
}

extern "C" fn note(signal: c_int) {
    if signal == Signal::SIGCONT as c_int {
        IS_CONTINUED.store(true, Ordering::SeqCst);
    } else {
        SIGNAL.store(signal, Ordering::SeqCst);
    }
}

/// The signal that has asked for the end, if there was one.
pub fn signal() -> Option<i32> {
    Some(SIGNAL.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// Whether the process was continued since this was asked last.
pub fn take_continued() -> bool {
    IS_CONTINUED.swap(false, Ordering::SeqCst)
}

/// The message of a panic in a thread other than the screen's.
pub fn panic_elsewhere() -> Option<String> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The words of a panic that was caught.
pub fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".into())
}
