"""Calls with what belongs to others, and what is wrong with what comes of them."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from typing import Any

from echomind_lib.errors import EchoMindError
from tests.drivers.client import METHODS, TRANSPORTS, Transport
from tests.drivers.foreign.places import MARK, PHRASE, mark
from tests.drivers.foreign.requests import Field, is_read, request, words
from tests.drivers.foreign.rules import Place, Reader, may_change, may_see
from tests.factories.permissions import reachable
from tests.factories.references.fields import own_resource

AT_ONCE = 12
PAGES = 5
REFUSALS = {"NOT_FOUND", "PERMISSION_DENIED"}
STREAMED = 20
"""Items that are read of a stream."""
FIRST_SECONDS = 60.0
"""How long a stream may take to its first item or its refusal."""
WORDS = 2
"""Of how many places the marks are asked for by each text that filters, unless all are."""
QUIET_SECONDS = 0.3
"""After which a stream that has begun is left."""


@dataclass
class Answer:
    """What a call came to: everything that was returned, or why it was refused."""

    text: str
    reason: str = ""


@dataclass
class Calls:
    """Makes calls and keeps what was wrong."""

    places: list[Place]
    readers: list[Reader]
    fields: list[Field]
    values: dict[tuple[str, str, str], list[Any]]
    """By place, table and column."""
    is_thorough: bool = False
    """Whether everything is asked for: else reads go over the two transports by turns, about one row of each noun, and
    each reference is tried with what one of the other people has, by turns."""
    count: Counter[str] = field(default_factory=Counter)
    seen: set[tuple[str, str]] = field(default_factory=set)
    """Place and table of everything that was shown to anybody."""
    faults: list[str] = field(default_factory=list)
    _absent: dict[Any, asyncio.Task[Answer]] = field(default_factory=dict)
    """What comes of calls with what there is not."""

    def __post_init__(self) -> None:
        """Begins with the first place."""
        self._in_turn = cycle(self.places)
        self._turns = count()

    async def all(self, reader: Reader, *, reads: bool) -> None:
        """Makes all reads, or all writes, of one person."""
        busy = asyncio.Semaphore(AT_ONCE)

        async def one(made: Any) -> None:
            async with busy:
                await made

        plan = list(self._reads(reader) if reads else self._writes(reader))
        async with asyncio.TaskGroup() as group:
            for each in plan:
                group.create_task(one(each))

    def _reads(self, reader: Reader) -> Iterator[Any]:
        for method in filter(is_read, METHODS):
            transports = [via for via in TRANSPORTS if reachable(method, via)]
            for vias in ([via] for via in transports) if self.is_thorough else [transports]:
                yield from self._reads_over(reader, method, cycle(vias))

    def _reads_over(self, reader: Reader, method: str, vias: Iterator[Transport]) -> Iterator[Any]:
        if not own_resource(method):
            yield self.look(reader, method, request(method, 0), next(vias))
        for each in (each for each in self.fields if each.method == method):
            yield from self._references(reader, each, vias)
        for path in words(method):
            places = self.places if self.is_thorough else islice(self._in_turn, WORDS)
            for asked in [PHRASE, *(f"zq{place.name}" for place in places)]:
                own = self._own(reader, method)
                yield self.look(reader, method, request(method, own, path, asked), next(vias))

    def _writes(self, reader: Reader) -> Iterator[Any]:
        for each in self.fields:
            if not each.is_read:
                yield from self._references(reader, each, cycle(["grpc"]))

    def _references(self, reader: Reader, of: Field, vias: Iterator[Transport]) -> Iterator[Any]:
        is_own = _is_resource(of)
        own = self._own(reader, of.method)
        for place in self._asked(reader):
            if not of.is_read and may_change(reader, place.name, of.table):
                continue
            if not of.is_read and may_see(reader, place.name, of.table) and not is_own:
                continue  # what one may see may be referred to
            if not of.is_read and of.path.endswith("recipients.user_name"):
                continue  # whoever is named in full can be shared with
            values = self.values.get((place.name, of.table, of.column), [])
            for value in values if self.is_thorough else values[:1]:
                asked = request(of.method, value) if is_own else request(of.method, own, of.path, value)
                if may_see(reader, place.name, of.table):
                    yield self.look(reader, of.method, asked, next(vias), refused=not of.is_read)
                else:
                    absent = _absent(value)
                    other = request(of.method, absent) if is_own else request(of.method, own, of.path, absent)
                    yield self._compare(reader, of, (asked, value), (other, absent), next(vias))

    def _asked(self, reader: Reader) -> list[Place]:
        """Returns the places from which a reader asks for something."""
        others = [place.name for place in self.places if place.scope == "user" and place.name != reader.name]
        left_out = set() if self.is_thorough else {*others} - {others[next(self._turns) % len(others)]}
        return [place for place in self.places if place.name not in left_out]

    def _own(self, reader: Reader, method: str) -> Any:
        """Returns something of the reader's that a method is about."""
        paths = own_resource(method)
        tables = [each.table for each in self.fields if each.method == method and each.path in paths]
        found = [self.values.get((reader.name, table, "id"), []) for table in tables]
        return found[0][0] if found and found[0] else 0

    async def look(
        self, reader: Reader, method: str, asked: dict[str, Any], via: Transport, *, refused: bool = False
    ) -> Answer:
        """Calls a method, and keeps what is wrong with the answer; `refused` is one that must not be done."""
        answer = await self._call(reader, method, asked, via)
        if refused and answer.reason not in REFUSALS:
            self.faults.append(f"{reader.name} {method} {asked}: {answer.reason or 'was done'}")
        return answer

    async def _compare(
        self, reader: Reader, of: Field, asked: tuple[Any, Any], absent: tuple[Any, Any], via: Transport
    ) -> None:
        """What one may not see is as what there is not."""
        found = await self._call(reader, of.method, asked[0], via)
        key = reader.name, of.method, of.path, via, absent[1]
        if key not in self._absent:
            self._absent[key] = asyncio.create_task(self._call(reader, of.method, absent[0], via))
        other = await self._absent[key]
        same = found.reason == other.reason and (
            not of.is_read or _without(found.text, asked[1], absent[1]) == _without(other.text, asked[1], absent[1])
        )
        if not same:
            said = f"{found.reason} {found.text[:200]}; for what there is not {other.reason} {other.text[:200]}"
            self.faults.append(f"{reader.name} {of.method} {of.path} {of.table} {asked[1]}: {said}")
        elif not of.is_read and _is_resource(of) and found.reason not in REFUSALS:
            self.faults.append(f"{reader.name} {of.method} {asked[0]}: {found.reason or 'was done'}")

    async def _call(self, reader: Reader, method: str, asked: dict[str, Any], via: Transport) -> Answer:
        kind = "reads" if is_read(method) else "writes"
        said = json.dumps(asked)
        pages: list[str] = []
        asked = dict(asked)
        reason = ""
        try:
            for _ in range(PAGES):
                self.count[kind] += 1
                answer = await _answer(reader, method, asked, via)
                pages.append(json.dumps(answer))
                asked["pageToken"] = answer.get("nextPageToken", "") if isinstance(answer, dict) else ""
                if not asked["pageToken"]:
                    break
        except EchoMindError as error:
            pages.append(str(error))
            reason = error.reason
        except Exception as error:  # noqa: BLE001 -- a call must answer or refuse; whatever else comes is a fault
            self.faults.append(f"{reader.name} {method} {said} over {via}: {error!r}")
            reason = type(error).__name__
        text = "\n".join(pages)
        for place, table in set(MARK.findall(text)):
            if f"zq{place}.{table}qz" in said:
                continue  # what was asked is said again
            self.seen.add((place, table))
            if not may_see(reader, place, table) and not self._is_named_to(reader, place, table, method):
                self.faults.append(f"{reader.name} {method} {said} shows {table} of {place}")
        return Answer(text, reason)

    def _is_named_to(self, reader: Reader, place: str, table: str, method: str) -> bool:
        """Returns whether a person is named to somebody: in a notebook that they share, or in the directory."""
        members = {each.name for each in self.readers if each.rooms}
        is_in_notebook = method.startswith("Notebook") and {reader.name, place} <= members
        return table == "users" and (is_in_notebook or method == "DirectoryService/SearchDirectory")


def _is_resource(of: Field) -> bool:
    """Returns whether a field names what a method is about, rather than something within it."""
    paths = own_resource(of.method)
    return of.path in paths and (of.path == "id" or "id" not in paths)


async def _answer(reader: Reader, method: str, asked: dict[str, Any], via: Transport) -> Any:
    if not METHODS[method].server_streaming:
        return await reader.client.call(method, asked, via)
    items: list[Any] = []
    transport = reader.client.grpc() if via == "grpc" else reader.client.rest()
    async with aclosing(transport.stream(METHODS[method], asked)) as stream:
        try:
            while len(items) < STREAMED:
                async with asyncio.timeout(QUIET_SECONDS if items else FIRST_SECONDS):
                    items.append(str(await anext(stream)))
        except (TimeoutError, StopAsyncIteration):
            pass
    return items


def _without(text: str, *references: Any) -> str:
    """Returns what an answer says beside the references that it may say again."""
    return re.sub("|".join(rf"\b{re.escape(str(each))}\b" for each in references), "", text)


def _absent(value: Any) -> Any:
    """Returns a reference of the same type to what there is not."""
    if isinstance(value, int):
        return 32_000 if value < 10_000 else 2_000_000_000
    return "019a0000-0000-7000-8000-000000000000" if value.count("-") == 4 and len(value) == 36 else "nothing"


__all__ = ["Calls", "mark"]
