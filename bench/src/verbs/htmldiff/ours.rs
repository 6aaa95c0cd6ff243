//! What do we do to mark a page? All calls of the library are here, as a whole and step by step.

use std::array;
use std::time::Duration;

use anyhow::{Context, Result};
use treediff::matching::{self, Matching};
use treediff::parse::{self, Options, Whitespace};
use treediff::render::html;
use treediff::render::{EXCERPT, Summary};
use treediff::text::{Changes, Entities};
use treediff::tree::Document;

use super::pages::Page;
use crate::measure::{Cost, Meter};

/// The page with its marks, which is in a frame of the merged view.
pub fn marked(page: &Page) -> Result<String> {
    let view = parsed(whole_of(page.before.clone(), page.after.clone())?)?;
    let frame = view.nodes().find(|node| node.is_element() && node.name().local == "iframe");
    let page = frame.and_then(|frame| frame.attribute("", "srcdoc")).context("a merged view without a frame")?;
    Ok(page.into_owned())
}

/// CPU time from two texts to the merged view, the best of some runs, and the most memory that is allocated meanwhile, with the texts.
pub fn whole(page: &Page, runs: usize) -> Result<Cost> {
    let mut meter = Meter::new();
    for _ in 0..=runs {
        let [before, after] = [page.before.clone(), page.after.clone()];
        meter.run(|| whole_of(before, after))?;
    }
    meter.count_memory();
    meter.run(|| whole_of(page.before.clone(), page.after.clone()))?;
    Ok(meter.cost())
}

fn whole_of(before: String, after: String) -> Result<String> {
    let [before, after] = [parsed(before)?, parsed(after)?];
    let matching = matched(&before, &after);
    Ok(merged(&changes(&before, &after, &matching), &matching))
}

/// CPU time of every step, the best of some runs.
pub struct Steps {
    /// In the order of [`Steps::NAMES`].
    pub times: [Duration; 7],
}

impl Steps {
    pub const NAMES: [&str; 7] =
        ["parse both", "match", "read and align", "merged", "side by side", "changes", "summary"];
}

pub fn steps(page: &Page, runs: usize) -> Result<Steps> {
    let [before, after] = [parsed(page.before.clone())?, parsed(page.after.clone())?];
    let matching = matched(&before, &after);
    let changes_of = || changes(&before, &after, &matching);
    let changes = changes_of();
    let mut meters: [Meter; 7] = array::from_fn(|_| Meter::new());
    for _ in 0..=runs {
        let sources = [page.before.clone(), page.after.clone()];
        let [parse, match_up, align, views @ ..] = &mut meters;
        parse.run(|| sources.map(parsed).into_iter().collect::<Result<Vec<_>>>())?;
        match_up.run(|| Ok(matched(&before, &after)))?;
        align.run(|| Ok(changes_of()))?;
        for (meter, view) in views.iter_mut().zip([merged, side_by_side, listing, summary]) {
            meter.run(|| Ok(view(&changes, &matching)))?;
        }
    }
    Ok(Steps { times: meters.map(|meter| meter.cost().time) })
}

/// Reads what is a text already, whatever it says of its encoding.
pub fn parsed(source: String) -> Result<Document> {
    let encoding = Some("utf-8".to_owned());
    let options = Options { whitespace: Whitespace::Exact, encoding, ..Options::default() };
    Ok(parse::html(source, &options)?.document)
}

fn matched(before: &Document, after: &Document) -> Matching {
    matching::auto(before, after, &Default::default())
}

fn changes<'d>(before: &'d Document, after: &'d Document, matching: &Matching) -> Changes<'d> {
    Changes::new(before, after, matching, &Entities::default())
}

fn merged(changes: &Changes<'_>, matching: &Matching) -> String {
    html::merged(changes, matching, &Default::default())
}

fn side_by_side(changes: &Changes<'_>, matching: &Matching) -> String {
    html::side_by_side(changes, matching, &Default::default())
}

fn listing(changes: &Changes<'_>, _: &Matching) -> String {
    html::listing(changes, &Default::default())
}

fn summary(changes: &Changes<'_>, _: &Matching) -> String {
    Summary::new(changes, EXCERPT).to_string()
}
