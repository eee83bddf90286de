//! Projects at claude.ai, with their documents and their memory, and designs
//! there.

use crate::json::Json;
use crate::open::{object, open_enum, union};

object! {
    /// Something to do with the project.
    pub struct ProjectsInput {
        /// What to do.
        pub method: ProjectMethod,
        /// The document, or the file of memory.
        pub path: Option<String>,
        /// What is to be in it.
        pub content: Option<String>,
        /// The file here whose text is to be in it.
        pub local_path: Option<String>,
        /// Whether the user is to see it.
        pub present_to_user: Option<bool>,
        /// What to look for.
        pub query: Option<String>,
        /// How much to find at most.
        pub n: Option<u64>,
    }
}

open_enum! {
    /// What to do with a project.
    pub enum ProjectMethod {
        /// Say what it is and has.
        Info = "project_info",
        /// Read a document.
        Read = "project_read",
        /// Look for something in the documents.
        Search = "project_search",
        /// Write a document.
        Write = "project_write",
        /// Delete a document.
        Delete = "project_delete",
        /// List the files of its memory.
        MemoryList = "project_memory_list",
        /// Read a file of its memory.
        MemoryRead = "project_memory_read",
    }
}

union! {
    /// What came of it.
    pub enum ProjectsOutput by "method" {
        /// What the project is and has.
        "project_info" => Info(ProjectInfo),
        /// A document.
        "project_read" => Read(ProjectDocument),
        /// What was found.
        "project_search" => Search(ProjectSearch),
        /// A document was written.
        "project_write" => Write(ProjectWritten),
        /// A document was deleted.
        "project_delete" => Delete(ProjectDeleted),
        /// The files of the memory.
        "project_memory_list" => MemoryList(ProjectMemoryList),
        /// A file of the memory.
        "project_memory_read" => MemoryRead(ProjectMemoryFile),
    }
}

object! {
    /// What a project is and has.
    pub struct ProjectInfo tags("method" = "project_info") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The file here that has all of it, when it is long.
        pub local_file: Option<String>,
        /// Its name.
        pub name: String,
        /// What it is for.
        pub description: Option<String>,
        /// What the model is told in it.
        pub instructions: Option<String>,
        /// Its documents.
        pub docs: Option<Vec<ProjectDoc>>,
        /// Its files.
        pub files: Option<Vec<ProjectFile>>,
        /// Where more comes from.
        pub sync_sources: Option<Vec<ProjectSyncSource>>,
        /// How full it is.
        pub knowledge: Option<ProjectKnowledge>,
    }
}

object! {
    /// A document of a project.
    pub struct ProjectDoc {
        /// The document.
        pub path: String,
        /// When it was made; `null` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// A file of a project.
    pub struct ProjectFile {
        /// The file.
        pub path: String,
        /// What kind of file it is.
        pub file_kind: Option<String>,
        /// When it was made; `null` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// Where more of a project comes from.
    #[derive(Default)]
    pub struct ProjectSyncSource {
        /// What kind of place it is.
        pub kind: Option<String> = "type",
        /// Which place it is, an object.
        pub config: Option<Json>,
    }
}

object! {
    /// How full a project is.
    #[derive(Default)]
    pub struct ProjectKnowledge {
        /// How much is in it.
        pub knowledge_size: Option<u64>,
        /// How much there is room for.
        pub max_knowledge_size: Option<u64>,
    }
}

object! {
    /// What is in a document of a project.
    pub struct ProjectDocument tags("method" = "project_read") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The document.
        pub path: String,
        /// What kind of file it is.
        pub file_kind: Option<String>,
        /// What is in it.
        pub content: Option<String>,
        /// The file here that it was put into, when it is large.
        pub local_file: Option<String>,
        /// When it was made; `null` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// What was found in a project.
    #[derive(Default)]
    pub struct ProjectSearch tags("method" = "project_search") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// Whether it was looked for by meaning; otherwise the documents are
        /// listed.
        pub rag: Option<bool>,
        /// What was found.
        pub hits: Option<Vec<ProjectHit>>,
        /// The documents.
        pub docs: Option<Vec<String>>,
    }
}

object! {
    /// Something that was found in a project.
    #[derive(Default)]
    pub struct ProjectHit {
        /// The document's name.
        pub name: Option<String>,
        /// The document's id.
        pub doc_uuid: Option<String>,
        /// The text.
        pub text: Option<String>,
        /// Whether there is an image with it.
        pub image_attached: Option<bool>,
        /// The page, counted from 1.
        pub page: Option<u64>,
    }
}

object! {
    /// A document was written.
    pub struct ProjectWritten tags("method" = "project_write") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The document.
        pub path: String,
        /// Its id.
        pub doc_uuid: Option<String>,
        /// Whether there was one before.
        pub replaced: Option<bool>,
        /// Whether the user is to see it.
        pub present_to_user: Option<bool>,
        /// The file here that its text comes from.
        pub local_path: Option<String>,
    }
}

object! {
    /// A document was deleted.
    pub struct ProjectDeleted tags("method" = "project_delete") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The document.
        pub path: String,
        /// Whether it was.
        pub deleted: Option<bool>,
    }
}

object! {
    /// The files of a project's memory.
    pub struct ProjectMemoryList tags("method" = "project_memory_list") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The files.
        pub files: Vec<ProjectMemoryEntry>,
        /// Whether there are more.
        pub truncated: Option<bool>,
    }
}

object! {
    /// A file in a project's memory.
    pub struct ProjectMemoryEntry {
        /// The file.
        pub path: String,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// When it was changed; `null` if unknown.
        pub updated_at: Option<String>,
        /// Whether it is cut off when it is read.
        pub truncated: Option<bool>,
    }
}

object! {
    /// What is in a file of a project's memory.
    pub struct ProjectMemoryFile tags("method" = "project_memory_read") {
        /// Something to know besides.
        pub notice: Option<String>,
        /// The file.
        pub path: String,
        /// What is in it.
        pub content: Option<String>,
        /// The file here that it was put into, when it is large.
        pub local_file: Option<String>,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// When it was changed; `null` if unknown.
        pub updated_at: Option<String>,
        /// Whether it was cut off.
        pub truncated: Option<bool>,
    }
}

object! {
    /// Something to do with designs.
    pub struct ClaudeDesignInput {
        /// What to do; `list` says what there is.
        pub operation: String,
        /// With what, an object.
        pub arguments: Option<Json>,
    }
}

object! {
    /// What came of it.
    pub struct ClaudeDesignOutput {
        /// What was done.
        pub operation: String,
        /// The answer, in blocks as MCP has them.
        pub content: Vec<Json>,
        /// Whether it failed.
        pub is_error: Option<bool> = "isError",
    }
}
