//! Projects at claude.ai, with their documents and memory, and designs.

use crate::json::Json;
use crate::open::{object, open_enum, union};

object! {
    /// The input of the projects tool.
    pub struct ProjectsInput {
        /// The operation.
        pub method: ProjectMethod,
        /// The path of the document or memory file.
        pub path: Option<String>,
        /// The new content of the document.
        pub content: Option<String>,
        /// The local file with the new content.
        pub local_path: Option<String>,
        /// Whether to present the document to the user.
        pub present_to_user: Option<bool>,
        /// The search query.
        pub query: Option<String>,
        /// The maximum number of search results.
        pub n: Option<u64>,
    }
}

open_enum! {
    /// An operation on a project.
    pub enum ProjectMethod {
        /// Describe the project.
        Info = "project_info",
        /// Read a document.
        Read = "project_read",
        /// Search the documents.
        Search = "project_search",
        /// Write a document.
        Write = "project_write",
        /// Delete a document.
        Delete = "project_delete",
        /// List the memory files.
        MemoryList = "project_memory_list",
        /// Read a memory file.
        MemoryRead = "project_memory_read",
    }
}

union! {
    /// The output of the projects tool.
    pub enum ProjectsOutput by "method" {
        /// A description of the project.
        "project_info" => Info(ProjectInfo),
        /// A document.
        "project_read" => Read(ProjectDocument),
        /// Search results.
        "project_search" => Search(ProjectSearch),
        /// The result of writing a document.
        "project_write" => Write(ProjectWritten),
        /// The result of deleting a document.
        "project_delete" => Delete(ProjectDeleted),
        /// The memory files.
        "project_memory_list" => MemoryList(ProjectMemoryList),
        /// A memory file.
        "project_memory_read" => MemoryRead(ProjectMemoryFile),
    }
}

object! {
    /// A description of a project.
    pub struct ProjectInfo tags("method" = "project_info") {
        /// A notice.
        pub notice: Option<String>,
        /// A local file with the full output, if it is long.
        pub local_file: Option<String>,
        /// The name.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The instructions for the model.
        pub instructions: Option<String>,
        /// The documents.
        pub docs: Option<Vec<ProjectDoc>>,
        /// The files.
        pub files: Option<Vec<ProjectFile>>,
        /// The sources that are synced into the project.
        pub sync_sources: Option<Vec<ProjectSyncSource>>,
        /// The size of the project's knowledge.
        pub knowledge: Option<ProjectKnowledge>,
    }
}

object! {
    /// A document of a project.
    pub struct ProjectDoc {
        /// The path of the document.
        pub path: String,
        /// The creation time. `None` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// A file of a project.
    pub struct ProjectFile {
        /// The path of the file.
        pub path: String,
        /// The kind of file.
        pub file_kind: Option<String>,
        /// The creation time. `None` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// A source that is synced into a project.
    #[derive(Default)]
    pub struct ProjectSyncSource {
        /// The kind of source.
        pub kind: Option<String> = "type",
        /// The configuration, an object.
        pub config: Option<Json>,
    }
}

object! {
    /// The size of a project's knowledge.
    #[derive(Default)]
    pub struct ProjectKnowledge {
        /// The current size.
        pub knowledge_size: Option<u64>,
        /// The maximum size.
        pub max_knowledge_size: Option<u64>,
    }
}

object! {
    /// A document of a project, with its content.
    pub struct ProjectDocument tags("method" = "project_read") {
        /// A notice.
        pub notice: Option<String>,
        /// The path of the document.
        pub path: String,
        /// The kind of file.
        pub file_kind: Option<String>,
        /// The content.
        pub content: Option<String>,
        /// A local file with the content, if it is large.
        pub local_file: Option<String>,
        /// The creation time. `None` if unknown.
        pub created_at: Option<String>,
    }
}

object! {
    /// The results of a search in a project.
    #[derive(Default)]
    pub struct ProjectSearch tags("method" = "project_search") {
        /// A notice.
        pub notice: Option<String>,
        /// Whether this was a semantic search. Otherwise the documents are
        /// listed.
        pub rag: Option<bool>,
        /// The matches.
        pub hits: Option<Vec<ProjectHit>>,
        /// The documents.
        pub docs: Option<Vec<String>>,
    }
}

object! {
    /// A match in a project.
    #[derive(Default)]
    pub struct ProjectHit {
        /// The name of the document.
        pub name: Option<String>,
        /// The ID of the document.
        pub doc_uuid: Option<String>,
        /// The text of the match.
        pub text: Option<String>,
        /// Whether an image is attached.
        pub image_attached: Option<bool>,
        /// The page number, starting at 1.
        pub page: Option<u64>,
    }
}

object! {
    /// The result of writing a document.
    pub struct ProjectWritten tags("method" = "project_write") {
        /// A notice.
        pub notice: Option<String>,
        /// The path of the document.
        pub path: String,
        /// The ID of the document.
        pub doc_uuid: Option<String>,
        /// Whether an existing document was replaced.
        pub replaced: Option<bool>,
        /// Whether the document is presented to the user.
        pub present_to_user: Option<bool>,
        /// The local file with the content.
        pub local_path: Option<String>,
    }
}

object! {
    /// The result of deleting a document.
    pub struct ProjectDeleted tags("method" = "project_delete") {
        /// A notice.
        pub notice: Option<String>,
        /// The path of the document.
        pub path: String,
        /// Whether the document was deleted.
        pub deleted: Option<bool>,
    }
}

object! {
    /// The memory files of a project.
    pub struct ProjectMemoryList tags("method" = "project_memory_list") {
        /// A notice.
        pub notice: Option<String>,
        /// The files.
        pub files: Vec<ProjectMemoryEntry>,
        /// Whether the list is truncated.
        pub truncated: Option<bool>,
    }
}

object! {
    /// A memory file in a list.
    pub struct ProjectMemoryEntry {
        /// The path of the file.
        pub path: String,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The time of the last change. `None` if unknown.
        pub updated_at: Option<String>,
        /// Whether the file is truncated when read.
        pub truncated: Option<bool>,
    }
}

object! {
    /// A memory file of a project, with its content.
    pub struct ProjectMemoryFile tags("method" = "project_memory_read") {
        /// A notice.
        pub notice: Option<String>,
        /// The path of the file.
        pub path: String,
        /// The content.
        pub content: Option<String>,
        /// A local file with the content, if it is large.
        pub local_file: Option<String>,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The time of the last change. `None` if unknown.
        pub updated_at: Option<String>,
        /// Whether the content was truncated.
        pub truncated: Option<bool>,
    }
}

object! {
    /// The input of the design tool.
    pub struct ClaudeDesignInput {
        /// The operation. `list` returns the available operations.
        pub operation: String,
        /// The arguments of the operation, an object.
        pub arguments: Option<Json>,
    }
}

object! {
    /// The output of the design tool.
    pub struct ClaudeDesignOutput {
        /// The operation.
        pub operation: String,
        /// The result, as MCP content blocks.
        pub content: Vec<Json>,
        /// Whether the operation failed.
        pub is_error: Option<bool> = "isError",
    }
}
