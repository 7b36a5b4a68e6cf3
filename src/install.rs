//! From a destination to a staging directory beside it, and from there by one rename to the destination.
//!
//! ```text
//! let destination = Destination::open(path, replace)?;      nothing is made yet; `dest-*` before any parsing
//! let mut staging = destination.stage()?;                   parents, PARENT/.skillx-<random>/tree, lock, sweep
//! … staging.sink() …                                        members
//! let published = staging.commit(&Commit { … })?;           names, sync, one rename
//! ```
//!
//! Each step consumes the one before it. A [`Staging`] that is dropped, for whatever reason, takes everything with it
//! that was made on its way.

mod commit;
mod destination;
mod guard;
#[cfg(feature = "discovery")]
mod home;
mod parents;
mod staging_dir;
mod sweep;
#[cfg(test)]
mod tests;
mod turn;

pub(crate) use self::commit::{Commit, Published};
pub(crate) use self::destination::Destination;
use self::destination::{Found, Target};
#[cfg(feature = "discovery")]
pub(crate) use self::home::Home;
use self::parents::Parents;
use self::staging_dir::StagingDirectory;
use crate::error::Result;
use crate::sink::{Behind, Sink, Tree};

/// A private tree beside the destination, being written.
#[derive(Debug)]
pub(crate) struct Staging {
    sink: Behind,
    place: StagingDirectory,
    parents: Parents,
    target: Target,
}

impl Destination {
    /// Makes missing parents and a staging directory, and clears away those that killed runs have left.
    pub(crate) fn stage(self) -> Result<Staging> {
        let (place, target) = self.into_parts();
        let parents = Parents::make(place)?;
        let (place, tree) = StagingDirectory::create(parents.last())?;
        let sink = Behind::new(Tree::new(tree, place.name()));
        let staging = Staging { sink, place, parents, target };
        sweep::sweep(staging.parents.last(), &staging.place);
        Ok(staging)
    }
}

impl Staging {
    /// Where the members go.
    pub(crate) fn sink(&mut self) -> &mut (impl Sink + use<>) {
        &mut self.sink
    }

    /// Allows a thread that writes, for trees that are large enough.
    pub(crate) fn allow_thread(&mut self) {
        self.sink.allow_thread();
    }

    /// Whether the destination's name has to be given at commit.
    pub(crate) fn needs_name(&self) -> bool {
        matches!(self.target, Target::Deferred)
    }

    /// Removes everything that was made, and says so if something could not be. Dropping does the same without a word.
    pub(crate) fn discard(mut self) -> Result<()> {
        self.clean()
    }

    /// May be called again: what is gone is not looked for twice.
    fn clean(&mut self) -> Result<()> {
        drop(self.sink.close());
        let removed = self.place.remove(self.parents.last());
        let parents = self.parents.remove();
        removed.and(parents)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Nobody is left to tell; the next run sweeps what stays.
        let _ = self.clean();
    }
}
