//! What comes out of the store is written as it comes.

use std::io;

use store::{Error, Result};

use super::words::helped;

/// Has everything written that is handed over; where nobody takes it any more, the store need not go on.
pub fn stream<T>(
    hand_over: impl FnOnce(&mut dyn FnMut(T) -> Result<()>) -> Result<()>,
    mut write: impl FnMut(T) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut failure = None;
    let handed_over = hand_over(&mut |thing| {
        write(thing).map_err(|error| {
            failure = Some(error);
            Error::Invalid("what was found could not be written".into())
        })
    });
    match failure {
        Some(error) => Err(error.into()),
        None => handed_over.map_err(helped),
    }
}
