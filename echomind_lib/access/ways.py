"""The alternatives of an access rule, as data."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from echomind_lib.access.principal import KeyLimits, RoleWord


class Reader(Enum):
    """An attribute of the reader to compare a column with."""

    ID = "reader_id"
    """Their user id."""
    GROUPS = "reader_groups"
    """The names of their groups; the column is one of them."""
    AUDIENCE = "reader_audience"
    """The names of their groups; the column lists one of them, or nothing, which means everyone."""


class Limited(Enum):
    """Rows that API keys with limits reach only some of."""

    ASSISTANTS = "reader_assistants"
    """Assistants: those that the key names."""
    CONNECTORS = "reader_connectors"
    """Connectors: those that the key names."""
    SESSIONS = "reader_keys"
    """Sessions: those that the key began."""

    @property
    def column(self) -> str:
        """Returns the column that is compared with `limit`."""
        return "limited_by" if self is Limited.SESSIONS else "id"

    def limit(self, limits: KeyLimits) -> Collection[int] | None:
        """Returns the values of the column that a key allows; None for all."""
        if self is Limited.SESSIONS:
            return (limits.api_key_id,)
        return limits.assistants if self is Limited.ASSISTANTS else limits.connectors


@dataclass(frozen=True, slots=True)
class Way:
    """One alternative of a rule: every column has its value. Without columns, every row matches."""

    columns: Mapping[str, str | bool | Reader]
    role: RoleWord | None = None
    """The role that the reader must have; None for any."""
