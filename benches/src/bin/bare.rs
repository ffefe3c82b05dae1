//! The bare process beside a node: tokio and one UDP socket, and nothing else.
//!
//! `bare ready` opens a socket, prints the moment at which it had it, and waits to be killed.
//! `bare beat PORT MS` sends a datagram to the port every so many milliseconds.
//! `bare follow SILENCE_MS WAIT_MS COUNT` prints its port; when nothing has come for so long it waits COUNT times
//! WAIT_MS more, as an election would, and prints the moment at which that was over.

use std::io::Write;
use std::time::Duration;

use hustings_benches::monotonic_nanos;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let millis = |index: usize| Duration::from_millis(arguments[index].parse().expect("a number of milliseconds"));
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    match arguments[0].as_str() {
        "ready" => {
            say(monotonic_nanos());
            std::future::pending::<()>().await;
        }
        "beat" => {
            let to = format!("127.0.0.1:{}", arguments[1]);
            loop {
                socket.send_to(b"beat", &to).await?;
                sleep(millis(2)).await;
            }
        }
        "follow" => {
            say(u64::from(socket.local_addr()?.port()));
            let mut buffer = [0; 64];
            socket.recv_from(&mut buffer).await?;
            while let Ok(received) = timeout(millis(1), socket.recv_from(&mut buffer)).await {
                received?;
            }
            for _ in 0..arguments[3].parse::<u32>().expect("a count") {
                sleep(millis(2)).await;
            }
            say(monotonic_nanos());
        }
        other => panic!("no mode `{other}`"),
    }
    Ok(())
}

fn say(number: u64) {
    println!("{number}");
    std::io::stdout().flush().expect("somebody reads this");
}
