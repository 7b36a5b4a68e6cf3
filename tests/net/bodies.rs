//! Bodies: hashed as received, counted, and what servers say about them.

use std::io::Write as _;

use skillx_archive::fetch::{Download, Fetched, Https};
use skillx_archive::{Artifact, Cancel, Code, Digest, Error, Limits};

use crate::server::{Client, Request, Server, head};
use crate::support::{carrier, sha256};
use crate::{code, get, get_with, rules, saying, url};

fn demo() -> Vec<u8> {
    carrier::Carrier::TarGz.write(&carrier::with_skill(vec![carrier::file("a.txt", "a")]))
}

fn digest(bytes: &[u8]) -> Digest {
    sha256(bytes).parse().unwrap()
}

fn artifact(server: &Server, path: &str) -> Result<(Artifact, Fetched), Error> {
    let address = url(&server.url(path));
    Download::new(&address).artifact(&Https::new(), &rules(&address), &Limits::default(), &Cancel::new())
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_main_way_over_a_real_connection() {
    let bytes = demo();
    let served = bytes.clone();
    let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
        client.answer(
            200,
            &[("Content-Type", "application/gzip"), ("ETag", "\"v1\""), ("Cache-Control", "max-age=60")],
            &served,
        );
    });
    let (artifact, fetched) = artifact(&server, "/demo.tar.gz").unwrap();
    assert_eq!((fetched.etag(), fetched.cache_control()), (Some("\"v1\""), Some("max-age=60")));
    assert_eq!(
        (fetched.content_type(), fetched.declared_length()),
        (Some("application/gzip"), Some(bytes.len() as u64))
    );
    let temp = crate::support::temp_dir();
    let verified = fetched.verify(artifact, &digest(&bytes)).unwrap();
    let skill = verified.extract(temp.path().join("demo"), &skillx_archive::Options::default()).unwrap();
    assert_eq!(skill.report().artifact.format_source, Some("content-type"));
    let request = &server.requests()[0];
    assert_eq!(request.header("accept-encoding"), Some("identity"));
    assert_eq!(request.header("connection"), Some("close"));
    for absent in ["authorization", "cookie", "range", "if-none-match", "referer"] {
        assert_eq!(request.header(absent), None, "{absent}");
    }
    assert!(request.header("user-agent").unwrap().starts_with("skillx-archive/"));
}

/// Cases: D06-short.
#[test]
fn n05_d06_a_body_that_is_shorter_than_declared() {
    let server = saying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    let error = get(&server.url("/")).unwrap_err();
    assert_eq!(error.code(), Code::LengthMismatch);
    assert!(error.to_string().contains("3 of 10"), "{error}");
}

/// Cases: D06-long.
#[test]
fn n05_d06_a_body_that_is_longer_than_declared() {
    let server = saying("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef");
    assert_eq!(code(get(&server.url("/"))), "length-mismatch");
}

#[test]
fn n05_a_body_without_a_length_and_one_in_chunks() {
    let server = saying("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    assert_eq!(get(&server.url("/")).unwrap().1, b"until the end");
    let server = saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    let (fetched, body) = get(&server.url("/")).unwrap();
    assert_eq!((body.as_slice(), fetched.declared_length()), (&b"abcde"[..], None));
}

#[test]
fn n05_chunks_that_break_off_or_lie() {
    for chunks in ["5\r\nabc", "3\r\nabc\r\n", "3\r\nabc\r\n2\r\n"] {
        let server = saying(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"));
        assert_eq!(code(get(&server.url("/"))), "length-mismatch", "{chunks:?}");
    }
    for chunks in [
        "x\r\nabc\r\n",
        "-1\r\nabc\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "fffffffffffffffff\r\nabc",
        "\r\n\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
    ] {
        let server = saying(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"));
        let code = code(get(&server.url("/")));
        assert!(matches!(code, "http-malformed" | "length-mismatch"), "{chunks:?}: {code}");
    }
    // More after the last chunk.
    let server =
        saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(code(get(&server.url("/"))), "length-mismatch");
}

#[test]
fn n06_a_transfer_coding_that_nobody_asked_for() {
    for coding in ["gzip, chunked", "gzip", "deflate, chunked", "chunked, gzip", "compress"] {
        let server = saying(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
        assert_eq!(code(get(&server.url("/"))), "http-malformed", "{coding}");
    }
}

#[test]
fn n05_lengths_that_contradict_each_other() {
    for headers in [
        "Content-Length: 3\r\nContent-Length: 4\r\n",
        "Content-Length: 3, 4\r\n",
        "Content-Length: -3\r\n",
        "Content-Length: +3\r\n",
        "Content-Length: 0x3\r\n",
        "Content-Length: 99999999999999999999999\r\n",
    ] {
        let server = saying(format!("HTTP/1.1 200 OK\r\n{headers}\r\nabcd"));
        match get(&server.url("/")) {
            Err(error) => assert!(
                matches!(error.code(), Code::HttpMalformed | Code::LengthMismatch | Code::LimitArchive),
                "{headers:?}: {error}"
            ),
            Ok((_, body)) => panic!("{headers:?} brought {} bytes", body.len()),
        }
    }
}

#[test]
fn n05_the_size_is_capped_before_and_while_it_comes() {
    let declared = saying("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(code(get(&declared.url("/"))), "limit-archive");
    let counted = saying("HTTP/1.1 200 OK\r\n\r\nabcde");
    let address = url(&counted.url("/"));
    assert_eq!(
        code(get_with(&Https::new(), &Download::new(&address).most(4, Code::LimitMetadata), &rules(&address))),
        "limit-metadata"
    );
    assert_eq!(
        get_with(&Https::new(), &Download::new(&address).most(5, Code::LimitMetadata), &rules(&address)).unwrap().1,
        b"abcde"
    );
}

/// Cases: D07-encoded.
#[test]
fn n06_d07_a_server_that_compresses_is_named() {
    let bytes = demo();
    for (coding, sent) in [
        ("gzip", gzipped(&bytes)),
        ("x-gzip", gzipped(&bytes)),
        ("gzip, gzip", gzipped(&gzipped(&bytes))),
        ("br", b"whatever".to_vec()),
        ("\u{1}odd", b"whatever".to_vec()),
    ] {
        let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
            client.answer(200, &[("Content-Encoding", coding)], &sent);
        });
        let Ok((artifact, fetched)) = artifact(&server, "/demo.tar.gz") else {
            assert_eq!(coding, "\u{1}odd", "only a header with a control character may fail");
            continue;
        };
        // Decoded it would match; nothing is decoded.
        let error = fetched.verify(artifact, &digest(&bytes)).unwrap_err();
        assert_eq!(error.code(), Code::ContentEncoding, "{coding}");
        assert!(error.to_string().contains("Accept-Encoding: identity"), "{error}");
    }
}

#[test]
fn n06_the_digest_of_what_was_sent_decides_even_with_an_encoding() {
    // Apache labels a .tar.gz so: the file itself is what is sent.
    let bytes = demo();
    let served = bytes.clone();
    let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
        client.answer(200, &[("Content-Encoding", "x-gzip"), ("Content-Type", "application/x-tar")], &served);
    });
    let (artifact, fetched) = artifact(&server, "/demo.tar.gz").unwrap();
    assert!(fetched.verify(artifact, &digest(&bytes)).is_ok());
}

#[test]
fn n08_a_part_of_the_file_is_not_the_file() {
    let server = saying("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-2/10\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!(code(get(&server.url("/"))), "http-status");
    assert_eq!(server.requests()[0].header("range"), None);
}

#[test]
fn n08_only_status_200_brings_a_file() {
    for status in [201, 202, 203, 204, 205, 226, 304, 400, 401, 403, 404, 407, 410, 416, 429, 500, 503, 599, 999] {
        let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
            client.send(head(status, &[("Content-Length", "0")]));
        });
        let code = code(get(&server.url("/")));
        assert_eq!(code, "http-status", "{status}");
    }
}

#[test]
fn n10_an_interim_answer_is_no_answer() {
    for status in [100, 101, 102, 103, 199] {
        for more in ["", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"] {
            let server = saying(format!("HTTP/1.1 {status} X\r\n\r\n{more}"));
            match get(&server.url("/")) {
                Ok((fetched, body)) => assert_eq!((fetched.status(), body.as_slice()), (200, &b"x"[..]), "{status}"),
                Err(error) => assert!(
                    matches!(error.code(), Code::HttpMalformed | Code::HttpStatus | Code::Network),
                    "{status}: {error}"
                ),
            }
        }
    }
}

#[test]
fn addresses_with_characters_that_few_accept() {
    let server = Server::plain(|_: &Request, client: &mut Client<'_>| client.answer(200, &[], b"x"));
    for path in
        ["/a b", "/a|b", "/a^b`c", "/{a}", "/[a]", "/a?b={c}|d^e`f\"<>", "/%00", "/%zz", "/a;b=c,d", "/\u{e9}?\u{e9}"]
    {
        match get(&server.url(path)) {
            Ok((_, body)) => assert_eq!(body, b"x", "{path}"),
            Err(error) => assert!(matches!(error.code(), Code::UrlInvalid | Code::HttpMalformed), "{path}: {error}"),
        }
    }
    assert!(server.requests().len() >= 6, "{:?}", server.requests());
}

#[test]
fn n08_unchanged_is_an_answer_only_to_those_who_asked() {
    let server = Server::plain(|request: &Request, client: &mut Client<'_>| match request.header("if-none-match") {
        Some("\"v1\"") => {
            client.send(head(304, &[("ETag", "\"v1\"")]));
        }
        _ => client.answer(200, &[("ETag", "\"v1\"")], b"index"),
    });
    let address = url(&server.url("/"));
    let (first, body) = get_with(&Https::new(), &Download::new(&address), &rules(&address)).unwrap();
    assert_eq!((body.as_slice(), first.not_modified()), (&b"index"[..], false));
    let again = Download::new(&address).if_none_match(first.etag().unwrap());
    let (second, body) = get_with(&Https::new(), &again, &rules(&address)).unwrap();
    assert!(second.not_modified() && body.is_empty());
}

#[test]
fn n10_headers_with_control_bytes_and_names_of_the_servers_choosing() {
    for header in [
        "X: a\x1b[31mb",
        "X: a\x07b",
        "X: a\u{202e}b",
        "Content-Disposition: attachment; filename=\"../../evil\"",
        "X: ::error::x",
    ] {
        let server = saying(format!("HTTP/1.1 200 OK\r\n{header}\r\nContent-Length: 1\r\n\r\nx"));
        match get(&server.url("/")) {
            Ok((fetched, _)) => {
                let shown = format!("{:?}", fetched.headers());
                assert!(shown.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{shown:?}");
            }
            Err(error) => assert_eq!(error.code(), Code::HttpMalformed, "{header:?}"),
        }
    }
    for garbage in [
        "",
        "\r\n\r\n",
        "hello",
        "SSH-2.0-OpenSSH_9\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    ] {
        let server = saying(garbage);
        let code = code(get(&server.url("/")));
        assert!(matches!(code, "http-malformed" | "network"), "{garbage:?}: {code}");
    }
}

#[test]
fn d10_a_web_page_with_status_200_is_named() {
    for (kind, page) in [
        ("text/html; charset=utf-8", "<!DOCTYPE html><title>App</title>"),
        ("text/html", "anything at all"),
        ("application/octet-stream", "\u{feff}\n  <html><body>\x1b[31m"),
        ("application/gzip", "<!doctype HTML>"),
    ] {
        let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
            client.answer(200, &[("Content-Type", kind)], page.as_bytes());
        });
        let (artifact, fetched) = artifact(&server, "/demo.tar.gz").unwrap();
        assert_eq!(fetched.check_page().unwrap_err().code(), "html-page", "{kind}");
        assert_eq!(code(fetched.verify(artifact, &digest(b"x"))), "html-page", "{kind}");
    }
    // An archive whose server knows no better is an archive.
    let bytes = demo();
    let served = bytes.clone();
    let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
        client.answer(200, &[("Content-Type", "text/html")], &served);
    });
    let (artifact, fetched) = artifact(&server, "/demo.tar.gz").unwrap();
    assert!(fetched.check_page().is_ok());
    assert!(fetched.verify(artifact, &digest(&bytes)).is_ok());
}
