//! Which values and times are worth a mark? Round ones, few enough to be read.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Unit};

/// A range of numbers that is laid out along an axis.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    /// Where a number is, from 0 to 1.
    pub fn share(&self, number: f64) -> f64 {
        (number - self.least) / (self.most - self.least)
    }
}

/// A mark with its label.
#[derive(Debug, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

const MOST_VALUE_TICKS: f64 = 6.0;
const MOST_TIME_TICKS: i64 = 6;

/// A number that can be drawn; what is beyond these bounds nobody measured.
pub fn drawable(value: Option<f64>) -> Option<f64> {
    const MOST: f64 = 1e100;
    const LEAST: f64 = 1e-100;
    value.filter(|value| value.abs() < MOST).map(|value| if value.abs() < LEAST { 0.0 } else { value })
}

/// The range of values, which goes from mark to mark, and the marks: 1, 2 or 5 times a power of ten apart.
pub fn of_values(values: impl Iterator<Item = f64>) -> (Scale, Vec<Tick>) {
    let (mut least, mut most) =
        values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    if least > most {
        (least, most) = (0.0, 1.0);
    }
    if least == most {
        let around = if least == 0.0 { 1.0 } else { least.abs() / 10.0 };
        (least, most) = (least - around, most + around);
    }
    // Below that, neighbours could not be told apart.
    let finest = least.abs().max(most.abs()) * 1e-12;
    let step = round_step(((most - least) / MOST_VALUE_TICKS).max(finest));
    let (first, last) = ((least / step).floor(), (most / step).ceil());
    let count = (last - first).clamp(1.0, 2.0 * MOST_VALUE_TICKS) as i64;
    let tick = |index: i64| {
        let at = (first + index as f64) * step;
        Tick { at, label: told_by(at, step) }
    };
    (Scale { least: first * step, most: (first + count as f64) * step }, (0..=count).map(tick).collect())
}

/// The least of 1, 2, 5, 10, 20 … that is no less.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= least);
    times.unwrap_or(10.0) * power
}

/// A number with as many digits as tell it from its neighbour, in groups of three.
fn told_by(number: f64, step: f64) -> String {
    const LARGE: f64 = 1e12;
    const SMALL: f64 = 1e-6;
    if number.abs() >= LARGE || step < SMALL {
        return format!("{number:.3e}").replace('-', "−");
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    grouped(&format!("{number:.decimals$}"))
}

/// A number as it was found, in groups of three.
pub fn told(number: f64) -> String {
    grouped(&number.to_string())
}

fn grouped(number: &str) -> String {
    let is_negative = number.starts_with('-') && number.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let number = number.trim_start_matches('-');
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut told = String::from(if is_negative { "−" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            told.push('\u{202f}');
        }
        told.push(digit);
    }
    told + fraction
}

/// The range of times in seconds, and marks at round ones: the same distance apart for people, not for clocks.
pub fn of_times(first: f64, last: f64) -> (Scale, Vec<Tick>) {
    const MINUTE: f64 = 60.0;
    let last = if last - first < MINUTE { first + MINUTE } else { last };
    let scale = Scale { least: first, most: last };
    let step = STEPS.iter().find(|step| step.seconds * MOST_TIME_TICKS >= (last - first) as i64);
    let ticks = step.and_then(|step| step.ticks(first, last)).unwrap_or_default();
    (scale, ticks)
}

/// A distance between marks.
struct Step {
    seconds: i64,
    unit: Unit,
    count: i64,
}

const fn step(seconds: i64, unit: Unit, count: i64) -> Step {
    Step { seconds: seconds * count, unit, count }
}

const STEPS: [Step; 23] = {
    use Unit::{Day, Hour, Minute, Month, Year};
    const YEAR: i64 = 31_556_952;
    [
        step(60, Minute, 1),
        step(60, Minute, 5),
        step(60, Minute, 15),
        step(60, Minute, 30),
        step(3600, Hour, 1),
        step(3600, Hour, 3),
        step(3600, Hour, 6),
        step(3600, Hour, 12),
        step(86_400, Day, 1),
        step(86_400, Day, 2),
        step(86_400, Day, 7),
        step(86_400, Day, 14),
        step(YEAR / 12, Month, 1),
        step(YEAR / 12, Month, 2),
        step(YEAR / 12, Month, 3),
        step(YEAR / 12, Month, 6),
        step(YEAR, Year, 1),
        step(YEAR, Year, 2),
        step(YEAR, Year, 5),
        step(YEAR, Year, 10),
        step(YEAR, Year, 50),
        step(YEAR, Year, 200),
        step(YEAR, Year, 2000),
    ]
};

impl Step {
    fn ticks(&self, first: f64, last: f64) -> Option<Vec<Tick>> {
        let mut time = self.round_down(Timestamp::from_second(first as i64).ok()?)?;
        let mut ticks = Vec::new();
        loop {
            let at = time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() as f64;
            if at > last {
                return Some(ticks);
            }
            if at >= first {
                ticks.push(Tick { at, label: time.strftime(self.label()).to_string() });
            }
            time = time.checked_add(self.span()).ok()?;
        }
    }

    /// The last mark that is not behind a time.
    fn round_down(&self, time: Timestamp) -> Option<DateTime> {
        let time = time.to_zoned(TimeZone::UTC).datetime();
        let (date, clock) = (time.date(), time.time());
        let down = |number: i64| number - number.rem_euclid(self.count);
        let part = |number: i8| down(number.into()) as i8;
        match self.unit {
            Unit::Minute => Some(date.at(clock.hour(), part(clock.minute()), 0, 0)),
            Unit::Hour => Some(date.at(part(clock.hour()), 0, 0, 0)),
            // Weeks begin on Mondays.
            Unit::Day if self.count >= 7 => date
                .checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days())
                .ok()
                .map(|day| day.at(0, 0, 0, 0)),
            Unit::Day => Some(date.at(0, 0, 0, 0)),
            Unit::Month => {
                let month = down(i64::from(date.month()) - 1) + 1;
                Some(jiff::civil::date(date.year(), month as i8, 1).at(0, 0, 0, 0))
            }
            _ => jiff::civil::Date::new(down(date.year().into()).try_into().ok()?, 1, 1)
                .ok()
                .map(|day| day.at(0, 0, 0, 0)),
        }
    }

    fn span(&self) -> Span {
        match self.unit {
            Unit::Minute => self.count.minutes(),
            Unit::Hour => self.count.hours(),
            Unit::Day => self.count.days(),
            Unit::Month => self.count.months(),
            _ => self.count.years(),
        }
    }

    fn label(&self) -> &'static str {
        match self.unit {
            Unit::Minute | Unit::Hour if self.seconds < 43_200 => "%b %-d, %H:%M",
            Unit::Minute | Unit::Hour => "%b %-d, %Hh",
            Unit::Day => "%Y-%m-%d",
            Unit::Month => "%b %Y",
            _ => "%Y",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_round_marks_around_them() {
        let check = |values: &[f64], expected: &[&str]| {
            let (scale, ticks) = of_values(values.iter().copied());
            let labels: Vec<String> = ticks.iter().map(|tick| tick.label.replace('\u{202f}', " ")).collect();
            assert_eq!(labels, expected, "{values:?}");
            for &value in values {
                assert!((0.0..=1.0).contains(&scale.share(value)), "{value} in {scale:?}");
            }
        };
        check(&[0.0, 10.0], &["0", "2", "4", "6", "8", "10"]);
        check(&[4.5, 9.0, 3.2], &["3", "4", "5", "6", "7", "8", "9"]);
        check(&[-1.0, 1.0], &["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        check(&[1234.5], &["1 100", "1 150", "1 200", "1 250", "1 300", "1 350", "1 400"]);
        check(&[0.0], &["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        check(&[], &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[1e9, 3e9], &["1 000 000 000", "1 500 000 000", "2 000 000 000", "2 500 000 000", "3 000 000 000"]);
        check(&[5e-9], &["4.400e−9", "4.600e−9", "4.800e−9", "5.000e−9", "5.200e−9", "5.400e−9", "5.600e−9"]);
    }

    #[test]
    fn times_have_round_marks_between_them() {
        let check = |first: &str, last: &str, expected: &[&str]| {
            let seconds = |time: &str| time.parse::<Timestamp>().unwrap().as_second() as f64;
            let (_, ticks) = of_times(seconds(first), seconds(last));
            let labels: Vec<&str> = ticks.iter().map(|tick| &*tick.label).collect();
            assert_eq!(labels, expected, "{first} {last}");
        };
        check("2026-11-01T12:00Z", "2026-11-01T12:00Z", &["Nov 1, 12:00", "Nov 1, 12:01"]);
        check(
            "2026-11-01T12:07Z",
            "2026-11-01T14:00Z",
            &["Nov 1, 12:30", "Nov 1, 13:00", "Nov 1, 13:30", "Nov 1, 14:00"],
        );
        check("2026-11-01T12:00Z", "2026-11-15T12:00Z", &["2026-11-02", "2026-11-09"]);
        check("2026-01-20T00:00Z", "2026-12-01T00:00Z", &["Mar 2026", "May 2026", "Jul 2026", "Sep 2026", "Nov 2026"]);
        check("1999-01-20T00:00Z", "2026-12-01T00:00Z", &["2000", "2005", "2010", "2015", "2020", "2025"]);
    }
}
