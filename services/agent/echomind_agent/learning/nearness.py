"""Finds what is already known and similar to given texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol

from echomind_agent.learning.checks import says_the_same
from echomind_agent.learning.proposals import Known
from echomind_lib.access import Principal
from echomind_lib.db.statements import Connection
from echomind_lib.facts import FactKind, FactVectors

MOST_CANDIDATES: Final = 10
"""So much of what is known a model is shown."""
SAME_COSINE: Final = 0.95
"""Cosine from which two texts say the same."""
_QUERIES: Final = 8
_NEAREST: Final = 5
_RECENT: Final = 20
"""The newest are compared too: their vectors may not be there yet."""


class Store(Protocol[Known]):
    """A store of one kind of facts."""

    @property
    def kind(self) -> FactKind:
        """Returns the kind of its vectors."""

    def scopes(self, owner: Principal) -> Sequence[str]:
        """Returns whose vectors are searched for a person."""

    async def read(self, connection: Connection, owner: Principal, ids: Sequence[int]) -> list[Known]:
        """Returns those of some rows that count and that a person may read."""

    async def newest(self, connection: Connection, owner: Principal, most: int) -> list[Known]:
        """Returns the newest that are a person's own."""

    async def lock(self, connection: Connection, owner: Principal) -> None:
        """Takes a lock so that no other transaction learns for a user until this one ends."""

    def text_of(self, known: Known) -> str:
        """Returns the text that something is found by."""


@dataclass(frozen=True)
class Nearness(Generic[Known]):
    """Finds what is known already. Safe to share."""

    facts: FactVectors
    store: Store[Known]

    async def candidates(self, connection: Connection, owner: Principal, texts: Sequence[str]) -> list[Known]:
        """Returns what the last of some texts may be about, the likeliest first, and then the newest."""
        likeness: dict[int, float] = {}
        for text in texts[-_QUERIES:]:
            for found in await self.facts.search(self.store.kind, self.store.scopes(owner), text, MOST_CANDIDATES):
                likeness[found.id] = max(likeness.get(found.id, 0.0), found.cosine)
        known = await self.store.read(connection, owner, list(likeness))
        best = sorted(known, key=lambda each: -likeness[each.id])[:MOST_CANDIDATES]
        shown = {each.id for each in best}
        recent = await self.store.newest(connection, owner, MOST_CANDIDATES)
        return (best + [each for each in recent if each.id not in shown])[:MOST_CANDIDATES]

    async def same(self, connection: Connection, owner: Principal, texts: Sequence[str]) -> dict[str, Known]:
        """Returns what says the same as texts, by text."""
        if not texts:
            return {}
        near = {each.id: each for each in await self.store.newest(connection, owner, _RECENT)}
        for text in texts:
            found = await self.facts.search(self.store.kind, self.store.scopes(owner), text, _NEAREST)
            ids = [each.id for each in found if each.cosine >= SAME_COSINE and each.id not in near]
            near |= {each.id: each for each in await self.store.read(connection, owner, ids)}
        known = list(near.values())
        if not known:
            return {}
        text_of = self.store.text_of
        vectors = await self.facts.embed([*texts, *map(text_of, known)])
        cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
        same: dict[str, Known] = {}
        for text, row in zip(texts, cosines, strict=True):
            for each, cosine in sorted(zip(known, row, strict=True), key=lambda pair: -pair[1]):
                if cosine >= SAME_COSINE and says_the_same(text, text_of(each)):
                    same.setdefault(text, each)
        return same
