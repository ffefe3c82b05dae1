//! `explore --serve`: stateright's web Explorer, on 127.0.0.1 alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::bench::Bench;

/// The code and the body with which the Explorer at this address answers these lines.
fn answered(address: &str, lines: &[&str]) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{}\r\n\r\n", lines.join("\r\n")).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
}

/// What the Explorer at this address shows at this path.
fn shown(address: &str, path: &str) -> String {
    let (code, body) = answered(address, &[&format!("GET {path} HTTP/1.1"), &format!("Host: {address}")]);
    assert_eq!(code, "200", "{path}: {body}");
    body
}

fn asked(address: &str, path: &str) -> Value {
    serde_json::from_str(&shown(address, path)).unwrap()
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

    for (path, holds) in [
        ("/", "<title>Stateright Explorer</title>"),
        ("/app.css", "font-family"),
        ("/app.js", "/.runtocompletion"),
        ("/knockout-3.5.0.js", "Knockout"),
    ] {
        assert!(shown(address, path).contains(holds), "{path}");
    }
    for path in ["/.states/9", "/.states/0/999", "/.states/x", "/../../etc/passwd", "/none"] {
        let (code, body) = answered(address, &[&format!("GET {path} HTTP/1.1"), &format!("Host: {address}")]);
        assert_eq!(code, "404", "{path}: {body}");
    }

    // What is claimed is not made room for, and what another page or another name asks is not done.
    let (run, host) = ("POST /.runtocompletion HTTP/1.1", format!("Host: {address}"));
    for (lines, code) in [
        (&["GET / HTTP/1.1", &host, "Content-Length: 99999999999"][..], "413"),
        (&["GET /.status HTTP/1.1", "Host: evil.example"], "403"),
        (&[run, &host, "Origin: http://evil.example"], "403"),
        (&["HEAD / HTTP/1.1", &host], "405"),
    ] {
        assert_eq!(answered(address, lines).0, code, "{lines:?}");
    }
    let states = |address| asked(address, "/.status")["state_count"].as_u64().unwrap();
    assert_eq!(Some(states(address)), status["state_count"].as_u64(), "nobody has told the checker to go on");
    let origin = format!("Origin: http://{address}");
    assert_eq!(answered(address, &[run, &host, &origin, "Content-Length: 0"]).0, "200");
    Bench::until("the checker finds the violation", || asked(address, "/.status")["properties"][0][2].is_string());
    assert!(Some(states(address)) > status["state_count"].as_u64());

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
