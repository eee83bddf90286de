//! Reviews a diff in CI.

mod annotations;
mod review;

use agentwire::{Options, PermissionMode, PermissionResult};
use annotations::annotation;
use clap::Parser;
use fake::Fake;
use review::{Review, Severity, prompt};
use std::error::Error;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Reviews a diff, and prints annotations for GitHub. The diff is standard input,
/// or that of `git diff` if standard input is a terminal.
#[derive(Parser)]
struct Arguments {
    /// What to compare with, for `git diff`; runs it whatever standard input is
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// The repository
    #[arg(long, default_value = ".")]
    cwd: PathBuf,
    /// From which severity on the exit status is 1
    #[arg(long, value_enum, default_value = "error")]
    fail_on: Severity,
    /// Prints the review as JSON, without annotations
    #[arg(long)]
    json: bool,
    /// The most that the review may cost
    #[arg(long, value_name = "USD", default_value_t = 1.0)]
    budget: f64,
    #[command(flatten)]
    fake: Fake,
}

/// 0: fine; 1: findings of the severity `--fail-on` or worse; 2: no review.
fn main() -> ExitCode {
    fake::run_if_asked();
    let arguments = Arguments::parse();
    let _guard = agentwire::ExitGuard::new();
    let runtime = tokio::runtime::Runtime::new().map_err(Into::into);
    let reviewed = runtime.and_then(|it| it.block_on(run(&arguments)));
    match reviewed {
        Ok(Some(worst)) if worst >= arguments.fail_on => ExitCode::from(1),
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bot: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run(arguments: &Arguments) -> Result<Option<Severity>, Box<dyn Error>> {
    let diff = diff(arguments)?;
    if diff.trim().is_empty() {
        println!("The diff is empty.");
        return Ok(None);
    }
    let result = agentwire::prompt(prompt(&diff), options(arguments)?).await?;
    let cost = result.cost_usd().unwrap_or_default();
    let review: Review = result.error_for_result()?.structured()?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&review)?);
        return Ok(review.worst());
    }
    for finding in &review.findings {
        println!("{}", annotation(finding));
    }
    let count = review.findings.len();
    eprintln!("{count} findings, {cost:.4} USD. {}", review.summary);
    Ok(review.worst())
}

/// Returns options of a session that can only read files: it has no other
/// tools, its permission requests are denied, and it does not load the settings
/// of the repository.
fn options(arguments: &Arguments) -> Result<Options, Box<dyn Error>> {
    let options = arguments.fake.options(include_str!("../fake.json"))?;
    Ok(options
        .cwd(&arguments.cwd)
        .tools(["Read", "Glob", "Grep"])
        .strict_mcp_config(true)
        .setting_sources([])
        .permission_mode(PermissionMode::Default)
        .on_permission(async |_| PermissionResult::deny("Reviews only read."))
        .max_budget_usd(arguments.budget)
        .output_type::<Review>())
}

fn diff(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let mut diff = vec![];
    if arguments.base.is_none() && !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_end(&mut diff)?;
    } else {
        let mut git = Command::new("git");
        git.arg("diff").args(&arguments.base).arg("--");
        let output = git.current_dir(&arguments.cwd).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        diff = output.stdout;
    }
    // Files in other encodings appear in diffs.
    Ok(String::from_utf8_lossy(&diff).into_owned())
}
