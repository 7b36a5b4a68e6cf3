//! What a site publishes: bytes and the address they came from in, entries out. Touches neither network nor file system.

mod agent_skills;
mod entry;
mod json;

pub use self::agent_skills::{AgentSkills, Version};
pub use self::entry::{Entry, Offer, Outcome, RemoteFile};
