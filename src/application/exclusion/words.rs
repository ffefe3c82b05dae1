//! Words about mutual exclusion: those of its critical section.

use crate::section;
use crate::words::Field;
use protocol::Work;
use record::Step;

/// What a step did at the section.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Exclusion(section) = work else { return None };
    section::words::did(*section, step)
}

/// How a process stands to the section.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Exclusion(section) = work else { return Vec::new() };
    vec![section::words::field(*section)]
}

#[cfg(test)]
mod tests {
    use crate::tests::ToldLab;
    use judge::trial::application;
    use protocol::{SectionState, SectionWork, Work};

    use crate::section::words::{ENTERING_LINE, LEAVING_LINES, WANTING_LINE};

    #[test]
    fn the_row_says_who_is_inside_and_waits() {
        let mut lab = ToldLab::new(application("mutual-exclusion", &[], 0));
        let stands = |stance, entries| Work::Exclusion(SectionWork { stance, entries });
        let row = lab.works(2, stands(SectionState::Waiting, 3), &[WANTING_LINE]);
        assert_eq!(row, "nobody is inside, 2 waits  entered 2:3");
        let row = lab.works(5, stands(SectionState::Inside, 1), &[ENTERING_LINE]);
        assert_eq!(row, "5 is inside, 2 waits  entered 2:3 5:1");
        let row = lab.works(2, stands(SectionState::Inside, 4), &[ENTERING_LINE]);
        assert_eq!(row, "2,5 are inside  entered 2:4 5:1");
        lab.works(5, stands(SectionState::Outside, 1), &[LEAVING_LINES[0]]);
        let expected = [
            "2 waits for the critical section",
            "5 enters the critical section",
            "2 enters the critical section",
            "5 leaves the critical section",
        ];
        assert_eq!(lab.did, expected);
    }
}
