//! The doors of a lab: Unix sockets in its run directory, for this user alone.
//!
//! Invariant: a process of another user is disconnected without a word, before anything of it is read.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};

use super::peer::is_own_peer;

/// How long nobody is let in after an accept failed, most likely because descriptors ran out.
const REST: Duration = Duration::from_millis(100);

/// Opens a door, in place of one that a dead process left. Call it within a runtime.
///
/// # Errors
/// The system's error, or something other than a socket lies there: a path that names a file by mistake never deletes
/// that file.
pub fn bind(path: &Path) -> io::Result<UnixListener> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Lets in every client, for ever.
pub async fn let_in(listener: UnixListener, mut take: impl FnMut(UnixStream)) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) if is_own_peer(&stream) => take(stream),
            Ok(_) => {}
            Err(_) => tokio::time::sleep(REST).await,
        }
    }
}

/// Tells a new client why there is no room, and closes the connection.
pub fn turn_away(stream: UnixStream, line: &str) {
    // A line this short finds room in a new socket; if it does not, it is not sent.
    let _ = stream.into_std().and_then(|mut stream| stream.write_all(line.as_bytes()));
}

/// Writes all of it, however often the other side makes it wait.
pub async fn write_all(stream: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_socket_is_removed_to_make_room() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("node-1.sock");
        fs::write(&path, "precious").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _inside = runtime.enter();
        assert_eq!(bind(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        fs::remove_file(&path).unwrap();
        drop(bind(&path).unwrap());
        bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
