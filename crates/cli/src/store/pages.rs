//! Which pages have a history?

use std::io::{self, Write};

use serde::Serialize;
use store::Page;
use treediff::render::printable;

use super::place;
use super::stream::stream;
use crate::args::PagesArgs;
use crate::node_record::write_line;

pub fn run(args: &PagesArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    stream(|each| store.for_each_page(&args.pattern, each), |page| write(&page, args.json, &mut stdout))?;
    Ok(stdout.flush()?)
}

/// A page in `--json` output.
#[derive(Debug, Serialize)]
struct Listed {
    page: String,
    /// 0 where every check has failed so far.
    latest: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
}

fn write(page: &Page, json: bool, out: &mut impl Write) -> io::Result<()> {
    let address = page.address.to_string();
    if json {
        return write_line(&Listed { page: address, latest: page.latest, canonical: page.canonical.clone() }, out);
    }
    writeln!(out, "{:>5}  {}", page.latest, printable(&address))
}
