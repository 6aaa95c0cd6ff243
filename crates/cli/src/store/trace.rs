//! What became of a value? What an expression selects in every version of a page.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use serde::Serialize;
use store::{Address, Reading, Store};
use treediff::select::{Budget, Context, Expression};

use super::number::number;
use super::plot::{Plot, Point};
use super::words::excerpt;
use super::{life, meant, place};
use crate::args::TraceArgs;
use crate::compare::helped_select;
use crate::exit::Trouble;
use crate::node_record::write_line;
use crate::output;
use crate::select::quoted_expression;

pub fn run(args: &TraceArgs) -> anyhow::Result<()> {
    let context = Context {
        namespaces: args.namespaces.iter().cloned().collect(),
        budget: Budget { max_steps: args.max_steps as u64 },
        ..Context::default()
    };
    let named = || quoted_expression(&args.expression);
    let expression = Expression::parse(&args.expression).map_err(helped_select).with_context(named)?;
    if args.life {
        return life::run(&expression, &context, args);
    }
    let store = place::open_existing(&args.store)?;
    let address = meant::address(&store, &args.page)?;
    let readings = store.trace(&address, &expression, &context)?;
    if let Some(file) = &args.plot {
        plot(&readings, &store, &address, args, file)?;
        if file.as_os_str() == "-" {
            return Ok(());
        }
    }
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for reading in &readings {
        if args.json { write_line(&Traced::of(reading), &mut stdout)? } else { write_for_people(reading, &mut stdout)? }
    }
    Ok(stdout.flush()?)
}

/// A line such as `  1-3  2026-11-01T00:00:00Z  4.50`.
fn write_for_people(reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    const MOST: usize = 100;
    let Reading { number, until, time, values } = reading;
    let versions = if number == until { number.to_string() } else { format!("{number}-{until}") };
    write!(out, "{versions:>9}  {time:<20}", time = time.to_string())?;
    for value in values {
        write!(out, "  {}", excerpt(value, MOST))?;
    }
    writeln!(out)
}

/// Values in `--json` output.
#[derive(Debug, Serialize)]
struct Traced<'a> {
    version: u32,
    until: u32,
    time: Timestamp,
    values: &'a [String],
}

impl<'a> Traced<'a> {
    fn of(reading: &'a Reading) -> Self {
        let Reading { number, until, time, ref values } = *reading;
        Traced { version: number, until, time, values }
    }
}

fn plot(readings: &[Reading], store: &Store, address: &Address, args: &TraceArgs, file: &Path) -> anyhow::Result<()> {
    if let Some(reading) = readings.iter().find(|reading| reading.values.len() > 1) {
        let message = format!("version {} has {} values, expected one to plot", reading.number, reading.values.len());
        let hint = format!("({})[1] selects the first", args.expression);
        return Err(Trouble::new(message, hint).into());
    }
    let value = |reading: &Reading| reading.values.first().and_then(|value| number(value));
    let points: Vec<Point> =
        readings.iter().map(|reading| Point { time: reading.time, value: value(reading) }).collect();
    if points.iter().all(|point| point.value.is_none()) {
        bail!("no version has a number there to plot");
    }
    let end = last_looked(store, address)?.unwrap_or_else(Timestamp::now);
    let plot = Plot { title: &args.expression, subtitle: &address.to_string(), points: &points, end };
    output::write(Some(file), |out| Ok(write!(out, "{plot}")?))
}

/// When somebody last knew what was there.
fn last_looked(store: &Store, address: &Address) -> anyhow::Result<Option<Timestamp>> {
    let versions = store.versions(address)?.into_iter().map(|version| version.time);
    let visits = store.visits(address)?.into_iter().filter(|visits| visits.trouble.is_none());
    Ok(versions.chain(visits.flat_map(|visits| visits.times)).max())
}
