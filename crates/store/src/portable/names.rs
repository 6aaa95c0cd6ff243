//! What are the entries of an archive called?

use std::fmt;

use crate::ReaderId;

/// The name of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    Head,
    Content(blake3::Hash),
    Page(Key),
    Step { page: Key, number: u32, form: StepForm },
    Reader(ReaderId),
}

/// What a step is: a delta in XML, or a break, of which only the identities are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepForm {
    Delta,
    Break,
}

/// The key of a page, which its address gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(pub(super) [u8; 16]);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Key {
    pub(super) fn read(text: &str) -> Option<Self> {
        let number = u128::from_str_radix(text, 16).ok()?;
        let key = Key(number.to_be_bytes());
        (key.to_string() == text).then_some(key)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Head => f.write_str("deltaic-archive.json"),
            Name::Content(hash) => {
                let hash = hash.to_hex();
                write!(f, "contents/{}/{hash}", &hash[..2])
            }
            Name::Page(page) => write!(f, "pages/{page}/page.jsonl"),
            Name::Step { page, number, form: StepForm::Delta } => write!(f, "pages/{page}/{number}.delta.xml"),
            Name::Step { page, number, form: StepForm::Break } => write!(f, "pages/{page}/{number}.break.json"),
            Name::Reader(reader) => write!(f, "readers/{reader}.jsonl"),
        }
    }
}

impl Name {
    /// The name that a text is; none where it is none, or written otherwise.
    pub(super) fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let name = match parts[..] {
            ["deltaic-archive.json"] => Name::Head,
            ["contents", _, hash] => Name::Content(blake3::Hash::from_hex(hash).ok()?),
            ["pages", page, "page.jsonl"] => Name::Page(Key::read(page)?),
            ["pages", page, step] => {
                let (number, form) = match step.split_once('.')? {
                    (number, "delta.xml") => (number, StepForm::Delta),
                    (number, "break.json") => (number, StepForm::Break),
                    _ => return None,
                };
                Name::Step { page: Key::read(page)?, number: number.parse().ok()?, form }
            }
            ["readers", reader] => Name::Reader(reader.strip_suffix(".jsonl")?.parse().ok()?),
            _ => return None,
        };
        (name.to_string() == text).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written_and_in_no_other_way() {
        let hash = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        let key = "00112233445566778899aabbccddeeff";
        let check = |text: &str, is_name: bool| {
            let name = Name::read(text);
            assert_eq!(name.is_some(), is_name, "{text}");
            assert!(name.is_none_or(|name| name.to_string() == text), "{text}");
        };
        check("deltaic-archive.json", true);
        check(&format!("contents/af/{hash}"), true);
        check(&format!("pages/{key}/page.jsonl"), true);
        check(&format!("pages/{key}/7.delta.xml"), true);
        check(&format!("pages/{key}/7.break.json"), true);
        check("readers/0.jsonl", true);
        for text in ["", "/", "..", "../deltaic-archive.json", "/deltaic-archive.json", "./deltaic-archive.json"] {
            check(text, false);
        }
        check(&format!("contents/ae/{hash}"), false);
        check(&format!("contents/../{hash}"), false);
        check(&format!("contents/af/{}", hash.to_uppercase()), false);
        check(&format!("pages/{key}/07.delta.xml"), false);
        check(&format!("pages/{key}/+7.delta.xml"), false);
        check(&format!("pages/{key}/99999999999.delta.xml"), false);
        check("pages/+0112233445566778899aabbccddeeff/page.jsonl", false);
        check("pages/7/page.jsonl", false);
        check("readers/anna.jsonl", false);
        check("readers/../0.jsonl", false);
    }
}
