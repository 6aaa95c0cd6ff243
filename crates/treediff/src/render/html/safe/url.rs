//! Where does a link lead? References resolved as browsers do it, and sorted by what may be done with them.
//!
//! This is the part of the WHATWG's URL standard that decides what a reference means: which characters are not seen,
//! which scheme it has, which slashes are none. Hosts are not normalised further than to lower case: an address whose
//! host is an allowed one only after mapping is refused, which is safe, and links are left to the browser.

use std::borrow::Cow;
use std::fmt;

/// Who answers at an address: `https://example.org`, `http://localhost:8080`.
///
/// ```
/// use treediff::render::html::Origin;
///
/// let origin: Origin = "https://Example.org/news/?page=2".parse()?;
/// assert_eq!(origin.to_string(), "https://example.org");
/// assert!("example.org".parse::<Origin>().is_err());
/// # Ok::<(), treediff::render::html::NoOrigin>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    scheme: &'static str,
    /// With the port where it is not the scheme's own.
    host: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        [self.scheme, "://", &self.host].into_iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// Something is no address with an origin that content could be loaded from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found `{0}`, expected an address such as `https://example.org`")]
pub struct NoOrigin(String);

impl std::str::FromStr for Origin {
    type Err = NoOrigin;

    /// The origin of an address; what a policy could not name is none.
    fn from_str(address: &str) -> Result<Self, NoOrigin> {
        let origin = Url::parse(address).map(|url| url.origin);
        let is_named = |origin: &Origin| {
            let mut bytes = origin.host.bytes();
            origin.scheme != "ftp" && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte))
        };
        origin.filter(is_named).ok_or_else(|| NoOrigin(crate::text::shortened(address, 100)))
    }
}

/// An absolute address of something on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    origin: Origin,
    /// From its first slash.
    path: String,
    /// With its `?`, or empty.
    query: String,
    /// With its `#`, or empty.
    fragment: String,
}

impl Url {
    /// The address that a text is by itself; `None` for anything but http, https and ftp.
    pub(crate) fn parse(text: &str) -> Option<Url> {
        match resolve(text, None) {
            Target::Web(url) => Some(url),
            _ => None,
        }
    }

    /// Who answers at this address.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The whole address. It is no `Display`, since a page has one in every link, and formatting takes several times as long.
    pub(crate) fn text(&self) -> String {
        let Origin { scheme, host } = &self.origin;
        [scheme, "://", host, &self.path, &self.query, &self.fragment].concat()
    }

    /// The same as browsers ask for it: letters beyond ASCII are in percent form, in UTF-8. In a query they are in the page's encoding,
    /// which nobody knows here.
    pub(crate) fn asked_for(&self) -> String {
        if self.path.is_ascii() && self.fragment.is_ascii() {
            return self.text();
        }
        let [path, fragment] = [&self.path, &self.fragment].map(|part| in_percent_form(part, |byte| !byte.is_ascii()));
        Url { path, fragment, ..self.clone() }.text()
    }
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A place of the page itself: the fragment with its `#`.
    Inside(String),
    /// Something on the web.
    Web(Url),
    /// Somebody to write to or to call.
    Person(String),
    /// An image of pixels, written in the address itself.
    Pixels(String),
    /// It is relative, and nothing is known that it could be relative to.
    Unresolved(String),
    /// Nothing that may be followed or loaded.
    Refused,
}

/// What a reference of a page at `base` leads to.
pub(super) fn resolve(reference: &str, base: Option<&Url>) -> Target {
    let text = seen_by_browsers(reference);
    if text.starts_with('#') {
        return Target::Inside(encoded(&text));
    }
    let Some((scheme, rest)) = split_scheme(&text) else {
        return relative(&text, base);
    };
    let Some(scheme) = known_scheme(scheme) else { return Target::Refused };
    match scheme {
        "mailto" | "tel" => Target::Person(encoded(&text)),
        "data" => pixels(&text, rest),
        // So it is: `http:page.html` is relative where the base has the same scheme.
        _ if base.is_some_and(|base| base.origin.scheme == scheme) => relative(rest, base),
        _ => absolute(scheme, rest),
    }
}

/// Whether a reference names a user, who is no part of a [`Url`].
pub(super) fn names_user(reference: &str) -> bool {
    let text = seen_by_browsers(reference);
    let (head, _, _) = split_tail(&text);
    let (has_scheme, rest) = split_scheme(head).map_or((false, head), |(_, rest)| (true, rest));
    let authority = rest.trim_start_matches(['/', '\\']);
    let is_authority = has_scheme || rest.len() - authority.len() > 1;
    is_authority && authority.split(['/', '\\']).next().is_some_and(|authority| authority.contains('@'))
}

/// The reference without what browsers take out before they look at it.
fn seen_by_browsers(reference: &str) -> Cow<'_, str> {
    // Nearly all are without any.
    if reference.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(reference);
    }
    let trimmed = reference.trim_matches(|c: char| c <= ' ');
    let is_ignored = |c: char| matches!(c, '\t' | '\n' | '\r');
    match trimmed.contains(is_ignored) {
        true => Cow::Owned(trimmed.replace(is_ignored, "")),
        false => Cow::Borrowed(trimmed),
    }
}

fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let end = text.bytes().position(|byte| !is_part(byte))?;
    let begins_well = text.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins_well && text.as_bytes()[end] == b':').then(|| (&text[..end], &text[end + 1..]))
}

fn known_scheme(written: &str) -> Option<&'static str> {
    ["https", "http", "mailto", "tel", "ftp", "data"].into_iter().find(|known| known.eq_ignore_ascii_case(written))
}

/// An SVG image is left out: it is a document of its own, and whoever opens it by itself would run it.
fn pixels(text: &str, rest: &str) -> Target {
    const TYPES: [&str; 9] = ["png", "gif", "jpeg", "jpg", "webp", "avif", "bmp", "x-icon", "vnd.microsoft.icon"];
    let end = rest.find([';', ',']).unwrap_or(rest.len());
    let is_image = rest[..end].split_once('/').is_some_and(|(kind, subtype)| {
        kind.eq_ignore_ascii_case("image") && TYPES.iter().any(|known| known.eq_ignore_ascii_case(subtype))
    });
    if is_image { Target::Pixels(encoded(text)) } else { Target::Refused }
}

/// An address that names its scheme and does not share it with the base: all slashes before the host are alike.
fn absolute(scheme: &'static str, rest: &str) -> Target {
    let (rest, query, fragment) = split_tail(rest);
    with_host(scheme, rest.trim_start_matches(['/', '\\']), query, fragment)
}

fn with_host(scheme: &'static str, rest: &str, query: &str, fragment: &str) -> Target {
    let end = rest.find(['/', '\\']).unwrap_or(rest.len());
    match host(scheme, &rest[..end]) {
        Some(host) => {
            let path = path("/", rest[end..].get(1..).unwrap_or_default());
            web(Origin { scheme, host }, path, query, fragment)
        }
        None => Target::Refused,
    }
}

fn relative(text: &str, base: Option<&Url>) -> Target {
    let Some(base) = base else { return Target::Unresolved(encoded(text)) };
    let (rest, query, fragment) = split_tail(text);
    let slashes = rest.bytes().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    if slashes > 1 {
        return with_host(base.origin.scheme, &rest[slashes..], query, fragment);
    }
    let path = match (slashes, rest.is_empty()) {
        (0, true) => base.path.clone(),
        (0, false) => path(&base.path[..=base.path.rfind('/').unwrap_or(0)], rest),
        _ => path("/", &rest[1..]),
    };
    let query = if rest.is_empty() && query.is_empty() { &base.query } else { query };
    web(base.origin.clone(), path, query, fragment)
}

fn web(origin: Origin, path: String, query: &str, fragment: &str) -> Target {
    Target::Web(Url { origin, path, query: encoded(query), fragment: encoded(fragment) })
}

/// What is before the query, the query with its `?`, and the fragment with its `#`.
fn split_tail(text: &str) -> (&str, &str, &str) {
    let (text, fragment) = text.split_at(text.find('#').unwrap_or(text.len()));
    let (text, query) = text.split_at(text.find('?').unwrap_or(text.len()));
    (text, query, fragment)
}

/// The host and its port, without the user's name and password, which are nobody's business; `None` where it can be
/// no host.
fn host(scheme: &str, authority: &str) -> Option<String> {
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let name_end = match authority.strip_prefix('[') {
        Some(_) => authority.find(']')? + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (name, port) = authority.split_at(name_end);
    let port = match port {
        "" | ":" => None,
        _ => Some(port.strip_prefix(':')?.parse::<u16>().ok()?),
    };
    let is_good = if name.starts_with('[') { is_ip_v6(name) } else { !name.is_empty() && name.chars().all(is_in_host) };
    let own_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => 21,
    };
    let mut host = is_good.then(|| name.to_ascii_lowercase())?;
    if let Some(port) = port.filter(|&port| port != own_port) {
        host.push_str(&format!(":{port}"));
    }
    Some(host)
}

fn is_ip_v6(name: &str) -> bool {
    let inside = &name[1..name.len() - 1];
    !inside.is_empty() && inside.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'))
}

/// Fewer than the standard allows: quotes, commas and semicolons mean something in a Content-Security-Policy, where
/// origins are written, and are in no host that exists.
fn is_in_host(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '-' | '.' | '_' | '~')
        || (!c.is_ascii() && !c.is_control() && !c.is_whitespace())
}

/// The path of `relative` in a folder.
fn path(folder: &str, relative: &str) -> String {
    // Of two slashes alone one has always been left.
    if !is_straight(relative) || folder == "//" {
        return followed(folder, relative);
    }
    let mut path = String::with_capacity(folder.len() + relative.len());
    path.push_str(folder);
    push_encoded(relative, &mut path);
    path
}

/// The same part by part, `.` and `..` followed.
fn followed(folder: &str, relative: &str) -> String {
    // A folder begins and ends with a slash.
    let inside = folder.get(1..folder.len().saturating_sub(1)).filter(|inside| !inside.is_empty());
    let mut segments: Vec<&str> = inside.into_iter().flat_map(|inside| inside.split('/')).collect();
    let mut ends_open = true;
    for segment in relative.split(['/', '\\']) {
        ends_open = true;
        match dots(segment) {
            1 => {}
            2 => drop(segments.pop()),
            _ => {
                segments.push(segment);
                ends_open = false;
            }
        }
    }
    let mut path = String::with_capacity(folder.len() + relative.len() + 1);
    for segment in segments {
        path.push('/');
        push_encoded(segment, &mut path);
    }
    if ends_open {
        path.push('/');
    }
    path
}

/// Whether no part of a path can be a dot or two, and all of it is parted by slashes, as in nearly all.
fn is_straight(relative: &str) -> bool {
    let mut last = b'/';
    relative.bytes().all(|byte| {
        let is_straight = byte != b'\\' && !(last == b'/' && matches!(byte, b'.' | b'%'));
        last = byte;
        is_straight
    })
}

/// 1 for `.`, 2 for `..`, which may be written with `%2e`; otherwise 0.
fn dots(segment: &str) -> usize {
    if segment.len() > 6 || !segment.starts_with(['.', '%']) {
        return 0;
    }
    match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
        "." => 1,
        ".." => 2,
        _ => 0,
    }
}

/// The text with what would end an address, or a quoted one, in percent form. Other characters are the browser's.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_encoded(text, &mut out);
    out
}

fn push_encoded(text: &str, out: &mut String) {
    let is_odd = |byte: u8| byte <= b' ' || matches!(byte, b'"' | b'<' | b'>' | b'`' | 0x7F);
    // One look at all of it, since hardly any has one.
    match text.bytes().fold(false, |any, byte| any | is_odd(byte)) {
        true => out.push_str(&in_percent_form(text, is_odd)),
        false => out.push_str(text),
    }
}

/// The text with some of its bytes as `%` and two digits: ASCII, or all that is none.
fn in_percent_form(text: &str, is_odd: impl Fn(u8) -> bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        match is_odd(byte) {
            true => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            false => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
