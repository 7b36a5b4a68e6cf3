//! From a site to a verified skill: receipts, indexes, installs, updates, against real servers on loopback.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.
#![allow(clippy::type_complexity)] // Tables of what to do and what has to come of it.

mod indexes;
#[cfg(feature = "http")]
mod install;
mod locks;
#[cfg(feature = "http")]
mod neighbours;
mod protocols;
mod receipts;
mod scene;
#[cfg(feature = "http")]
#[path = "../support/server.rs"]
#[allow(dead_code, unused_imports, unused_qualifications, unreachable_pub)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::disallowed_methods)]
mod server;
#[path = "../support/mod.rs"]
mod support;
#[cfg(feature = "http")]
mod web;
