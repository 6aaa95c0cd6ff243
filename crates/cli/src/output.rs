//! Where does the result go? To standard output, or to a file that is written whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

const BUFFER_BYTES: usize = 1 << 16;

/// Has `write` write to the file, or to standard output where there is none or it is `-`.
pub fn write<T>(file: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => to_file(file, write).with_context(|| file.display().to_string()),
        None => buffered(io::stdout().lock(), write),
    }
}

/// Has `write` write text; where the bytes are not taken, that is the error, whatever became of it on the way.
pub fn as_text<'o>(
    out: &'o mut dyn Write,
    write: impl FnOnce(&mut Utf8<'o>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut text = Utf8 { out, error: None };
    let written = write(&mut text);
    text.error.map_or(written, |error| Err(error.into()))
}

/// Text on its way to bytes. Why they were not taken is kept, since the library has no word for it.
pub struct Utf8<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl fmt::Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

fn buffered<T>(out: impl Write, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    let result = write(&mut out)?;
    out.flush()?;
    Ok(result)
}

fn to_file<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        // A device or a pipe cannot be replaced, and a directory says so itself.
        return buffered(OpenOptions::new().write(true).open(&target)?, write);
    }
    let unfinished = Unfinished::beside(&target)?;
    let result = buffered(&unfinished.file, write)?;
    if let Some(metadata) = existing {
        fs::set_permissions(&unfinished.path, metadata.permissions())?;
    }
    unfinished.finish(&target)?;
    Ok(result)
}

/// A file that has not got its name yet, and is removed again where it never gets it.
struct Unfinished {
    path: PathBuf,
    file: File,
    is_finished: bool,
}

impl Unfinished {
    fn beside(target: &Path) -> anyhow::Result<Self> {
        let mut name = OsString::from(".");
        name.push(target.file_name().context("this is no file name")?);
        name.push(format!(".{}.part", std::process::id()));
        let path = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Unfinished { path, file, is_finished: false })
    }

    fn finish(mut self, target: &Path) -> anyhow::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_finished {
            // What cannot be removed stays beside the target, under a name that says what it is.
            let _ = fs::remove_file(&self.path);
        }
    }
}
