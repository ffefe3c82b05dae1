//! What an end leaves open: two groups in the quiet after it, and an announcement that is still under way.
//!
//! Invariant: what is open is judged once it is settled.

use super::*;
use protocol::SettingValue;

#[test]
fn in_the_quiet_after_it_two_groups_have_no_excuse_but_to_the_letter() {
    for (errata, because) in [(true, None), (false, Some(Assumption::DeliveryInTime))] {
        let mut head = head(3, &[Property::Uniqueness], &[Assumption::DeliveryInTime]);
        head.settings = head.settings.with("errata", SettingValue::Flag(errata));
        let mut trace = Trace::new(&head);
        end(&mut trace, 0, &[collecting(1), collecting(1), collecting(1)]);
        let loss = trace.fault(10, "loss 3->* 100%", "1-3");
        end(&mut trace, 100, &[collecting(2), collecting(2), collecting(2)]);
        let word = trace.broadcast(3, 200, None);
        trace.dropped(1, 201, word, loss);
        trace.dropped(2, 201, word, loss);
        end(&mut trace, 900, &[stopped(2, 2), stopped(2, 2), stopped(3, 2)]);
        trace.close(9000);
        let quiet = trace.reports.iter().find(|report| report.text.contains("quiet since")).unwrap();
        assert_eq!((quiet.property, quiet.because), (Property::Uniqueness, because), "{}", quiet.text);
    }
}

#[test]
fn while_an_announcement_of_one_that_crashed_may_be_under_way_there_is_no_end() {
    let told = |heard_at| {
        let mut trace = lab(3);
        end(&mut trace, 90, &[collecting(1), collecting(1), collecting(1)]);
        end(&mut trace, 100, &[stopped(2, 1), stopped(2, 1)]);
        trace.crash(3, 200);
        trace.become_state(1, heard_at, stopped(3, 1));
        trace.become_state(2, heard_at + 40, stopped(3, 1));
        trace.close(2500);
        trace.texts().len()
    };
    assert_eq!((told(201), told(301)), (0, 1));
}
