//! The recorded sessions of `testkit/recordings`.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A line of a recorded session.
pub(crate) struct Recorded {
    /// `recv` for a line of the agent, `send` for a line of the host. Other
    /// values are events other than lines.
    pub(crate) dir: String,
    /// The line verbatim, because the order of members affects speed.
    pub(crate) line: String,
}

/// Returns the lines of each session, in order, by the name of the recording.
pub(crate) fn sessions() -> BTreeMap<String, Vec<Recorded>> {
    #[derive(Deserialize)]
    struct Record<'a> {
        dir: String,
        #[serde(borrow)]
        msg: &'a RawValue,
    }

    let session = |text: &str| {
        let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let recorded = records.map(|Record { dir, msg }| Recorded {
            dir,
            line: msg.get().to_owned(),
        });
        recorded.collect()
    };
    let recordings = agentwire_testing::recordings().into_iter();
    recordings
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, session(&std::fs::read_to_string(path).unwrap()))
        })
        .collect()
}
