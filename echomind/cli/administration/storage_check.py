"""`echomind doctor --deep`: checks the consistency of the storage, and how to repair it."""

from collections import Counter
from typing import Any, Final

from echomind.cli.api import Api
from echomind.cli.rendering import plain
from echomind_lib.models import public

_SHOWN: Final = 20
"""Findings of a kind that are shown; `--json` has all."""
_KINDS: Final = {
    "file_missing": ("bytes of documents are missing", "upload the documents again, or sync their connector"),
    "text_missing": ("texts of documents are missing", "retry the documents: `echomind documents retry ID`"),
    "chunks_missing": ("documents lack passages", "retry the documents: `echomind documents retry ID`"),
    "chunks_other": (
        "documents have passages of another processing, which nobody finds",
        "nothing: they are removed within some hours",
    ),
    "chunks_readers": (
        "passages do not say who may read them, and some people do not find them",
        "retry the documents: `echomind documents retry ID`",
    ),
    "file_stray": ("files that no document names", "nothing: they are removed within some hours"),
    "chunks_stray": ("passages that no document names", "nothing: they are removed within some hours"),
    "readers": ("readers of documents are not those of their source", "sync the connector in full"),
}


async def check_storage(api: Api) -> tuple[bool, dict[str, Any]]:
    """Checks the storage page by page, and prints inconsistencies.

    Returns:
        Whether the storage is consistent, and the report for `--json`.
    """
    findings: list[public.StorageFinding] = []
    checked, token = 0, ""
    while True:
        page = await api.client.call(public.SystemService.check_storage, {"page_token": token})
        findings += page.findings
        checked += page.checked
        if not (token := page.next_page_token):
            break
    kinds = Counter(finding.kind.word for finding in findings)
    api.terminal.line(f"Compared {checked} documents, files and versions of passages.")
    for kind, number in kinds.items():
        what, advice = _KINDS[kind]
        api.terminal.styled(("failed  ", "red"), (f" {number} {what}", ""))
        for finding in [each for each in findings if each.kind.word == kind][:_SHOWN]:
            of_document = f"document {finding.document_id}: " if finding.document_id else ""
            api.terminal.line(f"{'':<10} {of_document}{finding.detail}")
        if number > _SHOWN:
            api.terminal.line(f"{'':<10} and {number - _SHOWN} more; --json has all")
        api.terminal.line(f"{'':<8} → {advice}")
    if not findings:
        api.terminal.styled(("ok      ", "green"), (" documents, readers, passages and files agree", ""))
    return not findings, {"checked": checked, "findings": [plain(finding) for finding in findings]}
