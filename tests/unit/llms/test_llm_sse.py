"""Server-sent events: any split of the bytes and any line ending result in the same payloads."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.network import sse
from echomind_lib.network.sse import EventTooLargeError, SseParser
from tests.drivers.tables import for_each

# Lines of a payload: no line breaks inside, and not all empty, since an event without data is none.
LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)
PAYLOAD = st.lists(LINE, min_size=1, max_size=3).map("\n".join).filter(bool)
NOISE = st.sampled_from([": ping", "event: message_start", "id: 7", "retry: 100", "unknown: field", "event"])
LINE_END = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[bytes], bytes]:
    """Payloads, and a stream that carries them among comments and other fields."""
    payloads = draw(st.lists(PAYLOAD, max_size=6))
    end = draw(LINE_END)
    text = "\ufeff" if draw(st.booleans()) else ""
    for payload in payloads:
        lines = draw(st.lists(NOISE, max_size=2))
        for line in payload.split("\n"):
            bare = draw(st.booleans()) and not line.startswith(" ")
            lines.append(f"data:{line}" if bare else f"data: {line}")
        text += end.join(lines) + end * draw(st.integers(2, 4))
    return [payload.encode() for payload in payloads], text.encode()


def parse(chunks: list[bytes]) -> list[bytes]:
    parser = SseParser()
    received = [payload for chunk in chunks for payload in parser.feed(chunk)]
    return received + parser.finish()


@given(streams(), st.data())
def test_payloads_do_not_depend_on_how_the_bytes_are_split(
    stream: tuple[list[bytes], bytes], data: st.DataObject
) -> None:
    payloads, encoded = stream
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)))) | {0, len(encoded)})
    chunks = [encoded[start:stop] for start, stop in pairwise(cuts)]
    assert parse(chunks) == payloads


@given(streams())
def test_every_single_byte_may_come_alone(stream: tuple[list[bytes], bytes]) -> None:
    payloads, encoded = stream
    assert parse([encoded[i : i + 1] for i in range(len(encoded))]) == payloads


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_any_bytes_are_parsed_without_error(chunks: list[bytes]) -> None:
    assert all(isinstance(payload, bytes) for payload in parse(chunks))


@for_each(
    ("stream", "payloads"),
    [
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a\ndata\ndata: b\n\n", [b"a\n\nb"]),
        (b"event: x\ndata: a\nid: 1\n\n", [b"a"]),
        (b": keep-alive\n\n\n\n: again\n\ndata: a\n\n", [b"a"]),
        (b"data:\n\ndata: \n\n", []),
        (b"database: a\n\n", []),
        (b"data: a\r\n\r\ndata: b\r\r", [b"a", b"b"]),
        (b"data: a\n\ndata: [DONE]", [b"a", b"[DONE]"]),
        (b"", []),
    ],
)
def test_fields_as_the_standard_has_them(stream: bytes, payloads: list[bytes]) -> None:
    assert parse([stream]) == payloads


def test_an_event_is_given_as_soon_as_it_is_complete() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.feed(b"\n") == [b"a"]
    assert parser.feed(b"data: b\r\n\r") == []
    assert parser.feed(b"\n") == [b"b"]


def test_an_endless_event_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)
    parser = SseParser()
    parser.feed(b"data: " + b"x" * 90)
    with pytest.raises(EventTooLargeError):
        parser.feed(b"x" * 10)
