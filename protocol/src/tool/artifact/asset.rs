//! The files of artifacts.

use crate::open::{object, open_enum};

object! {
    /// A file that was added.
    pub struct AssetUpload {
        /// Its id.
        pub id: String,
        /// Where it is.
        pub url: String,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// What it is, such as `image/png`.
        pub content_type: Option<String>,
        /// Its checksum.
        pub sha256: Option<String>,
        /// Its name.
        pub file_name: Option<String>,
    }
}

object! {
    /// Files that were added, or were not.
    pub struct AssetUploads {
        /// Where the artifact is.
        pub url: String,
        /// What became of each.
        pub results: Vec<AssetUploadResult>,
    }
}

object! {
    /// What became of a file that was to be added: where it is, or why it is
    /// not. `status` says which members there are.
    pub struct AssetUploadResult {
        /// The file here.
        pub file_path: String,
        /// Whether it was added.
        pub status: AssetStatus,
        /// Its id.
        pub id: Option<String>,
        /// Where it is.
        pub url: Option<String>,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// What it is, such as `image/png`.
        pub content_type: Option<String>,
        /// Its checksum.
        pub sha256: Option<String>,
        /// Its name.
        pub file_name: Option<String>,
        /// Why it was not added, in a word.
        pub reason: Option<String>,
        /// Why it was not added, for people to read.
        pub message: Option<String>,
        /// Whether it may be there all the same.
        pub may_be_stored: Option<bool>,
    }
}

open_enum! {
    /// Whether a file was added.
    pub enum AssetStatus {
        /// It was.
        Uploaded = "uploaded",
        /// It could not be.
        Failed = "failed",
        /// Another one failed before.
        NotAttempted = "not_attempted",
    }
}

object! {
    /// The files that an artifact has.
    pub struct AssetList {
        /// Where the artifact is.
        pub url: Option<String>,
        /// The files.
        pub assets: Vec<Asset>,
        /// How much room they take.
        pub usage: Option<AssetStoreUsage>,
        /// Where the list goes on.
        pub next: Option<String>,
        /// Whether others may have added some.
        pub cowritten: Option<bool>,
        /// Whether people from outside may have.
        pub outside_writer: Option<bool>,
    }
}

object! {
    /// A file of an artifact.
    pub struct Asset {
        /// Its id.
        pub id: String,
        /// Where it is.
        pub url: Option<String>,
        /// What it is, such as `image/png`.
        pub content_type: Option<String>,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// Its checksum.
        pub sha256: Option<String>,
        /// When it was added.
        pub created_at: Option<String>,
    }
}

object! {
    /// How much room the files of an artifact take.
    #[derive(Default)]
    pub struct AssetStoreUsage {
        /// How many there are.
        pub files: Option<u64>,
        /// Their bytes.
        pub bytes: Option<u64>,
        /// How many there may be.
        pub max_files: Option<u64>,
        /// How many bytes there may be.
        pub max_bytes: Option<u64>,
    }
}

object! {
    /// A file of an artifact, put into one here.
    pub struct AssetRead {
        /// Its id.
        pub id: String,
        /// The file here.
        pub path: String,
        /// Its bytes.
        pub size_bytes: Option<u64>,
        /// What it is, such as `image/png`.
        pub content_type: Option<String>,
        /// Its checksum.
        pub sha256: Option<String>,
        /// Whether others may have added it.
        pub cowritten: Option<bool>,
        /// Whether people from outside may have.
        pub outside_writer: Option<bool>,
        /// Whether everybody can read it.
        pub public_read: Option<bool>,
        /// Whether it is somebody else's.
        pub foreign: Option<bool>,
    }
}

object! {
    /// A file that was deleted.
    pub struct AssetDeleted {
        /// Its id.
        pub id: String,
        /// Whether it was.
        pub deleted: Option<bool>,
    }
}
