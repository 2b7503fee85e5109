"""The calls about the installation: its settings, health, feedback, and use."""

from tests.factories.permissions.rows import (
    ADMINS,
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    OK,
    SUPERADMINS,
    Row,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World

DAY = "QUOTA_PERIOD_DAY"
ROWS: dict[str, Row] = {
    "AuditService/ListAuditEntries": Row(World.nothing, empty, {"": SUPERADMINS}),
    "AuditService/VerifyAuditLog": Row(World.nothing, empty, {"": SUPERADMINS}),
    "DeadLetterService/ListDeadLetters": Row(World.nothing, empty, {"": SUPERADMINS}),
    "DeadLetterService/GetDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "DeadLetterService/ReplayDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "DeadLetterService/DiscardDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "ErasureService/ListErasures": Row(World.nothing, empty, {"": SUPERADMINS}),
    "ErasureService/PreviewErasure": Row(World.unneeded_user, lambda user: {"userId": user}, {"foreign": SUPERADMINS}),
    "ErasureService/EraseUser": Row(World.unneeded_user, lambda user: {"userId": user}, {"foreign": SUPERADMINS}),
    "LegalHoldService/ListLegalHolds": Row(World.nothing, empty, {"": SUPERADMINS}),
    "LegalHoldService/CreateLegalHold": Row(
        World.unneeded_user, lambda user: {"legalHold": {"userId": user, "reason": "Case 7"}}, {"foreign": SUPERADMINS}
    ),
    "LegalHoldService/ReleaseLegalHold": Row(World.legal_hold, by_id, {"": SUPERADMINS}),
    "FeedbackService/ListFeedback": Row(World.nothing, empty, {"": SUPERADMINS}),
    "FeedbackService/GetFeedbackRates": Row(World.nothing, empty, {"": SUPERADMINS}),
    "QuotaService/ListQuotas": Row(World.nothing, empty, {"": ADMINS}),
    "QuotaService/GetQuota": Row(World.quota, by_id, {"": ADMINS}),
    "QuotaService/CreateQuota": Row(
        World.unneeded_user,
        lambda user: {"quota": {"scope": "QUOTA_SCOPE_USER", "userId": user, "period": DAY, "maxTokens": 5}},
        {"": SUPERADMINS},
    ),
    "QuotaService/UpdateQuota": Row(World.quota, patch("quota", "maxTokens", "9"), {"": SUPERADMINS}),
    "QuotaService/DeleteQuota": Row(World.quota, by_id, {"": SUPERADMINS}),
    "QuotaService/ListQuotaUsage": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (FORBIDDEN, OK, OK)}
    ),
    "RetentionService/ListRetentionRules": Row(World.nothing, empty, {"": SUPERADMINS}),
    "RetentionService/PreviewRetentionRule": Row(
        World.nothing, lambda _: {"data": "RETENTION_DATA_RUN_STEPS", "days": 36500}, {"": SUPERADMINS}
    ),
    "RetentionService/SetRetentionRule": Row(
        World.nothing, lambda _: {"data": "RETENTION_DATA_RUN_STEPS", "days": 36500}, {"": SUPERADMINS}
    ),
    "SecretKeyService/ListSecretKeys": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SecretKeyService/CreateSecretKey": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SecretKeyService/ReencryptSecrets": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SecretKeyService/RetireSecretKeys": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SetupService/GetSetup": Row(World.nothing, empty, ANYTHING),
    "SetupService/UpdateSetup": Row(
        World.nothing, lambda _: {"setup": {"isHidden": True}, "updateMask": "isHidden"}, ANYTHING
    ),
    "SystemService/GetSystemHealth": Row(World.nothing, empty, {"": ADMINS}),
    "SystemService/CheckStorage": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SystemService/GetInstallationSettings": Row(World.nothing, empty, ANYTHING),
    "SystemService/UpdateInstallationSettings": Row(
        World.nothing,
        lambda _: {"settings": {"linkSharing": "LINK_SHARING_ANYONE"}, "updateMask": "linkSharing"},
        {"": SUPERADMINS},
    ),
    "SystemService/GetAbout": Row(World.nothing, empty, ANYTHING),
    "UsageService/GetUsage": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (FORBIDDEN, OK, OK)}
    ),
}
