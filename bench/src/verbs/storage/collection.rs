//! What is there to keep? Documents in all their versions, in memory.

use std::fs;

use anyhow::Result;
use treediff::tree::Format;

use crate::corpus::Versions;

/// A document with all its versions, oldest first.
pub struct History {
    pub family: String,
    pub name: String,
    pub format: Format,
    pub versions: Vec<Vec<u8>>,
}

impl History {
    pub fn read(files: &Versions) -> Result<Self> {
        let versions = files.files.iter().map(|file| Ok(fs::read(file)?)).collect::<Result<_>>()?;
        let format = if files.is_html() { Format::Html } else { Format::Xml };
        Ok(History { family: files.family.clone(), name: files.name.clone(), format, versions })
    }

    pub fn path(&self) -> String {
        format!("{}/{}", self.family, self.name)
    }
}

/// One version of one document.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub history: usize,
    pub version: usize,
}

/// Documents that are kept together, in the order of their names.
#[derive(Default)]
pub struct Collection<'h> {
    pub histories: Vec<&'h History>,
}

impl<'h> Collection<'h> {
    pub fn new(histories: impl IntoIterator<Item = &'h History>) -> Self {
        Collection { histories: histories.into_iter().collect() }
    }

    pub fn places(&self) -> impl Iterator<Item = Place> {
        let of_history =
            |(history, at): (usize, &&History)| (0..at.versions.len()).map(move |version| Place { history, version });
        self.histories.iter().enumerate().flat_map(of_history)
    }

    /// The places in the order of packs: the newest version of a document first.
    pub fn newest_first(&self) -> impl Iterator<Item = Place> {
        let of_history = |(history, at): (usize, &&History)| {
            (0..at.versions.len()).rev().map(move |version| Place { history, version })
        };
        self.histories.iter().enumerate().flat_map(of_history)
    }

    pub fn content(&self, place: Place) -> &'h [u8] {
        &self.histories[place.history].versions[place.version]
    }

    /// How many versions are newer than this one.
    pub fn age(&self, place: Place) -> usize {
        self.histories[place.history].versions.len() - 1 - place.version
    }

    pub fn bytes(&self) -> usize {
        self.places().map(|place| self.content(place).len()).sum()
    }

    pub fn versions(&self) -> usize {
        self.histories.iter().map(|history| history.versions.len()).sum()
    }

    /// The documents by their families, as collections of their own.
    pub fn families(&self) -> Vec<(&'h str, Collection<'h>)> {
        let mut families: Vec<(&str, Collection<'h>)> = Vec::new();
        for &history in &self.histories {
            match families.last_mut() {
                Some((family, collection)) if *family == history.family => collection.histories.push(history),
                _ => families.push((&history.family, Collection::new([history]))),
            }
        }
        families
    }
}
