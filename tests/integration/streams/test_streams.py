"""Event streams: stored events in order and exactly once, text that adds up, whatever is lost on the way."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import nullcontext
from uuid import UUID

import pytest
from nats.aio.msg import Msg

from echomind_agent.state.delta_writer import DeltaWriter
from echomind_api.retention import events as event_retention
from echomind_api.retention.events import EventExpiry
from echomind_api.streams import Subscriber
from echomind_lib.errors import SlowReaderError
from echomind_lib.messaging import Bus, events_subject, snapshot_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import (
    EventsStored,
    SnapshotReply,
    SnapshotRequest,
    TextDelta,
)
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease
from echomind_lib.runs.fence import RunLease
from echomind_lib.runs.finish import Answer, Ending
from tests.drivers.stream_stage import Reader, Stage
from tests.drivers.wire import unheard


async def _serve_snapshots(bus: Bus, run_id: UUID, writer: DeltaWriter) -> None:
    async def reply(message: Msg) -> None:
        await message.respond(writer.snapshot().SerializeToString())

    await bus.subscribe(snapshot_subject(run_id), reply)


async def _finish(stage: Stage, taken: RunLease, text: str) -> None:
    await finish.finish(stage.log, taken, Answer(text, 1), Ending("completed", "Answered"))


async def _progress(stage: Stage, taken: RunLease, text: str) -> None:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    await lease.record_events(stage.log, taken, [event])


async def test_watcher_gets_everything_in_order(stage: Stage) -> None:
    reader = Reader()
    following = asyncio.create_task(stage.follow(reader))
    await reader.begun.wait()
    taken = await stage.take()
    writer = DeltaWriter(stage.bus, taken.run, bool)
    await _progress(stage, taken, "one")
    for word in ("Gr", "üß", "e 🎉", " an", " alle"):
        await writer.write(word)
    await writer.close()
    await _finish(stage, taken, writer.text)
    await asyncio.wait_for(following, 60)
    stored = await stage.database.pool.fetch("SELECT id FROM run_events ORDER BY id")
    assert reader.ids == [row["id"] for row in stored]
    assert reader.final is not None
    assert reader.final.message.content == "Grüße 🎉 an alle"


async def test_late_watcher_gets_the_text_so_far(stage: Stage) -> None:
    taken = await stage.take()
    writer = DeltaWriter(stage.bus, taken.run, bool)
    await _serve_snapshots(stage.bus, taken.run_id, writer)
    await writer.write("Hello")
    await writer.flush()
    reader = Reader()
    await stage.follow(reader, drop_after=3)  # queued, working, snapshot
    assert reader.text == "Hello"


async def test_lost_announcement_delays_and_does_not_hang(stage: Stage) -> None:
    reader = Reader()
    following = asyncio.create_task(stage.follow(reader))
    await reader.begun.wait()
    taken = await stage.take()
    with unheard():
        await _progress(stage, taken, "lost")
        await _finish(stage, taken, "all")
    await asyncio.wait_for(following, 60)
    assert reader.final is not None
    assert reader.final.message.content == "all"


async def test_events_that_are_larger_than_a_message_are_read_from_the_table(stage: Stage) -> None:
    announced: asyncio.Queue[EventsStored] = asyncio.Queue()

    async def keep(message: Msg) -> None:
        await announced.put(EventsStored.FromString(message.data))

    reader = Reader()
    taken = await stage.take()
    await stage.bus.subscribe(events_subject(stage.sent.chat_session_id), keep)
    await stage.bus.flush()
    following = asyncio.create_task(stage.follow(reader))
    await reader.begun.wait()
    answer = "x" * 2 * stage.bus.client.max_payload
    await _finish(stage, taken, answer)
    await asyncio.wait_for(following, 30)
    assert reader.final is not None
    assert reader.final.message.content == answer
    last = await asyncio.wait_for(announced.get(), 30)
    assert (last.previous_id, len(last.events)) == (reader.ids[-1], 0)


async def test_a_second_attempt_starts_the_text_over(stage: Stage) -> None:
    reader = Reader()
    following = asyncio.create_task(stage.follow(reader))
    await reader.begun.wait()
    first = await stage.take()
    before = DeltaWriter(stage.bus, first.run, bool)
    await before.write("half an ans")
    await before.flush()
    await stage.database.pool.execute("DELETE FROM workers")
    second = await stage.take()
    await before.write("wer of the dead")
    await before.flush()
    after = DeltaWriter(stage.bus, second.run, bool)
    await after.write("whole")
    await after.close()
    await _finish(stage, second, "whole")
    await asyncio.wait_for(following, 60)
    assert reader.text == "whole"


async def test_readers_that_come_and_go_end_with_the_stored_answer(stage: Stage) -> None:
    chance = random.Random(7)
    words = [f" {n}é" for n in range(300)]

    async def client(number: int, reader: Reader) -> None:
        while reader.final is None:
            await stage.follow(
                reader, number % 2, drop_after=chance.randrange(1, 12) if chance.random() < 0.8 else None
            )

    readers = [Reader() for _ in range(6)]
    clients = [asyncio.create_task(client(number, reader)) for number, reader in enumerate(readers)]
    taken = await stage.take()
    writer = DeltaWriter(stage.bus, taken.run, bool)
    await _serve_snapshots(stage.bus, taken.run_id, writer)
    for number, word in enumerate(words):
        await writer.write(word)
        if number % 20 == 0:
            with unheard() if chance.random() < 0.3 else nullcontext():
                await _progress(stage, taken, str(number))
            await asyncio.sleep(0)
    await writer.close()
    await _finish(stage, taken, writer.text)
    await asyncio.wait_for(asyncio.gather(*clients), 60)
    everything = [row["id"] for row in await stage.database.pool.fetch("SELECT id FROM run_events ORDER BY id")]
    for reader in readers:
        assert reader.ids == everything
        assert reader.final is not None
        assert reader.final.message.content == "".join(words)


async def test_content_is_withheld_only_from_readers_without_access(stage: Stage) -> None:
    owner, other = Reader(), Reader()
    following = [
        asyncio.create_task(stage.follow(owner)),
        asyncio.create_task(stage.follow(other, own=False)),
    ]
    for reader in (owner, other):
        await reader.begun.wait()
    taken = await stage.take()
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS)
    event.sources.sources.add(number=1, document_id=1, title="Plans")
    await lease.record_events(stage.log, taken, [event])
    await _finish(stage, taken, "x")
    await asyncio.wait_for(asyncio.gather(*following), 60)
    assert [source.title for source in owner.sources] == ["Plans"]
    assert [source.title for source in other.sources] == [""]


async def test_deleted_events_are_reported_as_a_gap(stage: Stage) -> None:
    taken = await stage.take()
    for text in ("one", "two", "three"):
        await _progress(stage, taken, text)
    await _finish(stage, taken, "So.")
    rows = await stage.database.pool.fetch("SELECT id FROM run_events ORDER BY id")
    ids = [row["id"] for row in rows]
    await stage.database.pool.execute("DELETE FROM run_events WHERE id <= $1", ids[2])
    from_the_beginning, behind, beyond = Reader(), Reader(ids=ids[:2]), Reader(ids=ids[:3])
    for reader in (from_the_beginning, behind, beyond):
        await asyncio.wait_for(stage.follow(reader), 60)
    assert (from_the_beginning.gaps, from_the_beginning.ids) == ([ids[2]], ids[3:])
    assert (behind.gaps, behind.ids) == ([ids[2]], ids[:2] + ids[3:])
    assert (beyond.gaps, beyond.ids) == ([], ids)


async def test_events_of_ended_runs_are_deleted_after_their_days_except_the_last_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Young runs and active ones keep theirs; the stream of a pruned run has a gap and its end."""
    monkeypatch.setattr(event_retention, "_BATCH", 2)
    pool = stage.database.pool
    taken = await stage.take()
    for text in ("one", "two", "three"):
        await _progress(stage, taken, text)
    before = [row["id"] for row in await pool.fetch("SELECT id FROM run_events ORDER BY id")]
    await pool.execute("UPDATE run_events SET creation_date = now() - interval '40 days'")
    await pool.execute("UPDATE chat_sessions SET creation_date = now() - interval '50 days'")
    retention = EventExpiry(stage.database, 30)
    assert await retention.sweep() == 0  # the run is active
    await _finish(stage, taken, "So.")
    assert await retention.sweep() == 0  # it ended now
    await pool.execute("UPDATE runs SET completed_at = now() - interval '31 days'")
    assert await EventExpiry(stage.database, 0).sweep() == 0
    assert await retention.sweep() == len(before)
    assert await retention.sweep() == 0
    left = [row["id"] for row in await pool.fetch("SELECT id FROM run_events ORDER BY id")]
    assert not set(left) & set(before)
    reader = Reader()
    await asyncio.wait_for(stage.follow(reader), 60)
    assert (reader.gaps, reader.ids) == ([before[-1]], left)
    assert reader.final is not None
    assert reader.final.message.content == "So."


async def test_a_run_without_a_worker_ends_with_its_message_too(stage: Stage) -> None:
    """What the announcement of such an end leaves out is filled in."""
    reader = Reader()
    following = asyncio.create_task(stage.follow(reader))
    await reader.begun.wait()
    final = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_FINAL)
    final.finished.status = run_pb2.RUN_STATUS_CANCELLED
    taken = await stage.take()
    await lease.record_events(stage.log, taken, [final])
    await asyncio.wait_for(following, 60)
    assert reader.final is not None
    assert reader.final.message.id == stage.sent.assistant_message_id


async def test_text_of_an_earlier_answer_is_passed_over(stage: Stage) -> None:
    """Who begins to read with a question has not seen the end of the run before, whose worker may still write."""
    async with stage.replicas[0].subscribe(stage.sent.chat_session_id, stage.principal, 0) as subscriber:
        for message_id, text in ((2, "Hello"), (1, "old"), (2, " there")):
            piece = TextDelta(run_id=str(UUID(int=message_id)))
            piece.delta.message_id, piece.delta.attempt, piece.delta.text = message_id, 1, text
            piece.delta.offset = 5 if text == " there" else 0
            subscriber.put(piece)
        events = subscriber.events(replay=False)
        async with asyncio.timeout(60):
            assert [(await anext(events)).delta.text for _ in range(2)] == ["Hello", " there"]


async def test_a_text_comes_with_the_numbers_of_its_sources(stage: Stage) -> None:
    """Also where its beginning is known, so that its numbers are sources from their first appearance on."""
    async with stage.replicas[0].subscribe(stage.sent.chat_session_id, stage.principal, 0) as subscriber:
        for offset, text, cited in ((0, "30 days [1]", [3]), (0, "30 days [1], and", []), (16, " more [2]", [3, 5])):
            piece = TextDelta(run_id=str(UUID(int=1)))
            piece.delta.message_id, piece.delta.attempt, piece.delta.offset, piece.delta.text = 1, 1, offset, text
            piece.delta.cited_sources.extend(cited)
            subscriber.put(piece)
        events = subscriber.events(replay=False)
        async with asyncio.timeout(60):
            found = [(await anext(events)).delta for _ in range(3)]
    expected = [("30 days [1]", [3]), (", and", []), (" more [2]", [3, 5])]
    assert [(delta.text, list(delta.cited_sources)) for delta in found] == expected


async def test_text_of_members_comes_to_the_owner_each_piece_once(stage: Stage) -> None:
    """Of several at the same time; a later attempt begins again, and one who is not the owner gets none of it."""
    pieces = [("a", 1, 0, "One"), ("b", 1, 0, "Two"), ("a", 1, 0, "One more"), ("a", 2, 0, "Ag"), ("a", 1, 8, "old")]
    feeds, session = stage.replicas[0], stage.sent.chat_session_id
    shown = [("Ada", 1, 0, "One"), ("Bob", 1, 0, "Two"), ("Ada", 1, 3, " more"), ("Ada", 2, 0, "Ag")]
    for own, expected in ((True, shown), (False, [])):
        async with feeds.subscribe(session, stage.principal, 0, own=own) as subscriber:
            for run, attempt, offset, text in [*pieces, ("end", 1, 0, "!")]:
                piece = TextDelta(run_id=run, member={"a": "Ada", "b": "Bob"}.get(run, ""))
                if run == "end":
                    piece.delta.message_id, piece.delta.attempt, piece.delta.text = 2, 1, text
                else:
                    piece.run_text.attempt, piece.run_text.offset, piece.run_text.text = attempt, offset, text
                subscriber.put(piece)
            found = []
            async with asyncio.timeout(60):
                async for event in subscriber.events(replay=False):
                    if event.HasField("delta"):
                        break
                    written = event.run_text
                    found.append((event.member, written.attempt, written.offset, written.text))
            assert found == expected


async def test_a_slow_reader_gets_the_position_to_resume_from(stage: Stage) -> None:
    taken = await stage.take()
    async with stage.replicas[0].subscribe(stage.sent.chat_session_id, stage.principal, 0) as subscriber:
        events = subscriber.events()
        seen = [await anext(events)]
        _flood(subscriber)
        with pytest.raises(SlowReaderError) as caught:
            await _read_on(events, seen)
    assert caught.value.metadata["after"] == str(seen[-1].id)
    await _finish(stage, taken, "x")


async def test_leaving_counts_when_the_answer_comes_in_the_same_moment(nats_url: str) -> None:
    async def answer(message: Msg) -> None:
        await message.respond(b"")

    bus = await Bus.connect(nats_url, "test")
    await bus.subscribe("snapshot.*", answer)
    client = bus.client
    for work, waiting in (
        (bus.flush(), client._pongs),
        (bus.request("snapshot.x", SnapshotRequest(), SnapshotReply, 2.0), client._resp_map),
    ):
        leaving = asyncio.create_task(work)
        while not waiting:  # noqa: ASYNC110 - the client tells nobody that it has sent its question
            await asyncio.sleep(0)
        answered = waiting[0] if isinstance(waiting, list) else next(iter(waiting.values()))
        answered.set_result(Msg(client))
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        if isinstance(waiting, list):
            waiting.clear()
    await client.close()


async def _read_on(events: AsyncIterator[SessionEvent], seen: list[SessionEvent]) -> None:
    async for event in events:
        seen.append(event)  # noqa: PERF401 - what was seen before the error counts


def _flood(subscriber: Subscriber) -> None:
    for _ in range(5000):
        subscriber.put(EventsStored())
