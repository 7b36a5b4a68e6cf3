//! Each limit through the library, at its exact value and one beyond it.

use std::time::Duration;

use skillx_archive::{Kind, Layout, Limits, Options};

use crate::support::SKILL_MD;
use crate::support::carrier::{Member, dir, file, hardlink, skill_md, symlink, with_skill};
use crate::support::gzip::{Gzip, deflate, gzip};
use crate::support::tar::{Header, Tar};
use crate::{code_of, tar_gz, verified};

/// Runs an archive at `most` and at one less: there it must be refused with this code, and leave nothing.
#[track_caller]
fn bound(bytes: &[u8], most: u64, code: &str, set: impl Fn(&mut Limits, u64)) {
    let options = |value: u64| {
        let mut limits = Limits::default();
        set(&mut limits, value);
        Options::default().layout(Layout::Any).limits(limits)
    };
    let report = verified(bytes).check(&options(most));
    assert_eq!(code_of(&report), None, "{code} at its limit {most}: {:?}", report.error);
    let report = verified(bytes).check(&options(most - 1));
    assert_eq!(code_of(&report), Some(code), "one beyond {}", most - 1);
    assert_eq!(report.error.unwrap().kind(), Kind::Refused);
    let directory = crate::support::temp_dir();
    let failure = crate::failure(verified(bytes).extract(directory.path().join("p/x"), &options(most - 1)));
    assert_eq!(failure.code(), code);
    assert!(crate::names(directory.path()).is_empty());
}

#[track_caller]
fn bound_members(members: &[Member], most: u64, code: &str, set: impl Fn(&mut Limits, u64)) {
    bound(&tar_gz(members), most, code, set);
}

#[test]
fn bytes_of_one_file() {
    let members = [file("small", "x"), file("large", vec![7; 100_001]), file("after", "y")];
    bound_members(&members, 100_001, "limit-file", |limits, value| limits.file = value);
    // A copy is a file too.
    let members = [file("a", vec![7; 1000]), hardlink("b", "a")];
    bound_members(&members, 1000, "limit-file", |limits, value| limits.file = value);
}

#[test]
fn bytes_written_in_all_and_copies_of_hard_links_among_them() {
    let members = [file("a", vec![1; 1000]), file("b", vec![2; 500]), file("c", "")];
    bound_members(&members, 1500, "limit-total", |limits, value| limits.total = value);
    let members = [file("a", vec![1; 1000]), hardlink("b", "a"), hardlink("c", "a"), hardlink("d", "c")];
    bound_members(&members, 4000, "limit-total", |limits, value| limits.total = value);
    let members = [file("a", vec![1; 1000]), file("._noise", vec![2; 300]), file("__MACOSX/x", vec![2; 30])];
    bound_members(&members, 1330, "limit-total", |limits, value| limits.total = value);
}

#[test]
fn bytes_out_of_the_inflater_are_counted_apart() {
    // 16 MiB and 2 KiB an entry are free for framing; zeros after the end count.
    let framing = (16 << 20) + 2048;
    let mut tar = Tar::empty().file("a", "x").end();
    let total: u64 = 1024;
    tar.resize(usize::try_from(framing + total).unwrap(), 0);
    let bytes = gzip(&tar);
    bound(&bytes, total, "limit-total", |limits, value| {
        (limits.total, limits.entries, limits.ratio) = (value, 1, u64::MAX);
    });
}

#[test]
fn members_and_implied_directories() {
    let members = [file("a", ""), dir("d"), file("e/f/g", ""), symlink("l", "a"), hardlink("h", "a"), file("._n", "")];
    // Six members; `e` and `e/f` are implied.
    bound_members(&members, 8, "limit-entries", |limits, value| limits.entries = value);
    // A directory that was implied and then comes as a member is one entry, as is one that comes twice.
    let members = [file("e/f", ""), dir("e")];
    let report = verified(&tar_gz(&members)).check(&Options::default().layout(Layout::Any));
    assert_eq!(code_of(&report), None);
}

#[test]
fn extension_headers_are_at_most_twice_the_entries() {
    let with_headers = |count: usize| {
        let tar = (0..count).fold(Tar::empty(), |tar, number| {
            let tar = tar.pax(&[("comment", b"x")]);
            if number % 2 == 0 { tar.file(format!("f{number}"), "") } else { tar.dir(format!("d{number}")) }
        });
        gzip(tar.end())
    };
    let options = |entries: u64| {
        let mut limits = Limits::default();
        limits.entries = entries;
        Options::default().layout(Layout::Any).limits(limits)
    };
    assert_eq!(code_of(&verified(&with_headers(4)).check(&options(4))), None);
    // Globals need no member behind them: 2 x 2 are allowed beside two entries, one more is not.
    let globals = |count: usize| {
        let tar = (0..count).fold(Tar::empty(), |tar, _| tar.global(&[("comment", b"x")]));
        gzip(tar.file("a", "").file("b", "").end())
    };
    assert_eq!(code_of(&verified(&globals(4)).check(&options(2))), None);
    assert_eq!(code_of(&verified(&globals(5)).check(&options(2))), Some("limit-entries"));
}

#[test]
fn bytes_of_one_extension_header_of_the_globals_and_of_all() {
    // A record of exactly 5000 bytes.
    let payload = |bytes: usize| {
        let digits = bytes.to_string().len();
        Tar::empty().pax(&[("comment", &vec![b'x'; bytes - digits - " comment=\n".len()])])
    };
    let one = gzip(payload(5000).file("a", "").end());
    bound(&one, 5000, "limit-metadata", |limits, value| limits.extension = value);
    bound(&one, 5000, "limit-metadata", |limits, value| limits.extension_total = value);
    let two = gzip(payload(5000).file("a", "").raw(payload(3000).unended()).file("b", "").end());
    bound(&two, 8000, "limit-metadata", |limits, value| limits.extension_total = value);
    bound(&two, 5000, "limit-metadata", |limits, value| limits.extension = value);
    let name = "n".repeat(300);
    let long = gzip(Tar::empty().file_gnu_long(format!("d/{}", &name[..250]), "").end());
    bound(&long, 253, "limit-metadata", |limits, value| limits.extension = value);
    // Globals are summed up against the limit of one.
    let global = |bytes: usize| {
        let digits = bytes.to_string().len();
        Tar::empty().global(&[("comment", &vec![b'x'; bytes - digits - " comment=\n".len()])])
    };
    let globals = gzip(global(2000).raw(global(3000).unended()).file("a", "").end());
    bound(&globals, 5000, "limit-metadata", |limits, value| limits.extension = value);
}

#[test]
fn levels_of_a_path() {
    bound_members(&[file("a/b/c/d", "")], 4, "path-too-deep", |limits, value| limits.depth = value);
    bound_members(&[dir("a/b/c/")], 3, "path-too-deep", |limits, value| limits.depth = value);
    bound_members(&[file("a//b/./c", "")], 3, "path-too-deep", |limits, value| limits.depth = value);
}

#[test]
fn bytes_of_a_path_and_of_a_component() {
    let path = format!("{}/{}", "d".repeat(40), "\u{e9}".repeat(25));
    bound_members(&[file(&path, "")], 91, "path-too-long", |limits, value| limits.path = value);
    bound_members(&[file(&path, "")], 50, "component-too-long", |limits, value| limits.component = value);
}

#[test]
fn bytes_of_a_link_target() {
    let target = "t".repeat(90);
    let members = [file(&target, ""), symlink("l", &target)];
    bound_members(&members, 90, "link-target-invalid", |limits, value| limits.link_target = value);
    let members = [file(&target, ""), hardlink("h", &target)];
    bound_members(&members, 90, "link-target-invalid", |limits, value| limits.link_target = value);
}

#[test]
fn bytes_of_skill_md() {
    let body = [SKILL_MD, &vec![b'x'; 3000]].concat();
    let bytes = tar_gz(&[file("SKILL.md", &body), file("other.md", vec![b'y'; 9000])]);
    let options = |value: usize| {
        let mut limits = Limits::default();
        limits.skill_md = value as u64;
        Options::default().limits(limits)
    };
    assert_eq!(code_of(&verified(&bytes).check(&options(body.len()))), None);
    let report = verified(&bytes).check(&options(body.len() - 1));
    assert_eq!(code_of(&report), Some("skill-md-invalid"));
    assert!(report.error.unwrap().to_string().contains(&body.len().to_string()));
}

#[test]
fn the_ratio_counts_once_the_floor_is_passed() {
    let content = vec![0; 200_000];
    let tar = Tar::empty().file("a", &content).end();
    let bytes = gzip(&tar);
    let (packed, unpacked) = (bytes.len() as u64, tar.len() as u64);
    // The floor: below it, or at it, no ratio is looked at.
    bound(&bytes, unpacked, "limit-ratio", |limits, value| (limits.ratio_floor, limits.ratio) = (value, 1));
    let exact = unpacked.div_ceil(packed);
    bound(&bytes, exact, "limit-ratio", |limits, value| (limits.ratio_floor, limits.ratio) = (1, value));
    // A ratio of 1 and data that does not shrink.
    let stored = Gzip::new(&tar).with(|gzip| gzip.body = crate::support::gzip::stored(&tar, 512)).build();
    assert!(stored.len() > tar.len() && deflate(&tar, 6).len() < 2000);
    let mut limits = Limits::default();
    (limits.ratio_floor, limits.ratio) = (1, 1);
    let options = Options::default().layout(Layout::Any).limits(limits);
    assert_eq!(code_of(&verified(&stored).check(&options)), None);
}

#[test]
fn the_time_limit_is_a_failure_and_says_nothing_of_the_archive() {
    let directory = crate::support::temp_dir();
    let mut limits = Limits::default();
    limits.time = Duration::ZERO;
    let options = Options::default().limits(limits.clone());
    let bytes = tar_gz(&with_skill(vec![file("a", vec![0; 100_000])]));
    let failure = crate::failure(verified(&bytes).extract(directory.path().join("p/x"), &options));
    assert_eq!((failure.code().as_str(), failure.kind()), ("limit-time", Kind::Failed));
    assert_eq!(failure.report().verdict, skillx_archive::Verdict::Failed);
    assert!(crate::names(directory.path()).is_empty());
    // On the way: a callback that dawdles.
    limits.time = Duration::from_millis(50);
    let slow = Options::default().limits(limits).on_progress(|_| std::thread::sleep(Duration::from_millis(30)));
    let failure = crate::failure(verified(&bytes).extract(directory.path().join("p/x"), &slow));
    assert_eq!(failure.code(), "limit-time");
    assert!(crate::names(directory.path()).is_empty());
}

#[test]
fn a_second_reading_does_not_count_twice() {
    // Looks like a wrapper until the last member: read again as it stands, within the same limits.
    let members = [file("w/a", vec![1; 600]), file("w/b", ""), skill_md()];
    let total = 600 + SKILL_MD.len() as u64;
    let mut limits = Limits::default();
    (limits.total, limits.entries) = (total, 4);
    let options = Options::default().strip_root(true).limits(limits.clone());
    assert_eq!(code_of(&verified(&tar_gz(&members)).check(&options)), None);
    limits.entries = 3;
    let options = Options::default().strip_root(true).limits(limits);
    assert_eq!(code_of(&verified(&tar_gz(&members)).check(&options)), Some("limit-entries"));
}

#[test]
fn a_limit_holds_for_a_declared_size_that_lies() {
    // Eight gigabytes declared, nothing behind it: refused for what is there, quickly, without setting memory aside.
    let header = Header::ustar(b'0', "huge").size(8 << 30);
    let bytes = gzip(Tar::skill().header(header).data("a little").end());
    let report = verified(&bytes).check(&Options::default());
    assert_eq!(code_of(&report), Some("tar-truncated"));
}
