//! What does a JSON string say? Escapes, read the same way when they are checked and when they are decoded.

/// The first byte from `at` on that a string cannot hold as it is: the quote, a backslash, a control character; or
/// the end.
///
/// Eight bytes at a time: most strings are shorter than what a call of `memchr` is worth, and it has no way to stop
/// at control characters.
#[inline(always)]
pub(super) fn plain_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let has_zero = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let quotes = LOW * u64::from(quote);
    let backslashes = LOW * u64::from(b'\\');
    while let Some(Ok(chunk)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let word = u64::from_le_bytes(chunk);
        let below_space = word.wrapping_sub(LOW * u64::from(b' ')) & !word & HIGH;
        let special = has_zero(word ^ quotes) | has_zero(word ^ backslashes) | below_space;
        if special != 0 {
            // A borrow can set marks above the lowest one, which alone counts.
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_special = |&byte: &u8| byte == quote || byte == b'\\' || byte < b' ';
    bytes.get(at..).and_then(|rest| rest.iter().position(is_special)).map_or(bytes.len(), |found| at + found)
}

/// The value of a string as it is written between its quotes; of any text at all, whatever is wrong with it.
///
/// An escape that JSON does not know stays as it is written; half a surrogate pair is U+FFFD.
pub(crate) fn decode_string(written: &str) -> String {
    let mut decoded = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(backslash) = memchr::memchr(b'\\', rest.as_bytes()) {
        decoded.push_str(&rest[..backslash]);
        rest = &rest[backslash..];
        let escape = Escape::at(rest.as_bytes(), 0);
        let len = escape.len();
        match escape.character() {
            Some(character) => decoded.push(character),
            None => decoded.push_str(&rest[..len]),
        }
        rest = &rest[len..];
    }
    decoded.push_str(rest);
    decoded
}

/// A backslash and what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// `\n` and the like.
    Short(char),
    /// `\'`, which JSON does not know but everybody understands.
    SingleQuote,
    /// `\u` and four digits.
    Unit(char),
    /// Two of them that make one character.
    Pair(char),
    /// Half of a pair.
    Surrogate,
    /// A backslash with something else behind it, or nothing.
    Unknown,
}

impl Escape {
    /// The escape whose backslash is at `at`.
    pub(super) fn at(bytes: &[u8], at: usize) -> Self {
        match bytes.get(at + 1) {
            Some(b'u') => Escape::unit(bytes, at),
            Some(b'b') => Escape::Short('\u{8}'),
            Some(b'f') => Escape::Short('\u{c}'),
            Some(b'n') => Escape::Short('\n'),
            Some(b'r') => Escape::Short('\r'),
            Some(b't') => Escape::Short('\t'),
            Some(&same @ (b'"' | b'\\' | b'/')) => Escape::Short(same as char),
            Some(b'\'') => Escape::SingleQuote,
            _ => Escape::Unknown,
        }
    }

    fn unit(bytes: &[u8], at: usize) -> Self {
        let Some(first) = four_digits(bytes, at + 2) else { return Escape::Unknown };
        if let Some(character) = char::from_u32(first) {
            return Escape::Unit(character);
        }
        let is_escape = bytes.get(at + 6..at + 8) == Some(b"\\u");
        match is_escape.then(|| four_digits(bytes, at + 8)).flatten() {
            Some(second @ 0xDC00..=0xDFFF) if first < 0xDC00 => {
                let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                char::from_u32(joined).map_or(Escape::Surrogate, Escape::Pair)
            }
            _ => Escape::Surrogate,
        }
    }

    /// Bytes that belong to it; all of them are ASCII.
    pub(super) fn len(self) -> usize {
        match self {
            Escape::Short(_) | Escape::SingleQuote => 2,
            Escape::Unit(_) | Escape::Surrogate => 6,
            Escape::Pair(_) => 12,
            Escape::Unknown => 1,
        }
    }

    /// What is wrong with it, if anything is.
    pub(super) fn flaw(self) -> Option<&'static str> {
        match self {
            Escape::Short(_) | Escape::Unit(_) | Escape::Pair(_) => None,
            Escape::Surrogate => Some("found half a surrogate pair, expected both halves as `\\uD83D\\uDE00`"),
            Escape::SingleQuote | Escape::Unknown => {
                Some("found `\\`, expected one of `\"\\/bfnrt` or `u` and four hexadecimal digits behind it")
            }
        }
    }

    fn character(self) -> Option<char> {
        match self {
            Escape::Short(character) | Escape::Unit(character) | Escape::Pair(character) => Some(character),
            Escape::SingleQuote => Some('\''),
            Escape::Surrogate => Some(char::REPLACEMENT_CHARACTER),
            Escape::Unknown => None,
        }
    }
}

fn four_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |number, &digit| Some(number << 4 | (digit as char).to_digit(16)?))
}
