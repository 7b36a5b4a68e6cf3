//! A tar stream as the crate `tar-codec` reads it: asynchronous, with everything allowed that it can allow.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tar_codec::decode::{DecodePolicy, PaxDecodePolicy, PaxVendorExtensionPolicy};
use tar_codec::{Archive as _, Member, MemberPayload, TarArchive};

use super::Reading;
use super::tree::{Node, Tree, normal};

/// The whole tree, or what was read until the crate gave up. It refuses much (line 17), all of it before it is handed out.
pub(super) fn read(stream: &[u8]) -> Reading {
    let mut tree = Tree::default();
    match block_on(walk(stream, &mut tree)) {
        Some(()) => Reading::Complete(tree),
        None => Reading::Partial(tree),
    }
}

async fn walk(stream: &[u8], tree: &mut Tree) -> Option<()> {
    let pax = PaxDecodePolicy::default()
        .allow_non_utf8_pax_vendor_values(true)
        .allow_global_pax_extensions(true)
        .allow_duplicate_pax_records(true)
        .vendor_extension_policy(PaxVendorExtensionPolicy::AllowUnknown);
    let policy = DecodePolicy::default()
        .allow_gnu(true)
        .allow_all_nul_numeric_fields(true)
        .allow_header_uname_and_gname_without_terminator(true)
        .pax_policy(pax);
    let mut members = TarArchive::new(stream).with_policy(policy).members();
    while let Some(member) = members.next().await.ok()? {
        let (path, node) = match member {
            Member::File { metadata, executable, payload, .. } => {
                (metadata.path, Node::File { bytes: bytes(payload).await?, exec: Some(executable) })
            }
            Member::Directory { metadata } => (metadata.path, Node::Directory),
            Member::SymbolicLink { metadata, target } => (metadata.path, Node::Link(target)),
            // Line 4: a hard link is a second name, a copy here.
            Member::HardLink { metadata, target, .. } => {
                let source = normal(target.as_bytes()).expect("a hard link names a file");
                let found = tree.get(&source).unwrap_or_else(|| panic!("a link to {source:?}, which is not there"));
                (metadata.path, found.clone())
            }
            Member::Special { metadata, kind } => panic!("{:?} is {kind:?}", metadata.path),
        };
        match normal(path.as_bytes()) {
            Some(path) => tree.add(&path, node),
            None => assert_eq!(node, Node::Directory, "the root is a directory"),
        }
    }
    Some(())
}

async fn bytes<P: MemberPayload>(mut payload: P) -> Option<Vec<u8>> {
    let (mut bytes, mut chunk) = (Vec::new(), Vec::new());
    while payload.next_chunk(&mut chunk, 64 * 1024).await.ok()? {
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// A slice is always ready, so nothing ever waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a slice is always ready"),
    }
}
