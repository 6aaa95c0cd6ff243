//! What was found? Tables of bytes and times, two figures, and what the thesis and AIDE say beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::collection::Collection;
use super::measured::{Measured, READS};
use super::steps::{Sizes, Steps};
use super::{Family, figures, peers, strategies, told_by_family};
use crate::report::Table;
use crate::verbs::figures::written;

/// All that was measured.
pub struct Findings<'f> {
    /// Of the machine, before and after.
    pub load: [String; 2],
    pub small: (&'f Collection<'f>, Vec<Measured>),
    pub large: (&'f Collection<'f>, Vec<Measured>),
    pub by_family: Vec<Family>,
    pub steps: Steps,
}

/// The average number of processes that wanted to run in the last minute.
pub fn load() -> String {
    let told = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    told.split_whitespace().next().unwrap_or("unknown").to_owned()
}

impl Findings<'_> {
    pub fn told(&self, folder: &Path) -> Result<String> {
        let (steps, sizes) = self.steps.table(self.small.0)?;
        let drawn = [figures::cost(&self.small.1), figures::age(&self.small.1)];
        let parts = [
            self.conditions()?,
            format!("## All strategies\n\n{}\n{}", told_of(&self.small), losses(&self.small.1)),
            self.verdict(&sizes)?,
            format!("## By size and by age\n\n{}", written(&drawn, folder)?.trim_end()),
            format!("## Large documents\n\n{}\n{}", told_of(&self.large), self.of_large()?),
            format!("## By family\n\n{}\n{BY_FAMILY}", self.families()),
            format!("## Steps: XyDeltas with the identities of all nodes\n\n{steps}\n{}", self.of_steps(&sizes)?),
            format!("## What the thesis says (4.1)\n\n{}", self.thesis()?),
            format!("## What AIDE says (section 7)\n\n{}", self.aide()?),
        ];
        Ok(parts.map(|part| part.trim_end().to_owned()).join("\n\n") + "\n")
    }

    fn conditions(&self) -> Result<String> {
        let [before, after] = &self.load;
        let [git, rcs] = [peers::starting("git")?, peers::starting("co")?];
        Ok(format!(
            "The load was {before} before the run and {after} after it; CPU time grows with the load too, since caches are \
             shared, so read the ratios, and small ones not at all. All versions are written once; each is read {READS} times, \
             the better counts, and is compared with what was kept. A read by git or RCS is a process of its own; one that only \
             says its version takes {} (git) and {} (co) of CPU time.",
            time(git),
            time(rcs)
        ))
    }

    fn find(&self, name: &str) -> Result<&Measured> {
        self.small.1.iter().find(|found| found.name == name).with_context(|| format!("no strategy `{name}`"))
    }

    fn find_large(&self, name: &str) -> Result<&Measured> {
        self.large.1.iter().find(|found| found.name == name).with_context(|| format!("no strategy `{name}`"))
    }

    /// The bytes of one strategy over those of another.
    fn over(&self, name: &str, other: &str) -> Result<f64> {
        Ok(self.find(name)?.bytes as f64 / self.find(other)?.bytes as f64)
    }

    /// The bytes of a strategy over the raw ones, in a family.
    fn of_family(&self, name: &str, strategy: &str) -> Result<f64> {
        let at = told_by_family().position(|told| told.name == strategy);
        let family = self.by_family.iter().find(|family| family.name == name);
        let (family, at) = family.zip(at).with_context(|| format!("no `{strategy}` of `{name}`"))?;
        Ok(family.bytes[at] as f64 / family.raw_bytes.max(1) as f64)
    }

    fn verdict(&self, sizes: &Sizes) -> Result<String> {
        use strategies::{BACKWARD, FULL, GIT_PACKED, LIVE, PACKED, REACH, SOLID, WIDE_REACH};
        let [full, live, packed, solid] = [self.find(FULL)?, self.find(LIVE)?, self.find(PACKED)?, self.find(SOLID)?];
        Ok(format!(
            "- One copy of every version takes {:.1} times what patches take ({} against {} at level 19). Which way patches \
             lead hardly matters for bytes; backward, the version that is asked for most is the one that is whole.\n\
             - Level 19 spares {:.0} % over level 6 and takes {:.0} times as long: while versions come in, level 6 is enough \
             ({}, {:.0} µs of CPU time a version), since packs come later.\n\
             - Packs of 2 MiB take {:.0} % of the live form, are {:.2}x what git has with a window and a depth of 250 (with its \
             trees, commits and index), and give any version in {} (median), {} at worst. One solid stream is {:.0} % smaller \
             still, and takes {} at the median.\n\
             - A bound on what a read has to decode is for large documents: here 256 KiB cost {:.0} % more bytes, 1 MiB {:.0} \
             %, and neither makes reads quicker by more than the spread of two runs.\n\
             - With the steps, live takes {}, packed {}: less than one compressed copy of every version without any step ({}).",
            self.over(FULL, BACKWARD)?,
            megabytes(full.bytes),
            megabytes(self.find(BACKWARD)?.bytes),
            100.0 * (1.0 - self.over(BACKWARD, LIVE)?),
            self.find(BACKWARD)?.writing.as_secs_f64() / live.writing.as_secs_f64(),
            megabytes(live.bytes),
            1e6 * live.writing.as_secs_f64() / live.reads.len().max(1) as f64,
            100.0 * self.over(PACKED, LIVE)?,
            self.over(PACKED, GIT_PACKED)?,
            time(packed.median()),
            time(packed.quantile(1.0)),
            100.0 * (1.0 - self.over(SOLID, PACKED)?),
            time(solid.median()),
            100.0 * (self.over(REACH, LIVE)? - 1.0),
            100.0 * (self.over(WIDE_REACH, LIVE)? - 1.0),
            megabytes(live.bytes + sizes.live as u64),
            megabytes(packed.bytes + sizes.prefixed as u64),
            megabytes(full.bytes),
        ))
    }

    fn of_large(&self) -> Result<String> {
        use strategies::{BACKWARD, LIVE, LONG, PACKED};
        let bytes = |name| Ok::<_, anyhow::Error>(megabytes(self.find_large(name)?.bytes));
        Ok(format!(
            "{} documents of one to three megabytes, {} versions, {}. A version that is longer than a pack is alone in it, and \
             shares nothing with the others: packs of 2 MiB take {}, where a chain of patches takes {} at level 19 and {} at \
             level 6. Long matches do not help at level 6 ({}).",
            self.large.0.histories.len(),
            self.large.0.versions(),
            megabytes(self.large.0.bytes() as u64),
            bytes(PACKED)?,
            bytes(BACKWARD)?,
            bytes(LIVE)?,
            bytes(LONG)?
        ))
    }

    fn families(&self) -> String {
        let names = told_by_family().map(|strategy| strategy.name);
        let heads: Vec<&str> = ["kB", "documents", "versions", "raw"].into_iter().chain(names).collect();
        let mut table = Table::new(&heads);
        for Family { name, documents, versions, raw_bytes, bytes } in &self.by_family {
            let sizes = std::iter::once(*raw_bytes as u64).chain(bytes.iter().copied());
            let cells = [name.clone(), documents.to_string(), versions.to_string()];
            let sizes = sizes.map(|bytes| format!("{:.1}", bytes as f64 / 1e3));
            table.row(&cells.into_iter().chain(sizes).collect::<Vec<_>>());
        }
        table.finish()
    }

    fn of_steps(&self, sizes: &Sizes) -> Result<String> {
        let (reading, unreadable) = self.steps.reading()?;
        Ok(format!(
            "{} steps, {} pairs without one; {unreadable} steps cannot be read again. A XyDelta has both texts of what changed, \
             and the identities of all nodes of both versions; most of that is in the versions that are kept anyhow. As prefix, \
             a pack of versions makes the steps {:.0} % smaller than each alone. To read a step that is alone takes {} on \
             average, to make it anew from two versions {} (the version before is parsed already).",
            self.steps.count(),
            self.steps.breaks(),
            100.0 * (1.0 - sizes.prefixed as f64 / sizes.alone as f64),
            time(reading),
            time(self.steps.making()),
        ))
    }

    fn thesis(&self) -> Result<String> {
        use strategies::{BACKWARD, FORWARD, FULL, PACKED, XYDELTA_BACKWARD, XYDELTA_FORWARD, XYDELTA_TEXT};
        let [forward, backward] = [self.find(XYDELTA_FORWARD)?, self.find(XYDELTA_BACKWARD)?];
        let (count, median, below) = self.steps.of_large(100_000);
        Ok(format!(
            "Section 4.1 names three policies, the latest version with backward deltas, the first with forward deltas, and \
             snapshots with deltas made when they are asked for, and leaves the choice open. With XyDeltas the first two take \
             {} and {} here ({} as text, without compression), with patches of bytes {} and {}; the third takes {} as full \
             copies and {} in packs. Bytes are thus better kept as bytes: a XyDelta is complete, so that it can be inverted and \
             composed, and pays for it; to read a version through XyDeltas, trees have to be parsed and written again ({} at \
             the median, backward, against {}); and {} of {} versions come back with the same tree but other bytes ({} not at \
             all). XyDeltas answer questions about changes, and are worth their bytes beside the versions, not in place of \
             them.\n\n\
             Section 3.6.2 says that a delta is usually smaller than one version, and in some cases, for documents over 100 \
             kilobytes, less than 10 percent of it; section 5.3 that it is in some cases larger than the document. Here {:.1} % \
             of the XyDeltas are shorter than the version they lead to (median {:.1} % of it); of the {count} that lead to 100 \
             kB or more, {:.0} % are below a tenth (median {:.0} %), but so few say little.",
            megabytes(backward.bytes),
            megabytes(forward.bytes),
            megabytes(self.find(XYDELTA_TEXT)?.bytes),
            megabytes(self.find(BACKWARD)?.bytes),
            megabytes(self.find(FORWARD)?.bytes),
            megabytes(self.find(FULL)?.bytes),
            megabytes(self.find(PACKED)?.bytes),
            time(backward.median()),
            time(self.find(BACKWARD)?.median()),
            backward.same_tree,
            backward.reads.len(),
            backward.lost.len(),
            100.0 * self.steps.shorter(),
            100.0 * self.steps.median_ratio(),
            100.0 * below,
            100.0 * median,
        ))
    }

    fn aide(&self) -> Result<String> {
        use strategies::{PACKED, RCS, RCS_COMPRESSED};
        let (documents, versions) = (self.small.0.histories.len(), self.small.0.versions());
        let rcs = self.find(RCS)?;
        let each = |bytes: u64| format!("{:.1} kB", bytes as f64 / 1e3 / documents.max(1) as f64);
        Ok(format!(
            "After half a year AIDE had over 500 URLs in RCS, in under 8 Mbytes (14.3 Kbytes a URL on average), of which three \
             pages that change every one to three days, archived at every change, took 2.7 Mbytes; disk usage had not been a \
             problem. Here RCS takes {} for {documents} documents in {versions} versions, {} a document with {:.1} versions of \
             {:.1} kB each; packs take {}.\n\n\
             RCS is a backward chain of lines, not compressed: {:.1}x our live form, and with its files compressed at level 19 \
             {:.2}x it. What it lacks is thus compression more than finer differences, but then a file has to be decoded as a \
             whole for every check-in and every read. Long lines make it long: of `{LONG_LINES}`, two thirds \
             of which are lines over 1,000 characters, it takes {:.0} % of the raw bytes, over all {:.0} %; AIDE says the same of \
             pages that are replaced as a whole (8.2). A version is read by a process ({} at the median, {} at worst).",
            megabytes(rcs.bytes),
            each(rcs.bytes),
            versions as f64 / documents.max(1) as f64,
            self.small.0.bytes() as f64 / 1e3 / versions.max(1) as f64,
            each(self.find(PACKED)?.bytes),
            self.over(RCS, strategies::LIVE)?,
            self.over(RCS_COMPRESSED, strategies::LIVE)?,
            100.0 * self.of_family(LONG_LINES, RCS)?,
            100.0 * rcs.bytes as f64 / self.small.0.bytes().max(1) as f64,
            time(rcs.median()),
            time(rcs.quantile(1.0)),
        ))
    }
}

/// A family that is hard on differences of lines.
const LONG_LINES: &str = "ietf-rfc-html";

const BY_FAMILY: &str = "Every family is kept for itself here, so that packs and repositories are of one family.";

/// A table of all strategies over a collection.
fn told_of((collection, found): &(&Collection<'_>, Vec<Measured>)) -> String {
    let versions = collection.versions();
    let mut table = Table::new(&[
        "strategy",
        "bytes",
        "a version",
        "of raw",
        "write all",
        "read, median",
        "95 %",
        "worst",
        "other bytes",
    ]);
    for one in found {
        table.row(&[
            one.name.to_owned(),
            one.bytes.to_string(),
            format!("{:.0}", one.bytes as f64 / versions.max(1) as f64),
            format!("{:.2} %", 100.0 * one.bytes as f64 / collection.bytes().max(1) as f64),
            format!("{:.2} s", one.writing.as_secs_f64()),
            time(one.median()),
            time(one.quantile(0.95)),
            time(one.quantile(1.0)),
            others(one),
        ]);
    }
    table.finish()
}

/// How many versions did not come back as they were kept.
fn others(found: &Measured) -> String {
    match (found.same_tree, found.lost.len()) {
        (0, 0) => "none".to_owned(),
        (same_tree, 0) => format!("{same_tree}, same tree"),
        (same_tree, lost) => format!("{same_tree}, same tree; {lost} lost"),
    }
}

/// Which documents have versions that did not come back, and why.
fn losses(found: &[Measured]) -> String {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (document, why) in found.iter().flat_map(|one| &one.lost) {
        let first_line = why.lines().next().unwrap_or_default();
        *reasons.entry((document, first_line)).or_default() += 1;
    }
    let told = reasons.iter().map(|((document, why), count)| format!("- {document}: {count} reads, «{why}»\n"));
    let told: String = told.collect();
    if told.is_empty() { told } else { format!("What was lost, over all strategies:\n\n{told}") }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

/// `14 µs`, `1.52 ms`.
fn time(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.0} µs", seconds * 1e6) } else { format!("{:.2} ms", seconds * 1e3) }
}
