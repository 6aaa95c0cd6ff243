//! Runs the program and looks at what comes out.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run ended; `code` is `None` where a signal ended it.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The output of a run that must have gone well and in silence.
    #[track_caller]
    pub fn done(self) -> String {
        let is_warning = |line: &str| line.contains(": warning: ");
        assert!(self.code == Some(0) && self.stderr.lines().all(is_warning), "{self:?}");
        self.stdout
    }

    /// The run must have ended with exactly this message and no output.
    #[track_caller]
    pub fn trouble(self, message: &str) {
        assert_eq!((self.code, self.stderr.trim_end(), self.stdout.as_str()), (Some(2), message, ""));
    }
}

pub fn deltaic<A: AsRef<str>>(arguments: impl AsRef<[A]>) -> Outcome {
    deltaic_with_input(arguments, b"")
}

pub fn deltaic_with_input<A: AsRef<str>>(arguments: impl AsRef<[A]>, input: &[u8]) -> Outcome {
    run(command(arguments), input, false)
}

/// Runs it in a folder.
pub fn deltaic_in<A: AsRef<str>>(folder: &str, arguments: impl AsRef<[A]>) -> Outcome {
    let mut command = command(arguments);
    command.current_dir(folder);
    run(command, b"", false)
}

pub fn with_variables<A: AsRef<str>>(arguments: impl AsRef<[A]>, variables: &[(&str, &str)]) -> Outcome {
    let mut command = command(arguments);
    command.envs(variables.iter().copied());
    run(command, b"", false)
}

/// Reads a few bytes of the output and then no more.
pub fn with_closed_stdout<A: AsRef<str>>(arguments: impl AsRef<[A]>, input: &[u8]) -> Outcome {
    run(command(arguments), input, true)
}

fn command<A: AsRef<str>>(arguments: impl AsRef<[A]>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deltaic"));
    command.args(arguments.as_ref().iter().map(AsRef::as_ref));
    for variable in
        ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS", "DELTAIC_DATA", "DELTAIC_DATABASE", "DELTAIC_READER"]
    {
        command.env_remove(variable);
    }
    command
}

fn run(mut command: Command, input: &[u8], close_stdout: bool) -> Outcome {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let (mut stdin, mut stdout, mut stderr) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    std::thread::scope(|scope| {
        // Who does not read its input closes it, which is its own affair.
        scope.spawn(move || stdin.write_all(input).ok());
        let messages = scope.spawn(move || text(&mut stderr));
        let output = if close_stdout {
            stdout.read_exact(&mut [0; 5]).unwrap();
            drop(stdout);
            String::new()
        } else {
            text(&mut stdout)
        };
        let code = child.wait().unwrap().code();
        Outcome { code, stdout: output, stderr: messages.join().unwrap() }
    })
}

fn text(stream: &mut impl Read) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("output is UTF-8");
    text
}

/// The path of an example that comes with the project.
pub fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder for one test.
pub fn scratch(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// Compares with a file of `tests/expected`, or writes it where that is asked for.
#[track_caller]
pub fn expect_file(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&file, found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(found, expected, "{name}");
}
