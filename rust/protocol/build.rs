//! Computes the fingerprint of all Rust sources of the workspace, so that a host and a worker built from
//! different sources refuse each other instead of misunderstanding each other.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let rust = manifest.join("..");
    let mut files = Vec::new();
    for name in ["protocol", "arena", "source", "engine", "worker"] {
        collect(&rust.join(name).join("src"), &mut files)?;
    }
    files.push(rust.join("../Cargo.lock"));
    files.sort();
    let mut hash = Fnv128::default();
    for file in files.iter().filter(|file| file.is_file()) {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&rust).unwrap_or(file);
        hash.update(name.to_string_lossy().as_bytes());
        hash.update(&fs::read(file)?);
    }
    println!("cargo:rustc-env=TOOLCELL_SOURCE_FINGERPRINT={:032x}", hash.0);
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// FNV-1a with 128 bits: enough to tell builds apart, without a build dependency.
struct Fnv128(u128);

impl Default for Fnv128 {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv128 {
    fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}
