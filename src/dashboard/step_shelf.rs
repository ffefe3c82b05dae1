//! The lab's steps as the head of its session tells them, read once.
//!
//! Invariant: they are those of the lab that is shown, also after the screen has met another one.

use std::cell::RefCell;
use std::rc::Rc;

use crate::record::Head;
use crate::script::StepBook;

/// The steps that were read, with the id of their lab.
#[derive(Default, Debug)]
pub struct StepShelf {
    read: RefCell<Option<(String, Option<Rc<StepBook>>)>>,
}

impl StepShelf {
    /// The steps of the lab of this session; nothing, if it does not tell them.
    pub fn book(&self, head: &Head) -> Option<Rc<StepBook>> {
        let mut read = self.read.borrow_mut();
        match &*read {
            Some((lab, book)) if *lab == head.lab_id => book.clone(),
            _ => {
                let book = StepBook::of(head).map(Rc::new);
                *read = Some((head.lab_id.clone(), book.clone()));
                book
            }
        }
    }
}
