//! Where does a delta lead? Its start tag says so; the rest need not be read.

use memchr::memmem;

use super::{DeltaError, check, fields, read};
use crate::delta::{Delta, Identities};
use crate::parse::{self, Limits, Options};

/// The version that a delta leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The identities of its nodes.
    pub identities: Identities,
    /// Its [`document_hash`](crate::delta::document_hash).
    pub hash: u64,
}

impl Destination {
    /// The version that a delta leads to.
    pub fn of(delta: &Delta) -> Self {
        let identities = Identities { xids: delta.to_xids.clone(), next: delta.next_xid };
        Destination { identities, hash: delta.to_hash }
    }

    /// The version that a XyDelta leads to, by the beginning of its source; `None` where that does not reach to the end
    /// of the first tag.
    ///
    /// ```
    /// use treediff::delta::Destination;
    ///
    /// let source = br#"<xydelta xmlns="urn:deltaic:xydelta:1" whitespace="layout" fromHash="0000000000000000"
    ///     toHash="0000000000000000" fromXIDmap="(1-3)" toXIDmap="(1;4;3)" nextXID="5"><update nodeXID="1"><Ol"#;
    /// assert_eq!(Destination::read(&source[..90], &Default::default())?, None);
    /// let identities = Destination::read(source, &Default::default())?.unwrap().identities;
    /// assert_eq!((identities.xids.to_string().as_str(), identities.next.0), ("(1;4;3)", 5));
    /// # Ok::<(), treediff::delta::DeltaError>(())
    /// ```
    ///
    /// # Errors
    /// Where this is not the beginning of a XyDelta. That the rest of it is one is not known.
    pub fn read(beginning: &[u8], limits: &Limits) -> Result<Option<Destination>, DeltaError> {
        let Some(tag) = first_tag(beginning) else { return Ok(None) };
        let options = Options { limits: limits.clone(), ..Options::default() };
        let document = parse::xml(tag, &options)?.document;
        let delta = fields::header(read::root(&document)?).map_err(DeltaError::Header)?;
        check::header(&delta).map_err(DeltaError::Header)?;
        Ok(Some(Destination::of(&delta)))
    }
}

impl Identities {
    /// The identities of the version that a XyDelta leads to, as [`Destination::read`] finds them.
    pub fn read(beginning: &[u8], limits: &Limits) -> Result<Option<Identities>, DeltaError> {
        Ok(Destination::read(beginning, limits)?.map(|destination| destination.identities))
    }
}

/// The first start tag as an element without content, and all before it; `None` where the source is shorter.
pub(crate) fn first_tag(source: &[u8]) -> Option<Vec<u8>> {
    let source = &source[..start_tag_end(source)?];
    Some([source.strip_suffix(b"/").unwrap_or(source), b"/>"].concat())
}

/// Where the `>` of the first start tag stands, behind declarations, comments and instructions.
fn start_tag_end(source: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'<', &source[at..])?;
        let rest = &source[at..];
        at += match rest.get(1)? {
            b'?' => memmem::find(rest, b"?>")?,
            b'!' if rest.starts_with(b"<!--") => memmem::find(rest, b"-->")?,
            b'!' => declaration_end(rest)?,
            _ => return Some(at + tag_end(rest)?),
        };
    }
}

/// Where a tag ends whose values may have a `>` in them.
fn tag_end(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'"', b'\'', b'>', &rest[at..])?;
        match rest[at] {
            b'>' => return Some(at),
            quote => at += quoted_len(quote, &rest[at..])?,
        }
    }
}

/// Where a document type declaration ends. What stands in quotes, comments and instructions of its internal subset is
/// none of its markup.
fn declaration_end(rest: &[u8]) -> Option<usize> {
    let mut at = b"<!".len();
    let mut is_subset = false;
    loop {
        let here = &rest[at..];
        at += match here.first()? {
            b'>' if !is_subset => return Some(at),
            quote @ (b'"' | b'\'') => quoted_len(*quote, here)?,
            b'<' if here.starts_with(b"<!--") => memmem::find(here, b"-->")?,
            b'<' if here.starts_with(b"<?") => memmem::find(here, b"?>")?,
            other => {
                is_subset = *other == b'[' || (is_subset && *other != b']');
                1
            }
        };
    }
}

/// The length of what begins with a quote, to the next one.
fn quoted_len(quote: u8, rest: &[u8]) -> Option<usize> {
    memchr::memchr(quote, rest.get(1..)?).map(|len| len + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = r#"<xydelta xmlns="urn:deltaic:xydelta:1" whitespace="layout" fromHash="0000000000000000" toHash="0000000000000000" fromXIDmap="(1-3)" toXIDmap="(1-3)" nextXID="4""#;

    /// Whatever stands before and behind the tag, it is found as the reader of all finds it.
    #[test]
    fn the_tag_is_found() {
        for before in [
            "",
            "<?xml version=\"1.0\"?>\n",
            "<!-- <xydelta a='>' -->",
            "<?p <xydelta> ?>",
            "<!DOCTYPE xydelta>",
            "<!DOCTYPE xydelta SYSTEM \"a>b\">",
            "<!DOCTYPE xydelta [<!-- it's ]> \" --><?p don't ]> ?><!ENTITY x SYSTEM 'x\"]>'>]>",
            "<!-- it's --><?p isn't ?>",
            "<!DOCTYPE xydelta [<!ENTITY nbsp SYSTEM \"nb]>sp\"> <!ENTITY x SYSTEM 'x'>]>\n",
        ] {
            for behind in ["/>", ">\n</xydelta>"] {
                let source = format!("{before}{TAG}{behind}");
                let whole = Delta::read(source.as_str(), &Limits::default()).unwrap();
                let found = Destination::read(source.as_bytes(), &Limits::default()).unwrap().unwrap();
                assert_eq!(found, Destination::of(&whole), "{source}");
            }
        }
    }

    #[test]
    fn less_than_the_tag_is_too_little() {
        let source = format!("<!DOCTYPE xydelta [<!ENTITY nbsp SYSTEM \"nbsp\">]><!--c-->{TAG}>");
        for end in 0..source.len() {
            assert_eq!(Destination::read(&source.as_bytes()[..end], &Limits::default()), Ok(None), "{end}");
        }
        assert!(Destination::read(source.as_bytes(), &Limits::default()).unwrap().is_some());
    }

    #[test]
    fn what_is_no_delta_is_an_error() {
        for source in ["<a/>", "<xydelta/>", "<a", "<a>", "<>", "<a b='>'>", "<!D[>]>x<y>"] {
            assert!(!matches!(Destination::read(source.as_bytes(), &Limits::default()), Ok(Some(_))), "{source}");
        }
    }
}
