//! Resources of MCP servers, and their lists of tools. What a tool of a server
//! takes and gives is the server's business.

use crate::open::{object, open_enum};

object! {
    /// Whose resources are wanted.
    #[derive(Default)]
    pub struct ListMcpResourcesInput {
        /// The server; all of them, when absent.
        pub server: Option<String>,
    }
}

object! {
    /// A resource of a server.
    pub struct ListedMcpResource {
        /// Where it is.
        pub uri: String,
        /// Its name.
        pub name: Option<String>,
        /// What it is, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// What it is, in words.
        pub description: Option<String>,
        /// The server.
        pub server: String,
    }
}

object! {
    /// A folder of a server to look into.
    pub struct ReadMcpResourceDirInput {
        /// The server.
        pub server: String,
        /// Where the folder is.
        pub uri: String,
    }
}

object! {
    /// What is in a folder of a server.
    pub struct ReadMcpResourceDirOutput {
        /// What is in it, but not what is in folders in it.
        pub resources: Vec<McpDirEntry>,
        /// Why it could not be looked into.
        pub error: Option<String>,
    }
}

object! {
    /// Something in a folder of a server.
    pub struct McpDirEntry {
        /// Where it is.
        pub uri: String,
        /// Its name.
        pub name: Option<String>,
        /// What it is; `inode/directory` is a folder.
        pub mime_type: Option<String> = "mimeType",
    }
}

object! {
    /// A resource of a server to read.
    pub struct ReadMcpResourceInput {
        /// The server.
        pub server: String,
        /// Where the resource is.
        pub uri: String,
    }
}

object! {
    /// What a resource of a server holds.
    pub struct ReadMcpResourceOutput {
        /// The pieces of it.
        pub contents: Vec<ReadMcpResourceContent>,
        /// Why it could not be read.
        pub error: Option<String>,
    }
}

object! {
    /// A piece of a resource: text, or bytes that were put into a file.
    pub struct ReadMcpResourceContent {
        /// Where it is.
        pub uri: String,
        /// What it is, such as `text/html`.
        pub mime_type: Option<String> = "mimeType",
        /// The text.
        pub text: Option<String>,
        /// The file with the bytes.
        pub blob_saved_to: Option<String> = "blobSavedTo",
    }
}

object! {
    /// Whose tools are to be listed anew.
    #[derive(Default)]
    pub struct RefreshMcpToolsInput {
        /// The server; all that are connected, when absent.
        pub server: Option<String>,
    }
}

object! {
    /// What became of a server's tools.
    pub struct RefreshedMcpTools {
        /// The server.
        pub server: String,
        /// Whether they were listed anew.
        pub status: McpRefreshStatus,
        /// How many there are.
        pub tool_count: Option<u64> = "toolCount",
        /// Tools that came.
        pub added: Option<Vec<String>>,
        /// Tools that went.
        pub removed: Option<Vec<String>>,
        /// Why they were not listed anew.
        pub error: Option<String>,
    }
}

open_enum! {
    /// Whether a server's tools were listed anew.
    pub enum McpRefreshStatus {
        /// They were.
        Refreshed = "refreshed",
        /// The server failed, and the tools are those that were.
        Error = "error",
        /// The server is not connected.
        NotConnected = "not_connected",
    }
}
