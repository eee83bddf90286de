//! The state of a browser, as returned by a browser tool.

use super::CacheControl;
use crate::open::{object, union};

object! {
    /// The state of a browser after a tool call.
    pub struct BrowserStateBlock tags("type" = "browser_state") {
        /// All tabs that are open.
        pub tabs: Vec<BrowserTab>,
        /// Other changes of the browser's state during the call.
        pub state_changes: Option<Vec<BrowserStateChange>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A tab of a browser.
    pub struct BrowserTab {
        /// The tab's id.
        pub tab_id: String,
        /// The title of the tab's page.
        pub title: Option<String>,
        /// The URL of the tab's page.
        pub url: Option<String>,
        /// Whether the tab is in front.
        pub active: Option<bool>,
    }
}

union! {
    /// A change in a browser.
    pub enum BrowserStateChange by "type" {
        /// A tab was opened.
        "tab_opened" => TabOpened(TabOpened),
        /// A download began.
        "download_started" => DownloadStarted(DownloadStarted),
        /// A download was completed.
        "download_completed" => DownloadCompleted(DownloadCompleted),
        /// A download failed.
        "download_failed" => DownloadFailed(DownloadFailed),
    }
}

object! {
    /// A tab was opened.
    pub struct TabOpened tags("type" = "tab_opened") {
        /// The tab's id.
        pub tab_id: String,
    }
}

object! {
    /// A download began.
    pub struct DownloadStarted tags("type" = "download_started") {
        /// The download's id.
        pub download_id: String,
        /// The URL of the downloaded resource.
        pub url: Option<String>,
    }
}

object! {
    /// A download was completed.
    pub struct DownloadCompleted tags("type" = "download_completed") {
        /// The download's id.
        pub download_id: String,
        /// The URL of the downloaded resource.
        pub url: Option<String>,
        /// The path of the downloaded file.
        pub path: Option<String>,
        /// The size of the file in bytes.
        pub size_bytes: Option<u64>,
    }
}

object! {
    /// A download failed.
    pub struct DownloadFailed tags("type" = "download_failed") {
        /// The download's id.
        pub download_id: String,
        /// The URL of the resource.
        pub url: Option<String>,
        /// The reason for the failure.
        pub error: Option<String>,
    }
}
