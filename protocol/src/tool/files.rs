//! Files: reading, writing and editing them, and the diffs of that.

use super::artifact::ArtifactRead;
use crate::json::Json;
use crate::open::{object, open_enum, union};

object! {
    /// A file to read, or a part of one.
    pub struct FileReadInput {
        /// The file, as an absolute path.
        pub file_path: String,
        /// The line to begin with, counted from 1.
        pub offset: Option<u64>,
        /// How many lines to read.
        pub limit: Option<u64>,
        /// The pages of a PDF, such as `1-5`.
        pub pages: Option<String>,
        /// Whether it is read though it is large.
        pub allow_large: Option<bool>,
    }
}

union! {
    /// What a file held.
    pub enum FileReadOutput by "type" {
        /// Text.
        "text" => Text(TextFileRead),
        /// An image.
        "image" => Image(ImageFileRead),
        /// A Jupyter notebook.
        "notebook" => Notebook(NotebookFileRead),
        /// A PDF, whole.
        "pdf" => Pdf(PdfFileRead),
        /// A PDF, as images of its pages.
        "parts" => Parts(PartsFileRead),
    }
}

object! {
    /// Text of a file.
    pub struct TextFileRead tags("type" = "text") {
        /// The text, and where it stands.
        pub file: TextFileContent,
        /// The artifact whose source the file is, when all of it was read.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
    }
}

object! {
    /// Lines of a file.
    pub struct TextFileContent {
        /// The file.
        pub file_path: String = "filePath",
        /// The lines.
        pub content: String,
        /// How many lines they are.
        pub num_lines: Option<u64> = "numLines",
        /// The first of them, counted from 1.
        pub start_line: Option<u64> = "startLine",
        /// How many lines the file has.
        pub total_lines: Option<u64> = "totalLines",
        /// Whether the whole file was asked for and was too long.
        pub truncated_by_token_cap: Option<bool> = "truncatedByTokenCap",
    }
}

object! {
    /// An image file.
    pub struct ImageFileRead tags("type" = "image") {
        /// The image.
        pub file: ImageFileContent,
    }
}

object! {
    /// An image.
    pub struct ImageFileContent {
        /// The bytes as base64.
        pub base64: String,
        /// What they are, such as `image/png`.
        pub media_type: Option<String> = "type",
        /// Bytes that the file has.
        pub original_size: Option<u64> = "originalSize",
        /// How large the image is.
        pub dimensions: Option<ImageDimensions>,
    }
}

object! {
    /// How large an image is, in pixels, before and after it was resized.
    #[derive(Default)]
    pub struct ImageDimensions {
        /// How wide the file's is.
        pub original_width: Option<u64> = "originalWidth",
        /// How high the file's is.
        pub original_height: Option<u64> = "originalHeight",
        /// How wide the one is that the model sees.
        pub display_width: Option<u64> = "displayWidth",
        /// How high the one is that the model sees.
        pub display_height: Option<u64> = "displayHeight",
    }
}

object! {
    /// A Jupyter notebook.
    pub struct NotebookFileRead tags("type" = "notebook") {
        /// The notebook.
        pub file: NotebookFileContent,
    }
}

object! {
    /// The cells of a notebook.
    pub struct NotebookFileContent {
        /// The file.
        pub file_path: String = "filePath",
        /// The cells, in order.
        pub cells: Vec<Json>,
    }
}

object! {
    /// A PDF, whole.
    pub struct PdfFileRead tags("type" = "pdf") {
        /// The PDF.
        pub file: PdfFileContent,
    }
}

object! {
    /// A PDF.
    pub struct PdfFileContent {
        /// The file.
        pub file_path: String = "filePath",
        /// The bytes as base64.
        pub base64: String,
        /// Bytes that the file has.
        pub original_size: Option<u64> = "originalSize",
    }
}

object! {
    /// A PDF, as images of its pages.
    pub struct PartsFileRead tags("type" = "parts") {
        /// The PDF, and where the images are.
        pub file: PartsFileContent,
        /// The first page that was read, counted from 1.
        pub first_page: Option<u64> = "firstPage",
        /// The images. They reach the model, not the host.
        pub pages: Option<Vec<PageImage>>,
    }
}

object! {
    /// A PDF whose pages were made into images.
    pub struct PartsFileContent {
        /// The file.
        pub file_path: String = "filePath",
        /// Bytes that the file has.
        pub original_size: Option<u64> = "originalSize",
        /// How many pages there are.
        pub count: Option<u64>,
        /// The folder with the images.
        pub output_dir: Option<String> = "outputDir",
    }
}

object! {
    /// A page of a PDF, as an image.
    pub struct PageImage {
        /// The bytes as base64; empty when there is an error.
        pub base64: String,
        /// What they are, such as `image/png`.
        pub media_type: Option<String> = "mediaType",
        /// Why there is no image.
        pub error: Option<String>,
    }
}

object! {
    /// A text to replace in a file.
    pub struct FileEditInput {
        /// The file, as an absolute path.
        pub file_path: String,
        /// The text that is there.
        pub old_string: String,
        /// The text that is to be there.
        pub new_string: String,
        /// Whether it is replaced wherever it is; otherwise it has to be
        /// there once.
        pub replace_all: Option<bool>,
    }
}

object! {
    /// What an edit changed.
    pub struct FileEditOutput {
        /// The file.
        pub file_path: String = "filePath",
        /// The text that was there.
        pub old_string: Option<String> = "oldString",
        /// The text that is there now.
        pub new_string: Option<String> = "newString",
        /// The whole file as it was; `null` for a new one.
        pub original_file: Option<String> = "originalFile",
        /// The change as a diff.
        pub structured_patch: Option<Vec<DiffHunk>> = "structuredPatch",
        /// Whether the user changed what the model proposed.
        pub user_modified: Option<bool> = "userModified",
        /// Whether the text was replaced wherever it was.
        pub replace_all: Option<bool> = "replaceAll",
        /// The change as git tells it.
        pub git_diff: Option<GitDiff> = "gitDiff",
        /// Whether it waits for somebody's consent; the file is as it was.
        pub staged: Option<bool>,
    }
}

object! {
    /// A file to write.
    pub struct FileWriteInput {
        /// The file, as an absolute path.
        pub file_path: String,
        /// What is to be in it.
        pub content: String,
    }
}

object! {
    /// What was written.
    pub struct FileWriteOutput {
        /// Whether the file is new.
        pub kind: Option<FileWriteKind> = "type",
        /// The file.
        pub file_path: String = "filePath",
        /// What is in it.
        pub content: Option<String>,
        /// The change as a diff; empty where there is none to show.
        pub structured_patch: Option<Vec<DiffHunk>> = "structuredPatch",
        /// The whole file as it was; `null` for a new one, or a large one.
        pub original_file: Option<String> = "originalFile",
        /// The change as git tells it.
        pub git_diff: Option<GitDiff> = "gitDiff",
        /// Whether the user changed what the model proposed.
        pub user_modified: Option<bool> = "userModified",
        /// Whether it waits for somebody's consent; the file is as it was.
        pub staged: Option<bool>,
    }
}

open_enum! {
    /// Whether a file that was written is new.
    pub enum FileWriteKind {
        /// It is new.
        Create = "create",
        /// It was there before.
        Update = "update",
    }
}

object! {
    /// A piece of a diff.
    pub struct DiffHunk {
        /// The first line of it as the file was, counted from 1.
        pub old_start: u64 = "oldStart",
        /// How many lines of the file it was.
        pub old_lines: u64 = "oldLines",
        /// The first line of it as the file is, counted from 1.
        pub new_start: u64 = "newStart",
        /// How many lines of the file it is.
        pub new_lines: u64 = "newLines",
        /// The lines, each behind ` `, `-` or `+`.
        pub lines: Vec<String>,
    }
}

object! {
    /// The change of a file as git tells it.
    pub struct GitDiff {
        /// The file.
        pub filename: String,
        /// Whether git knew it before.
        pub status: Option<GitDiffStatus>,
        /// Lines that came.
        pub additions: Option<u64>,
        /// Lines that went.
        pub deletions: Option<u64>,
        /// Both together.
        pub changes: Option<u64>,
        /// The diff as text.
        pub patch: Option<String>,
        /// Owner and name at GitHub; `null`, when it is not there.
        pub repository: Option<String>,
    }
}

open_enum! {
    /// Whether git knew a file before.
    pub enum GitDiffStatus {
        /// It did.
        Modified = "modified",
        /// It is new.
        Added = "added",
    }
}
