//! Where does what is written on the way go? To a folder that is gone at the end.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    pub fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("deltaic-bench-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Folder { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
