"""Recognises text in a child process."""

from collections.abc import Awaitable, Callable, Sequence

import structlog
from prometheus_client import Counter

from echomind_ingestor.extract.recognition.wire import Job, Reply
from echomind_lib.confined.pool import ConfinedPool
from echomind_lib.confined.process import ChildDiedError

log = structlog.get_logger(__name__)

_PAGES = Counter("echomind_ingestor_recognized_pages_total", "Scanned pages and images.", ["outcome"])

_SECONDS = 600.0
"""Time-out per job, including waiting for a processor."""
_JOBS = 10
"""Jobs after which the child is replaced, which frees memory leaked by libraries."""
_PAGES_AT_ONCE = 4

Progress = Callable[[int, int], Awaitable[None]]
"""Receives the number of recognised pages and of all pages to recognise."""


class Recognizer(ConfinedPool):
    """Recognises pages in one child process, as it takes more than a gigabyte; it ends after a minute without work."""

    def __init__(self) -> None:
        super().__init__("echomind_ingestor.extract.recognition.child", processes=1, seconds=_SECONDS, jobs=_JOBS)

    async def recognize(
        self, data: bytes, pages: Sequence[int], *, is_pdf: bool, progress: Progress | None = None
    ) -> dict[int, str]:
        """Returns the texts of pages by number, with tables as Markdown; pages that cannot be read are missing.

        Args:
            data: The file.
            pages: Numbers of the pages, starting at 1.
            is_pdf: Whether it is a PDF; otherwise it is an image.
            progress: Called before each group of pages.
        """
        texts: dict[int, str] = {}
        for start in range(0, len(pages), _PAGES_AT_ONCE):
            if progress is not None:
                await progress(start, len(pages))
            group = list(pages[start : start + _PAGES_AT_ONCE])
            try:
                found = (await self.ask(Job(data, is_pdf, group), Reply)).texts
            except (TimeoutError, ChildDiedError) as error:
                log.warning("recognition child failed", error=repr(error), pages=group)
                found = {}
                for page in group if len(group) > 1 else ():  # one of them is at fault: the others are read alone
                    found |= await self._alone(data, page, is_pdf=is_pdf)
            texts |= {page: text for page, text in found.items() if page in group}
        _PAGES.labels("read").inc(len(texts))
        _PAGES.labels("failed").inc(len(pages) - len(texts))
        return texts

    async def _alone(self, data: bytes, page: int, *, is_pdf: bool) -> dict[int, str]:
        try:
            return (await self.ask(Job(data, is_pdf, [page]), Reply)).texts
        except (TimeoutError, ChildDiedError) as error:
            log.warning("page not recognised", error=repr(error), page=page)
            return {}
