//! Artifacts: pages that the model publishes at claude.ai.

mod asset;
mod watch;

pub use asset::*;
pub use watch::*;

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// Something to do with artifacts.
    #[derive(Default)]
    pub struct ArtifactInput {
        /// What to do; [`ArtifactAction::Publish`], when absent.
        pub action: Option<ArtifactAction>,
        /// The file here to publish or to add.
        pub file_path: Option<String>,
        /// The icon. Not used any more.
        pub favicon: Option<String>,
        /// The icon, in a word.
        pub icon: Option<String>,
        /// How many to list at most.
        pub limit: Option<u64>,
        /// Where the last page of a list ended.
        pub page_token: Option<String>,
        /// Whose to list; the user's own, when absent.
        pub scope: Option<ArtifactScope>,
        /// The title, when the page has none.
        pub title: Option<String>,
        /// What it is, in a sentence.
        pub description: Option<String>,
        /// What this version of it is, in a few words.
        pub label: Option<String>,
        /// The artifact that is meant; publishing without one makes a new one.
        pub url: Option<String>,
        /// What is wanted of somebody else's.
        pub prompt: Option<String>,
        /// Whether a version that somebody else published meanwhile is lost.
        pub force: Option<bool>,
        /// Whether the user has it at hand from now on.
        pub pin: Option<bool>,
        /// The folder here that a file of it is put into.
        pub out_dir: Option<String>,
        /// The files here to add, several at once.
        pub file_paths: Option<Vec<String>>,
        /// The file of it that is meant.
        pub asset_id: Option<String>,
        /// Where the last page of its files ended.
        pub after: Option<String>,
        /// What the page can do, an object: settings by name.
        pub capabilities: Option<Json>,
        /// The version of what it runs on; `latest` is the newest one.
        pub contract: Option<String>,
    }
}

open_enum! {
    /// What to do with artifacts.
    pub enum ArtifactAction {
        /// Publish one, or a new version of one.
        Publish = "publish",
        /// List them.
        List = "list",
        /// Read one.
        Read = "read",
        /// List what they can be made from.
        ListTypes = "list_types",
        /// Be told of new versions of one.
        Watch = "watch",
        /// Not be told any more.
        Unwatch = "unwatch",
        /// Say which are watched.
        Status = "status",
        /// Add a file to one.
        UploadAsset = "upload_asset",
        /// List the files of one.
        ListAssets = "list_assets",
        /// Read a file of one.
        ReadAsset = "read_asset",
        /// Delete a file of one.
        DeleteAsset = "delete_asset",
        /// Have one at hand.
        Pin = "pin",
        /// Not have it at hand any more.
        Unpin = "unpin",
    }
}

open_enum! {
    /// Whose artifacts are listed.
    pub enum ArtifactScope {
        /// The user's own.
        Mine = "mine",
        /// Those that others share with the user.
        Shared = "shared",
        /// Both.
        All = "all",
    }
}

object! {
    /// What came of it. Nothing on the wire says what was done: it is the
    /// member that is there. Besides `read`, `watch`, `unwatch`, `watches`,
    /// the members that begin with `asset`, and `pin`, those are `artifacts`
    /// when they were listed and `path` when one was published.
    #[derive(Default)]
    pub struct ArtifactOutput {
        /// Where it was published.
        pub url: Option<String>,
        /// The file here that was published.
        pub path: Option<String>,
        /// Its id.
        pub artifact_id: Option<String>,
        /// Its title.
        pub title: Option<String>,
        /// The version that was published.
        pub version: Option<String>,
        /// What it can do.
        pub capabilities: Option<Json>,
        /// What is known of how it is kept.
        pub stored: Option<ArtifactStored>,
        /// What might go wrong.
        pub warnings: Option<Vec<String>>,
        /// How many more times one may be published.
        pub publishes_remaining: Option<u64> = "publishesRemaining",
        /// When that begins anew, in milliseconds since 1970.
        pub publishes_reset_at: Option<Number> = "publishesResetAt",
        /// The version of what it runs on.
        pub contract: Option<String>,
        /// Whether there was one before.
        pub updated: Option<bool>,
        /// Whether it is the user's own.
        pub owned: Option<bool>,
        /// Its icon.
        pub icon: Option<String>,
        /// Whether the model named an icon in the old way.
        pub favicon_sent: Option<bool> = "faviconSent",
        /// Whether the icon was not taken.
        pub icon_dropped: Option<bool> = "iconDropped",
        /// Who can see it.
        pub audience: Option<String>,
        /// Who else can see the folder that it is in.
        pub folder_audience: Option<ArtifactFolderAudience>,
        /// The number of the version.
        pub seq: Option<u64>,
        /// Whether it is as it was.
        pub unchanged: Option<bool>,
        /// How the session is told of new versions.
        pub live_subscription: Option<String> = "liveSubscription",
        /// Whether the user has it at hand.
        pub pinned: Option<bool>,
        /// Those that were listed.
        pub artifacts: Option<Vec<ListedArtifact>>,
        /// Whether there are more.
        pub truncated: Option<bool>,
        /// How many there are.
        pub total: Option<u64>,
        /// Whether there are at least so many.
        pub total_at_least: Option<bool>,
        /// Where the list goes on.
        pub next_page_token: Option<String>,
        /// Whether some can be had at hand.
        pub pins_enabled: Option<bool>,
        /// Whose were listed.
        pub scope: Option<ArtifactScope>,
        /// Whether those from outside are among them.
        pub external_listed: Option<bool>,
        /// What was read.
        pub read: Option<ArtifactPage>,
        /// The version that was read.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
        /// Whether one is watched.
        pub watch: Option<ArtifactWatchReceipt>,
        /// The one that is not watched any more.
        pub unwatch: Option<ArtifactUnwatched>,
        /// Those that are watched.
        pub watches: Option<Vec<ArtifactWatch>>,
        /// The one that was asked about.
        pub filter_url: Option<String>,
        /// How the watching goes.
        pub arms: Option<Vec<ArtifactArm>>,
        /// The one whose files changed.
        pub written: Option<ArtifactLink>,
        /// The file that was added.
        pub asset_upload: Option<AssetUpload>,
        /// The files that were added.
        pub asset_uploads: Option<AssetUploads>,
        /// The files that it has.
        pub asset_list: Option<AssetList>,
        /// The file that was read.
        pub asset_read: Option<AssetRead>,
        /// The file that was deleted.
        pub asset_delete: Option<AssetDeleted>,
        /// Whether the user has it at hand.
        pub pin: Option<ArtifactPin>,
    }
}

object! {
    /// How an artifact is kept.
    #[derive(Default)]
    pub struct ArtifactStored {
        /// The version of what it runs on.
        pub contract: Option<String>,
        /// The version that would be better.
        pub preferred_contract: Option<String> = "preferredContract",
        /// What it can do, an object: settings by name.
        pub capabilities: Option<Json>,
        /// Whether that is as it was.
        pub carried: Option<bool>,
        /// Whether it could be looked up.
        pub read: Option<String>,
    }
}

open_enum! {
    /// Who else can see the folder of an artifact.
    pub enum ArtifactFolderAudience {
        /// Others can.
        Others = "others",
        /// It is not known.
        Undetermined = "unknown",
    }
}

object! {
    /// An artifact in a list.
    pub struct ListedArtifact {
        /// Its title.
        pub title: Option<String>,
        /// Where it is.
        pub url: String,
        /// Its icon.
        pub favicon: Option<String>,
        /// When it was changed.
        pub updated_at: Option<String> = "updatedAt",
        /// Whose it is.
        pub rel: Option<ArtifactScope>,
        /// Whether it comes from outside.
        pub external: Option<bool>,
        /// What the user may do with it.
        pub role: Option<ArtifactRole>,
        /// Whether people from outside may have written in it.
        pub outsiders_may_have_written: Option<bool> = "outsidersMayHaveWritten",
        /// Whether the user has it at hand.
        pub pinned: Option<bool>,
    }
}

open_enum! {
    /// What a user may do with an artifact.
    pub enum ArtifactRole {
        /// Change it.
        Editor = "editor",
        /// Say something about it.
        Commenter = "commenter",
        /// Read it.
        Reader = "reader",
        /// Look at it.
        Viewer = "viewer",
    }
}

object! {
    /// What is in an artifact.
    pub struct ArtifactPage {
        /// Where it is.
        pub url: String,
        /// Its bytes.
        pub bytes: Option<u64>,
        /// The status code of HTTP.
        pub code: Option<u64>,
        /// The status code in words.
        pub code_text: Option<String> = "codeText",
        /// What is in it, or what a model made of that.
        pub result: String,
        /// Milliseconds that it took.
        pub duration_ms: Option<Number> = "durationMs",
        /// Its title.
        pub title: Option<String>,
    }
}

object! {
    /// The version of an artifact that counts as read now.
    pub struct ArtifactRead {
        /// The artifact.
        pub slug: String,
        /// The version.
        pub ver: Option<String>,
        /// `false`, when it does not count as what the model builds on.
        pub seeded: Option<bool>,
    }
}

object! {
    /// An artifact.
    pub struct ArtifactLink {
        /// Where it is.
        pub url: String,
    }
}

object! {
    /// Whether a user has an artifact at hand.
    pub struct ArtifactPin {
        /// What was done.
        pub action: Option<ArtifactAction>,
        /// Where it is.
        pub url: String,
        /// Whether they have it at hand.
        pub pinned: Option<bool>,
        /// Its title.
        pub title: Option<String>,
    }
}
