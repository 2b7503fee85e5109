"""Compound files ([MS-CFB]), in which old Office keeps its documents."""

import struct
from collections.abc import Mapping

_SECTOR = 512
_STREAM = 4096
"""Bytes of each stream; shorter ones would be in a stream of their own."""
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Returns a compound file with at most three streams of at most 4,096 bytes each, padded with zeros."""
    per_stream = _STREAM // _SECTOR
    fat = [_FAT, _END]
    for index in range(len(streams)):
        first = 2 + index * per_stream
        fat += [*range(first + 1, first + per_stream), _END]
    fat += [_FREE] * (_SECTOR // 4 - len(fat))
    entries = [_entry("Root Entry", 5, child=1, right=_FREE, start=_END, size=0)]
    for index, name in enumerate(streams, start=1):
        right = index + 1 if index < len(streams) else _FREE
        entries.append(_entry(name, 2, child=_FREE, right=right, start=2 + (index - 1) * per_stream, size=_STREAM))
    directory = b"".join(entries).ljust(_SECTOR, b"\0")
    header = struct.pack(
        "<8s16x5H6x9I",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, 1, 0, _STREAM, _END, 0, _END, 0),
    )
    difat = struct.pack("<109I", 0, *[_FREE] * 108)
    body = b"".join(data.ljust(_STREAM, b"\0") for data in streams.values())
    return header + difat + struct.pack(f"<{len(fat)}I", *fat) + directory + body


def _entry(name: str, kind: int, *, child: int, right: int, start: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le")
    head = encoded.ljust(64, b"\0") + struct.pack("<HBB3I", len(encoded) + 2, kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
