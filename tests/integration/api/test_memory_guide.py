"""The commands of the guide's page on memory work in their order."""

import asyncio
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from tests.drivers.api_server import ApiServer
from tests.drivers.fact_vectors import Follow
from tests.drivers.gateway import NewUser
from tests.drivers.shell import Shell
from tests.drivers.snippets import to_run


async def test_the_commands_of_the_guide_work(new_user: NewUser, follow: Follow, tmp_path: Path) -> None:
    person = await new_user()
    shell = Shell(cast("ApiServer", SimpleNamespace(url=person.http_url)), tmp_path)
    shown: dict[str, str] = {}
    for line in "".join(snippet.text for snippet in to_run("memory.md", "sh")).splitlines():
        words = shlex.split(line)[1:]
        if words[1] == "search":
            await follow()
        if "1" in words:
            listed = await person.call("MemoryService/ListMemories", {})
            words[words.index("1")] = str(listed["memories"][0]["id"])
        shown[" ".join(words[:2])] = str((await asyncio.to_thread(shell.run, *words, key=person.key)).stdout)
    assert "prefers short answers" in shown["memories search"]
    assert "one paragraph" in shown["memories update"]
    assert "one paragraph" in shown["memories remove"]
    assert '"memories": []' in shown["memories list"]
    assert not (await person.call("MemoryService/ListMemories", {"withHistory": True})).get("memories")
