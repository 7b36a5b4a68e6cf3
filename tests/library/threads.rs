//! In large archives one thread inflates ahead and one writes behind: the same answers with any number of threads, and an
//! end at once.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skillx_archive::{Artifact, Cancel, Layout, Limits, Options};

use crate::support::carrier::{Carrier, Kind, dir, exec, file, hardlink, symlink, with_skill};
use crate::support::gzip::Gzip;
use crate::support::{Member, temp_dir, tree};
use crate::{code_of, json, names};

/// Large enough for a second thread to be worth it: four megabytes that deflate cannot shrink, and many that it can.
fn members() -> Vec<Member> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = |count: usize| -> Vec<u8> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[2]
        };
        (0..count).map(|_| next()).collect()
    };
    with_skill(vec![
        file("a/noise", noise(3 << 20)),
        file("a/zeros", vec![0; 5 << 20]),
        hardlink("a/copy", "a/noise"),
        file("b", noise(1 << 20)),
        symlink("l", "a/zeros"),
    ])
}

fn with_threads(threads: usize) -> Options {
    Options::default().most_threads(NonZeroUsize::new(threads).unwrap())
}

#[test]
fn any_number_of_threads_gives_the_same_report() {
    let good = Carrier::TarGz.write(&members());
    let bad = Carrier::TarGz.write(&[members(), vec![file("../x", ""), file("after", "")]].concat());
    let gzip = |bytes: &[u8], at: usize, value: u8| {
        let mut bytes = bytes.to_vec();
        let at = if at == usize::MAX { bytes.len() - 6 } else { at };
        bytes[at] ^= value;
        bytes
    };
    let none = |_: &mut Limits| {};
    type Change = fn(&mut Limits);
    let cases: [(&str, Vec<u8>, Change); 11] = [
        ("", good.clone(), none),
        ("path-traversal", bad, none),
        ("gzip-truncated", good[..good.len() - 1].to_vec(), none),
        ("gzip-truncated", good[..good.len() / 2].to_vec(), none),
        ("gzip-crc", gzip(&good, usize::MAX, 1), none),
        ("gzip-trailing-data", [&good[..], b"x"].concat(), none),
        ("gzip-multi-member", [&good[..], &Gzip::new(b"").build()].concat(), none),
        ("limit-file", good.clone(), |limits| limits.file = (3 << 20) - 1),
        ("limit-total", good.clone(), |limits| limits.total = 9 << 20),
        ("limit-ratio", good.clone(), |limits| (limits.ratio, limits.ratio_floor) = (1, 6 << 20)),
        ("limit-entries", good.clone(), |limits| limits.entries = 4),
    ];
    for (code, bytes, change) in cases {
        let mut limits = Limits::default();
        change(&mut limits);
        let reports: Vec<_> = [(1, u64::MAX), (2, u64::MAX), (64, u64::MAX), (1, 0), (2, 0)]
            .map(|(threads, memory)| {
                let mut spooled = Limits::default();
                spooled.spool_memory = memory;
                let artifact = Artifact::from_reader(bytes.as_slice(), &spooled).unwrap().trust_without_digest();
                let options = with_threads(threads).limits(limits.clone());
                let report = artifact.check(&options);
                assert_eq!(code_of(&report).unwrap_or_default(), code, "{threads} threads: {:?}", report.error);
                json(&report)
            })
            .to_vec();
        for report in &reports[1..] {
            assert!(*report == reports[0], "{code}: another report with another number of threads or another spool");
        }
    }
    // Somewhere in the middle: whatever it breaks, it breaks it the same way.
    for at in [good.len() / 3, good.len() / 2, good.len() - 20] {
        let artifact = Artifact::from_bytes(gzip(&good, at, 0x10)).trust_without_digest();
        let reports = [1, 2].map(|threads| json(&artifact.check(&with_threads(threads))));
        assert_ne!(reports[0]["verdict"], "accepted");
        assert_eq!(reports[0], reports[1], "damaged at {at}");
    }
}

#[test]
fn any_number_of_threads_makes_the_same_tree() {
    let artifact = Artifact::from_bytes(Carrier::TarGz.write(&members())).trust_without_digest();
    let expected = crate::support::carrier::expected_tree(&members());
    for threads in [1, 2] {
        let directory = temp_dir();
        let out = directory.path().join("out");
        artifact.extract(&out, &with_threads(threads)).unwrap();
        assert_eq!(tree::differences(&expected, &tree::walk(&out)), Vec::<String>::new(), "{threads} threads");
        assert_eq!(artifact.read("b", &with_threads(threads)).unwrap().len(), 1 << 20);
    }
    let any = with_threads(2).layout(Layout::Any).strip_root(true);
    assert_eq!(code_of(&artifact.check(&any)), None, "read twice, a thread each time");
}

/// Enough members that writing them is worth a thread, with one of everything, in more directories than are held open.
fn crowd() -> Vec<Member> {
    let mut members = Vec::new();
    for number in 0..260 {
        let path = format!("d{:03}/{}/f{number}", number % 110, number % 2);
        members.push(match number % 10 {
            3 => hardlink(&path, "d000/0/f0"),
            5 => symlink(&path, "f0"),
            7 => dir(&path),
            8 => exec(&path, vec![b'x'; number]),
            _ => file(&path, vec![b'y'; number * 7]),
        });
        // A link needs something to lead to.
        if number % 10 == 5 {
            members.push(file(format!("d{:03}/{}/f0", number % 110, number % 2), format!("of {number}")));
        }
    }
    members.push(file("large", vec![b'z'; 900 << 10]));
    with_skill(without_repetitions(members))
}

fn below_wrapper(mut member: Member) -> Member {
    member.name = [b"w/", member.name.as_slice()].concat();
    if member.kind == Kind::HardLink {
        member.target = [b"w/", member.target.as_slice()].concat();
    }
    member
}

/// The first of members with the same name.
fn without_repetitions(members: Vec<Member>) -> Vec<Member> {
    let mut seen = std::collections::BTreeSet::new();
    members.into_iter().filter(|member| seen.insert(member.name.clone())).collect()
}

/// What an extraction answers, and what it leaves, with a number of threads.
fn extraction(bytes: &[u8], options: &Options) -> (serde_json::Value, Option<tree::Tree>) {
    let directory = temp_dir();
    let out = directory.path().join("out");
    let mut answer = match Artifact::from_bytes(bytes.to_vec()).trust_without_digest().extract(&out, options) {
        Ok(skill) => json(skill.report()),
        Err(failure) => json(failure.report()),
    };
    answer["output"] = serde_json::Value::Null;
    let tree = out.exists().then(|| tree::walk(&out));
    assert_eq!(names(directory.path()), if tree.is_some() { vec!["out".to_owned()] } else { Vec::new() });
    (answer, tree)
}

#[test]
fn any_number_of_threads_extracts_alike() {
    let wrapped: Vec<Member> = crowd().into_iter().map(below_wrapper).collect();
    let cases = [
        ("", crowd()),
        ("path-traversal", [crowd(), vec![file("../x", ""), file("after", "")]].concat()),
        ("duplicate-path", [crowd(), vec![file("large", "")], crowd()].concat()),
        ("link-escape", [vec![symlink("l", "../../x")], crowd()].concat()),
        ("skill-md-missing", crowd().into_iter().filter(|member| member.name != b"SKILL.md").collect()),
        // Read as a wrapper until the last member shows that it is none: everything is written anew.
        ("outside", [wrapped.clone(), vec![file("SKILL.md", "---\nname: a\ndescription: b\n---\n")]].concat()),
        ("strip", wrapped),
    ];
    for carrier in Carrier::ALL {
        for (code, members) in &cases {
            let members: Vec<Member> = match carrier {
                // A zip has no hard links.
                Carrier::Zip => members.iter().filter(|member| member.kind != Kind::HardLink).cloned().collect(),
                Carrier::TarGz => members.clone(),
            };
            let bytes = carrier.write(&members);
            let options = |threads| {
                let options = with_threads(threads);
                match *code {
                    "outside" | "strip" => options.strip_root(true),
                    _ => options,
                }
            };
            let alone = extraction(&bytes, &options(1));
            match *code {
                "" | "strip" | "outside" => assert_eq!(alone.0["verdict"], "accepted", "{carrier:?} {code}"),
                code => assert_eq!(alone.0["error"]["code"], code, "{carrier:?}"),
            }
            for threads in [2, 8] {
                let other = extraction(&bytes, &options(threads));
                assert!(alone == other, "{carrier:?} {code}: another answer with {threads} threads");
            }
        }
    }
}

#[test]
fn every_fixture_is_answered_alike_with_any_number_of_threads() {
    let folders = ["fixtures/demo", "fixtures/hostile", "fixtures/tools"].map(std::path::Path::new);
    let mut fixtures = Vec::new();
    for folder in folders {
        fixtures.extend(std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()));
    }
    fixtures.retain(|path| path.extension().is_some_and(|extension| extension == "gz" || extension == "zip"));
    assert!(fixtures.len() > 100, "{}", fixtures.len());
    for path in fixtures {
        let bytes = std::fs::read(&path).unwrap();
        let artifact = Artifact::from_bytes(bytes.clone()).trust_without_digest();
        let check = |threads| json(&artifact.check(&with_threads(threads)));
        let (checked, extracted) = (check(1), extraction(&bytes, &with_threads(1)));
        for threads in [2, 8] {
            assert!(checked == check(threads), "{}: check with {threads} threads", path.display());
            let other = extraction(&bytes, &with_threads(threads));
            assert!(extracted == other, "{}: extracted with {threads} threads", path.display());
        }
    }
}

#[test]
fn a_run_with_two_threads_that_is_cancelled_or_panics_leaves_nothing_and_no_thread() {
    let artifact = Artifact::from_bytes(Carrier::TarGz.write(&members())).trust_without_digest();
    let directory = temp_dir();
    for at in [0, 1, 7, 40] {
        let cancel = Cancel::new();
        let (trigger, calls) = (cancel.clone(), std::sync::atomic::AtomicU64::new(0));
        let options = with_threads(2).cancel(&cancel).on_progress(move |_| {
            if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == at {
                trigger.cancel();
            }
        });
        let failure = crate::failure(artifact.extract(directory.path().join("p/out"), &options));
        assert_eq!(failure.code(), "cancelled");
        assert!(names(directory.path()).is_empty());
        let calls = std::sync::atomic::AtomicU64::new(0);
        let options = with_threads(2).on_progress(move |_| {
            let call = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            assert!(call != at, "asked for by the test");
        });
        let run = || artifact.extract(directory.path().join("p/out"), &options);
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert!(names(directory.path()).is_empty());
    }
    // The thread that inflates has its own name; by now nothing is left for it to do.
    if let Ok(threads) = std::fs::read_dir("/proc/self/task") {
        let left = |thread: &std::fs::DirEntry| {
            std::fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name.starts_with("skillx-inflate"))
        };
        let mine: Vec<_> = threads.flatten().filter(left).collect();
        // Other tests of this program may be inflating right now, but not dozens of them.
        assert!(mine.len() <= 8, "{} inflating threads are left", mine.len());
    }
}
