//! The results, and their medians.

use serde_json::{Map, Value, json};
use std::path::Path;

/// All results, as `results.json` contains them: the metrics of each round, by
/// measure, case and contestant.
pub struct Results(Map<String, Value>);

impl Results {
    /// Reads the results of the last run. They are empty if the file does not
    /// exist.
    pub fn read(path: &Path) -> Result<Self, crate::Failure> {
        match std::fs::read(path) {
            Ok(text) => Ok(Self(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self(Map::new())),
            Err(error) => Err(error.into()),
        }
    }

    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut text = String::new();
        print(&Value::Object(self.0.clone()), 0, &mut text);
        std::fs::write(path, text + "\n")
    }

    /// Removes the results of a measure, before its first round.
    pub fn begin(&mut self, measure: &str, rounds: usize, environment: Value) {
        let begun = json!({ "rounds": rounds, "environment": environment, "cases": [] });
        self.0.insert(measure.to_owned(), begun);
    }

    /// Adds the metrics or the error of a contestant in a round.
    pub fn push(
        &mut self,
        measure: &str,
        case: &str,
        contestant: &str,
        printed: Result<Value, String>,
    ) {
        let Value::Array(cases) = &mut self.0[measure]["cases"] else {
            return;
        };
        // Contestants stay in the order of their first round.
        let at = cases
            .iter()
            .position(|of| of["label"] == case)
            .unwrap_or_else(|| {
                cases.push(json!({ "label": case, "contestants": {} }));
                cases.len() - 1
            });
        let of = &mut cases[at]["contestants"][contestant];
        match printed {
            Err(error) => of["error"] = error.into(),
            Ok(metrics) => {
                for (name, number) in metrics.as_object().into_iter().flatten() {
                    match &mut of[name] {
                        Value::Array(numbers) => numbers.push(number.clone()),
                        unset => *unset = json!([number]),
                    }
                }
            }
        }
    }

    pub fn has(&self, measure: &str) -> bool {
        self.0.contains_key(measure)
    }

    pub fn rounds(&self, measure: &str) -> u64 {
        self.0
            .get(measure)
            .and_then(|measure| measure["rounds"].as_u64())
            .unwrap_or(0)
    }

    /// Returns the machine and the versions with which a measure was taken.
    pub fn environment(&self, measure: &str) -> &Value {
        self.0
            .get(measure)
            .map_or(&Value::Null, |measure| &measure["environment"])
    }

    fn of(&self, measure: &str) -> &[Value] {
        let cases = self
            .0
            .get(measure)
            .and_then(|measure| measure["cases"].as_array());
        cases.map_or(&[], Vec::as_slice)
    }

    /// Returns the cases of a measure, with their contestants.
    pub fn cases(&self, measure: &str) -> Vec<(&str, Vec<&str>)> {
        let mut cases = Vec::new();
        for case in self.of(measure) {
            let contestants = case["contestants"]
                .as_object()
                .into_iter()
                .flat_map(Map::keys);
            cases.push((
                case["label"].as_str().unwrap_or_default(),
                contestants.map(String::as_str).collect(),
            ));
        }
        cases
    }

    fn contestant(&self, measure: &str, case: &str, contestant: &str) -> &Value {
        let case = self.of(measure).iter().find(|of| of["label"] == case);
        case.map_or(&Value::Null, |case| &case["contestants"][contestant])
    }

    /// Returns the error of a contestant.
    pub fn error(&self, measure: &str, case: &str, contestant: &str) -> Option<&str> {
        self.contestant(measure, case, contestant)["error"].as_str()
    }

    /// Returns a number of each round. The list is empty if a round failed.
    pub fn numbers(&self, measure: &str, case: &str, contestant: &str, metric: &str) -> Vec<f64> {
        let of = self.contestant(measure, case, contestant);
        let numbers = match of["error"] {
            Value::Null => of[metric].as_array(),
            _ => None,
        };
        numbers
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect()
    }

    pub fn spread(
        &self,
        measure: &str,
        case: &str,
        contestant: &str,
        metric: &str,
    ) -> Option<Spread> {
        Spread::of(self.numbers(measure, case, contestant, metric))
    }
}

/// The median, the minimum and the maximum of several rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (least, most) = (*numbers.first()?, *numbers.last()?);
        let middle = numbers.len() / 2;
        let median = if numbers.len().is_multiple_of(2) {
            f64::midpoint(numbers[middle - 1], numbers[middle])
        } else {
            numbers[middle]
        };
        Some(Self {
            median,
            least,
            most,
        })
    }

    /// Returns the spread of the quotients of numbers from the same rounds.
    pub fn of_quotients(dividends: &[f64], divisors: &[f64]) -> Option<Self> {
        Self::of_pairs(dividends, divisors, |a, b| a / b)
    }

    /// Returns the spread of the differences of numbers from the same rounds.
    pub fn of_differences(numbers: &[f64], less: &[f64]) -> Option<Self> {
        Self::of_pairs(numbers, less, |a, b| a - b)
    }

    fn of_pairs(a: &[f64], b: &[f64], what: fn(f64, f64) -> f64) -> Option<Self> {
        Self::of(a.iter().zip(b).map(|(a, b)| what(*a, *b)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_of_numbers_from_the_same_round() {
        let spread = Spread::of_quotients(&[10.0, 40.0, 90.0], &[10.0, 20.0, 30.0]);
        let expected = Spread {
            median: 2.0,
            least: 1.0,
            most: 3.0,
        };
        assert_eq!(spread, Some(expected));
    }

    #[test]
    fn who_failed_in_a_round_has_no_numbers() {
        let mut results = Results(Map::new());
        results.begin("turn", 2, Value::Null);
        results.push("turn", "", "loop", Ok(json!({ "seconds": 2 })));
        assert_eq!(results.numbers("turn", "", "loop", "seconds"), [2.0]);
        results.push("turn", "", "loop", Err("killed".to_owned()));
        assert!(results.numbers("turn", "", "loop", "seconds").is_empty());
        assert_eq!(results.error("turn", "", "loop"), Some("killed"));
    }
}

/// Prints JSON. A value without nested objects, such as the metrics of a
/// contestant, is on one line.
fn print(value: &Value, depth: usize, text: &mut String) {
    let is_flat = |value: &Value| match value {
        Value::Object(members) => !members.values().any(Value::is_object),
        Value::Array(values) => !values.iter().any(Value::is_object),
        _ => true,
    };
    let is_line = is_flat(value) && value.get("cases").is_none();
    let (open, close, members): (_, _, Vec<_>) = match value {
        Value::Object(members) if !is_line => (
            '{',
            '}',
            members
                .iter()
                .map(|(name, value)| (Some(name), value))
                .collect(),
        ),
        Value::Array(values) if !is_line => {
            ('[', ']', values.iter().map(|value| (None, value)).collect())
        }
        _ => return text.push_str(&value.to_string()),
    };
    text.push(open);
    for (number, (name, value)) in members.into_iter().enumerate() {
        text.push_str(if number == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        if let Some(name) = name {
            text.push_str(&format!("{}: ", Value::from(name.as_str())));
        }
        print(value, depth + 1, text);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}
