"""A client's parser of server-sent events: from a byte stream to data payloads.

It follows "Interpreting an event stream" of the HTML standard, with three deviations. Event names, ids and retry times
are ignored, as the servers used here put everything into the data; events without data are ignored, too. Payloads are
bytes, as JSON decoders accept them, so characters split between two reads need no handling. An event without its empty
line at the end of the stream is returned, as some servers omit the last one.
"""

MAX_EVENT_BYTES = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class EventTooLargeError(ValueError):
    """One event exceeds `MAX_EVENT_BYTES`."""


class SseParser:
    """Parses the bytes of one response, split anywhere."""

    __slots__ = ("_rest", "_started")

    def __init__(self) -> None:
        self._rest = b""
        self._started = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Returns the data of the events that this chunk completes, in order.

        Raises:
            EventTooLargeError: An incomplete event exceeds `MAX_EVENT_BYTES`.
        """
        data = self._rest + chunk if self._rest else chunk
        if not self._started:
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._rest = data
                return []
            self._started = True
            data = data.removeprefix(_BOM)
        held = b""
        if b"\r" in data:
            if data.endswith(b"\r"):  # possibly the first half of \r\n
                data, held = data[:-1], b"\r"
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        blocks = data.split(b"\n\n")
        self._rest = blocks.pop() + held
        if len(self._rest) > MAX_EVENT_BYTES:
            raise EventTooLargeError(f"an event is larger than {MAX_EVENT_BYTES} bytes")
        payloads = []
        for block in blocks:
            payload = block[6:] if block.startswith(b"data: ") and b"\n" not in block else _payload(block)
            if payload:
                payloads.append(payload)
        return payloads

    def finish(self) -> list[bytes]:
        """Returns the data of an incomplete event at the end of the stream, if any."""
        payload = _payload(self._rest.replace(b"\r", b"\n"))
        self._rest = b""
        return [payload] if payload else []


def _payload(block: bytes) -> bytes:
    """Returns the joined data lines of one event."""
    lines = []
    for line in block.split(b"\n"):
        if line.startswith(b"data:"):
            lines.append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif line == b"data":
            lines.append(b"")
    return b"\n".join(lines)
