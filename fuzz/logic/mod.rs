//! What the fuzz targets do with their input: plain functions, so that a stable toolchain can replay a corpus.
#![allow(dead_code)]

pub(crate) mod agent_skills;
pub(crate) mod forge;
pub(crate) mod frontmatter;
pub(crate) mod gzip_tar;
pub(crate) mod oracle;
pub(crate) mod path;
pub(crate) mod pipeline;
pub(crate) mod skill_sharing;
#[cfg(unix)]
pub(crate) mod staging;
pub(crate) mod support;
pub(crate) mod tar_structure;
pub(crate) mod web_skills;
pub(crate) mod zip;
pub(crate) mod zip_structure;

type Target = (&'static str, fn(&[u8]));

/// Every target by name, for the replay.
pub(crate) const TARGETS: &[Target] = &[
    ("agent_skills", agent_skills::run),
    ("frontmatter", frontmatter::run),
    ("gzip_tar", gzip_tar::run),
    ("path", path::run),
    ("pipeline", pipeline::run),
    ("skill_sharing", skill_sharing::run),
    #[cfg(unix)]
    ("staging", staging::run),
    ("tar_structure", tar_structure::run),
    ("web_skills", web_skills::run),
    ("zip", zip::run),
    ("zip_structure", zip_structure::run),
];
