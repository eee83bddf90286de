//! Compares results with those of the other systems' libraries. `scripts/real oracles`
//! installs the libraries and runs these tests.

mod bridgic;
mod cua;
mod openhands;

use crate::support::answers::{Answer, answer, without_nulls};
use crate::support::generate::samples;
use crate::{members, pairs};
use agentwire_interop::conversion::{System, export};
use proptest::strategy::Strategy;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// An explained difference: a line of `docs/conversions.md`, and a function that returns
/// whether the line explains the library's different result of a request. The result is `null`
/// if the library refuses.
type Difference = (&'static str, fn(&Value, &Value) -> bool);

/// The differences of a library, by operation.
type Differences = &'static [(&'static str, &'static [Difference])];

/// The number of generated requests for an operation.
const COUNT: usize = 2000;

/// Requests to a library.
struct Oracle {
    library: &'static str,
    differences: Differences,
    requests: Vec<Value>,
}

impl Oracle {
    /// Creates an oracle with the requests of the pairs.
    fn new(library: &'static str, differences: Differences) -> Self {
        let pairs = pairs::read(library).into_iter().map(|pair| pair.request);
        let requests = pairs.filter(|it| !pairs::is_in_no_library(it)).collect();
        Self {
            library,
            differences,
            requests,
        }
    }

    fn ask(&mut self, op: &str, requests: impl IntoIterator<Item = Value>) {
        self.requests
            .extend(requests.into_iter().map(|mut request| {
                request["op"] = op.into();
                request
            }));
    }

    /// Adds requests with generated values of one member.
    fn ask_each(&mut self, op: &str, member: &str, values: &impl Strategy<Value = Value>) {
        let values = samples(values, COUNT).into_iter();
        self.ask(op, values.map(|value| json!({ member: value })));
    }

    /// Adds requests with exported conversations, which the library must accept.
    fn ask_exported<S: System + Copy>(&mut self, op: &str, member: &str, system: S) {
        for conversation in samples(&crate::support::ours::conversation(), 300) {
            let made = serde_json::to_value(export(system, conversation).made).unwrap();
            match member {
                "items" => self.ask(op, [json!({"items": made})]),
                member => {
                    let items = made.as_array().unwrap().iter();
                    self.ask(op, items.map(|item| json!({ member: item })));
                }
            }
        }
    }

    /// Compares the results. A difference must be explained, and each explanation must be the only one of
    /// at least one difference. The library must not refuse operations in `accepts`.
    fn compare(self, accepts: &[&str]) {
        let theirs = ask(self.library, &self.requests);
        let mut unexplained = Vec::new();
        let mut explains: Vec<Vec<usize>> = Vec::new();
        for (_, differences) in self.differences {
            explains.push(vec![0; differences.len()]);
        }
        for (request, theirs) in self.requests.iter().zip(&theirs) {
            let op = request["op"].as_str().unwrap();
            if accepts.contains(&op) {
                assert!(theirs.is_ok(), "{}: {request}: {theirs:?}", self.library);
                continue;
            }
            let ours = match op {
                "schema" => Ok(members::ours(self.library)),
                _ => answer(self.library, request),
            };
            let [ours, theirs] = [&ours, theirs].map(|answer| match answer {
                Ok(value) => comparable(value.clone()),
                Err(_) => Value::Null,
            });
            if ours == theirs {
                continue;
            }
            let place = self.differences.iter().position(|(of, _)| *of == op);
            let differences = place.map_or(&[][..], |place| self.differences[place].1);
            let met = differences.iter().enumerate();
            let met = met.filter(|(_, (_, applies))| applies(request, &theirs));
            let met: Vec<usize> = met.map(|(index, _)| index).collect();
            match (&met[..], place) {
                ([], _) => unexplained.push((request, ours, theirs)),
                ([difference], Some(place)) => explains[place][*difference] += 1,
                _ => {}
            }
        }
        let shown = unexplained.iter().take(3).map(|(request, ours, theirs)| {
            format!("\n{request}\nours    {ours}\nlibrary {theirs}\n")
        });
        let shown: String = shown.collect();
        assert!(shown.is_empty(), "{} unexplained{shown}", unexplained.len());
        for ((op, differences), explains) in self.differences.iter().zip(explains) {
            for ((difference, _), count) in differences.iter().zip(explains) {
                assert!(count > 0, "{op}: explains nothing: {difference}");
            }
        }
    }
}

/// Removes irrelevant details from a result: members with `null`, and spaces of JSON in texts.
fn comparable(value: Value) -> Value {
    match without_nulls(value) {
        Value::String(text) => {
            if let Ok(json @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&text) {
                return json!({"text": comparable(json)});
            }
            let parts: Vec<&str> = text.split("tool_call>").collect();
            match parts.len() {
                1 => text.into(),
                _ => parts.into_iter().map(tag).collect(),
            }
        }
        Value::Array(items) => items.into_iter().map(comparable).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members
                .map(|(name, value)| (name, comparable(value)))
                .collect()
        }
        leaf => leaf,
    }
}

/// Returns the tag of an author in a text part.
fn tag(part: &str) -> Value {
    let json = part
        .strip_suffix("</")
        .and_then(|it| serde_json::from_str(it).ok());
    json.unwrap_or_else(|| part.into())
}

/// Sends requests to a library. Returns its answers.
fn ask(library: &str, requests: &[Value]) -> Vec<Answer> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join(format!("../.tools/oracles/venv-{library}/bin/python"));
    assert!(python.exists(), "run scripts/install oracles first");
    // -B: do not write bytecode to the folder of the sources.
    let mut child = Command::new(python)
        .arg("-B")
        .arg(root.join(format!("oracles/{library}.py")))
        .arg("--ndjson")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = requests.iter().map(|it| format!("{it}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let answers = output.lines().map(|line| {
        let mut answer: Value = serde_json::from_str(line).unwrap();
        match answer["ok"] == true {
            true => Ok(answer["result"].take()),
            false => Err(answer["error"].to_string()),
        }
    });
    let answers: Vec<Answer> = answers.collect();
    assert_eq!(answers.len(), requests.len(), "{library} died");
    agentwire_testing::counted(answers.len(), "answers of other libraries");
    answers
}

/// Returns whether an item at `pointer` matches.
fn contains(request: &Value, pointer: &str, is: impl Fn(&Value) -> bool) -> bool {
    let items = request.pointer(pointer).and_then(Value::as_array);
    items.is_some_and(|items| items.iter().any(is))
}

#[test]
fn every_difference_is_documented() {
    let docs = include_str!("../../../docs/conversions.md");
    for (library, differences) in [
        ("OpenHands", openhands::DIFFERENCES),
        ("Cua", cua::DIFFERENCES),
        ("Bridgic", bridgic::DIFFERENCES),
    ] {
        let (_, section) = docs.split_once(&format!("\n### {library}\n")).unwrap();
        let section = section.split("\n#").next().unwrap();
        let documented = section.lines().filter_map(|line| line.strip_prefix("- "));
        let mut documented: Vec<&str> = documented.collect();
        documented.sort_unstable();
        let known = differences
            .iter()
            .flat_map(|(_, differences)| differences.iter());
        let mut known: Vec<&str> = known.map(|(difference, _)| *difference).collect();
        known.sort_unstable();
        known.dedup();
        assert_eq!(documented, known, "{library}");
    }
}
