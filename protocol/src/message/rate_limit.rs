//! Rate limits: how much of a plan is used up.

use crate::json::Number;
use crate::open::{object, open_enum};

object! {
    /// How much of the plan is used up.
    pub struct RateLimitEvent: tolerant tags("type" = "rate_limit_event") {
        /// The limit that counts most.
        pub rate_limit_info: RateLimitInfo,
        /// The ID of this message.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
    }
}

object! {
    /// A rate limit and how near it is.
    pub struct RateLimitInfo {
        /// Whether requests still get through.
        pub status: RateLimitStatus,
        /// When the limit is lifted, as a Unix time.
        pub resets_at: Option<Number> = "resetsAt",
        /// Which limit it is.
        pub rate_limit_type: Option<RateLimitType> = "rateLimitType",
        /// The part of it that is used.
        pub utilization: Option<Number>,
        /// The part of it that was crossed and is worth a warning.
        pub surpassed_threshold: Option<Number> = "surpassedThreshold",
        /// Whether requests get through beyond the plan.
        pub overage_status: Option<RateLimitStatus> = "overageStatus",
        /// When the limit beyond the plan is lifted, as a Unix time.
        pub overage_resets_at: Option<Number> = "overageResetsAt",
        /// Why nothing goes beyond the plan.
        pub overage_disabled_reason: Option<OverageDisabledReason> = "overageDisabledReason",
        /// Whether requests are paid beyond the plan.
        pub is_using_overage: Option<bool> = "isUsingOverage",
        /// Whether usage beyond the plan is being drawn on.
        pub overage_in_use: Option<bool> = "overageInUse",
        /// Whether usage beyond the plan is switched on.
        pub overage_enabled: Option<bool> = "overageEnabled",
        /// Whose limit it is, when it is not the user's own.
        pub limit_scope: Option<LimitScope> = "limitScope",
        /// What the API calls the error.
        pub error_code: Option<RateLimitErrorCode> = "errorCode",
        /// Whether the user may buy credit.
        pub can_user_purchase_credits: Option<bool> = "canUserPurchaseCredits",
        /// Whether there is a card to pay with.
        pub has_chargeable_saved_payment_method: Option<bool> = "hasChargeableSavedPaymentMethod",
    }
}

open_enum! {
    /// Whether requests get through.
    pub enum RateLimitStatus {
        /// They do.
        Allowed = "allowed",
        /// They do, but not for long.
        AllowedWarning = "allowed_warning",
        /// They do not.
        Rejected = "rejected",
    }
}

open_enum! {
    /// Which limit it is.
    pub enum RateLimitType {
        /// That of five hours.
        FiveHour = "five_hour",
        /// That of a week.
        SevenDay = "seven_day",
        /// That of a week for Opus.
        SevenDayOpus = "seven_day_opus",
        /// That of a week for Sonnet.
        SevenDaySonnet = "seven_day_sonnet",
        /// That of a week, what goes beyond the plan included.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// That of what goes beyond the plan.
        Overage = "overage",
    }
}

open_enum! {
    /// Why nothing goes beyond the plan.
    pub enum OverageDisabledReason {
        /// It was never set up.
        OverageNotProvisioned = "overage_not_provisioned",
        /// The organisation switched it off.
        OrgLevelDisabled = "org_level_disabled",
        /// The organisation switched it off for a time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// The credit is used up.
        OutOfCredits = "out_of_credits",
        /// It is off for this kind of seat.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// It is off for this member.
        MemberLevelDisabled = "member_level_disabled",
        /// This kind of seat has a limit of nothing.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The group has a limit of nothing.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// The member has a limit of nothing.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// It is off for this service of the organisation.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// No limits were configured.
        NoLimitsConfigured = "no_limits_configured",
        /// Nobody could be asked.
        FetchError = "fetch_error",
        /// Another or unknown reason.
        Other = "unknown",
    }
}

open_enum! {
    /// Whose limit it is, when it is not the user's own.
    pub enum LimitScope {
        /// The service's.
        Service = "service",
        /// The channel's.
        Channel = "channel",
        /// That of a group that shares a budget.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// What the API calls an error about limits.
    pub enum RateLimitErrorCode {
        /// Only credit helps.
        CreditsRequired = "credits_required",
    }
}
