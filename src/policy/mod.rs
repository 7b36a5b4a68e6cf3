//! A raw member in, a safe member or a refusal out. Pure functions: no file system, no container.

mod mode;
mod path;

pub(crate) use self::mode::SafeMode;
pub(crate) use self::path::{SafePath, SafeTarget};
