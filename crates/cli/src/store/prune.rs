//! What may be forgotten? Versions that none of the rules holds.

use std::io::{self, Write};

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use store::{Error, Pruned, Retention, Thinning};
use treediff::render::printable;

use super::place;
use super::words::{counted, helped};
use crate::args::PruneArgs;
use crate::node_record::write_line;

pub fn run(args: &PruneArgs) -> anyhow::Result<()> {
    let now = Timestamp::now();
    let rules = rules(args, now)?;
    let store = place::open_existing(&args.store)?;
    let mut report = Report { args, versions: 0, pages: 0, written: Ok(()) };
    let take = |pruned: &Pruned| report.take(pruned);
    let gone_through = if args.dry_run {
        store.prunable(&args.pattern, &rules, now, take)
    } else {
        store.prune(&args.pattern, &rules, now, take)
    };
    if matches!(gone_through, Ok(()) | Err(Error::Hurt { .. })) {
        report.finish()?;
    }
    gone_through.map_err(helped)
}

fn rules(args: &PruneArgs, now: Timestamp) -> anyhow::Result<Retention> {
    let age = |text: &str| anyhow::Ok(now.duration_since(store::since(text, now)?));
    let thinning = |text: &String| {
        let (older_than, every) = text.split_once(':').context("expected AGE:TIME, such as 30d:1d")?;
        anyhow::Ok(Thinning { older_than: age(older_than)?, every: age(every)? })
    };
    let thin = args.thin.iter().map(|text| thinning(text).with_context(|| format!("--thin `{text}`")));
    let max_age: Option<SignedDuration> = args.older_than.as_deref().map(age).transpose().context("--older-than")?;
    if args.keep.is_none() && max_age.is_none() && args.thin.is_empty() {
        anyhow::bail!("nothing says what may go; --keep, --older-than or --thin does");
    }
    Ok(Retention { keep: args.keep, max_age, thin: thin.collect::<anyhow::Result<_>>()? })
}

/// Tells of what is dropped as it goes.
struct Report<'a> {
    args: &'a PruneArgs,
    versions: u64,
    pages: u64,
    /// What was dropped is gone, whether or not somebody still listens.
    written: io::Result<()>,
}

impl Report<'_> {
    fn take(&mut self, pruned: &Pruned) {
        if pruned.numbers.is_empty() {
            return;
        }
        self.pages += 1;
        self.versions += pruned.numbers.len() as u64;
        if self.written.is_ok() {
            self.written = write(pruned, self.args.json, &mut io::stdout().lock());
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        self.written?;
        if self.args.json {
            return Ok(());
        }
        let would = if self.args.dry_run { "would be " } else { "" };
        let (versions, pages) = (counted(self.versions, "version"), counted(self.pages, "page"));
        Ok(writeln!(io::stdout().lock(), "{versions} of {pages} {would}dropped")?)
    }
}

/// What is dropped of a page in `--json` output.
#[derive(Debug, Serialize)]
struct Dropped<'a> {
    page: String,
    versions: &'a [u32],
}

fn write(pruned: &Pruned, json: bool, out: &mut impl Write) -> io::Result<()> {
    let page = pruned.address.to_string();
    if json {
        return write_line(&Dropped { page, versions: &pruned.numbers }, out);
    }
    writeln!(out, "{}: {}", printable(&page), ranges(&pruned.numbers))
}

/// Numbers in rising order as `1-3, 5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let told = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        only => only.iter().map(u32::to_string).collect(),
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn numbers_in_a_row_are_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[7]), "7");
        assert_eq!(ranges(&[1, 2, 3, 5, 8, 9]), "1-3, 5, 8-9");
        assert_eq!(ranges(&[u32::MAX - 1, u32::MAX]), "4294967294-4294967295");
    }
}
