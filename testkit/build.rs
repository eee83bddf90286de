//! Lists the files of `conform/cases`, which the library embeds.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

use std::path::Path;
use std::{env, fs, io};

const FOLDER: &str = "conform/cases";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let Some(out) = env::var_os("OUT_DIR").filter(|_| cfg!(feature = "conform")) else {
        return Ok(());
    };
    let mut files = vec![];
    for entry in fs::read_dir(FOLDER)? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    let line = |file: &String| {
        let root = "env!(\"CARGO_MANIFEST_DIR\")";
        let name = file.trim_end_matches(".json");
        format!("({name:?}, include_str!(concat!({root}, \"/{FOLDER}/{file}\"))),\n")
    };
    let lines: String = files.iter().map(line).collect();
    fs::write(Path::new(&out).join("cases.rs"), format!("&[\n{lines}]"))
}
