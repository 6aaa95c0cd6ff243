//! What does a whole process cost? Its CPU time and its peak memory, as the system counts them.
//!
//! A process inherits the peak of whoever starts it, so that one which is started by a benchmark full of documents
//! would look large. Therefore the benchmark starts itself anew, and the small new one starts what is measured.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// The verb under which the benchmark measures a single process: `alone OUTPUT PROGRAM ARGUMENTS…`.
pub const ALONE: &str = "alone";

/// What a process cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub time: Duration,
    pub peak_bytes: u64,
}

impl Cost {
    /// The smaller of both, each for itself: what disturbs a run only adds to it.
    pub fn best(self, other: Cost) -> Cost {
        Cost { time: self.time.min(other.time), peak_bytes: self.peak_bytes.min(other.peak_bytes) }
    }
}

/// Runs a program with its output in a file, and says what it cost. Exits with 0 or 1, as those of comparisons do, or
/// it failed.
pub fn measured(program: &Path, arguments: &[&OsStr], output: &Path) -> Result<Cost> {
    let command = std::iter::once(program.as_os_str()).chain(arguments.iter().copied());
    let (status, cost, said) = started(command, output)?;
    ensure!(matches!(status, Some(0 | 1)), "{} ended with {status:?}: {said}", program.display());
    Ok(cost)
}

/// What came of a process that had so much time and no more.
#[derive(Debug)]
pub enum Outcome {
    Done(Cost),
    OutOfTime,
    /// The last line that it said.
    Failed(String),
}

/// Runs a program with its output in a file, and ends it when its CPU time is over.
pub fn within(limit: Duration, program: &Path, arguments: &[&OsStr], output: &Path) -> Result<Outcome> {
    let limiting = format!("ulimit -t {}; exec \"$@\"", limit.as_secs().max(1));
    let shell = ["sh", "-c", &limiting, "sh"].map(OsStr::new).into_iter();
    let command = shell.chain([program.as_os_str()]).chain(arguments.iter().copied());
    Ok(match started(command, output)? {
        (Some(0 | 1), cost, _) => Outcome::Done(cost),
        (None, ..) => Outcome::OutOfTime,
        (Some(_), _, said) => Outcome::Failed(said),
    })
}

/// CPU time of all children that have ended and were waited for.
#[allow(unsafe_code)]
pub fn children_time() -> Duration {
    // SAFETY: all of its fields are integers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the place is valid for the time of the call, which fails for no other reason than unknown arguments.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    cpu_time(&usage)
}

fn cpu_time(usage: &libc::rusage) -> Duration {
    let [user, system] =
        [usage.ru_utime, usage.ru_stime].map(|time| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000));
    user + system
}

/// What a program says of itself when it is asked for its version, or why it does not.
pub fn version(mut command: Command) -> Result<String> {
    let said = command.arg("--version").output().with_context(|| format!("starting {command:?}"))?;
    let mut complaints = std::str::from_utf8(&said.stderr).unwrap_or_default().lines();
    let complaint = complaints.rfind(|line| !line.trim().is_empty()).unwrap_or("it failed");
    ensure!(said.status.success(), "{complaint}");
    Ok(String::from_utf8_lossy(&said.stdout).lines().next().unwrap_or_default().to_owned())
}

/// Starts the benchmark anew to run a command [`alone`]; gives the exit status of the command where no signal ended it, its
/// cost, and the last line of its errors.
fn started<'c>(command: impl Iterator<Item = &'c OsStr>, output: &Path) -> Result<(Option<i32>, Cost, String)> {
    let answered = Command::new(std::env::current_exe()?)
        .arg(ALONE)
        .arg(output)
        .args(command)
        .output()
        .context("starting the benchmark anew")?;
    let said = String::from_utf8_lossy(&answered.stderr).trim().to_owned();
    ensure!(answered.status.success(), "{said}");
    let text = String::from_utf8(answered.stdout)?;
    let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<i64>, _>>()?;
    let [nanoseconds, peak_bytes, status] = figures[..] else { bail!("expected three figures, found `{text}`") };
    let cost = Cost { time: Duration::from_nanos(nanoseconds.unsigned_abs()), peak_bytes: peak_bytes.unsigned_abs() };
    let last_line = said.lines().next_back().unwrap_or_default().to_owned();
    Ok((i32::try_from(status).ok().filter(|status| *status >= 0), cost, last_line))
}

/// Starts a program, waits for its end, and prints what it cost, and its exit status or -1.
pub fn alone(output: &Path, command: &[OsString]) -> Result<()> {
    let [program, arguments @ ..] = command else { bail!("expected a program") };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .spawn()
        .with_context(|| format!("starting {}", Path::new(program).display()))?;
    let (status, cost) = wait(child.id())?;
    println!("{} {} {}", cost.time.as_nanos(), cost.peak_bytes, status.unwrap_or(-1));
    Ok(())
}

/// Waits for a child; its exit status, where it was not ended by a signal, and its cost.
#[allow(unsafe_code)]
fn wait(child: u32) -> Result<(Option<i32>, Cost)> {
    let mut status = 0;
    // SAFETY: all of its fields are integers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both places are valid for the time of the call, and the child is our own and not waited for elsewhere.
    let waited = unsafe { libc::wait4(child as libc::pid_t, &mut status, 0, &mut usage) };
    ensure!(waited == child as libc::pid_t, "waiting failed: {}", std::io::Error::last_os_error());
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    // Linux counts in kibibytes.
    Ok((code, Cost { time: cpu_time(&usage), peak_bytes: usage.ru_maxrss as u64 * 1024 }))
}
