//! Rate limits: the usage of a plan.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// The usage of the plan's rate limits.
    pub struct RateLimitEvent: tolerant tags("type" = "rate_limit_event") {
        /// The most relevant limit.
        pub rate_limit_info: RateLimitInfo,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A rate limit and its usage.
    pub struct RateLimitInfo {
        /// Whether requests are accepted.
        pub status: RateLimitStatus,
        /// The time when the limit resets, as a Unix time.
        pub resets_at: Option<Number> = "resetsAt",
        /// The kind of limit.
        pub rate_limit_type: Option<RateLimitType> = "rateLimitType",
        /// The fraction of the limit that is used.
        pub utilization: Option<Number>,
        /// The warning threshold that was exceeded, as a fraction.
        pub surpassed_threshold: Option<Number> = "surpassedThreshold",
        /// Whether overage requests are accepted.
        pub overage_status: Option<RateLimitStatus> = "overageStatus",
        /// The time when the overage limit resets, as a Unix time.
        pub overage_resets_at: Option<Number> = "overageResetsAt",
        /// The reason why overage is disabled.
        pub overage_disabled_reason: Option<OverageDisabledReason> = "overageDisabledReason",
        /// Whether requests are billed as overage.
        pub is_using_overage: Option<bool> = "isUsingOverage",
        /// Whether overage is being used.
        pub overage_in_use: Option<bool> = "overageInUse",
        /// Whether overage is enabled.
        pub overage_enabled: Option<bool> = "overageEnabled",
        /// The scope of the limit, if not the user.
        pub limit_scope: Option<LimitScope> = "limitScope",
        /// The API's error code.
        pub error_code: Option<RateLimitErrorCode> = "errorCode",
        /// Whether the user can purchase credits.
        pub can_user_purchase_credits: Option<bool> = "canUserPurchaseCredits",
        /// Whether a chargeable payment method is saved.
        pub has_chargeable_saved_payment_method: Option<bool> = "hasChargeableSavedPaymentMethod",
    }
}

open_enum! {
    /// Whether requests are accepted.
    pub enum RateLimitStatus {
        /// Requests are accepted.
        Allowed = "allowed",
        /// Requests are accepted, but the usage is close to the limit.
        AllowedWarning = "allowed_warning",
        /// Requests are rejected.
        Rejected = "rejected",
    }
}

open_enum! {
    /// The kind of a rate limit.
    pub enum RateLimitType {
        /// A limit for five hours.
        FiveHour = "five_hour",
        /// A limit for a week.
        SevenDay = "seven_day",
        /// A limit for a week of Opus.
        SevenDayOpus = "seven_day_opus",
        /// A limit for a week of Sonnet.
        SevenDaySonnet = "seven_day_sonnet",
        /// A limit for a week that includes overage.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// The limit for overage.
        Overage = "overage",
    }
}

open_enum! {
    /// The reason why overage is disabled.
    pub enum OverageDisabledReason {
        /// Overage was never provisioned.
        OverageNotProvisioned = "overage_not_provisioned",
        /// The organization disabled overage.
        OrgLevelDisabled = "org_level_disabled",
        /// The organization disabled overage until a given time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// The credits are used up.
        OutOfCredits = "out_of_credits",
        /// Overage is disabled for this kind of seat.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// Overage is disabled for this member.
        MemberLevelDisabled = "member_level_disabled",
        /// The credit limit of this kind of seat is zero.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The credit limit of the group is zero.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// The credit limit of the member is zero.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// Overage is disabled for this service of the organization.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// No limits were configured.
        NoLimitsConfigured = "no_limits_configured",
        /// The state could not be fetched.
        FetchError = "fetch_error",
        /// Another or unknown reason.
        Other = "unknown",
    }
}

open_enum! {
    /// The scope of a limit that is not the user's own.
    pub enum LimitScope {
        /// A service.
        Service = "service",
        /// A channel.
        Channel = "channel",
        /// A group that shares a budget.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// The API's error code for a limit.
    pub enum RateLimitErrorCode {
        /// Credits are required.
        CreditsRequired = "credits_required",
    }
}
