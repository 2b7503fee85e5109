"""

Generated from echomind/public/v1/common.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from echomind_lib.contract import ProtoEnum


class Scope(ProtoEnum):
    """Who may read what a connector brings."""

    UNSPECIFIED = "SCOPE_UNSPECIFIED", 0
    """Unspecified; where a scope is optional, this means the default that the field names."""
    USER = "SCOPE_USER", 1
    """The owner alone."""
    GROUP = "SCOPE_GROUP", 2
    """The members of one group."""
    ORG = "SCOPE_ORG", 3
    """Everyone in the organisation."""


class Role(ProtoEnum):
    """What a person may do beyond their own things; each role includes the one before."""

    UNSPECIFIED = "ROLE_UNSPECIFIED", 0
    """Unspecified."""
    USER = "ROLE_USER", 1
    """Uses the system."""
    ADMIN = "ROLE_ADMIN", 2
    """Manages the connectors of the groups that they belong to, reads users and usage."""
    SUPERADMIN = "ROLE_SUPERADMIN", 3
    """Manages everything."""
