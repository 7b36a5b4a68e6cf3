//! Servers that never end: each wait has a deadline, each flood a limit, and the caller can stop.

use std::sync::Arc;
use std::time::Duration;

use skillx_archive::Cancel;
use skillx_archive::fetch::{Download, Https, Rules};

use crate::server::{Client, Request, Server};
use crate::{code, get_with, rules, url};

const SHORT: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(20);

fn answering(handler: impl Fn(&mut Client<'_>) + Send + Sync + 'static) -> Server {
    Server::plain(move |_: &Request, client: &mut Client<'_>| handler(client))
}

#[track_caller]
fn ends(server: &Server, change: impl FnOnce(&mut Rules)) -> &'static str {
    let address = url(&server.url("/"));
    let mut rules = rules(&address);
    change(&mut rules);
    code(get_with(&Https::new(), &Download::new(&address), &rules))
}

#[test]
fn n07_a_server_that_says_nothing() {
    let server = answering(|client| client.hang());
    assert_eq!(ends(&server, |rules| rules.idle = SHORT), "timeout");
    assert_eq!(ends(&server, |rules| rules.total = SHORT), "timeout");
}

#[test]
fn n07_a_body_that_stops() {
    let server = answering(|client| {
        client.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        client.hang();
    });
    assert_eq!(ends(&server, |rules| rules.idle = SHORT), "timeout");
}

#[test]
fn n07_headers_one_byte_at_a_time() {
    let server = answering(|client| {
        client.send("HTTP/1.1 200 OK\r\nX: ");
        client.drip(&vec![b'a'; 60_000], PAUSE);
    });
    assert_eq!(ends(&server, |rules| rules.idle = SHORT), "timeout");
    assert_eq!(ends(&server, |rules| rules.total = SHORT), "timeout");
}

#[test]
fn n07_a_body_one_byte_at_a_time() {
    let server = answering(|client| {
        client.send("HTTP/1.1 200 OK\r\n\r\n");
        client.drip(&vec![b'a'; 60_000], PAUSE);
    });
    assert_eq!(ends(&server, |rules| rules.total = SHORT), "timeout");
}

#[test]
fn n07_a_body_without_an_end() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"] {
        let server = answering(move |client| {
            client.send(head);
            client.repeat(format!("10000\r\n{}\r\n", "a".repeat(65536)));
        });
        assert_eq!(ends(&server, |_| {}), "limit-archive", "{head}");
    }
}

#[test]
fn n10_headers_without_an_end() {
    let server = answering(|client| {
        client.send("HTTP/1.1 200 OK\r\n");
        client.repeat("X-More: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
    });
    assert_eq!(ends(&server, |_| {}), "http-malformed");
    let server = answering(|client| {
        client.send("HTTP/1.1 200 OK\r\nX: ");
        client.repeat("a".repeat(4096));
    });
    assert_eq!(ends(&server, |_| {}), "http-malformed");
    let server = answering(|client| client.repeat("a".repeat(4096)));
    assert_eq!(ends(&server, |_| {}), "http-malformed");
}

#[test]
fn n10_interim_answers_without_an_end() {
    for interim in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\n",
    ] {
        let server = answering(move |client| client.repeat(interim.repeat(50)));
        let code = ends(&server, |rules| (rules.idle, rules.total) = (Duration::from_secs(1), Duration::from_secs(2)));
        assert!(matches!(code, "timeout" | "http-malformed" | "http-status"), "{interim:?}: {code}");
    }
}

#[test]
fn n10_chunk_headers_and_trailers_without_an_end() {
    for beginning in ["0\r\n", "3;", "3;a=", "0\r\nX: "] {
        let server = answering(move |client| {
            client.send(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{beginning}"));
            client.repeat(
                "X-Trailer: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".repeat(20)
                    + if beginning == "0\r\n" { "\r\n" } else { "" },
            );
        });
        let code = ends(&server, |rules| (rules.idle, rules.total) = (Duration::from_secs(2), Duration::from_secs(4)));
        assert!(matches!(code, "timeout" | "http-malformed" | "length-mismatch"), "{beginning:?}: {code}");
    }
}

#[test]
fn a_download_can_be_cancelled_while_it_waits() {
    for head in ["", "HTTP/1.1 200 OK\r\n\r\nabc"] {
        let cancel = Cancel::new();
        let (asked, flag) = (Arc::new(std::sync::Barrier::new(2)), cancel.clone());
        let reached = asked.clone();
        let server = answering(move |client| {
            client.send(head);
            reached.wait();
            client.hang();
        });
        let stopper = std::thread::spawn(move || {
            asked.wait();
            flag.cancel();
        });
        let address = url(&server.url("/"));
        let outcome = Download::new(&address).run(&Https::new(), &rules(&address), &cancel, &mut Vec::new());
        assert_eq!(code(outcome), "cancelled");
        stopper.join().unwrap();
    }
}

#[test]
fn progress_is_told_and_counts_real_bytes() {
    let server = answering(|client| client.answer(200, &[], &vec![7; 200_000]));
    let address = url(&server.url("/"));
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = seen.clone();
    let download = Download::new(&address).on_progress(move |received| told.lock().unwrap().push(received));
    get_with(&Https::new(), &download, &rules(&address)).unwrap();
    let seen = seen.lock().unwrap();
    let last = seen.last().unwrap();
    assert_eq!((last.bytes, last.declared), (200_000, Some(200_000)));
    assert!(seen.windows(2).all(|pair| pair[0].bytes < pair[1].bytes));
}
