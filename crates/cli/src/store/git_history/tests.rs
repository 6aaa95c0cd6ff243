use std::fs;
use std::path::PathBuf;

use super::*;

/// A repository in a folder of its own; every commit is an hour behind the one before.
struct Repository {
    folder: tempfile::TempDir,
    hours: i64,
}

impl Repository {
    fn new() -> Self {
        let repository = Repository { folder: tempfile::tempdir().unwrap(), hours: 0 };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let date = format!("@{} +0000", self.hours * 3600);
        let mut git = Command::new("git");
        git.arg("-C").arg(self.folder.path()).args(["-c", "user.name=A", "-c", "user.email=a@a.example"]);
        git.envs([
            ("GIT_COMMITTER_DATE", date.as_str()),
            ("GIT_AUTHOR_DATE", &date),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]);
        let ended = git.args(arguments).output().expect("git runs");
        assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }

    fn write(&self, path: &str, content: &str) {
        let file = self.file(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn commit(&mut self) {
        self.hours += 1;
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", ":100644 100644 a b M\ncommit 1 2"]);
    }

    fn commit_with(&mut self, path: &str, content: &str) {
        self.write(path, content);
        self.commit();
    }

    /// Hours and contents.
    fn history(&self, path: &str) -> Vec<(i64, String)> {
        let history = GitHistory::of(self.folder.path(), OsStr::new(path), 1000).unwrap();
        let told = |committed: Committed| {
            assert_eq!(committed.commit.len(), 40);
            let bytes = committed.bytes.unwrap_or_else(|| b"(gone)".into());
            (committed.time.as_second() / 3600, String::from_utf8(bytes).unwrap())
        };
        history.map(|committed| told(committed.unwrap())).collect()
    }

    fn trouble(&self, path: &str) -> String {
        format!("{:#}", GitHistory::of(self.folder.path(), OsStr::new(path), 1000).unwrap_err())
    }
}

fn expected(history: &[(i64, &str)]) -> Vec<(i64, String)> {
    history.iter().map(|(hour, content)| (*hour, content.to_string())).collect()
}

#[test]
fn every_content_of_a_file_comes_oldest_first() {
    let mut repository = Repository::new();
    repository.commit_with("a", "one");
    repository.commit_with("b", "something else");
    repository.commit_with("a", "");
    repository.commit_with("a", "three\n\nlines\n");
    assert_eq!(repository.history("a"), expected(&[(1, "one"), (3, ""), (4, "three\n\nlines\n")]));
}

#[test]
fn renamed_files_are_followed_and_lost_ones_come_again() {
    let text = "a text that is long enough to be known again\n".repeat(5);
    let mut repository = Repository::new();
    repository.commit_with("old", &text);
    fs::rename(repository.file("old"), repository.file("new")).unwrap();
    repository.commit();
    repository.commit_with("new", "two");
    fs::remove_file(repository.file("new")).unwrap();
    repository.commit();
    repository.commit_with("new", "back");
    assert_eq!(repository.history("new"), expected(&[(1, &text), (3, "two"), (4, "(gone)"), (5, "back")]));
}

#[test]
fn odd_names_are_names() {
    for name in ["a b", "*", ":(glob)**", "-x", "quote\"", "é/ü", "line\nend", "tab\tname", "100644"] {
        let mut repository = Repository::new();
        repository.commit_with("other", "other");
        repository.commit_with(name, "one");
        repository.commit_with(name, "two");
        assert_eq!(repository.history(name), expected(&[(2, "one"), (3, "two")]), "{name}");
    }
}

#[test]
fn branches_count_when_they_are_merged() {
    let mut repository = Repository::new();
    repository.commit_with("a", "one");
    repository.git(&["checkout", "-q", "-b", "branch"]);
    repository.commit_with("a", "tried");
    repository.commit_with("a", "done");
    repository.git(&["checkout", "-q", "main"]);
    repository.commit_with("b", "meanwhile");
    repository.hours += 1;
    repository.git(&["merge", "-q", "--no-ff", "-m", "merge", "branch"]);
    repository.commit_with("a", "more");
    assert_eq!(repository.history("a"), expected(&[(1, "one"), (5, "done"), (6, "more")]));
}

#[test]
fn clocks_that_go_back_do_not_take_versions_back() {
    let mut repository = Repository::new();
    repository.hours = 10;
    repository.commit_with("a", "one");
    repository.hours = 2;
    repository.commit_with("a", "two");
    assert_eq!(repository.history("a"), expected(&[(11, "one"), (11, "two")]));
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_no_contents() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let mut repository = Repository::new();
    repository.commit_with("a", "one");
    fs::set_permissions(repository.file("a"), fs::Permissions::from_mode(0o755)).unwrap();
    repository.commit();
    fs::remove_file(repository.file("a")).unwrap();
    symlink("b", repository.file("a")).unwrap();
    repository.commit();
    assert_eq!(repository.history("a"), expected(&[(1, "one")]));
}

#[test]
fn troubles_are_named() {
    let mut repository = Repository::new();
    assert_eq!(repository.trouble("a"), "git says: bad revision 'HEAD'");
    repository.commit_with("a", &"x".repeat(2000));
    assert_eq!(repository.trouble("b"), "no commit has a file `b`");
    let mut history = GitHistory::of(repository.folder.path(), OsStr::new("a"), 1000).unwrap();
    let error = format!("{:#}", history.next().unwrap().unwrap_err());
    assert!(error.ends_with(": the file has 2000 bytes, more than 1000"), "{error}");
    let elsewhere = tempfile::tempdir().unwrap();
    let error = GitHistory::of(elsewhere.path(), OsStr::new("a"), 1).unwrap_err().to_string();
    assert!(error.starts_with("git says: not a git repository"), "{error}");
    let nowhere = GitHistory::of(Path::new("/nowhere/at/all"), OsStr::new("a"), 1).unwrap_err().to_string();
    assert!(nowhere.contains("/nowhere/at/all"), "{nowhere}");
}
