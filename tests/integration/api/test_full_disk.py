"""A full disk at the gateway: calls that store much fail with a clear error, others work."""

import asyncpg
import pytest
from prometheus_client import REGISTRY

from echomind_api.calls.middlewares import storage_error
from echomind_api.main import Gateway
from echomind_lib.config import DiskSettings
from echomind_lib.errors import DependencyUnavailableError, DiskFullError
from echomind_lib.process.disk import DiskSpace
from tests.drivers.client import TRANSPORTS, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.uploads import send, upload


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiskSpace, "is_low", property(lambda _: True))


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_questions_and_uploads_are_refused_while_reading_works(
    new_user: NewUser, via: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = await new_user()
    document = await send(somebody, via, "notes.txt", b"The garage opens at six.")
    sent = await somebody.call("ChatMessageService/SendMessage", {"content": "When?"}, via)
    message, session = sent["userMessage"]["id"], sent["run"]["chatSessionId"]
    before = REGISTRY.get_sample_value("echomind_disk_full_total")
    with monkeypatch.context() as patch:
        patch.setattr(DiskSpace, "is_low", property(lambda _: True))
        refused = {
            "ChatMessageService/SendMessage": {"content": "And then?"},
            "ChatMessageService/EditMessage": {"id": message, "content": "And then?"},
            "ChatMessageService/RegenerateMessage": {"id": message},
            "ChatSessionService/ForkChatSession": {"id": session},
            "DocumentService/RetryDocument": {"id": document["id"]},
        }
        for method, request in refused.items():
            with pytest.raises(DiskFullError, match="make room"):
                await somebody.call(method, request, via)
        with pytest.raises(DiskFullError):
            await send(somebody, via, "more.txt", b"More.")
        assert REGISTRY.get_sample_value("echomind_disk_full_total") == (before or 0) + len(refused) + 1
        found = await somebody.call("ChatMessageService/ListMessages", {"chatSessionId": session}, via)
        assert found["messages"][0]["content"] == "When?"
        assert (await somebody.call("DocumentService/GetDocument", {"id": document["id"]}, via))["title"] == "notes.txt"
        # Removals are allowed, because they free space.
        await somebody.call("DocumentService/DeleteDocument", {"id": document["id"]}, via)
    (again,) = await upload(somebody, ("more.txt", b"More."))
    assert again["title"] == "more.txt"


@pytest.mark.parametrize(
    "failure",
    [asyncpg.DiskFullError("could not extend file"), OSError(28, "No space left on device")],
    ids=["postgres", "system"],
)
def test_a_write_that_finds_no_room_is_never_an_internal_error(failure: Exception) -> None:
    assert isinstance(storage_error(failure, DiskSpace(DiskSettings())), DiskFullError)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize(
    "failure",
    [
        DependencyUnavailableError("The object store does not answer.", dependency="s3"),
        ConnectionRefusedError(),
        asyncpg.CannotConnectNowError("the database system is starting up"),
        asyncpg.PostgresIOError("could not write"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_what_does_not_answer_while_the_disk_is_full_is_put_down_to_the_disk(
    failure: Exception, gateway: Gateway
) -> None:
    assert isinstance(storage_error(failure, gateway.parts.dependencies.disk), DiskFullError)
