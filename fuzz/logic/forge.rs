//! The writers of right and wrong archives that the tests have, for the targets that begin with a valid archive.
#![allow(unreachable_pub, unused_qualifications)]

use super::support::SKILL_MD;

#[path = "../../tests/support/gzip.rs"]
pub(crate) mod gzip;
#[path = "../../tests/support/tar.rs"]
pub(crate) mod tar;
#[path = "../../tests/support/zip.rs"]
pub(crate) mod zip;
