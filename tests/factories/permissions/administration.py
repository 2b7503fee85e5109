"""The calls about the installation: its settings, health, feedback, and use."""

from tests.factories.permissions.rows import ADMINS, ANYTHING, EVERYONE, FORBIDDEN, OK, SUPERADMINS, Row, by_id, empty
from tests.factories.world import World

ROWS: dict[str, Row] = {
    "DeadLetterService/ListDeadLetters": Row(World.nothing, empty, {"": SUPERADMINS}),
    "DeadLetterService/GetDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "DeadLetterService/ReplayDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "DeadLetterService/DiscardDeadLetter": Row(World.dead_letter, by_id, {"": SUPERADMINS}),
    "FeedbackService/ListFeedback": Row(World.nothing, empty, {"": SUPERADMINS}),
    "FeedbackService/GetFeedbackRates": Row(World.nothing, empty, {"": SUPERADMINS}),
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
