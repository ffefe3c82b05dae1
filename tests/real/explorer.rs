//! `explore --serve`: stateright's web Explorer, on 127.0.0.1 alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::bench::Bench;

/// What the Explorer at this address answers at this path.
fn asked(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    serde_json::from_str(body).unwrap()
}

#[test]
fn the_explorer_shows_states_and_actions_in_sentences_until_it_is_told_to_end() {
    let bench = Bench::without_labs();
    let mut served = bench
        .hustings(&["explore", "bully-early", "--down", "3", "--recoveries", "1", "--horizon", "8", "--serve", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(served.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split('/').nth(2).unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{line}");

    let status = asked(address, "/.status");
    assert_eq!(status["properties"][0][1], "assertion-1", "{status}");
    let first = asked(address, "/.states/");
    let state = first[0]["state"].as_str().unwrap();
    assert!(state.contains("3 is dead") && state.contains("1 recovery may still come"), "{state}");
    let steps = asked(address, "/.states/0");
    let actions: Vec<&str> = steps.as_array().unwrap().iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert!(actions.contains(&"2 hears AreYouThere of 1") && actions.contains(&"3 starts again"), "{actions:?}");

    kill(Pid::from_raw(served.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(served.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_at_which_somebody_listens_is_an_error_with_a_remedy() {
    let somebody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = somebody.local_addr().unwrap().port().to_string();
    let printed = Bench::without_labs().run(&["explore", "bully-early", "--serve", &port]);
    assert_eq!((printed.code, printed.out.as_str()), (6, ""), "{printed:?}");
    assert!(printed.err.contains("choose another port"), "{printed:?}");
}
