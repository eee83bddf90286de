//! What code, shell commands and the text editor in the API's container
//! answer.

use crate::open::{object, open_enum, union};

union! {
    /// What code printed, or why it did not run.
    pub enum CodeExecutionContent by "type" {
        /// It ran.
        "code_execution_result" => Result(CodeExecutionResult),
        /// It ran, and what it printed is for the API alone.
        "encrypted_code_execution_result" => Encrypted(EncryptedCodeExecutionResult),
        /// It did not run to its end.
        "code_execution_tool_result_error" => Error(CodeExecutionError),
    }
}

object! {
    /// What code printed.
    pub struct CodeExecutionResult tags("type" = "code_execution_result") {
        /// The output on stdout.
        pub stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// Its exit code.
        pub return_code: Option<i64>,
        /// Files that it wrote.
        pub content: Option<Vec<CodeExecutionOutput>>,
    }
}

object! {
    /// What code printed, as only the API can read it.
    pub struct EncryptedCodeExecutionResult tags("type" = "encrypted_code_execution_result") {
        /// What it printed to stdout, encrypted.
        pub encrypted_stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// Its exit code.
        pub return_code: Option<i64>,
        /// Files that it wrote.
        pub content: Option<Vec<CodeExecutionOutput>>,
    }
}

union! {
    /// Something that code left behind.
    pub enum CodeExecutionOutput by "type" {
        /// A file.
        "code_execution_output" => File(CodeExecutionFile),
    }
}

object! {
    /// A file that code wrote.
    pub struct CodeExecutionFile tags("type" = "code_execution_output") {
        /// The file's id at the API.
        pub file_id: String,
    }
}

object! {
    /// Code did not run to its end.
    pub struct CodeExecutionError tags("type" = "code_execution_tool_result_error") {
        /// Why.
        pub error_code: CodeExecutionErrorCode,
    }
}

open_enum! {
    /// Why code did not run to its end.
    pub enum CodeExecutionErrorCode {
        /// The model called the tool wrongly.
        InvalidToolInput = "invalid_tool_input",
        /// The tool cannot be had.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
    }
}

union! {
    /// What a shell command printed, or why it did not run.
    pub enum BashCodeExecutionContent by "type" {
        /// It ran.
        "bash_code_execution_result" => Result(BashCodeExecutionResult),
        /// It did not run to its end.
        "bash_code_execution_tool_result_error" => Error(BashCodeExecutionError),
    }
}

object! {
    /// What a shell command printed.
    pub struct BashCodeExecutionResult tags("type" = "bash_code_execution_result") {
        /// The output on stdout.
        pub stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// Its exit code.
        pub return_code: Option<i64>,
        /// Files that it wrote.
        pub content: Option<Vec<BashCodeExecutionOutput>>,
    }
}

union! {
    /// Something that a shell command left behind.
    pub enum BashCodeExecutionOutput by "type" {
        /// A file.
        "bash_code_execution_output" => File(BashCodeExecutionFile),
    }
}

object! {
    /// A file that a shell command wrote.
    pub struct BashCodeExecutionFile tags("type" = "bash_code_execution_output") {
        /// The file's id at the API.
        pub file_id: String,
    }
}

object! {
    /// A shell command did not run to its end.
    pub struct BashCodeExecutionError tags("type" = "bash_code_execution_tool_result_error") {
        /// Why.
        pub error_code: BashCodeExecutionErrorCode,
    }
}

open_enum! {
    /// Why a shell command did not run to its end.
    pub enum BashCodeExecutionErrorCode {
        /// The model called the tool wrongly.
        InvalidToolInput = "invalid_tool_input",
        /// The tool cannot be had.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// A file that it wrote is too large.
        OutputFileTooLarge = "output_file_too_large",
    }
}

union! {
    /// What the text editor answered.
    pub enum TextEditorContent by "type" {
        /// It showed a file.
        "text_editor_code_execution_view_result" => View(TextEditorViewResult),
        /// It wrote a file.
        "text_editor_code_execution_create_result" => Create(TextEditorCreateResult),
        /// It replaced text in a file.
        "text_editor_code_execution_str_replace_result" => StrReplace(TextEditorStrReplaceResult),
        /// It failed.
        "text_editor_code_execution_tool_result_error" => Error(TextEditorError),
    }
}

object! {
    /// A file, or some lines of it.
    pub struct TextEditorViewResult tags("type" = "text_editor_code_execution_view_result") {
        /// What is in it.
        pub content: String,
        /// What kind of file it is.
        pub file_type: Option<TextEditorFileType>,
        /// How many lines are shown.
        pub num_lines: Option<u64>,
        /// The first of them, counted from 1.
        pub start_line: Option<u64>,
        /// How many lines the file has.
        pub total_lines: Option<u64>,
    }
}

open_enum! {
    /// A kind of file.
    pub enum TextEditorFileType {
        /// Text.
        Text = "text",
        /// An image.
        Image = "image",
        /// A PDF.
        Pdf = "pdf",
    }
}

object! {
    /// A file was written.
    pub struct TextEditorCreateResult tags("type" = "text_editor_code_execution_create_result") {
        /// Whether it was there before.
        pub is_file_update: Option<bool>,
    }
}

object! {
    /// Text was replaced in a file.
    pub struct TextEditorStrReplaceResult tags("type" = "text_editor_code_execution_str_replace_result") {
        /// The lines that changed, as a diff has them.
        pub lines: Option<Vec<String>>,
        /// The first line that changed, before.
        pub old_start: Option<u64>,
        /// How many lines there were.
        pub old_lines: Option<u64>,
        /// The first line that changed, after.
        pub new_start: Option<u64>,
        /// How many lines there are.
        pub new_lines: Option<u64>,
    }
}

object! {
    /// The text editor failed.
    pub struct TextEditorError tags("type" = "text_editor_code_execution_tool_result_error") {
        /// How.
        pub error_code: TextEditorErrorCode,
        /// The same in words.
        pub error_message: Option<String>,
    }
}

open_enum! {
    /// How the text editor failed.
    pub enum TextEditorErrorCode {
        /// The model called it wrongly.
        InvalidToolInput = "invalid_tool_input",
        /// It cannot be had.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It took too long.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// There is no such file.
        FileNotFound = "file_not_found",
    }
}
