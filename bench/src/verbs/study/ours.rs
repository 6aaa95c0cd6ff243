//! What does an algorithm cost, how good is its delta, and do the laws hold?

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use anyhow::{Result, anyhow};
use treediff::delta::{self, ApplyError, ApplyOptions, Delta};
use treediff::matching::{self, Algorithm, Notes};
use treediff::tree::Document;

use super::cases::Pair;
use super::results::Record;
use crate::measure::Meter;

/// What takes longer is not measured again and again.
const LONG: Duration = Duration::from_millis(500);

/// Fills in what an algorithm made of a pair.
pub fn measure(algorithm: Algorithm, pair: &Pair, runs: usize, record: &mut Record) {
    let measured = catch_unwind(AssertUnwindSafe(|| fill(algorithm, pair, runs, record)));
    match measured.unwrap_or_else(|cause| Err(anyhow!("panicked: {}", said(&*cause)))) {
        Ok(()) => {}
        // A panic, or documents without a delta, is against all laws.
        Err(error) => {
            record.failure = error.to_string();
            record.faults = error.to_string();
        }
    }
}

fn said(cause: &(dyn std::any::Any + Send)) -> &str {
    let string = cause.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn fill(algorithm: Algorithm, pair: &Pair, runs: usize, record: &mut Record) -> Result<()> {
    let mut meter = Meter::new();
    let (delta, notes) = meter.first(|| compared(algorithm, pair, false))?;
    let mut spent = meter.cost().time;
    for _ in 1..runs {
        if spent > LONG {
            break;
        }
        meter.run(|| compared(algorithm, pair, false))?;
        spent += meter.cost().time;
    }
    let (flat_delta, flat_notes) = compared(algorithm, pair, true)?;
    let stats = delta.stats();
    record.seconds = meter.cost().time.as_secs_f64();
    record.peak_bytes = meter.cost().peak_bytes.max(0) as u64;
    record.operations = Some(stats.operations());
    record.cost = Some(stats.edit_cost());
    record.cost_without_moves = Some(flat_delta.stats().edit_cost());
    record.delta_bytes = delta.to_xydelta().len() as u64;
    record.fallbacks = named(&notes);
    record.fallbacks_without_moves = named(&flat_notes);
    let faults = [("", &delta), ("without moves: ", &flat_delta)].map(|(how, delta)| {
        let fault = check(delta, pair).err()?;
        Some(format!("{how}{fault}"))
    });
    record.faults = faults.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Ok(())
}

fn compared(algorithm: Algorithm, pair: &Pair, without_moves: bool) -> Result<(Delta, Notes)> {
    let options = matching::Options { without_moves, ..Default::default() };
    let matching = algorithm.matching(&pair.before, &pair.after, &options);
    let options = delta::Options { without_moves, ..Default::default() };
    let delta = Delta::between(&pair.before, &pair.after, &matching, &options)?;
    Ok((delta, matching.notes().clone()))
}

fn named(notes: &Notes) -> String {
    notes.used().map(|fallback| fallback.name()).collect::<Vec<_>>().join(",")
}

/// The laws that a single delta can break.
fn check(delta: &Delta, pair: &Pair) -> Result<(), String> {
    let inverse = delta.inverted();
    check_applied(delta, &pair.before, &pair.after, pair.is_sound)?;
    check_applied(&inverse, &pair.after, &pair.before, pair.is_sound).map_err(|fault| format!("inverse: {fault}"))?;
    law(inverse.inverted().same_as(delta), "inverted twice it is another")?;
    let nothing = delta.compose(&inverse).map_err(|error| error.to_string())?;
    law(nothing.is_empty(), "composed with its inverse it is not empty")?;
    match Delta::read(delta.to_xydelta(), &Default::default()) {
        Ok(read) => law(read.same_as(delta), "written and read it is another"),
        Err(_) if !pair.is_sound => Ok(()),
        Err(error) => Err(format!("written it is not read: {error}")),
    }
}

fn check_applied(delta: &Delta, before: &Document, after: &Document, is_sound: bool) -> Result<(), String> {
    match delta.apply(before, &ApplyOptions::default()) {
        Ok(patched) => law(patched.document.root().same_content(after.root()), "applied it gives another document"),
        // What is not well-formed may not be written so that it is read alike.
        Err(ApplyError::Unreadable(_) | ApplyError::ReadsDifferently { .. }) if !is_sound => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn law(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
