//! How are numbers written? Seven bits a byte, the lowest first, the top bit where more follow.

/// Adds a number.
pub(super) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front; `None` where there is none, or one of more than 64 bits, or one that could be shorter.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for at in 0..10 {
        let byte = *bytes.get(at)?;
        let bits = u64::from(byte & 0x7F);
        let is_last = byte < 0x80;
        if (at == 9 && byte > 1) || (is_last && at > 0 && bits == 0) {
            return None;
        }
        number |= bits << (7 * at);
        if is_last {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Takes as many bytes from the front as a number before them says.
pub(super) fn read_counted<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let count = usize::try_from(read(bytes)?).ok()?;
    let (counted, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(counted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_written(number in any::<u64>(), shift in 0..64u32, behind in any::<Vec<u8>>()) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            write(&mut bytes, number);
            bytes.extend(&behind);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(read(&mut rest), Some(number));
            prop_assert_eq!(rest, behind.as_slice());
        }

        /// What is read is what would be written, so that a step has one form.
        #[test]
        fn any_bytes_are_a_number_in_its_only_form_or_none(bytes in any::<Vec<u8>>()) {
            let mut rest = bytes.as_slice();
            if let Some(number) = read(&mut rest) {
                let mut written = Vec::new();
                write(&mut written, number);
                prop_assert_eq!(&written, &bytes[..bytes.len() - rest.len()]);
            }
        }
    }
}
