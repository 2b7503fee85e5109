"""What the SCIM service serves: the attributes of users and groups that mean something here, and what it tolerates."""

from typing import Annotated, Any, Final

from pydantic import Field
from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    ComplexAttribute,
    ETag,
    Filter,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ResourceType,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

PAGE: Final = 200
"""Most resources of one answer."""
_OPERATIONS: Final = 100
"""Bulk requests are not supported. A number above 0 makes Authentik split long patches into ones of so many changes."""


class Name(ComplexAttribute):
    """A person's name."""

    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class Email(ComplexAttribute):
    """An e-mail address; what is none is kept, and not used."""

    value: str | None = None
    type: str | None = None
    primary: bool | None = None


class User(Resource[Any]):
    """A user. Other attributes are ignored: roles, entitlements and passwords above all."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: Name | None = None
    display_name: str | None = None
    emails: list[Email] | None = None
    preferred_language: str | None = None
    locale: str | None = None
    active: bool | None = None


class Member(ComplexAttribute):
    """A member of a group: a user of the same client."""

    value: Annotated[str | None, Mutability.immutable] = None
    ref: Annotated[Reference[User] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User"])


class Group(Resource[Any]):
    """A group."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[Member] | None = None


def provider() -> ScimProvider:
    """Returns the description of the service."""
    return ScimProvider(
        models=[User, Group],
        resource_types=[ResourceType.from_resource(User), ResourceType.from_resource(Group)],
        config=ServiceProviderConfig(
            patch=Patch(supported=True),
            bulk=Bulk(supported=False, max_operations=_OPERATIONS, max_payload_size=2**20),
            filter=Filter(supported=True, max_results=PAGE),
            change_password=ChangePassword(supported=False),
            sort=Sort(supported=False),
            etag=ETag(supported=True),
            authentication_schemes=[
                AuthenticationScheme(
                    type=AuthenticationScheme.Type.oauthbearertoken,
                    name="Token of a SCIM client",
                    description="Authorization: Bearer, with a token that a superadmin makes",
                )
            ],
        ),
        policy=ScimPolicy(
            unknown=ScimPolicy.Unknown.ignore,
            # Entra and Authentik remove members with a list beside the path, and add what a path does not find.
            remove_value_as_filter=ScimPolicy.RemoveValue.apply,
            unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
        ),
    )
