//! Which version of a stored page brought this?

use std::sync::Arc;

use treediff::delta::Identities;
use treediff::parse::{self, Options, Whitespace};

use super::{Blamed, Lines, Sentences, Tree};
use crate::engine::Transaction;
use crate::frames::Frames;
use crate::history::{content, known_page, step_bytes, versions};
use crate::page::PageId;
use crate::{Address, Error, Result, Step, Store, Version, version};

impl Store {
    /// Every piece of a version, with the version that brought it in its present form: the sentences of a page, the elements and values
    /// of data, the lines of anything else.
    ///
    /// # Errors
    /// Where there is no such version, or it is no text.
    pub fn blame(&self, address: &Address, number: u32) -> Result<Vec<Blamed>> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let mut versions = versions(transaction, page.id)?;
            versions.retain(|version| version.number <= number);
            let Some(last) = versions.last().filter(|last| last.number == number) else {
                return Err(Error::NoVersion {
                    address: address.to_string(),
                    wanted: number.to_string(),
                    nearest: None,
                });
            };
            match last.details.tree {
                Some(version::Tree::Html) => sentences(transaction, &versions),
                Some(version::Tree::Xml | version::Tree::Json) => elements(transaction, page.id, &versions),
                None => lines(transaction, &versions),
            }
        })
    }
}

fn sentences(transaction: &mut Transaction<'_>, versions: &[Version]) -> Result<Vec<Blamed>> {
    let mut frames = Frames::default();
    let mut sentences = Sentences::default();
    for version in versions {
        if version.details.tree != Some(version::Tree::Html) {
            sentences.forget();
            continue;
        }
        let content = content(transaction, &mut frames, version)?;
        let encoding = version.details.charset.clone();
        let options = Options { whitespace: Whitespace::Exact, recover: true, encoding, ..Options::default() };
        match parse::html(content, &options) {
            Ok(parsed) => sentences.add(version.into(), Arc::new(parsed.document)),
            Err(_) => sentences.forget(),
        }
    }
    Ok(sentences.blamed())
}

fn elements(transaction: &mut Transaction<'_>, page: PageId, versions: &[Version]) -> Result<Vec<Blamed>> {
    let Some(last) = versions.last() else { return Ok(Vec::new()) };
    let mut frames = Frames::default();
    let mut tree = Tree::from(last.into());
    let mut step = None;
    for version in versions {
        step = step_bytes(transaction, &mut frames, page, version.number)?;
        match &step {
            Some(step) => tree.add(version.into(), step)?,
            None => tree = Tree::from(version.into()),
        }
    }
    let content = content(transaction, &mut frames, last)?;
    let Some(document) = crate::record::document(&last.details, &content) else { return Ok(Vec::new()) };
    let identities = match step {
        Some(step) => Step::from_bytes(&step)?.identities()?,
        None => Identities::of_first_version(&document),
    };
    Ok(tree.blamed(&document, &identities.xids))
}

fn lines(transaction: &mut Transaction<'_>, versions: &[Version]) -> Result<Vec<Blamed>> {
    let mut frames = Frames::default();
    let mut lines = Lines::default();
    for version in versions {
        let content = content(transaction, &mut frames, version)?;
        if content.contains(&0) {
            return Err(Error::Invalid(format!("version {} is no text, which has lines", version.number)));
        }
        lines.add(version.into(), String::from_utf8_lossy(&content).into_owned());
    }
    Ok(lines.blamed())
}
