//! Receipts: what an install has put on the disk, and whether it is still that.
//!
//! ```text
//! let mut recorder = Recorder::over(sink);                 hashes what passes on its way to the disk
//! let pending = place.write(&receipt, fsync)?;             before the tree is published, under another name
//! pending.publish()?;                                      after it: one rename
//! Receipt::find(&parent, name)?                            DIR/.skillx/NAME.json, no-follow
//! receipt.verify_in(&skill)?                               added, changed, removed, retyped, mode, link
//! ```
//!
//! A receipt lies beside the skill, where whoever may change the skill may change it too: it detects drift, not an
//! attacker with rights on this machine. It may also have come with a repository, so everything in it is a stranger's.

mod clock;
mod drift;
mod format;
#[cfg(feature = "discovery")]
mod keep;
mod place;
mod read;
mod record;
mod store;

pub use self::drift::{Change, ChangeKind, Drift};
pub(crate) use self::format::Facts;
pub use self::format::{Receipt, ReceiptFile, ReceiptLink};
pub(crate) use self::place::{Pending, Place};
pub(crate) use self::record::Recorder;
pub(crate) use self::store::Store;
pub use self::store::skills_in;
