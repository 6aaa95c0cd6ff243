//! How much is there?

use serde::Serialize;

use crate::engine::Transaction;
use crate::{Result, Store};

/// Numbers about a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Pages.
    pub pages: u64,
    /// Those of them whose latest content is that of another page as well.
    pub mirrors: u64,
    /// Versions of them.
    pub versions: u64,
    /// Bytes of all versions, as they were captured.
    pub version_bytes: u64,
    /// Different contents among them.
    pub contents: u64,
    /// Bytes that contents take.
    pub content_bytes: u64,
    /// Steps between versions, each a delta with the identities of both sides.
    pub steps: u64,
    /// Bytes that steps take.
    pub step_bytes: u64,
    /// Bytes that the store takes on disk, all in all.
    pub disk_bytes: u64,
    /// Readers.
    pub readers: u64,
}

impl Store {
    /// Counts what is there.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.database.read(|transaction| {
            let mut count = |sql| count(transaction, sql);
            Ok(Stats {
                pages: count("SELECT count(*) FROM page")?,
                mirrors: count(
                    "SELECT CAST(coalesce(sum(pages), 0) AS BIGINT) FROM (SELECT count(*) AS pages FROM page \
                     WHERE latest_content IS NOT NULL GROUP BY latest_content HAVING count(*) > 1) alike",
                )?,
                versions: count("SELECT count(*) FROM version")?,
                // Versions that share a content are counted before it is looked up.
                version_bytes: count(
                    "SELECT CAST(coalesce(sum(v.versions * c.length), 0) AS BIGINT) FROM \
                     (SELECT content, count(*) AS versions FROM version GROUP BY content) v \
                     LEFT JOIN content c ON c.id = v.content",
                )?,
                contents: count("SELECT count(*) FROM content")?,
                content_bytes: count(
                    "SELECT CAST(coalesce(sum(length(data)), 0) AS BIGINT) FROM frame \
                     WHERE EXISTS (SELECT 1 FROM content WHERE content.frame = frame.id)",
                )?,
                steps: count("SELECT count(*) FROM step")?,
                step_bytes: count(
                    "SELECT CAST(coalesce(sum(length(data)), 0) AS BIGINT) FROM frame \
                     WHERE EXISTS (SELECT 1 FROM step WHERE step.frame = frame.id)",
                )?,
                readers: count("SELECT count(*) FROM reader")?,
                disk_bytes: 0,
            })
        })?;
        let mut session = self.database.session()?;
        stats.disk_bytes = self.database.engine().disk_bytes(&mut *session)?;
        self.database.give_back(session);
        Ok(stats)
    }
}

fn count(transaction: &mut Transaction<'_>, sql: &'static str) -> Result<u64> {
    transaction.number(sql, &[]).map(|count| count.max(0) as u64)
}
