//! What came over the wire, and what became of it?

use jiff::Timestamp;

use crate::Address;

/// What came over the wire at one moment.
#[derive(Debug, Clone)]
pub struct Capture {
    /// Which page was asked for.
    pub address: Address,
    /// When.
    pub time: Timestamp,
    /// What came.
    pub outcome: Outcome,
}

/// What a check of a page gave.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// An answer. With a status from 200 to 299 its body is a state of the page; 304 says that nothing has changed;
    /// any other is a failed check.
    Response(Response),
    /// No answer, and why.
    Failure(String),
}

/// An answer of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers that are worth keeping, in their order.
    pub headers: Vec<(String, String)>,
    /// The content.
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header, whose name may be written in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}

impl Capture {
    /// A page that was fetched without any trouble.
    pub fn of(address: Address, time: Timestamp, body: impl Into<Vec<u8>>) -> Self {
        let response = Response { status: 200, headers: Vec::new(), body: body.into() };
        Capture { address, time, outcome: Outcome::Response(response) }
    }
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// It is a new version.
    New {
        /// Its number.
        number: u32,
        /// How many operations lead to it from the version before; none where they have no common tree.
        operations: Option<usize>,
    },
    /// The page was as in its latest version.
    Unchanged {
        /// The number of that version.
        number: u32,
    },
    /// The check failed, and that is known now.
    Failed,
}
