//! The tool that edits Jupyter notebooks.

use crate::open::{object, open_enum};

object! {
    /// The input of `NotebookEdit`.
    pub struct NotebookEditInput {
        /// The absolute path of the notebook.
        pub notebook_path: String,
        /// The ID of the cell. For an insertion, the ID of the cell to insert
        /// after.
        pub cell_id: Option<String>,
        /// The new source of the cell.
        pub new_source: String,
        /// The new type of the cell.
        pub cell_type: Option<NotebookCellType>,
        /// The operation. Default: [`NotebookEditMode::Replace`].
        pub edit_mode: Option<NotebookEditMode>,
    }
}

open_enum! {
    /// The type of a cell.
    pub enum NotebookCellType {
        /// Code.
        Code = "code",
        /// Markdown.
        Markdown = "markdown",
    }
}

open_enum! {
    /// An operation on a cell.
    pub enum NotebookEditMode {
        /// Replace the source of the cell.
        Replace = "replace",
        /// Insert a new cell after the cell.
        Insert = "insert",
        /// Delete the cell.
        Delete = "delete",
    }
}

object! {
    /// The output of `NotebookEdit`.
    pub struct NotebookEditOutput {
        /// The new source of the cell.
        pub new_source: Option<String>,
        /// The previous source. `None` for a new cell.
        pub old_source: Option<String>,
        /// The ID of the cell.
        pub cell_id: Option<String>,
        /// The type of the cell.
        pub cell_type: Option<NotebookCellType>,
        /// The notebook's programming language.
        pub language: Option<String>,
        /// The operation.
        pub edit_mode: Option<NotebookEditMode>,
        /// The reason for a failure.
        pub error: Option<String>,
        /// The path of the notebook.
        pub notebook_path: String,
        /// The whole file before the change.
        pub original_file: Option<String>,
        /// The whole file after the change.
        pub updated_file: Option<String>,
    }
}
