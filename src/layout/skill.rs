//! SKILL.md (Agent Skills specification): what refuses an archive, and what is only worth saying.

use super::frontmatter::{self, Scalar, WEB, Web};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::policy::is_device_name;
use crate::report::{Finding, RateLimitReport, WebReport};

/// Longest description that an index can carry, in characters.
pub(super) const MOST_DESCRIPTION: usize = 1024;
/// Longest name.
const MOST_NAME: usize = 64;

/// A valid SKILL.md: what it says of itself, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillMd {
    name: Untrusted,
    description: Untrusted,
    text: String,
    body: usize,
    unknown_keys: Vec<String>,
    has_bom: bool,
    web: WebKeys,
    has_allowed_tools: bool,
}

/// What Web Skills adds to the frontmatter: a stranger's texts. A value that is no text is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebKeys {
    /// Semantic Versioning; the protocol requires it.
    pub version: Option<Untrusted>,
    /// `none`, `api-key`, `bearer` or `oauth2`.
    pub auth: Option<Untrusted>,
    /// What the skill's requests begin with.
    pub base_url: Option<Untrusted>,
    /// Who wrote it.
    pub author: Option<Untrusted>,
    /// The version of the service.
    pub api_version: Option<Untrusted>,
    /// Whom to ask.
    pub contact: Option<Untrusted>,
    /// What an agent should keep to, such as `20/minute`.
    pub rate_limit_agent: Option<Untrusted>,
    /// What the service enforces.
    pub rate_limit_api: Option<Untrusted>,
}

impl SkillMd {
    /// Parses the bytes of a SKILL.md.
    ///
    /// # Errors
    /// `skill-md-invalid` unless it is UTF-8 and begins with frontmatter between lines `---` that is a YAML mapping with
    /// non-empty strings `name` and `description` without control characters (tab and newline aside).
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Error::with(Code::SkillMdInvalid, format!("SKILL.md is not UTF-8 (byte {at} of the file)"))
        })?;
        let (text, has_bom) = match text.strip_prefix('\u{feff}') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let parts = frontmatter::split(text)?;
        let found = frontmatter::parse(parts.block)?;
        Ok(Self {
            name: required("name", found.name)?,
            description: required("description", found.description)?,
            text: text.to_owned(),
            body: text.len().saturating_sub(parts.body.len()),
            unknown_keys: found.unknown_keys,
            has_bom,
            web: WebKeys::of(found.web),
            has_allowed_tools: found.has_allowed_tools,
        })
    }

    /// The skill's name. Its form is not guaranteed: see [`has_valid_name`](Self::has_valid_name).
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// The skill's description.
    #[must_use]
    pub fn description(&self) -> &Untrusted {
        &self.description
    }

    /// The whole text, frontmatter included, without a byte order mark: a stranger's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text behind the frontmatter: a stranger's text.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text.get(self.body..).unwrap_or_default()
    }

    /// Whether the name has the form that the specification wants. Only such a name is ever used as a path.
    #[must_use]
    pub fn has_valid_name(&self) -> bool {
        is_valid_name(self.name.as_raw())
    }

    /// What Web Skills adds to the frontmatter.
    #[must_use]
    pub fn web_keys(&self) -> &WebKeys {
        &self.web
    }

    /// What is worth saying about it as a skill of Web Skills, whose own keys are known and whose version is required.
    #[must_use]
    pub fn web_findings(&self) -> Vec<Finding> {
        let is_web = |key: &str| WEB.contains(&key) || key == "rate_limit";
        let mut findings = self.findings_but(is_web);
        if self.web.version.is_none() {
            findings.push(Finding::new(
                Code::SkillVersionMissing,
                Some("SKILL.md"),
                "the frontmatter has no `version`",
            ));
        }
        findings
    }

    /// Keys of the frontmatter that the specification does not know.
    pub(super) fn unknown_keys(&self) -> &[String] {
        &self.unknown_keys
    }

    /// Whether the frontmatter has the key `allowed-tools`.
    pub(super) fn has_allowed_tools(&self) -> bool {
        self.has_allowed_tools
    }

    /// What is worth saying about it.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.findings_but(|_| false)
    }

    /// The same where more keys are known.
    fn findings_but(&self, is_known: impl Fn(&str) -> bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut say = |code: Code, message: String| findings.push(Finding::new(code, Some("SKILL.md"), message));
        if !self.has_valid_name() {
            say(
                Code::SkillNameForm,
                format!("the name `{}` is not 1-64 of a-z, 0-9 and single inner hyphens", self.name),
            );
        }
        let length = self.description.as_raw().chars().count();
        if length > MOST_DESCRIPTION {
            say(
                Code::SkillDescriptionLong,
                format!("the description has {length} characters, the specification allows {MOST_DESCRIPTION}"),
            );
        }
        for key in self.unknown_keys.iter().filter(|key| !is_known(key)) {
            say(Code::SkillUnknownKey, format!("the frontmatter has the unknown key `{}`", escape(key.as_bytes())));
        }
        if self.has_bom {
            say(Code::SkillBom, "SKILL.md begins with a byte order mark".to_owned());
        }
        findings
    }
}

impl WebKeys {
    /// For reports.
    pub(crate) fn to_report(&self) -> WebReport {
        let raw = |text: &Option<Untrusted>| text.as_ref().map(|text| text.as_raw().to_owned());
        let mut report = WebReport::default();
        report.version = raw(&self.version);
        report.auth = raw(&self.auth);
        report.base_url = raw(&self.base_url);
        report.author = raw(&self.author);
        report.api_version = raw(&self.api_version);
        report.contact = raw(&self.contact);
        if self.rate_limit_agent.is_some() || self.rate_limit_api.is_some() {
            let mut limit = RateLimitReport::default();
            limit.agent = raw(&self.rate_limit_agent);
            limit.api = raw(&self.rate_limit_api);
            report.rate_limit = Some(limit);
        }
        report
    }

    fn of(found: Web) -> Self {
        let text = |scalar: Scalar| if let Scalar::Text(text) = scalar { Some(Untrusted::new(text)) } else { None };
        // In the order of `WEB`.
        let [version, auth, base_url, author, api_version, contact] = found.texts.map(text);
        let [rate_limit_agent, rate_limit_api] = [found.rate_limit.agent, found.rate_limit.api].map(text);
        Self { version, auth, base_url, author, api_version, contact, rate_limit_agent, rate_limit_api }
    }
}

/// 1 to 64 of `a-z`, `0-9` and `-`, no hyphen at an end or twice (RFC 0.2.0, "URI Structure"); and no device name.
pub(crate) fn is_valid_name(name: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty()
        && name.len() <= MOST_NAME
        && name.bytes().all(letters)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
        && !is_device_name(name)
}

fn required(key: &str, value: Scalar) -> Result<Untrusted> {
    let invalid =
        |why: &str| Err(Error::with(Code::SkillMdInvalid, format!("`{key}` in the frontmatter of SKILL.md {why}")));
    let text = match value {
        Scalar::Missing => return invalid("is missing"),
        Scalar::Other => return invalid("is not a string; put the value in quotes"),
        Scalar::Text(text) => text,
    };
    if text.trim().is_empty() {
        return invalid("is empty");
    }
    if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\t' | '\n')) {
        return invalid(&format!("contains the control character U+{:04X}", u32::from(control)));
    }
    Ok(Untrusted::new(text))
}
