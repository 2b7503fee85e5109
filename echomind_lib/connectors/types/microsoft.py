"""Credentials of connectors to Microsoft 365."""

from typing import Annotated

import msgspec
from msgspec import Meta

from echomind_lib.connectors.oauth import OAuthGrant


class MicrosoftApplication(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An application of the organization in Microsoft Entra, which reads by itself."""

    tenant_id: Annotated[
        str,
        Meta(
            title="Directory (tenant) ID",
            description="On the overview page of the app registration.",
            pattern=r"^[0-9a-fA-F-]{36}$|^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$",
            examples=["9a5b1d3c-1c2d-4e5f-8a9b-0c1d2e3f4a5b"],
            extra={"kind": "text", "form": "must be an id as Entra shows it, or a domain"},
        ),
    ]
    client_id: Annotated[
        str,
        Meta(
            title="Application (client) ID",
            description="On the same page.",
            pattern=r"^[0-9a-fA-F-]{36}$",
            examples=["1f2e3d4c-5b6a-4789-8a9b-0c1d2e3f4a5b"],
            extra={"kind": "text", "form": "must be an id as Entra shows it"},
        ),
    ]
    client_secret: Annotated[
        str,
        Meta(
            title="Client secret",
            description="The value of a secret under Certificates & secrets; not its ID.",
            min_length=1,
            max_length=1000,
        ),
    ]

    def __repr__(self) -> str:
        return f"MicrosoftApplication(tenant_id={self.tenant_id!r}, client_id={self.client_id!r})"


class MicrosoftCredentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An application of the organization, or the account of a person who signs in."""

    application: Annotated[
        MicrosoftApplication | None,
        Meta(title="Application", description="Reads what an administrator has consented to."),
    ] = None
    oauth: OAuthGrant | None = None

    def __post_init__(self) -> None:
        if (self.application is None) == (self.oauth is None):
            raise ValueError("give an application, or sign in with an account, and not both")
