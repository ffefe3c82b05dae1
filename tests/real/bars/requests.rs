//! Askers that are slow, and one that never ends a line: others are answered, and the host takes no more memory for it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::{RunningLab, lab_text};
use crate::bench::Bench;

/// More than there is room for.
const SLOW_ASKERS: usize = 200;

fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[ignore = "scripts/reliability 44"]
fn slow_askers_and_an_endless_line_keep_nobody_out() {
    let bench = Bench::new();
    let mut lab = RunningLab::up(&bench, &lab_text("bully", 3), |_| {});
    bench.must(&["wait", "coordinator 3"]);
    let socket = lab.directory.join("inject.sock");
    let before = resident_kib(lab.host);
    let mut askers: Vec<UnixStream> = (0..SLOW_ASKERS).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    let mut endless = UnixStream::connect(&socket).unwrap();
    endless.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    // What is not read here is not taken; what is refused closes the connection.
    let taken = (0..1 << 16).take_while(|_| endless.write_all(&[b'x'; 4096]).is_ok()).count();
    assert!(taken < 1 << 14, "{taken} blocks of an endless line were taken");
    let mut slowest = Duration::ZERO;
    for second in 0..5 {
        for asker in &mut askers {
            let _ = asker.write_all(&b"{\"inject\":"[second..=second]);
        }
        let began = Instant::now();
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(b"{\"inject\":\"elect 1\"}\n").unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        assert!(line.contains("in force"), "after {second} s: {line}");
        slowest = slowest.max(began.elapsed());
        std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
    }
    let grown = resident_kib(lab.host).saturating_sub(before);
    println!("bar: slowest answer {slowest:?}, the host grew by {grown} KiB");
    assert!(grown < 8 << 10, "the host grew by {grown} KiB");
    assert!(slowest < Duration::from_millis(100), "{slowest:?}");
    drop((askers, endless));
    bench.must(&["wait", "all normal"]);
    lab.down(&bench);
}
