//! Permissions: a file is executable or not; owners, times and special bits are never taken over.

/// The mode a file is created with: 0644, or 0755 if the archive gives it any execute bit. Directories get 0755.
///
/// Given at open, so that the caller's umask applies by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SafeMode {
    executable: bool,
}

impl SafeMode {
    #[cfg(test)]
    pub(crate) const fn for_test(executable: bool) -> Self {
        Self { executable }
    }

    pub(super) const fn new(executable: bool) -> Self {
        Self { executable }
    }

    pub(crate) const fn executable(self) -> bool {
        self.executable
    }

    /// The permission bits.
    pub(crate) const fn bits(self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}
