//! Which pages are the same as this one, as of now?

use std::io::Write;

use serde::Serialize;
use store::{Address, Store};
use treediff::render::printable;

use crate::node_record::write_line;

/// Names some of them, where there are any.
pub fn tell(store: &Store, address: &Address, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    const MOST: u32 = 20;
    let mirrors: Vec<String> = store.mirrors(address, MOST)?.iter().map(|page| page.address.to_string()).collect();
    match (mirrors.is_empty(), json) {
        (true, _) => Ok(()),
        (false, true) => Ok(write_line(&Mirrors { page: address.to_string(), mirrors }, out)?),
        (false, false) => Ok(writeln!(out, "       now the same as {}", printable(&mirrors.join(", ")))?),
    }
}

/// Pages with the same content in `--json` output.
#[derive(Debug, Serialize)]
struct Mirrors {
    page: String,
    mirrors: Vec<String>,
}
