//! An agent in its smallest form: it installs a skill, lists what is there, loads one on demand and reads a file of it.
//!
//! `cargo run --example agent`. The model is a stand-in with a script; everything else is what a client would do. The
//! library blocks, so it runs on tokio's threads for that; a future that is dropped cancels the run behind it.

use std::io::Write as _;
use std::path::Path;

use skillx_archive::{Artifact, Cancel, Catalog, Digest, Options, Presentation, Progress, Skill};
use tokio::sync::watch;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// What a model may ask for.
enum Call {
    Answer(String),
    LoadSkill { name: String },
    ReadResource { name: String, path: String },
}

/// A stand-in for a model: it reads the catalogue, loads the first skill, looks at one file of it, and answers.
#[derive(Default)]
struct Model {
    turn: usize,
}

impl Model {
    fn next(&mut self, messages: &[String]) -> Call {
        self.turn += 1;
        let listed =
            |block: &str| block.lines().find_map(|line| line.strip_prefix("- `")?.split('`').next().map(str::to_owned));
        let name = messages.first().and_then(|prompt| listed(prompt)).unwrap_or_default();
        match self.turn {
            1 => Call::LoadSkill { name },
            2 => Call::ReadResource { name, path: "references/words.md".to_owned() },
            _ => Call::Answer(format!("done, after {} messages", messages.len())),
        }
    }
}

/// Cancels when it is dropped: with the future that holds it.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Verifies and extracts an archive without holding up the runtime. Dropping the future cancels the extraction, which then
/// leaves nothing behind.
async fn install(
    archive: &Path,
    digest: Digest,
    into: &Path,
    progress: watch::Sender<Option<Progress>>,
) -> Result<Skill, Error> {
    let cancel = Cancel::new();
    let guard = CancelOnDrop(cancel.clone());
    let (archive, into) = (archive.to_owned(), into.to_owned());
    let work = tokio::task::spawn_blocking(move || -> Result<Skill, skillx_archive::Error> {
        let options = Options::default().cancel(&cancel).on_progress(move |seen| {
            let _ = progress.send(Some(seen));
        });
        Ok(Artifact::open(&archive)?.verify(&digest)?.extract_by_name(&into, &options)?)
    });
    let skill = work.await??;
    drop(guard);
    Ok(skill)
}

/// One line on a terminal that is written over as long as the run goes on.
async fn show(mut progress: watch::Receiver<Option<Progress>>) {
    while progress.changed().await.is_ok() {
        if let Some(seen) = *progress.borrow_and_update() {
            eprint!("\r{} entries, {} bytes", seen.entries, seen.unpacked);
        }
        let _ = std::io::stderr().flush();
    }
    eprintln!();
}

/// The loop: the catalogue is in the prompt, bodies and files come when they are asked for.
async fn run(skills: &Path, model: &mut Model) -> Result<String, Error> {
    let path = skills.to_owned();
    let catalog = tokio::task::spawn_blocking(move || Catalog::open(path)).await??;
    let catalog = std::sync::Arc::new(catalog);
    let mut messages = vec![catalog.prompt(Presentation::OnDemand).text];
    loop {
        let call = model.next(&messages);
        let catalog = catalog.clone();
        let answer = match call {
            Call::Answer(text) => return Ok(text),
            Call::LoadSkill { name } => {
                tokio::task::spawn_blocking(move || Ok(catalog.load(&name)?.body().to_owned())).await?
            }
            Call::ReadResource { name, path } => {
                tokio::task::spawn_blocking(move || {
                    catalog.resource(&name, &path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                })
                .await?
            }
        };
        // A tool that fails says so to the model; its error is one line, with everything escaped.
        messages.push(answer.unwrap_or_else(|error: skillx_archive::Error| format!("error: {error}")));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let place = tempfile::tempdir()?;
    println!("{}", agent(place.path()).await?);
    Ok(())
}

async fn agent(skills: &Path) -> Result<String, Error> {
    let archive = Path::new("fixtures/demo/demo.tar.gz");
    let sums = tokio::fs::read_to_string("fixtures/demo/demo.tar.gz.sha256").await?;
    let digest = Digest::from_hex(sums.split_whitespace().next().unwrap_or_default())?;
    let (sender, receiver) = watch::channel(None);
    let shown = tokio::spawn(show(receiver));
    let skill = install(archive, digest, skills, sender).await?;
    shown.await?;
    println!("installed {}: {}", skill.name(), skill.description());
    run(skills, &mut Model::default()).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // tests look at the file system from outside

    use super::*;

    #[tokio::test]
    async fn the_loop_closes() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(agent(place.path()).await.unwrap(), "done, after 3 messages");
    }

    #[tokio::test]
    async fn a_future_that_is_dropped_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let digest = Digest::from_bytes([0; 32]);
        let (sender, _receiver) = watch::channel(None);
        let into = place.path().join("skills");
        let future = install(Path::new("fixtures/demo/demo.tar.gz"), digest, &into, sender);
        drop(tokio::time::timeout(std::time::Duration::ZERO, future).await);
        assert!(!into.join("demo").exists());
    }
}
