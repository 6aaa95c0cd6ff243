//! Figure 1 of the paper: how does the cost grow with the number of leaves? There drawn from formulas, here from runs.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use treediff::matching::{self, Assignment, GoodmatchOptions, LeafMatrix, Options};
use treediff::parse;
use treediff::tree::Document;

use super::Part;
use crate::measure::Meter;
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::tsv;
use crate::verbs::Study;

const LEAVES: [usize; 11] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000, 100_000];

/// One of the curves: what is done, and up to how many leaves.
struct Curve {
    name: &'static str,
    most_leaves: usize,
    work: fn(&Versions) -> Result<()>,
}

const CURVES: [Curve; 8] = [
    Curve { name: "goodmatch, exact", most_leaves: 1_000, work: |versions| matched(versions, Assignment::Exact) },
    Curve { name: "goodmatch, local", most_leaves: 2_000, work: |versions| matched(versions, Assignment::Local) },
    Curve {
        name: "exact assignment alone",
        most_leaves: 2_000,
        work: |versions| assigned(versions, Assignment::Exact),
    },
    Curve {
        name: "local assignment alone",
        most_leaves: 2_000,
        work: |versions| assigned(versions, Assignment::Local),
    },
    Curve {
        name: "exact alone, few words",
        most_leaves: 1_000,
        work: |versions| {
            std::hint::black_box(versions.crowded.as_ref().map(|matrix| matrix.worth(Assignment::Exact)));
            Ok(())
        },
    },
    Curve {
        name: "local alone, few words",
        most_leaves: 1_000,
        work: |versions| {
            std::hint::black_box(versions.crowded.as_ref().map(|matrix| matrix.worth(Assignment::Local)));
            Ok(())
        },
    },
    Curve {
        name: "xydiff",
        most_leaves: 100_000,
        work: |Versions { before, after, .. }| {
            std::hint::black_box(matching::xydiff(before, after, &Options::default()));
            Ok(())
        },
    },
    Curve {
        name: "ted (tree edit distance)",
        most_leaves: 1_000,
        work: |Versions { before, after, .. }| {
            std::hint::black_box(matching::ted(before, after, &Options::default()));
            Ok(())
        },
    },
];

/// Two versions in which every leaf changed, and the matrix of all their leaves where it is not too large.
struct Versions {
    before: Arc<Document>,
    after: Arc<Document>,
    matrix: Option<LeafMatrix>,
    /// The same of documents with few different words, so that every leaf is like many others.
    crowded: Option<LeafMatrix>,
}

fn matched(Versions { before, after, .. }: &Versions, assignment: Assignment) -> Result<()> {
    std::hint::black_box(matching::goodmatch(before, after, &options(assignment)));
    Ok(())
}

fn assigned(versions: &Versions, assignment: Assignment) -> Result<()> {
    std::hint::black_box(versions.matrix.as_ref().map(|matrix| matrix.worth(assignment)));
    Ok(())
}

fn options(assignment: Assignment) -> Options {
    let goodmatch = GoodmatchOptions { assignment, cells: 4_000_000, ..Default::default() };
    Options { goodmatch, ..Options::default() }
}

struct Row {
    curve: usize,
    leaves: usize,
    time: Duration,
}

pub fn part(study: &Study<'_>) -> Result<Part> {
    let bar = study.bar(LEAVES.len() * CURVES.len());
    bar.set_prefix("figure 1");
    let mut rows = Vec::new();
    for leaves in LEAVES {
        let versions = versions(leaves)?;
        for (curve, Curve { name, most_leaves, work }) in CURVES.iter().enumerate() {
            bar.set_message(*name);
            if leaves <= *most_leaves {
                let mut meter = Meter::new();
                (0..study.runs).try_for_each(|_| meter.run(|| work(&versions)))?;
                rows.push(Row { curve, leaves, time: meter.cost().time });
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(Part { name: "goodmatch-growth", plot: Some(drawn(&rows)), table: table(&rows), text: told(&rows) })
}

/// Sections of ten paragraphs of twelve words; in the later version a third of each paragraph's words are others, and
/// every seventh paragraph has gone to the place of another.
fn versions(leaves: usize) -> Result<Versions> {
    let numbers: Vec<usize> = (0..leaves).collect();
    let mut moved = numbers.clone();
    let sevenths: Vec<usize> = numbers.iter().copied().step_by(7).collect();
    sevenths.iter().zip(sevenths.iter().rev()).for_each(|(&to, &from)| moved[to] = from);
    let pair = |words: usize| -> Result<[Arc<Document>; 2]> {
        let parsed = |source: String| anyhow::Ok(Arc::new(parse::xml(source, &Default::default())?.document));
        Ok([parsed(document(&numbers, "", words))?, parsed(document(&moved, "new", words))?])
    };
    let matrix = |[before, after]: &[Arc<Document>; 2], most_leaves: usize| {
        let is_small = leaves <= most_leaves;
        if is_small { LeafMatrix::new(before, after, &options(Assignment::Local)) } else { None }
    };
    let (usual, crowded) = (pair(2048)?, pair(32)?);
    let (matrix, crowded) = (matrix(&usual, 2_000), matrix(&crowded, 1_000));
    let [before, after] = usual;
    Ok(Versions { before, after, matrix, crowded })
}

/// A document with so many different words, a power of 2.
fn document(numbers: &[usize], other: &str, words: usize) -> String {
    let word = |number: usize, at: usize| {
        let drawn = (number * 31 + at * 7).wrapping_mul(2_654_435_761) >> 7 & (words - 1);
        format!("w{drawn}{}", if at % 3 == 2 { other } else { "" })
    };
    let paragraph = |&number: &usize| {
        let words: Vec<String> = (0..12).map(|at| word(number, at)).collect();
        format!("<p class=\"c{}\">{}</p>", number % 5, words.join(" "))
    };
    let sections = numbers.chunks(10).map(|numbers| {
        let paragraphs: String = numbers.iter().map(paragraph).collect();
        format!("<section>{paragraphs}</section>")
    });
    format!("<page>{}</page>", sections.collect::<String>())
}

fn drawn(rows: &[Row]) -> Plot {
    let series = CURVES.iter().enumerate().map(|(curve, Curve { name, .. })| {
        let points = rows.iter().filter(|row| row.curve == curve);
        let points = points.map(|row| (row.leaves as f64, row.time.as_secs_f64())).collect();
        Series { name: (*name).to_owned(), points, style: Style::Line }
    });
    let guide = |name: &str, power: i32, most: f64, at_most: f64| {
        let points = [100.0f64, most].map(|n| (n, at_most * (n / most).powi(power)));
        Series { name: name.to_owned(), points: points.to_vec(), style: Style::Guide }
    };
    let highest = rows.iter().map(|row| row.time.as_secs_f64()).fold(0.0, f64::max);
    let guides = [guide("n³", 3, 2_000.0, highest), guide("n²", 2, 2_000.0, highest)];
    Plot {
        title: "Time by number of leaves, all of them changed (figure 1)".to_owned(),
        x: Axis { label: "leaves of each version".to_owned(), scale: Scale::Logarithmic, format: count },
        y: Axis { label: "CPU time".to_owned(), scale: Scale::Logarithmic, format: plot::seconds },
        series: series.chain(guides).collect(),
    }
}

fn count(value: f64) -> String {
    format!("{value}")
}

fn table(rows: &[Row]) -> String {
    tsv(
        &["curve", "leaves", "seconds"],
        rows.iter().map(|row| {
            vec![CURVES[row.curve].name.to_owned(), row.leaves.to_string(), row.time.as_secs_f64().to_string()]
        }),
    )
}

fn told(rows: &[Row]) -> String {
    let at = |curve: usize, leaves: usize| {
        let row = rows.iter().find(|row| row.curve == curve && row.leaves == leaves);
        row.map_or("-".to_owned(), |row| format!("{:.2} ms", row.time.as_secs_f64() * 1e3))
    };
    format!(
        "Simulated documents: sections of ten paragraphs of twelve words; a third of the words of each paragraph are others \
         in the later version, and every seventh paragraph is at the place of another, so that every leaf is weighed against \
         every other. At 1,000 leaves the whole matching takes {} with the exact assignment, {} with the local one, {} \
         by xydiff and {} as a tree edit distance; the assignments alone {} and {}, and where the documents have 32 different words, so that every leaf is \
         like many others, {} and {}.",
        at(0, 1_000),
        at(1, 1_000),
        at(6, 1_000),
        at(7, 1_000),
        at(2, 1_000),
        at(3, 1_000),
        at(4, 1_000),
        at(5, 1_000)
    )
}
