//! What does an answer say of itself? Its media type, its tree, its title, and the address that it should be known by.

use std::sync::Arc;

use treediff::parse::{self, Options, guess};
use treediff::tree::{Document, Format};
use url::Url;

use crate::version::{Details, Tree};
use crate::{Address, Response};

/// Titles and canonical addresses are for people; longer ones are cut.
const MOST_CHARACTERS: usize = 1000;

/// What was found out of a response.
#[derive(Debug)]
pub(crate) struct Understood {
    pub(crate) details: Details,
    pub(crate) document: Option<Arc<Document>>,
    pub(crate) canonical: Option<String>,
}

/// What is found out of a response; `before` is what the version before it was written in.
pub(crate) fn understand(address: &Address, response: &Response, before: Option<Tree>) -> Understood {
    let content_type = response.header("content-type");
    let mut details = Details {
        media_type: content_type.and_then(media_type),
        charset: content_type.and_then(charset),
        headers: response.headers.clone(),
        ..Details::default()
    };
    let document = format(content_type, address.url(), &response.body, before.map(Format::from))
        .and_then(|format| parse_as(&response.body, format, details.charset.as_deref()));
    details.tree = document.as_deref().map(|document| document.format().into());
    details.title = document.as_deref().and_then(title);
    let canonical = document.as_deref().and_then(|document| canonical(document, address));
    Understood { details, document, canonical }
}

/// What a response is written in. Where only its first bytes tell, and those of a page may begin like XML at one time and like
/// HTML at another, it is what it was.
fn format(content_type: Option<&str>, url: &str, body: &[u8], before: Option<Format>) -> Option<Format> {
    let found = guess::format(content_type, url, body)?;
    let is_told = guess::format(content_type, url, b"").is_some();
    let is_markup = |format: &Format| matches!(format, Format::Html | Format::Xml);
    before.filter(|before| !is_told && is_markup(before) && is_markup(&found)).or(Some(found))
}

/// The tree of some content that was understood before.
pub(crate) fn document(details: &Details, body: &[u8]) -> Option<Arc<Document>> {
    details.tree.and_then(|tree: Tree| parse_as(body, tree.into(), details.charset.as_deref()))
}

fn parse_as(body: &[u8], format: Format, charset: Option<&str>) -> Option<Arc<Document>> {
    // The web is not well-formed, and its history is kept nevertheless.
    let options = Options { recover: true, encoding: charset.map(str::to_owned), ..Options::default() };
    parse::parse(body, format, &options).ok().map(|parsed| Arc::new(parsed.document.with_sorted_members()))
}

fn media_type(content_type: &str) -> Option<String> {
    let essence = content_type.split(';').next()?.trim().to_ascii_lowercase();
    Some(essence).filter(|essence| !essence.is_empty())
}

fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// The first title: that of the page, of the feed, of the drawing.
fn title(document: &Document) -> Option<String> {
    let is_title = |name: &str| name.eq_ignore_ascii_case("title");
    let title = head(document).find(|node| node.is_element() && is_title(node.name().local))?;
    let words = title.string_value().split_whitespace().collect::<Vec<_>>().join(" ");
    Some(words.chars().take(MOST_CHARACTERS).collect()).filter(|title: &String| !title.is_empty())
}

/// The address that a page says it should be known by.
pub(crate) fn canonical(document: &Document, address: &Address) -> Option<String> {
    let link = head(document).find(|node| {
        node.is_element()
            && node.name().local == "link"
            && node.attribute("", "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical"))
    })?;
    let base = Url::parse(address.url()).ok()?;
    let url = String::from(base.join(link.attribute("", "href")?.trim()).ok()?);
    (url.chars().count() <= MOST_CHARACTERS).then_some(url)
}

/// The nodes before the body of a page; of anything else the first few.
fn head(document: &Document) -> impl Iterator<Item = treediff::tree::Node<'_>> {
    const ENOUGH: usize = 2000;
    let is_html = document.format() == Format::Html;
    document.nodes().take(ENOUGH).take_while(move |node| !(is_html && node.is_element() && node.name().local == "body"))
}
