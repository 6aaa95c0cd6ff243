//! What became of something in a stored page?

use treediff::delta::{Identities, Xid};
use treediff::select::{Context, Expression};

use super::{Life, Reading, Turn, Values};
use crate::frames::Frames;
use crate::history::{content, known_page, step_bytes, versions};
use crate::{Address, Error, Result, Store};

impl Store {
    /// The values of an expression in each version of a page, oldest first; versions in a row that have the same are one.
    pub fn trace(
        &self,
        address: &Address,
        expression: &Expression,
        context: &Context<'static>,
    ) -> Result<Vec<Reading>> {
        let mut values = Values::new(expression, context);
        self.for_each_version(address, |seen| {
            let added = values.add((&seen.version).into(), seen.document.as_deref());
            added.map_err(|error| Error::Invalid(format!("version {}: {error}", seen.version.number)))
        })?;
        Ok(values.into_readings())
    }

    /// What happened to a node of a page: when it came, changed, moved and left, as far back as versions are kept.
    pub fn life(&self, address: &Address, node: Xid) -> Result<Vec<Turn>> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let mut frames = Frames::default();
            let mut life = Life::of(node);
            for (index, version) in versions(transaction, page.id)?.into_iter().enumerate() {
                match step_bytes(transaction, &mut frames, page.id, version.number)? {
                    Some(step) => life.add((&version).into(), &step)?,
                    None if version.details.tree.is_some() => {
                        let content = content(transaction, &mut frames, &version)?;
                        let document = crate::record::document(&version.details, &content);
                        let first = document.as_deref().map(Identities::of_first_version);
                        first.iter().for_each(|first| life.set((&version).into(), first));
                    }
                    None => {}
                }
                if index == 0 && version.number > 1 {
                    life.begin_later();
                }
            }
            Ok(life.into_turns())
        })
    }
}
