//! robots.txt of the origins that a list of skills leads to: asked for once each, and obeyed at every hop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cancel::Cancel;
use crate::discovery::Robots;
use crate::error::{Code, Error, Result};
use crate::fetch::{Answer, Download, Fetch, Hop, Rules, Url};

/// Origins whose robots.txt is asked for, for one list of skills.
const MOST_ORIGINS: usize = 8;

/// What the origins have said so far. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct RobotsMemory(Arc<Mutex<HashMap<Url, Said>>>);

#[derive(Debug, Clone)]
struct Said {
    robots: Robots,
    /// Why nobody knows what it says.
    fault: Option<String>,
}

/// An HTTP stack that asks robots.txt of its origin before it asks for anything, where a redirect led there too.
pub(super) struct Polite<'f> {
    fetch: &'f dyn Fetch,
    memory: RobotsMemory,
}

impl<'f> Polite<'f> {
    pub(super) fn new(fetch: &'f dyn Fetch, memory: &RobotsMemory) -> Self {
        Self { fetch, memory: memory.clone() }
    }

    /// Whether the robots.txt of its origin lets an address be fetched.
    pub(super) fn check(&self, url: &Url, rules: &Rules, cancel: &Cancel) -> Result<()> {
        let origin = url.origin();
        // Held while it is fetched: nobody asks twice.
        let mut known = self.memory.0.lock().unwrap_or_else(PoisonError::into_inner);
        let said = match known.get(&origin) {
            Some(said) => said.clone(),
            None if known.len() >= MOST_ORIGINS => {
                return Err(Error::with(
                    Code::RobotsDenied,
                    format!("`{url}` lies on one origin too many: at most {MOST_ORIGINS} are asked for robots.txt"),
                )
                .hint("name fewer skills at a time"));
            }
            None => {
                let said = self.ask(&origin, rules, cancel)?;
                known.insert(origin.clone(), said.clone());
                said
            }
        };
        if said.robots.allows(url) {
            return Ok(());
        }
        Err(match said.fault {
            None if url.as_str().len() > Robots::MOST_ADDRESS => Error::with(
                Code::RobotsDenied,
                format!("`{url}` has more than {} bytes, too many to be held against robots.txt", Robots::MOST_ADDRESS),
            ),
            None => Error::with(Code::RobotsDenied, format!("robots.txt of `{origin}` does not allow `{url}`")),
            Some(fault) => Error::with(
                Code::RobotsUnreachable,
                format!("robots.txt of `{origin}` cannot be had, so that `{url}` may not be fetched: {fault}"),
            ),
        })
    }

    fn ask(&self, origin: &Url, rules: &Rules, cancel: &Cancel) -> Result<Said> {
        // With one byte more than is read it is known to have been cut.
        let most = Robots::MOST_BYTES.saturating_add(1);
        let download = Download::new(&origin.join(Robots::LOCATION)?).accept("text/plain").cut_at(most);
        let unknown = |fault: String| Ok(Said { robots: Robots::unreachable(), fault: Some(fault) });
        let mut body = Vec::new();
        match download.run(self.fetch, rules, cancel, &mut body) {
            Ok(fetched) if fetched.content_encoding().is_some() => unknown("it came encoded".to_owned()),
            Ok(_) => Ok(Said { robots: Robots::parse(&body), fault: None }),
            Err(error) if error.code() == Code::Cancelled => Err(error),
            Err(error) if matches!(error.status(), Some(204 | 400..=499)) => {
                Ok(Said { robots: Robots::absent(), fault: None })
            }
            Err(error) => unknown(error.detail().to_owned()),
        }
    }
}

impl Fetch for Polite<'_> {
    fn hop(&self, hop: &Hop<'_>) -> Result<Answer> {
        self.check(hop.url(), hop.rules(), hop.cancel())?;
        self.fetch.hop(hop)
    }
}
