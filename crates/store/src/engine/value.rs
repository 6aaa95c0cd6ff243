//! What goes into a statement, and what comes out of a row?

use crate::{Error, Result};

/// A value for a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Blob(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Value::Int(value.into())
    }
}

impl From<usize> for Value<'_> {
    fn from(value: usize) -> Self {
        Value::Int(value as i64)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Blob(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// The values of a statement, from anything that is one.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::engine::Value::from($value)),*] };
}
pub(crate) use values;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// A row, whose cells are taken from left to right.
#[derive(Debug)]
pub(crate) struct Row {
    cells: std::vec::IntoIter<Cell>,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Row { cells: cells.into_iter() }
    }

    #[cfg(all(test, feature = "postgres"))]
    pub(crate) fn into_cells(self) -> impl Iterator<Item = Cell> {
        self.cells
    }

    pub(crate) fn take<T: FromCell>(&mut self) -> Result<T> {
        let cell = self.cells.next().unwrap_or(Cell::Null);
        T::from_cell(cell)
            .ok_or_else(|| Error::damaged("a row of the database", "a column has a value of another kind"))
    }
}

/// What a cell can be taken as.
pub(crate) trait FromCell: Sized {
    fn from_cell(cell: Cell) -> Option<Self>;
}

impl FromCell for i64 {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Int(value) = cell { Some(value) } else { None }
    }
}

impl FromCell for u32 {
    fn from_cell(cell: Cell) -> Option<Self> {
        i64::from_cell(cell)?.try_into().ok()
    }
}

impl FromCell for usize {
    fn from_cell(cell: Cell) -> Option<Self> {
        i64::from_cell(cell)?.try_into().ok()
    }
}

impl FromCell for String {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Text(value) = cell { Some(value) } else { None }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Blob(value) = cell { Some(value) } else { None }
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell) -> Option<Self> {
        if cell == Cell::Null { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}
