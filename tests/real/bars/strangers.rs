//! Another user at a lab's sockets: it gets no word.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{RunningLab, count, lab_text};
use crate::bench::Bench;

/// A user that owns nothing here.
const NOBODY: u32 = 65_534;

fn open_to_all(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
#[ignore = "scripts/reliability 43, as root"]
fn another_user_gets_no_word_even_where_the_modes_would_let_it_in() {
    let bench = Bench::new();
    let mut lab = RunningLab::up(&bench, &lab_text("bully", 3), |_| {});
    bench.must(&["wait", "coordinator 3"]);
    for directory in [&bench.path(""), &bench.path("hustings"), &lab.directory] {
        open_to_all(directory, 0o755);
    }
    for _ in 0..count() {
        for name in ["observe.sock", "inject.sock", "node-2.sock"] {
            let socket = lab.directory.join(name);
            open_to_all(&socket, 0o666);
            let mut stranger = Command::new(std::env::current_exe().unwrap());
            stranger.args(["--ignored", "--exact", "bars::strangers::as_a_stranger"]).env("STRANGER_SOCKET", &socket);
            let said = stranger.uid(NOBODY).gid(NOBODY).current_dir("/").output().unwrap();
            assert!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stdout));
            assert!(String::from_utf8_lossy(&said.stdout).contains("1 passed"), "{said:?}");
        }
    }
    let ordered = lab.read().iter().filter(|record| record["kind"] == "fault-ordered").count();
    assert_eq!(ordered, 0, "a stranger's fault");
    lab.down(&bench);
}

/// What the stranger does; alone it does nothing.
#[test]
#[ignore = "the other test runs it as another user"]
fn as_a_stranger() {
    let Some(socket) = std::env::var_os("STRANGER_SOCKET") else { return };
    let mut stream = UnixStream::connect(socket).expect("the modes let it in");
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let _ = stream.write_all(b"{\"inject\":\"crash 1\"}\n");
    let mut told = String::new();
    // Closed with or without what was written being read.
    let _ = stream.read_to_string(&mut told);
    assert_eq!(told, "");
}
