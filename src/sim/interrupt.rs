//! The word that ends simulations before their end, also in the midst of one.
//!
//! A signal, or whoever watches many runs, raises an interrupt from another thread. The simulations that begin under it
//! look at it every few turns.
//!
//! Invariant: as long as it is not raised it changes nothing.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The interrupt under which this thread simulates.
    static OF_THREAD: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// An interrupt; its clones are the same one.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Ends the simulations that run under it, and those that begin under it later.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The interrupt under which the present thread simulates; one that nobody raises, if there is none.
    pub fn of_thread() -> Interrupt {
        OF_THREAD.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// Does the work in this thread; the simulations that begin in it are under this interrupt.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts the interrupt back that was there before, also after a panic.
        struct Before(Option<Interrupt>);
        impl Drop for Before {
            fn drop(&mut self) {
                OF_THREAD.set(self.0.take());
            }
        }
        let _before = Before(OF_THREAD.replace(Some(self.clone())));
        work()
    }
}
