"""Files in object stores and on WebDAV servers."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition, PermissionMode, SettingsError
from echomind_lib.connectors.types.patterns import Patterns

Service = Literal["s3", "gcs", "azure", "webdav"]
SERVICE_TITLES: Final = {
    "s3": "Amazon S3 or compatible",
    "gcs": "Google Cloud Storage",
    "azure": "Azure Blob Storage",
    "webdav": "WebDAV",
}
"""Display name of each service."""


def _only_with(*services: Service) -> dict[str, Any]:
    """Returns the annotation of a field that only these services have."""
    return {"applies_when": {"service": services}}


def _required_with(*services: Service) -> dict[str, Any]:
    """Returns the annotation of a field that these services require."""
    return {"required_when": {"service": services}}


class StorageSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Only superadmins may add one: where it leads is reached from the server."""

    service: Annotated[
        Service,
        Meta(
            title="Service",
            description="S3 stands for servers with its API, too, such as MinIO, Ceph, Cloudflare R2, Backblaze B2 and "
            "Wasabi, and WebDAV for servers such as Nextcloud.",
            extra={"choice_titles": SERVICE_TITLES},
        ),
    ]
    bucket: Annotated[
        str,
        Meta(
            title="Bucket",
            description="Name of the bucket, at Azure of the container. WebDAV has none.",
            max_length=255,
            pattern="^[A-Za-z0-9$._-]*$",
            examples=["handbooks"],
            extra=_only_with("s3", "gcs", "azure")
            | _required_with("s3", "gcs", "azure")
            | {"form": "may have only letters, digits, dots, hyphens, underscores and $"},
        ),
    ] = ""
    endpoint: Annotated[
        str,
        Meta(
            title="Address",
            description="Where the service is. Empty for Amazon's and Google's own; Azure and WebDAV need it. A "
            "private address must be allowed by `ECHOMIND_FETCH__ALLOWED_HOSTS`.",
            max_length=1000,
            pattern="^(https?://[^/?#@]+(/[^?#]*)?)?$",
            examples=["https://minio.example.com:9000", "https://cloud.example.com/remote.php/dav/files/anna"],
            extra=_required_with("azure", "webdav")
            | {"form": "must be an address that begins with https:// or http://, without credentials"},
        ),
    ] = ""
    region: Annotated[
        str,
        Meta(
            title="Region",
            description="Of an S3 bucket; empty means us-east-1. The other services have none.",
            max_length=50,
            pattern="^[a-z0-9-]*$",
            examples=["eu-central-1"],
            extra=_only_with("s3") | {"form": "may have only lower-case letters, digits and hyphens"},
        ),
    ] = ""
    folder: Annotated[
        str,
        Meta(
            title="Folder",
            description="Only what lies below this path. Empty means everything.",
            max_length=1000,
            examples=["handbooks/2026"],
        ),
    ] = ""
    include: Annotated[
        Patterns,
        Meta(
            title="Include",
            description="Only files whose path matches one of these patterns. `*` stands for a part of a name, `**` "
            "for any folders. Empty means all files.",
            examples=[["*.pdf"]],
        ),
    ] = ()
    exclude: Annotated[
        Patterns,
        Meta(
            title="Exclude",
            description="No files whose path matches one of these patterns. It wins over Include.",
            examples=[["**/drafts/**"]],
        ),
    ] = ()

    def __post_init__(self) -> None:
        """Raises an error for settings that the service does not have, and for missing ones."""
        if (self.service == "webdav") != (not self.bucket):
            raise SettingsError("bucket", "must be empty: WebDAV has none" if self.bucket else "is missing")
        if self.service in {"azure", "webdav"} and not self.endpoint:
            raise SettingsError("endpoint", "is missing: Azure and WebDAV need it")
        if self.region and self.service != "s3":
            raise SettingsError("region", "must be empty: only S3 has regions")
        if {"", ".", ".."} & set(self.folder.strip("/").split("/")) and self.folder.strip("/"):
            raise SettingsError("folder", "is a path such as handbooks/2026, without empty parts, `.` and `..`")


class S3Keys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An access key that may list the bucket and read its objects (`s3:ListBucket`, `s3:GetObject`)."""

    access_key: Annotated[str, Meta(title="Access key id", min_length=1, max_length=200)]
    secret_key: Annotated[str, Meta(title="Secret access key", min_length=1, max_length=500)]


class GcsKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The key of a service account that has the role Storage Object Viewer."""

    service_account: Annotated[
        str,
        Meta(title="Key of the service account", description="The JSON file's text.", min_length=2, max_length=10_000),
    ]


class AzureKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account's key, or better a shared access signature that may list and read the container."""

    account_name: Annotated[str, Meta(title="Storage account", min_length=1, max_length=100)]
    account_key: Annotated[str, Meta(title="Account key", max_length=500)] = ""
    sas_token: Annotated[str, Meta(title="Shared access signature", max_length=2000)] = ""

    def __post_init__(self) -> None:
        """Raises an error for both kinds and for none."""
        if bool(self.account_key) == bool(self.sas_token):
            raise ValueError("Give either an account key or a shared access signature")


class WebdavPassword(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's name with an app password, which most servers make under Security."""

    username: Annotated[str, Meta(title="User name", min_length=1, max_length=500)]
    password: Annotated[str, Meta(title="Password", min_length=1, max_length=500)]


class StorageCredentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Those of the service; none for what everybody may read. Azure always needs them."""

    s3: Annotated[S3Keys | None, Meta(title="S3", extra=_only_with("s3"))] = None
    gcs: Annotated[GcsKey | None, Meta(title="Google Cloud Storage", extra=_only_with("gcs"))] = None
    azure: Annotated[AzureKey | None, Meta(title="Azure Blob Storage", extra=_only_with("azure"))] = None
    webdav: Annotated[WebdavPassword | None, Meta(title="WebDAV", extra=_only_with("webdav"))] = None

    def __post_init__(self) -> None:
        """Raises an error for credentials of several services."""
        if sum(part is not None for part in (self.s3, self.gcs, self.azure, self.webdav)) > 1:
            raise ValueError("Give the credentials of one service")


def check_access(settings: StorageSettings, credentials: StorageCredentials | None, _mode: PermissionMode) -> None:
    """Raises `SettingsError` for credentials of another service, and for missing ones."""
    given = credentials or StorageCredentials()
    of = [name for name in given.__struct_fields__ if getattr(given, name)]
    if of and of != [settings.service]:
        raise SettingsError("credentials", f"are those of {of[0]}, and the service is {settings.service}")
    if settings.service == "azure" and not of:
        raise SettingsError("credentials", "are missing: Azure always needs them")


STORAGE: Final = ConnectorDefinition(
    name="storage",
    title="Storage",
    description="Files in S3, Google Cloud Storage, Azure Blob Storage or on a WebDAV server.",
    settings=StorageSettings,
    credentials=StorageCredentials,
    role="superadmin",
    check_access=check_access,
    implementation="echomind_ingestor.connectors.storage.source:StorageSource",
)
"""A bucket, or a folder on a WebDAV server."""
