//! How does git ask for a difference? With seven arguments, nine for a renamed file, or one for a path that is not
//! merged; a file that is not there is `/dev/null`.
//!
//! Git gives up on an exit status other than 0, even on 1, unless it is told to trust it; so whatever there is to say of
//! one file is said, and git goes on to the next.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::args::{DeltaFormatArg, DiffArgs};
use crate::compare::Comparison;
use crate::exit::{self, Ending};
use crate::input::{self, Source};
use crate::{diff, output, terminal};

/// What git says of one file.
#[derive(Debug)]
pub enum Call<'a> {
    /// It has conflicts, and there is nothing to compare yet.
    Unmerged(&'a Path),
    /// It is to be compared.
    Changed(Change<'a>),
}

#[derive(Debug)]
pub struct Change<'a> {
    path: &'a Path,
    /// Where it was renamed to.
    new_path: Option<&'a Path>,
    before: &'a Path,
    after: &'a Path,
    modes: [&'a OsStr; 2],
}

/// Git's call, if it is one; the arguments of people are two.
pub fn call(args: &DiffArgs) -> Option<Call<'_>> {
    let path = args.before.as_path();
    match (&args.after, args.git.as_slice()) {
        (None, _) => is_caller().then_some(Call::Unmerged(path)),
        (Some(before), [_hash, mode, after, _new_hash, new_mode, renamed @ ..]) => Some(Call::Changed(Change {
            path,
            new_path: renamed.first().map(Path::new),
            before,
            after: Path::new(after),
            modes: [mode, new_mode],
        })),
        _ => None,
    }
}

fn is_caller() -> bool {
    std::env::var_os("GIT_DIFF_PATH_TOTAL").is_some()
}

/// What git writes of two files behind the lines that name them: from the first place that differs on, whatever its colour.
fn behind_heading(lines: &[u8]) -> &[u8] {
    let mut start = 0;
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        if without_color(line).starts_with(b"@@") {
            return &lines[start..];
        }
        start += line.len();
    }
    let is_of_bytes = |line| without_color(line).starts_with(b"Binary files ");
    match lines.split_inclusive(|&byte| byte == b'\n').any(is_of_bytes) {
        true => b"the versions differ, and are no text\n",
        // An empty file that comes or goes has no lines.
        false => b"",
    }
}

/// A line without the colours that it begins with, which people choose.
fn without_color(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some(color) = rest.strip_prefix(b"\x1b[") {
        let end = color.iter().position(|&byte| byte == b'm').map_or(color.len(), |at| at + 1);
        rest = &color[end..];
    }
    rest
}

/// What git writes in place of a file that is not there.
pub fn is_absent(file: &Path) -> bool {
    file == Path::new("/dev/null")
}

pub fn run(call: &Call<'_>, args: &DiffArgs) -> anyhow::Result<Ending> {
    let ending = output::write(args.output.file.as_deref(), |out| match call {
        Call::Unmerged(path) => {
            terminal::heading(&format!("{}: not merged", path.display()), terminal::is_coloured(args.color), out)?;
            Ok(Ending::Different)
        }
        Call::Changed(change) => change.show(args, out),
    })?;
    Ok(if args.trust_exit_code { ending } else { Ending::Done })
}

impl Change<'_> {
    fn show(&self, args: &DiffArgs, out: &mut dyn Write) -> anyhow::Result<Ending> {
        let is_coloured = terminal::is_coloured(args.color);
        if is_absent(self.before) || is_absent(self.after) {
            terminal::heading(&self.heading(), is_coloured, out)?;
            if args.format.is_none_or(|format| format == DeltaFormatArg::Tree) {
                self.write_lines(is_coloured, out)?;
            }
            return Ok(Ending::Different);
        }
        let comparison = match self.compare(args) {
            Ok(comparison) => comparison,
            Err(error) => {
                terminal::heading(&self.heading(), is_coloured, out)?;
                exit::write_message(&self.explained(error, args), out)?;
                self.write_lines(is_coloured, out)?;
                return Ok(Ending::Different);
            }
        };
        if comparison.ending() == Ending::Different || self.modes[0] != self.modes[1] || self.new_path.is_some() {
            terminal::heading(&self.heading(), is_coloured, out)?;
        }
        diff::write(&comparison, args.format.unwrap_or(DeltaFormatArg::Tree), args, out)?;
        Ok(comparison.ending())
    }

    fn compare(&self, args: &DiffArgs) -> anyhow::Result<Comparison> {
        Comparison::new(self.sources(), args)
    }

    fn sources(&self) -> [Source<'_>; 2] {
        let after = self.new_path.unwrap_or(self.path);
        let named = |file, name| Source { name, ..Source::new(file) };
        [named(self.before, self.path), named(self.after, after)]
    }

    /// Why there is no comparison: the first version that cannot be read, and which one it is.
    fn explained(&self, error: anyhow::Error, args: &DiffArgs) -> anyhow::Error {
        let read = |(source, side)| input::read_source(source, &args.reading).err().map(|error| error.context(side));
        let unreadable = self.sources().into_iter().zip(["old version", "new version"]).find_map(read);
        unreadable.unwrap_or(error)
    }

    /// The lines that differ, by git: what cannot be compared as a tree can be read as text. Git's heading is left out, which has
    /// the names of its copies.
    fn write_lines(&self, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
        let color = if is_coloured { "--color=always" } else { "--color=never" };
        let mut git = Command::new("git");
        git.args(["diff", "--no-index", "--no-ext-diff", "--no-textconv", color, "--"]).args([self.before, self.after]);
        // Whoever calls this without git has been told what is wrong.
        match git.stderr(Stdio::null()).output() {
            Ok(lines) => out.write_all(behind_heading(&lines.stdout)),
            Err(_) => Ok(()),
        }
    }

    fn heading(&self) -> String {
        let path = self.path.display();
        let [mode, new_mode] = self.modes.map(|mode| mode.to_string_lossy());
        match self.new_path {
            _ if is_absent(self.before) => format!("{path}: new"),
            _ if is_absent(self.after) => format!("{path}: deleted"),
            Some(new_path) => format!("{path}: now {}", new_path.display()),
            None if mode != new_mode => format!("{path}: mode {mode}, now {new_mode}"),
            None => path.to_string(),
        }
    }
}

/// What there is to say of a file that has no other version, as `git difftool` hands them over.
pub fn lone(before: &Path, after: &Path) -> Option<String> {
    let shown = |file: &Path| PathBuf::from(file).display().to_string();
    match (is_absent(before), is_absent(after)) {
        (true, false) => Some(format!("{}: new", shown(after))),
        (false, true) => Some(format!("{}: deleted", shown(before))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::behind_heading;

    #[test]
    fn lines_begin_at_the_first_place_whatever_its_colour() {
        let place = "\x1b[1m\x1b[35m@@ -1 +1 @@\x1b[m\n-a\n+b\n";
        let lines = format!("\x1b[1mdiff --git a/x b/y\x1b[m\n--- a/x\n+++ b/y\n{place}");
        assert_eq!(behind_heading(lines.as_bytes()), place.as_bytes());
        assert_eq!(behind_heading(b"Binary files a/x and b/y differ\n"), b"the versions differ, and are no text\n");
        assert_eq!(
            behind_heading(b"\x1b[1mBinary files a/x and b/y differ\x1b[m\n"),
            b"the versions differ, and are no text\n"
        );
        assert_eq!(behind_heading(b"diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n"), b"");
        assert_eq!(behind_heading(b""), b"");
    }
}
