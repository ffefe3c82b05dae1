//! The lab's steps as the head of its session tells them, read once.
//!
//! Invariant: they are those of the lab that is shown, also after the screen has met another one.

use std::cell::RefCell;
use std::rc::Rc;

use record::Head;
use script::StepBook;

/// The steps that were read, with the id of their lab.
#[derive(Default, Debug)]
pub struct StepCache {
    read: RefCell<Option<(String, Option<Rc<StepBook>>)>>,
}

impl StepCache {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::stage::head;

    #[test]
    fn each_lab_has_its_own_steps() {
        let cache = StepCache::default();
        for (lab, about) in [("a", "one"), ("a", "one"), ("b", "other")] {
            let file = "[[step]]\nname = \"part\"\nat = \"5s\"\ndo = []\n".to_owned();
            let head = Head { lab_id: lab.into(), about: about.into(), lab_file: file, ..head() };
            assert_eq!(cache.book(&head).unwrap().about, about);
        }
    }
}
