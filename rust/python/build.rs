//! Builds the worker that is shipped inside the wheel, when `TOOLCELL_BUNDLE_WORKER` says so.
//!
//! The worker needs flags that must not reach the binding (static, position-dependent, `panic = "abort"`), so
//! a Cargo of its own builds it, in a folder of its own: this build holds the lock on the outer one.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest, Sha256};

/// What a worker is built from, beside the manifests.
const CRATES: [&str; 5] = ["protocol", "arena", "source", "engine", "worker"];

/// Variables of the outer build (flags, and what a cross-linker's wrapper sets) that the worker must not see.
const FOREIGN: [&str; 5] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_UNSTABLE_TARGET_APPLIES_TO_HOST",
    "CARGO_TARGET_APPLIES_TO_HOST",
    "__CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TOOLCELL_BUNDLE_WORKER");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let bundled = out.join("toolcell-worker");
    // A worker of an earlier build must not be shipped with this one.
    match fs::remove_file(&bundled) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    if env::var_os("TOOLCELL_BUNDLE_WORKER").is_none() {
        return Ok(());
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    for name in CRATES {
        println!("cargo:rerun-if-changed={}", root.join("rust").join(name).display());
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={}", root.join(name).display());
    }
    let built = build_worker(&root, &out)?;
    fs::copy(built, &bundled)?;
    let sha256 = Sha256::digest(fs::read(&bundled)?);
    let hex: Vec<String> = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=TOOLCELL_BUNDLED_WORKER_SHA256={}", hex.concat());
    Ok(())
}

fn build_worker(root: &Path, out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let target = env::var("TARGET")?;
    // `<target folder>/<profile>/build/<package>/out`: one folder for all profiles, as the worker has but one.
    let folder = out.ancestors().nth(4).ok_or("OUT_DIR is not below a target folder")?.join("worker");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .args(["build", "--locked", "--release", "--package", "toolcell-worker", "--bin", "toolcell-worker"])
        .args(["--target", &target, "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .env("RUSTFLAGS", "-C relocation-model=static -C target-feature=+crt-static")
        // In the binding itself a panic must become an exception.
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort");
    for name in FOREIGN {
        cargo.env_remove(name);
    }
    for (name, value) in env::vars() {
        if name.starts_with("CARGO_ZIGBUILD_") || value.contains("cargo-zigbuild") {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("building the worker failed ({status})").into());
    }
    Ok(folder.join(target).join("release/toolcell-worker"))
}
