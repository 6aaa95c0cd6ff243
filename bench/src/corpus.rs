//! Where are the large documents? Compressed beside the workspace, and once decompressed in the user's cache.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// A large document, read.
pub struct Large {
    pub name: String,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Large {
    pub fn megabytes(&self) -> f64 {
        self.bytes.len() as f64 / 1e6
    }
}

/// The newest version of every document of an extension, in the order of their names.
pub fn documents(corpus: &Path, extension: &str, only: &str) -> Result<Vec<Large>> {
    let mut documents = Vec::new();
    for folder in entries(corpus).with_context(|| format!("no corpus at {}", corpus.display()))? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !folder.is_dir() || !name.contains(only) {
            continue;
        }
        let suffix = format!(".{extension}.zst");
        let mut versions = entries(&folder)?.into_iter().filter(|path| path.to_string_lossy().ends_with(&suffix));
        if let Some(newest) = versions.next_back() {
            let path = decompressed(&newest, &name)?;
            documents.push(Large { name, bytes: fs::read(&path)?, path });
        }
    }
    ensure!(!documents.is_empty(), "no .{extension} documents with `{only}` in their names at {}", corpus.display());
    Ok(documents)
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

fn cache() -> PathBuf {
    let home = || Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from)
}
