"""Conversations in Microsoft Teams."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition, PermissionMode, SettingsError
from echomind_lib.connectors.types.microsoft import MicrosoftCredentials

_ID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
MAX_TEAMS: Final = 50
"""Maximum teams per connector, as the position in each of their channels is part of the cursor."""


class TeamsSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A conversation is one document: its first message with all replies."""

    teams: Annotated[
        tuple[
            Annotated[str, Meta(pattern=_ID, extra={"form": "must be the id of a team, not its name or address"})], ...
        ],
        Meta(
            title="Teams",
            description='Ids of the teams whose channels are read: Teams shows it in "Get link to team" as groupId.',
            max_length=MAX_TEAMS,
            examples=["02bd9fd6-8f93-4758-87c3-1fb73740a315"],
        ),
    ] = ()
    chats_of: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=320)], ...],
        Meta(
            title="Chats of people",
            description="Sign-in names of people whose chats are read, with the permission mode `source` alone.",
            max_length=MAX_TEAMS,
            examples=["ada@contoso.com"],
        ),
    ] = ()

    def __post_init__(self) -> None:
        if not self.teams and not self.chats_of:
            raise SettingsError("", "name a team or a person at least")


def check_access(settings: TeamsSettings, credentials: MicrosoftCredentials | None, mode: PermissionMode) -> None:
    """Raises `SettingsError` for chats, which are private, unless only their members may read them."""
    if settings.chats_of and mode != "source":
        raise SettingsError(
            "config.chats_of",
            "are private, and read with the permission mode source alone: choose it, or leave them blank",
        )
    if settings.chats_of and credentials is not None and credentials.application is None:
        raise SettingsError("config.chats_of", "are read by an application alone: give one instead of signing in")


TEAMS: Final = ConnectorDefinition(
    name="teams",
    title="Microsoft Teams",
    description="Conversations in channels and chats, each with its replies.",
    settings=TeamsSettings,
    credentials=MicrosoftCredentials,
    sign_in="microsoft",
    sign_in_scopes=("Team.ReadBasic.All", "Channel.ReadBasic.All", "ChannelMessage.Read.All", "ChannelMember.Read.All"),
    permission_modes=("source", "scope"),
    check_access=check_access,
    implementation="echomind_ingestor.connectors.teams.source:TeamsSource",
)
"""Microsoft Teams."""
