//! Finding files by their names and by what is in them.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// Names of files to look for.
    pub struct GlobInput {
        /// The pattern, such as `**/*.rs`.
        pub pattern: String,
        /// Where to look; in the working directory, when absent.
        pub path: Option<String>,
    }
}

object! {
    /// The files that were found by name.
    pub struct GlobOutput {
        /// Milliseconds that it took.
        pub duration_ms: Option<Number> = "durationMs",
        /// How many are listed.
        pub num_files: Option<u64> = "numFiles",
        /// The files.
        pub filenames: Vec<String>,
        /// Whether there are more.
        pub truncated: Option<bool>,
        /// How many there are.
        pub total_matches: Option<u64> = "totalMatches",
        /// Whether there are exactly so many; otherwise at least so many.
        pub count_is_complete: Option<bool> = "countIsComplete",
        /// Whether the time was up before all was looked through.
        pub timed_out: Option<bool> = "timedOut",
    }
}

object! {
    /// Text in files to look for.
    pub struct GrepInput {
        /// The regular expression.
        pub pattern: String,
        /// Where to look; in the working directory, when absent.
        pub path: Option<String>,
        /// Which files, such as `*.js`.
        pub glob: Option<String>,
        /// What is wanted; the files, when absent.
        pub output_mode: Option<GrepMode>,
        /// How many lines above a match are wanted.
        pub before: Option<u64> = "-B",
        /// How many lines below a match are wanted.
        pub after: Option<u64> = "-A",
        /// Another name of `context`.
        pub around: Option<u64> = "-C",
        /// How many lines above and below a match are wanted.
        pub context: Option<u64>,
        /// Whether lines are shown with their numbers.
        pub line_numbers: Option<bool> = "-n",
        /// Whether upper and lower case are the same.
        pub ignore_case: Option<bool> = "-i",
        /// Whether of each line only the match is shown.
        pub only_matching: Option<bool> = "-o",
        /// Which kind of files, such as `rust`.
        pub file_type: Option<String> = "type",
        /// How many lines or files are wanted at most; 0 is all.
        pub head_limit: Option<u64>,
        /// How many are skipped before that.
        pub offset: Option<u64>,
        /// Whether a match may go over several lines.
        pub multiline: Option<bool>,
    }
}

open_enum! {
    /// What is wanted of a search in files.
    pub enum GrepMode {
        /// The lines.
        Content = "content",
        /// The files.
        FilesWithMatches = "files_with_matches",
        /// How many there are.
        Count = "count",
    }
}

object! {
    /// What was found in files.
    pub struct GrepOutput {
        /// What was wanted.
        pub mode: Option<GrepMode>,
        /// How many files are listed.
        pub num_files: Option<u64> = "numFiles",
        /// The files.
        pub filenames: Vec<String>,
        /// The lines, or the counts, as text.
        pub content: Option<String>,
        /// How many lines there are in `content`.
        pub num_lines: Option<u64> = "numLines",
        /// How many matches there are.
        pub num_matches: Option<u64> = "numMatches",
        /// How many files there are, before the limit.
        pub total_files: Option<u64> = "totalFiles",
        /// How many lines there are, before the limit.
        pub total_lines: Option<u64> = "totalLines",
        /// The limit, when it cut something off.
        pub applied_limit: Option<u64> = "appliedLimit",
        /// How many were skipped.
        pub applied_offset: Option<u64> = "appliedOffset",
        /// Whether the time was up before all was looked through.
        pub timed_out: Option<bool> = "timedOut",
    }
}
