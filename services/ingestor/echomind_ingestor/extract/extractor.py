"""Extracts files in child processes."""

import asyncio
import dataclasses
import signal
from types import TracebackType

import structlog
from prometheus_client import Counter
from typing_extensions import override

from echomind_ingestor.extract.boundary import accept, notes
from echomind_ingestor.extract.recognition.recognizer import Progress, Recognizer
from echomind_ingestor.extract.result import Extracted, UnreadableError
from echomind_ingestor.extract.wire import MAX_FILE_BYTES, MAX_SCANS, Job, Reply
from echomind_lib.confined.pool import ConfinedPool
from echomind_lib.confined.process import ChildDiedError
from echomind_lib.errors import FileRejectedError
from echomind_lib.text import MESSAGE_CHARACTERS, Changes, single_line

log = structlog.get_logger(__name__)

_CHANGES = Counter(
    "echomind_ingestor_text_changes_total", "What had to be changed in extracted texts to store them.", ["kind"]
)

_SECONDS = 300.0
"""Time-out per file, including waiting for a processor."""
_FILES = 500
"""Files after which a child is replaced, which frees memory leaked by libraries."""
_LANGUAGE_SAMPLE = 100_000


class Extractor(ConfinedPool):
    """Reads files in a few child processes, and recognises scanned pages in another one."""

    def __init__(self, processes: int) -> None:
        """Initializes the pool without starting a process.

        Args:
            processes: Maximum number of files read concurrently, 1 or more.
        """
        super().__init__("echomind_ingestor.extract.child", processes=processes, seconds=_SECONDS, jobs=_FILES)
        self._recognizer = Recognizer()

    @override
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await super().__aexit__(kind, error, trace)
        finally:
            await self._recognizer.__aexit__(kind, error, trace)

    async def extract(
        self,
        data: bytes,
        name: str,
        content_type: str,
        *,
        is_page: bool = False,
        connector_id: int = 0,
        progress: Progress | None = None,
    ) -> Extracted:
        """Reads a file.

        Args:
            data: Its bytes.
            name: Its name, used to detect its kind.
            content_type: The MIME type declared by its sender; may be empty.
            is_page: Whether it is a page of a web site, from which navigation is removed.
            connector_id: Where it comes from: files of different connectors are read by different processes.
            progress: Called while scanned pages are recognised.

        Raises:
            FileRejectedError: It cannot be read; the message says why and what to do.
        """
        if len(data) > MAX_FILE_BYTES:
            raise FileRejectedError(
                f"The file is larger than {MAX_FILE_BYTES // 1024**2:,} MB, too large to be read: divide it.", name=name
            )
        job = Job(data, name, content_type, is_page)
        # A child and the model of languages take about as long to be ready after a pause, on a processor each.
        reply, _ = await asyncio.gather(self._reply_to(job, connector_id), _load_languages())
        if reply.scans:
            pages = reply.scans[:MAX_SCANS]
            job.recognized = await self._recognizer.recognize(data, pages, is_pdf=reply.is_pdf, progress=progress)
            reply = await self._reply_to(job, connector_id)
        if reply.extracted is None:
            raise FileRejectedError(single_line(reply.refusal, MESSAGE_CHARACTERS) or _cause_of_death(None), name=name)
        try:
            extracted, changes = await asyncio.to_thread(_accepted, reply.extracted)
        except UnreadableError as error:
            raise FileRejectedError(str(error), name=name) from error
        for kind, count in dataclasses.asdict(changes).items():
            _CHANGES.labels(kind).inc(count)
        return extracted

    async def _reply_to(self, job: Job, connector_id: int) -> Reply:
        """Extracts a file in a child; a child that fails rejects the file."""
        try:
            return await self.ask(job, Reply, owner=connector_id)
        except TimeoutError:
            return Reply(None, f"Reading the file takes more than {_SECONDS:.0f} seconds: divide it.")
        except ChildDiedError as error:
            log.warning("extraction child died", status=error.status, name=job.name)
            return Reply(None, _cause_of_death(error.status))


async def _load_languages() -> None:
    # Imported here, as in `_accepted`.
    from echomind_lib.retrieval import language

    if not language.is_loaded():
        await asyncio.to_thread(language.load)


def _accepted(given: Extracted) -> tuple[Extracted, Changes]:
    """Returns the extracted text in its stored form, with its language, and notes about changes."""
    # Imported here, as the child imports this package too, and must stay small.
    from echomind_lib.retrieval.language import document_language

    extracted, changes = accept(given)
    warnings = (*extracted.warnings, *filter(None, [notes(changes)]))
    language = document_language(extracted.text[:_LANGUAGE_SAMPLE])
    return dataclasses.replace(extracted, language=language, warnings=warnings), changes


def _cause_of_death(status: int | None) -> str:
    if status == -signal.SIGXCPU:
        return "Reading the file takes too much processor time: divide it."
    if status == -signal.SIGKILL:
        return "Reading the file takes too much memory: divide it."
    return "The file makes the program that reads it crash: open it, save it as PDF and upload that."
