//! The neighbouring protocols of a site: which of the four answers, and its list as one of entries.

use std::fmt;
use std::str::FromStr;

use super::Site;
use super::index::Listing;
use super::robots::{Polite, RobotsMemory};
use crate::artifact::Artifact;
use crate::discovery::{AgentSkills, Descriptor, Entry, SkillSharing, Version, WebSkills};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::fetch::{Download, Fetch, Fetched, Rules, Url};
use crate::report::Finding;

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

/// What came of each protocol that was tried.
struct Tried(Vec<(Protocol, Error)>);

impl Site<'_> {
    /// The list that a site publishes by one protocol, or by the first of the four that answers: agent-skills, 0.1.0,
    /// Web Skills, skill sharing. An address with a path of its own is that of one document: its kind is told by its name,
    /// unless a protocol is given; an index of skill sharing is known by what it holds. For skill sharing it may be an index
    /// (that of a registry, `…/skills?type=api`, too) or the descriptor of one service.
    ///
    /// `token` is sent as a bearer token to the origin of a skill-sharing index and to nobody else, and only where
    /// `protocol` asks for skill sharing: a host that is merely tried gets none.
    ///
    /// # Errors
    /// Those of [`index`](Self::index) and of the documents; `robots-denied`; `usage` for a token that no header can carry.
    /// If nothing answers, what the first said, with a word about each of the others.
    pub fn index_by(&self, address: &Url, protocol: Option<Protocol>, token: Option<&str>) -> Result<Listing> {
        let is_origin = address.path() == AgentSkills::WELL_KNOWN;
        let token = match (protocol, token) {
            (_, None) => Token::None,
            (Some(Protocol::SkillSharing), Some(token)) => Token::sent(token)?,
            (_, Some(_)) => Token::Kept,
        };
        match protocol.or_else(|| named(address)) {
            Some(Protocol::AgentSkills010) if is_origin => self.index(&address.join(AgentSkills::WELL_KNOWN_0_1_0)?),
            Some(Protocol::AgentSkills | Protocol::AgentSkills010) => self.index(address),
            Some(Protocol::WebSkills) => self.web_skills(address, is_origin),
            Some(Protocol::SkillSharing) => self.skill_sharing(address, is_origin, &token),
            None if is_origin => self.first_that_answers(address, &token).map_err(|error| token.explain(error)),
            None => self.index_of_either(address, &token).map_err(|error| token.explain(error)),
        }
    }

    /// The four in their order. What robots.txt forbids ends one of them, and not the search.
    fn first_that_answers(&self, address: &Url, token: &Token) -> Result<Listing> {
        let mut tried = Tried(Vec::new());
        match self.index_or_old(address) {
            Ok(listing) => return Ok(listing),
            Err((first, old)) => {
                tried.add(Protocol::AgentSkills, first)?;
                if let Some(old) = old {
                    tried.0.push((Protocol::AgentSkills010, old));
                }
            }
        }
        match self.web_skills(address, true) {
            Ok(listing) => return Ok(listing),
            Err(error) => tried.add(Protocol::WebSkills, error)?,
        }
        match self.skill_sharing(address, true, token) {
            Ok(listing) => return Ok(listing),
            Err(error) => tried.add(Protocol::SkillSharing, error)?,
        }
        Err(tried.error())
    }

    /// An address that does not tell what lies there. Skill sharing is known by members that an index of agent skills has
    /// not; anything less is left to `--protocol`.
    fn index_of_either(&self, address: &Url, token: &Token) -> Result<Listing> {
        let answer = self.index(address);
        let is_doubtful = match &answer {
            Ok(listing) => {
                listing.index.version() == Version::V0_1_0
                    && listing.index.entries().iter().all(|entry| entry.offer().is_err())
            }
            Err(error) => matches!(error.code(), Code::IndexInvalid | Code::IndexSchemaUnknown),
        };
        if !is_doubtful {
            return answer;
        }
        match self.skill_sharing(address, false, token) {
            Ok(shared) if shared.is_plainly_shared() => Ok(shared),
            Err(error) if error.code() == Code::Cancelled => Err(error),
            _ => answer.map_err(|error| {
                let help = format!(
                    "{}\n  a descriptor or a registry of skill sharing: --protocol skill-sharing; a list of Web Skills: --protocol web-skills",
                    error.help()
                );
                error.hint(help)
            }),
        }
    }

    fn web_skills(&self, address: &Url, is_origin: bool) -> Result<Listing> {
        let rules = self.rules.clone().typed(address);
        let robots = RobotsMemory::default();
        let polite = Polite::new(self.fetch, &robots);
        let places = if is_origin {
            WebSkills::LOCATIONS.iter().map(|place| address.join(place)).collect::<Result<Vec<_>>>()?
        } else {
            vec![address.clone()]
        };
        let mut absent = None;
        for place in places {
            let download = Download::new(&place)
                .accept("text/markdown, text/plain")
                .most(WebSkills::MOST_BYTES, Code::IndexInvalid);
            match self.receive(&polite, &download, &rules) {
                Ok((fetched, body)) => {
                    let site = WebSkills::parse(&body, fetched.url())?;
                    let findings = site.findings().to_vec();
                    let mut listing = listing(Protocol::WebSkills, &place, &fetched, body, findings, &rules);
                    let mut entries = Vec::new();
                    for (position, entry) in site.entries().iter().enumerate() {
                        let denied = match entry.target() {
                            Ok(target) => self.check_polite(&polite, fetched.url(), target.url(), &listing.rules)?,
                            Err(_) => None,
                        };
                        entries.push(Entry::of_web(position, &site, entry, denied));
                    }
                    listing.index = AgentSkills::of_entries(Version::V0_1_0, entries);
                    listing.robots = Some(robots);
                    return Ok(listing);
                }
                Err(error) if is_absent(&error) => absent = Some(absent.unwrap_or(error)),
                Err(error) => return Err(WebSkills::advise(error)),
            }
        }
        Err(absent.unwrap_or_else(|| Error::new(Code::NoArtifact)))
    }

    /// Why an entry's address may not be fetched: what the rules refuse is no matter of robots.txt, and nobody is asked. Nor is
    /// another origin, before something is to be fetched from there: one that is dead would hold up all others.
    fn check_polite(&self, polite: &Polite<'_>, list: &Url, url: &Url, rules: &Rules) -> Result<Option<Error>> {
        let is_near = url.origin() == list.origin();
        let ask = || if is_near { polite.check(url, rules, &self.cancel) } else { Ok(()) };
        match rules.check_url(url).and_then(|()| ask()) {
            Err(error) if error.code() == Code::Cancelled => Err(error),
            outcome => Ok(outcome.err()),
        }
    }

    fn skill_sharing(&self, address: &Url, is_origin: bool, token: &Token) -> Result<Listing> {
        let rules = self.rules.clone().typed(address);
        let place = if is_origin { SkillSharing::well_known(address, None)? } else { address.clone() };
        let mut download =
            Download::new(&place).accept("application/json").most(SkillSharing::MOST_BYTES, Code::IndexInvalid);
        if let Token::Sent(header) = token {
            download = download.authorization(header);
        }
        let received = self.receive(self.fetch, &download, &rules);
        let (fetched, body) = received.map_err(|error| token.explain_here(SkillSharing::advise(error)))?;
        let index = match SkillSharing::parse(&body) {
            // An address of its own may be that of the descriptor of one service.
            Err(error) if !is_origin => {
                let descriptor = Descriptor::at_its_own_address(&body);
                let Some(entry) = descriptor.as_ref().and_then(|it| Entry::of_descriptor(it, fetched.url())) else {
                    return Err(error);
                };
                let mut listing = listing(Protocol::SkillSharing, &place, &fetched, body, Vec::new(), &rules);
                listing.index = AgentSkills::of_entries(Version::V0_1_0, vec![entry]);
                listing.descriptor = descriptor;
                return Ok(listing);
            }
            index => index?,
        };
        let mut findings = index.findings().to_vec();
        findings
            .extend(index.refused().iter().map(|error| Finding::new(Code::IndexEntrySkipped, None, error.detail())));
        let visible = index.visible_to(fetched.authorized());
        let hidden = index.skills().len().saturating_sub(visible.skills().len());
        if hidden > 0 {
            let why = token.why_unsent();
            let text = format!(
                "{hidden} private skills are in an answer to a request without credentials; they are left out{why}"
            );
            findings.push(Finding::new(Code::IndexEntrySkipped, None, text));
        }
        let wanted = SkillSharing::asked_type(&place);
        let skills = visible.skills().iter().enumerate();
        let entries = skills.map(|(position, skill)| Entry::of_shared(position, skill, wanted)).collect();
        let mut listing = listing(Protocol::SkillSharing, &place, &fetched, body, findings, &rules);
        listing.index = AgentSkills::of_entries(Version::V0_1_0, entries);
        listing.told = Some(index.protocol().version.as_raw().to_owned());
        Ok(listing)
    }

    /// Fetches the descriptor of a shared skill. No token goes there.
    ///
    /// # Errors
    /// Those of [`Download::run`] and [`Descriptor::parse`].
    pub fn descriptor(&self, address: &Url, rules: &Rules) -> Result<Descriptor> {
        let download =
            Download::new(address).accept("application/json").most(SkillSharing::MOST_DESCRIPTOR, Code::IndexInvalid);
        Descriptor::parse(&self.receive(self.fetch, &download, rules)?.1)
    }

    fn receive(&self, fetch: &dyn Fetch, download: &Download, rules: &Rules) -> Result<(Fetched, Vec<u8>)> {
        let mut body = Vec::new();
        let fetched = download.run(fetch, rules, &self.cancel, &mut body)?;
        fetched.check_page()?;
        Ok((fetched, body))
    }
}

impl Tried {
    /// Goes on if there is nothing, or nothing that may be looked at. Many servers answer 403 for what they have not.
    fn add(&mut self, protocol: Protocol, error: Error) -> Result<()> {
        let is_refused = matches!(error.status(), Some(400..=499));
        if !is_absent(&error) && !is_refused && !is_about_robots(&error) {
            return Err(error);
        }
        self.0.push((protocol, error));
        Ok(())
    }

    /// What a rule forbade, else who alone wants credentials, else what the first said; and in short what the others did.
    fn error(self) -> Error {
        let denied = self.0.iter().position(|(_, error)| is_about_robots(error));
        let wants_credentials = |error: &Error| matches!(error.status(), Some(401 | 403));
        let locked = self.0.iter().position(|(_, error)| wants_credentials(error));
        let Some((_, main)) = self.0.get(denied.or(locked).unwrap_or(0)) else { return Error::new(Code::NoArtifact) };
        let all: Vec<_> = self.0.iter().map(|(protocol, error)| format!("{protocol}: {}", short(error))).collect();
        Error::with(main.code(), format!("{} ({})", main.detail(), all.join(", "))).hint(main.help())
    }
}

fn is_about_robots(error: &Error) -> bool {
    matches!(error.code(), Code::RobotsDenied | Code::RobotsUnreachable)
}

/// An answer in a word.
fn short(error: &Error) -> String {
    match error.status() {
        Some(status) => status.to_string(),
        None if error.code() == Code::HtmlPage => "a web page".to_owned(),
        None => error.code().to_string(),
    }
}

/// The bearer token of the user.
enum Token {
    None,
    /// There is one, and nobody asked for the protocol it is for.
    Kept,
    /// The whole value of the header.
    Sent(String),
}

impl Token {
    fn sent(token: &str) -> Result<Self> {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why = "the bearer token in SKILLX_TOKEN has characters that no header carries, or none at all";
            return Err(Error::with(Code::Usage, why)
                .hint("set SKILLX_TOKEN to the token alone: printable ASCII without white space"));
        }
        Ok(Self::Sent(format!("Bearer {token}")))
    }

    fn why_unsent(&self) -> &'static str {
        match self {
            Self::None => "",
            Self::Kept => "; SKILLX_TOKEN was not sent: only --protocol skill-sharing sends it",
            Self::Sent(_) => "; SKILLX_TOKEN is not sent across a redirect to another origin",
        }
    }

    /// Whoever is refused access and has a token is told that nobody got it.
    fn explain(&self, error: Error) -> Error {
        match (self, error.status()) {
            (Self::Kept, Some(401 | 403)) => {
                error.hint("SKILLX_TOKEN was not sent: if this host is to have it, say --protocol skill-sharing")
            }
            _ => error,
        }
    }

    /// The same of an answer at the place of skill sharing.
    fn explain_here(&self, error: Error) -> Error {
        match (self, error.status()) {
            (Self::None, Some(401)) => error.hint(
                "the index wants a bearer token: set SKILLX_TOKEN and say --protocol skill-sharing; ask whoever publishes there",
            ),
            _ => self.explain(error),
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
pub(super) fn is_absent(error: &Error) -> bool {
    error.code() == Code::HtmlPage || matches!(error.status(), Some(404 | 410))
}

fn listing(
    protocol: Protocol,
    requested: &Url,
    fetched: &Fetched,
    body: Vec<u8>,
    findings: Vec<Finding>,
    rules: &Rules,
) -> Listing {
    Listing {
        protocol: Some(protocol),
        told: None,
        requested: requested.clone(),
        url: fetched.url().clone(),
        redirects: fetched.redirects().to_vec(),
        bytes: body.len() as u64,
        sha256: Artifact::from_bytes(body).digest().to_string(),
        cached: "no",
        index: AgentSkills::of_entries(Version::V0_1_0, Vec::new()),
        findings,
        rules: rules.named_by(fetched.url()),
        robots: None,
        descriptor: None,
    }
}
