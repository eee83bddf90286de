//! Results of code, shell commands and the text editor in the API's container.

use crate::open::{object, open_enum, union};

union! {
    /// The output of code, or an error.
    pub enum CodeExecutionContent by "type" {
        /// It ran.
        "code_execution_result" => Result(CodeExecutionResult),
        /// It ran. Its output is encrypted, readable only by the API.
        "encrypted_code_execution_result" => Encrypted(EncryptedCodeExecutionResult),
        /// It did not complete.
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
        /// Its exit code.
        pub return_code: Option<i64>,
        /// Files that it wrote.
        pub content: Option<Vec<CodeExecutionOutput>>,
    }
}

object! {
    /// The encrypted output of code, readable only by the API.
    pub struct EncryptedCodeExecutionResult tags("type" = "encrypted_code_execution_result") {
        /// The encrypted output on stdout.
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
    /// Code did not complete.
    pub struct CodeExecutionError tags("type" = "code_execution_tool_result_error") {
        /// The error code.
        pub error_code: CodeExecutionErrorCode,
    }
}

open_enum! {
    /// Why code did not complete.
    pub enum CodeExecutionErrorCode {
        /// The input of the tool is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
    }
}

union! {
    /// The output of a shell command, or an error.
    pub enum BashCodeExecutionContent by "type" {
        /// It ran.
        "bash_code_execution_result" => Result(BashCodeExecutionResult),
        /// It did not complete.
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
        /// Its exit code.
        pub return_code: Option<i64>,
        /// Files that it wrote.
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
    /// A shell command did not complete.
    pub struct BashCodeExecutionError tags("type" = "bash_code_execution_tool_result_error") {
        /// The error code.
        pub error_code: BashCodeExecutionErrorCode,
    }
}

open_enum! {
    /// Why a shell command did not complete.
    pub enum BashCodeExecutionErrorCode {
        /// The input of the tool is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// It timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// A file that it wrote is too large.
        OutputFileTooLarge = "output_file_too_large",
    }
}

union! {
    /// The result of the text editor.
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
        /// The content.
        pub content: String,
        /// The kind of file.
        pub file_type: Option<TextEditorFileType>,
        /// The number of lines shown.
        pub num_lines: Option<u64>,
        /// The first of them, counted from 1.
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
    /// A file was written.
    pub struct TextEditorCreateResult tags("type" = "text_editor_code_execution_create_result") {
        /// Whether the file existed before.
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
        /// The number of lines before.
        pub old_lines: Option<u64>,
        /// The first line that changed, after.
        pub new_start: Option<u64>,
        /// The number of lines after.
        pub new_lines: Option<u64>,
    }
}

object! {
    /// The text editor failed.
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
        /// It timed out.
        ExecutionTimeExceeded = "execution_time_exceeded",
        /// The file does not exist.
        FileNotFound = "file_not_found",
    }
}
