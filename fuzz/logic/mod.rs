//! What the fuzz targets do with their input: plain functions, so that a stable toolchain can replay a corpus.
#![allow(dead_code)]

pub mod frontmatter;
pub mod gzip_tar;
pub mod path;
pub mod pipeline;
pub mod support;

/// Every target by name, for the replay.
pub const TARGETS: &[(&str, fn(&[u8]))] =
    &[("frontmatter", frontmatter::run), ("gzip_tar", gzip_tar::run), ("path", path::run), ("pipeline", pipeline::run)];
