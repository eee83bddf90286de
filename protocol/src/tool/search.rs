//! Tools that find files by name and by content.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// The input of `Glob`.
    pub struct GlobInput {
        /// The pattern, such as `**/*.rs`.
        pub pattern: String,
        /// The directory to search. Default: the working directory.
        pub path: Option<String>,
    }
}

object! {
    /// The output of `Glob`.
    pub struct GlobOutput {
        /// The duration in milliseconds.
        pub duration_ms: Option<Number> = "durationMs",
        /// The number of listed files.
        pub num_files: Option<u64> = "numFiles",
        /// The files.
        pub filenames: Vec<String>,
        /// Whether the list is truncated.
        pub truncated: Option<bool>,
        /// The total number of matching files.
        pub total_matches: Option<u64> = "totalMatches",
        /// Whether `total_matches` is exact. Otherwise it is a lower bound.
        pub count_is_complete: Option<bool> = "countIsComplete",
        /// Whether the search timed out before it was complete.
        pub timed_out: Option<bool> = "timedOut",
    }
}

object! {
    /// The input of `Grep`.
    pub struct GrepInput {
        /// The regular expression.
        pub pattern: String,
        /// The file or directory to search. Default: the working directory.
        pub path: Option<String>,
        /// A glob that selects files, such as `*.js`.
        pub glob: Option<String>,
        /// The kind of output. Default: the names of the matching files.
        pub output_mode: Option<GrepMode>,
        /// The number of lines to show before a match.
        pub before: Option<u64> = "-B",
        /// The number of lines to show after a match.
        pub after: Option<u64> = "-A",
        /// An alias of `context`.
        pub around: Option<u64> = "-C",
        /// The number of lines to show before and after a match.
        pub context: Option<u64>,
        /// Whether to show line numbers.
        pub line_numbers: Option<bool> = "-n",
        /// Whether to ignore case.
        pub ignore_case: Option<bool> = "-i",
        /// Whether to show only the matching part of each line.
        pub only_matching: Option<bool> = "-o",
        /// A file type, such as `rust`.
        pub file_type: Option<String> = "type",
        /// The maximum number of lines or files. 0 for no limit.
        pub head_limit: Option<u64>,
        /// The number of lines or files to skip.
        pub offset: Option<u64>,
        /// Whether a match may span lines.
        pub multiline: Option<bool>,
    }
}

open_enum! {
    /// The kind of output of `Grep`.
    pub enum GrepMode {
        /// The matching lines.
        Content = "content",
        /// The matching files.
        FilesWithMatches = "files_with_matches",
        /// The number of matches.
        Count = "count",
    }
}

object! {
    /// The output of `Grep`.
    pub struct GrepOutput {
        /// The kind of output.
        pub mode: Option<GrepMode>,
        /// The number of listed files.
        pub num_files: Option<u64> = "numFiles",
        /// The files.
        pub filenames: Vec<String>,
        /// The lines or counts, as text.
        pub content: Option<String>,
        /// The number of lines in `content`.
        pub num_lines: Option<u64> = "numLines",
        /// The number of matches.
        pub num_matches: Option<u64> = "numMatches",
        /// The number of files before the limit was applied.
        pub total_files: Option<u64> = "totalFiles",
        /// The number of lines before the limit was applied.
        pub total_lines: Option<u64> = "totalLines",
        /// The limit, if it truncated the output.
        pub applied_limit: Option<u64> = "appliedLimit",
        /// The number of skipped lines or files.
        pub applied_offset: Option<u64> = "appliedOffset",
        /// Whether the search timed out before it was complete.
        pub timed_out: Option<bool> = "timedOut",
    }
}
