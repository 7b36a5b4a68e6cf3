//! A run under way: cancelled before, during and from elsewhere; progress; a callback that panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use skillx_archive::{Cancel, Code, Kind, Options, Verdict};

use crate::support::carrier::{file, with_skill};
use crate::support::temp_dir;
use crate::{demo, failure, names, tar_gz, verified};

#[test]
fn a_run_cancelled_before_it_began_does_nothing() {
    let directory = temp_dir();
    let cancel = Cancel::new();
    let options = Options::default().cancel(&cancel);
    assert!(!cancel.is_cancelled());
    cancel.clone().cancel();
    assert!(cancel.is_cancelled());
    let artifact = verified(&demo());
    let failure = failure(artifact.extract(directory.path().join("p/out"), &options));
    assert_eq!((failure.code(), failure.kind()), (Code::Cancelled, Kind::Cancelled));
    assert_eq!(failure.report().verdict, Verdict::Failed);
    assert!(failure.report().refusals.is_empty());
    assert!(names(directory.path()).is_empty());
    assert_eq!(crate::code_of(&artifact.check(&options)), Some("cancelled"));
    assert_eq!(artifact.skill(&options).unwrap_err().kind(), Kind::Cancelled);
    assert_eq!(artifact.read("SKILL.md", &options).unwrap_err().kind(), Kind::Cancelled);
}

#[test]
fn a_run_cancelled_at_any_step_leaves_nothing() {
    let directory = temp_dir();
    let bytes = tar_gz(&with_skill(vec![file("a/b/c", vec![7; 300_000]), file("a/d", "x"), file("e", "y")]));
    let artifact = verified(&bytes);
    let mut steps = 0;
    loop {
        let cancel = Cancel::new();
        let (left, trigger) = (AtomicU64::new(steps), cancel.clone());
        let options = Options::default().cancel(&cancel).on_progress(move |_| {
            if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
                trigger.cancel();
            }
        });
        match artifact.extract(directory.path().join("p/q/out"), &options) {
            Err(failure) => {
                assert_eq!((failure.code(), failure.kind()), (Code::Cancelled, Kind::Cancelled), "step {steps}");
                assert!(names(directory.path()).is_empty(), "step {steps}");
            }
            Ok(_) => break,
        }
        steps += 1;
    }
    assert!(steps >= 5, "only {steps} steps");
    assert_eq!(names(&directory.path().join("p/q")), ["out"]);
}

#[test]
fn a_run_is_cancelled_from_another_thread_within_a_moment() {
    let directory = temp_dir();
    // 40 MiB that shrink 100 to 1: long enough to be caught in the middle.
    let piece: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let members = (0..40).map(|number| file(format!("f{number}"), &piece)).collect();
    let artifact = verified(&tar_gz(&with_skill(members)));
    let cancel = Cancel::new();
    let begun = Arc::new(std::sync::Barrier::new(2));
    let (first, at_begin) = (std::sync::Once::new(), begun.clone());
    let options = Options::default().cancel(&cancel).on_progress(move |_| first.call_once(|| _ = at_begin.wait()));
    let waited = std::thread::scope(|scope| {
        let canceller = scope.spawn(|| {
            begun.wait();
            cancel.cancel();
            Instant::now()
        });
        let failure = failure(artifact.extract(directory.path().join("out"), &options));
        assert_eq!(failure.kind(), Kind::Cancelled);
        canceller.join().unwrap().elapsed()
    });
    assert!(waited < Duration::from_secs(2), "{waited:?}");
    assert!(names(directory.path()).is_empty());
}

#[test]
fn progress_grows_and_ends_with_the_whole() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let options = Options::default().on_progress(move |progress| log.lock().unwrap().push(progress));
    let bytes = tar_gz(&with_skill(vec![file("a", vec![1; 500_000]), file("b", "x")]));
    assert_eq!(verified(&bytes).check(&options).verdict, Verdict::Accepted);
    let seen = seen.lock().unwrap();
    assert!(seen.len() > 5, "{} calls", seen.len());
    assert!(seen.windows(2).all(|two| two[0].entries <= two[1].entries && two[0].unpacked <= two[1].unpacked));
    let last = seen.last().unwrap();
    assert_eq!(last.entries, 3);
    assert!(last.unpacked >= 500_000, "{last:?}");
    assert!(seen.iter().any(|step| step.unpacked > 0 && step.unpacked < 400_000), "it is told on the way");
}

#[test]
fn a_callback_that_panics_leaves_nothing() {
    let directory = temp_dir();
    for at in 0..4 {
        let calls = AtomicU64::new(0);
        let options = Options::default().on_progress(move |_| {
            assert!(calls.fetch_add(1, Ordering::Relaxed) != at, "asked for by the test");
        });
        let artifact = verified(&demo());
        let run = || artifact.extract(directory.path().join("p/out"), &options);
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert!(names(directory.path()).is_empty());
    }
}
