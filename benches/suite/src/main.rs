//! Compares agentwire with the official SDKs and other Rust SDKs, and writes
//! `benches/README.md`. `benches/run` starts this; see there.

mod builds;
mod claims;
mod contestants;
#[path = "../../instructions/src/corpus.rs"]
mod corpus;
mod environment;
mod measures;
mod plot;
mod process;
mod readme;
mod results;
mod runner;

use measures::MEASURES;
use results::Results;
use runner::Runner;
use std::path::Path;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        // The suite starts itself with these arguments.
        ["contestant", name, program] => contestants::run(name, program.to_owned()),
        _ => measure(&Wanted::parse(&words)?),
    }
}

/// The measures to take.
struct Wanted<'a> {
    /// The names of the measures. If empty, all measures.
    measures: Vec<&'a str>,
    rounds: usize,
    builds: bool,
}

impl<'a> Wanted<'a> {
    fn parse(words: &[&'a str]) -> Result<Self, Failure> {
        let mut wanted = Self {
            measures: Vec::new(),
            rounds: 5,
            builds: false,
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--rounds" => {
                    wanted.rounds = words.next().ok_or("--rounds needs a number")?.parse()?
                }
                "--builds" => wanted.builds = true,
                name if MEASURES.iter().any(|measure| measure.name == name) => {
                    wanted.measures.push(name)
                }
                other => {
                    let known: Vec<_> = MEASURES.iter().map(|measure| measure.name).collect();
                    return Err(
                        format!("no measure {other}; there are {}", known.join(", ")).into(),
                    );
                }
            }
        }
        if wanted.rounds == 0 {
            return Err("--rounds is 0".into());
        }
        Ok(wanted)
    }

    fn has(&self, name: &str) -> bool {
        // Builds run only on request, because they take long.
        let all = self.measures.is_empty() && name != "builds";
        all || self.measures.contains(&name) || (name == "builds" && self.builds)
    }
}

fn measure(wanted: &Wanted<'_>) -> Result<(), Failure> {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = benches.join("..");
    let runner = Runner::new(&benches, wanted.rounds)?;
    let path = benches.join("results.json");
    let mut results = Results::read(&path)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for measure in MEASURES.iter().filter(|measure| wanted.has(measure.name)) {
        let rounds = if measure.program.is_some() {
            wanted.rounds
        } else {
            1
        };
        results.begin(measure.name, rounds, environment::read(&runner, &root));
        match measure.program {
            Some(program) => runtime.block_on(runner.run(measure, program, &mut results))?,
            None => builds::run(&root, &runner.scratch, &mut results),
        }
        println!("{}\n\n{}", measure.title, readme::tables(measure, &results));
        // Write the results now, so that they are kept if the next measure
        // fails.
        results.write(&path)?;
        write(&benches, &results)?;
    }
    println!("{}", readme::claims(&results));
    Ok(())
}

/// Writes the README and its plots.
fn write(benches: &Path, results: &Results) -> std::io::Result<()> {
    let plots = benches.join("plots");
    std::fs::create_dir_all(&plots)?;
    for measure in MEASURES {
        for metric in measure.plots {
            if let Some(svg) = plot::plot(measure, metric, results) {
                std::fs::write(plots.join(readme::file_name(measure, metric)), svg)?;
            }
        }
    }
    std::fs::write(benches.join("README.md"), readme::readme(results))
}
