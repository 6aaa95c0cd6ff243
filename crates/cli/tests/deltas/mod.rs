//! What do the verbs do that make, show and apply deltas?

mod diff;
mod git;
mod verbs;

use std::fs;
use std::path::Path;

use crate::deltaic::{Outcome, deltaic, example};

/// The two versions of each example, with the name of the expected outputs.
const EXAMPLES: [(&str, &str); 3] = [("menu", "xml"), ("page", "html"), ("order", "json")];

fn versions(name: &str, extension: &str) -> [String; 2] {
    ["before", "after"].map(|side| example(&format!("{name}-{side}.{extension}")))
}

/// The run of a diff, and that it found a difference.
#[track_caller]
fn different(arguments: &[&str]) -> String {
    let Outcome { code, stdout, stderr } = deltaic([&["diff"], arguments].concat());
    assert_eq!((code, stderr.as_str()), (Some(1), ""), "{arguments:?} {stdout}");
    stdout
}

fn write(folder: &str, name: &str, content: impl AsRef<[u8]>) -> String {
    let file = Path::new(folder).join(name);
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}

/// What is in a folder, so that nothing is left behind there.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
