"""The commands about rerankers: what is shown, and what a failed test means."""

import pytest

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell

FIRST = {"id": 1, "name": "First", "modelId": "m-1", "endpoint": "http://gpu:1"} | {
    "protocol": "RERANK_PROTOCOL_TEI",
    "isActive": True,
}
SECOND = {"id": 2, "name": "Second", "modelId": "m-2", "endpoint": "http://gpu:2", "protocol": "RERANK_PROTOCOL_VLLM"}


@pytest.fixture(autouse=True)
def two_rerankers(api: ApiServer) -> None:
    api.on("RerankerService/ListRerankers", {"rerankers": [FIRST, SECOND]})


def test_the_active_one_is_marked(shell: Shell) -> None:
    lines = shell.run("rerankers", "list").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["*", "1"], ["2", "Second"]]


def test_only_what_is_given_is_changed(api: ApiServer, shell: Shell) -> None:
    changed = about("RerankerService/UpdateReranker", id=2)
    api.on(changed, SECOND)
    for arguments, expected in (
        (["activate"], {"isActive": True}),
        (["deactivate"], {"isActive": False}),
        (["update", "--timeout", "800"], {"timeoutMs": 800}),
    ):
        shell.run("rerankers", arguments[0], "Second", *arguments[1:])
        assert api.changes()[-1].body == expected
    assert "what to change" in shell.run("rerankers", "update", "Second", code=2).stderr


def test_a_failed_test_is_a_failure(api: ApiServer, shell: Shell) -> None:
    api.on(about("RerankerService/TestReranker", id=1), {"message": "tei at gpu:1 cannot be reached"})
    assert "First cannot be used: tei at gpu:1 cannot be reached" in shell.run("rerankers", "test", "1", code=1).stderr
