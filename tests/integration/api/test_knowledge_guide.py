"""The commands of the guide's page on knowledge work in their order."""

import asyncio
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.drivers.api_server import ApiServer
from tests.drivers.client import Client
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.drivers.shell import Shell
from tests.drivers.snippets import to_run
from tests.paths import ROOT

PAGE = ROOT / "docs" / "guide" / "knowledge.md"
OF_SUPERADMINS = {"review", "approve", "reject", "verify"}


async def test_the_commands_of_the_guide_work(new_user: NewUser, follow: Follow, tmp_path: Path) -> None:
    person, root = await new_user(), await new_user("superadmin")
    shell = Shell(cast("ApiServer", SimpleNamespace(url=person.http_url)), tmp_path)

    async def run(somebody: Client, *words: str) -> str:
        return str((await asyncio.to_thread(shell.run, *words, key=somebody.key)).stdout)

    async def entity(title: str) -> dict[str, Any]:
        listed = await person.call("KnowledgeService/ListKnowledge", {"query": title})
        return cast("dict[str, Any]", listed["knowledge"][0])

    shown: dict[str, str] = {}
    for line in "".join(snippet.text for snippet in to_run("knowledge.md", "sh")).splitlines():
        words = shlex.split(line)[1:]
        command = " ".join(words[:2])
        if command == "knowledge search":
            await follow()
        if command == "knowledge reject":  # the one before was approved
            await run(person, "knowledge", "add", "Day of rest", "Nothing is released on Fridays.")
            await run(person, "knowledge", "propose", (await entity("Day of rest"))["id"])
        title = "Day of rest" if command == "knowledge reject" else "Release day"
        words = [(await entity(title))["id"] if word == "12" else word for word in words]
        is_superadmins = words[1] in OF_SUPERADMINS or "--proposals" in words
        shown[command] = await run(root if is_superadmins else person, *words)
    assert "Release day" in shown["knowledge search"]
    assert (await entity("Release day"))["level"] == "KNOWLEDGE_LEVEL_ORGANIZATION"
    rejected = await entity("Day of rest")
    assert rejected["reviewStatus"] == "KNOWLEDGE_REVIEW_STATUS_REJECTED"
    assert rejected["reviewComment"] == "The contract says otherwise."
