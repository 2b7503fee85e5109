"""

Generated from echomind/public/v1/common.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from echomind_lib.contract import ProtoEnum


class Scope(ProtoEnum):
    """Who may read the documents of a connector."""

    UNSPECIFIED = "SCOPE_UNSPECIFIED", 0
    """Unspecified; where a scope is optional, the default that the field names."""
    USER = "SCOPE_USER", 1
    """Only the owner."""
    GROUP = "SCOPE_GROUP", 2
    """The members of a group."""
    ORG = "SCOPE_ORG", 3
    """Everyone in the organization."""


class Role(ProtoEnum):
    """Role of a user; each role includes the previous one."""

    UNSPECIFIED = "ROLE_UNSPECIFIED", 0
    """Unspecified."""
    USER = "ROLE_USER", 1
    """Uses the system."""
    ADMIN = "ROLE_ADMIN", 2
    """Manages the connectors of their groups; reads users and usage."""
    SUPERADMIN = "ROLE_SUPERADMIN", 3
    """Manages everything."""


class AccountKind(ProtoEnum):
    """Kind of an account."""

    UNSPECIFIED = "ACCOUNT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    PERSON = "ACCOUNT_KIND_PERSON", 1
    """Of a person."""
    SERVICE = "ACCOUNT_KIND_SERVICE", 2
    """Of a program; see ServiceAccountService."""
