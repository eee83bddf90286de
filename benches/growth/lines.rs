//! Every kind of line in the recorded sessions.

use agentwire_testing::Random;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A line, and the members that distinguish its kind.
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) line: String,
}

#[derive(Deserialize)]
struct Recorded<'a> {
    dir: String,
    #[serde(borrow)]
    msg: &'a RawValue,
}

/// Returns one line of each kind.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testkit/recordings");
    for recording in fs::read_dir(folder).unwrap() {
        for recorded in fs::read_to_string(recording.unwrap().path())
            .unwrap()
            .lines()
        {
            // The folder also contains a file about the recordings.
            let Ok(recorded) = serde_json::from_str::<Recorded<'_>>(recorded) else {
                continue;
            };
            if recorded.dir != "recv" {
                continue;
            }
            let new = recorded.msg.get();
            let line = kinds.entry(kind(&serde_json::from_str(new).unwrap()));
            let line = line.or_insert_with(|| new.to_owned());
            // Use the shortest line, so that the work for each line does not
            // hide the work for each pair.
            if new.len() < line.len() {
                new.clone_into(line);
            }
        }
    }
    assert!(kinds.len() > 30, "{} kinds of lines", kinds.len());
    kinds
        .into_iter()
        .map(|(name, line)| Kind { name, line })
        .collect()
}

fn kind(line: &Value) -> String {
    let parts = [
        "/type",
        "/subtype",
        "/request/subtype",
        "/response/subtype",
        "/event/type",
        "/event/delta/type",
        "/event/content_block/type",
        "/message/content/0/type",
    ];
    let parts = parts.iter().filter_map(|part| line.pointer(part)?.as_str());
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns the line with other IDs. Equal IDs stay equal.
pub(crate) fn with_new_ids(line: &str, number: usize) -> String {
    let mut line = line.as_bytes().to_vec();
    let mut at = 0;
    while at < line.len() {
        let (from, len) = id(&line[at..]);
        renew(&mut line[at + from..at + len], number);
        at += len.max(1);
    }
    String::from_utf8(line).unwrap()
}

/// Returns where the digits of an ID at the start of `text` begin, and its
/// length. Returns 0 for both if there is no ID.
fn id(text: &[u8]) -> (usize, usize) {
    if text.len() >= 36 && text[..36].iter().enumerate().all(is_uuid) {
        return (0, 36);
    }
    for prefix in ["msg_", "toolu_", "req_", "task_"] {
        if text.starts_with(prefix.as_bytes()) {
            let is_part = |byte: &&u8| byte.is_ascii_alphanumeric();
            let digits = text[prefix.len()..].iter().take_while(is_part).count();
            return (prefix.len(), prefix.len() + digits);
        }
    }
    (0, 0)
}

fn is_uuid((at, byte): (usize, &u8)) -> bool {
    match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    }
}

fn renew(id: &mut [u8], number: usize) {
    // The seed depends on the old ID and the number.
    let old = id.iter().fold(number as u64 + 1, |sum, byte| {
        sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(*byte)
    });
    let mut random = Random::new(old);
    for digit in id.iter_mut().filter(|digit| **digit != b'-') {
        *digit = b"0123456789abcdef"[random.below(16)];
    }
}

/// Returns the line `n` times. If `is_fresh`, each line has its own IDs.
pub(crate) fn repeated(line: &str, n: usize, is_fresh: bool) -> Vec<u8> {
    let lines = (0..n).map(|number| match is_fresh {
        true => with_new_ids(line, number) + "\n",
        false => line.to_owned() + "\n",
    });
    lines.collect::<String>().into_bytes()
}
