"""The child processes: limits hold, a file that harms one harms no other."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from echomind_ingestor.extract import Extractor
from echomind_ingestor.extract.read import read
from echomind_lib.errors import FileRejectedError
from tests.factories.files import MakePdf


@pytest_asyncio.fixture
async def extractor() -> AsyncIterator[Extractor]:
    async with Extractor(1) as running:
        yield running


OTHERS: set[int] = set()


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """Leaves out the children of extractors that other modules keep."""
    OTHERS.update(child_pids())
    yield
    OTHERS.clear()


def child_pids() -> set[int]:
    """Children of this process that read files for the test."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"echomind_ingestor.extract.child" in command and parent == os.getpid():
            found.add(int(folder.name))
    return found - OTHERS


async def test_reads_in_one_child(extractor: Extractor, make_pdf: MakePdf) -> None:
    assert child_pids() == set()
    found = await extractor.extract(make_pdf(1), "handbook.pdf", "")
    assert (found.title, found.language) == ("Staff Handbook", "en")
    first = child_pids()
    german = await extractor.extract("Die Mitarbeiter haben Anspruch auf dreißig Tage Urlaub.".encode(), "a.txt", "")
    assert german.language == "de"
    assert child_pids() == first
    assert len(first) == 1


@pytest.mark.parametrize(
    ("fixture", "name"),
    [
        ("word_document", "policy.docx"),
        ("slides", "goals.pptx"),
        ("workbook", "prices.xlsx"),
        ("email", "mail.eml"),
        ("open_document", "letter.odt"),
        ("book", "book.epub"),
    ],
)
async def test_a_confined_child_reads_every_kind(
    extractor: Extractor, request: pytest.FixtureRequest, fixture: str, name: str
) -> None:
    data = request.getfixturevalue(fixture)
    here = read(data, name, "")
    there = await extractor.extract(data, name, "")
    assert (there.text, there.headings, there.pages, there.title) == (here.text, here.headings, here.pages, here.title)


async def test_an_error_is_reported_and_the_child_process_continues(extractor: Extractor) -> None:
    with pytest.raises(FileRejectedError, match="empty"):
        await extractor.extract(b"", "a.txt", "")
    before = child_pids()
    assert (await extractor.extract(b"fine", "a.txt", "")).text == "fine"
    assert child_pids() == before


async def test_a_file_that_no_child_can_hold_is_not_given_to_one(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_ingestor.extract.extractor.MAX_FILE_BYTES", 2 * 1024**2)
    with pytest.raises(FileRejectedError, match="larger than 2 MB, too large to be read: divide it"):
        await extractor.extract(b"x" * (2 * 1024**2 + 1), "a.bin", "")
    assert child_pids() == set()


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGSEGV, "crash"), (signal.SIGXCPU, "processor time"), (signal.SIGKILL, "too much memory")],
)
async def test_the_death_of_a_child_process_affects_only_its_file(extractor: Extractor, number: int, said: str) -> None:
    await extractor.extract(b"fine", "a.txt", "")
    (pid,) = child_pids()
    os.kill(pid, signal.SIGSTOP)
    reading = asyncio.ensure_future(extractor.extract(b"unlucky", "b.txt", ""))
    await asyncio.sleep(0)
    os.kill(pid, number)
    with suppress(ProcessLookupError):  # SIGKILL ends a stopped process, too
        os.kill(pid, signal.SIGCONT)
    with pytest.raises(FileRejectedError, match=said):
        await reading
    assert (await extractor.extract(b"next", "c.txt", "")).text == "next"
    assert child_pids() != {pid}


async def test_a_reader_that_gives_up_leaves_no_answer_behind(extractor: Extractor) -> None:
    await extractor.extract(b"fine", "a.txt", "")
    (pid,) = child_pids()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await extractor.extract(b"slow", "b.txt", "")
    assert (await extractor.extract(b"next", "c.txt", "")).text == "next"


async def test_files_share_the_children(make_pdf: MakePdf) -> None:
    async with Extractor(2) as extractor:
        found = await asyncio.gather(*(extractor.extract(f"text {n}".encode(), "a.txt", "") for n in range(20)))
        assert [each.text for each in found] == [f"text {n}" for n in range(20)]
        assert len(child_pids()) <= 2
    assert child_pids() == set()


async def run_child(code: str) -> tuple[int, str]:
    """Runs code in a confined process; exit status and output."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from echomind_ingestor.extract.child import MEMORY_BYTES\n"
        f"from echomind_lib.confined import child\nchild.confine(MEMORY_BYTES)\n{code}",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux's")
class TestConfinement:
    async def test_memory_is_limited(self) -> None:
        status, output = await run_child("x = bytearray(MEMORY_BYTES)")
        assert (status, "MemoryError" in output) == (1, True)

    async def test_processor_time_is_limited(self) -> None:
        status, _ = await run_child("child.limit_cpu(0)\nwhile True: pass")
        assert status == -signal.SIGXCPU

    async def test_no_network(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            status, output = await run_child(f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)")
        if "network not cut off" in output:
            pytest.skip("user namespaces are not allowed here")
        assert (status, any(word in output for word in ("OSError", "unreachable", "PermissionError"))) == (1, True)

    async def test_keys_of_the_environment_stay_here(
        self, extractor: Extractor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ECHOMIND_S3__SECRET_KEY", "very secret")
        await extractor.extract(b"fine", "a.txt", "")
        (pid,) = child_pids()
        assert b"very secret" not in await asyncio.to_thread(Path(f"/proc/{pid}/environ").read_bytes)
