//! tree -> pack -> check -> verify-extract -> the same tree; pack again -> the same bytes.

use proptest::prelude::*;
use proptest::test_runner::Config;
use skillx_archive::{Artifact, Verdict};

use super::*;

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(32);
    Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_tree_comes_back_and_packs_to_the_same_bytes_again(
        members in trees::members(false),
        order in any::<prop::sample::Index>(),
    ) {
        let place = temp_dir();
        let source = place.path().join("demo");
        write_tree(&members.iter().collect::<Vec<_>>(), &source);
        let tree = tree::walk(&source);
        // The same tree, made in another order.
        let mut turned: Vec<_> = members.iter().rev().collect();
        let at = order.index(turned.len());
        turned.rotate_left(at);
        let again = place.path().join("again/demo");
        write_tree(&turned, &again);
        for format in FORMATS {
            let first = packed(&source, format);
            prop_assert_eq!(first.report().verdict, Verdict::Accepted);
            let digest = first.digest().to_string().parse().unwrap();
            let artifact = Artifact::from_bytes(first.bytes()).verify(&digest).unwrap();
            prop_assert_eq!(artifact.check(&Options::default()).verdict, Verdict::Accepted);
            let out = place.path().join(format!("out-{format}/demo"));
            artifact.extract(&out, &Options::default()).unwrap();
            prop_assert_eq!(tree::differences(&tree, &tree::walk(&out)), Vec::<String>::new());
            prop_assert!(packed(&again, format).bytes() == first.bytes(), "the order of creation shows");
            prop_assert!(packed(&out, format).bytes() == first.bytes(), "what was extracted packs to other bytes");
        }
    }
}
