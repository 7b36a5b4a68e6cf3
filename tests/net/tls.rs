//! TLS fails closed: a certificate of another authority, for another name, out of date, or none at all.

use std::io::{Read as _, Write as _};

use skillx_archive::Error;
use skillx_archive::fetch::{Download, Fetched, Https};

use crate::server::{Authority, Client, Request, Server};
use crate::{code, get_with, rules, url};

fn hello(_: &Request, client: &mut Client<'_>) {
    client.answer(200, &[], b"hello");
}

fn ask(server: &Server, host: &str, trusted: &Authority) -> Result<(Fetched, Vec<u8>), Error> {
    let address = url(&server.url_as(host, "/"));
    let https = Https::new().with_roots(trusted.pem().as_bytes()).unwrap();
    get_with(&https, &Download::new(&address), &rules(&address))
}

#[test]
fn n09_a_certificate_has_to_be_from_a_known_authority_for_this_name_and_in_date() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let server = Server::tls(&authority, &["localhost", "127.0.0.1"], hello);
    assert_eq!(ask(&server, "localhost", &authority).unwrap().1, b"hello");
    assert_eq!(ask(&server, "127.0.0.1", &authority).unwrap().1, b"hello");
    assert_eq!(code(ask(&server, "localhost", &stranger)), "tls");
    let other = Server::tls(&authority, &["example.com"], hello);
    assert_eq!(code(ask(&other, "localhost", &authority)), "tls");
    let expired = Server::with_config(authority.server(&["localhost"], Some((2020, 1, 1))), hello);
    assert_eq!(code(ask(&expired, "localhost", &authority)), "tls");
    let expected = [2, 0, 0];
    let got = [&server, &other, &expired].map(|server| server.requests().len());
    assert_eq!(got, expected, "no request was sent to whom nothing proves");
}

#[test]
fn n09_the_built_in_authorities_do_not_know_this_one() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &["localhost"], hello);
    let address = url(&server.url_as("localhost", "/"));
    assert_eq!(code(get_with(&Https::new(), &Download::new(&address), &rules(&address))), "tls");
}

#[test]
fn n09_a_server_that_speaks_no_tls() {
    for bytes in ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "\x15\x03\x01\x00\x02\x02\x28"] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = url(&format!("https://localhost:{}/", listener.local_addr().unwrap().port()));
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let _ = client.write_all(bytes.as_bytes());
            let _ = client.shutdown(std::net::Shutdown::Write);
            // Whatever it sends is taken, so that the connection does not end in a reset.
            let _ = client.read_to_end(&mut Vec::new());
        });
        let code = code(get_with(&Https::new(), &Download::new(&address), &rules(&address)));
        assert!(matches!(code, "tls" | "network"), "{bytes:?}: {code}");
        server.join().unwrap();
    }
}

#[test]
fn n09_a_connection_cut_inside_the_body_is_noticed() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &["localhost"], |_: &Request, client: &mut Client<'_>| {
        client.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    });
    assert_eq!(code(ask(&server, "localhost", &authority)), "length-mismatch");
}

#[test]
fn authorities_are_read_strictly() {
    for pem in ["", "no pem at all", "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n"] {
        assert_eq!(Https::new().with_roots(pem.as_bytes()).unwrap_err().code(), "usage", "{pem:?}");
    }
    for proxy in ["", "socks5://127.0.0.1:1080", "socks4://127.0.0.1", "ftp://x/"] {
        assert_eq!(Https::new().with_proxy(proxy).unwrap_err().code(), "usage", "{proxy:?}");
    }
}
