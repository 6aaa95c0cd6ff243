//! How does a store become small? Versions that are alike are put behind one another in packs, and each pack is compressed
//! as one: the pages in the order of their URLs, the newest version first, so that what is asked for most is reached first.
//! The steps to those versions are a pack of their own, whose base is the pack of the versions: most of what they say
//! stands there.
//!
//! Packs that are full and have little in them that was dropped are left as they are, and so are the steps to what is in them,
//! so that it costs what is new.

use std::collections::HashSet;

use super::{Effort, FrameId, Frames, Piece, compress, insert};
use crate::engine::{Database, Transaction, values};
use crate::history::{pages_behind, piece_of};
use crate::page::PageId;
use crate::steps::rows::{move_step, step_row};
use crate::verify::Hurt;
use crate::{Page, Result};

/// The raw bytes of a pack. At 2 MiB any version comes back in a few milliseconds; 8 MiB would save a twentieth more.
const PACK_BYTES: usize = 2 << 20;
/// Larger contents stay as they were recorded, differences from one another, and so do the steps to them.
const LARGE: usize = PACK_BYTES / 4;

/// Puts what is loose into packs and gives back the space; tells of every page that was looked at.
pub(crate) fn compact(database: &Database, mut progress: impl FnMut(&Page)) -> Result<()> {
    let newest = database.read(|transaction| transaction.number("SELECT coalesce(max(id), 0) FROM frame", &[]))?;
    let wasteful = database.read(wasteful)?;
    let (frames, group, hurt) = (Frames::default(), Group::default(), Hurt::default());
    let mut packer = Packer { database, frames, newest, wasteful, group, hurt };
    let mut last = (String::new(), 0);
    loop {
        let pages = database.read(|transaction| pages_behind(transaction, &last))?;
        let Some(end) = pages.last() else { break };
        last = (end.address.url().to_owned(), end.id);
        for page in &pages {
            packer.page(page)?;
            progress(page);
        }
    }
    packer.flush()?;
    let hurt = packer.hurt;
    sweep(database)?;
    let mut session = database.session()?;
    database.engine().shrink(&mut *session)?;
    database.give_back(session);
    hurt.told()
}

/// The packs of which less than three quarters are still in use.
fn wasteful(transaction: &mut Transaction<'_>) -> Result<HashSet<FrameId>> {
    let of_contents = "SELECT frame.id FROM frame JOIN content ON content.frame = frame.id \
                       GROUP BY frame.id, frame.length HAVING sum(content.length) * 4 < frame.length * 3";
    // Steps alone would lose what they are a difference from, and take more than before: the versions go with them.
    let of_steps = "SELECT coalesce(frame.base, frame.id) FROM frame JOIN step ON step.frame = frame.id \
                    GROUP BY frame.id, frame.base, frame.length HAVING sum(step.length) * 4 < frame.length * 3";
    let mut found = HashSet::new();
    for sql in [of_contents, of_steps] {
        transaction.query(sql, &[], |mut row| {
            found.insert(row.take()?);
            Ok(())
        })?;
    }
    Ok(found)
}

struct Packer<'d> {
    database: &'d Database,
    frames: Frames,
    /// The newest frame from before; later ones are packs of our own.
    newest: FrameId,
    /// Packs of which much was dropped.
    wasteful: HashSet<FrameId>,
    group: Group,
    /// Versions that cannot be read stay where they are.
    hurt: Hurt,
}

/// What becomes a pack.
#[derive(Default)]
struct Group {
    contents: Vec<Loose<i64>>,
    /// The contents that it has: a page may have been as it is more than once.
    taken: HashSet<i64>,
    steps: Vec<Loose<(PageId, u32)>>,
    bytes: usize,
    step_bytes: usize,
}

/// Something that is to be put elsewhere.
struct Loose<K> {
    key: K,
    from: Piece,
    raw: Vec<u8>,
}

/// A version as it lies.
struct Lying {
    number: u32,
    content: i64,
    piece: Piece,
    frame_length: usize,
    step: Option<LyingStep>,
}

/// The step to a version as it lies.
struct LyingStep {
    piece: Piece,
    /// The frame that its own is a difference from, or its own: where that stays, so does the step.
    ground: FrameId,
    ground_length: usize,
}

impl Packer<'_> {
    fn page(&mut self, page: &Page) -> Result<()> {
        let versions = match self.database.read(|transaction| lying(transaction, page.id)) {
            Ok(versions) => versions,
            Err(error) => return self.hurt.note(page.address.to_string(), error),
        };
        for version in versions.into_iter().filter(|version| version.piece.length <= LARGE) {
            let place = || format!("version {} of {}", version.number, page.address);
            if let Err(error) = self.take(page.id, &version) {
                self.hurt.note(place(), error)?;
            }
            if self.group.bytes.max(self.group.step_bytes) >= PACK_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn take(&mut self, page: PageId, version: &Lying) -> Result<()> {
        let &Lying { number, content, piece, frame_length, ref step } = version;
        let is_loose = |frame: FrameId, length: usize| {
            frame <= self.newest && (length < PACK_BYTES / 2 || self.wasteful.contains(&frame))
        };
        let piece = Some(piece).filter(|piece| is_loose(piece.frame, frame_length));
        // A step goes where its version goes, or it would hold what its frame is a difference from.
        let step = step.as_ref().filter(|step| piece.is_some() || is_loose(step.ground, step.ground_length));
        let step = step.map(|step| step.piece);
        let (database, frames, group) = (self.database, &mut self.frames, &mut self.group);
        database.read(|transaction| {
            // Another packer may have been here since, and have taken away where it was.
            let (piece, step) = (at_rest(transaction, piece, content)?, step_at_rest(transaction, step, page, number)?);
            if let Some(from) = piece.filter(|_| group.taken.insert(content)) {
                group.contents.push(Loose { key: content, from, raw: frames.piece(transaction, from)? });
                group.bytes += from.length;
            }
            if let Some(from) = step {
                group.steps.push(Loose { key: (page, number), from, raw: frames.piece(transaction, from)? });
                group.step_bytes += from.length;
            }
            Ok(())
        })
    }

    /// Writes the group as a pack, and the steps to it as another.
    fn flush(&mut self) -> Result<()> {
        let Group { contents, steps, .. } = std::mem::take(&mut self.group);
        if contents.is_empty() && steps.is_empty() {
            return Ok(());
        }
        let contents_raw: Vec<u8> = contents.iter().flat_map(|loose| &loose.raw).copied().collect();
        let steps_raw: Vec<u8> = steps.iter().flat_map(|loose| &loose.raw).copied().collect();
        let base = (!contents.is_empty()).then_some(&*contents_raw);
        let contents_data = compress(&contents_raw, None, Effort::Compact)?;
        let steps_data = compress(&steps_raw, base, Effort::Compact)?;
        self.database.write(|transaction| {
            let mut base = None;
            if !contents.is_empty() {
                let length = contents_raw.len();
                let frame = insert(transaction, None, length, length, &contents_data)?;
                let mut start = 0;
                for loose in &contents {
                    place(transaction, loose.key, loose.from, frame, start)?;
                    start += loose.raw.len();
                }
                base = Some(frame);
            }
            if !steps.is_empty() {
                let frame = insert(transaction, base, steps_raw.len(), 0, &steps_data)?;
                let mut start = 0;
                for loose in &steps {
                    move_step(transaction, loose.key, loose.from, Piece { frame, start, ..loose.from })?;
                    start += loose.raw.len();
                }
            }
            Ok(())
        })
    }
}

/// The versions of a page, newest first.
fn lying(transaction: &mut Transaction<'_>, page: PageId) -> Result<Vec<Lying>> {
    let sql = "SELECT v.number, c.id, c.frame, c.start, c.length, f.length, \
               s.frame, s.start, s.length, coalesce(b.id, g.id), coalesce(b.length, g.length) \
               FROM version v JOIN content c ON c.id = v.content JOIN frame f ON f.id = c.frame \
               LEFT JOIN step s ON s.page = v.page AND s.number = v.number LEFT JOIN frame g ON g.id = s.frame \
               LEFT JOIN frame b ON b.id = g.base \
               WHERE v.page = $1 ORDER BY v.number DESC";
    transaction.all(sql, values![page], |mut row| {
        let (number, content) = (row.take()?, row.take()?);
        let piece = Piece { frame: row.take()?, start: row.take()?, length: row.take()? };
        let frame_length = row.take()?;
        let step = match row.take::<Option<FrameId>>()? {
            Some(frame) => {
                let piece = Piece { frame, start: row.take()?, length: row.take()? };
                Some(LyingStep { piece, ground: row.take()?, ground_length: row.take()? })
            }
            None => None,
        };
        Ok(Lying { number, content, piece, frame_length, step })
    })
}

/// The piece of a content that is still there.
fn at_rest(transaction: &mut Transaction<'_>, piece: Option<Piece>, content: i64) -> Result<Option<Piece>> {
    let Some(piece) = piece else { return Ok(None) };
    let sql = "SELECT frame, start, length FROM content WHERE id = $1";
    Ok(transaction.first(sql, values![content], piece_of)?.filter(|now| *now == piece))
}

fn step_at_rest(
    transaction: &mut Transaction<'_>,
    piece: Option<Piece>,
    page: PageId,
    number: u32,
) -> Result<Option<Piece>> {
    let Some(piece) = piece else { return Ok(None) };
    Ok(step_row(transaction, page, number)?.map(|row| row.piece).filter(|now| *now == piece))
}

/// Says where a content is now, unless somebody else has put it elsewhere or dropped it.
fn place(transaction: &mut Transaction<'_>, content: i64, from: Piece, frame: FrameId, start: usize) -> Result<()> {
    let sql = "UPDATE content SET frame = $1, start = $2 WHERE id = $3 AND frame = $4 AND start = $5";
    transaction.execute(sql, values![frame, start, content, from.frame, from.start])?;
    Ok(())
}

/// Takes away the frames that nothing needs any more, be it as what another is a difference from.
fn sweep(database: &Database) -> Result<()> {
    let sql = "WITH RECURSIVE needed (id) AS (SELECT frame FROM content UNION SELECT frame FROM step UNION \
               SELECT frame.base FROM frame JOIN needed ON frame.id = needed.id WHERE frame.base IS NOT NULL) \
               DELETE FROM frame WHERE id NOT IN (SELECT id FROM needed)";
    database.write(|transaction| transaction.execute(sql, &[]))?;
    let sql = "DELETE FROM details WHERE NOT EXISTS (SELECT 1 FROM version WHERE version.details = details.id)";
    database.write(|transaction| transaction.execute(sql, &[]))?;
    Ok(())
}
