//! Are two numbers equal, however they are written? `1`, `1.0` and `10e-1` are.

/// Whether two JSON numbers are numerically equal, at any precision.
pub(super) fn equal(a: &str, b: &str) -> bool {
    a == b || matches!((Decimal::read(a), Decimal::read(b)), (Some(a), Some(b)) if a == b)
}

/// The digits from the first to the last that is not 0, and the power of ten of the place behind them.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i128,
}

impl Decimal {
    /// `None` where the exponent is beyond all numbers.
    fn read(written: &str) -> Option<Self> {
        let (is_negative, unsigned) = written.strip_prefix('-').map_or((false, written), |rest| (true, rest));
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Decimal { is_negative: false, digits: String::new(), exponent: 0 });
        }
        let dropped = all.len() - all.trim_end_matches('0').len();
        let exponent =
            exponent.parse::<i128>().ok()?.checked_add(dropped as i128)?.checked_sub(fraction.len() as i128)?;
        Some(Decimal { is_negative, digits: digits.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::equal;

    #[test]
    fn by_value() {
        let equals =
            [("1", "1.0"), ("10", "1e1"), ("1E+2", "100.00"), ("0", "-0.0e7"), ("0.05", "5e-2"), ("-1", "-10e-1")];
        for (a, b) in equals {
            assert!(equal(a, b) && equal(b, a), "{a} {b}");
        }
        let others =
            [("1", "-1"), ("1", "10"), ("0.1", "0.01"), ("1e400", "1e401"), ("9007199254740993", "9007199254740992")];
        for (a, b) in others {
            assert!(!equal(a, b), "{a} {b}");
        }
        assert!(!equal("1e99999999999999999999999999999999999999999", "1"));
    }
}
