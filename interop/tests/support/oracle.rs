//! The other systems' own libraries, and what they answered.
//!
//! Requests are the same in every run. By default our answers are compared
//! with recorded fingerprints of the library's, so that no Python is needed;
//! with `AGENTWIRE_ORACLES=live` the library answers, the answers are compared
//! whole, and the record has to be what the library says; with
//! `AGENTWIRE_ORACLES=record` the record is written.

use agentwire_interop::conversion::Fingerprint;
use agentwire_protocol::Json;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// So many values of a strategy, the same in every run.
pub(crate) fn samples<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// What a library answered to one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// This value.
    Value(Value),
    /// It refused.
    Refused(String),
}

/// What is known of the library's answer.
enum Known {
    Answer(Answer),
    /// The fingerprint of the value, cut short; nothing, when it refused.
    Recorded(Option<String>),
}

/// Asks a library, and compares our answers with its: `ours` gives what we
/// answer to the request at an index, `None` where we refuse. Answers that
/// differ are given to `fault`, which says by which known fault of the library
/// they do, and ends the test where there is none.
///
/// `name` is the library, and `record` a name for the record.
pub(crate) struct Oracle {
    /// The library: the script is `oracles/NAME.py`.
    pub(crate) library: &'static str,
    /// What the record of the answers is called.
    pub(crate) record: &'static str,
}

impl Oracle {
    /// Compares our answers with the library's, and gives the requests by
    /// index at which they differ, with what is known of the library's answer.
    pub(crate) fn differences(
        &self,
        requests: &[Value],
        mut ours: impl FnMut(usize) -> Option<Value>,
    ) -> Vec<Difference> {
        let known = self.answers(requests);
        let mut differences = Vec::new();
        for (index, known) in known.into_iter().enumerate() {
            let ours = ours(index);
            let (same, theirs) = match known {
                Known::Answer(Answer::Value(theirs)) => {
                    (ours.as_ref() == Some(&theirs), Some(Answer::Value(theirs)))
                }
                Known::Answer(refused) => (ours.is_none(), Some(refused)),
                Known::Recorded(theirs) => (ours.as_ref().map(short) == theirs, None),
            };
            if !same {
                differences.push(Difference {
                    index,
                    request: requests[index].clone(),
                    ours,
                    theirs,
                });
            }
        }
        differences
    }

    /// Compares our answers with the library's, and fails where they differ.
    pub(crate) fn agrees(&self, requests: &[Value], ours: impl FnMut(usize) -> Option<Value>) {
        let differences = self.differences(requests, ours);
        if let Some(first) = differences.first() {
            panic!(
                "{} of {} answers differ from the library's; the first: {first:#?}",
                differences.len(),
                requests.len()
            );
        }
    }

    /// Has the library check values, which it must not refuse: the requests
    /// are the same as for [`Oracle::agrees`], but the answers do not matter.
    pub(crate) fn accepts(&self, requests: &[Value]) {
        for (index, known) in self.answers(requests).into_iter().enumerate() {
            let refused = match known {
                Known::Answer(Answer::Refused(why)) => Some(why),
                Known::Recorded(None) => Some("see AGENTWIRE_ORACLES=live".to_owned()),
                _ => None,
            };
            if let Some(why) = refused {
                panic!("the library refuses {}: {why}", requests[index]);
            }
        }
    }

    fn answers(&self, requests: &[Value]) -> Vec<Known> {
        let mode = std::env::var("AGENTWIRE_ORACLES").unwrap_or_default();
        let answers = match &*mode {
            "" => return self.recorded(requests),
            "live" | "record" => self.ask(requests),
            other => panic!("AGENTWIRE_ORACLES is `live` or `record`, not {other:?}"),
        };
        let line = format!("counted: {} answers of other libraries\n", answers.len());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        let mut record = format!("requests {}\n", of_all(requests));
        for answer in &answers {
            match answer {
                Answer::Value(value) => writeln!(record, "{}", short(value)).unwrap(),
                Answer::Refused(_) => record += "refused\n",
            }
        }
        if mode == "record" {
            std::fs::create_dir_all(self.record_path().parent().unwrap()).unwrap();
            std::fs::write(self.record_path(), record).unwrap();
        } else {
            let old = std::fs::read_to_string(self.record_path()).unwrap_or_default();
            assert!(
                old == record,
                "the library does not answer as in {}; AGENTWIRE_ORACLES=record writes it anew",
                self.record
            );
        }
        answers.into_iter().map(Known::Answer).collect()
    }

    fn recorded(&self, requests: &[Value]) -> Vec<Known> {
        let path = self.record_path();
        let record = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("no record {}: {error}", self.record));
        let (asked, answers) = record.split_once('\n').unwrap();
        let is_of_these = asked == format!("requests {}", of_all(requests));
        assert!(is_of_these, "{} is of other requests", self.record);
        let known = answers
            .lines()
            .map(|answer| Known::Recorded((answer != "refused").then(|| answer.to_owned())));
        known.collect()
    }

    fn record_path(&self) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        root.join("tests/recorded")
            .join(self.library)
            .join(format!("{}.txt", self.record))
    }

    fn ask(&self, requests: &[Value]) -> Vec<Answer> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = root
            .join("../.tools/oracles")
            .join(format!("venv-{}/bin/python", self.library));
        assert!(
            python.exists(),
            "no {}: run scripts/install-oracles",
            python.display()
        );
        // Without -B it would leave its bytecode in the sources.
        let mut child = Command::new(python)
            .arg("-B")
            .arg(root.join("oracles").join(format!("{}.py", self.library)))
            .arg("--ndjson")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let lines: String = requests
            .iter()
            .map(|request| format!("{request}\n"))
            .collect();
        let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            self.library,
            output.status
        );
        let answers: Vec<Answer> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| {
                let mut answer: Value = serde_json::from_str(line).unwrap();
                if answer["ok"] == json!(true) {
                    Answer::Value(answer["result"].take())
                } else {
                    Answer::Refused(format!("{}: {}", answer["error_type"], answer["error"]))
                }
            })
            .collect();
        assert_eq!(
            answers.len(),
            requests.len(),
            "{} did not answer all",
            self.library
        );
        answers
    }
}

/// An answer of ours that is not the library's.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The index of the request.
    pub(crate) index: usize,
    /// The request.
    pub(crate) request: Value,
    /// What we say; `None` where we refuse.
    pub(crate) ours: Option<Value>,
    /// What the library says, when it was asked.
    pub(crate) theirs: Option<Answer>,
}

/// Half a fingerprint: of thousands of answers that are not the same, one in a
/// million would be taken for another.
fn short(value: &Value) -> String {
    let mut text = Fingerprint::of(&Json::from(value.clone())).to_string();
    text.truncate(8);
    text
}

fn of_all(requests: &[Value]) -> String {
    Fingerprint::of(&Json::from(Value::from(requests))).to_string()
}
