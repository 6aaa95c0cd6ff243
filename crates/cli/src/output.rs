//! Where does the result go? To standard output, or to a file that is written whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::args::OutputLimit;
use crate::exit::Trouble;
use crate::input::too_much;

const BUFFER_BYTES: usize = 1 << 16;

/// Has `write` write to the file, or to standard output where there is none or it is `-`.
pub fn write<T>(file: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => to_file(file, write).with_context(|| file.display().to_string()),
        None => buffered(io::stdout().lock(), write),
    }
}

/// Has `write` write to standard output, and no more than it may.
pub fn within(
    limit: &OutputLimit,
    write: impl FnOnce(&mut Limited<BufWriter<io::StdoutLock<'static>>>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    bounded(limit, BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()), write)
}

/// Has `write` write to something else, and no more than it may.
pub fn bounded<W: Write>(
    limit: &OutputLimit,
    out: W,
    write: impl FnOnce(&mut Limited<W>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut out = Limited { out, left: limit.max_output_bytes, is_over: false };
    let written = write(&mut out);
    if out.is_over {
        return Err(too_much("bytes of output", limit.max_output_bytes, "--max-output-bytes", None).into());
    }
    written?;
    Ok(out.flush()?)
}

/// Takes so many bytes and no more.
pub struct Limited<W> {
    out: W,
    left: usize,
    /// More was to be written.
    is_over: bool,
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_over |= bytes.len() > self.left;
        if self.is_over {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let taken = self.out.write(bytes)?;
        self.left -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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
    if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        let hint = format!("mkdir -p '{}' makes it", folder.display());
        return Err(Trouble::new("there is no such folder", hint).into());
    }
    let unfinished = Unfinished::beside(&target, existing.map(|metadata| metadata.permissions()))?;
    let result = buffered(&unfinished.file, write)?;
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
    /// A file beside the target, with the permissions of that from the start: nobody may read it who may not read the
    /// target. Who is writing the same elsewhere has another; what one who was killed has left is removed.
    fn beside(target: &Path, permissions: Option<Permissions>) -> anyhow::Result<Self> {
        let name = target.file_name().context("this is no file name")?;
        let path = |end: &str| {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(end);
            target.with_file_name(hidden)
        };
        let usual = Unfinished::at(path(".part"), permissions.as_ref());
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        let unfinished = match usual {
            Err(error) if is_taken(&error) => {
                Unfinished::at(path(&format!(".{}.part", std::process::id())), permissions.as_ref())
            }
            usual => usual,
        }?;
        // The mask of the process has taken away what the target may well have.
        permissions.map_or(Ok(()), |permissions| unfinished.file.set_permissions(permissions))?;
        Ok(unfinished)
    }

    fn at(path: PathBuf, permissions: Option<&Permissions>) -> io::Result<Self> {
        if store::is_abandoned(&path) {
            fs::remove_file(&path)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        permissions.iter().for_each(|permissions| limit(&mut options, permissions));
        let file = options.open(&path)?;
        // Where there are no locks, what is abandoned has to be removed by hand.
        let _ = file.try_lock();
        // Somebody may have taken it for abandoned just before, and begun another.
        if !is_at(&file, &path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(Unfinished { file, path, is_finished: false })
    }

    fn finish(mut self, target: &Path) -> anyhow::Result<()> {
        // A name must not get to the disk before what it names, or both versions are lost in a crash.
        self.file.sync_all()?;
        fs::rename(&self.path, target)?;
        self.is_finished = true;
        Ok(())
    }
}

/// Has a file created with no more than these permissions.
#[cfg(unix)]
fn limit(options: &mut OpenOptions, permissions: &Permissions) {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    const READ_WRITE_EXECUTE: u32 = 0o777;
    options.mode(permissions.mode() & READ_WRITE_EXECUTE);
}

#[cfg(not(unix))]
fn limit(_: &mut OpenOptions, _: &Permissions) {}

/// Whether a file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    fs::metadata(path).map(place).ok() == file.metadata().map(place).ok()
}

/// What is open is not removed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_finished {
            // What cannot be removed stays beside the target, under a name that says what it is.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_was_given_up_is_in_nobodys_way() {
        let folder = std::env::temp_dir().join(format!("deltaic-given-up-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let names = || {
            let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = entries.collect();
            names.sort();
            names
        };
        let (target, part) = (folder.join("target"), folder.join(".target.part"));
        let write = |text: &'static str| to_file(&target, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
        // What another is writing stays, and does not keep us from writing.
        fs::write(&part, "half").unwrap();
        let lock = File::open(&part).unwrap();
        lock.lock().unwrap();
        write("whole");
        assert_eq!(names(), [".target.part", "target"]);
        assert_eq!(fs::read_to_string(&part).unwrap(), "half");
        // It was killed, and so was one with our own number.
        drop(lock);
        write("another");
        assert_eq!(names(), ["target"]);
        std::os::unix::fs::symlink("/dev/stdin", &part).unwrap();
        write("beside a link");
        assert_eq!(names(), [".target.part", "target"]);
        fs::remove_file(&part).unwrap();
        let busy = Unfinished::beside(&target, None).unwrap();
        fs::write(folder.join(format!(".target.{}.part", std::process::id())), "half").unwrap();
        write("the last");
        drop(busy);
        assert_eq!((names(), &*fs::read_to_string(&target).unwrap()), (vec!["target".to_owned()], "the last"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_has_the_permissions_of_the_one_it_replaces_from_the_start() {
        let folder = std::env::temp_dir().join(format!("deltaic-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let modes = || {
            let entries = fs::read_dir(&folder).unwrap().map(Result::unwrap);
            let mut modes: Vec<u32> =
                entries.map(|entry| entry.metadata().unwrap().permissions().mode() & 0o777).collect();
            modes.sort_unstable();
            modes
        };
        let target = folder.join("target");
        for mode in [0o600, 0o640, 0o666, 0o400] {
            fs::write(&target, "before").unwrap();
            fs::set_permissions(&target, Permissions::from_mode(mode)).unwrap();
            to_file(&target, |out| {
                assert_eq!(modes(), [mode, mode]);
                Ok(out.write_all(b"after")?)
            })
            .unwrap();
            assert_eq!(modes(), [mode]);
            assert_eq!(fs::read_to_string(&target).unwrap(), "after");
            fs::remove_file(&target).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
