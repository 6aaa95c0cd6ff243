//! What does a style attribute say? Its declarations, as far as nobody hides one in strings or comments.

/// The declarations of a style attribute: their names and values.
pub fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim().to_ascii_lowercase();
        let value = value.strip_suffix("!important").unwrap_or(&value).trim_end();
        Some((name.trim().to_ascii_lowercase(), value.to_owned()))
    })
}

/// What it says of a property; of several declarations the last counts.
pub fn declared(style: &str, property: &str) -> Option<String> {
    declarations(style).filter(|(name, _)| name == property).last().map(|(_, value)| value)
}
