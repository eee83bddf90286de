//! Contents of tool calls.

use super::{Attachment, Location, LongText, Status, data};
use serde::Serialize;

data! {
    /// A part of a tool call's action or result.
    #[serde(tag = "type")]
    pub enum Content {
        /// A text in Markdown.
        Text(LongText),
        /// A text without markup, such as the lines of a file.
        Lines(Lines),
        /// A change of a file.
        Diff(Diff),
        /// A command and its output.
        Command(Command),
        /// The hits of a search.
        Search(Search),
        /// Pages on the web.
        Links(Links),
        /// An image or a file.
        Attachment(Attachment),
        /// To-do items.
        Plan(PlanItems),
        /// Data as JSON text.
        Json(LongText),
    }

    /// A text without markup.
    pub struct Lines {
        /// The path of the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub path: Option<String>,
        /// The number of the first line, counted from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub first_line: Option<u64>,
        /// The number of lines in the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub total_lines: Option<u64>,
        /// The text.
        #[serde(flatten)]
        pub text: LongText,
    }

    /// A change of a file.
    pub struct Diff {
        /// The path.
        pub path: String,
        /// Whether the file is new.
        pub is_new: bool,
        /// Whether the change was made. Otherwise it is a proposal.
        pub applied: bool,
        /// The hunks of a unified diff.
        pub hunks: Vec<Hunk>,
        /// The number of lines that were omitted from `hunks`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub omitted_lines: Option<u64>,
    }

    /// A hunk of a unified diff.
    #[derive(Eq)]
    pub struct Hunk {
        /// The first line in the old file, counted from 1. Absent if it is unknown.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub old_start: Option<u64>,
        /// The first line in the new file, counted from 1. Absent if it is unknown.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub new_start: Option<u64>,
        /// The lines, each with the prefix ` `, `-` or `+`.
        pub lines: Vec<String>,
    }

    /// A command and its output.
    pub struct Command {
        /// The command.
        pub command: LongText,
        /// The output on stdout and stderr. Absent if there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub output: Option<LongText>,
        /// The exit code. Absent if the agent does not report it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub exit_code: Option<i64>,
        /// The file with the whole output, if the agent cut it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub output_file: Option<String>,
    }

    /// The hits of a search.
    pub struct Search {
        /// The places.
        pub hits: Vec<Hit>,
        /// The number of hits that were omitted from `hits`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional, type = "number"))]
        pub omitted: Option<u64>,
    }

    /// A hit of a search.
    #[derive(Eq)]
    pub struct Hit {
        /// The file and the line.
        #[serde(flatten)]
        pub location: Location,
        /// The text of the line.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub text: Option<String>,
    }

    /// Pages on the web.
    pub struct Links {
        /// The pages.
        pub links: Vec<Link>,
    }

    /// A page on the web. The URL is of the model or of a server: open it only if its
    /// scheme is `http` or `https`.
    #[derive(Eq)]
    pub struct Link {
        /// The URL.
        pub url: String,
        /// The title.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub title: Option<String>,
    }

    /// To-do items.
    pub struct PlanItems {
        /// The items.
        pub items: Vec<PlanItem>,
    }

    /// A to-do item.
    #[derive(Eq)]
    pub struct PlanItem {
        /// The text.
        pub content: String,
        /// The status: `pending`, `in_progress` or `completed`.
        pub status: Status,
    }
}
