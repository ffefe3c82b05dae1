//! Watchers: how many there may be.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::bench::{Bench, bully_lab};

/// The first line that a new watcher of this socket gets.
fn first_line(socket: &Path) -> (String, UnixStream) {
    let stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    (line, stream)
}

/// The watchers of a socket that were let in, of more than there is room for.
fn crowd(socket: &Path) -> Vec<UnixStream> {
    let lines = (0..150).map(|_| first_line(socket));
    let (refused, let_in): (Vec<_>, Vec<_>) = lines.partition(|(line, _)| line.contains("\"frame\":\"refused\""));
    assert!(refused.iter().all(|(line, _)| line.contains("which is the maximum")) && !refused.is_empty());
    assert!(let_in.iter().all(|(line, _)| line.contains("\"frame\":\"snapshot\"")) && !let_in.is_empty());
    let_in.into_iter().map(|(_, stream)| stream).collect()
}

#[test]
fn watchers_take_no_descriptor_that_a_save_or_a_request_needs() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    // Less than the watchers alone would take.
    let up = bench.hustings_after("ulimit -n 100", &["up", &file, "--detach", "--no-record"]).output().unwrap();
    assert!(up.status.success(), "{up:?}");
    let directory = bench.path("hustings").join(String::from_utf8(up.stdout).unwrap().trim());
    bench.must(&["wait", "coordinator 5"]);
    let of_nodes: Vec<_> = (1..=3).map(|node| crowd(&directory.join(format!("node-{node}.sock")))).collect();
    let of_host = crowd(&directory.join("observe.sock"));
    let refused = bench.run(&["wait", "coordinator 5"]);
    assert!(refused.code == 6 && refused.err.contains("the lab goes on"), "{refused:?}");
    // Those who save meanwhile do so.
    assert_eq!(bench.must(&["inject", "crash 5"]), "f1 crash 5: in force\n");
    drop(of_host);
    bench.must(&["wait", "coordinator 4"]);
    drop(of_nodes);
    bench.must(&["wait", "all normal"]);
    assert!(!bench.must(&["down"]).contains("unknown"));
}
