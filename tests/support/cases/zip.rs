//! Z rows: what is particular to zip framing. Each rule from both sides: what it refuses, and the nearest thing it takes.

use super::Case;

mod data;
mod descriptors;
mod end;
mod extras;
mod headers;
mod layout;
mod zip64;

pub fn cases() -> Vec<Case> {
    [
        layout::cases(),
        end::cases(),
        zip64::cases(),
        headers::cases(),
        extras::cases(),
        descriptors::cases(),
        data::cases(),
    ]
    .concat()
}
