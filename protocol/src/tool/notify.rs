//! Notifications to the user and to the session, and offers in the host's user
//! interface.

use crate::open::{object, open_enum};

object! {
    /// The input of `PushNotification`, which notifies the user on any device.
    pub struct PushNotificationInput {
        /// The message.
        pub message: String,
        /// Whether the user requested the notification.
        pub status: Option<PushNotificationStatus>,
    }
}

open_enum! {
    /// Whether the user requested a notification.
    pub enum PushNotificationStatus {
        /// The notification was not requested. The model sends it on its own
        /// initiative.
        Proactive = "proactive",
    }
}

object! {
    /// The output of `PushNotification`.
    pub struct PushNotificationOutput {
        /// The message.
        pub message: String,
        /// Whether the notification was sent to the user's phone.
        pub push_sent: Option<bool> = "pushSent",
        /// Whether the notification was shown on the agent's machine.
        pub local_sent: Option<bool> = "localSent",
        /// The reason why the notification was not sent.
        pub disabled_reason: Option<PushDisabledReason> = "disabledReason",
        /// The time when the notification was sent, as ISO 8601. Older agents
        /// omit it.
        pub sent_at: Option<String> = "sentAt",
    }
}

open_enum! {
    /// The reason why a notification was not sent.
    pub enum PushDisabledReason {
        /// The user has disabled notifications.
        ConfigOff = "config_off",
        /// The user is present.
        UserPresent = "user_present",
        /// No transport is available.
        NoTransport = "no_transport",
    }
}

object! {
    /// The output of `ReadNotifications`.
    pub struct ReadNotificationsOutput {
        /// The notifications.
        pub notifications: Vec<QueuedNotification>,
        /// The number of unread notifications that remain.
        pub remaining: Option<u64>,
        /// The time of reading, as RFC 3339. Older agents omit it.
        pub read_at: Option<String>,
    }
}

object! {
    /// A notification to the session.
    pub struct QueuedNotification {
        /// The ID. The same notification may be delivered twice.
        pub notification_id: Option<String>,
        /// The origin, such as `github_webhook`.
        pub origin: Option<String>,
        /// The time when the notification was sent, as RFC 3339.
        pub queued_at: Option<String>,
        /// The content.
        pub content: String,
        /// The time when the notification arrived, as RFC 3339. Older agents
        /// omit it.
        pub arrived_at: Option<String>,
    }
}

object! {
    /// The output of `ShowOnboardingRolePicker`.
    #[derive(Default)]
    pub struct ShowOnboardingRolePickerOutput {
        /// The chosen role.
        pub role: Option<String>,
        /// Whether the user dismissed the picker.
        pub dismissed: Option<bool>,
    }
}

object! {
    /// The input of `OfferChromeSetup`, which offers to set up the browser.
    #[derive(Default)]
    pub struct OfferChromeSetupInput {
        /// The reason why the browser is needed.
        pub reason: Option<String>,
    }
}

object! {
    /// The output of `OfferChromeSetup`.
    pub struct OfferChromeSetupOutput {
        /// The outcome.
        pub outcome: ChromeSetupOutcome,
    }
}

open_enum! {
    /// The outcome of the offer to set up the browser.
    pub enum ChromeSetupOutcome {
        /// The browser is connected.
        Connected = "connected",
        /// The user declined for now.
        NotNow = "not_now",
        /// The user has not tried to set up the browser yet.
        NoAttemptYet = "no_attempt_yet",
    }
}
