//! Which values did an expression have, and since when?

use jiff::Timestamp;
use treediff::select::{Context, Expression, SelectError, Selected, Value};
use treediff::tree::Document;

use super::Origin;

/// Values that were the same for one or more versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The first version that has them.
    pub number: u32,
    /// When that was first seen.
    pub time: Timestamp,
    /// The last version in a row that has them.
    pub until: u32,
    /// The string values of what was selected, or the one value that is no node-set; none where the version is no tree.
    pub values: Vec<String>,
}

/// The values of an expression in each version; versions in a row that have the same are one reading.
///
/// ```
/// use store::trace::{Origin, Values};
/// use treediff::{parse, select::Expression};
///
/// let expression = Expression::parse("normalize-space(/tea)")?;
/// let context = Default::default();
/// let mut values = Values::new(&expression, &context);
/// for (number, source) in (1..).zip(["<tea>4</tea>", "<tea> 4 <hot/></tea>", "<tea>5</tea>"]) {
///     let document = parse::xml(source, &Default::default())?.document;
///     values.add(Origin { number, time: jiff::Timestamp::UNIX_EPOCH }, Some(&document))?;
/// }
/// let readings = values.into_readings();
/// let told: Vec<_> = readings.iter().map(|one| (one.number, one.until, one.values[0].as_str())).collect();
/// assert_eq!(told, [(1, 2, "4"), (3, 3, "5")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Values<'e> {
    expression: &'e Expression,
    context: &'e Context<'static>,
    readings: Vec<Reading>,
}

impl<'e> Values<'e> {
    /// Nothing is known yet.
    pub fn new(expression: &'e Expression, context: &'e Context<'static>) -> Self {
        Values { expression, context, readings: Vec::new() }
    }

    /// The next version, which may be no tree.
    ///
    /// # Errors
    /// Where the expression cannot be evaluated.
    pub fn add(&mut self, origin: Origin, document: Option<&Document>) -> Result<(), SelectError> {
        let values = match document {
            Some(document) => texts(self.expression.evaluate(document.root(), self.context)?),
            None => Vec::new(),
        };
        let Origin { number, time } = origin;
        match self.readings.last_mut() {
            Some(last) if last.values == values => last.until = number,
            _ => self.readings.push(Reading { number, time, until: number, values }),
        }
        Ok(())
    }

    /// What was read, oldest first.
    pub fn into_readings(self) -> Vec<Reading> {
        self.readings
    }
}

fn texts(value: Value<'_>) -> Vec<String> {
    match value {
        Value::NodeSet(selected) => selected.iter().map(Selected::string_value).map(String::from).collect(),
        other => vec![other.to_text().into_owned()],
    }
}
