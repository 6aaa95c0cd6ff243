//! How does a folder become a store all at once? The store is made in a folder within it, and put into its place when it is
//! complete; where it comes to nothing, nothing stays that was not there before.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::sqlite::{io_error, make_private, mark, settle};
use crate::{Error, Result};

/// Where it is made. It is left behind where that is interrupted, and stands in nobody's way by that name.
const PART: &str = "store.db-incomplete";
const FILE: &str = "store.db";
/// Locked in it by whoever makes it, so that what nobody makes any more is known.
const LOCK: &str = "store.db-lock";

/// A store on its way into a folder that was empty.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    part: PathBuf,
    /// The folders that were made for it, the innermost first; none once it is in its place.
    made: Vec<PathBuf>,
    /// Held until it is in its place, or gone.
    lock: Option<fs::File>,
}

impl Staging {
    pub(super) fn within(folder: &Path) -> Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        make_private(folder).map_err(io_error(folder))?;
        let mut staging = Staging { folder: folder.to_owned(), part: folder.to_owned(), made, lock: None };
        let part = folder.join(PART);
        remove_abandoned(&part)?;
        if fs::read_dir(folder).map_err(io_error(folder))?.next().is_some() {
            return Err(Error::NotEmpty { folder: folder.to_owned() });
        }
        fs::create_dir(&part).map_err(io_error(&part))?;
        let lock = fs::File::create(part.join(LOCK)).map_err(io_error(&part))?;
        // Where there are no locks, what is abandoned has to be removed by hand.
        let _ = lock.try_lock();
        (staging.part, staging.lock) = (part, Some(lock));
        Ok(staging)
    }

    /// The folder that the store is made in.
    pub(super) fn part(&self) -> &Path {
        &self.part
    }

    /// The file that the database is made in.
    pub(super) fn file(&self) -> PathBuf {
        self.part.join(FILE)
    }

    /// Makes the folder a store, once nobody uses the one in it.
    pub(super) fn publish(mut self) -> Result<()> {
        settle(&self.file())?;
        let place = self.folder.join(FILE);
        // Somebody who has looked before us may have begun another.
        if place.try_exists().map_err(io_error(&place))? {
            return Err(Error::NotEmpty { folder: self.folder.clone() });
        }
        fs::rename(self.file(), &place).map_err(io_error(&place))?;
        self.made.clear();
        mark(&self.folder)?;
        fs::remove_dir_all(&self.part).map_err(io_error(&self.part))?;
        let synced = fs::File::open(&self.folder).and_then(|folder| folder.sync_all());
        // There are systems on which a folder cannot be opened, and its entries are on disk all the same.
        if cfg!(unix) { synced.map_err(io_error(&self.folder)) } else { Ok(()) }
    }
}

/// Removes what somebody began to make who was killed.
fn remove_abandoned(part: &Path) -> Result<()> {
    if is_abandoned(&part.join(LOCK)) { fs::remove_dir_all(part).map_err(io_error(part)) } else { Ok(()) }
}

/// Whether a file is there that somebody locked while making something, and who does so no more: nobody holds its lock.
pub fn is_abandoned(lock: &Path) -> bool {
    // Who opens a pipe that somebody has put there waits for ever.
    let is_file = fs::symlink_metadata(lock).is_ok_and(|metadata| metadata.is_file());
    is_file && fs::File::open(lock).is_ok_and(|lock| lock.try_lock().is_ok())
}

impl Drop for Staging {
    /// Where even that fails, there is something worse to tell of.
    fn drop(&mut self) {
        if self.part != self.folder {
            let _ = fs::remove_dir_all(&self.part);
        }
        // A folder that has something in it stays.
        self.made.iter().for_each(|folder| _ = fs::remove_dir(folder));
    }
}
