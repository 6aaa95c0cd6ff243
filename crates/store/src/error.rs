//! What can go wrong, and what helps?

use std::path::PathBuf;

use crate::Fault;

/// What the store gives back.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was ever recorded there.
    #[error("there is no store at `{place}`: recording something makes one")]
    NoStore {
        /// Where it was looked for.
        place: String,
    },
    /// Nothing was ever recorded in the database.
    #[error("there is no store in this database: recording something makes one")]
    EmptyDatabase,
    /// The folder says that it is a store, and what it keeps is not there.
    #[error("`{}` is missing: bring it back from a backup", file.display())]
    MissingFile {
        /// The file.
        file: PathBuf,
    },
    /// The folder has something else in it.
    #[error("`{}` is no store and not empty: name another folder", folder.display())]
    NotAStore {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that should be filled has something in it.
    #[error("`{}` is not empty: name a folder that is, or a new one", folder.display())]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// A newer deltaic has written it.
    #[error("the store has the format {found}, and this deltaic knows up to {known}: use a newer deltaic")]
    NewerFormat {
        /// The format of the store.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// Something stored is not what it was.
    #[error("{what} is damaged: {why}")]
    Damaged {
        /// What is hurt.
        what: String,
        /// How that was found out.
        why: String,
    },
    /// Some of many things are not what they were; all others were gone through.
    #[error("{}; all else was gone through", told(faults))]
    Hurt {
        /// What is hurt, and was left as it is.
        faults: Vec<Fault>,
    },
    /// The disk is full.
    #[error("there is no space left on the disk; nothing that was stored is lost")]
    Full,
    /// It can only be read.
    #[error("the store can only be read: {why}")]
    ReadOnly {
        /// What forbids more.
        why: String,
    },
    /// Somebody else has been writing for too long.
    #[error("another process has been writing to the store for too long; try again")]
    Busy,
    /// The connection to the database broke, or there never was one.
    #[error("no connection to the database: {why}")]
    Connection {
        /// What the database or the network said.
        why: String,
    },
    /// Another writer was faster; what was to be done is done anew.
    #[error("another writer was faster, many times over; try again")]
    Conflict,
    /// The page has no history.
    #[error("`{address}` was never recorded{}", near(suggestion.as_deref()))]
    UnknownPage {
        /// The page.
        address: String,
        /// A page of nearly that name.
        suggestion: Option<String>,
    },
    /// What stands behind the `@` is no moment.
    #[error(
        "`@{moment}` is no version and no time{}: expected `@7`, `@-1`, `@latest`, `@seen` or a time such as `@2026-11-01T12:00`",
        address.as_ref().map_or_else(String::new, |address| format!(" of `{address}`"))
    )]
    NoMoment {
        /// What stands there.
        moment: String,
        /// The page that it stands behind, where there is one.
        address: Option<String>,
    },
    /// The page has no such version.
    #[error("`{address}` has no version{}{wanted}{}", if wanted.is_empty() { "" } else { " " }, nearest.as_ref().map_or_else(String::new, |nearest| format!("; it has {nearest}")))]
    NoVersion {
        /// The page.
        address: String,
        /// What was asked for; nothing where any would do.
        wanted: String,
        /// What there is.
        nearest: Option<String>,
    },
    /// The version was dropped after it was looked up.
    #[error("version {number} was dropped in the meantime")]
    Dropped {
        /// Its number.
        number: u32,
    },
    /// The reader has not said to have seen the page.
    #[error("no version of `{address}` was noted as seen: `deltaic seen` notes that it was")]
    NeverSeen {
        /// The page.
        address: String,
    },
    /// What was seen last is not kept, nor anything before it.
    #[error(
        "version {number}, the last that was seen of `{address}`, is no longer kept, nor is any before it: the oldest is {oldest}"
    )]
    SeenIsGone {
        /// The page.
        address: String,
        /// What was seen.
        number: u32,
        /// What is kept.
        oldest: u32,
    },
    /// A version or check is older than the newest version that is there.
    #[error(
        "a {what} of {time} cannot come behind version {latest} of {latest_time}: {what}s are recorded in their order"
    )]
    OutOfOrder {
        /// `version` or `check`.
        what: &'static str,
        /// The time of the capture.
        time: jiff::Timestamp,
        /// The newest version.
        latest: u32,
        /// Its time.
        latest_time: jiff::Timestamp,
    },
    /// What was given is not what it should be.
    #[error("{0}")]
    Invalid(String),
    /// More than a limit allows.
    #[error("{what} is larger than {limit} bytes, which is the most that is stored")]
    TooLarge {
        /// What.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// An archive is not what an export writes.
    #[error("the archive is refused at `{entry}`: {why}; nothing of it was taken")]
    Archive {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
    /// An archive has pages that are here already, with another history.
    #[error("the archive is refused: the store has another history of {}", some_of(pages))]
    OtherHistory {
        /// The pages.
        pages: Vec<String>,
    },
    /// An archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Stream(std::io::Error),
    /// A file could not be read or written.
    #[error("`{}`: {why}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why not; no source, because it is told already.
        why: std::io::Error,
    },
    /// Anything else that the database said.
    #[error("the database says: {0}")]
    Database(String),
}

fn near(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |suggestion| format!("; there is {suggestion}"))
}

fn told(faults: &[Fault]) -> String {
    const FEW: usize = 5;
    let told = faults.iter().take(FEW).map(|Fault { what, why }| format!("{what} is damaged: {why}"));
    let mut text = told.collect::<Vec<_>>().join("; ");
    if let Some(more) = faults.len().checked_sub(FEW).filter(|&more| more > 0) {
        text.push_str(&format!("; and {more} more are"));
    }
    text
}

/// The first few pages, and how many more there are.
fn some_of(pages: &[String]) -> String {
    const FEW: usize = 5;
    let mut text = pages.iter().take(FEW).map(|page| format!("`{page}`")).collect::<Vec<_>>().join(", ");
    if let Some(more) = pages.len().checked_sub(FEW).filter(|&more| more > 0) {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

impl From<crate::StepError> for Error {
    fn from(error: crate::StepError) -> Self {
        Error::damaged("a step between two versions", error.to_string())
    }
}

impl Error {
    pub(crate) fn damaged(what: impl Into<String>, why: impl Into<String>) -> Self {
        Error::Damaged { what: what.into(), why: why.into() }
    }

    /// Damage, with the name of what it hurts.
    pub(crate) fn at(self, place: String) -> Self {
        match self {
            Error::Damaged { what, why } => Error::Damaged { what: place, why: format!("{what}: {why}") },
            error => error,
        }
    }

    /// Whether only what is stored at one place is hurt, so that the rest can still be read.
    pub fn is_damage(&self) -> bool {
        matches!(self, Error::Damaged { .. } | Error::Hurt { .. })
    }
}
