//! How are readers taken? What they have seen and marked is added to what is known of them here, and takes nothing away.

use std::io::Read;

use super::{Archive, Importer, LONGEST_LINE, Refusal, parse};
use crate::engine::{Transaction, values};
use crate::page::PageId;
use crate::portable::lines::ReaderLine;
use crate::portable::names::Key;
use crate::readers::rows::{BookmarkRow, SeenRow};
use crate::readers::{self, LONGEST_NOTE};
use crate::{ReaderId, Result, milliseconds};

impl Importer<'_, '_> {
    pub(super) fn reader<R: Read>(&mut self, archive: &mut Archive<R>, reader: ReaderId) -> Result<()> {
        if self.last_reader.as_ref().is_some_and(|last| reader <= *last) {
            return Err(archive.refuse("readers are out of order, or one is there twice"));
        }
        readers::know_reader(self.transaction, &reader)?;
        while let Some(line) = archive.read_line(LONGEST_LINE)? {
            let line = parse(archive, &line)?;
            let taken = take(self.transaction, &reader, &line);
            taken.map_err(|why| why.at(|why| archive.refuse(why)))?;
        }
        self.last_reader = Some(reader);
        self.imported.readers += 1;
        Ok(())
    }
}

fn take(transaction: &mut Transaction<'_>, reader: &ReaderId, line: &ReaderLine) -> Result<(), Refusal> {
    match line {
        ReaderLine::Seen { page, number, time } => {
            let (page, latest) = known_page(transaction, page)?;
            // A version that was seen may have been dropped since.
            if !(1..=latest).contains(number) {
                return Err(Refusal::new(format!("the reader has seen version {number}, which never was")));
            }
            let seen = SeenRow { reader: reader.to_string(), page, number: *number, time: milliseconds(time.0) };
            Ok(seen.write(transaction)?)
        }
        ReaderLine::Bookmark { page, number, saved, note, time } => {
            let (page, _) = known_page(transaction, page)?;
            if crate::history::version(transaction, page, *number)?.is_none() {
                return Err(Refusal::new(format!("the reader has marked version {number}, which is not there")));
            }
            if note.len() > LONGEST_NOTE || note.contains('\0') {
                return Err(Refusal::new(format!("a note is longer than {LONGEST_NOTE} bytes, or has a NUL in it")));
            }
            let (reader, time) = (reader.to_string(), milliseconds(time.0));
            let bookmark = BookmarkRow { reader, page, number: *number, is_saved: *saved, note: note.clone(), time };
            Ok(bookmark.write_if_none(transaction)?)
        }
    }
}

/// A page by its key, and its latest version.
fn known_page(transaction: &mut Transaction<'_>, key: &str) -> Result<(PageId, u32), Refusal> {
    let unknown = || Refusal::new(format!("a page `{}` is not there", key.escape_debug()));
    let key = Key::read(key).ok_or_else(unknown)?;
    let sql = "SELECT id, latest FROM page WHERE key = $1";
    let found = transaction.first(sql, values![&key.0[..]], |mut row| Ok((row.take()?, row.take()?)))?;
    found.ok_or_else(unknown)
}
