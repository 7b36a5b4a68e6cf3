//! L rows about symbolic links: where a target may lead, what it may look like, and that nothing is written through one.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{Member, dir, file, hardlink, symlink};
use crate::support::tar::{Header, Tar};
use crate::support::tree;
use crate::support::zip::{Entry, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    outside(&mut s);
    inside(&mut s);
    chains(&mut s);
    parents(&mut s);
    same_name(&mut s);
    spelling(&mut s);
    fields(&mut s);
    denied(&mut s);
    s.done()
}

fn outside(s: &mut Sheet) {
    for (id, target) in
        [("L01-absolute", "/abs"), ("L01-root", "/"), ("L01-double", "//x"), ("L01-passwd", "/etc/passwd")]
    {
        s.both(id, "an absolute link", vec![symlink("l", target)], Refused("link-absolute")).at(2);
    }
    s.both(
        "L01-write",
        "an absolute link and a file below it",
        vec![symlink("l", "/abs"), file("l/pwn", "1")],
        Refused("link-absolute"),
    )
    .at(2);
    for (id, name, target) in [
        ("L02-escape", "l", "../outside"),
        ("L03-secret", "s", "../outside/secret"),
        ("L03-parent", "s", ".."),
        ("L03-parent-slash", "s", "../"),
        ("L03-two-up", "a/s", "../.."),
        ("L03-two-up-name", "a/s", "../../x"),
        ("L03-behind-dot", "s", "./../x"),
        ("L03-back-in", "s", "../out/t"),
        ("L04-up-after-name", "s", "t/../t"),
        ("L04-dir-then-up", "s", "d/.."),
        ("L04-up-late", "d/s", "../d/../t"),
        ("L-root", "s", "."),
        ("L-root-slash", "s", "./"),
        ("L-root-from-below", "d/s", ".."),
        ("L-root-from-below-slash", "d/s", "../."),
    ] {
        let members = vec![file("t", "1"), dir("d/"), symlink(name, target)];
        s.both(id, "a link that leads out, to the root, or up after a name", members, Refused("link-escape")).at(4);
    }
    s.both(
        "L02-write",
        "an escaping link and a file below it",
        vec![symlink("l", "../outside"), file("l/pwn", "1")],
        Refused("link-escape"),
    )
    .at(2);
    let chain = vec![symlink("cur", "."), symlink("par", "cur/.."), file("par/pwn", "1")];
    s.both("L04-chain", "two links that only together lead out", chain, Refused("link-escape")).at(2);
    let chain = vec![dir("d/"), symlink("cur", "d"), symlink("par", "cur/.."), file("par/pwn", "1")];
    s.both("L04-chain-inside", "`..` behind a legal link", chain, Refused("link-escape")).at(4);
    let chain = vec![dir("a/b/"), symlink("l", "a/b"), symlink("m", "l/../../../x")];
    s.both("L04-chain-many", "many `..` behind a legal link", chain, Refused("link-escape")).at(4);
    let members = vec![dir("a/b/"), symlink("a/b/s", "../../../x")];
    s.both("L03-three-up", "one level more than there is", members, Refused("link-escape")).at(3);
}

fn inside(s: &mut Sheet) {
    let ok: [(&str, Vec<Member>); 13] = [
        ("L12-file", vec![dir("a/"), file("a/t", "1"), symlink("s", "a/t")]),
        ("L12-dir", vec![dir("a/"), file("a/t", "1"), symlink("s", "a")]),
        ("L12-dir-slash", vec![dir("a/"), symlink("s", "a/")]),
        ("L12-implied-dir", vec![file("a/t", "1"), symlink("s", "a")]),
        ("L12-forward", vec![symlink("s", "t"), file("t", "1")]),
        ("L12-forward-implied", vec![symlink("s", "a"), file("a/t", "1")]),
        ("L12-up", vec![file("t", "1"), symlink("a/s", "../t")]),
        ("L12-two-up", vec![file("t", "1"), symlink("a/b/s", "../../t")]),
        ("L12-sibling", vec![file("a/t", "1"), symlink("a/s", "t")]),
        ("L12-cousin", vec![file("a/t", "1"), symlink("b/s", "../a/t")]),
        ("L12-skill-md", vec![symlink("README.md", "SKILL.md")]),
        ("L12-empty-dir", vec![dir("a/"), symlink("s", "a")]),
        ("L12-deep-target", vec![file("a/b/c/d/e/f/g/h/i/j/t", "1"), symlink("s", "a/b/c/d/e/f/g/h/i/j/t")]),
    ];
    for (id, members) in ok {
        s.both(id, "a link inside", members, Accepted);
    }
    for (id, target) in [
        ("L12-dot", "./a/t"),
        ("L12-double-slash", "a//t"),
        ("L12-inner-dot", "a/./t"),
        ("L12-dots-name", "..t/x"),
        ("L12-name-dots", "a..b"),
    ] {
        let members = vec![file("a/t", "1"), file("..t/x", "2"), file("a..b", "3"), symlink("s", target)];
        s.both(id, "a link inside, spelled differently", members, Accepted);
    }
    let members = vec![file("a/t", "1"), symlink("b/s", "./../a/t")];
    s.both("L12-dot-up", "`.` before the leading `..`", members, Accepted);
    let members = vec![file("caf\u{e9}/t", "1"), symlink("s", "caf\u{e9}/t")];
    s.both("L12-non-ascii", "a target with letters beyond ASCII", members, Accepted);
    for (id, target) in
        [("L-missing", "nowhere"), ("L-missing-below-file", "t/x"), ("L-missing-dir", "no/where"), ("L-case", "T")]
    {
        s.both(id, "a link to nothing", vec![file("t", "1"), symlink("s", target)], Refused("link-target-missing"))
            .at(3);
    }
    for (id, noise) in
        [("L-noise", "._t"), ("L-noise-ds", ".DS_Store"), ("L-noise-macosx", "__MACOSX/x"), ("L-noise-dir", "__MACOSX")]
    {
        let members = vec![file("._t", "1"), file(".DS_Store", "2"), file("__MACOSX/x", "3"), symlink("s", noise)];
        s.both(id, "a link to something that is left out", members, Refused("link-target-missing")).at(5);
    }
    let members = vec![symlink("s", "nowhere"), file("../x", "1")];
    s.both(
        "L-order-pending",
        "a dangling link, then a refused name: the link came first",
        members,
        Refused("link-target-missing"),
    )
    .at(2);
    let members = vec![symlink("a", "nowhere"), symlink("b", "also-nowhere"), symlink("c", "/abs")];
    s.both("L-order-three", "three bad links: the first is named", members, Refused("link-target-missing")).at(2);
}

fn chains(s: &mut Sheet) {
    let chain = |links: usize| {
        let mut members = vec![file("t", "1")];
        for number in 1..=links {
            let target = if number == 1 { "t".to_owned() } else { format!("l{}", number - 1) };
            members.push(symlink(format!("l{number}"), target));
        }
        members
    };
    s.both("L14-chain-2", "a link to a link", chain(2), Accepted);
    s.both("L14-chain-8", "a chain of eight links", chain(8), Accepted);
    s.both("L14-chain-9", "a chain of nine links", chain(9), Refused("link-cycle")).at(11);
    s.both("L14-chain-300", "a chain of 300 links", chain(300), Refused("link-cycle")).at(11);
    let members = vec![file("a/t", "1"), symlink("l", "a"), symlink("s", "l/t")];
    s.both("L12-through-link", "a target behind a directory link", members, Accepted);
    let members = vec![file("a/b/t", "1"), symlink("l", "a"), symlink("m", "l/b"), symlink("s", "m/t")];
    s.both("L12-through-links", "a target behind two directory links", members, Accepted);
    for (id, members) in [
        ("L14-self", vec![symlink("s", "s")]),
        ("L14-self-dot", vec![symlink("s", "./s")]),
        ("L14-self-below", vec![symlink("s", "s/x")]),
        ("L14-two", vec![symlink("a", "b"), symlink("b", "a")]),
        ("L14-ring-3", vec![symlink("a", "b"), symlink("b", "c"), symlink("c", "a")]),
        ("L14-into-ring", vec![symlink("a", "b"), symlink("b", "b")]),
        ("L14-grow", vec![symlink("a", "b/x"), symlink("b", "a/x")]),
    ] {
        s.both(id, "links that lead in a circle", members, Refused("link-cycle")).at(2);
    }
    for (id, name, target) in [
        ("L14-own-dir", "a/s", "."),
        ("L14-own-dir-named", "a/s", "../a"),
        ("L14-grandparent", "a/b/s", ".."),
        ("L14-grandparent-named", "a/b/s", "../../a"),
        ("L14-ancestor-behind-link", "a/s", "../l"),
    ] {
        let members = vec![dir("a/"), dir("a/b/"), symlink("l", "a"), symlink(name, target)];
        s.both(id, "a link to a directory above itself", members, Refused("link-cycle")).at(5);
    }
    let members = vec![file("a/b/t", "1"), symlink("a/s", "b")];
    s.both("L14-sibling-dir", "a link to a directory beside itself", members, Accepted);
}

fn parents(s: &mut Sheet) {
    let refused = Refused("link-as-parent");
    s.both(
        "L13-file",
        "a file through a legal link",
        vec![dir("real/"), symlink("l", "real"), file("l/x", "1")],
        refused,
    )
    .at(4);
    s.both(
        "L13-dir",
        "a directory through a legal link",
        vec![dir("real/"), symlink("l", "real"), dir("l/x/")],
        refused,
    )
    .at(4);
    s.both(
        "L13-link",
        "a link through a link",
        vec![dir("real/"), symlink("l", "real"), symlink("l/s", "../SKILL.md")],
        refused,
    )
    .at(4);
    s.both(
        "L13-deep",
        "a file far below a link",
        vec![dir("real/a/"), symlink("l", "real"), file("l/a/b/x", "1")],
        refused,
    )
    .at(4);
    s.both(
        "L13-later",
        "a link where an implied directory is",
        vec![dir("real/"), file("l/x", "1"), symlink("l", "real")],
        refused,
    )
    .at(4);
    let members = vec![dir("real/"), symlink("Link", "real"), file("link/x", "1")];
    s.both("L13-folded", "a file below a name equal to a link's but for case", members, Refused("path-collision"))
        .at(4);
    s.both("L13-file-link", "a file below a link to a file", vec![symlink("l", "SKILL.md"), file("l/x", "1")], refused)
        .at(3);
    let members = vec![hardlink("h", "SKILL.md"), file("h/x", "1")];
    s.both("L13-hardlink", "a file below a hard link", members, Refused("file-dir-conflict")).at(3);
}

fn same_name(s: &mut Sheet) {
    let duplicate = Refused("duplicate-path");
    let both = |first: Member, second: Member| vec![file("t", "1"), dir("d/"), first, second];
    s.both("L05-link-file", "a link, then a file of its name", both(symlink("l", "t"), file("l", "2")), duplicate)
        .at(5);
    s.both("L05-file-link", "a file, then a link of its name", both(file("l", "2"), symlink("l", "t")), duplicate)
        .at(5);
    s.both(
        "L06-link-dir",
        "a link, then a directory of its name",
        both(symlink("l", "d"), dir("l/").mode(0o777)),
        duplicate,
    )
    .at(5);
    s.both("L06-dir-link", "a directory, then a link of its name", both(dir("l/"), symlink("l", "d")), duplicate).at(5);
    s.both("L05-link-link", "the same link twice", both(symlink("l", "t"), symlink("l", "t")), duplicate).at(5);
    s.both(
        "L05-hardlink-file",
        "a hard link, then a file of its name",
        both(hardlink("l", "t"), file("l", "2")),
        duplicate,
    )
    .at(5);
    s.both(
        "L05-file-hardlink",
        "a file, then a hard link of its name",
        both(file("l", "2"), hardlink("l", "t")),
        duplicate,
    )
    .at(5);
    s.both(
        "L05-hardlink-dir",
        "a hard link, then a directory",
        both(hardlink("l", "t"), dir("l/")),
        Refused("file-dir-conflict"),
    )
    .at(5);
    s.both(
        "L05-outside",
        "an escaping link, then a file of its name",
        both(symlink("l", "../t"), file("l", "2")),
        Refused("link-escape"),
    )
    .at(4);
    s.both(
        "L06-outside",
        "an escaping link, then a directory",
        both(symlink("l", "../t"), dir("l/").mode(0o777)),
        Refused("link-escape"),
    )
    .at(4);
    s.both(
        "L05-folded",
        "two links equal but for case",
        both(symlink("l", "t"), symlink("L", "t")),
        Refused("path-collision"),
    )
    .at(5);
    s.both(
        "L15-skill-md-again",
        "SKILL.md, then a link of its name",
        both(file("a/evil", "2"), symlink("SKILL.md", "a/evil")),
        duplicate,
    )
    .at(5);
}

fn spelling(s: &mut Sheet) {
    for (id, target) in [
        ("L16-empty", &b""[..]),
        ("L16-nul", b"t\0x"),
        ("L16-nul-end", b"t\0"),
        ("L16-escape", b"t\x1b[31m"),
        ("L16-newline", b"t\n"),
        ("L16-delete", b"\x7f"),
        ("L16-c1", b"t\xc2\x9b"),
        ("L16-backslash", b"a\\t"),
        ("L16-backslash-up", b"..\\..\\x"),
        ("L16-unc", b"\\\\server\\share"),
        ("L16-drive", b"C:x"),
        ("L16-drive-root", b"C:/x"),
        ("L16-stream", b"t:s"),
        ("L16-star", b"t*"),
        ("L16-pipe", b"|t"),
        ("L16-less", b"<t"),
        ("L16-latin1", b"caf\xe9"),
        ("L16-bidi", b"t\xe2\x80\xae"),
        ("L16-zero-width", b"t\xe2\x80\x8b"),
        ("L16-private", b"t\xef\x80\xba"),
        ("L16-file-slash", b"t/"),
    ] {
        let members = vec![file("t", "1"), symlink("s", target)];
        s.both(id, "a target that readers or systems take differently", members, Refused("link-target-invalid")).at(3);
    }
    // The target's own length counts, not that of what it means.
    let long = |bytes: usize| {
        let mut target = "./".repeat(bytes / 2);
        target.truncate(bytes - 1);
        let cut = if target.ends_with('.') { "/" } else { "" };
        format!("{}{}t", &target[..target.len() - cut.len()], cut)
    };
    for (id, bytes, expect) in [
        ("L16-1023", 1023, Accepted),
        ("L16-1024", 1024, Accepted),
        ("L16-1025", 1025, Refused("link-target-invalid")),
        ("L16-5000", 5000, Refused("link-target-invalid")),
    ] {
        let target = long(bytes);
        assert_eq!(target.len(), bytes);
        s.both(id, "a target at the limit of its length", vec![file("t", "1"), symlink("s", target)], expect);
    }
    s.both(
        "L16-60000",
        "a target of 60,000 bytes",
        vec![symlink("s", "n".repeat(60_000))],
        Refused("link-target-invalid"),
    );
    s.zip(
        "L16-200000-zip",
        "a target of 200,000 bytes, deflated",
        Zip::skill().entry(Entry::symlink("s", "n".repeat(200_000)).deflated()),
        Refused("link-target-invalid"),
    );
}

/// Where the target stands: the header, a pax record, a GNU K header.
fn fields(s: &mut Sheet) {
    let name100 = format!("{}/{}", "d".repeat(49), "f".repeat(50));
    s.tar(
        "T32-full-field",
        "a link name field without a NUL",
        Tar::skill().file(&name100, "1").symlink("s", &name100),
        Accepted,
    )
    .tree([tree::dir(&"d".repeat(49)), tree::file(&name100, "1"), tree::link("s", &name100)]);
    let invalid = Refused("link-target-invalid");
    let hidden = Header::ustar(b'2', "s").link("t").poke(157 + 50, "hidden");
    s.tar(
        "T32-nul-rest",
        "bytes after the NUL of the link name",
        Tar::skill().file("t", "1").header(hidden.clone()),
        invalid,
    )
    .at(3);
    s.tar(
        "T32-nul-rest-pax",
        "bytes after the NUL of a link name that pax replaces",
        Tar::skill().file("t", "1").pax(&[("linkpath", b"t")]).header(hidden.clone()),
        Accepted,
    )
    .tree([tree::file("t", "1"), tree::link("s", "t")]);
    let target = format!("{}/t", "d".repeat(150));
    s.tar(
        "L12-gnu-k",
        "a target from K",
        Tar::skill().file_gnu_long(&target, "1").long_link(&target).header(Header::gnu(b'2', "s").link(&target)),
        Accepted,
    )
    .tree([tree::dir(&"d".repeat(150)), tree::file(&target, "1"), tree::link("s", &target)]);
    s.tar(
        "L16-gnu-k-nul",
        "K with bytes after its NUL",
        Tar::skill().file("t", "1").long_link_raw("t\0hidden\0").header(Header::gnu(b'2', "s")),
        invalid,
    );
    s.tar(
        "L16-gnu-k-nuls",
        "K with several final NULs",
        Tar::skill().file("t", "1").long_link_raw("t\0\0\0").header(Header::gnu(b'2', "s").link("t")),
        Accepted,
    );
    s.tar(
        "L16-gnu-k-empty",
        "an empty K",
        Tar::skill().long_link("").header(Header::gnu(b'2', "s").link("t")),
        invalid,
    );
    s.tar(
        "L03-pax",
        "an escaping target from pax over a harmless one",
        Tar::skill().file("t", "1").pax(&[("linkpath", b"../x")]).symlink("s", "t"),
        Refused("link-escape"),
    );
    s.tar(
        "L03-gnu",
        "an escaping target from K over a harmless one",
        Tar::skill().file("t", "1").long_link("../x").header(Header::gnu(b'2', "s").link("t")),
        Refused("link-escape"),
    );
    s.tar(
        "L03-hidden",
        "an escaping target that pax replaces is not the target",
        Tar::skill().file("t", "1").pax(&[("linkpath", b"t")]).symlink("s", "../x"),
        Accepted,
    )
    .tree([tree::file("t", "1"), tree::link("s", "t")]);
    let lie = Entry::symlink("s", "SKILL.md").with(|e| {
        (e.local.packed, e.local.size) = (Some(0xffff_fff0), Some(0xffff_fff0));
        (e.central.packed, e.central.size) = (Some(0xffff_fff0), Some(0xffff_fff0));
    });
    s.zip("L17-size-lie", "a stored link that declares 4 GiB", Zip::skill().entry(lie), Refused("zip-size-mismatch"));
    let lie = Entry::symlink("s", "SKILL.md").with(|e| (e.local.size, e.central.size) = (Some(9), Some(9)));
    s.zip(
        "L17-size-one-more",
        "a stored link that declares one byte more",
        Zip::skill().entry(lie),
        Refused("zip-size-mismatch"),
    );
}

fn denied(s: &mut Sheet) {
    let deny = ["--links", "deny"];
    s.both("L-deny", "a legal link where links are denied", vec![symlink("s", "SKILL.md")], Refused("links-denied"))
        .args(&deny)
        .at(2);
    s.both(
        "L-deny-hard",
        "a legal hard link where links are denied",
        vec![hardlink("h", "SKILL.md")],
        Refused("links-denied"),
    )
    .args(&deny)
    .at(2);
    s.both("L-deny-none", "no links where links are denied", vec![file("a", "1"), dir("d/")], Accepted).args(&deny);
    s.both("L-keep", "a legal link where links are kept", vec![symlink("s", "SKILL.md")], Accepted)
        .args(&["--links", "keep"]);
}
