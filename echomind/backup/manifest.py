"""What a backup contains: its first member."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final, TypeVar

import msgspec

from echomind.backup.archive import ArchiveError
from echomind_lib.db.migrate import head

Part = TypeVar("Part")

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
SECRETS: Final = "secrets.json"
FILES: Final = "objects/"
"""Prefix of the members with files, followed by their keys in the object store."""
VECTORS: Final = "vectors/"
"""Prefix of the members with vectors, followed by a collection and a number."""
DUMP: Final = "postgres/"
"""Prefix of the members with the dump of the database, which are the last ones."""


@dataclass(frozen=True, kw_only=True)
class StoredIndex:
    """An index whose vectors are in a backup."""

    collection: str
    model_id: str
    dimension: int


@dataclass(frozen=True, kw_only=True)
class Erased:
    """An entry of the ledger of erasures.

    Attributes:
        user_id: ID that the account had.
        erased_at: When its erasure began, as ISO 8601.
    """

    user_id: int
    erased_at: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a backup contains.

    Attributes:
        id: Id of the backup, a UUID.
        created_at: When its snapshot was taken, as ISO 8601.
        schema_revision: Revision of the database's schema.
        postgres_version: Version of PostgreSQL, such as 18.1.
        documents: Number of documents.
        has_vectors: Whether it has the vectors of the passages; otherwise they are made again after a restore.
        indexes: The indexes.
        erasures: Who was erased until then; None where the version that made it did not say.
        format: Version of this format.
        version: Version of EchoMind that made it.
    """

    id: str
    created_at: str
    schema_revision: str
    postgres_version: str
    documents: int
    has_vectors: bool
    indexes: list[StoredIndex]
    erasures: list[Erased] | None = None
    format: int = FORMAT
    version: str = ""

    def encode(self) -> bytes:
        """Returns it as JSON."""
        return msgspec.json.encode(self)


@dataclass(frozen=True, kw_only=True)
class StoredSecrets:
    """What is secret in a backup.

    Attributes:
        keys: The keys that encrypt stored secrets, separated by commas.
        owner_api_key: Content of the data folder's file `owner-api-key`; empty without a data folder.
    """

    keys: str
    owner_api_key: str = ""

    def encode(self) -> bytes:
        """Returns it as JSON."""
        return msgspec.json.encode(self)


def own_version() -> str:
    """Returns the version of this EchoMind."""
    return version("echomind")


def read_manifest(content: dict[str, Any]) -> Manifest:
    """Returns a manifest, if this version of EchoMind can restore the backup.

    Raises:
        ArchiveError: It cannot.
    """
    if content.get("format") != FORMAT or str(content.get("schema_revision", "")) > head():
        raise ArchiveError(
            f"it was made by EchoMind {content.get('version', '')}, which is newer than this one ({own_version()}): "
            "restore it with that version or a newer one"
        )
    return _converted(content, Manifest)


def read_secrets(content: dict[str, Any]) -> StoredSecrets:
    """Returns the secrets of a backup.

    Raises:
        ArchiveError: They are damaged.
    """
    return _converted(content, StoredSecrets)


def _converted(content: dict[str, Any], kind: type[Part]) -> Part:
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise ArchiveError(f"its description is damaged ({error})") from error
