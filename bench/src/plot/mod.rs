//! How is a figure drawn? As SVG of our own: points and lines over two axes with round ticks, for light and dark.

mod bars;

pub use bars::Bars;

use std::fmt::Write as _;

/// A figure: series of points over two axes.
pub struct Plot {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// What runs along an edge of the figure.
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    /// How a value is written at its tick.
    pub format: fn(f64) -> String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// From 0 on.
    Linear,
    /// By powers of ten; values that are not above 0 are not drawn.
    Logarithmic,
}

/// Points that belong together.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Dots,
    /// Points joined by a line, in the order of their x.
    Line,
    /// The same with gaps, for those that are not of a kind with the others.
    Broken,
    /// A thin line without points or colour, to compare with.
    Guide,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 60.0;

/// Colours that are told apart by those who do not see all of them, on white and on black.
const COLOURS: [&str; 10] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a7a7a", "#8b5cd6", "#9ac029"];

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}.end{text-anchor:end}\
.middle{text-anchor:middle}.frame{fill:none;stroke:#888}.grid{stroke:#888;stroke-opacity:.25}\
.guide{fill:none;stroke:#666;stroke-dasharray:5 4}.line{fill:none;stroke-width:1.6}.broken{fill:none;stroke-width:1.4;stroke-dasharray:6 3}.ground{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181c}.guide{stroke:#aaa}}";

impl Plot {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let (x, y) = (self.range(&self.x, |point| point.0), self.range(&self.y, |point| point.1));
        let canvas = Canvas { x, y };
        let mut out = opened(&self.title);
        self.draw_axes(&canvas, &mut out);
        // Broken lines have all colours for themselves.
        let (mut whole, mut broken) = (COLOURS.iter().cycle(), COLOURS.iter().cycle());
        for (at, series) in self.series.iter().enumerate() {
            let colour = match series.style {
                Style::Guide => None,
                Style::Broken => broken.next(),
                Style::Dots | Style::Line => whole.next(),
            };
            let colour = colour.copied().unwrap_or_default();
            draw_series(series, colour, &canvas, &mut out);
            draw_legend(&series.name, series.style, colour, (at, self.series.len()), &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    fn range(&self, axis: &Axis, of: fn(&(f64, f64)) -> f64) -> Range {
        let points = self.series.iter().flat_map(|series| &series.points);
        Range::around(points.map(of), axis.scale)
    }

    fn draw_axes(&self, canvas: &Canvas, out: &mut String) {
        let bottom = HEIGHT - BOTTOM;
        for tick in canvas.x.ticks() {
            let at = canvas.x_of(tick);
            let label = (self.x.format)(tick);
            line_to(out, "grid", (at, TOP), (at, bottom));
            label_below(out, at, &label);
        }
        draw_scale(&self.y, canvas, out);
        draw_frame(&self.x.label, &self.y.label, out);
    }
}

/// The beginning of a figure.
fn opened(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"26\">{title}</text>\n",
        title = escaped(title)
    )
}

fn label_below(out: &mut String, at: f64, label: &str) {
    let y = HEIGHT - BOTTOM + 18.0;
    let _ = writeln!(out, "<text class=\"middle\" x=\"{at:.1}\" y=\"{y:.1}\">{}</text>", escaped(label));
}

/// The lines across the figure, with their values at the left.
fn draw_scale(axis: &Axis, canvas: &Canvas, out: &mut String) {
    for tick in canvas.y.ticks() {
        let at = canvas.y_of(tick);
        let label = (axis.format)(tick);
        line_to(out, "grid", (LEFT, at), (WIDTH - RIGHT, at));
        let _ = writeln!(out, "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>", LEFT - 7.0, at + 4.0);
    }
}

fn draw_frame(below: &str, beside: &str, out: &mut String) {
    let (width, height) = (WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP);
    let _ = writeln!(
        out,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n\
         <text class=\"middle\" transform=\"translate(18 {:.1}) rotate(-90)\">{}</text>",
        LEFT + width / 2.0,
        HEIGHT - 16.0,
        escaped(below),
        TOP + height / 2.0,
        escaped(beside)
    );
}

fn line_to(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>");
}

fn draw_series(series: &Series, colour: &str, canvas: &Canvas, out: &mut String) {
    let mut points: Vec<(f64, f64)> = series.points.iter().filter_map(|&point| canvas.place(point)).collect();
    if series.style != Style::Dots {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let (class, stroke) = match series.style {
            Style::Guide => ("guide", String::new()),
            Style::Broken => ("broken", format!(" stroke=\"{colour}\"")),
            _ => ("line", format!(" stroke=\"{colour}\"")),
        };
        let _ = writeln!(out, "<path class=\"{class}\"{stroke} d=\"M{}\"/>", path.join("L"));
    }
    if series.style != Style::Guide && !points.is_empty() {
        let radius = if points.len() > 200 { 1.6 } else { 3.0 };
        let _ = writeln!(out, "<g fill=\"{colour}\" fill-opacity=\"0.75\">");
        for (x, y) in points {
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        }
        out.push_str("</g>\n");
    }
}

/// The name of a series; many of them stand closer together.
fn draw_legend(name: &str, style: Style, colour: &str, (at, of): (usize, usize), out: &mut String) {
    let distance = ((HEIGHT - TOP - 24.0) / of as f64).min(20.0);
    let (x, y) = (WIDTH - RIGHT + 16.0, TOP + 12.0 + distance * at as f64);
    match style {
        Style::Guide => line_to(out, "guide", (x - 4.0, y), (x + 10.0, y)),
        Style::Broken => {
            let _ = writeln!(out, "<path class=\"broken\" stroke=\"{colour}\" d=\"M{:.1} {y:.1}h15\"/>", x - 4.0);
        }
        Style::Dots | Style::Line => {
            let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>", x + 3.0);
        }
    }
    let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 16.0, y + 4.0, escaped(name));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Where values come to lie.
struct Canvas {
    x: Range,
    y: Range,
}

impl Canvas {
    fn x_of(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - RIGHT - LEFT)
    }

    fn y_of(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        (self.x.has(x) && self.y.has(y)).then(|| (self.x_of(x), self.y_of(y)))
    }
}

/// The values that an axis shows, from one round number to another.
struct Range {
    scale: Scale,
    low: f64,
    high: f64,
    /// The distance of ticks on a linear scale.
    step: f64,
}

impl Range {
    fn around(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let drawn = values.filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0));
        let (low, high) =
            drawn.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match scale {
            _ if low > high => Range { scale, low: 1.0, high: 10.0, step: 1.0 },
            Scale::Linear => {
                let step = round_step(high);
                Range { scale, low: 0.0, high: (high / step).ceil() * step, step }
            }
            Scale::Logarithmic => {
                let (low, high) = (low.log10().floor(), high.log10().ceil());
                Range { scale, low: 10f64.powf(low), high: 10f64.powf(high.max(low + 1.0)), step: 0.0 }
            }
        }
    }

    fn has(&self, value: f64) -> bool {
        (self.low * (1.0 - 1e-9)..=self.high * (1.0 + 1e-9)).contains(&value)
    }

    /// How far along the axis a value lies, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).log10() / (self.high / self.low).log10(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let count = (self.high / self.step).round() as usize;
                (0..=count).map(|at| at as f64 * self.step).collect()
            }
            Scale::Logarithmic => {
                let decades = (self.high / self.low).log10().round() as i32;
                (0..=decades).map(|at| self.low * 10f64.powi(at)).collect()
            }
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that there are about five ticks.
fn round_step(high: f64) -> f64 {
    let rough = (high / 5.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// `300 B`, `20 kB`, `1 MB`.
pub fn bytes(value: f64) -> String {
    let units = [("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)];
    let (unit, size) = units.into_iter().rev().find(|(_, size)| value >= *size).unwrap_or(units[0]);
    format!("{} {unit}", number(value / size))
}

/// `10 µs`, `1 ms`, `1 s`.
pub fn seconds(value: f64) -> String {
    let units = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (unit, size) = units.into_iter().rev().find(|(_, size)| value >= size * (1.0 - 1e-9)).unwrap_or(units[0]);
    format!("{} {unit}", number(value / size))
}

/// `29`, `1.5 k`, `20 k`.
pub fn count(value: f64) -> String {
    let units = [("", 1.0), (" k", 1e3), (" M", 1e6)];
    let (unit, size) = units.into_iter().rev().find(|(_, size)| value >= *size).unwrap_or(units[0]);
    format!("{}{unit}", number(value / size))
}

/// `0.5x`.
pub fn ratio(value: f64) -> String {
    format!("{}x", number(value))
}

/// `30 %`.
pub fn percent(value: f64) -> String {
    format!("{} %", number(100.0 * value))
}

/// Up to three digits behind the point, and none that says nothing.
fn number(value: f64) -> String {
    let written = format!("{value:.3}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let linear = Range::around([3.0, 41.0].into_iter(), Scale::Linear);
        assert_eq!(linear.ticks(), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        let decades = Range::around([0.0, 0.2, 30.0].into_iter(), Scale::Logarithmic);
        assert_eq!(decades.ticks().iter().map(|&tick| ratio(tick)).collect::<Vec<_>>(), ["0.1x", "1x", "10x", "100x"]);
        assert!(Range::around(std::iter::empty(), Scale::Logarithmic).ticks().len() == 2);
    }

    #[test]
    fn values_are_written_short() {
        assert_eq!([1e3, 2.5e4, 1e6, 300.0].map(bytes), ["1 kB", "25 kB", "1 MB", "300 B"]);
        assert_eq!([1e-6, 1e-4, 0.1, 10.0].map(seconds), ["1 µs", "100 µs", "100 ms", "10 s"]);
        assert_eq!([0.3, 0.005].map(percent), ["30 %", "0.5 %"]);
        assert_eq!([0.0, 1.5, 20_000.0, 3e6].map(count), ["0", "1.5", "20 k", "3 M"]);
    }

    #[test]
    fn a_figure_is_well_formed_and_draws_what_can_be_drawn() {
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Logarithmic, format: bytes };
        let points = vec![(10.0, 20.0), (0.0, 5.0), (1e4, 3e3)];
        let series = Series { name: "a < b".to_owned(), points, style: Style::Line };
        let plot = Plot { title: "R & D".to_owned(), x: axis("x"), y: axis("y"), series: vec![series] };
        let svg = plot.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("well-formed");
        let dots = parsed.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "circle")));
        assert_eq!(dots.count(), 2 + 1);
    }
}
