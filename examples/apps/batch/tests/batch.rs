//! Tests a batch of 200 prompts. This program is also the agent of the batch. The first
//! agents report an overloaded model, as if many programs used it at once.

use agentwire_testkit::fake_agent;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The variable with a folder in which each agent creates a file with its number.
const STARTS: &str = "BATCH_STARTS";
/// Every other one of this number of first agents is overloaded.
const OVERLOADED: usize = 30;
const REVIEWS: usize = 200;

fn main() {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    if let Some(starts) = std::env::var_os(STARTS) {
        agent(Path::new(&starts));
    }
    two_hundred_prompts_are_rated_although_the_api_is_overloaded_at_first();
    what_is_done_is_not_done_again();
    a_prompt_that_fails_is_reported_and_tried_again_by_the_next_run();
    println!("3 passed, 0 failed");
}

fn agent(starts: &Path) -> ! {
    let claim = |number: &usize| {
        let file = starts.join(number.to_string());
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(file)
            .is_ok()
    };
    // An agent that is started for its version has no prompt.
    let is_asked = !std::env::args().any(|it| it == "--version");
    let number = (0..).find(|number| !is_asked || claim(number));
    let number = number.expect("a number");
    let overloaded = json!([[{ "error": {
        "status": 529, "type": "overloaded_error", "message": "Overloaded" } }]]);
    let rates = json!([
        { "say": [rating("positive")], "cost_usd": 0.001 },
        [{ "text": "Done." }],
    ]);
    let is_overloaded = number < 2 * OVERLOADED && number % 2 == 0;
    let script = if is_overloaded { overloaded } else { rates };
    let error = Command::new(std::env::current_exe().unwrap())
        .args(std::env::args_os().skip(1))
        .env(fake_agent::SCRIPT, json!({ "replies": script }).to_string())
        .exec();
    panic!("{error}");
}

fn rating(sentiment: &str) -> Value {
    let input = json!({ "sentiment": sentiment, "score": 0.75, "reason": "It says so." });
    json!({ "tool": { "name": "StructuredOutput", "input": input } })
}

struct Batch {
    folder: tempfile::TempDir,
}

impl Batch {
    fn new(reviews: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("starts")).unwrap();
        let reviews = (1..=reviews).map(|it| format!("Review {it}.\n"));
        std::fs::write(
            folder.path().join("reviews.txt"),
            reviews.collect::<String>(),
        )
        .unwrap();
        Self { folder }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_batch"))
            .args(["reviews.txt", "--delay-ms=1"])
            .args(arguments)
            .current_dir(self.folder.path())
            .env("AGENTWIRE_CLI", std::env::current_exe().unwrap())
            .env("CLAUDE_CODE_MAX_RETRIES", "0")
            .env(STARTS, self.path("starts"))
            .output()
            .unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn starts(&self) -> usize {
        std::fs::read_dir(self.path("starts")).unwrap().count()
    }

    fn results(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("results.ndjson")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn two_hundred_prompts_are_rated_although_the_api_is_overloaded_at_first() {
    let batch = Batch::new(REVIEWS);
    let output = batch.run(&["--tries=12"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(printed(&output), "200 reviews, 0 failed, 0.2000 USD\n");

    let mut results = batch.results();
    results.sort_by_key(|it| it["number"].as_u64());
    let numbers: Vec<_> = results
        .iter()
        .filter_map(|it| it["number"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=REVIEWS as u64).collect::<Vec<_>>());
    assert_eq!(results[6]["review"], "Review 7.");
    let expected = json!({ "sentiment": "positive", "score": 0.75, "reason": "It says so." });
    assert!(results.iter().all(|it| it["rating"] == expected));
    let tries: u64 = results.iter().filter_map(|it| it["tries"].as_u64()).sum();
    assert_eq!(tries as usize, REVIEWS + OVERLOADED);
    assert_eq!(batch.starts(), REVIEWS + OVERLOADED);
}

fn what_is_done_is_not_done_again() {
    let batch = Batch::new(20);
    assert!(batch.run(&["--tries=12"]).status.success());
    let starts = batch.starts();
    // Simulate a run that was killed while it wrote the third line.
    let text = std::fs::read_to_string(batch.path("results.ndjson")).unwrap();
    let third = text.match_indices('\n').nth(1).unwrap().0 + 20;
    std::fs::write(batch.path("results.ndjson"), &text[..third]).unwrap();

    let output = batch.run(&["--tries=12"]);
    assert_eq!(printed(&output), "20 reviews, 0 failed, 0.0200 USD\n");
    let text = std::fs::read_to_string(batch.path("results.ndjson")).unwrap();
    let whole = text
        .lines()
        .filter(|it| serde_json::from_str::<Value>(it).is_ok());
    assert_eq!(whole.count(), 20);
    let failed_again = batch.starts() - starts - 18;
    assert!(failed_again <= OVERLOADED, "{failed_again}");

    let starts = batch.starts();
    assert_eq!(
        printed(&batch.run(&["--tries=12"])),
        "20 reviews, 0 failed, 0.0200 USD\n"
    );
    assert_eq!(batch.starts(), starts);
}

fn a_prompt_that_fails_is_reported_and_tried_again_by_the_next_run() {
    let batch = Batch::new(1);
    let output = batch.run(&["--tries=1"]);
    assert!(!output.status.success());
    assert_eq!(printed(&output), "1 reviews, 1 failed, 0.0000 USD\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("line 1: ") && stderr.contains("Overloaded"),
        "{stderr}"
    );
    let error = batch.results()[0]["error"].to_string();
    assert!(error.contains("Overloaded"), "{error}");

    // The second agent is not overloaded.
    let output = batch.run(&["--tries=1"]);
    assert_eq!(printed(&output), "1 reviews, 0 failed, 0.0010 USD\n");
}
