//! Does everything come back that was recorded? The histories of the corpus, byte by byte, with git as the witness: of all
//! pages in a folder, of every fourth in PostgreSQL, and there of all with `WHOLE_CORPUS=1`.

#[path = "support/engines.rs"]
mod engines;
mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use store::{Address, Capture, Store};

use engines::{Engine, on_every_engine};

/// Every version of a page of the corpus, a day apart.
fn captures(page: &support::Page) -> Vec<Capture> {
    let address = Address::new(&format!("https://corpus.example/{}", page.name)).expect("an address");
    let capture = |(day, file): (usize, &std::path::PathBuf)| {
        let time = Timestamp::from_second(86_400 * day as i64).expect("a time");
        Capture::of(address.clone(), time, fs::read(file).expect("a readable file"))
    };
    page.files.iter().enumerate().map(capture).collect()
}

/// Gives all versions to git, each as a commit of its own, and tells the commit of every state that differs from the one
/// before it.
fn given_to_git(folder: &Path, pages: &[support::Page]) {
    let mut import = Vec::new();
    for page in pages {
        writeln!(import, "reset refs/heads/{}\n", branch(page)).expect("written");
        for (day, file) in page.files.iter().enumerate() {
            let bytes = fs::read(file).expect("a readable file");
            let time = 86_400 * day;
            write!(
                import,
                "commit refs/heads/{}\ncommitter a <a> {time} +0000\ndata 0\nM 644 inline page\n",
                branch(page)
            )
            .and_then(|()| writeln!(import, "data {}", bytes.len()))
            .and_then(|()| import.write_all(&bytes))
            .and_then(|()| writeln!(import))
            .expect("written");
        }
    }
    git(folder, &["init", "--quiet"], b"");
    git(folder, &["fast-import", "--quiet"], &import);
}

fn branch(page: &support::Page) -> String {
    page.name.replace(['/', '.'], "-")
}

fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    let mut stdin = child.stdin.take().expect("an input");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("git ends")
    });
    assert!(output.status.success(), "git {arguments:?}");
    output.stdout
}

/// The states of a page as git has them, oldest first, without those that are as the one before.
fn states_of_git(folder: &Path, page: &support::Page) -> Vec<Vec<u8>> {
    let log = git(folder, &["rev-list", "--reverse", &branch(page)], b"");
    let asked: String =
        String::from_utf8(log).expect("hashes").lines().map(|commit| format!("{commit}:page\n")).collect();
    let mut told = &git(folder, &["cat-file", "--batch=%(objectsize)"], asked.as_bytes())[..];
    let mut states = Vec::new();
    while let Some(end) = told.iter().position(|&byte| byte == b'\n') {
        let size: usize = std::str::from_utf8(&told[..end]).expect("a number").parse().expect("a size");
        states.push(told[end + 1..end + 1 + size].to_vec());
        told = &told[end + 2 + size..];
    }
    states.dedup();
    states
}

fn check(store: &Store, folder: &Path, pages: &[support::Page]) {
    let verified = store.verify(|_| ()).expect("verified");
    assert_eq!(verified.faults, []);
    for page in pages {
        let address = captures(page)[0].address.clone();
        let versions = store.versions(&address).expect("versions");
        let kept: Vec<Vec<u8>> = versions.iter().map(|version| store.content(version).expect("content")).collect();
        assert!(kept == states_of_git(folder, page), "{}", page.name);
    }
}

on_every_engine! { every_version_is_as_git_has_it }

fn every_version_is_as_git_has_it(engine: Engine) {
    let Some(corpus) = support::corpus() else { return };
    let every = if engine == Engine::Sqlite || std::env::var_os("WHOLE_CORPUS").is_some() { 1 } else { 4 };
    let pages: Vec<support::Page> = support::pages(&corpus).into_iter().step_by(every).collect();
    let place = engine.place();
    let folder = place.path();
    given_to_git(folder, &pages);
    let store = place.open();
    for page in &pages {
        let recorded = store.record_all(captures(page)).expect("recorded");
        assert!(recorded.iter().all(Result::is_ok), "{}", page.name);
    }
    check(&store, folder, &pages);
    let compacted = || {
        store.compact(|_| ()).expect("compacted");
        store.stats().expect("stats")
    };
    let (once, again) = (compacted(), compacted());
    assert_eq!((again.content_bytes, again.step_bytes), (once.content_bytes, once.step_bytes));
    check(&store, folder, &pages);
}
