//! How can versions be kept? A table of named ways, each of which makes an archive that any version is read from.

use std::path::Path;

use anyhow::Result;

use super::chains::{Chains, Patches, Rule};
use super::codec::Coding;
use super::collection::{Collection, Place};
use super::packs::Packs;
use super::peers::{Git, Rcs};
use super::xydeltas::{Form, Whole, XyDeltas};

/// Makes archives.
pub trait Keeper: Sync {
    /// Keeps all versions; what is written to files goes to the folder, which is empty.
    fn keep<'c>(&self, collection: &'c Collection<'_>, folder: &Path) -> Result<Box<dyn Archive + 'c>>;
}

/// All versions of a collection, kept.
pub trait Archive {
    fn bytes(&self) -> u64;

    fn read(&self, place: Place) -> Result<Vec<u8>>;

    /// Whether other bytes than those that were kept mean the same.
    fn is_same(&self, _: Place, _: &[u8]) -> bool {
        false
    }
}

/// A way to keep versions.
pub struct Strategy {
    pub name: &'static str,
    /// What it is drawn as, together with others of its kind.
    pub kind: &'static str,
    pub keeper: &'static dyn Keeper,
    /// Whether families are told apart.
    pub by_family: bool,
    /// Whether large documents are kept in this way, too.
    pub of_large: bool,
}

impl Strategy {
    const fn new(kind: &'static str, name: &'static str, keeper: &'static dyn Keeper) -> Self {
        Strategy { name, kind, keeper, by_family: false, of_large: false }
    }

    const fn by_family(self) -> Self {
        Strategy { by_family: true, of_large: true, ..self }
    }

    const fn of_large(self) -> Self {
        Strategy { of_large: true, ..self }
    }
}

const MIB: usize = 1 << 20;
const SLOW: Coding = Coding::level(19);
const QUICK: Coding = Coding::level(6);

const fn backward(coding: Coding, rule: Rule) -> Chains {
    Chains { coding, patches: Patches::Backward(rule) }
}

const fn packs(most_bytes: usize) -> Packs {
    Packs { coding: SLOW, most_bytes }
}

/// What the store does as versions come in.
pub const LIVE: &str = "backward, level 6";
/// The same with a bound, which large documents come to first.
pub const REACH: &str = "backward, level 6, reach 256 KiB";
pub const WIDE_REACH: &str = "backward, level 6, reach 1 MiB";
pub const LONG: &str = "backward, level 6, long matches";
/// What it makes of them later.
pub const PACKED: &str = "packs of 2 MiB";
pub const FULL: &str = "full copies";
pub const FORWARD: &str = "forward";
pub const BACKWARD: &str = "backward";
pub const SOLID: &str = "solid, long matches";
pub const RCS: &str = "RCS";
pub const RCS_COMPRESSED: &str = "RCS, files compressed";
pub const GIT_PACKED: &str = "git repack, 250 deep";
pub const XYDELTA_TEXT: &str = "XyDelta forward, text";
pub const XYDELTA_FORWARD: &str = "XyDelta forward";
pub const XYDELTA_BACKWARD: &str = "XyDelta backward";

pub const STRATEGIES: &[Strategy] = &[
    Strategy::new("full copies", FULL, &Chains { coding: SLOW, patches: Patches::None }).by_family(),
    Strategy::new("full copies", "full copies, level 6", &Chains { coding: QUICK, patches: Patches::None }),
    Strategy::new("forward chain", FORWARD, &Chains { coding: SLOW, patches: Patches::Forward }),
    Strategy::new("backward chain", BACKWARD, &backward(SLOW, Rule::Never)).by_family(),
    Strategy::new("backward chain", "backward, full every 4", &backward(SLOW, Rule::Every(4))),
    Strategy::new("backward chain", "backward, full every 8", &backward(SLOW, Rule::Every(8))),
    Strategy::new("backward chain", "backward, full every 16", &backward(SLOW, Rule::Every(16))),
    Strategy::new("mixed chain", "backward, full where the patch is over half", &backward(SLOW, Rule::OverHalf)),
    Strategy::new("backward chain, level 6", LIVE, &backward(QUICK, Rule::Never)).by_family(),
    Strategy::new("backward chain, level 6", REACH, &backward(QUICK, Rule::Reach(MIB / 4))),
    Strategy::new("backward chain, level 6", WIDE_REACH, &backward(QUICK, Rule::Reach(MIB))),
    Strategy::new("backward chain, level 6", "backward, level 6, reach 4 MiB", &backward(QUICK, Rule::Reach(4 * MIB))),
    Strategy::new("backward chain, level 6", LONG, &backward(Coding::long(6), Rule::Never)).of_large(),
    Strategy::new("packs", "packs of 1 MiB", &packs(MIB)),
    Strategy::new("packs", PACKED, &packs(2 * MIB)).by_family(),
    Strategy::new("packs", "packs of 4 MiB", &packs(4 * MIB)),
    Strategy::new("packs", "packs of 8 MiB", &packs(8 * MIB)).of_large(),
    Strategy::new("solid", SOLID, &Packs { coding: Coding::long(19), most_bytes: usize::MAX }).of_large(),
    Strategy::new("XyDelta chain", XYDELTA_TEXT, &XyDeltas { whole: Whole::First, form: Form::Text }),
    Strategy::new("XyDelta chain", XYDELTA_FORWARD, &XyDeltas { whole: Whole::First, form: Form::Zstd(SLOW) }),
    Strategy::new("XyDelta chain", XYDELTA_BACKWARD, &XyDeltas { whole: Whole::Latest, form: Form::Zstd(SLOW) })
        .by_family(),
    Strategy::new("RCS", RCS, &Rcs { compressed: None }).by_family(),
    Strategy::new("RCS", RCS_COMPRESSED, &Rcs { compressed: Some(SLOW) }),
    Strategy::new("git", "git, loose", &Git { packing: &[] }),
    Strategy::new("git", "git gc", &Git { packing: &["gc", "-q", "--prune=now"] }),
    Strategy::new("git", GIT_PACKED, &Git { packing: &["repack", "-adfq", "--depth=250", "--window=250"] }).by_family(),
];

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use treediff::tree::Format;

    use super::super::collection::History;
    use super::*;

    fn history(name: &str, versions: usize) -> History {
        let rows = "<p>a paragraph that stays</p>".repeat(20);
        let version = |at: usize| format!("<r>{rows}<v>{name} {at}</v>{}</r>", "<n/>".repeat(at)).into_bytes();
        History {
            family: "f".to_owned(),
            name: name.to_owned(),
            format: Format::Xml,
            versions: (0..versions).map(version).collect(),
        }
    }

    #[test]
    fn every_version_comes_back_from_every_archive() {
        let histories = [history("a", 1), history("b", 20), history("c", 5)];
        let collection = Collection::new(&histories);
        let in_process = STRATEGIES.iter().filter(|strategy| !["git", "RCS"].contains(&strategy.kind));
        for strategy in in_process {
            let archive = strategy.keeper.keep(&collection, &PathBuf::new()).expect("an archive");
            assert!(archive.bytes() > 0, "{}", strategy.name);
            for place in collection.places() {
                let found = archive.read(place).expect("a version");
                let is_same = found == collection.content(place) || archive.is_same(place, &found);
                assert!(is_same, "{}: {place:?}", strategy.name);
            }
        }
    }

    #[test]
    fn names_tell_strategies_apart() {
        let mut names: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STRATEGIES.len());
    }
}
