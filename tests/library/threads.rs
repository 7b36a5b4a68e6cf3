//! A second thread inflates ahead in large archives: the same answers with any number of threads, and an end at once.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skillx_archive::{Artifact, Cancel, Layout, Limits, Options};

use crate::support::carrier::{Carrier, file, hardlink, symlink, with_skill};
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
