//! How do numbers read and write? By XPath's own rules: no sign but `-`, no exponent, `NaN` for what is none.

/// The number that a string denotes, NaN where it denotes none.
pub(super) fn parse(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = whole.len() + fraction.len() > 0
        && whole.bytes().all(|byte| byte.is_ascii_digit())
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// The shortest decimal without an exponent that denotes the number.
pub(super) fn format(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if number == 0.0 {
        "0".to_owned() // also where it is negative
    } else {
        number.to_string()
    }
}

/// The nearest integer, of two the larger; what lies between -0.5 and 0 becomes negative zero.
pub(super) fn round(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 { floor + 1.0 } else { floor };
    if rounded == 0.0 { rounded.copysign(number) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_numbers_by_the_grammar_of_xpath_alone() {
        for (text, number) in [("1", 1.0), (" -12.5\n", -12.5), (".5", 0.5), ("5.", 5.0), ("-.5", -0.5)] {
            assert_eq!(parse(text), number, "{text:?}");
        }
        for text in ["", ".", "-", "+1", "1e3", "1 2", "inf", "NaN", "--1", "0x10", "\u{a0}1", "٣"] {
            assert!(parse(text).is_nan(), "{text:?}");
        }
    }

    #[test]
    fn numbers_are_written_without_exponent() {
        for (number, text) in [
            (1.0, "1"),
            (-0.0, "0"),
            (-1.5, "-1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(format(number), text);
        }
    }

    #[test]
    fn rounding_is_towards_positive_infinity_at_the_half() {
        for (number, rounded) in
            [(2.5, 3.0), (-2.5, -2.0), (0.49999999999999994, 0.0), (4503599627370497.0, 4503599627370497.0)]
        {
            assert_eq!(round(number), rounded);
        }
        assert!(round(-0.2).is_sign_negative() && round(-0.0).is_sign_negative());
        assert!(round(f64::NAN).is_nan());
        assert_eq!(round(f64::INFINITY), f64::INFINITY);
    }
}
