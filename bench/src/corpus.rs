//! Where are the documents? Large ones compressed beside the workspace, and once decompressed in the user's cache; small
//! ones in all their versions beside them.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// A large document.
pub struct Large {
    pub name: String,
    pub path: PathBuf,
    pub bytes: usize,
}

impl Large {
    pub fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }
}

/// The newest version of every document of an extension, in the order of their names.
pub fn documents(corpus: &Path, extension: &str, only: &str) -> Result<Vec<Large>> {
    let mut documents = Vec::new();
    for Versions { name, files, .. } in large_versions(corpus, extension, only)? {
        if let Some(newest) = files.last() {
            let path = decompressed(newest, &name)?;
            documents.push(Large { name, bytes: fs::metadata(&path)?.len() as usize, path });
        }
    }
    ensure!(!documents.is_empty(), "no .{extension} documents with `{only}` in their names at {}", corpus.display());
    Ok(documents)
}

/// The first and the last version of a large document.
pub struct LargePair {
    pub name: String,
    pub before: PathBuf,
    pub after: PathBuf,
}

/// The first and the last version of every large document of an extension that has more than one.
pub fn large_pairs(corpus: &Path, extension: &str, only: &str) -> Result<Vec<LargePair>> {
    let mut pairs = Vec::new();
    for Versions { name, files, .. } in large_versions(corpus, extension, only)? {
        if let [first, .., last] = &files[..] {
            pairs.push(LargePair { before: decompressed(first, &name)?, after: decompressed(last, &name)?, name });
        }
    }
    ensure!(!pairs.is_empty(), "no .{extension} pairs with `{only}` in their names at {}", corpus.display());
    Ok(pairs)
}

/// A document through time.
pub struct Versions {
    /// The folder that the document is in, for documents of one kind.
    pub family: String,
    pub name: String,
    /// Oldest first.
    pub files: Vec<PathBuf>,
}

impl Versions {
    /// Every version with the next.
    pub fn pairs(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.files.windows(2).map(|pair| (pair[0].as_path(), pair[1].as_path()))
    }

    pub fn is_html(&self) -> bool {
        self.files.iter().any(|file| file.extension().is_some_and(|extension| extension == "html"))
    }
}

/// The documents of the small corpus that have a history, in the order of their families and names.
pub fn histories(corpus: &Path, only: &str) -> Result<Vec<Versions>> {
    let mut histories = Vec::new();
    let families = entries(corpus).with_context(|| format!("no corpus at {}", corpus.display()))?;
    for family in families.into_iter().filter(|family| family.is_dir()) {
        for document in entries(&family)?.into_iter().filter(|document| document.is_dir()) {
            let [family, name] = [&family, &document].map(|path| file_name(path));
            let versions = Versions { family, name, files: entries(&document)? };
            if versions.files.len() > 1 && format!("{}/{}", versions.family, versions.name).contains(only) {
                histories.push(versions);
            }
        }
    }
    ensure!(!histories.is_empty(), "no histories with `{only}` in their names at {}", corpus.display());
    Ok(histories)
}

/// Every large document of an extension with more than one version, decompressed.
pub fn large_histories(corpus: &Path, extension: &str, only: &str) -> Result<Vec<Versions>> {
    let mut histories = large_versions(corpus, extension, only)?;
    histories.retain(|history| history.files.len() > 1);
    for Versions { name, files, .. } in &mut histories {
        *files = files.iter().map(|file| decompressed(file, name)).collect::<Result<_>>()?;
    }
    Ok(histories)
}

/// The versions, compressed, of every large document of an extension.
fn large_versions(corpus: &Path, extension: &str, only: &str) -> Result<Vec<Versions>> {
    let suffix = format!(".{extension}.zst");
    let folders = entries(corpus).with_context(|| format!("no corpus at {}", corpus.display()))?;
    let wanted = folders.into_iter().filter(|folder| folder.is_dir() && file_name(folder).contains(only));
    wanted
        .map(|folder| {
            let mut files = entries(&folder)?;
            files.retain(|path| path.to_string_lossy().ends_with(&suffix));
            Ok(Versions { family: String::new(), name: file_name(&folder), files })
        })
        .collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The place of the decompressed file, which is made where it is not there yet.
fn decompressed(compressed: &Path, name: &str) -> Result<PathBuf> {
    let folder = cache().join("deltaic-corpus").join(name);
    let path = folder.join(compressed.file_stem().unwrap_or_default());
    if path.exists() {
        return Ok(path);
    }
    fs::create_dir_all(&folder)?;
    // Under another name until it is whole, so that an interrupted run leaves no torn file.
    let partial = path.with_extension("partial");
    let mut decoder = zstd::Decoder::new(File::open(compressed)?)?;
    decoder.window_log_max(27)?;
    let mut file = BufWriter::new(File::create(&partial)?);
    std::io::copy(&mut decoder, &mut file).with_context(|| format!("decompressing {}", compressed.display()))?;
    file.flush()?;
    fs::rename(&partial, &path)?;
    Ok(path)
}

pub fn cache() -> PathBuf {
    let home = || Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from)
}
