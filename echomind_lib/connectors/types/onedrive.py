"""Files in OneDrive and in SharePoint document libraries."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition, PermissionMode, SettingsError
from echomind_lib.connectors.types.microsoft import MicrosoftCredentials
from echomind_lib.connectors.types.patterns import Patterns

MAX_DRIVES: Final = 200
"""Maximum drives per connector, as the position in each is part of the cursor."""

_Site = Annotated[
    str,
    Meta(
        pattern=r"^https://[^/?#\s]+(/[^?#\s]*)?$",
        max_length=400,
        extra={"form": "must be an address of a site that begins with https://"},
    ),
]


class OneDriveSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Leave people and sites blank to read the OneDrive of the account that signs in."""

    people: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=320)], ...],
        Meta(
            title="People",
            description="Whose OneDrive is read: sign-in names, usually e-mail addresses. Needs an application.",
            max_length=MAX_DRIVES,
            examples=["ada@contoso.com"],
        ),
    ] = ()
    sites: Annotated[
        tuple[_Site, ...],
        Meta(
            title="SharePoint sites",
            description="All document libraries of these sites are read.",
            max_length=MAX_DRIVES,
            examples=["https://contoso.sharepoint.com/sites/HR"],
        ),
    ] = ()
    include: Annotated[
        Patterns,
        Meta(
            title="Only these files",
            description="Patterns of paths below the drive; blank reads all files.",
            examples=["Policies/**", "*.docx"],
        ),
    ] = ()
    exclude: Annotated[
        Patterns,
        Meta(title="Not these files", description="Patterns of paths that are left out.", examples=["Archive/**"]),
    ] = ()


def check_access(settings: OneDriveSettings, credentials: MicrosoftCredentials | None, _mode: PermissionMode) -> None:
    """Raises `SettingsError` for settings that the given kind of credentials cannot read."""
    if credentials is None:
        return
    if settings.people and credentials.application is None:
        raise SettingsError(
            "config.people",
            "are read by an application alone: give one instead of signing in, or leave them blank to read the "
            "OneDrive of whoever signs in",
        )
    if credentials.application is not None and not settings.people and not settings.sites:
        raise SettingsError("config.people", "is missing, or sites: an application has no OneDrive of its own")


ONEDRIVE: Final = ConnectorDefinition(
    name="onedrive",
    title="OneDrive and SharePoint",
    description="Files in people's OneDrive and in the document libraries of SharePoint sites.",
    settings=OneDriveSettings,
    credentials=MicrosoftCredentials,
    sign_in="microsoft",
    sign_in_scopes=("Files.Read.All", "Sites.Read.All"),
    permission_modes=("source", "scope"),
    check_access=check_access,
    implementation="echomind_ingestor.connectors.onedrive.source:OneDriveSource",
)
"""OneDrive for work or school, and SharePoint."""
