//! The neighbouring protocols of a site: which of the four answers, and its list as one of entries.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::Site;
use super::index::Listing;
use crate::artifact::Artifact;
use crate::discovery::{AgentSkills, Descriptor, Entry, Robots, SkillSharing, Version, WebSkills};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::fetch::{Download, Fetched, Rules, Url};
use crate::report::Finding;

/// Origins whose robots.txt is asked for, for one list of skills.
const MOST_ORIGINS: usize = 8;

/// A way in which a site says what it publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// Agent Skills Discovery 0.2.0.
    AgentSkills,
    /// Its version 0.1.0, where that was.
    AgentSkills010,
    /// Skill sharing 1.0.0: remote services.
    SkillSharing,
    /// Web Skills 0.1: `skills.txt`, else `agents.txt`.
    WebSkills,
}

impl Protocol {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 4] = [Self::AgentSkills, Self::AgentSkills010, Self::WebSkills, Self::SkillSharing];

    /// `agent-skills`, `0.1.0`, `web-skills` or `skill-sharing`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentSkills => "agent-skills",
            Self::AgentSkills010 => "0.1.0",
            Self::SkillSharing => "skill-sharing",
            Self::WebSkills => "web-skills",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|protocol| protocol.as_str() == text);
        known.ok_or_else(|| Error::usage(format_args!("`{}` is no known protocol", escape(text.as_bytes()))))
    }
}

impl Site<'_> {
    /// The list that a site publishes by one protocol, or by the first of the four that answers: agent-skills, 0.1.0,
    /// Web Skills, skill sharing. An address with a path of its own is that of one document: its kind is told by its name,
    /// unless a protocol is given. For skill sharing it may be an index (that of a registry, `…/skills?type=api`, too) or
    /// the descriptor of one service.
    ///
    /// `token` is sent as a bearer token to the origin of a skill-sharing index and to nobody else.
    ///
    /// # Errors
    /// Those of [`index`](Self::index) and of the documents; `robots-denied`. If nothing answers, what the first said.
    pub fn index_by(&self, address: &Url, protocol: Option<Protocol>, token: Option<&str>) -> Result<Listing> {
        let is_origin = address.path() == AgentSkills::WELL_KNOWN;
        match protocol.or_else(|| named(address)) {
            Some(Protocol::AgentSkills010) if is_origin => self.index(&address.join(AgentSkills::WELL_KNOWN_0_1_0)?),
            Some(Protocol::AgentSkills | Protocol::AgentSkills010) => self.index(address),
            Some(Protocol::WebSkills) => self.web_skills(address, is_origin),
            Some(Protocol::SkillSharing) => self.skill_sharing(address, is_origin, token),
            None => {
                let first = match self.index(address) {
                    Err(error) if is_origin && is_absent(&error) => error,
                    answer => return answer,
                };
                match self.web_skills(address, true) {
                    Err(error) if is_absent(&error) => {}
                    answer => return answer,
                }
                match self.skill_sharing(address, true, token) {
                    Err(error) if is_absent(&error) => Err(first),
                    answer => answer,
                }
            }
        }
    }

    fn web_skills(&self, address: &Url, is_origin: bool) -> Result<Listing> {
        let rules = self.rules.clone().typed(address);
        let mut robots = HashMap::new();
        let places = if is_origin {
            WebSkills::LOCATIONS.iter().map(|place| address.join(place)).collect::<Result<Vec<_>>>()?
        } else {
            vec![address.clone()]
        };
        let mut absent = None;
        for place in places {
            self.check_robots(&place, &rules, &mut robots)?;
            let download = Download::new(&place)
                .accept("text/markdown, text/plain")
                .most(WebSkills::MOST_BYTES, Code::IndexInvalid);
            match self.receive(&download, &rules) {
                Ok((fetched, body)) => {
                    let site = WebSkills::parse(&body, fetched.url())?;
                    let mut entries = Vec::new();
                    for (position, entry) in site.entries().iter().enumerate() {
                        let denied = entry
                            .target()
                            .ok()
                            .and_then(|target| self.check_robots(target.url(), &rules, &mut robots).err());
                        entries.push(Entry::of_web(position, entry, denied));
                    }
                    let findings = site.findings().to_vec();
                    return Ok(listing(Protocol::WebSkills, &place, &fetched, body, entries, findings, rules));
                }
                Err(error) if is_absent(&error) => absent = Some(absent.unwrap_or(error)),
                Err(error) => return Err(error),
            }
        }
        Err(absent.unwrap_or_else(|| Error::new(Code::NoArtifact)))
    }

    fn skill_sharing(&self, address: &Url, is_origin: bool, token: Option<&str>) -> Result<Listing> {
        let rules = self.rules.clone().typed(address);
        let place = if is_origin { SkillSharing::well_known(address, None)? } else { address.clone() };
        let mut download =
            Download::new(&place).accept("application/json").most(SkillSharing::MOST_BYTES, Code::IndexInvalid);
        if let Some(token) = token {
            download = download.authorization(&format!("Bearer {token}"));
        }
        let (fetched, body) = self.receive(&download, &rules)?;
        let index = match SkillSharing::parse(&body) {
            // An address of its own may be that of the descriptor of one service.
            Err(error) if !is_origin => {
                let Some(entry) = Entry::of_descriptor(&body, fetched.url()) else { return Err(error) };
                return Ok(listing(Protocol::SkillSharing, &place, &fetched, body, vec![entry], Vec::new(), rules));
            }
            index => index?,
        };
        let mut findings = index.findings().to_vec();
        findings
            .extend(index.refused().iter().map(|error| Finding::new(Code::IndexEntrySkipped, None, error.detail())));
        let visible = index.visible_to(token.is_some());
        let hidden = index.skills().len().saturating_sub(visible.skills().len());
        if hidden > 0 {
            let text =
                format!("{hidden} private skills are in an answer to a request without credentials; they are left out");
            findings.push(Finding::new(Code::IndexEntrySkipped, None, text));
        }
        let entries =
            visible.skills().iter().enumerate().map(|(position, skill)| Entry::of_shared(position, skill)).collect();
        Ok(listing(Protocol::SkillSharing, &place, &fetched, body, entries, findings, rules))
    }

    /// Fetches the descriptor of a shared skill. No token goes there.
    ///
    /// # Errors
    /// Those of [`Download::run`] and [`Descriptor::parse`].
    pub fn descriptor(&self, address: &Url, rules: &Rules) -> Result<Descriptor> {
        let download =
            Download::new(address).accept("application/json").most(SkillSharing::MOST_DESCRIPTOR, Code::IndexInvalid);
        Descriptor::parse(&self.receive(&download, rules)?.1)
    }

    fn receive(&self, download: &Download, rules: &Rules) -> Result<(Fetched, Vec<u8>)> {
        let mut body = Vec::new();
        let fetched = download.run(self.fetch, rules, &self.cancel, &mut body)?;
        fetched.check_page()?;
        Ok((fetched, body))
    }

    /// Whether the robots.txt of its origin lets an address be fetched.
    fn check_robots(&self, url: &Url, rules: &Rules, known: &mut HashMap<Url, Robots>) -> Result<()> {
        let origin = url.origin();
        if !known.contains_key(&origin) {
            if known.len() >= MOST_ORIGINS {
                return Err(Error::with(
                    Code::RobotsDenied,
                    format!("`{url}` lies on one origin too many: at most {MOST_ORIGINS} are asked for robots.txt"),
                ));
            }
            let robots = self.robots(&origin, rules)?;
            known.insert(origin.clone(), robots);
        }
        if known.get(&origin).is_some_and(|robots| robots.allows(url)) {
            return Ok(());
        }
        Err(Error::with(Code::RobotsDenied, format!("robots.txt of `{origin}` does not let `{url}` be fetched")))
    }

    fn robots(&self, origin: &Url, rules: &Rules) -> Result<Robots> {
        let address = origin.join(Robots::LOCATION)?;
        // A file that is longer is cut: a rule too few in half a megabyte is nobody's intention.
        let download = Download::new(&address).accept("text/plain").most(Robots::MOST_BYTES, Code::LimitMetadata);
        let mut body = Vec::new();
        match download.run(self.fetch, rules, &self.cancel, &mut body) {
            Ok(_) => Ok(Robots::parse(&body)),
            Err(error) if error.code() == Code::Cancelled => Err(error),
            Err(error) if is_absent(&error) => Ok(Robots::absent()),
            Err(_) => Ok(Robots::unreachable()),
        }
    }
}

/// The protocol that the name of a document tells.
fn named(address: &Url) -> Option<Protocol> {
    let path = address.path();
    if WebSkills::LOCATIONS.iter().any(|place| path.ends_with(place)) {
        Some(Protocol::WebSkills)
    } else if path.ends_with(SkillSharing::WELL_KNOWN) {
        Some(Protocol::SkillSharing)
    } else {
        None
    }
}

/// Nothing is published there: a status of 404 or 410, or the page of an application that answers everything.
fn is_absent(error: &Error) -> bool {
    let status = |number: &str| error.detail().contains(&format!("answered {number}"));
    error.code() == Code::HtmlPage || error.code() == Code::HttpStatus && (status("404") || status("410"))
}

fn listing(
    protocol: Protocol,
    requested: &Url,
    fetched: &Fetched,
    body: Vec<u8>,
    entries: Vec<Entry>,
    findings: Vec<Finding>,
    rules: Rules,
) -> Listing {
    Listing {
        protocol: Some(protocol),
        requested: requested.clone(),
        url: fetched.url().clone(),
        redirects: fetched.redirects().to_vec(),
        bytes: body.len() as u64,
        sha256: Artifact::from_bytes(body).digest().to_string(),
        cached: "no",
        index: AgentSkills::of_entries(Version::V0_1_0, entries),
        findings,
        rules,
    }
}
