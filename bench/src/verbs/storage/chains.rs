//! What if every version is kept for itself, or as a patch from the next or the one before?

use std::path::Path;

use anyhow::{Context, Result};

use super::codec::{self, Coding};
use super::collection::{Collection, Place};
use super::strategies::{Archive, Keeper};

/// Versions as frames, one for each.
pub struct Chains {
    pub coding: Coding,
    pub patches: Patches,
}

/// Which versions are patches, and from what.
#[derive(Clone, Copy)]
pub enum Patches {
    None,
    /// All but the first, from the version before.
    Forward,
    /// Older ones from the version after, as long as the rule allows it. The newest is always whole: a new version is
    /// kept whole, and then the one before it is made a patch.
    Backward(Rule),
}

/// Where a version stays whole though there is a newer one.
#[derive(Clone, Copy)]
pub enum Rule {
    Never,
    /// So many versions hang together.
    Every(usize),
    /// So many bytes would have to be decoded to get at the oldest that hangs on it.
    Reach(usize),
    /// The patch would be longer than half of it.
    OverHalf,
}

struct Frame {
    data: Vec<u8>,
    length: usize,
    /// The version whose bytes are the prefix.
    base: Option<usize>,
}

impl Keeper for Chains {
    fn keep<'c>(&self, collection: &'c Collection<'_>, _: &Path) -> Result<Box<dyn Archive + 'c>> {
        let frames = |versions: &[Vec<u8>]| match self.patches {
            Patches::None => self.forward(versions, false),
            Patches::Forward => self.forward(versions, true),
            Patches::Backward(rule) => self.backward(versions, rule),
        };
        let histories = collection.histories.iter().map(|history| frames(&history.versions));
        Ok(Box::new(Kept { histories: histories.collect::<Result<_>>()? }))
    }
}

impl Chains {
    fn forward(&self, versions: &[Vec<u8>], patches: bool) -> Result<Vec<Frame>> {
        let frame = |(at, version): (usize, &Vec<u8>)| {
            let base = at.checked_sub(1).filter(|_| patches);
            let prefix = base.map(|base| versions[base].as_slice());
            Ok(Frame { data: self.coding.encoded(version, prefix)?, length: version.len(), base })
        };
        versions.iter().enumerate().map(frame).collect()
    }

    fn backward(&self, versions: &[Vec<u8>], rule: Rule) -> Result<Vec<Frame>> {
        let mut frames: Vec<Frame> = Vec::with_capacity(versions.len());
        let mut hanging = Hanging::default();
        for (at, version) in versions.iter().enumerate() {
            let whole = Frame { data: self.coding.encoded(version, None)?, length: version.len(), base: None };
            let patched = match frames.last_mut() {
                Some(before) if hanging.may_grow(rule, version.len()) => {
                    let patch = self.coding.encoded(&versions[at - 1], Some(version))?;
                    let pays = !matches!(rule, Rule::OverHalf) || patch.len() * 2 <= before.data.len();
                    if pays {
                        (before.data, before.base) = (patch, Some(at));
                    }
                    pays
                }
                _ => false,
            };
            hanging = hanging.and(version.len(), patched);
            frames.push(whole);
        }
        Ok(frames)
    }
}

/// What hangs on the newest version, with itself.
#[derive(Default, Clone, Copy)]
struct Hanging {
    versions: usize,
    bytes: usize,
}

impl Hanging {
    fn may_grow(self, rule: Rule, length: usize) -> bool {
        match rule {
            Rule::Never | Rule::OverHalf => true,
            Rule::Every(versions) => self.versions < versions,
            Rule::Reach(bytes) => self.bytes + length <= bytes,
        }
    }

    fn and(self, length: usize, patched: bool) -> Self {
        let before = if patched { self } else { Hanging::default() };
        Hanging { versions: before.versions + 1, bytes: before.bytes + length }
    }
}

struct Kept {
    histories: Vec<Vec<Frame>>,
}

impl Archive for Kept {
    fn bytes(&self) -> u64 {
        self.histories.iter().flatten().map(|frame| frame.data.len() as u64).sum()
    }

    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let frames = &self.histories[place.history];
        let path: Vec<&Frame> =
            std::iter::successors(frames.get(place.version), |frame| frames.get(frame.base?)).collect();
        let mut content: Option<Vec<u8>> = None;
        for frame in path.into_iter().rev() {
            content = Some(codec::decoded(&frame.data, frame.length, content.as_deref())?);
        }
        content.context("no such version")
    }
}
