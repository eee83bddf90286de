//! The files of artifacts.

use crate::open::{object, open_enum};

object! {
    /// A file that was added to an artifact.
    pub struct AssetUpload {
        /// The file ID.
        pub id: String,
        /// The URL.
        pub url: String,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The MIME type, such as `image/png`.
        pub content_type: Option<String>,
        /// The SHA-256 checksum.
        pub sha256: Option<String>,
        /// The file name.
        pub file_name: Option<String>,
    }
}

object! {
    /// The result of adding several files.
    pub struct AssetUploads {
        /// The URL of the artifact.
        pub url: String,
        /// The result for each file.
        pub results: Vec<AssetUploadResult>,
    }
}

object! {
    /// The result of adding one file. It has the location of the file, or the
    /// reason for a failure. `status` determines which members are present.
    pub struct AssetUploadResult {
        /// The path of the local file.
        pub file_path: String,
        /// The status.
        pub status: AssetStatus,
        /// The file ID.
        pub id: Option<String>,
        /// The URL.
        pub url: Option<String>,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The MIME type, such as `image/png`.
        pub content_type: Option<String>,
        /// The SHA-256 checksum.
        pub sha256: Option<String>,
        /// The file name.
        pub file_name: Option<String>,
        /// A code for the reason of a failure.
        pub reason: Option<String>,
        /// A human-readable reason for a failure.
        pub message: Option<String>,
        /// Whether the file may have been stored despite the failure.
        pub may_be_stored: Option<bool>,
    }
}

open_enum! {
    /// The status of adding a file.
    pub enum AssetStatus {
        /// The file was added.
        Uploaded = "uploaded",
        /// The file could not be added.
        Failed = "failed",
        /// The file was not tried, because an earlier file failed.
        NotAttempted = "not_attempted",
    }
}

object! {
    /// The files of an artifact.
    pub struct AssetList {
        /// The URL of the artifact.
        pub url: Option<String>,
        /// The files.
        pub assets: Vec<Asset>,
        /// The storage in use.
        pub usage: Option<AssetStoreUsage>,
        /// The cursor of the next page.
        pub next: Option<String>,
        /// Whether other users may have added files.
        pub cowritten: Option<bool>,
        /// Whether external users may have added files.
        pub outside_writer: Option<bool>,
    }
}

object! {
    /// A file of an artifact.
    pub struct Asset {
        /// The file ID.
        pub id: String,
        /// The URL.
        pub url: Option<String>,
        /// The MIME type, such as `image/png`.
        pub content_type: Option<String>,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The SHA-256 checksum.
        pub sha256: Option<String>,
        /// The time when the file was added.
        pub created_at: Option<String>,
    }
}

object! {
    /// The storage that the files of an artifact use.
    #[derive(Default)]
    pub struct AssetStoreUsage {
        /// The number of files.
        pub files: Option<u64>,
        /// The size in bytes.
        pub bytes: Option<u64>,
        /// The maximum number of files.
        pub max_files: Option<u64>,
        /// The maximum size in bytes.
        pub max_bytes: Option<u64>,
    }
}

object! {
    /// A file of an artifact, downloaded to a local file.
    pub struct AssetRead {
        /// The file ID.
        pub id: String,
        /// The path of the local file.
        pub path: String,
        /// The size in bytes.
        pub size_bytes: Option<u64>,
        /// The MIME type, such as `image/png`.
        pub content_type: Option<String>,
        /// The SHA-256 checksum.
        pub sha256: Option<String>,
        /// Whether another user may have added the file.
        pub cowritten: Option<bool>,
        /// Whether an external user may have added the file.
        pub outside_writer: Option<bool>,
        /// Whether the file is publicly readable.
        pub public_read: Option<bool>,
        /// Whether the file belongs to another user.
        pub foreign: Option<bool>,
    }
}

object! {
    /// The result of deleting a file.
    pub struct AssetDeleted {
        /// The file ID.
        pub id: String,
        /// Whether the file was deleted.
        pub deleted: Option<bool>,
    }
}
