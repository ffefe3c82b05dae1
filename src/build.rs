//! Collects the lab files of `labs/` and of its folders, so that the program has them wherever it is run.
//!
//! Invariant: whoever adds a lab adds one file, and no line anywhere else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the folder of the package"));
    let mut files = Vec::new();
    collect(&root.join("labs"), &mut files);
    files.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    let mut code = String::from("&[\n");
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).expect("a lab's name is plain text");
        writeln!(code, "    BuiltIn {{ name: {name:?}, text: include_str!({:?}) }},", file.display().to_string())
            .expect("a string takes what is written to it");
    }
    code += "]\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder for what is generated"));
    fs::write(out.join("built_in_labs.rs"), code).expect("cargo's own folder can be written to");
    println!("cargo::rerun-if-changed=labs");
    // The paths above are absolute, so the code must be generated again when the project is moved.
    println!("cargo::rerun-if-env-changed=CARGO_MANIFEST_DIR");
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the package has a folder of labs") {
        let path = entry.expect("a folder that can be opened can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
}
