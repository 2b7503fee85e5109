"""Filters of searches: folders of files and of sources, and those that a model gives to its tool."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from echomind_agent.evidence.sources import Sources
from echomind_agent.tools.document_filters import NO_DOCUMENTS
from echomind_agent.tools.documents import NOTHING_FOUND, search_documents
from echomind_agent.toolset.registry import ToolContext, ToolError, ToolResult
from echomind_lib.access.notebooks import NotebookScope
from echomind_lib.retrieval.documents import DocumentFilter
from tests.drivers.stack import Stack
from tests.factories import rows

QUESTION = "How many days of paid leave do employees get?"
FILES = {
    "hr/leave.txt": "Employees get 28 days of paid leave each year.",
    "hr/2025/leave.txt": "In 2025 employees got 27 days of paid leave.",
    "hr_old/leave.txt": "Employees once got 20 days of paid leave.",
    "leave.txt": "Interns get 15 days of paid leave.",
}


async def fill(stack: Stack, **files: str) -> dict[str, int]:
    connector_id = await stack.rows.connector("org")
    await stack.pool.execute("UPDATE connectors SET name = 'Handbook' WHERE id = $1", connector_id)
    return {name: await stack.index(text, name, connector_id=connector_id) for name, text in (files or FILES).items()}


@pytest.mark.parametrize("few", [2000, 0])
async def test_a_folder_has_its_files_and_those_of_folders_in_it(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    # With and without a filter on document ids, which is used for few documents.
    monkeypatch.setattr("echomind_lib.retrieval.narrowing._FEW_DOCUMENTS", few)
    documents = await fill(stack)
    stranger = await stack.rows.user("stranger")
    private = await stack.rows.connector("user", user_id=stranger)
    await stack.index("Nobody else knows of the paid leave of employees.", "hr/secret.txt", connector_id=private)

    async def found(folder: str, **options: Any) -> set[int]:
        given = DocumentFilter(folder=folder)
        hits = await stack.retriever.search(stack.reader(), QUESTION, documents=given, **options)
        return {hit.document_id for hit in hits}

    assert await found("hr") == await found("hr/") == {documents["hr/leave.txt"], documents["hr/2025/leave.txt"]}
    assert await found("hr/2025") == {documents["hr/2025/leave.txt"]}
    assert await found("h") == await found("hr/leave.txt") == await found("2025") == set()
    only = [documents["leave.txt"], documents["hr/2025/leave.txt"]]
    assert await found("hr", document_ids=only) == {documents["hr/2025/leave.txt"]}


async def test_a_folder_of_a_source_is_found_by_its_names(stack: Stack) -> None:
    documents = await fill(stack, a="Employees get 28 days of paid leave.", b="Employees got 27 days of paid leave.")
    folders = {"F1": "Contracts", "F2": "Contracts / 2026", "F3": "Contracts 2"}
    connector_id = await stack.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", documents["a"])
    async with stack.pool.acquire() as connection:
        for source_id, path in folders.items():
            given = {"connector_id": connector_id, "source_id": source_id, "name": path, "path": path}
            await rows.source_folder(connection, **given)
    await stack.pool.execute("UPDATE documents SET folder_source_id = 'F2' WHERE id = $1", documents["a"])
    await stack.pool.execute("UPDATE documents SET folder_source_id = 'F3' WHERE id = $1", documents["b"])
    for folder, expected in (("Contracts", ["a"]), ("Contracts/2026", ["a"]), ("Contracts 2", ["b"]), ("2026", [])):
        hits = await stack.retriever.search(stack.reader(), QUESTION, documents=DocumentFilter(folder=folder))
        assert [hit.document_id for hit in hits] == [documents[name] for name in expected], folder


async def call(stack: Stack, *, notebook: NotebookScope | None = None, **given: Any) -> str:
    """Returns the result of the tool for the reader."""
    tool = search_documents(stack.retriever)
    context = ToolContext(
        principal=stack.reader(),
        sources=Sources(),
        lease=cast("Any", None),
        log=cast("Any", SimpleNamespace(pool=stack.pool)),
        untrusted=False,
        report=cast("Any", None),
        notebook=notebook,
    )
    arguments = tool.parse(json.dumps({"query": QUESTION, **given}))
    result = await tool.call(context, arguments)
    assert isinstance(result, ToolResult)
    return result.text


async def test_a_model_narrows_its_search(stack: Stack) -> None:
    documents = await fill(stack)
    other = await stack.rows.connector("org")
    await stack.pool.execute("UPDATE connectors SET name = 'Wiki' WHERE id = $1", other)
    await stack.index("The wiki says that employees get 30 days of paid leave.", "wiki.md", connector_id=other)
    await stack.pool.execute(
        "UPDATE documents SET creation_date = '2025-02-03T12:00:00Z' WHERE id = $1", documents["leave.txt"]
    )
    for given, expected in (
        ({}, {"27 days", "28 days", "20 days", "15 days", "30 days"}),
        ({"connectors": ["wiki"]}, {"30 days"}),
        ({"connectors": [str(other)]}, {"30 days"}),
        ({"connectors": ["Wiki", "Handbook"], "folder": "hr"}, {"27 days", "28 days"}),
        ({"added_before": "2025-03-01"}, {"15 days"}),
        ({"added_from": "2025-02-03", "added_before": "2025-02-04"}, {"15 days"}),
        ({"types": ["text"], "language": "en", "folder": "/hr/2025/"}, {"27 days"}),
    ):
        text = await call(stack, **given)
        assert {days for days in ("27 days", "28 days", "20 days", "15 days", "30 days") if days in text} == expected
    # A filter that matches documents, none of which answers, differs from one that matches none.
    assert await call(stack, folder="hr", query="Who won the chess championship of 1972?") == NOTHING_FOUND
    for given in ({"folder": "finance"}, {"types": ["pdf"]}, {"language": "fr"}, {"added_from": "2999-01-01"}):
        assert await call(stack, **given) == NO_DOCUMENTS
    elsewhere = NotebookScope(id=1, connector_ids=[], document_ids=[documents["leave.txt"]])
    assert "28 days" not in await call(stack, folder="hr", notebook=elsewhere)


async def test_wrong_values_of_a_model_are_named_and_nothing_foreign_is(stack: Stack) -> None:
    await fill(stack)
    private = await stack.rows.connector("user", user_id=await stack.rows.user("stranger"))
    await stack.pool.execute("UPDATE connectors SET name = 'Private' WHERE id = $1", private)
    for name in ("Private", str(private), "Nowhere"):
        with pytest.raises(ToolError, match=r"may read; there are: “Handbook”\.$"):
            await call(stack, connectors=[name])
    with pytest.raises(ToolError, match="2026-02-30 is no day"):
        await call(stack, added_from="2026-02-30")
    with pytest.raises(ToolError, match="must be before"):
        await call(stack, added_from="2026-02-02", added_before="2026-02-02")
    for wrong in ({"types": ["film"]}, {"language": "German"}):
        with pytest.raises(ToolError, match="not valid"):
            await call(stack, **wrong)
