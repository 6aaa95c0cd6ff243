//! Git asks for differences, as its external diff and as its difftool.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::deltaic::{example, scratch};

/// A repository of its own, far from anybody's configuration.
struct Repository(String);

impl Repository {
    fn new(name: &str) -> Self {
        let folder = scratch(name);
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let repository = Repository(folder);
        repository.done(&["init", "--quiet", "--initial-branch", "main"]);
        repository.done(&["config", "user.name", "Nobody"]);
        repository.done(&["config", "user.email", "nobody@example.org"]);
        repository
    }

    /// The two lines of configuration that the manual tells.
    fn configured(name: &str) -> Self {
        let repository = Repository::new(name);
        repository.done(&["config", "diff.deltaic.command", "deltaic diff"]);
        repository.write(".gitattributes", "*.xml diff=deltaic\n");
        repository
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let programs = Path::new(env!("CARGO_BIN_EXE_deltaic")).parent().unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let mut git = Command::new("git");
        git.args(arguments).current_dir(&self.0).env("PATH", path).env("HOME", &self.0);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_PAGER", "cat");
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "CLICOLOR_FORCE"] {
            git.env_remove(variable);
        }
        git.output().expect("git is there")
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "git {arguments:?}: {} {}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(Path::new(&self.0).join(name), content).unwrap();
    }

    fn commit(&self) {
        self.done(&["add", "--all"]);
        self.done(&["commit", "--quiet", "--message", "a version"]);
    }
}

fn menu(side: &str) -> Vec<u8> {
    fs::read(example(&format!("menu-{side}.xml"))).unwrap()
}

#[test]
fn as_external_diff() {
    let repository = Repository::configured("git_diff");
    repository.write("menu.xml", menu("before"));
    repository.write("layout.xml", "<a><b/><c/></a>");
    repository.write("text.txt", "one\n");
    repository.write("a bad file.xml", "<a/>");
    repository.commit();
    repository.write("menu.xml", menu("after"));
    repository.write("layout.xml", "<a>\n  <b/>\n  <c/>\n</a>");
    repository.write("text.txt", "two\n");
    repository.write("a bad file.xml", "<a>");
    let diff = repository.done(&["diff"]);
    assert!(diff.contains("menu.xml\n~ <menu season=\"[-summer-]{+autumn+}\">\n"), "{diff}");
    // One file that cannot be read does not keep git from the others, nor does one that is the same.
    let told = "a bad file.xml\ndeltaic: new version: a bad file.xml: line 1, column 4: found the end";
    assert!(diff.starts_with(told), "{diff}");
    // It is shown as text.
    assert!(diff.contains("\n-<a/>\n") && diff.contains("\n+<a>\n"), "{diff}");
    // The copies that git makes are nobody's business.
    assert!(!diff.contains("git-blob") && !diff.contains("+++ b/a bad file.xml"), "{diff}");
    assert!(diff.contains("+two") && !diff.contains("layout.xml"), "{diff}");
    // People who want to see what git sees.
    assert!(repository.done(&["diff", "--no-ext-diff", "menu.xml"]).contains("@@"));
}

#[test]
fn files_that_come_go_and_change_their_names() {
    let repository = Repository::configured("git_files");
    repository.write("gone.xml", "<gone/>");
    repository.write("old.xml", menu("before"));
    repository.commit();
    repository.done(&["mv", "old.xml", "new name.xml"]);
    repository.done(&["rm", "--quiet", "gone.xml"]);
    let renamed = String::from_utf8(menu("before")).unwrap().replace("rice", "potatoes");
    repository.write("new name.xml", renamed);
    repository.write("come.xml", "<come/>");
    repository.done(&["add", "--all"]);
    let diff = repository.done(&["diff", "--cached", "--find-renames"]);
    assert!(diff.contains("come.xml: new\n") && diff.contains("\n+<come/>\n"), "{diff}");
    assert!(diff.contains("gone.xml: deleted\n@@"), "{diff}");
    assert!(diff.contains("old.xml: now new name.xml\n"), "{diff}");
    assert!(diff.contains("<with>[-rice-]{+potatoes+}</with>"), "{diff}");
}

/// An empty file is a text without lines.
#[test]
fn empty_files_come_and_go() {
    let repository = Repository::configured("git_empty_files");
    repository.write("gone.xml", "");
    repository.write("bytes.xml", b"\0\x01");
    repository.commit();
    repository.done(&["rm", "--quiet", "gone.xml", "bytes.xml"]);
    repository.write("come.xml", "");
    repository.done(&["add", "--all"]);
    let told = "bytes.xml: deleted\nthe versions differ, and are no text\ncome.xml: new\ngone.xml: deleted\n";
    assert_eq!(repository.done(&["diff", "--cached", "--no-renames"]), told);
}

#[test]
fn conflicts_are_named() {
    let repository = Repository::configured("git_conflict");
    repository.write("a.xml", "<a>one</a>");
    repository.commit();
    repository.done(&["checkout", "--quiet", "-b", "side"]);
    repository.write("a.xml", "<a>two</a>");
    repository.commit();
    repository.done(&["checkout", "--quiet", "main"]);
    repository.write("a.xml", "<a>three</a>");
    repository.commit();
    assert!(!repository.run(&["merge", "--quiet", "side"]).status.success());
    let diff = repository.done(&["diff", "--cached"]);
    assert!(diff.contains("a.xml: not merged\n"), "{diff}");
}

#[test]
fn git_can_trust_the_exit_status() {
    let repository = Repository::configured("git_trust");
    repository.write("a.xml", "<a><b/></a>");
    repository.commit();
    repository.done(&["config", "diff.deltaic.command", "deltaic diff --trust-exit-code"]);
    repository.done(&["config", "diff.deltaic.trustExitCode", "true"]);
    let code = |source: &str| {
        repository.write("a.xml", source);
        repository.run(&["diff", "--exit-code", "--ext-diff"]).status.code()
    };
    assert_eq!(code("<a>\n<b/>\n</a>"), Some(0));
    assert_eq!(code("<a><c/></a>"), Some(1));
}

#[test]
fn as_difftool() {
    let repository = Repository::new("git_difftool");
    repository.done(&["config", "difftool.deltaic.cmd", "deltaic diff --format tree \"$LOCAL\" \"$REMOTE\""]);
    repository.write("menu.xml", menu("before"));
    repository.write("gone.xml", "<gone/>");
    repository.commit();
    repository.write("menu.xml", menu("after"));
    repository.done(&["rm", "--quiet", "gone.xml"]);
    repository.write("come.xml", "<come/>");
    repository.done(&["add", "--all"]);
    let diff = repository.done(&["difftool", "--cached", "--no-prompt", "--tool", "deltaic"]);
    assert!(diff.contains("~ <menu season=\"[-summer-]{+autumn+}\">\n"), "{diff}");
    assert!(diff.contains("come.xml: new\n") && diff.contains("gone.xml: deleted\n"), "{diff}");
}
