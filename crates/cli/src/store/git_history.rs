//! What was in a file at every commit? Git says, oldest first.
//!
//! The line of history is that of the first parents of `HEAD`: a file had one content there at any time, and what was
//! tried on a branch counts from the moment that it was merged. Renames are followed. Git runs nothing that the
//! configuration of the repository names, and fetches nothing.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use jiff::Timestamp;

use crate::exit::Trouble;

/// What a commit made of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Committed {
    /// When that was committed; never before the commit before it, whatever its clock said.
    pub time: Timestamp,
    pub commit: String,
    /// None where it took the file away.
    pub bytes: Option<Vec<u8>>,
    /// Whether its clock said an earlier time than that of the commit before it.
    pub is_raised: bool,
}

/// The contents of a file through its commits, which are read one at a time.
#[derive(Debug)]
pub struct GitHistory {
    /// The latest first.
    left: Vec<Change>,
    time: Timestamp,
    contents: Contents,
}

impl GitHistory {
    /// The history of the file at `path`, which is relative to the folder `repository`.
    pub fn of(repository: &Path, path: &OsStr, max_bytes: usize) -> anyhow::Result<Self> {
        if is_folder(repository, path)? {
            let message = format!("`{}` is a folder", path.display());
            return Err(Trouble::new(message, "a page has the history of one file: name a file in it").into());
        }
        let left = changes(repository, path)?;
        if left.is_empty() {
            let message = format!("no commit has a file `{}`", path.display());
            return Err(Trouble::new(message, "the path is relative to the repository's folder").into());
        }
        Ok(GitHistory { left, time: Timestamp::MIN, contents: Contents::open(repository, max_bytes)? })
    }

    fn committed(&mut self, change: Change) -> anyhow::Result<Committed> {
        let is_raised = change.time < self.time;
        self.time = self.time.max(change.time);
        let read = change.blob.map(|blob| self.contents.read(&blob)).transpose();
        let bytes = read.with_context(|| format!("commit {}", change.commit))?;
        Ok(Committed { time: self.time, commit: change.commit, bytes, is_raised })
    }
}

impl Iterator for GitHistory {
    type Item = anyhow::Result<Committed>;

    fn next(&mut self) -> Option<Self::Item> {
        let change = self.left.pop()?;
        Some(self.committed(change))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.len(), Some(self.left.len()))
    }
}

/// A commit that gave a file another content, or took it away.
#[derive(Debug)]
struct Change {
    commit: String,
    time: Timestamp,
    blob: Option<String>,
}

/// Whether the path leads to a folder now.
fn is_folder(repository: &Path, path: &OsStr) -> anyhow::Result<bool> {
    let mut object = OsString::from("HEAD:./");
    object.push(path);
    let mut git = git(repository);
    git.args(["cat-file", "-t"]).arg(object).stdin(Stdio::null()).stderr(Stdio::null());
    Ok(spawn(&mut git)?.wait_with_output()?.stdout.starts_with(b"tree"))
}

/// The commits that changed a file, the latest first.
fn changes(repository: &Path, path: &OsStr) -> anyhow::Result<Vec<Change>> {
    let mut git = git(repository);
    git.args(["log", "--follow", "--first-parent", "-M", "--raw", "--no-abbrev", "--no-show-signature", "--no-notes"]);
    git.args(["--no-color", "--format=commit %H %ct", "HEAD", "--"]).arg(path);
    let mut child = spawn(git.stdin(Stdio::null()).stderr(Stdio::piped()))?;
    let listed = child.stdout.take().map_or(Ok(Vec::new()), |listing| listed(BufReader::new(listing)));
    let ended = child.wait_with_output()?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        bail!("git says: {}", said.trim().trim_start_matches("fatal: "));
    }
    listed
}

/// A line names a commit, and the next but one what it did: `:100644 100644 BEFORE AFTER M⇥path`. Names that could be
/// taken for something else are quoted there.
fn listed(listing: impl BufRead) -> anyhow::Result<Vec<Change>> {
    let mut changes = Vec::new();
    let mut commit = None;
    for line in listing.split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        let words: Vec<&str> = line.split([' ', '\t']).collect();
        match words.as_slice() {
            ["commit", id, seconds] => commit = Some((id.to_string(), Timestamp::from_second(seconds.parse()?)?)),
            [mode, new_mode, before, after, ..] if mode.starts_with(':') => {
                let (is_file, is_gone) = (new_mode.starts_with("100"), *new_mode == "000000");
                let is_change = is_gone || is_file && before != after;
                let Some((id, time)) = commit.take().filter(|_| is_change) else { continue };
                changes.push(Change { commit: id, time, blob: is_file.then(|| after.to_string()) });
            }
            _ => {}
        }
    }
    Ok(changes)
}

/// `git cat-file --batch`, which answers with a content for every name.
#[derive(Debug)]
struct Contents {
    child: Child,
    names: ChildStdin,
    contents: BufReader<ChildStdout>,
    max_bytes: usize,
}

impl Contents {
    fn open(repository: &Path, max_bytes: usize) -> anyhow::Result<Self> {
        let mut child = spawn(git(repository).args(["cat-file", "--batch"]).stdin(Stdio::piped()))?;
        let (Some(names), Some(contents)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("git cannot be talked to");
        };
        Ok(Contents { child, names, contents: BufReader::new(contents), max_bytes })
    }

    /// The answer is `NAME blob LENGTH`, that many bytes, and a line end.
    fn read(&mut self, blob: &str) -> anyhow::Result<Vec<u8>> {
        writeln!(self.names, "{blob}")?;
        let mut answer = String::new();
        self.contents.read_line(&mut answer)?;
        let length: usize = match answer.split_whitespace().collect::<Vec<_>>().as_slice() {
            [_, "blob", length] => length.parse()?,
            _ => bail!("git cannot read the object {blob}: `{}`", answer.trim()),
        };
        if length > self.max_bytes {
            let message = format!("the file has {length} bytes, more than {}", self.max_bytes);
            return Err(Trouble::new(message, "--max-bytes N allows more").into());
        }
        let mut bytes = vec![0; length];
        self.contents.read_exact(&mut bytes)?;
        self.contents.read_exact(&mut [0])?;
        Ok(bytes)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        // It may be waiting for the next name, or for somebody to read; it has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Git in a folder, without what a caller or the repository would have it do beside.
fn git(repository: &Path) -> Command {
    let mut git = Command::new("git");
    for variable in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"]
    {
        git.env_remove(variable);
    }
    git.envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")]);
    git.args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"]).arg("-C").arg(repository);
    git
}

fn spawn(git: &mut Command) -> anyhow::Result<Child> {
    git.stdout(Stdio::piped()).spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Trouble::new("there is no git", "--from-git needs the program git").into(),
        _ => anyhow::Error::from(error).context("git"),
    })
}

#[cfg(test)]
mod tests;
