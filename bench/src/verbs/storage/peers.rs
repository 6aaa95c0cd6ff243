//! What do RCS and git make of the same versions? Their own programs, in a folder that is gone at the end.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::codec::{self, Coding};
use super::collection::{Collection, Place};
use super::measured::timed;
use super::strategies::{Archive, Keeper};

/// A file of RCS for every document: the latest version whole, and what `ed` makes older ones of it with.
pub struct Rcs {
    /// The files are compressed once all versions are in.
    pub compressed: Option<Coding>,
}

impl Keeper for Rcs {
    fn keep<'c>(&self, collection: &'c Collection<'_>, folder: &Path) -> Result<Box<dyn Archive + 'c>> {
        let mut files = Vec::new();
        for (number, history) in collection.histories.iter().enumerate() {
            let name = format!("{number}.page");
            // Keywords such as $Id$ belong to the pages.
            run(folder, "rcs", ["-q", "-i", "-U", "-ko", "-t-page", &name])?;
            for (at, version) in history.versions.iter().enumerate() {
                fs::write(folder.join(&name), version)?;
                let date = format!("-d2000-01-01 {:02}:{:02}:00", at / 60, at % 60);
                run(folder, "ci", ["-q", "-f", "-mversion", &date, &name])?;
            }
            files.push(self.file(folder.join(format!("{name},v")))?);
        }
        Ok(Box::new(RcsFiles { folder: folder.to_owned(), files, is_compressed: self.compressed.is_some() }))
    }
}

impl Rcs {
    fn file(&self, path: PathBuf) -> Result<File> {
        let length = fs::metadata(&path)?.len();
        let Some(coding) = self.compressed else { return Ok(File { path, length, kept: length }) };
        let compressed = coding.encoded(&fs::read(&path)?, None)?;
        fs::write(&path, &compressed)?;
        Ok(File { path, length, kept: compressed.len() as u64 })
    }
}

struct File {
    path: PathBuf,
    /// Bytes as RCS wrote it, and as it is kept.
    length: u64,
    kept: u64,
}

struct RcsFiles {
    folder: PathBuf,
    files: Vec<File>,
    is_compressed: bool,
}

impl Archive for RcsFiles {
    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.kept).sum()
    }

    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let File { path, length, .. } = self.files.get(place.history).context("no such document")?;
        let revision = format!("-r1.{}", place.version + 1);
        if !self.is_compressed {
            return run(&self.folder, "co", [OsStr::new("-q"), OsStr::new(&revision), OsStr::new("-p"), path.as_ref()]);
        }
        fs::write(self.folder.join("read.page,v"), codec::decoded(&fs::read(path)?, *length as usize, None)?)?;
        run(&self.folder, "co", ["-q", &revision, "-p", "read.page,v"])
    }
}

/// A repository of git: a commit has the n-th version of every document.
pub struct Git {
    /// What is run when all commits are made, if anything.
    pub packing: &'static [&'static str],
}

impl Keeper for Git {
    fn keep<'c>(&self, collection: &'c Collection<'_>, folder: &Path) -> Result<Box<dyn Archive + 'c>> {
        let paths: Vec<String> = collection.histories.iter().map(|history| history.path()).collect();
        git(folder, ["init", "-q"])?;
        for path in &paths {
            fs::create_dir_all(folder.join(path).parent().unwrap_or(folder))?;
        }
        let commits = collection.histories.iter().map(|history| history.versions.len()).max().unwrap_or(0);
        for number in 0..commits {
            for (history, path) in collection.histories.iter().zip(&paths) {
                if let Some(version) = history.versions.get(number) {
                    fs::write(folder.join(path), version)?;
                }
            }
            git(folder, ["add", "-A"])?;
            git(folder, ["commit", "-q", "--allow-empty", "-m", "version"])?;
            git(folder, ["tag", &tag(number)])?;
        }
        if !self.packing.is_empty() {
            git(folder, self.packing)?;
        }
        Ok(Box::new(Repository { folder: folder.to_owned(), paths }))
    }
}

struct Repository {
    folder: PathBuf,
    paths: Vec<String>,
}

impl Archive for Repository {
    fn bytes(&self) -> u64 {
        files_below(self.folder.join(".git/objects")).unwrap_or(0)
    }

    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let path = self.paths.get(place.history).context("no such document")?;
        git(&self.folder, ["cat-file", "blob", &format!("{}:{path}", tag(place.version))])
    }
}

fn tag(number: usize) -> String {
    format!("v{number}")
}

/// Lengths of all files in a folder and those in it.
fn files_below(folder: PathBuf) -> Result<u64> {
    let mut bytes = 0;
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += entry.metadata()?.len(),
            }
        }
    }
    Ok(bytes)
}

/// Seconds of CPU time that a program takes to start and to say its version; the best of some.
pub fn starting(program: &str) -> Result<f64> {
    let times = (0..10).map(|_| Ok(timed(|| run(Path::new("."), program, ["--version"]))?.1.as_secs_f64()));
    times.collect::<Result<Vec<f64>>>().map(|times| times.into_iter().fold(f64::MAX, f64::min))
}

fn git(folder: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Vec<u8>> {
    let settings =
        ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "pack.threads=1", "-c", "core.hooksPath=/dev/null"];
    let settings = settings.into_iter().map(|setting| OsStr::new(setting).to_owned());
    run(folder, "git", settings.chain(arguments.into_iter().map(|argument| argument.as_ref().to_owned())))
}

/// Runs a program in a folder, whatever its user has set up for it, and gives what it says.
fn run(folder: &Path, program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Vec<u8>> {
    let said = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LOGNAME", "study"), ("TZ", "UTC")])
        .envs([("GIT_AUTHOR_NAME", "study"), ("GIT_AUTHOR_EMAIL", "study@example.org")])
        .envs([("GIT_COMMITTER_NAME", "study"), ("GIT_COMMITTER_EMAIL", "study@example.org")])
        .output()
        .with_context(|| format!("starting {program}"))?;
    ensure!(said.status.success(), "{program} failed: {}", String::from_utf8_lossy(&said.stderr).trim());
    Ok(said.stdout)
}
