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
        /// When the limit resets, as a Unix time.
        pub resets_at: Option<Number> = "resetsAt",
        /// The kind of limit.
        pub rate_limit_type: Option<RateLimitType> = "rateLimitType",
        /// The fraction that is used.
        pub utilization: Option<Number>,
        /// The warning threshold that was exceeded, as a fraction.
        pub surpassed_threshold: Option<Number> = "surpassedThreshold",
        /// Whether overage requests are accepted.
        pub overage_status: Option<RateLimitStatus> = "overageStatus",
        /// When the overage limit resets, as a Unix time.
        pub overage_resets_at: Option<Number> = "overageResetsAt",
        /// Why overage is disabled.
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
        /// Accepted.
        Allowed = "allowed",
        /// Accepted, but close to the limit.
        AllowedWarning = "allowed_warning",
        /// Rejected.
        Rejected = "rejected",
    }
}

open_enum! {
    /// The kind of a rate limit.
    pub enum RateLimitType {
        /// Five hours.
        FiveHour = "five_hour",
        /// A week.
        SevenDay = "seven_day",
        /// A week, for Opus.
        SevenDayOpus = "seven_day_opus",
        /// A week, for Sonnet.
        SevenDaySonnet = "seven_day_sonnet",
        /// A week, including overage.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// Overage.
        Overage = "overage",
    }
}

open_enum! {
    /// Why overage is disabled.
    pub enum OverageDisabledReason {
        /// It was never provisioned.
        OverageNotProvisioned = "overage_not_provisioned",
        /// Disabled for the organisation.
        OrgLevelDisabled = "org_level_disabled",
        /// Disabled for the organisation until a given time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// The credits are used up.
        OutOfCredits = "out_of_credits",
        /// Disabled for this kind of seat.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// Disabled for this member.
        MemberLevelDisabled = "member_level_disabled",
        /// The credit limit of this kind of seat is zero.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The credit limit of the group is zero.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// The credit limit of the member is zero.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// Disabled for this service of the organisation.
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
        /// The service.
        Service = "service",
        /// The channel.
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
