//! Pairs of a request and its expected result, from the folder `pairs`. A request has the
//! operation and its arguments. The result is in `gives` (with `losses` for conversions), or
//! an error in `refuses`. Messages have a short form: `{"user": CONTENT}`, `{"assistant":
//! BLOCKS}`.

use crate::support::answers::{Answer, answer};
use serde_json::{Value, json};

/// A request and the expected result.
pub(crate) struct Pair {
    about: String,
    pub(crate) request: Value,
    gives: Answer,
}

const FILES: [(&str, &str); 3] = [
    ("openhands", include_str!("pairs/openhands.json")),
    ("cua", include_str!("pairs/cua.json")),
    ("bridgic", include_str!("pairs/bridgic.json")),
];

/// Reads the pairs of a library.
pub(crate) fn read(library: &str) -> Vec<Pair> {
    let file = FILES.iter().find(|(name, _)| *name == library).unwrap();
    let pairs: Vec<Value> = serde_json::from_str(file.1).unwrap();
    let pairs = pairs.into_iter().map(|mut pair| {
        let ours = match pair["op"].as_str() {
            Some("export") => "messages",
            Some("import") => "gives",
            _ => "",
        };
        for message in pair[ours].as_array_mut().into_iter().flatten() {
            lengthen(message);
        }
        let mut take = |name: &str| pair.as_object_mut().unwrap().remove(name);
        let about = take("about").unwrap();
        let gives = match (take("gives"), take("losses"), take("refuses")) {
            (Some(gives), Some(losses), None) => Ok(Value::Array(vec![gives, losses])),
            (Some(gives), None, None) => Ok(gives),
            (None, None, Some(Value::String(error))) => Err(error),
            other => panic!("{about}: {other:?}"),
        };
        Pair {
            about: about.as_str().unwrap().to_owned(),
            request: pair,
            gives,
        }
    });
    pairs.collect()
}

/// Expands the short form of a message.
fn lengthen(message: &mut Value) {
    let members = message.as_object_mut().unwrap();
    for role in ["user", "assistant"] {
        if let Some(content) = members.remove(role) {
            members.insert("type".to_owned(), role.into());
            let message = json!({"role": role, "content": content});
            members.insert("message".to_owned(), message);
        }
    }
}

/// Returns whether no library implements the operation.
pub(crate) fn is_in_no_library(request: &Value) -> bool {
    let ours = [
        "export",
        "import",
        "redact_images",
        "computer_input",
        "action",
    ];
    ours.iter().any(|op| request["op"] == *op)
}

#[test]
fn results_match_the_pairs() {
    let mut count = 0;
    for (library, _) in FILES {
        for pair in read(library) {
            let answer = answer(library, &pair.request);
            assert_eq!(answer, pair.gives, "{library}: {}", pair.about);
            count += 1;
        }
    }
    assert!(count > 90, "{count}");
}
