//! The recorded sessions of `testkit/recordings`.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::Path;

/// A line of a session.
pub(crate) struct Recorded {
    /// Which way it went: `recv` and `send` are the agent's and the host's, the
    /// others what happened besides.
    pub(crate) dir: String,
    /// The line as it was written: the order of members matters to speed.
    pub(crate) line: String,
}

/// What was written in each session, in order.
pub(crate) fn sessions() -> Vec<Vec<Recorded>> {
    #[derive(Deserialize)]
    struct Record<'a> {
        dir: String,
        #[serde(borrow)]
        msg: &'a RawValue,
    }

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/recordings");
    let mut files: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "ndjson"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "{}", folder.display());
    let session = |text: String| {
        let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let recorded = records.map(|Record { dir, msg }| Recorded {
            dir,
            line: msg.get().to_owned(),
        });
        recorded.collect()
    };
    files
        .iter()
        .map(|file| session(std::fs::read_to_string(file).unwrap()))
        .collect()
}
