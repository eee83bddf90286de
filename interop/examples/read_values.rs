//! Reads each line of a file as a `serde_json::Value`: what `scripts/measure-convert`
//! compares conversions with.
//!
//! ```sh
//! cargo run --release -p agentwire-interop --example read_values FILE
//! ```

use serde_json::Value;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let mut input = BufReader::with_capacity(1 << 20, File::open(file)?);
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let value: Value = serde_json::from_str(&line)?;
        black_box(&value);
        line.clear();
    }
    Ok(())
}
