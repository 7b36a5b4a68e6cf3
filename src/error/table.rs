//! The one table of codes: class, what happened, why it is refused, what to do. Its chapters lie in `table/`.
//!
//! Errors, `skillx explain` and the documentation are all generated from it.

mod clients;
mod containers;
mod findings;
mod machine;
mod names;
mod skill;

use self::clients::clients;
use self::containers::containers;
use self::findings::findings;
use self::machine::machine;
use self::names::names;
use self::skill::skill;
use super::Class::{Failed, Finding, Refused, Usage};
use super::codes::{Explanation, codes};

macro_rules! all {
    ({ $($rows:tt)* }) => {
        codes! { $($rows)* }
    };
}

// Each chapter puts its rows behind those that it is given and hands all of them to the next one: this is the order of
// `Code::ALL`.
names! { {} containers skill clients machine findings all }
