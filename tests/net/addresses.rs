//! Which machines are asked: never one that only this machine reaches, unless the user said so.

use skillx_archive::Cancel;
use skillx_archive::fetch::{Download, Https, Memory, Private, Rules};

use crate::{code, get, get_with, rules, saying, url};

/// Ways to write addresses that are not the public internet.
const SPELLINGS: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "a.b.localhost.",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "\u{24db}ocalhost",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[64:ff9b:1::1]",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "0xa9.0xfe.0xa9.0xfe",
    "2852039166",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
];

#[test]
fn n03_no_address_leads_to_a_private_network_however_it_is_written() {
    for host in SPELLINGS {
        // From a redirect, from an index, and typed without being a loopback address.
        let mut web = Memory::default();
        web.page("https://example.com/", 302, &[("location", &format!("https://{host}/x"))], b"");
        let start = url("https://example.com/");
        let rules = Rules::default().typed(&start);
        let outcome = Download::new(&start).run(&web, &rules, &Cancel::new(), &mut Vec::new());
        assert_eq!(code(outcome), "private-address", "{host}");
        assert_eq!(web.asked().len(), 1, "{host}");
        let entry = start.join(&format!("https://{host}/x")).unwrap();
        let outcome = Download::new(&entry).run(&web, &rules, &Cancel::new(), &mut Vec::new());
        assert_eq!(code(outcome), "private-address", "{host}");
        assert_eq!(web.asked().len(), 1, "{host}");
    }
}

#[test]
fn n03_a_typed_loopback_server_cannot_send_to_another_one() {
    let other = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    for location in [
        other.url("/x"),
        other.url_as("localhost", "/x"),
        other.url_as("0x7f.1", "/x"),
        other.url_as("127.1", "/x"),
        other.url_as("[::ffff:127.0.0.1]", "/x"),
        other.url("/x").replace("http:", "https:"),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://[::1]/".to_owned(),
    ] {
        let server = saying(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
        assert!(matches!(code(get(&server.url("/"))), "private-address" | "url-scheme"), "{location}");
        // Plain http allowed: then it is the address that stops it.
        let start = url(&server.url("/"));
        let mut rules = rules(&start);
        rules.allow_http = true;
        assert_eq!(code(get_with(&Https::new(), &Download::new(&start), &rules)), "private-address", "{location}");
    }
    assert_eq!(other.connections(), 0);
}

#[test]
fn n03_a_public_server_cannot_send_back_to_the_typed_loopback_server() {
    let mut web = Memory::default();
    web.page("https://localhost:8443/", 302, &[("location", "https://example.com/")], b"");
    web.page("https://example.com/", 302, &[("location", "https://localhost:8443/admin")], b"");
    web.page("https://localhost:8443/admin", 200, &[], b"x");
    let start = url("https://localhost:8443/");
    let outcome = Download::new(&start).run(&web, &Rules::default().typed(&start), &Cancel::new(), &mut Vec::new());
    assert_eq!(code(outcome), "private-address");
    assert_eq!(web.asked().len(), 2);
}

#[test]
fn n03_private_addresses_can_be_allowed_by_name() {
    let other = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    let location = other.url_as("localhost", "/x");
    let server = saying(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
    let start = url(&server.url("/"));
    let mut rules = rules(&start);
    rules.allow_http = true;
    rules.private = Private::Hosts(vec!["other.example".into()]);
    assert_eq!(code(get_with(&Https::new(), &Download::new(&start), &rules)), "private-address");
    assert_eq!(other.connections(), 0);
    rules.private = Private::Hosts(vec!["localhost".into()]);
    assert_eq!(get_with(&Https::new(), &Download::new(&start), &rules).unwrap().1, b"x");
}

#[test]
fn n03_the_address_that_was_connected_to_counts() {
    // A stack that connected without asking: its answer is thrown away.
    struct Careless(std::net::IpAddr);
    impl skillx_archive::fetch::Fetch for Careless {
        fn hop(
            &self,
            _: &skillx_archive::fetch::Hop<'_>,
        ) -> Result<skillx_archive::fetch::Answer, skillx_archive::Error> {
            Ok(skillx_archive::fetch::Answer {
                status: 200,
                headers: skillx_archive::fetch::Headers::new(),
                body: Box::new(&b"secret"[..]),
                peer: Some(self.0),
            })
        }
    }
    let start = url("https://rebound.example/");
    let mut body = Vec::new();
    for address in ["10.0.0.1", "127.0.0.1", "::1", "169.254.169.254", "::ffff:10.0.0.1"] {
        let careless = Careless(address.parse().unwrap());
        let outcome = Download::new(&start).run(&careless, &Rules::default().typed(&start), &Cancel::new(), &mut body);
        assert_eq!(code(outcome), "private-address", "{address}");
        assert!(body.is_empty());
    }
    let honest = Careless("1.1.1.1".parse().unwrap());
    Download::new(&start).run(&honest, &Rules::default(), &Cancel::new(), &mut body).unwrap();
    assert_eq!(body, b"secret");
}

#[test]
fn n03_a_typed_loopback_address_needs_no_flag() {
    let server = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    for host in ["127.0.0.1", "localhost", "127.1", "0x7f.1"] {
        assert_eq!(get(&server.url_as(host, "/")).unwrap().1, b"x", "{host}");
    }
    // Nobody typed it: an address from somewhere.
    let address = url(&server.url("/"));
    let before = server.connections();
    assert_eq!(code(get_with(&Https::new(), &Download::new(&address), &Rules::default())), "url-scheme");
    assert_eq!(server.connections(), before);
}

#[test]
fn n03_an_allow_list_holds_for_every_hop() {
    let mut web = Memory::default();
    web.page("https://example.com/", 302, &[("location", "https://cdn.example/x")], b"");
    web.page("https://cdn.example/x", 200, &[], b"x");
    let start = url("https://example.com/");
    let mut rules = Rules::default().typed(&start);
    rules.hosts = vec!["files.example".into()];
    let outcome = Download::new(&start).run(&web, &rules, &Cancel::new(), &mut Vec::new());
    assert_eq!(code(outcome), "host-not-allowed");
    rules.hosts.push("cdn.example".into());
    Download::new(&start).run(&web, &rules, &Cancel::new(), &mut Vec::new()).unwrap();
}

#[test]
fn n03_a_name_that_does_not_resolve_and_a_port_where_nobody_listens_are_failures() {
    assert_eq!(code(get("https://no-such-host.invalid/")), "network");
    let server = saying("");
    let address = server.url("/");
    drop(server);
    // The port may still be listening for a moment: then the answer is empty.
    assert!(matches!(code(get(&address)), "network" | "http-malformed"));
}
