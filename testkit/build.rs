//! Shortens `conform/cli.json` for the executables that contain it: three of four lines occur
//! earlier in the file.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

use std::collections::HashMap;
use std::path::Path;
use std::{env, fs, io};

const FILE: &str = "conform/cli.json";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FILE}");
    let Some(folder) = env::var_os("OUT_DIR").filter(|_| cfg!(feature = "conform")) else {
        return Ok(());
    };
    let text = fs::read_to_string(FILE)?;
    let mut numbers = HashMap::new();
    let mut short = String::new();
    for line in text.lines() {
        let next = numbers.len();
        match *numbers.entry(line).or_insert(next) {
            number if number == next => short += line,
            // JSON has no control characters.
            number => short += &format!("\u{1}{number}"),
        }
        short += "\n";
    }
    fs::write(Path::new(&folder).join("cli.json"), short)
}
