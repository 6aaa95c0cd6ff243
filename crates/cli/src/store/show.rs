//! What was there? The bytes of a version, exactly as they came.

use super::facts::VersionFacts;
use super::{meant, place};
use crate::args::ShowArgs;
use crate::node_record::write_line;
use crate::output;

pub fn run(args: &ShowArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let (address, version) = meant::version_nearest(&store, &args.page, args.nearest.into(), &args.store)?;
    let file = args.output.file.as_deref();
    if args.json {
        let facts = VersionFacts::of(&address, &version);
        return output::write(file, |mut out| Ok(write_line(&facts, &mut out)?));
    }
    let content = store.content(&version)?;
    output::write(file, |out| Ok(out.write_all(&content)?))
}
