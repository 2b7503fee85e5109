"""Live text on its way out."""

import asyncio
from uuid import UUID

from nats.aio.msg import Msg

from echomind_agent.state.delta_writer import FLUSH_SECONDS, DeltaWriter
from echomind_lib.messaging import Bus, deltas_subject
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from tests.factories.run_records import new_run

_RUN = UUID("11111111-1111-1111-1111-111111111111")


async def _heard(bus: Bus) -> "asyncio.Queue[pb.TextDelta]":
    heard: asyncio.Queue[pb.TextDelta] = asyncio.Queue()

    async def on_message(message: Msg) -> None:
        heard.put_nowait(pb.TextDelta.FromString(message.data))

    await bus.subscribe(deltas_subject(5), on_message)
    await bus.client.flush()
    return heard


def _writer(bus: Bus) -> DeltaWriter:
    return DeltaWriter(bus, new_run(id=_RUN, attempt=2), lambda number: number < 9)


async def test_first_delta_goes_at_once_and_the_rest_together(nats_url: str) -> None:
    bus = await Bus.connect(nats_url, "test")
    heard, writer = await _heard(bus), _writer(bus)
    await writer.write("A😀")
    first = await heard.get()
    assert (first.run_id, first.delta.message_id, first.delta.attempt) == (str(_RUN), 9, 2)
    assert (first.delta.offset, first.delta.text) == (0, "A😀")
    for letter in "bcd":
        await writer.write(letter)
    second = await heard.get()
    # Code points, not bytes or UTF-16 units.
    assert (second.delta.offset, second.delta.text) == (2, "bcd")
    await bus.close()


async def test_many_small_deltas_become_few(nats_url: str) -> None:
    bus = await Bus.connect(nats_url, "test")
    heard, writer = await _heard(bus), _writer(bus)
    loop = asyncio.get_running_loop()
    began = loop.time()
    written = 0
    while loop.time() - began < 5 * FLUSH_SECONDS:
        await writer.write("x")
        written += 1
        await asyncio.sleep(0)
    await writer.close()
    text = ""
    messages = 0
    while len(text) < written:
        delta = (await heard.get()).delta
        assert delta.offset == len(text)
        text += delta.text
        messages += 1
    assert messages <= (loop.time() - began) / FLUSH_SECONDS + 2
    assert written > 10 * messages
    await bus.close()


async def test_what_waits_is_dropped_when_the_whole_text_follows(nats_url: str) -> None:
    bus = await Bus.connect(nats_url, "test")
    heard, writer = await _heard(bus), _writer(bus)
    await writer.write("One.")
    await writer.write(" Two.")
    await writer.close(send=False)
    assert writer.text == "One. Two."
    assert writer.snapshot().snapshot.text == "One. Two."
    other = _writer(bus)
    await other.write("Mark.")
    assert [(await heard.get()).delta.text for _ in range(2)] == ["One.", "Mark."]
    await bus.close()


async def test_a_run_without_a_message_sends_its_text_as_its_own(nats_url: str) -> None:
    bus = await Bus.connect(nats_url, "test")
    heard = await _heard(bus)
    run = new_run(id=_RUN, attempt=2, kind="member", message_id=None, assistant={"name": "Researcher"})
    writer = DeltaWriter(bus, run, lambda number: number < 9)
    await writer.write("A😀 [7]")
    await writer.write(".")
    first, second = await heard.get(), await heard.get()
    assert not first.HasField("delta")
    assert (first.run_id, first.member, first.run_text.attempt) == (str(_RUN), "Researcher", 2)
    # With the run's own numbers of sources.
    assert [(each.run_text.offset, each.run_text.text) for each in (first, second)] == [(0, "A😀 [7]"), (6, ".")]
    assert writer.snapshot().run_text.text == "A😀 [7]."
    assert writer.snapshot().member == "Researcher"
    await bus.close()
