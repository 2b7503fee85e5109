"""The room of uploads: one request may not take all of it, and what is stored or refused gives it back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.requests import Request

from echomind_api.calls.upload_space import UploadSpace
from echomind_api.transports.http.multipart import receive
from echomind_lib.errors import FileRejectedError, OverloadedError

MIB = 2**20


class Form:
    """A request of files of a mebibyte each."""

    def __init__(self, files: int) -> None:
        self.headers = {"content-type": "multipart/form-data; boundary=B"}
        self._files = files

    async def stream(self) -> AsyncIterator[bytes]:
        for number in range(self._files):
            head = f'--B\r\nContent-Disposition: form-data; name="file"; filename="{number}"\r\n\r\n'
            yield head.encode() + b"x" * MIB + b"\r\n"
        yield b"--B--\r\n"


def received(files: int, space: UploadSpace) -> Any:
    return receive(cast("Request", Form(files)), space)


def files_in(folder: Path) -> int:
    return len(list(folder.iterdir()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


async def test_files_that_are_too_large_together_are_refused_and_removed(folder: Path) -> None:
    space = UploadSpace(2 * MIB, 6 * MIB)
    with pytest.raises(FileRejectedError, match="more than 3 MiB together"):
        async with received(4, space):
            raise AssertionError("it has more than a request may have")
    assert files_in(folder) == 0
    async with received(3, space) as form:
        assert len(form.files) == files_in(folder) == 3


async def test_uploads_wait_for_each_others_room_which_they_give_back(folder: Path) -> None:
    space = UploadSpace(2 * MIB, 4 * MIB)
    async with received(2, space), received(2, space):
        with pytest.raises(OverloadedError, match="in a moment") as caught:
            async with received(1, space):
                raise AssertionError("others have the room")
    assert caught.value.retryable
    async with received(2, space), received(2, space):
        assert files_in(folder) == 4
    assert files_in(folder) == 0


async def test_one_file_of_the_largest_size_always_has_room(folder: Path) -> None:
    async with received(1, UploadSpace(MIB, 1)) as form:
        assert form.files[0].size == MIB
