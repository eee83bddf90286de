//! Tools that read, write and edit files, and the resulting diffs.

use super::artifact::ArtifactRead;
use crate::json::Json;
use crate::open::{object, open_enum, union};

object! {
    /// A file to read, or a part of one.
    pub struct FileReadInput {
        /// The absolute path of the file.
        pub file_path: String,
        /// The number of the first line to read, counted from 1.
        pub offset: Option<u64>,
        /// The number of lines to read.
        pub limit: Option<u64>,
        /// The pages of a PDF, such as `1-5`.
        pub pages: Option<String>,
        /// Whether to read the file even if it is large.
        pub allow_large: Option<bool>,
    }
}

union! {
    /// The content of a file.
    pub enum FileReadOutput by "type" {
        /// Text.
        "text" => Text(TextFileRead),
        /// An image.
        "image" => Image(ImageFileRead),
        /// A Jupyter notebook.
        "notebook" => Notebook(NotebookFileRead),
        /// A whole PDF.
        "pdf" => Pdf(PdfFileRead),
        /// A PDF as images of its pages.
        "parts" => Parts(PartsFileRead),
    }
}

object! {
    /// Text of a file.
    pub struct TextFileRead tags("type" = "text") {
        /// The text and its position.
        pub file: TextFileContent,
        /// The artifact of which the file is the source, if the whole file was
        /// read.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
    }
}

object! {
    /// Lines of a file.
    pub struct TextFileContent {
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The lines.
        pub content: String,
        /// The number of lines.
        pub num_lines: Option<u64> = "numLines",
        /// The number of the first line of `content`, counted from 1.
        pub start_line: Option<u64> = "startLine",
        /// The number of lines in the file.
        pub total_lines: Option<u64> = "totalLines",
        /// Whether the content is truncated, because the whole file was
        /// requested and was too long.
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
        /// The media type, such as `image/png`.
        pub media_type: Option<String> = "type",
        /// The size of the file in bytes.
        pub original_size: Option<u64> = "originalSize",
        /// The size of the image.
        pub dimensions: Option<ImageDimensions>,
    }
}

object! {
    /// The size of an image in pixels, before and after resizing.
    #[derive(Default)]
    pub struct ImageDimensions {
        /// The width of the image in the file.
        pub original_width: Option<u64> = "originalWidth",
        /// The height of the image in the file.
        pub original_height: Option<u64> = "originalHeight",
        /// The width of the image that the model receives.
        pub display_width: Option<u64> = "displayWidth",
        /// The height of the image that the model receives.
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
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The cells, in order.
        pub cells: Vec<Json>,
    }
}

object! {
    /// A whole PDF.
    pub struct PdfFileRead tags("type" = "pdf") {
        /// The PDF.
        pub file: PdfFileContent,
    }
}

object! {
    /// A PDF.
    pub struct PdfFileContent {
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The bytes as base64.
        pub base64: String,
        /// The size of the file in bytes.
        pub original_size: Option<u64> = "originalSize",
    }
}

object! {
    /// A PDF as images of its pages.
    pub struct PartsFileRead tags("type" = "parts") {
        /// The PDF, and the location of the images.
        pub file: PartsFileContent,
        /// The first page that was read, counted from 1.
        pub first_page: Option<u64> = "firstPage",
        /// The images. The model receives them, the host does not.
        pub pages: Option<Vec<PageImage>>,
    }
}

object! {
    /// A PDF whose pages were converted to images.
    pub struct PartsFileContent {
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The size of the file in bytes.
        pub original_size: Option<u64> = "originalSize",
        /// The number of pages.
        pub count: Option<u64>,
        /// The directory with the images.
        pub output_dir: Option<String> = "outputDir",
    }
}

object! {
    /// A page of a PDF, as an image.
    pub struct PageImage {
        /// The bytes as base64. Empty if there is an error.
        pub base64: String,
        /// The media type, such as `image/png`.
        pub media_type: Option<String> = "mediaType",
        /// The reason why there is no image.
        pub error: Option<String>,
    }
}

object! {
    /// The replacement of a text in a file.
    pub struct FileEditInput {
        /// The absolute path of the file.
        pub file_path: String,
        /// The text to replace.
        pub old_string: String,
        /// The replacement.
        pub new_string: String,
        /// Whether to replace all occurrences. Otherwise there must be exactly
        /// one.
        pub replace_all: Option<bool>,
    }
}

object! {
    /// The outcome of an edit.
    pub struct FileEditOutput {
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The text that was replaced.
        pub old_string: Option<String> = "oldString",
        /// The replacement.
        pub new_string: Option<String> = "newString",
        /// The original content. `None` for a new file.
        pub original_file: Option<String> = "originalFile",
        /// The change as a diff.
        pub structured_patch: Option<Vec<DiffHunk>> = "structuredPatch",
        /// Whether the user modified the proposed change.
        pub user_modified: Option<bool> = "userModified",
        /// Whether all occurrences were replaced.
        pub replace_all: Option<bool> = "replaceAll",
        /// The change as a git diff.
        pub git_diff: Option<GitDiff> = "gitDiff",
        /// Whether the change awaits approval. The file is then unchanged.
        pub staged: Option<bool>,
    }
}

object! {
    /// A file to write.
    pub struct FileWriteInput {
        /// The absolute path of the file.
        pub file_path: String,
        /// The new content.
        pub content: String,
    }
}

object! {
    /// The outcome of a write.
    pub struct FileWriteOutput {
        /// Whether the write created the file.
        pub kind: Option<FileWriteKind> = "type",
        /// The path of the file.
        pub file_path: String = "filePath",
        /// The new content.
        pub content: Option<String>,
        /// The change as a diff. Empty if there is no change to show.
        pub structured_patch: Option<Vec<DiffHunk>> = "structuredPatch",
        /// The original content. `None` for a new or large file.
        pub original_file: Option<String> = "originalFile",
        /// The change as a git diff.
        pub git_diff: Option<GitDiff> = "gitDiff",
        /// Whether the user modified the proposed change.
        pub user_modified: Option<bool> = "userModified",
        /// Whether the change awaits approval. The file is then unchanged.
        pub staged: Option<bool>,
    }
}

open_enum! {
    /// Whether a write created a file.
    pub enum FileWriteKind {
        /// The write created the file.
        Create = "create",
        /// The file existed before.
        Update = "update",
    }
}

object! {
    /// A piece of a diff.
    pub struct DiffHunk {
        /// The first line in the original file, counted from 1.
        pub old_start: u64 = "oldStart",
        /// The number of lines in the original file.
        pub old_lines: u64 = "oldLines",
        /// The first line in the new file, counted from 1.
        pub new_start: u64 = "newStart",
        /// The number of lines in the new file.
        pub new_lines: u64 = "newLines",
        /// The lines, each prefixed with ` `, `-` or `+`.
        pub lines: Vec<String>,
    }
}

object! {
    /// The change of a file according to git.
    pub struct GitDiff {
        /// The path of the file.
        pub filename: String,
        /// Whether git knew the file before.
        pub status: Option<GitDiffStatus>,
        /// The number of lines added.
        pub additions: Option<u64>,
        /// The number of lines removed.
        pub deletions: Option<u64>,
        /// The sum of the added and removed lines.
        pub changes: Option<u64>,
        /// The diff as text.
        pub patch: Option<String>,
        /// The owner and name of the repository at GitHub. `None` if it is not
        /// there.
        pub repository: Option<String>,
    }
}

open_enum! {
    /// Whether git knew a file before its change.
    pub enum GitDiffStatus {
        /// Git knew the file.
        Modified = "modified",
        /// The file is new to git.
        Added = "added",
    }
}
