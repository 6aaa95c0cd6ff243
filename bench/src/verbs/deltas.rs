//! How large are deltas beside GNU diff's outputs, summed over the histories of the corpus?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use treediff::matching::Algorithm;

use super::Study;
use crate::compare::{self, Sizes};
use crate::corpus::{self, Versions};
use crate::report::{self, Table};

/// What was found in the pairs of a family.
#[derive(Default)]
struct Family {
    pairs: usize,
    sum: Sizes,
    ratios: Vec<f64>,
    is_html: bool,
    /// Pairs that are not well-formed, by what is wrong.
    faults: BTreeMap<String, usize>,
}

pub fn deltas(study: &Study<'_>) -> Result<String> {
    let histories = corpus::histories(study.histories, study.only)?;
    let families = measure(study, &histories, Algorithm::Auto)?;
    let mut table = Table::new(&[
        "bytes",
        "pairs",
        "XyDelta",
        "GNU diff",
        "XyDelta / diff",
        "median",
        "binary",
        "binary / XyDelta",
    ]);
    for (name, family) in &families {
        table.row(&row(name, family));
    }
    let kinds = [("all XML", false), ("all HTML", true)];
    for (name, is_html) in kinds {
        table.row(&row(name, &together(families.values().filter(|family| family.is_html == is_html))));
    }
    let all = together(families.values());
    table.row(&row("all", &all));
    let by_bytes = measure(study, &histories, Algorithm::Xydiff)?;
    Ok(format!(
        "{}\n{}\n\nWith `xydiff`, which weighs bytes and not the edit cost:\n\n{}\n\n{PAIRS}\n\n{}",
        table.finish(),
        verdict(&families),
        verdict(&by_bytes),
        not_well_formed(&families)
    ))
}

fn measure(study: &Study<'_>, histories: &[Versions], algorithm: Algorithm) -> Result<BTreeMap<String, Family>> {
    let bar = study.bar(histories.iter().map(|history| history.pairs().count()).sum());
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for history in histories {
        bar.set_prefix(history.family.clone());
        let kind = if history.is_html() { "HTML" } else { "XML" };
        let family = families.entry(format!("{}, {kind}", history.family)).or_default();
        family.is_html = history.is_html();
        for (before, after) in history.pairs() {
            let (sizes, fault) =
                compare::sizes(before, after, algorithm).with_context(|| after.display().to_string())?;
            family.add(sizes);
            if let Some(fault) = fault {
                *family.faults.entry(fault.root_cause().to_string()).or_default() += 1;
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(families)
}

impl Family {
    fn add(&mut self, sizes: Sizes) {
        self.pairs += 1;
        self.sum += sizes;
        self.ratios.extend(sizes.ratio());
    }
}

fn together<'f>(families: impl Iterator<Item = &'f Family>) -> Family {
    let mut all = Family::default();
    for family in families {
        all.pairs += family.pairs;
        all.sum += family.sum;
        all.ratios.extend(&family.ratios);
    }
    all
}

fn row(name: &str, family: &Family) -> Vec<String> {
    let Sizes { xydelta, binary, diff } = family.sum;
    vec![
        name.to_owned(),
        family.pairs.to_string(),
        xydelta.to_string(),
        diff.to_string(),
        format!("{:.2}x", xydelta as f64 / diff as f64),
        format!("{:.2}x", report::median(&family.ratios)),
        binary.to_string(),
        format!("{:.2}x", binary as f64 / xydelta as f64),
    ]
}

const PAIRS: &str =
    "Pairs that are the same to the byte have no ratio. XyDeltas hold old and new content; white space is layout.";

fn verdict(families: &BTreeMap<String, Family>) -> String {
    let all = together(families.values());
    let xml = together(families.values().filter(|family| !family.is_html));
    let Sizes { xydelta, binary, diff } = all.sum;
    format!(
        "- XyDelta over GNU diff, summed: {}\n- on the median XML pair: {}\n- the binary form over XyDelta, summed: {}",
        report::at_most(xydelta as f64 / diff as f64, 1.0),
        report::at_most(report::median(&xml.ratios), 1.5),
        report::at_most(binary as f64 / xydelta as f64, 1.0 / 3.0),
    )
}

/// Those that are not well-formed, by family, with the fault that most of them have.
fn not_well_formed(families: &BTreeMap<String, Family>) -> String {
    let mut out = String::new();
    let mut sum = 0;
    for (name, Family { faults, .. }) in families.iter().filter(|(_, family)| !family.faults.is_empty()) {
        let count: usize = faults.values().sum();
        let most = faults.iter().max_by_key(|(_, count)| **count).map_or("", |(fault, _)| fault);
        let _ = writeln!(out, "- {name}: {count} pairs, such as «{}»", most.lines().next().unwrap_or_default());
        sum += count;
    }
    match sum {
        0 => "All pairs are well-formed.\n".to_owned(),
        _ => {
            format!("{sum} pairs are not well-formed; they were read with `recover` and count as all others:\n\n{out}")
        }
    }
}
