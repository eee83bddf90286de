//! Results of code, shell commands and the text editor in the API's container.

use crate::open::{object, open_enum, union};

union! {
    /// The output of code, or an error.
    pub enum CodeExecutionContent by "type" {
        /// The code ran.
        "code_execution_result" => Result(CodeExecutionResult),
        /// The code ran. Its output is encrypted, and only the API can read it.
        "encrypted_code_execution_result" => Encrypted(EncryptedCodeExecutionResult),
        /// The code did not complete.
        "code_execution_tool_result_error" => Error(CodeExecutionError),
    }
}

object! {
    /// The output of code.
    pub struct CodeExecutionResult tags("type" = "code_execution_result") {
        /// The output on stdout.
        pub stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The exit code.
        pub return_code: Option<i64>,
        /// Files that the code wrote.
        pub content: Option<Vec<CodeExecutionOutput>>,
    }
}

object! {
    /// The output of code, encrypted so that only the API can read it.
    pub struct EncryptedCodeExecutionResult tags("type" = "encrypted_code_execution_result") {
        /// The encrypted output on stdout.
        pub encrypted_stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The exit code.
        pub return_code: Option<i64>,
        /// Files that the code wrote.
        pub content: Option<Vec<CodeExecutionOutput>>,
    }
}

union! {
    /// An output file of code.
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
    /// The error of code that did not complete.
    pub struct CodeExecutionError tags("type" = "code_execution_tool_result_error") {
        /// The error code.
        pub error_code: CodeExecutionErrorCode,
    }
}

open_enum! {
    /// The reason why code did not complete.
    pub enum CodeExecutionErrorCode {
        /// The input of the tool is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The code timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
    }
}

union! {
    /// The output of a shell command, or an error.
    pub enum BashCodeExecutionContent by "type" {
        /// The command ran.
        "bash_code_execution_result" => Result(BashCodeExecutionResult),
        /// The command did not complete.
        "bash_code_execution_tool_result_error" => Error(BashCodeExecutionError),
    }
}

object! {
    /// The output of a shell command.
    pub struct BashCodeExecutionResult tags("type" = "bash_code_execution_result") {
        /// The output on stdout.
        pub stdout: String,
        /// The output on stderr.
        pub stderr: Option<String>,
        /// The exit code.
        pub return_code: Option<i64>,
        /// Files that the command wrote.
        pub content: Option<Vec<BashCodeExecutionOutput>>,
    }
}

union! {
    /// An output file of a shell command.
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
    /// The error of a shell command that did not complete.
    pub struct BashCodeExecutionError tags("type" = "bash_code_execution_tool_result_error") {
        /// The error code.
        pub error_code: BashCodeExecutionErrorCode,
    }
}

open_enum! {
    /// The reason why a shell command did not complete.
    pub enum BashCodeExecutionErrorCode {
        /// The input of the tool is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The command timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// A file that the command wrote is too large.
        OutputFileTooLarge = "output_file_too_large",
    }
}

union! {
    /// The result of the text editor.
    pub enum TextEditorContent by "type" {
        /// The editor showed a file.
        "text_editor_code_execution_view_result" => View(TextEditorViewResult),
        /// The editor wrote a file.
        "text_editor_code_execution_create_result" => Create(TextEditorCreateResult),
        /// The editor replaced text in a file.
        "text_editor_code_execution_str_replace_result" => StrReplace(TextEditorStrReplaceResult),
        /// The editor failed.
        "text_editor_code_execution_tool_result_error" => Error(TextEditorError),
    }
}

object! {
    /// A file, or some lines of it.
    pub struct TextEditorViewResult tags("type" = "text_editor_code_execution_view_result") {
        /// The content.
        pub content: String,
        /// The kind of file.
        pub file_type: Option<TextEditorFileType>,
        /// The number of lines shown.
        pub num_lines: Option<u64>,
        /// The number of the first line shown, counted from 1.
        pub start_line: Option<u64>,
        /// The number of lines in the file.
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
    /// The result of writing a file.
    pub struct TextEditorCreateResult tags("type" = "text_editor_code_execution_create_result") {
        /// Whether the file existed before.
        pub is_file_update: Option<bool>,
    }
}

object! {
    /// The result of replacing text in a file.
    pub struct TextEditorStrReplaceResult tags("type" = "text_editor_code_execution_str_replace_result") {
        /// The changed lines, as in a diff.
        pub lines: Option<Vec<String>>,
        /// The number of the first changed line before the change.
        pub old_start: Option<u64>,
        /// The number of lines in the hunk before the change.
        pub old_lines: Option<u64>,
        /// The number of the first changed line after the change.
        pub new_start: Option<u64>,
        /// The number of lines in the hunk after the change.
        pub new_lines: Option<u64>,
    }
}

object! {
    /// The error of the text editor.
    pub struct TextEditorError tags("type" = "text_editor_code_execution_tool_result_error") {
        /// The error code.
        pub error_code: TextEditorErrorCode,
        /// The error message.
        pub error_message: Option<String>,
    }
}

open_enum! {
    /// How the text editor failed.
    pub enum TextEditorErrorCode {
        /// The input is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The editor timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The file does not exist.
        FileNotFound = "file_not_found",
    }
}
