//! Artifacts: pages that the model publishes at claude.ai.

mod asset;
mod watch;

pub use asset::*;
pub use watch::*;

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// The input of the artifact tool.
    #[derive(Default)]
    pub struct ArtifactInput {
        /// The operation. Default: [`ArtifactAction::Publish`].
        pub action: Option<ArtifactAction>,
        /// The local file to publish or to add.
        pub file_path: Option<String>,
        /// The icon. No longer used.
        pub favicon: Option<String>,
        /// The name of the icon, a word.
        pub icon: Option<String>,
        /// The maximum number of artifacts to list.
        pub limit: Option<u64>,
        /// The cursor of the next page of the list.
        pub page_token: Option<String>,
        /// The owners of the artifacts to list. By default, only the user.
        pub scope: Option<ArtifactScope>,
        /// The title, if the page has none.
        pub title: Option<String>,
        /// The description, one sentence.
        pub description: Option<String>,
        /// A short description of this version.
        pub label: Option<String>,
        /// The URL of the artifact. Publishing without a URL creates a new one.
        pub url: Option<String>,
        /// The prompt about another user's artifact.
        pub prompt: Option<String>,
        /// Whether to overwrite a version that another user has published
        /// since.
        pub force: Option<bool>,
        /// Whether to pin the artifact for the user.
        pub pin: Option<bool>,
        /// The local folder to download a file of the artifact to.
        pub out_dir: Option<String>,
        /// The local files to add, if there are several.
        pub file_paths: Option<Vec<String>>,
        /// The ID of the file in the artifact.
        pub asset_id: Option<String>,
        /// The cursor of the next page of the files.
        pub after: Option<String>,
        /// The capabilities of the page, as an object with settings by name.
        pub capabilities: Option<Json>,
        /// The version of the page's runtime. `latest` is the newest.
        pub contract: Option<String>,
    }
}

open_enum! {
    /// An operation on artifacts.
    pub enum ArtifactAction {
        /// Publish an artifact, or a new version of an artifact.
        Publish = "publish",
        /// List artifacts.
        List = "list",
        /// Read an artifact.
        Read = "read",
        /// List the types of artifacts.
        ListTypes = "list_types",
        /// Subscribe to new versions of an artifact.
        Watch = "watch",
        /// Cancel the subscription to new versions of an artifact.
        Unwatch = "unwatch",
        /// List the watched artifacts.
        Status = "status",
        /// Add a file to an artifact.
        UploadAsset = "upload_asset",
        /// List the files of an artifact.
        ListAssets = "list_assets",
        /// Read a file of an artifact.
        ReadAsset = "read_asset",
        /// Delete a file of an artifact.
        DeleteAsset = "delete_asset",
        /// Pin an artifact.
        Pin = "pin",
        /// Unpin an artifact.
        Unpin = "unpin",
    }
}

open_enum! {
    /// The owners of the listed artifacts.
    pub enum ArtifactScope {
        /// The user's own artifacts.
        Mine = "mine",
        /// Artifacts that others share with the user.
        Shared = "shared",
        /// The user's own and shared artifacts.
        All = "all",
    }
}

object! {
    /// The output of the artifact tool. The present members determine the
    /// operation: `read`, `watch`, `unwatch`, `watches`, `pin`, and members
    /// that start with `asset` belong to the operation of that name,
    /// `artifacts` to a list, and `path` to a publication.
    #[derive(Default)]
    pub struct ArtifactOutput {
        /// The URL of the published artifact.
        pub url: Option<String>,
        /// The local file that was published.
        pub path: Option<String>,
        /// The artifact ID.
        pub artifact_id: Option<String>,
        /// The title.
        pub title: Option<String>,
        /// The published version.
        pub version: Option<String>,
        /// The capabilities of the page.
        pub capabilities: Option<Json>,
        /// The stored configuration, as far as known.
        pub stored: Option<ArtifactStored>,
        /// Warnings about the publication.
        pub warnings: Option<Vec<String>>,
        /// The remaining number of publications.
        pub publishes_remaining: Option<u64> = "publishesRemaining",
        /// The time when the number of publications is reset, in milliseconds
        /// since 1970.
        pub publishes_reset_at: Option<Number> = "publishesResetAt",
        /// The version of the page's runtime.
        pub contract: Option<String>,
        /// Whether an existing artifact was updated.
        pub updated: Option<bool>,
        /// Whether the artifact belongs to the user.
        pub owned: Option<bool>,
        /// The icon.
        pub icon: Option<String>,
        /// Whether the model set the icon with the deprecated `favicon`.
        pub favicon_sent: Option<bool> = "faviconSent",
        /// Whether the icon was rejected.
        pub icon_dropped: Option<bool> = "iconDropped",
        /// The audience of the artifact.
        pub audience: Option<String>,
        /// The additional audience of the artifact's folder.
        pub folder_audience: Option<ArtifactFolderAudience>,
        /// The sequence number of the version.
        pub seq: Option<u64>,
        /// Whether the artifact is unchanged.
        pub unchanged: Option<bool>,
        /// How the session is notified of new versions.
        pub live_subscription: Option<String> = "liveSubscription",
        /// Whether the artifact is pinned for the user.
        pub pinned: Option<bool>,
        /// The listed artifacts.
        pub artifacts: Option<Vec<ListedArtifact>>,
        /// Whether the list is truncated.
        pub truncated: Option<bool>,
        /// The total number of artifacts.
        pub total: Option<u64>,
        /// Whether `total` is a lower bound.
        pub total_at_least: Option<bool>,
        /// The cursor of the next page.
        pub next_page_token: Option<String>,
        /// Whether pinning is available.
        pub pins_enabled: Option<bool>,
        /// The owners of the listed artifacts.
        pub scope: Option<ArtifactScope>,
        /// Whether external artifacts are included.
        pub external_listed: Option<bool>,
        /// The content that was read.
        pub read: Option<ArtifactPage>,
        /// The version that was read.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
        /// The result of watching an artifact.
        pub watch: Option<ArtifactWatchReceipt>,
        /// The artifact that is no longer watched.
        pub unwatch: Option<ArtifactUnwatched>,
        /// The watched artifacts.
        pub watches: Option<Vec<ArtifactWatch>>,
        /// The URL of the artifact that the status was requested for.
        pub filter_url: Option<String>,
        /// The state of each watch connection.
        pub arms: Option<Vec<ArtifactArm>>,
        /// The artifact whose files changed.
        pub written: Option<ArtifactLink>,
        /// The file that was added.
        pub asset_upload: Option<AssetUpload>,
        /// The result of adding several files.
        pub asset_uploads: Option<AssetUploads>,
        /// The files of the artifact.
        pub asset_list: Option<AssetList>,
        /// The file that was read.
        pub asset_read: Option<AssetRead>,
        /// The file that was deleted.
        pub asset_delete: Option<AssetDeleted>,
        /// The result of pinning or unpinning.
        pub pin: Option<ArtifactPin>,
    }
}

object! {
    /// The stored configuration of an artifact.
    #[derive(Default)]
    pub struct ArtifactStored {
        /// The version of the page's runtime.
        pub contract: Option<String>,
        /// The recommended version of the page's runtime.
        pub preferred_contract: Option<String> = "preferredContract",
        /// The capabilities, as an object with settings by name.
        pub capabilities: Option<Json>,
        /// Whether the capabilities were carried over unchanged.
        pub carried: Option<bool>,
        /// Whether the configuration could be read.
        pub read: Option<String>,
    }
}

open_enum! {
    /// The additional audience of an artifact's folder.
    pub enum ArtifactFolderAudience {
        /// Other users can see the artifact.
        Others = "others",
        /// The audience is unknown.
        Undetermined = "unknown",
    }
}

object! {
    /// An artifact in a list.
    pub struct ListedArtifact {
        /// The title.
        pub title: Option<String>,
        /// The URL.
        pub url: String,
        /// The icon.
        pub favicon: Option<String>,
        /// The time of the last change.
        pub updated_at: Option<String> = "updatedAt",
        /// The owner of the artifact.
        pub rel: Option<ArtifactScope>,
        /// Whether the artifact is external.
        pub external: Option<bool>,
        /// The user's role.
        pub role: Option<ArtifactRole>,
        /// Whether external users may have edited the artifact.
        pub outsiders_may_have_written: Option<bool> = "outsidersMayHaveWritten",
        /// The kind of the artifact.
        pub listed_kind: Option<String> = "listedKind",
        /// Whether the artifact is pinned for the user.
        pub pinned: Option<bool>,
    }
}

open_enum! {
    /// A user's role for an artifact.
    pub enum ArtifactRole {
        /// The user may edit the artifact.
        Editor = "editor",
        /// The user may comment on the artifact.
        Commenter = "commenter",
        /// The user may read the artifact.
        Reader = "reader",
        /// The user may view the artifact.
        Viewer = "viewer",
    }
}

object! {
    /// The content of an artifact.
    pub struct ArtifactPage {
        /// The URL.
        pub url: String,
        /// The size in bytes.
        pub bytes: Option<u64>,
        /// The HTTP status code.
        pub code: Option<u64>,
        /// The text of the HTTP status.
        pub code_text: Option<String> = "codeText",
        /// The content, or a model's response about it.
        pub result: String,
        /// The duration in milliseconds.
        pub duration_ms: Option<Number> = "durationMs",
        /// The title.
        pub title: Option<String>,
    }
}

object! {
    /// The version of an artifact that now counts as read.
    pub struct ArtifactRead {
        /// The artifact's slug.
        pub slug: String,
        /// The version.
        pub ver: Option<String>,
        /// Whether this version counts as a base for the model's changes.
        pub seeded: Option<bool>,
    }
}

object! {
    /// A link to an artifact.
    pub struct ArtifactLink {
        /// The URL.
        pub url: String,
    }
}

object! {
    /// The result of pinning or unpinning an artifact.
    pub struct ArtifactPin {
        /// The operation.
        pub action: Option<ArtifactAction>,
        /// The URL.
        pub url: String,
        /// Whether the artifact is pinned.
        pub pinned: Option<bool>,
        /// The title.
        pub title: Option<String>,
    }
}
