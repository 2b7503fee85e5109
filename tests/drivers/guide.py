"""The requests of a page of the guide, made in their order as somebody."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

from tests.drivers.client import Client, error_of
from tests.drivers.snippets import to_run


async def request_all(page: str, person: Client, places: Mapping[str, str], later: Mapping[str, str]) -> list[Any]:
    """Makes the requests of a page's one block of them and returns their answers; it begins with the function `call`.

    Args:
        page: The file's name in `docs/guide`.
        person: Who makes them.
        places: What stands for words in capitals, such as `DOCUMENT`.
        later: Such words whose value the first answer gives that has this field; of a path its last part.

    Raises:
        AssertionError: A request was refused.
    """
    known = dict(places)
    (block,) = [snippet.text for snippet in to_run(page, "sh") if snippet.text.startswith("call()")]
    answers: list[Any] = []
    for line in block.splitlines()[1:]:
        given = re.sub(rf"\b(?:{'|'.join(known) or '$'})\b", lambda word: known[word[0]], line)
        words = shlex.split(given)
        method = words[words.index("-X") + 1] if "-X" in words else "GET"
        path = next(word for word in words if "/api/v1/" in word).partition("localhost:8080")[2]
        body = words[words.index("-d") + 1] if "-d" in words else None
        headers = {"Authorization": f"Bearer {person.key}", "Content-Type": "application/json"}
        async with person.session.request(method, person.http_url + path, data=body, headers=headers) as response:
            answer = await response.json()
            assert response.status == 200, error_of(answer)
        answers.append(answer)
        for word, field in later.items():
            value: Any = answer
            for name in field.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            if value is not None:
                known.setdefault(word, str(value).rpartition("/")[2])
    return answers
