"""The requests of the guide's page on notebooks do what it says, in their order."""

import re
import shlex
from typing import Any

import asyncpg

from tests.drivers.client import error_of
from tests.drivers.gateway import NewUser
from tests.factories import rows as make
from tests.paths import ROOT

PAGE = ROOT / "docs" / "guide" / "notebooks.md"


async def test_the_requests_of_the_guide_work(new_user: NewUser, pool: asyncpg.Pool) -> None:
    owner, person = await new_user(), await new_user()
    connector = await make.connector(pool, user_id=owner.user_id, type="web", scope="org", status="active")
    document = (await make.document(pool, connector_id=connector["id"], title="Contract"))["id"]
    await pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", document)
    name = await pool.fetchval("SELECT user_name FROM users WHERE id = $1", person.user_id)
    places = {"DOCUMENT": str(document), "PERSON": name}
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    answers: list[Any] = []
    for line in block.splitlines():
        given = re.sub(rf"\b(?:{'|'.join(places)})\b", lambda word: places[word[0]], line)
        words = shlex.split(given)
        method = words[words.index("-X") + 1] if "-X" in words else "GET"
        path = next(word for word in words if word.startswith("/"))
        body = words[words.index("-d") + 1] if "-d" in words else None
        headers = {"Authorization": f"Bearer {owner.key}", "Content-Type": "application/json"}
        async with owner.session.request(method, owner.http_url + path, data=body, headers=headers) as response:
            answer = await response.json()
            assert response.status == 200, error_of(answer)
            answers.append(answer)
        places.setdefault("ID", answer.get("id", ""))
    assert len(answers[-1]["sessions"]) == 2
    assert [one["documentId"] for one in answers[1]["sources"]] == [str(document)]
    assert answers[2]["role"] == "NOTEBOOK_ROLE_VIEWER"
