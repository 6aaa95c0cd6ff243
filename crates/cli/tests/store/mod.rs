//! What was kept comes back: pages are recorded, and looked back at.

mod engines;
mod looking_back;
mod recording;
mod tracing;
mod travelling;

use std::fs;

use crate::deltaic::{self, Outcome, example, scratch};

pub const MENU: &str = "https://example.org/menu.xml";

/// A store of its own for a test.
pub struct Kept {
    pub folder: String,
}

impl Kept {
    pub fn new(name: &str) -> Self {
        let folder = scratch(&format!("store-{name}"));
        fs::remove_dir_all(&folder).unwrap();
        Kept { folder }
    }

    /// A store with two versions of a menu, a check that found the second again, and one that failed.
    pub fn with_menu(name: &str) -> Self {
        let kept = Kept::new(name);
        let (before, after) = (example("menu-before.xml"), example("menu-after.xml"));
        let times = ["--at", "2026-11-01", "--at", "2026-11-02T12:00", "--at", "2026-11-03T12:00"];
        kept.run([&["record", MENU, &before, &after, &after][..], &times].concat()).done();
        kept.run(["record", MENU, "--failed", "no route to host", "--at", "2026-11-04T09:30+01:00"]).done();
        kept
    }

    pub fn run<A: AsRef<str>>(&self, arguments: impl AsRef<[A]>) -> Outcome {
        self.run_with_input(arguments, b"")
    }

    pub fn run_with_input<A: AsRef<str>>(&self, arguments: impl AsRef<[A]>, input: &[u8]) -> Outcome {
        let arguments: Vec<&str> =
            arguments.as_ref().iter().map(AsRef::as_ref).chain(["--data", &self.folder]).collect();
        deltaic::deltaic_with_input(arguments, input)
    }
}
