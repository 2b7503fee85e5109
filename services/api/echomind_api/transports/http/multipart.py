"""Reads uploads: files are hashed on arrival, large ones buffered on disk, and names never used as paths."""

import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from echomind_api.calls.upload_space import UploadSpace
from echomind_lib.contract.text import refuse_nul
from echomind_lib.errors import FileRejectedError, ValidationFailedError
from echomind_lib.objects import ObjectStore

MAX_FILES: Final = 100
"""Files of one request."""
_MAX_FIELDS = 3 * MAX_FILES + 20
_FIELD_BYTES = 16 * 1024
_MEMORY_BYTES = 256 * 1024
"""Larger files go to disk. Most are smaller, and a file on disk costs more than all the rest of taking it in."""


@dataclass(slots=True)
class ReceivedFile:
    """A file of an upload, for as long as the upload is read."""

    name: str
    content_type: str
    size: int = 0
    sha256: str = ""
    data: bytearray = field(default_factory=bytearray)
    disk: IO[bytes] | None = None
    """Has the bytes instead of `data` when they are many."""

    async def put(self, objects: ObjectStore, key: str) -> None:
        """Stores the bytes in the object store."""
        if self.disk is None:
            await objects.put(key, bytes(self.data))
        else:
            await objects.put_file(key, Path(self.disk.name))


@dataclass(slots=True)
class Form:
    """The content of an upload: its files, and its fields, each with all its values in order."""

    files: list[ReceivedFile] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=dict)


@asynccontextmanager
async def receive(request: Request, space: UploadSpace) -> AsyncIterator[Form]:
    """Reads a `multipart/form-data` request; its files are deleted when the block ends.

    Args:
        request: The request, not read yet.
        space: The room for its files.

    Raises:
        FileRejectedError: A file is empty or too large, or all are together.
        OverloadedError: Too many files arrive at the same time.
        ValidationFailedError: The request is no multipart form, or has too many parts.
        ClientDisconnect: The client has left.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise _invalid("must be multipart/form-data")
    reader = _Reader(space)
    try:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": reader.begin_part,
                "on_header_field": reader.read_header_name,
                "on_header_value": reader.read_header_value,
                "on_header_end": reader.end_header,
                "on_headers_finished": reader.end_headers,
                "on_part_data": reader.read_data,
                "on_part_end": reader.end_part,
                "on_end": reader.end,
            },
        )
        async for piece in request.stream():
            parser.write(piece)
        parser.finalize()
        if not reader.complete:
            raise _invalid("ends before the form does")
        yield reader.form
    except FormParserError as error:
        raise _invalid(f"must be a valid multipart form: {error}") from error
    finally:
        reader.close()


class _Reader:
    """Collects the output of the parser."""

    def __init__(self, space: UploadSpace) -> None:
        self.form = Form()
        self.complete = False
        self._space = space
        self._taken = 0
        self._headers: dict[bytes, bytes] = {}
        self._header_name = b""
        self._header_value = b""
        self._field_name = ""
        self._text = bytearray()
        self._file: ReceivedFile | None = None
        self._hash = hashlib.sha256()

    def begin_part(self) -> None:
        self._headers = {}

    def read_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def read_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def end_header(self) -> None:
        self._headers[self._header_name.lower()] = self._header_value.strip(b" \t")
        self._header_name = self._header_value = b""

    def end_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if b"name" not in options:
            raise _invalid("has a part without a name")
        self._field_name = options[b"name"].decode("utf-8", "replace")
        refuse_nul(self._field_name, "name of a field")
        if b"filename" not in options:
            self._text.clear()
            if sum(map(len, self.form.fields.values())) >= _MAX_FIELDS:
                raise _invalid(f"must have at most {_MAX_FIELDS} fields")
            return
        if len(self.form.files) >= MAX_FILES:
            raise _invalid(f"must have at most {MAX_FILES} files: send the others in another request")
        content_type = self._headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
        name = options[b"filename"].decode("utf-8", "replace")
        refuse_nul({"filename": name, "content_type": content_type})
        self._file = ReceivedFile(name, content_type)
        self._hash = hashlib.sha256()

    def read_data(self, data: bytes, start: int, end: int) -> None:
        piece = data[start:end]
        if self._file is None:
            self._text += piece
            if len(self._text) > _FIELD_BYTES:
                raise _invalid(f"has a field {self._field_name!r} of more than {_FIELD_BYTES} bytes")
            return
        self._file.size += len(piece)
        if self._file.size > self._space.max_file_bytes:
            raise too_large(self._file.name, self._space.max_file_bytes)
        if self._taken + len(piece) > self._space.max_request_bytes:
            raise _too_large_together(self._file.name, self._space.max_request_bytes)
        self._space.take(len(piece))
        self._taken += len(piece)
        self._hash.update(piece)
        if self._file.disk is None and self._file.size > _MEMORY_BYTES:
            self._file.disk = tempfile.NamedTemporaryFile(prefix="echomind-upload-")  # noqa: SIM115 - see `close`
            self._file.disk.write(self._file.data)
            self._file.data.clear()
        if self._file.disk is None:
            self._file.data += piece
        else:
            self._file.disk.write(piece)

    def end_part(self) -> None:
        if self._file is None:
            value = self._text.decode("utf-8", "replace")
            refuse_nul(value, self._field_name)
            self.form.fields.setdefault(self._field_name, []).append(value)
            return
        if self._file.disk is not None:
            self._file.disk.flush()
        self._file.sha256 = self._hash.hexdigest()
        if self._field_name != "file":
            raise _invalid(f"has a file in the field {self._field_name!r}; files go into the field `file`")
        if not self._file.size:
            raise FileRejectedError(f"The file {self._file.name!r} is empty.", name=self._file.name)
        self.form.files.append(self._file)
        self._file = None

    def end(self) -> None:
        self.complete = True

    def close(self) -> None:
        """Removes the files on disk, and frees their room."""
        self._space.give_back(self._taken)
        for file in (*self.form.files, *([self._file] if self._file else [])):
            if file.disk is not None:
                file.disk.close()


def too_large(name: str, limit: int) -> FileRejectedError:
    """Returns the error for a file that is too large."""
    return FileRejectedError(
        f"The file {name!r} is larger than {limit / 2**20:.0f} MiB, the most that is taken.",
        detail="ECHOMIND_API__MAX_UPLOAD_BYTES sets the limit.",
        name=name,
        limit=limit,
    )


def _too_large_together(name: str, limit: int) -> FileRejectedError:
    return FileRejectedError(
        f"The files of this request have more than {limit / 2**20:.0f} MiB together. Send them in several requests.",
        detail="It is half of ECHOMIND_API__UPLOAD_BUFFER_BYTES.",
        name=name,
        limit=limit,
    )


def _invalid(rule: str) -> ValidationFailedError:
    return ValidationFailedError.of("body", rule)
