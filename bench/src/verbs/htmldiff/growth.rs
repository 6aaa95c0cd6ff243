//! Do time and memory stay in proportion? Pages of growing size, made of the same material.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::milliseconds;
use super::ours::{self, Steps};
use super::pages::Page;
use crate::folder::Folder;
use crate::process;
use crate::report::{self, Table};
use crate::verbs::Study;

/// Time per byte of the largest page over that of one of a megabyte.
const GROWTH: f64 = 1.5;

/// Memory that is allocated over the size of the page.
const MEMORY: f64 = 20.0;

pub fn told(study: &Study<'_>, pages: &[Page], deltaic: &Path, folder: &Folder) -> Result<String> {
    let bar = study.bar(pages.len());
    let last = ["whole", "whole ms/MB", "growth", "memory / page", "process / page", "beyond the program"];
    let heads = ["CPU ms", "MB"].into_iter().chain(Steps::NAMES).chain(last);
    let mut table = Table::new(&heads.collect::<Vec<_>>());
    let mut yardstick = None;
    let program = peak_bytes(&Page::new("of one word", "a".into(), "b".into()), deltaic, &folder.path)?;
    for page in pages {
        bar.set_prefix(page.name.clone());
        let steps = ours::steps(page, study.runs).with_context(|| page.name.clone())?;
        let cost = ours::whole(page, study.runs)?;
        let whole = milliseconds(cost.time);
        let per_megabyte = whole / page.megabytes();
        let is_large = page.megabytes() >= 1.0;
        let growth = yardstick.map(|yardstick| report::at_most(per_megabyte / yardstick, GROWTH));
        yardstick = yardstick.or(is_large.then_some(per_megabyte));
        let peak = peak_bytes(page, deltaic, &folder.path)?;
        let of_page = |bytes: u64| bytes as f64 / page.bytes() as f64;
        let mut cells = vec![page.name.clone(), format!("{:.2}", page.megabytes())];
        cells.extend(steps.times.iter().map(|time| format!("{:.2}", milliseconds(*time))));
        cells.extend([
            format!("{whole:.2}"),
            format!("{per_megabyte:.1}"),
            growth.unwrap_or_default(),
            report::at_most(of_page(cost.peak_bytes.unsigned_abs()), MEMORY),
            format!("{:.1}x", of_page(peak)),
            format!("{:.2}x", of_page(peak.saturating_sub(program))),
        ]);
        table.row(&cells);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n", table.finish()))
}

const CAPTION: &str = "\
Pages made of the bodies of the corpus's pages, of all families in turn, one behind the other; the larger ones have several\n\
versions of a page. Every step by itself, with what is before it at hand; whole is from two texts to the merged view, per\n\
megabyte of the later version. Growth is the time per megabyte over that of the first page of a megabyte. Memory is the most\n\
that is allocated on the way, over the later version: both texts, what is made of them, and the whole view, which the program\n\
writes as it goes. The process is `deltaic htmldiff BEFORE AFTER --view merged -o FILE` at its peak: with the program, which\n\
is shared by all that run it, and beyond what it takes for pages of one word, which need less of its code.";

/// The peak of the whole process.
fn peak_bytes(page: &Page, deltaic: &Path, folder: &Path) -> Result<u64> {
    let [before, after, marked, said] =
        ["before.html", "after.html", "marked.html", "said"].map(|name| folder.join(name));
    fs::write(&before, &page.before)?;
    fs::write(&after, &page.after)?;
    let arguments: [OsString; 7] =
        ["htmldiff".into(), before.into(), after.into(), "--view".into(), "merged".into(), "-o".into(), marked.into()];
    Ok(process::measured(deltaic, &arguments.each_ref().map(|each| -> &OsStr { each }), &said)?.peak_bytes)
}
