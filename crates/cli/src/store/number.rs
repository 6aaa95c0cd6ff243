//! Which number is in a text? Prices and counts as pages have them, with signs of currencies and units around.

/// What stands right before an amount without being a part of a name, in letters.
const CURRENCIES: [&str; 30] = [
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "Fr", "GBP", "HKD", "HUF", "ILS", "INR", "JPY", "KRW",
    "Kč", "MXN", "NOK", "NZD", "PLN", "RON", "Rs", "SEK", "SGD", "TRY", "USD", "ZAR", "kr", "zł",
];

/// The number that a text is, if it has one and no more: `€ 4.50`, `1,234.5 km`, `−3 °C`, `1 234,50`, `Price: 5`.
///
/// Of a comma and a point the later is the decimal sign. One of them alone is it too, unless it stands more than once or
/// is a comma before three digits. A letter that touches it makes it a part of a name, as in `v2`, unless that is a
/// currency.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let start = text.find(|character: char| character.is_ascii_digit())?;
    let end = text.rfind(|character: char| character.is_ascii_digit())? + 1;
    let (before, digits) = (&text[..start], &text[start..end]);
    if is_in_name(before) {
        return None;
    }
    let is_negative = before.trim_end().ends_with(['-', '−']) || before.starts_with(['-', '−']);
    let starts_with_point = before.ends_with('.') && !before.ends_with("Rs.") && !before.ends_with("Fr.");
    let plain = plain(digits)?;
    let number: f64 = if starts_with_point { format!("0.{plain}") } else { plain }.parse().ok()?;
    Some(if is_negative { -number } else { number })
}

/// Whether what stands before a number has it be a part of a name.
fn is_in_name(before: &str) -> bool {
    let before = before.trim_end_matches(['-', '−', '+', '.', '_']);
    let word = before.rsplit(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    !word.is_empty() && !CURRENCIES.contains(&word)
}

/// Digits with a point before the decimals and nothing between the others.
fn plain(digits: &str) -> Option<String> {
    if let Some((mantissa, exponent)) = digits.split_once(['e', 'E']) {
        let is_number = mantissa.parse::<f64>().is_ok() && exponent.parse::<i32>().is_ok();
        return is_number.then(|| digits.to_owned());
    }
    let decimal = decimal_sign(digits);
    let whole = &digits[..decimal.unwrap_or(digits.len())];
    let mut groups = whole.split(|character: char| !character.is_ascii_digit()).map(str::len);
    // Those of Indian numbers have two digits but for the last: `1,23,456`.
    let (first, others) = (groups.next().unwrap_or_default(), groups.collect::<Vec<_>>());
    let is_grouped = first <= 3 && others.iter().all(|&digits| matches!(digits, 2 | 3)) && others.ends_with(&[3]);
    if !others.is_empty() && !is_grouped {
        return None;
    }
    let mut plain = String::new();
    for (at, character) in digits.char_indices() {
        match character {
            '0'..='9' => plain.push(character),
            _ if Some(at) == decimal => plain.push('.'),
            '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'
                if decimal.is_none_or(|decimal| at < decimal) => {}
            _ => return None,
        }
    }
    Some(plain)
}

fn decimal_sign(digits: &str) -> Option<usize> {
    let last = digits.rfind(['.', ','])?;
    let sign = &digits[last..=last];
    let has_other = digits.contains(if sign == "." { ',' } else { '.' });
    let is_repeated = digits.matches(sign).count() > 1;
    let is_group = sign == "," && digits.len() - last == 4;
    (!is_repeated && (has_other || !is_group)).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_found() {
        for (text, expected) in [
            ("4", Some(4.0)),
            (" 4.50 ", Some(4.5)),
            ("€ 4.50", Some(4.5)),
            ("4,50 €", Some(4.5)),
            ("1,234", Some(1234.0)),
            ("1.234", Some(1.234)),
            ("1,234.5 km", Some(1234.5)),
            ("1.234,5", Some(1234.5)),
            ("1 234,50", Some(1234.5)),
            ("1\u{202f}234\u{202f}567", Some(1_234_567.0)),
            ("1,234,567", Some(1_234_567.0)),
            ("1.234.567", Some(1_234_567.0)),
            ("-3", Some(-3.0)),
            ("−3 °C", Some(-3.0)),
            ("-$5", Some(-5.0)),
            (".5", Some(0.5)),
            ("1.5e3", Some(1500.0)),
            ("42 %", Some(42.0)),
            ("", None),
            ("none", None),
            ("NaN", None),
            ("4 of 5", None),
            ("2026-11-01", None),
            ("12:30", None),
            ("4.5, 6", None),
            ("1e", Some(1.0)),
            ("EUR4,50", Some(4.5)),
            ("-USD5", Some(-5.0)),
            ("USD-5", Some(-5.0)),
            ("Rs. 1,23,456", Some(123_456.0)),
            ("Rs.500", Some(500.0)),
            ("US$5", Some(5.0)),
            ("Price: 5", Some(5.0)),
            ("about 5 km", Some(5.0)),
            ("5km", Some(5.0)),
            ("1'234.50 CHF", Some(1234.5)),
            ("12,345.678", Some(12_345.678)),
            ("v2", None),
            ("v2.1", None),
            ("version v.2", None),
            ("A4", None),
            ("covid-19", None),
            ("ISO9001", None),
            ("x_1", None),
            ("\u{e9}7", None),
            ("1.2.3", None),
            ("4 5", None),
            ("555 1234", None),
            ("1234 567", None),
            ("1,2,3", None),
        ] {
            assert_eq!(number(text), expected, "{text:?}");
        }
    }
}
