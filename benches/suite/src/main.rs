//! Measures agentwire beside the official SDKs and other Rust SDKs.
//!
//! `benches/run` starts this; see there.

mod contestants;
mod corpus;
mod measures;
mod process;
mod report;
mod results;
mod runner;

use measures::MEASURES;
use results::Results;
use runner::Runner;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        // What the suite starts itself as.
        ["contestant", name, program] => contestants::run(name, program.to_owned()),
        _ => measure(&words),
    }
}

fn measure(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut rounds = 5;
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--rounds" => rounds = words.next().ok_or("--rounds needs a number")?.parse()?,
            name if MEASURES.iter().any(|measure| measure.name == name) => names.push(name),
            other => {
                let known: Vec<_> = MEASURES.iter().map(|measure| measure.name).collect();
                return Err(format!("no measure {other}; there are {}", known.join(", ")).into());
            }
        }
    }
    let benches = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let runner = Runner::new(benches.clone(), rounds)?;
    let path = benches.join("results.json");
    let mut results = Results::read(&path)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for measure in MEASURES {
        if names.is_empty() || names.contains(&measure.name) {
            results.begin(measure.name, rounds, serde_json::Value::Null);
            runtime.block_on(runner.run(measure, &mut results))?;
            results.write(&path)?;
            println!("{}\n\n{}", measure.title, report::tables(measure, &results));
        }
    }
    println!("{}", report::claims(&results));
    Ok(())
}
