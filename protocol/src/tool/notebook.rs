//! Editing Jupyter notebooks.

use crate::open::{object, open_enum};

object! {
    /// A change of a notebook's cell.
    pub struct NotebookEditInput {
        /// The notebook, as an absolute path.
        pub notebook_path: String,
        /// The cell; of a new one, the cell that it comes behind.
        pub cell_id: Option<String>,
        /// What is to be in it.
        pub new_source: String,
        /// What kind of cell it is to be.
        pub cell_type: Option<NotebookCellType>,
        /// What to do; [`NotebookEditMode::Replace`], when absent.
        pub edit_mode: Option<NotebookEditMode>,
    }
}

open_enum! {
    /// What kind of cell it is.
    pub enum NotebookCellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }
}

open_enum! {
    /// What to do with a cell.
    pub enum NotebookEditMode {
        /// Put something else into it.
        Replace = "replace",
        /// Put a new one behind it.
        Insert = "insert",
        /// Take it away.
        Delete = "delete",
    }
}

object! {
    /// What a change of a cell came to.
    pub struct NotebookEditOutput {
        /// What is in the cell.
        pub new_source: Option<String>,
        /// What was in it; absent for a new one.
        pub old_source: Option<String>,
        /// The cell.
        pub cell_id: Option<String>,
        /// What kind of cell it is.
        pub cell_type: Option<NotebookCellType>,
        /// The notebook's programming language.
        pub language: Option<String>,
        /// What was done.
        pub edit_mode: Option<NotebookEditMode>,
        /// Why it failed.
        pub error: Option<String>,
        /// The notebook.
        pub notebook_path: String,
        /// The whole file as it was.
        pub original_file: Option<String>,
        /// The whole file as it is.
        pub updated_file: Option<String>,
    }
}
