//! Tests of what watchers and askers get, over socket pairs.
//!
//! Invariant: nothing waits for a guessed time: what the hub does is waited for until it is done.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream as Client;

use super::requests::serve_the_patient;
use super::watcher::{BYTES_MAX, LINES_MAX};
use super::*;
use crate::{Answer, Request};

fn line(text: &str) -> Arc<str> {
    format!("{text}\n").into()
}

/// A client that has come to this hub. The tasks run when the test waits.
fn watch(hub: &Hub) -> Client {
    let (client, ours) = Client::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    if let Some(watcher) = hub.admit(UnixStream::from_std(ours).unwrap()) {
        tokio::spawn(hub.clone().attend(watcher));
    }
    client
}

fn told(missed: u64) -> Arc<str> {
    line(&format!("snapshot after {missed}"))
}

/// Runs a test on the kind of runtime that a hub has.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let limit = Duration::from_secs(20);
    runtime.block_on(async { tokio::time::timeout(limit, test).await.expect("the test hangs") });
}

/// Lets the tasks run until this holds.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::task::yield_now().await;
    }
}

/// All lines of a client whose watcher was let go.
fn all_of(client: Client) -> Vec<String> {
    BufReader::new(client).lines().map(Result::unwrap).collect()
}

async fn let_all_go(hub: &Hub) {
    hub.watchers().iter().for_each(|watcher| watcher.let_go(&line("goodbye")));
    until(|| !hub.is_watched()).await;
}

#[test]
fn a_snapshot_comes_first_and_nothing_that_it_holds_comes_again() {
    run(async {
        let hub = Hub::with_room(WATCHERS_MAX);
        let client = watch(&hub);
        hub.publish(&line("before"));
        hub.beat(&line("pulse"), told);
        hub.welcome(told);
        hub.publish(&line("after"));
        hub.beat(&line("pulse that nobody needs"), told);
        hub.beat(&line("pulse behind what waits"), told);
        let watcher = Arc::clone(&hub.watchers()[0]);
        until(|| watcher.wants_nothing()).await;
        drop(watcher);
        hub.beat(&line("pulse"), told);
        hub.refresh(&line("refreshed"));
        let_all_go(&hub).await;
        assert_eq!(all_of(client), ["snapshot after 0", "after", "pulse", "refreshed", "goodbye"]);
    });
}

#[test]
fn who_stands_still_is_told_what_it_missed_once_it_has_caught_up_and_the_others_notice_nothing() {
    run(async {
        let hub = Hub::with_room(WATCHERS_MAX);
        let (still, quick) = (watch(&hub), watch(&hub));
        hub.welcome(told);
        let quick = std::thread::spawn(move || all_of(quick));
        let long = line(&"x".repeat(10_000));
        let slow_one = Arc::clone(&hub.watchers()[0]);
        let quick_one = Arc::clone(&hub.watchers()[1]);
        slow_one.set_wait_max_ms(3_600_000);
        quick_one.set_wait_max_ms(3_600_000);
        let mut given = 0;
        while slow_one.missed() == 0 {
            hub.publish(&long);
            given += 1;
            until(|| quick_one.wants_nothing()).await;
        }
        hub.publish(&long);
        hub.beat(&line("pulse"), told);
        assert_eq!((slow_one.missed(), slow_one.wants_snapshot()), (2, None), "there is no room for a snapshot");
        let still = std::thread::spawn(move || all_of(still));
        until(|| slow_one.wants_snapshot() == Some(2)).await;
        // Room in the middle of a gap changes nothing: a hole in the stream would go unseen.
        hub.publish(&line("in the gap"));
        hub.beat(&line("pulse"), told);
        hub.publish(&line("after"));
        let_all_go(&hub).await;
        // The last who know of them: their connections close.
        drop((slow_one, quick_one));
        let (still, quick) = (still.join().unwrap(), quick.join().unwrap());
        assert_eq!(still.len(), 1 + (given - 1) + 3);
        assert_eq!(still[given..], ["snapshot after 3", "after", "goodbye"]);
        assert_eq!(quick[given + 2..], ["in the gap", "after", "goodbye"]);
    });
}

#[test]
fn who_is_late_gets_the_present_instead_of_the_past() {
    run(async {
        let hub = Hub::with_room(WATCHERS_MAX);
        let client = watch(&hub);
        let watcher = Arc::clone(&hub.watchers()[0]);
        watcher.set_wait_max_ms(0);
        // No task has run yet, so everything waits behind the snapshot.
        hub.welcome(told);
        ["first", "second", "third"].iter().for_each(|text| hub.publish(&line(text)));
        assert_eq!((watcher.missed(), watcher.wants_snapshot()), (3, None), "first waited for too long as second came");
        until(|| watcher.wants_snapshot() == Some(3)).await;
        hub.beat(&line("pulse"), told);
        let_all_go(&hub).await;
        drop(watcher);
        assert_eq!(all_of(client), ["snapshot after 0", "snapshot after 3", "goodbye"]);
    });
}

#[test]
fn lines_and_bytes_fill_a_queue() {
    run(async {
        for (length, most) in [(1, LINES_MAX - 1), (BYTES_MAX / 4, 4)] {
            let hub = Hub::with_room(WATCHERS_MAX);
            let _client = watch(&hub);
            // No task has run yet: the snapshot is the first line, and takes no record's room however long it is.
            hub.watchers()[0].set_wait_max_ms(3_600_000);
            hub.welcome(|_| line(&"s".repeat(2 * BYTES_MAX)));
            let long = line(&"x".repeat(length - 1));
            (0..most + 5).for_each(|_| hub.publish(&long));
            assert_eq!(hub.watchers()[0].missed(), 5);
        }
    });
}

#[test]
fn who_has_left_is_found_out_and_takes_nobodys_room() {
    run(async {
        let hub = Hub::with_room(WATCHERS_MAX);
        let mut crowd: Vec<Client> = (0..WATCHERS_MAX).map(|_| watch(&hub)).collect();
        hub.welcome(told);
        let mut told_why = String::new();
        BufReader::new(watch(&hub)).read_line(&mut told_why).unwrap();
        assert!(told_why.contains("\"refused\"") && told_why.contains("which is the maximum"), "{told_why}");
        until(|| hub.watchers().iter().all(|watcher| watcher.wants_nothing())).await;
        crowd.pop();
        let _late = watch(&hub);
        assert_eq!(hub.watchers().len(), WATCHERS_MAX);
        drop(crowd);
        hub.publish(&line("a record"));
        until(|| hub.watchers().len() == 1).await;
    });
}

#[test]
fn a_watcher_that_reads_nothing_holds_up_the_end_for_a_while_only() {
    let (hub, its) = (Hub::with_room(WATCHERS_MAX), Hub::with_room(WATCHERS_MAX));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (sender, clients) = std::sync::mpsc::channel();
    let tasks = std::thread::spawn(move || {
        run(async {
            sender.send((its.clone(), watch(&its), watch(&its))).unwrap();
            let _ = stopped.await;
        });
    });
    let (its, reads, _does_not) = clients.recv().unwrap();
    its.welcome(told);
    let reader = std::thread::spawn(move || all_of(reads));
    its.watchers()[1].give_snapshot(line(&"x".repeat(BYTES_MAX)));
    let begun = Instant::now();
    its.see_off(&line("goodbye"));
    assert!(begun.elapsed() >= FAREWELL && its.is_watched());
    assert_eq!(reader.join().unwrap(), ["snapshot after 0", "goodbye"]);
    hub.see_off(&line("goodbye"));
    stop.send(()).unwrap();
    tasks.join().unwrap();
}

#[derive(Clone)]
struct Echo;

impl RequestHandler for Echo {
    fn take(&self, request: Request) -> Answer {
        Answer::Done { id: None, text: format!("{request:?}") }
    }

    fn end(&self, mut connection: Client) {
        write_answer(&mut connection, &Answer::Done { id: None, text: "over".into() });
    }
}

/// A door for requests, and its runtime's task.
fn door(directory: &tempfile::TempDir, idle: Duration) -> std::path::PathBuf {
    let path = directory.path().join("inject.sock");
    tokio::spawn(serve_the_patient(bind(&path).unwrap(), 2, idle, Echo));
    path
}

/// What a client is answered that writes these pieces, one after another, and then nothing more.
async fn answers_to(path: std::path::PathBuf, pieces: Vec<Vec<u8>>) -> Vec<String> {
    let client = std::thread::spawn(move || {
        let mut client = Client::connect(path).unwrap();
        // Who is refused may be cut off while it writes.
        let _ = pieces.iter().try_for_each(|piece| client.write_all(piece));
        let _ = client.shutdown(std::net::Shutdown::Write);
        BufReader::new(client).lines().map_while(Result::ok).collect()
    });
    until(|| client.is_finished()).await;
    client.join().unwrap()
}

#[test]
fn requests_are_answered_in_their_order_and_the_last_on_the_connection_itself() {
    run(async {
        let directory = tempfile::tempdir().unwrap();
        // In two pieces, two in one, what is none, what is no text, and one without an end.
        let pieces: [&[u8]; 4] = [b"{\"inject\":", b"\"heal\"}\n\"play-steps\"\nhello\n", b"\xff\n", b"\"end\""];
        let answers = answers_to(door(&directory, FAREWELL * 100), pieces.map(<[u8]>::to_vec).into()).await;
        let begins =
            ["{\"done\":{\"id\":null,\"text\":\"Inject(\\\"heal\\\")", "{\"done\":{\"id\":null,\"text\":\"PlaySteps"];
        assert!(answers.iter().zip(begins).all(|(answer, begins)| answer.starts_with(begins)), "{answers:?}");
        assert!(answers[2..4].iter().all(|answer| answer.contains("this is not a request: ")), "{answers:?}");
        assert_eq!(answers[4..], ["{\"done\":{\"id\":null,\"text\":\"over\"}}"]);
    });
}

#[test]
fn the_one_that_has_waited_longest_gives_way_to_a_newcomer() {
    run(async {
        let directory = tempfile::tempdir().unwrap();
        let path = door(&directory, FAREWELL * 100);
        let crowd = std::thread::spawn(move || {
            let ask = |mut client: &Client| {
                client.write_all(b"\"play-steps\"\n").unwrap();
                let mut line = String::new();
                BufReader::new(client).read_line(&mut line).unwrap();
                line
            };
            let [first, second] = [Client::connect(&path).unwrap(), Client::connect(&path).unwrap()];
            // Half a request is none.
            (&first).write_all(b"\"play").unwrap();
            let third = Client::connect(&path).unwrap();
            let asked = [ask(&third), ask(&second), ask(&third)];
            let mut told = String::new();
            BufReader::new(&first).read_line(&mut told).unwrap();
            (asked, told)
        });
        until(|| crowd.is_finished()).await;
        let (asked, told) = crowd.join().unwrap();
        assert!(asked.iter().all(|line| line.contains("PlaySteps")), "{asked:?}");
        assert!(told.contains("another client needed the place"), "{told}");
    });
}

#[test]
fn a_request_that_is_too_long_is_refused_whole() {
    run(async {
        let directory = tempfile::tempdir().unwrap();
        let path = door(&directory, FAREWELL * 100);
        // With an end and without one; what comes behind it is nobody's request.
        for end in [&b"\"end\"\n"[..], b"\n\"end\"\n"] {
            let long = vec![b'x'; 64 * 1024];
            let answers = answers_to(path.clone(), vec![b"\"play-steps\"\n".to_vec(), long, end.to_vec()]).await;
            assert_eq!(answers.len(), 2, "{answers:?}");
            assert!(answers[0].contains("PlaySteps") && answers[1].contains("longer than 65536 bytes"), "{answers:?}");
        }
        let longest = [&b"\"play-steps\""[..], &vec![b' '; 64 * 1024 - 13], b"\n"].concat();
        let answers = answers_to(path, vec![longest, b"\"end\"\n".to_vec()]).await;
        assert!(answers.len() == 2 && answers[0].contains("PlaySteps") && answers[1].contains("over"), "{answers:?}");
    });
}

#[test]
fn who_asks_for_nothing_loses_its_place_and_half_a_request_is_none() {
    run(async {
        let directory = tempfile::tempdir().unwrap();
        let path = door(&directory, Duration::from_millis(50));
        let silent = Client::connect(&path).unwrap();
        let mut half = Client::connect(&path).unwrap();
        half.write_all(b"\"end\"").unwrap();
        let silent = std::thread::spawn(move || (all_of(silent), all_of(half)));
        until(|| silent.is_finished()).await;
        assert_eq!(silent.join().unwrap(), (vec![], vec![]));
        let late = answers_to(path, vec![b"\"play-steps\"\n".to_vec()]).await;
        assert!(late.len() == 1 && late[0].contains("PlaySteps"), "{late:?}");
    });
}
