//! The sockets: a lab that speaks, breaks off, returns, is gone; requests and their answers.
//!
//! Invariant: each wait is for a message, and ends when it comes.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use super::stage::{calm, node, snapshot};
use crate::input::message::ScreenMessage;
use crate::terminal::source::start;
use protocol::NodeId;
use record::{Answer, Body, Frame, Request, run_directory};

struct Screen {
    messages: Receiver<ScreenMessage>,
    requests: Sender<Request>,
    stop: Arc<AtomicBool>,
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn screen(directory: &Path, node: Option<NodeId>) -> Screen {
    let (sender, messages) = mpsc::sync_channel(64);
    let stop = Arc::new(AtomicBool::new(false));
    let requests = start(directory.to_owned(), node, &sender, &stop).unwrap();
    Screen { messages, requests, stop }
}

impl Screen {
    fn next(&self) -> ScreenMessage {
        self.messages.recv_timeout(Duration::from_secs(20)).expect("a message within 20 s")
    }

    fn frame(&self) -> Frame {
        match self.next() {
            ScreenMessage::Frame(frame) => *frame,
            other => panic!("no frame: {other:?}"),
        }
    }
}

fn say(stream: &mut UnixStream, frame: &Frame) {
    writeln!(stream, "{}", serde_json::to_string(frame).unwrap()).unwrap();
}

#[test]
fn frames_come_in_order_and_a_lab_that_breaks_off_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(run_directory::OBSERVE);
    let listener = UnixListener::bind(&path).unwrap();
    let screen = screen(directory.path(), None);
    let (mut lab, _) = listener.accept().unwrap();
    say(&mut lab, &snapshot(&calm(), 0));
    assert!(matches!(screen.frame(), Frame::Snapshot { recent, .. } if recent == calm()));
    lab.write_all(b"{\"frame\":\"pul").unwrap();
    lab.write_all(b"se\",\"at\":5}\n").unwrap();
    assert!(matches!(screen.frame(), Frame::Pulse { at: 5 }));
    lab.write_all(b"no frame\n").unwrap();
    assert!(matches!(screen.next(), ScreenMessage::Unreadable));
    lab.write_all(b"{\"frame\":\"record\",\"record\":{\"at\":1,\"lab\":1,\"kind\":\"eclipse\"}}\n").unwrap();
    assert!(matches!(screen.frame(), Frame::Record { record } if matches!(record.body, Body::Unknown(_))));
    drop(listener);
    std::fs::remove_file(path).unwrap();
    drop(lab);
    assert!(matches!(screen.next(), ScreenMessage::Lost));
    assert!(matches!(screen.next(), ScreenMessage::Gone));
}

#[test]
fn a_node_that_returns_is_taken_up_again_and_gone_only_with_its_host() {
    let directory = tempfile::tempdir().unwrap();
    let host = UnixListener::bind(directory.path().join(run_directory::OBSERVE)).unwrap();
    let path = directory.path().join(run_directory::node_observe(node(3)));
    let screen = screen(directory.path(), Some(node(3)));
    for at in [7, 8] {
        let listener = UnixListener::bind(&path).unwrap();
        let (mut process, _) = listener.accept().unwrap();
        say(&mut process, &Frame::Pulse { at });
        assert!(matches!(screen.frame(), Frame::Pulse { at: heard } if heard == at));
        drop(listener);
        std::fs::remove_file(&path).unwrap();
        drop(process);
        assert!(matches!(screen.next(), ScreenMessage::Lost));
    }
    // The host is asked whether it still lives, and answers.
    host.accept().unwrap();
    assert!(screen.messages.try_recv().is_err());
    drop(host);
    assert!(matches!(screen.next(), ScreenMessage::Gone));
}

#[test]
fn the_screen_of_a_node_hears_from_the_host_why_the_lab_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let host = UnixListener::bind(directory.path().join(run_directory::OBSERVE)).unwrap();
    let screen = screen(directory.path(), Some(node(3)));
    let (mut lab, _) = host.accept().unwrap();
    say(&mut lab, &snapshot(&calm(), 0));
    lab.write_all(b"no frame\n").unwrap();
    say(&mut lab, &Frame::Goodbye { why: "it was told to end".into() });
    drop((lab, host));
    assert!(matches!(screen.next(), ScreenMessage::LabOver(why) if why == "it was told to end"));
    assert!(matches!(screen.next(), ScreenMessage::Gone));
}

#[test]
fn answers_come_to_their_requests_and_a_lab_that_is_not_there_is_an_answer_too() {
    let directory = tempfile::tempdir().unwrap();
    let _observe = UnixListener::bind(directory.path().join(run_directory::OBSERVE)).unwrap();
    let listener = UnixListener::bind(directory.path().join(run_directory::INJECT)).unwrap();
    let screen = screen(directory.path(), None);
    let lines = ["crash 5", "undo"].map(|line| Request::Inject(line.to_owned()));
    for line in &lines {
        screen.requests.send(line.clone()).unwrap();
    }
    let (mut lab, _) = listener.accept().unwrap();
    let mut asked = BufReader::new(lab.try_clone().unwrap()).lines();
    let read =
        |line: Option<std::io::Result<String>>| -> Request { serde_json::from_str(&line.unwrap().unwrap()).unwrap() };
    let both = [read(asked.next()), read(asked.next())];
    for request in both {
        let Request::Inject(text) = request else { panic!("{request:?}") };
        writeln!(lab, "{}", serde_json::to_string(&Answer::Done { id: None, text }).unwrap()).unwrap();
    }
    for line in &lines {
        match (line, screen.next()) {
            (
                Request::Inject(sent),
                ScreenMessage::Answered { request: Request::Inject(of), answer: Answer::Done { text, .. } },
            ) => {
                assert_eq!((sent, sent), (&of, &text));
            }
            (_, other) => panic!("{other:?}"),
        }
    }
    screen.requests.send(Request::PlaySteps).unwrap();
    read(asked.next());
    drop((listener, asked, lab));
    for told in ["before it answered", "cannot be reached"] {
        match screen.next() {
            ScreenMessage::Answered { request: Request::PlaySteps, answer: Answer::Refused { why } } => {
                assert!(why.contains(told), "{why}");
            }
            other => panic!("{other:?}"),
        }
        if told == "before it answered" {
            screen.requests.send(Request::PlaySteps).unwrap();
        }
    }
}
