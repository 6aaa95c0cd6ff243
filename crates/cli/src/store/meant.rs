//! Which page is meant, and which version of it? What a text says, by what was recorded.

use std::path::Path;

use store::{Address, Error, Moment, Nearest, PageAt, Store, Version};
use treediff::tree::Format;

use super::place;
use crate::args::StoreArgs;

/// A version of a page as it is read in place of a file.
#[derive(Debug)]
pub struct Content {
    pub bytes: Vec<u8>,
    /// What it is written in, if it is a tree.
    pub format: Option<Format>,
    /// The encoding that the transport named.
    pub charset: Option<String>,
}

/// The page that an argument is, rather than a file.
pub fn page(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|argument| PageAt::is_meant_by(argument))
}

/// The content of the version that is meant.
pub fn content(text: &str, max_bytes: usize, args: &StoreArgs) -> anyhow::Result<Content> {
    let store = place::open_existing(args)?;
    let (_, version) = version(&store, text, args)?;
    if version.length > max_bytes as u64 {
        return Err(crate::input::too_many_bytes(max_bytes).into());
    }
    Ok(Content {
        bytes: store.content(&version)?,
        format: version.details.tree.map(Format::from),
        charset: version.details.charset,
    })
}

/// The page that is meant, and the version.
pub fn version(store: &Store, text: &str, args: &StoreArgs) -> anyhow::Result<(Address, Version)> {
    let PageAt { address, moment } = page_at(store, text)?;
    let version = store.version(&address, moment, Some(&place::reader(args)?))?;
    Ok((address, version))
}

/// The same where a time may mean a version behind it.
pub fn version_nearest(
    store: &Store,
    text: &str,
    nearest: Nearest,
    args: &StoreArgs,
) -> anyhow::Result<(Address, Version)> {
    match page_at(store, text)? {
        PageAt { address, moment: Moment::At(time) } => {
            let version = store.version_at(&address, time, nearest)?;
            Ok((address, version))
        }
        _ if nearest == Nearest::Before => version(store, text, args),
        _ => anyhow::bail!("--nearest is about a time, and `{text}` has none: write `URL@2026-11-01T12:00`"),
    }
}

/// The page that is meant, whatever the version.
pub fn address(store: &Store, text: &str) -> anyhow::Result<Address> {
    let PageAt { address, moment } = page_at(store, text)?;
    match moment {
        Moment::Latest => Ok(address),
        _ => anyhow::bail!("`{text}` names a version; expected a page, `{address}`"),
    }
}

/// An address that ends like a moment is meant as it stands where it was recorded.
fn page_at(store: &Store, text: &str) -> anyhow::Result<PageAt> {
    if let Some(address) = PageAt::verbatim(text) {
        match store.page(&address) {
            Ok(_) => return Ok(PageAt { address, moment: Moment::Latest }),
            Err(Error::UnknownPage { .. } | Error::NoMoment { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(text.parse()?)
}
