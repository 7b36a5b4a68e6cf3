//! Redirects: which are followed, how many, and what does not go along.

use skillx_archive::fetch::{Download, Https, Rules};

use crate::server::{Authority, Client, Request, Server};
use crate::{code, get, get_with, rules, saying, url};

/// A server whose `/` redirects to this.
fn to(location: &str) -> Server {
    saying(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

#[test]
fn n01_no_redirect_leads_to_another_scheme() {
    for (location, expected) in [
        ("http://example.com/x", "url-scheme"),
        ("HTTP://example.com/x", "url-scheme"),
        ("file:///etc/passwd", "url-scheme"),
        ("FILE:/etc/passwd", "url-scheme"),
        ("ftp://example.com/x", "url-scheme"),
        ("data:application/zip;base64,UEsFBg==", "url-scheme"),
        ("gopher://127.0.0.1:6379/_x", "url-scheme"),
        ("javascript:alert(1)", "url-scheme"),
        ("ws://example.com/", "url-scheme"),
        ("https:example.com", "url-invalid"),
        ("https:///example.com/", "url-invalid"),
        ("//", "url-invalid"),
        ("\\\\example.com\\x", "url-invalid"),
        ("https://exa mple.com/", "url-invalid"),
    ] {
        let server = to(location);
        assert_eq!(code(get(&server.url("/"))), expected, "{location}");
        assert_eq!(server.requests().len(), 1, "{location}");
    }
}

#[test]
fn n01_no_redirect_leads_from_https_to_http() {
    let authority = Authority::new();
    let plain = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    let target = plain.url("/x");
    let server = Server::tls(&authority, &["localhost"], move |_: &Request, client: &mut Client<'_>| {
        client.answer(301, &[("Location", &target)], b"");
    });
    let start = url(&server.url_as("localhost", "/"));
    let https = Https::new().with_roots(authority.pem().as_bytes()).unwrap();
    let mut rules = rules(&start);
    rules.allow_http = true;
    rules.private = skillx_archive::fetch::Private::Allow;
    assert_eq!(code(get_with(&https, &Download::new(&start), &rules)), "url-scheme");
    assert_eq!(plain.connections(), 0);
}

#[test]
fn n02_five_redirects_are_followed_and_no_more() {
    let server = Server::plain(|request: &Request, client: &mut Client<'_>| {
        let hops: usize = request.path().trim_start_matches('/').parse().unwrap();
        match hops.checked_sub(1) {
            None => client.answer(200, &[], b"here"),
            Some(rest) => {
                let status = [301, 302, 303, 307, 308][rest % 5];
                client.answer(status, &[("Location", &format!("/{rest}"))], b"moved");
            }
        }
    });
    let (fetched, body) = get(&server.url("/5")).unwrap();
    assert_eq!((body.as_slice(), fetched.redirects().len()), (&b"here"[..], 5));
    assert_eq!(fetched.url().path(), "/0");
    assert_eq!(fetched.requested().path(), "/5");
    assert_eq!(server.requests().len(), 6);
    assert_eq!(code(get(&server.url("/6"))), "too-many-redirects");
    assert_eq!(server.requests().len(), 12);
}

#[test]
fn n02_a_loop_ends() {
    let server = to("/");
    assert_eq!(code(get(&server.url("/"))), "too-many-redirects");
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn n02_a_redirect_says_where_to_exactly_once() {
    for (headers, expected) in [
        ("", "http-status"),
        ("Location: /a\r\nLocation: /b\r\n", "http-status"),
        ("Location: /a\r\nLocation: /a\r\n", "too-many-redirects"),
    ] {
        let server = saying(format!("HTTP/1.1 302 Found\r\n{headers}Content-Length: 0\r\n\r\n"));
        assert_eq!(code(get(&server.url("/"))), expected, "{headers}");
    }
    // Neither are other statuses of the 3xx class followed.
    for status in [300, 304, 305, 306] {
        let server = saying(format!("HTTP/1.1 {status} X\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(code(get(&server.url("/"))), "http-status", "{status}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn n02_a_location_is_text_of_bounded_length() {
    let long = format!("/{}", "a".repeat(9000));
    assert_eq!(code(get(&to(&long).url("/"))), "url-invalid");
    let longer = format!("/{}", "a".repeat(70_000));
    assert_eq!(code(get(&to(&longer).url("/"))), "http-malformed");
    // What looks like another header stays a part of the address.
    let server = Server::plain(|request: &Request, client: &mut Client<'_>| match request.path() {
        "/" => client.answer(302, &[("Location", "/x%0d%0aEvil:%20yes")], b""),
        _ => client.answer(200, &[], b"fine"),
    });
    let (fetched, _) = get(&server.url("/")).unwrap();
    assert_eq!(fetched.url().path(), "/x%0d%0aEvil:%20yes");
    assert!(server.requests().iter().all(|request| request.header("evil").is_none()));
    assert!(matches!(code(get(&to("/x\ry").url("/"))), "url-invalid" | "http-malformed"));
    assert!(matches!(code(get(&to("/x\0y").url("/"))), "url-invalid" | "http-malformed"));
    assert!(matches!(code(get(&to("/\u{1b}[31m").url("/"))), "url-invalid" | "http-malformed"));
}

#[test]
fn n04_userinfo_is_refused_and_fragments_stay_here() {
    for address in ["http://user@127.0.0.1:1/", "https://known.example@example.com/", "https://@example.com/"] {
        assert_eq!(address.parse::<skillx_archive::fetch::Url>().unwrap_err().code(), "url-userinfo");
    }
    let server = to("http://user:secret@127.0.0.1:1/x");
    let error = get(&server.url("/")).unwrap_err();
    assert_eq!(error.code(), "url-userinfo");
    assert!(!error.to_string().contains("secret"), "{error}");
    let server = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    let (fetched, _) = get(&server.url("/a?b=c#part")).unwrap();
    assert_eq!(server.requests()[0].path(), "/a?b=c");
    assert!(!fetched.url().as_str().contains('#'));
}

#[test]
fn n04_names_are_shown_in_punycode() {
    let address = url("https://ex\u{e4}mple.com/\u{1f600}");
    assert_eq!(address.to_string(), "https://xn--exmple-cua.com/%F0%9F%98%80");
}

#[test]
fn n11_credentials_stay_on_their_origin() {
    let elsewhere = saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    let target = elsewhere.url("/x");
    let back = target.clone();
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| match request.path() {
        "/same" => client.answer(302, &[("Location", "/here")], b""),
        "/here" => client.answer(200, &[("Set-Cookie", "a=b")], b"x"),
        _ => client.answer(302, &[("Location", &back), ("Set-Cookie", "a=b")], b""),
    });
    let start = url(&server.url("/same"));
    let mut rules = rules(&start);
    get_with(&Https::new(), &Download::new(&start).authorization("Bearer T"), &rules).unwrap();
    let sent: Vec<_> =
        server.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(sent, [Some("Bearer T".to_owned()), Some("Bearer T".to_owned())]);
    // Another port is another origin.
    (rules.private, rules.allow_http) = (skillx_archive::fetch::Private::Allow, true);
    let start = url(&server.url("/other"));
    get_with(&Https::new(), &Download::new(&start).authorization("Bearer T"), &rules).unwrap();
    assert_eq!(elsewhere.requests()[0].header("authorization"), None);
    let all = server.requests().into_iter().chain(elsewhere.requests());
    assert!(all.into_iter().all(|request| request.header("cookie").is_none()));
}

#[test]
fn n11_credentials_do_not_come_back_after_a_detour() {
    let mut web = skillx_archive::fetch::Memory::default();
    web.page("https://a.example/", 302, &[("location", "https://b.example/")], b"");
    web.page("https://b.example/", 302, &[("location", "https://a.example/end")], b"");
    web.page("https://a.example/end", 200, &[], b"x");
    let start = url("https://a.example/");
    let download = Download::new(&start).authorization("Bearer T");
    download.run(&web, &Rules::default(), &skillx_archive::Cancel::new(), &mut Vec::new()).unwrap();
    let sent: Vec<_> = web.asked().iter().map(|asked| asked.headers.get("authorization").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
    assert!(!format!("{download:?}").contains("Bearer"));
}
