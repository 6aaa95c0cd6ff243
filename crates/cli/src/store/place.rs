//! Where are versions kept? Where flags say, else the environment, else where programs of this system keep their data.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, bail};
use store::{Location, ReaderId, Store};

use crate::args::StoreArgs;

/// The store that something is recorded in; it is made where there is none.
pub fn open(args: &StoreArgs) -> anyhow::Result<Store> {
    Ok(Store::open(&location(args)?)?)
}

/// The store that something is looked up in.
pub fn open_existing(args: &StoreArgs) -> anyhow::Result<Store> {
    Ok(Store::open_existing(&location(args)?)?)
}

/// Who is looking.
pub fn reader(args: &StoreArgs) -> anyhow::Result<ReaderId> {
    match (&args.reader, env::var("DELTAIC_READER").ok().filter(|id| !id.is_empty())) {
        (Some(reader), _) => Ok(reader.clone()),
        (None, Some(told)) => told.parse().context("DELTAIC_READER"),
        (None, None) => Ok(ReaderId::only()),
    }
}

/// Where the store is, or is to be made.
pub fn location(args: &StoreArgs) -> anyhow::Result<Location> {
    let told = |variable| env::var_os(variable).filter(|value| !value.is_empty());
    match (&args.data, &args.database) {
        (Some(folder), _) => return Ok(Location::Folder(folder.clone())),
        (_, Some(url)) => return Ok(Location::Database(url.clone())),
        _ => {}
    }
    match (told("DELTAIC_DATA"), told("DELTAIC_DATABASE")) {
        (Some(_), Some(_)) => {
            bail!("both DELTAIC_DATA and DELTAIC_DATABASE are set; --data or --database says which is meant")
        }
        (Some(folder), None) => Ok(Location::Folder(folder.into())),
        (None, Some(url)) => Ok(Location::Database(url.to_str().context("DELTAIC_DATABASE is no text")?.to_owned())),
        (None, None) => Ok(Location::Folder(usual_folder().context("no folder for data is known; --data names one")?)),
    }
}

/// Where programs keep data that people would not want to lose.
fn usual_folder() -> Option<PathBuf> {
    let absolute = |variable| env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        env::home_dir().map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| env::home_dir().map(|home| home.join(".local/share")))
    };
    Some(folder?.join("deltaic"))
}
