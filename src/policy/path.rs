//! stub
/// A relative path of clean components, separated by `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafePath(String);
impl SafePath {
    #[cfg(test)]
    pub(crate) fn for_test(text: &str) -> Self {
        Self(text.to_owned())
    }
    /// The components, from the root down: at least one, none of them `.`, `..` or empty.
    pub(crate) fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
    /// The path of the directory it lies in (`None`: the root) and its last component.
    pub(crate) fn split(&self) -> (Option<&str>, &str) {
        match self.0.rsplit_once('/') {
            Some((d, n)) => (Some(d), n),
            None => (None, &self.0),
        }
    }
}
/// A relative link target that has been resolved inside the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafeTarget(String);
impl SafeTarget {
    #[cfg(test)]
    pub(crate) fn for_test(text: &str) -> Self {
        Self(text.to_owned())
    }
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
