//! Every version of every page, who has read it, and what changed between any two.
//!
//! ```
//! use store::{Address, Capture, Location, Moment, Recorded, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let store = Store::open(&Location::Folder(folder.path().join("data")))?;
//! let page = Address::new("https://example.org/menu.xml")?;
//! for (day, menu) in [(1, "<menu><soup>4.50</soup></menu>"), (2, "<menu><soup>4.80</soup></menu>")] {
//!     let time = format!("2026-11-0{day}T12:00Z").parse()?;
//!     store.record(Capture::of(page.clone(), time, menu))?;
//! }
//! let first = store.version(&page, Moment::Number(1), None)?;
//! assert_eq!(store.content(&first)?, b"<menu><soup>4.50</soup></menu>");
//! let delta = store.delta(&page, 1, 2)?.expect("both are trees");
//! assert_eq!(delta.operations().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blame;
mod capture;
mod changes;
mod engine;
mod error;
mod form;
mod frames;
mod history;
mod moment;
mod page;
mod portable;
mod readers;
mod record;
mod retention;
mod stats;
mod steps;
mod times;
pub mod trace;
mod verify;
mod version;

pub use blame::Blamed;
pub use capture::{Capture, Outcome, Recorded, Response};
pub use changes::{Change, Changed, Filter, PathPattern, PatternError, Search, matching};
pub use error::{Error, Result};
pub use history::{Nearest, Seen};
pub use moment::{Moment, PageAt};
pub use page::{Address, Page};
pub use portable::{Exported, ImportLimits, Imported, is_abandoned};
pub use readers::{Bookmark, Count, News, ReaderId, Recount};
pub use record::visits::Visits;
pub use retention::{Pruned, Retention, Thinning};
pub use stats::Stats;
pub use steps::{Described, Kind, KindError, Kinds, Label, LabelKind, LabelPaths, Step, StepError};
pub use times::{since, time};
pub use trace::{Reading, Turn};
pub use verify::{Fault, Verified};
pub use version::{Details, Tree, Version};

use std::path::PathBuf;

use jiff::Timestamp;

use engine::Database;

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In a folder, by SQLite.
    Folder(PathBuf),
    /// In PostgreSQL, or a database that speaks its protocol: a URL such as `postgresql://user@host/name`.
    #[cfg(feature = "postgres")]
    Database(String),
}

/// Every version of every page. It may be used by many threads and processes at once.
#[derive(Debug)]
pub struct Store {
    database: Database,
}

impl Store {
    /// The store at a place, which is made where there is none yet.
    pub fn open(location: &Location) -> Result<Store> {
        Store::open_or_make(location, true)
    }

    /// The store at a place where there is one.
    pub fn open_existing(location: &Location) -> Result<Store> {
        Store::open_or_make(location, false)
    }

    fn open_or_make(location: &Location, may_be_made: bool) -> Result<Store> {
        let database = match location {
            Location::Folder(folder) => {
                let engine = engine::sqlite::Sqlite::open(folder, may_be_made)?;
                let database = Database::new(Box::new(engine));
                let file = folder.join("store.db");
                engine::migrate(&database).map_err(|error| error.at(format!("`{}`", file.display())))?;
                engine::sqlite::mark(folder)?;
                database
            }
            #[cfg(feature = "postgres")]
            Location::Database(url) => {
                let database = Database::new(Box::new(engine::postgres::Postgres::open(url)?));
                if !may_be_made && !database.read(|transaction| transaction.has_table("meta"))? {
                    return Err(Error::EmptyDatabase);
                }
                engine::migrate(&database)?;
                database
            }
        };
        Ok(Store { database })
    }

    /// Records a capture; when this returns it is on disk.
    pub fn record(&self, capture: Capture) -> Result<Recorded> {
        self.record_all(vec![capture])?.pop().unwrap_or(Err(Error::Conflict))
    }

    /// Records many captures at once, which is much quicker than one after the other; those of one page in the order in
    /// which they are given. When this returns, all are on disk but those that have an error of their own.
    ///
    /// They are written in one transaction, but for pages that are prepared anew, whose turn comes behind it: where another
    /// writer was faster, or where a page has an error of its own and would have brought a content that others have as well.
    /// What is interrupted is there for a page as a whole or not at all.
    pub fn record_all(&self, captures: Vec<Capture>) -> Result<Vec<Result<Recorded>>> {
        record::record(&self.database, captures)
    }

    /// Makes the store as small as it can be, while others go on reading and recording; tells of every page that was done.
    ///
    /// # Errors
    /// Where versions are hurt they stay as they are, which is told once all others were gone through. What is packed already is
    /// not read: [`Store::verify`] looks at everything.
    pub fn compact(&self, progress: impl FnMut(&Page)) -> Result<()> {
        frames::compact(&self.database, progress)
    }
}

/// Times are kept in milliseconds since 1970.
fn milliseconds(time: Timestamp) -> i64 {
    time.as_millisecond()
}

fn time_of(milliseconds: i64) -> Result<Timestamp> {
    Timestamp::from_millisecond(milliseconds)
        .map_err(|_| Error::damaged("a time", format!("{milliseconds} ms after 1970 is beyond all times")))
}
