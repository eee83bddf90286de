//! Rates product reviews, many at a time.

mod rating;
mod results;
mod retry;

use agentwire::Options;
use clap::Parser;
use fake::Fake;
use futures::{StreamExt, stream};
use indicatif::{ProgressBar, ProgressStyle};
use rating::Rating;
use results::{Line, Results};
use retry::{Outcome, Retry, rate};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Rates product reviews, many at a time.
#[derive(Parser)]
struct Arguments {
    /// A file with a review on each line
    reviews: PathBuf,
    /// The file of results; what is in it is not done again
    #[arg(long, default_value = "results.ndjson")]
    output: PathBuf,
    /// How many sessions run at once
    #[arg(long, default_value_t = 8)]
    jobs: usize,
    /// How often each review is tried while the API is overloaded
    #[arg(long, default_value_t = 6)]
    tries: u32,
    /// The delay after the first failure, in milliseconds; it doubles each time
    #[arg(long, default_value_t = 2000)]
    delay_ms: u64,
    #[command(flatten)]
    fake: Fake,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    fake::run_if_asked();
    let arguments = Arguments::parse();
    let _guard = agentwire::ExitGuard::new();
    tokio::runtime::Runtime::new()?.block_on(run(&arguments))
}

async fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    // The model needs no tools for this, and no settings of the user.
    let options = arguments.fake.options(include_str!("../fake.json"))?;
    let options = options
        .tools([])
        .setting_sources([])
        .output_type::<Rating>();
    let text = std::fs::read_to_string(&arguments.reviews)?;
    let mut results = Results::open(&arguments.output)?;

    let reviews = (1..)
        .zip(text.lines())
        .filter(|(_, it)| !it.trim().is_empty());
    let (done, open): (Vec<_>, Vec<_>) = reviews.partition(|(at, it)| results.has(*at, it));
    let bar = ProgressBar::new((done.len() + open.len()) as u64).with_position(done.len() as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} {eta} {msg}",
    )?);

    let mut failed = 0;
    tokio::select! {
        finished = rate_all(arguments, options, open, &mut results, &bar, &mut failed) => finished?,
        // Running sessions end with the program; results so far are in the file.
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            bar.abandon();
            eprintln!("interrupted; run the same command again to go on");
            return Ok(ExitCode::FAILURE);
        }
    }
    bar.finish_and_clear();
    let count = bar.length().unwrap_or_default();
    println!(
        "{count} reviews, {failed} failed, {:.4} USD",
        results.cost_usd
    );
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn rate_all(
    arguments: &Arguments,
    options: Options,
    open: Vec<(usize, &str)>,
    results: &mut Results,
    bar: &ProgressBar,
    failed: &mut usize,
) -> std::io::Result<()> {
    let retry = Retry {
        tries: arguments.tries,
        delay: Duration::from_millis(arguments.delay_ms),
    };
    let options = &options;
    let outcomes = stream::iter(open)
        .map(async |(number, review)| (number, review, rate(review, options, retry).await))
        .buffer_unordered(arguments.jobs);
    let mut outcomes = Box::pin(outcomes);
    while let Some((number, review, outcome)) = outcomes.next().await {
        let Outcome {
            rating,
            cost_usd,
            tries,
        } = outcome;
        if let Err(error) = &rating {
            *failed += 1;
            bar.suspend(|| eprintln!("line {number}: {error}"));
        }
        results.add(&Line {
            number,
            review: review.to_owned(),
            error: rating.as_ref().err().cloned(),
            rating: rating.ok(),
            cost_usd,
            tries,
        })?;
        bar.inc(1);
        bar.set_message(format!("{:.4} USD", results.cost_usd));
    }
    Ok(())
}
