//! What does a number look like through time? A line of steps in an SVG that needs nothing else.
//!
//! A value holds until the next version, so the line goes straight on and then up or down, and has a gap where there was
//! no number. Colours follow the reader's light or dark mode.

mod axis;

use std::fmt::{self, Write as _};

use jiff::Timestamp;

use axis::{Scale, Tick};

/// A number through time.
#[derive(Debug)]
pub struct Plot<'a> {
    /// What is shown.
    pub title: &'a str,
    /// Where it comes from.
    pub subtitle: &'a str,
    /// The values from the time on that they have; none where there was no number.
    pub points: &'a [Point],
    /// Until when the last value is known to hold.
    pub end: Timestamp,
}

/// A value, and since when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub time: Timestamp,
    pub value: Option<f64>,
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 352.0;
const RIGHT: f64 = 752.0;
/// The width of a digit or letter of the labels, about.
const LETTER: f64 = 7.0;
/// More points than these are a band of ink.
const MOST_DOTS: usize = 120;

const STYLE: &str = "\
:root{color-scheme:light dark}\
svg{--ink:#1b1f24;--faint:#6a737d;--grid:#e3e6ea;--line:#0b62c4;--paper:#fff}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--faint:#9198a1;--grid:#30363d;--line:#6cb6ff;--paper:#0d1117}}\
text{font:12px system-ui,sans-serif;fill:var(--faint)}\
.title{font-size:16px;font-weight:600;fill:var(--ink)}\
.paper{fill:var(--paper)}\
.grid{stroke:var(--grid)}\
.line{fill:none;stroke:var(--line);stroke-width:2;stroke-linejoin:round}\
.dot{fill:var(--line)}";

impl fmt::Display for Plot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = Frame::of(self);
        write!(f, r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" "#)?;
        writeln!(f, r#"aria-labelledby="title"><style>{STYLE}</style>"#)?;
        writeln!(f, r#"<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>"#)?;
        let title = Escaped(self.title, 90);
        writeln!(f, r#"<title id="title">{title}</title><text class="title" x="24" y="28">{title}</text>"#)?;
        writeln!(f, r#"<text x="24" y="48">{}</text>"#, Escaped(self.subtitle, 110))?;
        frame.write_grid(f)?;
        frame.write_steps(self, f)?;
        f.write_str("</svg>\n")
    }
}

/// Where times and values are on the paper.
struct Frame {
    left: f64,
    times: Scale,
    values: Scale,
    time_ticks: Vec<Tick>,
    value_ticks: Vec<Tick>,
}

impl Frame {
    fn of(plot: &Plot<'_>) -> Self {
        let values = plot.points.iter().filter_map(|point| axis::drawable(point.value));
        let (values, value_ticks) = axis::of_values(values);
        let widest = value_ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        let left = 40.0 + LETTER * widest as f64;
        let seconds = |time: Timestamp| time.as_second() as f64;
        let first = plot.points.first().map_or(plot.end, |point| point.time);
        let (times, time_ticks) = axis::of_times(seconds(first), seconds(plot.end));
        Frame { left, times, values, time_ticks, value_ticks }
    }

    fn x(&self, seconds: f64) -> f64 {
        self.left + self.times.share(seconds) * (RIGHT - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - self.values.share(value) * (BOTTOM - TOP)
    }

    fn write_grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Tick { at, label } in &self.value_ticks {
            let y = self.y(*at);
            write!(f, r#"<path class="grid" d="M{:.1} {y:.1}H{RIGHT}"/>"#, self.left)?;
            let below = y + 4.0;
            writeln!(f, r#"<text x="{:.1}" y="{below:.1}" text-anchor="end">{label}</text>"#, self.left - 8.0)?;
        }
        for Tick { at, label } in &self.time_ticks {
            let x = self.x(*at);
            write!(f, r#"<path class="grid" d="M{x:.1} {BOTTOM}v6"/>"#)?;
            writeln!(f, r#"<text x="{x:.1}" y="{}" text-anchor="middle">{label}</text>"#, BOTTOM + 22.0)?;
        }
        Ok(())
    }

    fn write_steps(&self, plot: &Plot<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        let mut dots = String::new();
        let mut is_drawing = false;
        for point in plot.points {
            let x = self.x(point.time.as_second() as f64);
            if is_drawing {
                write!(path, "H{x:.1}")?;
            }
            is_drawing = match axis::drawable(point.value) {
                Some(value) => {
                    let y = self.y(value);
                    let to = if is_drawing { format!("V{y:.1}") } else { format!("M{x:.1} {y:.1}") };
                    path.push_str(&to);
                    let told = axis::told(value);
                    let time = point.time.strftime("%Y-%m-%d %H:%M");
                    writeln!(
                        dots,
                        r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3"><title>{told}, {time}</title></circle>"#
                    )?;
                    true
                }
                None => false,
            };
        }
        if is_drawing {
            write!(path, "H{:.1}", self.x(plot.end.as_second() as f64))?;
        }
        writeln!(f, r#"<path class="line" d="{path}"/>"#)?;
        if plot.points.len() <= MOST_DOTS { f.write_str(&dots) } else { Ok(()) }
    }
}

/// Text in XML, no longer than so many characters.
struct Escaped<'a>(&'a str, usize);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Escaped(text, most) = *self;
        for character in text.chars().take(most) {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // XML has no way to write most of them.
                _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => f.write_str(" ")?,
                _ => f.write_char(character)?,
            }
        }
        if text.chars().nth(most).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
