//! Does a text hold the word that no page may use? The case of letters does not count, since names have none.

use std::borrow::Cow;

/// A word by which our own marks are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'o>(pub(super) &'o str);

impl Key<'_> {
    pub(super) fn is_in(self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The text with a character in the place of the key. Without one, what stood on both sides could make it anew.
    pub(super) fn removed_from(self, text: &str) -> Cow<'_, str> {
        let Some(mut found) = self.find(text) else { return Cow::Borrowed(text) };
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        loop {
            kept.push_str(&rest[..found]);
            kept.push('_');
            rest = &rest[found + self.0.len()..];
            match self.find(rest) {
                Some(next) => found = next,
                None => break,
            }
        }
        kept.push_str(rest);
        Cow::Owned(kept)
    }

    fn find(self, text: &str) -> Option<usize> {
        // Most values are shorter than it.
        let &first = self.0.as_bytes().first().filter(|_| text.len() >= self.0.len())?;
        let is_here = |&at: &usize| {
            let here = text.as_bytes().get(at..at + self.0.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(self.0.as_bytes()))
        };
        memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text.as_bytes()).find(is_here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_gone_and_does_not_come_back() {
        let check = |text: &str, kept: &str| assert_eq!(Key("dab").removed_from(text), kept);
        check("", "");
        check("da b", "da b");
        check("dab", "_");
        check("xDaBx dabdab", "x_x __");
        check("ddabab", "d_ab");
        check("dadab", "da_");
        check("édabé", "é_é");
    }
}
