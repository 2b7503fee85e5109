"""Teams: assistants with members, as read by runs."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec

from echomind_lib.assistants.assistant_settings import AssistantSettings, read_settings

MAX_MEMBERS: Final = 20
"""Maximum number of members in a team."""
MAX_DEPTH: Final = 10
"""Maximum nesting of teams, and of sub-runs below a root run."""
MAX_STEPS: Final = 60
"""Default maximum of steps of a team's run, including its sub-runs."""
TIMEOUT_SECONDS: Final = 900
"""Default maximum of seconds of a team's run, including its sub-runs and excluding waiting."""
_SLUG_CHARACTERS = 40


class StoredMember(msgspec.Struct, frozen=True, kw_only=True):
    """A stored member, as selected for its leader's run."""

    assistant_id: int
    name: str
    description: str
    role: str
    version: int | None
    """The version of its assistant; None for an assistant without versions."""
    llm_id: int | None
    config: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TeamMember:
    """A member of a team, with the short name that its leader's model uses."""

    slug: str
    """Unique in its team: letters, digits and `_`."""
    stored: StoredMember

    @property
    def name(self) -> str:
        """The assistant's name, for display."""
        return self.stored.name

    @property
    def purpose(self) -> str:
        """Returns its role in the team, otherwise the description of its assistant."""
        return self.stored.role or self.stored.description

    @cached_property
    def settings(self) -> AssistantSettings:
        """Returns the settings of its assistant."""
        return read_settings(self.stored.config)


def read_members(stored: Sequence[Mapping[str, Any]]) -> tuple[TeamMember, ...]:
    """Returns the members of a team in order, from their stored form."""
    members = msgspec.convert(stored, tuple[StoredMember, ...])
    slugs = slugs_of(member.name for member in members)
    return tuple(TeamMember(slug=slug, stored=member) for slug, member in zip(slugs, members, strict=True))


def slugs_of(names: Iterable[str]) -> list[str]:
    """Returns a short name for each name, which models can reproduce reliably. Duplicates get a number."""
    slugs: list[str] = []
    for number, name in enumerate(names, 1):
        slug = "_".join(re.findall(r"[a-z0-9]+", _folded(name)))[:_SLUG_CHARACTERS].strip("_") or f"member_{number}"
        slugs.append(slug if slug not in slugs else f"{slug}_{number}")
    return slugs


def find_member(members: Sequence[TeamMember], written: str) -> TeamMember | None:
    """Returns the member named by a model, ignoring case, spaces and punctuation; None if there is none."""
    bare = _bare(written)
    by_slug = {_bare(member.slug): member for member in members}
    by_name = {_bare(member.name): member for member in members}
    return by_slug.get(bare) or by_name.get(bare) if bare else None


def _bare(text: str) -> str:
    return "".join(character for character in _folded(text) if character.isalnum())


def _folded(text: str) -> str:
    """Returns a text in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
