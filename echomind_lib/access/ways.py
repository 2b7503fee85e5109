"""The alternatives of an access rule, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from echomind_lib.access.principal import RoleWord


class Reader(Enum):
    """An attribute of the reader to compare a column with."""

    ID = "reader_id"
    """Their user id."""
    GROUPS = "reader_groups"
    """The names of their groups; the column is one of them."""
    AUDIENCE = "reader_audience"
    """The names of their groups; the column lists one of them, or nothing, which means everyone."""


@dataclass(frozen=True, slots=True)
class Way:
    """One alternative of a rule: every column has its value. Without columns, every row matches."""

    columns: Mapping[str, str | bool | Reader]
    role: RoleWord | None = None
    """The role that the reader must have; None for any."""
