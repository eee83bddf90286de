//! Tools that access resources of MCP servers, and refresh their tool lists. A
//! server defines the input and output of its own tools.

use crate::open::{object, open_enum};

object! {
    /// The input of `ListMcpResources`.
    #[derive(Default)]
    pub struct ListMcpResourcesInput {
        /// The name of the server. By default, all servers.
        pub server: Option<String>,
    }
}

object! {
    /// A resource of an MCP server.
    pub struct ListedMcpResource {
        /// The URI.
        pub uri: String,
        /// The name.
        pub name: Option<String>,
        /// The MIME type, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// The description.
        pub description: Option<String>,
        /// The name of the server.
        pub server: String,
    }
}

object! {
    /// The input of `ReadMcpResourceDir`.
    pub struct ReadMcpResourceDirInput {
        /// The name of the server.
        pub server: String,
        /// The URI of the directory.
        pub uri: String,
    }
}

object! {
    /// The output of `ReadMcpResourceDir`.
    pub struct ReadMcpResourceDirOutput {
        /// The entries, without those of subdirectories.
        pub resources: Vec<McpDirEntry>,
        /// The reason for a failure.
        pub error: Option<String>,
    }
}

object! {
    /// An entry in a directory of an MCP server.
    pub struct McpDirEntry {
        /// The URI.
        pub uri: String,
        /// The name.
        pub name: Option<String>,
        /// The MIME type. `inode/directory` for a directory.
        pub mime_type: Option<String> = "mimeType",
    }
}

object! {
    /// The input of `ReadMcpResource`.
    pub struct ReadMcpResourceInput {
        /// The name of the server.
        pub server: String,
        /// The URI of the resource.
        pub uri: String,
    }
}

object! {
    /// The output of `ReadMcpResource`.
    pub struct ReadMcpResourceOutput {
        /// The parts of the resource.
        pub contents: Vec<ReadMcpResourceContent>,
        /// The reason for a failure.
        pub error: Option<String>,
    }
}

object! {
    /// A part of a resource: text, or binary data that was saved to a file.
    pub struct ReadMcpResourceContent {
        /// The URI.
        pub uri: String,
        /// The MIME type, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// The text.
        pub text: Option<String>,
        /// The path of the file with the binary data.
        pub blob_saved_to: Option<String> = "blobSavedTo",
    }
}

object! {
    /// The input of `RefreshMcpTools`.
    #[derive(Default)]
    pub struct RefreshMcpToolsInput {
        /// The name of the server. By default, all connected servers.
        pub server: Option<String>,
    }
}

object! {
    /// The result of refreshing a server's tool list.
    pub struct RefreshedMcpTools {
        /// The name of the server.
        pub server: String,
        /// The status.
        pub status: McpRefreshStatus,
        /// The number of tools.
        pub tool_count: Option<u64> = "toolCount",
        /// The tools that were added.
        pub added: Option<Vec<String>>,
        /// The tools that were removed.
        pub removed: Option<Vec<String>>,
        /// The reason for a failure.
        pub error: Option<String>,
    }
}

open_enum! {
    /// The status of refreshing a server's tool list.
    pub enum McpRefreshStatus {
        /// The list was refreshed.
        Refreshed = "refreshed",
        /// The server failed. The tools are unchanged.
        Error = "error",
        /// The server is not connected.
        NotConnected = "not_connected",
    }
}
