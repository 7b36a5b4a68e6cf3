//! What a site publishes: bytes and the address they came from in, entries out. Touches neither network nor file system.

mod agent_skills;
mod entry;
mod json;
mod neighbours;
mod skill_sharing;
mod web_skills;

pub use self::agent_skills::{AgentSkills, Version};
pub use self::entry::{Entry, Offer, Outcome, RemoteFile};
pub use self::skill_sharing::{Access, CapabilityType, Descriptor, Protocol, Provider, SharedSkill, SkillSharing};
pub use self::web_skills::{Robots, WebSection, WebSkill, WebSkills, WebTarget};
