//! `explore --serve`: a lab in a browser, on 127.0.0.1 alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

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

/// How many states the checker has generated.
fn generated(address: &str) -> u64 {
    let page = shown(address, "/");
    let (_, rest) = page.split_once("It has generated ").unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
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

    let first = shown(address, "/");
    for words in ["<td>assertion-1<td>not decided yet", "3 is dead", "1 recovery may still come", "The checker waits."]
    {
        assert!(first.contains(words), "{words}: {first}");
    }
    for action in ["2 hears AreYouThere of 1", "3 starts again"] {
        let link = first.lines().find(|line| line.contains(&format!("\">{action}</a>"))).unwrap();
        let path = link.split('"').nth(1).unwrap();
        assert!(shown(address, path).contains(&format!("<li><a href=\"{path}\">{action}</a>")), "{path}");
    }
    for path in ["/999", "/0/999", "/x", "/../../etc/passwd", "/none"] {
        let (code, body) = answered(address, &[&format!("GET {path} HTTP/1.1"), &format!("Host: {address}")]);
        assert_eq!(code, "404", "{path}: {body}");
    }
    let before = generated(address);

    // What is claimed is not made room for, and what another page or another name asks is not done.
    let (run, host) = ("POST /run HTTP/1.1", format!("Host: {address}"));
    for (lines, code) in [
        (&["GET / HTTP/1.1", &host, "Content-Length: 99999999999"][..], "413"),
        (&["GET / HTTP/1.1", "Host: evil.example"], "403"),
        (&[run, &host, "Origin: http://evil.example"], "403"),
        (&["HEAD / HTTP/1.1", &host], "405"),
    ] {
        assert_eq!(answered(address, lines).0, code, "{lines:?}");
    }
    assert_eq!(generated(address), before, "nobody has told the checker to go on");
    let origin = format!("Origin: http://{address}");
    assert_eq!(answered(address, &[run, &host, &origin, "Content-Length: 0"]).0, "303");
    let is_found = || shown(address, "/").contains("<td>assertion-1<td class=\"no\">false");
    Bench::until("the checker finds the violation", is_found);
    assert!(generated(address) > before);

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
