//! The entries of mcp.json: three closed variants, each server on its own.

use skillx_archive::{Code, Transport, expand_placeholders};

use super::{Package, problems, servers};

/// The server is valid.
#[track_caller]
fn good(entry: &str) -> Transport {
    let package = Package::serving(&format!("\"s\": {entry}"));
    package.put("bin/my server", "");
    let plugin = package.loads();
    assert_eq!(problems(&plugin), [], "{entry}");
    plugin.servers()[0].transport.clone()
}

/// It is skipped for this reason, and its neighbour is loaded.
#[track_caller]
fn bad(entry: &str, words: &str) {
    let package = Package::serving(&format!("\"s\": {entry}, \"next\": {{\"type\": \"stdio\", \"command\": \"npx\"}}"));
    let plugin = package.loads();
    assert_eq!(servers(&plugin), ["next"], "{entry}");
    let [problem] = plugin.problems() else { panic!("{entry}: {:?}", plugin.problems()) };
    assert_eq!((problem.boundary().as_str(), problem.code()), ("server", Code::PluginServerSkipped));
    assert!(problem.message().contains(words), "{entry}: {}", problem.message());
    assert!(problem.message().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", problem.message());
}

fn stdio(rest: &str) -> String {
    format!(r#"{{"type": "stdio", {rest}}}"#)
}

fn http(url: &str) -> String {
    format!(r#"{{"type": "streamable-http", "url": "{url}"}}"#)
}

#[test]
fn all_fields_of_stdio_come_through_as_they_stand() {
    let found = good(&stdio(
        r#""command": "./bin/validator", "args": ["--data", "${PLUGIN_DATA}/v", "../x", ""],
        "env": {"CONFIG": "${PLUGIN_ROOT}/config.json", "HOME": "${HOME}"}, "cwd": "${PLUGIN_ROOT}/bin""#,
    ));
    let Transport::Stdio { command, args, env, cwd, .. } = found else { panic!("{found:?}") };
    assert_eq!(command, "./bin/validator");
    assert_eq!(args, ["--data", "${PLUGIN_DATA}/v", "../x", ""]);
    assert_eq!(env[1], ("HOME".to_owned(), "${HOME}".to_owned()));
    assert_eq!(cwd.as_deref(), Some("${PLUGIN_ROOT}/bin"));
}

#[test]
fn without_cwd_it_is_the_plugins_root() {
    let found = good(&stdio(r#""command": "npx""#));
    assert!(matches!(found, Transport::Stdio { cwd: None, .. }), "{found:?}");
}

#[test]
fn a_command_is_one_token_bare_or_inside_the_plugin() {
    for command in ["npx", "python3.12", "my-tool", "./bin/server", "./bin/my server", "./a/../b", "${PLUGIN_ROOT}"] {
        good(&stdio(&format!("\"command\": \"{command}\"")));
    }
    for (command, words) in [
        ("", "empty"),
        ("npx -y server", "more than one token"),
        ("./bin/server --port 1", "more than one token"),
        ("npx\\u0009x", "control character"),
        ("/usr/bin/node", "neither a bare name"),
        ("bin/server", "neither a bare name"),
        ("../bin/server", "neither a bare name"),
        ("${PLUGIN_ROOT}/bin/server", "neither a bare name"),
        ("~/bin/server", "neither a bare name"),
        ("C:\\\\bin\\\\server.exe", "backslash"),
        (".\\\\bin\\\\server", "backslash"),
        ("c:server", "neither a bare name"),
        ("..", "neither a bare name"),
        ("./", "names no file"),
        ("./.", "names no file"),
    ] {
        bad(&stdio(&format!("\"command\": \"{command}\"")), words);
    }
}

#[test]
fn a_cwd_has_one_of_three_forms() {
    for cwd in [
        "./data",
        "./",
        "./not/there",
        "${PLUGIN_ROOT}",
        "${PLUGIN_ROOT}/",
        "${PLUGIN_ROOT}/a/../b",
        "${PLUGIN_DATA}",
        "${PLUGIN_DATA}/x",
        "./${PLUGIN_DATA}/x",
    ] {
        good(&stdio(&format!("\"command\": \"npx\", \"cwd\": \"{cwd}\"")));
    }
    for cwd in ["", "data", ".", "/tmp", "../x", "${PLUGIN_ROOT}x", "${HOME}", "$PLUGIN_ROOT", "~", "x${PLUGIN_DATA}"] {
        bad(&stdio(&format!("\"command\": \"npx\", \"cwd\": \"{cwd}\"")), "begins neither with");
    }
    bad(&stdio(r#""command": "npx", "cwd": "./a\\..\\..\\b""#), "backslash");
}

#[test]
fn the_environment_leaves_the_reserved_names_alone() {
    for name in ["PLUGIN_ROOT", "PLUGIN_DATA"] {
        bad(&stdio(&format!("\"command\": \"npx\", \"env\": {{\"{name}\": \"x\"}}")), &format!("`env.{name}`"));
    }
    bad(&stdio(r#""command": "npx", "env": {"A": 1}"#), "a number in `env.A`");
    bad(&stdio(r#""command": "npx", "env": {"A": "1", "A": "2"}"#), "`env.A` twice");
    bad(&stdio(r#""command": "npx", "env": []"#), "an array in `env`");
}

#[test]
fn fields_have_their_types_and_no_others_are_there() {
    for (entry, words) in [
        ("7", "is a number"),
        ("{}", "lacks the required field `type`"),
        (r#"{"type": 1}"#, "a number in `type`"),
        (r#"{"type": "websocket", "url": "https://x"}"#, "unknown `type` `websocket`"),
        (r#"{"type": "http", "url": "https://example.com"}"#, "unknown `type` `http`"),
        (r#"{"type": "stdio"}"#, "lacks the required field `command`"),
        (r#"{"type": "stdio", "command": ["npx"]}"#, "an array in `command`"),
        (r#"{"type": "stdio", "command": "npx", "args": "x"}"#, "a string in `args`"),
        (r#"{"type": "stdio", "command": "npx", "args": ["x", 1]}"#, "a number in `args[1]`"),
        (r#"{"type": "stdio", "command": "npx", "cwd": null}"#, "null in `cwd`"),
        (r#"{"type": "stdio", "command": "npx", "url": "https://x"}"#, "the field `url`"),
        (r#"{"type": "stdio", "command": "npx", "disabled": true}"#, "the field `disabled`"),
        (r#"{"type": "stdio", "type": "sse", "command": "npx"}"#, "`type` twice"),
        (r#"{"type": "streamable-http"}"#, "lacks the required field `url`"),
        (r#"{"type": "streamable-http", "url": "https://example.com", "command": "x"}"#, "the field `command`"),
        (
            r#"{"type": "streamable-http", "url": "https://example.com", "headers": {"A": []}}"#,
            "an array in `headers.A`",
        ),
        (r#"{"type": "sse"}"#, "lacks the required field `url`"),
        (r#"{"type": "sse", "url": "http://example.com"}"#, "neither https"),
    ] {
        bad(entry, words);
    }
}

#[test]
fn two_servers_of_one_name_are_skipped_both() {
    let entry = r#""twin": {"type": "stdio", "command": "npx"}"#;
    let plugin = Package::serving(&format!(r#"{entry}, {entry}, "a": {{"type": "stdio", "command": "npx"}}"#)).loads();
    assert_eq!(servers(&plugin), ["a"]);
    assert_eq!(problems(&plugin), [("server", "twin".to_owned(), Code::PluginServerSkipped)]);
}

#[test]
fn a_url_is_absolute_and_secure_or_of_this_machine() {
    for url in [
        "https://deploy.example.com/mcp",
        "HTTPS://example.com:8443/a?b=${TENANT}",
        "https://example.com/{id}",
        "http://localhost:3000/mcp",
        "http://127.0.0.1/",
        "http://127.9.9.9/",
        "http://[::1]:80/",
    ] {
        let Transport::StreamableHttp { url: found, .. } = good(&http(url)) else { panic!("{url}") };
        assert_eq!(found, url, "nothing is expanded or repaired");
    }
    for (url, words) in [
        ("", "not an absolute"),
        ("/mcp", "not an absolute"),
        ("//example.com/mcp", "not an absolute"),
        ("ftp://example.com", "not an absolute"),
        ("file:///etc/passwd", "not an absolute"),
        ("https:example.com", "not an absolute"),
        ("https://", "no URL"),
        ("https:///x", "names no host"),
        ("https://user@example.com/", "user information"),
        ("https://@example.com/", "user information"),
        ("https://u:p@example.com/", "user information"),
        ("https://example.com/#a", "fragment"),
        ("https://example.com/#", "fragment"),
        ("https://exa mple.com/", "a space"),
        ("https://example.com\\\\x", "backslash"),
        ("https://example.com:99999/", "no URL"),
        ("http://example.com/", "neither https"),
        ("http://10.0.0.1/", "neither https"),
        ("http://localhost.example.com/", "neither https"),
        ("http://127.0.0.1.example.com/", "neither https"),
        ("http://0.0.0.0/", "neither https"),
    ] {
        bad(&http(url), words);
    }
}

#[test]
fn headers_are_http_fields_and_unique_whatever_their_case() {
    let with = |headers: &str| {
        format!(r#"{{"type": "streamable-http", "url": "https://example.com", "headers": {{{headers}}}}}"#)
    };
    let Transport::StreamableHttp { headers, .. } = good(&with(r#""X-Tenant": "${TENANT}", "x-empty": """#)) else {
        panic!("a remote server")
    };
    assert_eq!(headers[0], ("X-Tenant".to_owned(), "${TENANT}".to_owned()));
    bad(&with(r#""X-A": "1", "x-a": "2""#), "twice but for its case");
    bad(&with(r#""X-A": "1", "X-A": "1""#), "twice but for its case");
    bad(&with(r#""X A": "1""#), "no HTTP field name");
    bad(&with(r#""": "1""#), "no HTTP field name");
    bad(&with(r#""X-A": "1\r\nX-B: 2""#), "control character");
}

#[test]
fn sse_is_valid_unsupported_skipped_and_said() {
    let plugin = Package::serving(
        r#""old": {"type": "sse", "url": "https://example.com/sse"}, "s": {"type": "stdio", "command": "npx"}"#,
    )
    .loads();
    assert_eq!(servers(&plugin), ["s"]);
    assert_eq!(problems(&plugin), [("server", "old".to_owned(), Code::PluginTransportUnsupported)]);
    assert_eq!(plugin.findings()[0].code, Code::PluginTransportUnsupported);
}

#[test]
fn placeholders_are_expanded_once_and_nothing_else_is() {
    let expand = |text: &str| expand_placeholders(text, "/root", "/data ${PLUGIN_ROOT}");
    for (text, expected) in [
        ("${PLUGIN_ROOT}/a:${PLUGIN_ROOT}", "/root/a:/root"),
        ("${PLUGIN_DATA}", "/data ${PLUGIN_ROOT}"),
        (
            "$PLUGIN_ROOT ${plugin_root} ${PLUGIN_ROOT ${PLUGIN_OTHER} ${HOME}",
            "$PLUGIN_ROOT ${plugin_root} ${PLUGIN_ROOT ${PLUGIN_OTHER} ${HOME}",
        ),
        ("${PLUGIN_${PLUGIN_ROOT}", "${PLUGIN_/root"),
        ("$${PLUGIN_ROOT}}", "$/root}"),
        ("", ""),
    ] {
        assert_eq!(expand(text), expected);
    }
}
