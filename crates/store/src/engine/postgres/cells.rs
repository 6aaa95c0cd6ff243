//! How does PostgreSQL write a value, and read one? Its columns have kinds, and arithmetic makes kinds of its own.

use std::error::Error as StdError;

use postgres::types::{FromSql, ToSql, Type};

use super::super::{Cell, Row, Value};
use crate::{Error, Result};

/// The kind under which a value is sent; the server finds out what a `NULL` is to be.
pub(super) fn kind(value: &Value<'_>) -> Result<Type> {
    match value {
        Value::Null => Ok(Type::UNKNOWN),
        Value::Int(_) => Ok(Type::INT8),
        Value::Blob(_) => Ok(Type::BYTEA),
        Value::Text(text) if text.contains('\0') => {
            Err(Error::Invalid("PostgreSQL stores no text with the character U+0000 in it".into()))
        }
        Value::Text(_) => Ok(Type::TEXT),
    }
}

/// A value for a statement that wants this kind.
pub(super) fn bound<'v>(value: &'v Value<'_>, wanted: &Type) -> &'v (dyn ToSql + Sync) {
    match value {
        Value::Int(value) => value,
        Value::Text(value) => value,
        Value::Blob(value) => value,
        Value::Null => match *wanted {
            Type::BOOL => &None::<bool>,
            Type::INT2 => &None::<i16>,
            Type::INT4 => &None::<i32>,
            Type::INT8 => &None::<i64>,
            Type::BYTEA => &None::<&[u8]>,
            _ => &None::<&str>,
        },
    }
}

pub(super) fn row(row: &postgres::Row) -> Result<Row> {
    let cells = (0..row.len()).map(|column| row.try_get(column));
    let cells = cells.collect::<Result<Vec<Cell>, _>>().map_err(|error| {
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Error::damaged("a row of the database", why)
    })?;
    Ok(Row::new(cells))
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Cell::Int(i64::from_sql(kind, raw)?),
            Type::INT4 => Cell::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Cell::Int(i16::from_sql(kind, raw)?.into()),
            Type::OID => Cell::Int(u32::from_sql(kind, raw)?.into()),
            Type::BOOL => Cell::Int(bool::from_sql(kind, raw)?.into()),
            Type::NUMERIC => Cell::Int(whole(raw).ok_or("a column has a number that is not whole, or too large")?),
            Type::BYTEA => Cell::Blob(raw.to_owned()),
            Type::VOID => Cell::Null,
            _ if <&str as FromSql>::accepts(kind) => Cell::Text(String::from_sql(kind, raw)?),
            _ => return Err(format!("a column has the kind `{kind}`, which is not known here").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Cell::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A `NUMERIC`, which is what a sum of large integers comes as: how many digits to the base of 10,000 there are, the
/// power of the first, the sign, how many decimals to show, and the digits.
fn whole(raw: &[u8]) -> Option<i64> {
    let mut words = raw.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
    let (count, weight, sign, _) = (words.next()?, words.next()? as i16, words.next()?, words.next()?);
    let mut value = 0_i128;
    for power in (0..=weight.min(9)).rev() {
        let digit = if i32::from(weight - power) < i32::from(count) { words.next()? } else { 0 };
        value = value * 10_000 + i128::from(digit);
    }
    let has_more = weight > 9 || words.any(|digit| digit != 0);
    match sign {
        _ if has_more => None,
        0x0000 => value.try_into().ok(),
        0x4000 => (-value).try_into().ok(),
        _ => None,
    }
}
