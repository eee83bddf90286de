//! Telling the user, being told, and what is offered in the host's own user
//! interface.

use crate::open::{object, open_enum};

object! {
    /// Something to tell the user at once, wherever they are.
    pub struct PushNotificationInput {
        /// What.
        pub message: String,
        /// Whether it was not requested.
        pub status: Option<PushNotificationStatus>,
    }
}

open_enum! {
    /// Whether somebody asked to be told.
    pub enum PushNotificationStatus {
        /// Nobody did.
        Proactive = "proactive",
    }
}

object! {
    /// Whether the user was told.
    pub struct PushNotificationOutput {
        /// What.
        pub message: String,
        /// Whether it went to their phone.
        pub push_sent: Option<bool> = "pushSent",
        /// Whether it was shown where the agent runs.
        pub local_sent: Option<bool> = "localSent",
        /// Why it was not sent.
        pub disabled_reason: Option<PushDisabledReason> = "disabledReason",
        /// When, as ISO 8601. Older agents do not say.
        pub sent_at: Option<String> = "sentAt",
    }
}

open_enum! {
    /// Why the user was not told.
    pub enum PushDisabledReason {
        /// They do not want it.
        ConfigOff = "config_off",
        /// They are here.
        UserPresent = "user_present",
        /// There is no way to.
        NoTransport = "no_transport",
    }
}

object! {
    /// What the session was told.
    pub struct ReadNotificationsOutput {
        /// What.
        pub notifications: Vec<QueuedNotification>,
        /// How much more there is to read.
        pub remaining: Option<u64>,
        /// When it was read, as RFC 3339. Older agents do not say.
        pub read_at: Option<String>,
    }
}

object! {
    /// Something that the session was told.
    pub struct QueuedNotification {
        /// Its id. It may come twice.
        pub notification_id: Option<String>,
        /// What it comes from, such as `github_webhook`.
        pub origin: Option<String>,
        /// When it was sent, as RFC 3339.
        pub queued_at: Option<String>,
        /// What it says.
        pub content: String,
        /// When it came here, as RFC 3339. Older agents do not say.
        pub arrived_at: Option<String>,
    }
}

object! {
    /// What the user chose as their role.
    #[derive(Default)]
    pub struct ShowOnboardingRolePickerOutput {
        /// The role.
        pub role: Option<String>,
        /// Whether they did not choose.
        pub dismissed: Option<bool>,
    }
}

object! {
    /// An offer to set the browser up.
    #[derive(Default)]
    pub struct OfferChromeSetupInput {
        /// What the browser is needed for.
        pub reason: Option<String>,
    }
}

object! {
    /// What became of the offer.
    pub struct OfferChromeSetupOutput {
        /// What.
        pub outcome: ChromeSetupOutcome,
    }
}

open_enum! {
    /// What became of the offer to set the browser up.
    pub enum ChromeSetupOutcome {
        /// The browser is connected.
        Connected = "connected",
        /// The user does not want to, now.
        NotNow = "not_now",
        /// The user has not tried.
        NoAttemptYet = "no_attempt_yet",
    }
}
