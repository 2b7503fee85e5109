"""Finds known facts that are similar to given texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol

from echomind_agent.learning.checks import says_the_same
from echomind_agent.learning.proposals import Known
from echomind_lib.access import Principal
from echomind_lib.db.statements import Connection
from echomind_lib.learned.facts import FactKind, FactVectors

MAX_CANDIDATES: Final = 10
"""Maximum number of known facts in a prompt."""
SAME_COSINE: Final = 0.95
"""Minimum cosine of duplicates."""
_QUERIES: Final = 8
_NEAREST: Final = 5
_RECENT: Final = 20
"""Number of newest facts that are always compared, as they may not have vectors yet."""


class Store(Protocol[Known]):
    """A store of one kind of facts."""

    @property
    def kind(self) -> FactKind:
        """Returns the kind of its vectors."""

    def scopes(self, owner: Principal) -> Sequence[str]:
        """Returns the scopes to search for a person."""

    async def read(self, connection: Connection, owner: Principal, ids: Sequence[int]) -> list[Known]:
        """Returns those of the given rows that are current and that a person may read."""

    async def newest(self, connection: Connection, owner: Principal, limit: int) -> list[Known]:
        """Returns a person's own newest facts."""

    async def has_others(self, connection: Connection, owner: Principal) -> bool:
        """Returns whether there may be facts besides a person's own that they may read."""

    async def lock(self, connection: Connection, owner: Principal) -> None:
        """Takes a lock so that no other transaction learns for a user until this one ends."""

    def text_of(self, known: Known) -> str:
        """Returns the text of a fact that is embedded."""


@dataclass(frozen=True)
class SimilaritySearch(Generic[Known]):
    """Finds similar known facts. Safe for concurrent use."""

    facts: FactVectors
    store: Store[Known]

    async def candidates(self, connection: Connection, owner: Principal, texts: Sequence[str]) -> list[Known]:
        """Returns facts that may be related to the last of some texts, the most similar first, then the newest."""
        recent = await self.store.newest(connection, owner, MAX_CANDIDATES)
        if await self._are_all(connection, owner, recent, MAX_CANDIDATES):
            return recent
        likeness: dict[int, float] = {}
        scopes = self.store.scopes(owner)
        for results in await self.facts.search_like(self.store.kind, scopes, texts[-_QUERIES:], MAX_CANDIDATES):
            for found in results:
                likeness[found.id] = max(likeness.get(found.id, 0.0), found.cosine)
        known = await self.store.read(connection, owner, list(likeness))
        best = sorted(known, key=lambda each: -likeness[each.id])[:MAX_CANDIDATES]
        shown = {each.id for each in best}
        return (best + [each for each in recent if each.id not in shown])[:MAX_CANDIDATES]

    async def same(self, connection: Connection, owner: Principal, texts: Sequence[str]) -> dict[str, Known]:
        """Returns duplicates of texts, by text."""
        if not texts:
            return {}
        recent = await self.store.newest(connection, owner, _RECENT)
        near = {each.id: each for each in recent}
        if not await self._are_all(connection, owner, recent, _RECENT):
            results = await self.facts.search_like(self.store.kind, self.store.scopes(owner), texts, _NEAREST)
            similar = {found.id for each in results for found in each if found.cosine >= SAME_COSINE} - near.keys()
            near |= {each.id: each for each in await self.store.read(connection, owner, sorted(similar))}
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

    async def _are_all(self, connection: Connection, owner: Principal, recent: Sequence[Known], asked: int) -> bool:
        """Returns whether a person's newest facts are all that they may read, so that nothing needs to be searched."""
        return len(recent) < asked and not await self.store.has_others(connection, owner)
