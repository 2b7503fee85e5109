"""Changes of many documents: the batches after the gateway's first one."""

import msgspec
import structlog
from typing_extensions import override

from echomind_lib.documents.changes import Change, DocumentChanges
from echomind_lib.jobs import CHANGE_DOCUMENTS, Job, JobHandler

log = structlog.get_logger(__name__)


class ChangesOfDocuments(JobHandler[None]):
    """Deletes, retries or moves many documents. A repeated attempt continues with the remaining ones."""

    kind = CHANGE_DOCUMENTS

    def __init__(self, changes: DocumentChanges) -> None:
        self._changes = changes

    @override
    async def work(self, job: Job) -> None:
        left: Change | None = msgspec.convert(job.payload, Change)
        total = 0
        while left is not None:
            changed, left = await self._changes.apply(left)
            total += changed
        log.info("documents changed", action=job.payload["action"], documents=total)
