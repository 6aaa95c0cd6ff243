//! How is a histogram drawn? As groups of bars, one bar for every series.

use std::fmt::Write as _;

use super::{Axis, BOTTOM, COLOURS, Canvas, HEIGHT, LEFT, RIGHT, Range, Scale, Style, WIDTH};
use super::{draw_frame, draw_legend, draw_scale, label_below, opened};

/// A histogram: for every group a bar of every series.
pub struct Bars {
    pub title: String,
    pub groups: Vec<String>,
    /// What the groups are.
    pub x: String,
    pub y: Axis,
    /// Names, and a value for every group.
    pub series: Vec<(String, Vec<f64>)>,
}

/// The part of a group's width that has bars.
const FILLED: f64 = 0.84;

impl Bars {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let values = self.series.iter().flat_map(|(_, values)| values.iter().copied());
        let whole = Range { scale: Scale::Linear, low: 0.0, high: 1.0, step: 1.0 };
        let canvas = Canvas { x: whole, y: Range::around(values, Scale::Linear) };
        let mut out = opened(&self.title);
        draw_scale(&self.y, &canvas, &mut out);
        let width = (WIDTH - RIGHT - LEFT) / self.groups.len().max(1) as f64;
        for (at, group) in self.groups.iter().enumerate() {
            label_below(&mut out, LEFT + width * (at as f64 + 0.5), group);
        }
        for (at, ((name, values), colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let bar = width * FILLED / self.series.len() as f64;
            let left = LEFT + width * (1.0 - FILLED) / 2.0 + bar * at as f64;
            let _ = writeln!(out, "<g fill=\"{colour}\">");
            for (group, value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
                let (x, y) = (left + width * group as f64, canvas.y_of(*value));
                let height = HEIGHT - BOTTOM - y;
                let _ = writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\"/>");
            }
            out.push_str("</g>\n");
            draw_legend(name, Style::Dots, colour, (at, self.series.len()), &mut out);
        }
        draw_frame(&self.x, &self.y.label, &mut out);
        out.push_str("</svg>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_above_nothing_has_a_bar() {
        let axis = Axis { label: "share".to_owned(), scale: Scale::Linear, format: super::super::percent };
        let series = vec![("a & b".to_owned(), vec![0.5, 0.0, 0.5]), ("c".to_owned(), vec![1.0, 0.0, 0.0])];
        let groups = ["1", "to 2", "> 2"].map(str::to_owned).to_vec();
        let bars = Bars { title: "R & D".to_owned(), groups, x: "ratio".to_owned(), y: axis, series };
        let svg = bars.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("well-formed");
        let drawn = parsed.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
        assert_eq!(drawn.count(), 3 + 2, "three bars, the ground and the frame");
    }
}
