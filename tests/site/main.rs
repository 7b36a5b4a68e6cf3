//! From a site to a verified skill: receipts, indexes, installs, updates, against real servers on loopback.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.
#![allow(clippy::type_complexity)] // Tables of what to do and what has to come of it.

mod indexes;
mod receipts;
mod scene;
#[path = "../support/mod.rs"]
mod support;
