"""Google Drive: the files of an account and of shared drives."""

import re
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition, SettingsError
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.types.patterns import Patterns

READ_SCOPE: Final = "https://www.googleapis.com/auth/drive.readonly"
"""Files, their permissions, changes and shared drives."""
GROUPS_SCOPE: Final = "https://www.googleapis.com/auth/admin.directory.group.readonly"
"""Memberships of groups."""
USERS_SCOPE: Final = "https://www.googleapis.com/auth/admin.directory.user.readonly"
"""Members of the organization."""

_ID = re.compile(r"(?:.*/(?:folders|drive)/)?([A-Za-z0-9_-]{5,100})(?:[/?#].*)?")

DriveId = Annotated[str, Meta(min_length=5, max_length=500)]


class GoogleDriveSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Choose at least one of My Drive, shared drives and folders."""

    my_drive: Annotated[
        bool,
        Meta(title="My Drive", description="All files that the account owns. Leave it off for shared drives alone."),
    ] = False
    all_shared_drives: Annotated[
        bool,
        Meta(
            title="All shared drives",
            description="All shared drives that the account is a member of, also those that it joins later.",
        ),
    ] = False
    shared_drives: Annotated[
        tuple[DriveId, ...],
        Meta(
            title="Shared drives",
            description="Only these shared drives: their ids, or their addresses in the browser.",
            max_length=200,
            examples=[["0AExampleSharedDrive", "https://drive.google.com/drive/folders/0AExampleSharedDrive"]],
        ),
    ] = ()
    folders: Annotated[
        tuple[DriveId, ...],
        Meta(
            title="Folders",
            description="Only these folders and what lies below them: their ids, or their addresses in the browser.",
            max_length=200,
            examples=[["https://drive.google.com/drive/folders/1ExampleFolder"]],
        ),
    ] = ()
    include: Annotated[
        Patterns,
        Meta(
            title="Include",
            description="Only files whose names match one of these patterns. `*` stands for any characters. Empty "
            "means all files.",
            examples=[["*.pdf", "Policy *"]],
        ),
    ] = ()
    exclude: Annotated[
        Patterns,
        Meta(
            title="Exclude",
            description="No files whose names match one of these patterns. It wins over Include.",
            examples=[["Draft *", "*.zip"]],
        ),
    ] = ()

    def __post_init__(self) -> None:
        """Raises an error for settings that would sync nothing or be ignored."""
        if not (self.my_drive or self.all_shared_drives or self.shared_drives or self.folders):
            raise SettingsError("", "choose at least one of My Drive, shared drives and folders")
        if self.all_shared_drives and self.shared_drives:
            raise SettingsError("shared_drives", "must be empty: all shared drives are read")
        for name, texts in (("shared_drives", self.shared_drives), ("folders", self.folders)):
            for number, text in enumerate(texts):
                if _ID.fullmatch(text.strip()) is None:
                    raise SettingsError(f"{name}[{number}]", "is neither an id nor an address in the browser")
        for name, patterns in (("include", self.include), ("exclude", self.exclude)):
            if any("/" in pattern for pattern in patterns):
                raise SettingsError(name, "matches names without folders; choose folders by Folders")


class ServiceAccount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account of an application that acts for a person, by delegation of the whole domain."""

    key: Annotated[
        str,
        Meta(
            title="Key file",
            description="The whole JSON file that the Google Cloud console makes for a key of the service account.",
            min_length=1,
            max_length=10_000,
            extra={"kind": "secret"},
        ),
    ]
    subject: Annotated[
        str,
        Meta(
            title="Acts for",
            description="E-mail address of the person whose files are read, with their rights. For groups and all "
            "users to be read, an administrator who may read them.",
            pattern=r"^[^@\s]+@[^@\s]+$",
            max_length=320,
            examples=["drive-reader@example.org"],
            extra={"kind": "text", "form": "must be an e-mail address"},
        ),
    ]

    def __post_init__(self) -> None:
        """Raises an error for an invalid key."""
        self.read_key()

    def __repr__(self) -> str:
        return f"ServiceAccount(subject={self.subject!r})"

    def read_key(self) -> "ServiceAccountKey":
        """Returns the contents of the key file.

        Raises:
            ValueError: It is not the key of a service account. The message contains nothing of it.
        """
        try:
            return msgspec.json.decode(self.key, type=ServiceAccountKey)
        except msgspec.MsgspecError:
            raise ValueError("The key must be the whole JSON file of a service account's key") from None


class ServiceAccountKey(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="service_account"):
    """The used fields of a service account's key file. Its addresses are ignored: those of the settings are used."""

    client_email: str
    private_key: str
    private_key_id: str = ""
    client_id: str = ""
    project_id: str = ""

    def __repr__(self) -> str:
        return f"ServiceAccountKey(client_email={self.client_email!r})"


class GoogleDriveCredentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Either a service account with delegation, or a person's own sign-in with Google."""

    service_account: Annotated[
        ServiceAccount | None, Meta(title="Service account", description="With domain-wide delegation.")
    ] = None
    oauth: OAuthGrant | None = None

    def __post_init__(self) -> None:
        """Raises an error for no credentials and for both kinds."""
        if (self.service_account is None) == (self.oauth is None):
            raise ValueError("Give either a service account, or sign in with Google")


def drive_id(text: str) -> str:
    """Returns the id of a folder or shared drive from an id or a browser address in the settings."""
    match = _ID.fullmatch(text.strip())
    assert match is not None, "GoogleDriveSettings"
    return match[1]


GOOGLE_DRIVE: Final = ConnectorDefinition(
    name="google_drive",
    title="Google Drive",
    description="Files and Google documents of an account and of shared drives, with who may read them.",
    settings=GoogleDriveSettings,
    credentials=GoogleDriveCredentials,
    sign_in="google",
    sign_in_scopes=(READ_SCOPE,),
    permission_modes=("source", "scope"),
    implementation="echomind_ingestor.connectors.google_drive.source:GoogleDriveSource",
)
"""Google Drive."""
