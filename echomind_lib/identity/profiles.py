"""What a provider says about a person, read by the provider's settings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from echomind_lib.config.providers import ProviderSettings
from echomind_lib.identity.failures import Failure, SignInFailedError
from echomind_lib.text import NAME_CHARACTERS, single_line

_EMAIL: Final = re.compile(r"[^\s\x00-\x20\x7f-\xa0@]+@[^\s\x00-\x20\x7f-\xa0@]+")
_UNUSABLE: Final = re.compile(r"[\s/\x00-\x20\x7f-\xa0]+")
_USER_NAME_CHARACTERS: Final = 60
_LANGUAGES: Final = frozenset({"de", "en"})
_MAX_GROUPS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A person at a provider."""

    subject: str
    """Their identifier there, which never changes and is never given to somebody else."""
    scim_id: str
    """How SCIM clients of the provider name them; empty if it does not say."""
    user_name: str
    """A name for a new account: without white space, slash and `@`; another account may have it."""
    first_name: str
    last_name: str
    email: str
    """Their address in the form of the contract; empty if there is none."""
    is_email_verified: bool
    """Whether the address is theirs, by the provider's word and the trust in it."""
    language: str
    """`de` or `en`; empty if the provider says nothing or another language."""
    groups: frozenset[str] | None
    """Groups of EchoMind that they are in by the mapping; None if the provider could not say."""
    roles: frozenset[str] | None
    """Roles by the mapping; None if the provider could not say."""


def read_profile(claims: Mapping[str, Any], settings: ProviderSettings) -> Profile:
    """Returns what claims say about a person.

    Args:
        claims: Checked claims of the ID token, with those of the userinfo endpoint.
        settings: The provider's settings.

    Raises:
        SignInFailedError: The person does not have the required claims.
    """
    for name, value in settings.required_claims.items():
        if value not in _texts(_find(claims, name)):
            raise SignInFailedError(Failure.NOT_ADMITTED, f"the claim {name} is not {value!r}")
    email = _text(claims, "email")
    if not is_email(email):
        email = ""
    groups = _groups(claims, settings.groups_claim)
    given, family, full = (_text(claims, name) for name in ("given_name", "family_name", "name"))
    if not given and not family:
        given, _, family = full.partition(" ")
    return Profile(
        subject=claims["sub"],
        scim_id=_exact(_find(claims, settings.scim_claim)),
        user_name=short_name(_text(claims, "preferred_username") or email),
        first_name=given,
        last_name=family,
        email=email,
        is_email_verified=bool(email) and _is_verified(claims, email, settings),
        language=language_of(_text(claims, "locale")),
        groups=None if groups is None else frozenset(settings.groups[name] for name in groups & settings.groups.keys()),
        roles=None if groups is None else frozenset(settings.roles[name] for name in groups & settings.roles.keys()),
    )


def is_email(text: str) -> bool:
    """Returns whether a text is an e-mail address in the form of the contract."""
    return len(text) <= NAME_CHARACTERS and _EMAIL.fullmatch(text) is not None


def has_groups(claims: Mapping[str, Any], settings: ProviderSettings) -> bool:
    """Returns whether claims have the person's groups."""
    return _find(claims, settings.groups_claim) is not None


def _is_verified(claims: Mapping[str, Any], email: str, settings: ProviderSettings) -> bool:
    if settings.email_trust == "claim":
        return claims.get("email_verified") is True  # some providers send the text "false"
    return settings.email_trust == "domains" and email.rpartition("@")[2].lower() in settings.trusted_domains


def _groups(claims: Mapping[str, Any], claim: str) -> frozenset[str] | None:
    """Returns the provider's groups of a person; None if it says that there are too many to send, as Entra does."""
    found = _find(claims, claim)
    elsewhere = claims.get("_claim_names")
    if found is None and (claims.get("hasgroups") or (isinstance(elsewhere, Mapping) and claim in elsewhere)):
        return None
    return frozenset(_texts(found)[:_MAX_GROUPS])


def _find(claims: Mapping[str, Any], name: str) -> Any:
    """Returns a claim by its name, or by its path in objects; None if it is absent."""
    if name in claims:
        return claims[name]
    first, dot, rest = name.partition(".")
    inner = claims.get(first)
    return _find(inner, rest) if dot and isinstance(inner, Mapping) else None


def _texts(value: Any) -> list[str]:
    """Returns the texts of a claim that is one or a list; true and false are words."""
    values = value if isinstance(value, list) else [value]
    return [str(each).lower() if isinstance(each, bool) else each for each in values if isinstance(each, str | bool)]


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    return single_line(value, NAME_CHARACTERS) if isinstance(value, str) else ""


def _exact(value: Any) -> str:
    """Returns an identifier as it was sent, as one that is cut or cleaned may be another one's."""
    is_identifier = isinstance(value, str) and len(value) <= NAME_CHARACTERS and single_line(value, len(value)) == value
    return value if is_identifier else ""


def short_name(text: str) -> str:
    """Returns a user name that a contract allows, from a name or an e-mail address."""
    name = _UNUSABLE.sub("", text.lstrip("@").partition("@")[0])
    return name[:_USER_NAME_CHARACTERS] or "user"


def language_of(locale: str) -> str:
    """Returns the language of a locale, `de` or `en`; empty for another one."""
    language = re.split("[-_]", locale.lower())[0]
    return language if language in _LANGUAGES else ""
