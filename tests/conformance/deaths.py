"""Workers that die at a chosen point of a sync or of the pipeline."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from echomind_ingestor.pipeline import processing, removal
from echomind_ingestor.sync import outcomes, pages, pruning, slices
from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.frontier import StoredFrontier
from echomind_ingestor.sync.groups import GroupReading
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.objects import ObjectStore
from echomind_lib.vectors import VectorIndex


class KilledError(BaseException):
    """The process is dead: nothing handles it."""


_BESIDE_PAGES = (
    (slices.SyncSlice, "_begin"),
    (GroupReading, "apply"),
    (StoredFrontier, "add"),
    (StoredFrontier, "record"),
    (StoredFrontier, "forget_removed"),
)
"""What a sync commits beside its pages."""


class Killer:
    """Dies at one of the points where order matters: before and after each commit, and after each stored content."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._left = -1
        store = Contents.store

        @asynccontextmanager
        async def transaction(*arguments: Any) -> AsyncIterator[Any]:
            async with fenced(*arguments) as connection:
                yield connection
                self._step()
            self._step()

        async def stored(*arguments: Any, **named: Any) -> Any:
            found = await store(*arguments, **named)
            self._step()
            return found

        for module in (pages, outcomes, pruning):
            patch.setattr(module, "fenced", transaction)
        patch.setattr(Contents, "store", stored)
        for owner, name in _BESIDE_PAGES:
            patch.setattr(owner, name, self._followed(getattr(owner, name)))

    def _followed(self, original: Any) -> Any:
        async def call(*arguments: Any, **named: Any) -> Any:
            found = await original(*arguments, **named)
            self._step()
            return found

        return call

    def at(self, point: int) -> None:
        """Dies at the point of that number, from 0."""
        self._left = point

    @property
    def has_struck(self) -> bool:
        return self._left == -1

    def _step(self) -> None:
        if self._left == 0:
            self._left = -1
            raise KilledError
        if self._left > 0:
            self._left -= 1

    def stop(self) -> None:
        self._left = -1


_PIPELINE = (
    (ObjectStore, "put"),
    (ObjectStore, "delete_all"),
    (VectorIndex, "upsert"),
    (VectorIndex, "delete"),
    (VectorIndex, "set_payload"),
)
"""Where the pipeline changes something outside the database; the statements of `documents` are the other points."""


_STATEMENTS = (
    *((processing, name) for name in ("CLAIM", "REPORT", "PUBLISH", "COMPLETE")),
    *((removal, name) for name in ("_HIDE", "_NOT_INDEXED", "_DELETE")),
)


class PipelineKiller:
    """Dies before or after one of the changes that the pipeline makes; a dead worker does nothing any more."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._left = -1
        for owner, name in _PIPELINE:
            patch.setattr(owner, name, self._wrapped(getattr(owner, name)))
        for module, name in _STATEMENTS:
            patch.setattr(module, name, _Statement(self, getattr(module, name)))

    def at(self, point: int) -> None:
        """Dies at the point of that number, from 0."""
        self._left = point

    @property
    def has_struck(self) -> bool:
        return self._left < 0

    def step(self) -> None:
        if self._left == 0:
            self._left = -1
            raise KilledError
        self._left = max(self._left - 1, -1)

    def _wrapped(self, original: Any) -> Any:
        async def call(*arguments: Any, **named: Any) -> Any:
            self.step()
            found = await original(*arguments, **named)
            self.step()
            return found

        return call


class _Statement:
    """A statement with a point before and after it."""

    def __init__(self, killer: PipelineKiller, statement: Any) -> None:
        self._killer, self._statement = killer, statement

    def __getattr__(self, name: str) -> Any:
        return self._killer._wrapped(getattr(self._statement, name))
