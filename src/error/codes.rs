//! Turns the table into `Code`: an enum, its names and its texts.

use std::fmt;
use std::str::FromStr;

use super::Class;

/// What one code means: the row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The stable kebab-case name.
    pub code: &'static str,
    /// Who has to act.
    pub class: Class,
    /// What was found, in general terms.
    pub what: &'static str,
    /// Why it is refused or failed.
    pub why: &'static str,
    /// What the publisher or the user should do.
    pub help: &'static str,
}

macro_rules! codes {
    ($($variant:ident $code:literal $class:ident what $what:literal why $why:literal help $help:literal;)*) => {
        /// A stable name for one reason to refuse or fail.
        ///
        /// Codes are kebab-case on the outside ([`Code::as_str`]); they never change their meaning. `skillx explain CODE`
        /// prints the same texts as [`Code::explain`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(
                #[doc = concat!("`", $code, "`: ", $what, ".")]
                $variant,
            )*
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The row of the table for this code.
            #[must_use]
            pub const fn explain(self) -> Explanation {
                match self {
                    $(Self::$variant => Explanation {
                        code: $code,
                        class: $class,
                        what: $what,
                        why: $why,
                        help: $help,
                    },)*
                }
            }
        }
    };
}
pub(super) use codes;

use super::Code;

impl Code {
    /// The stable kebab-case name, as in `error.code` of the JSON report.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.explain().code
    }

    /// The class that decides the exit code of the program.
    #[must_use]
    pub const fn class(self) -> Class {
        self.explain().class
    }

    /// Whether it is only worth saying, unless the caller denies it.
    #[must_use]
    pub const fn is_finding(self) -> bool {
        matches!(self.class(), Class::Finding)
    }
}

/// How much a code weighs where there are levels, as in SARIF and in annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Good to know: mostly where a client will not get all of the skill.
    Note,
    /// Look at it before the skill is used.
    Warning,
    /// It refuses, or the run failed.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Code {
    /// How much it weighs. What an accepted archive can do to whoever uses it is a warning; what only is not ideal, a note.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::AgentConfig
            | Self::ToolAutoload
            | Self::ShadowingFile
            | Self::OsAutoload
            | Self::HiddenText
            | Self::LoadCommand
            | Self::FrontmatterHooks
            | Self::HomoglyphSibling
            | Self::NativeExecutable
            | Self::NestedSkillMd => Severity::Warning,
            _ if self.is_finding() => Severity::Note,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let known = Self::ALL.iter().find(|code| code.as_str() == text);
        known.copied().ok_or(UnknownCode)
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The text is not the name of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCode;

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such code; `skillx explain` lists them")
    }
}

impl std::error::Error for UnknownCode {}
