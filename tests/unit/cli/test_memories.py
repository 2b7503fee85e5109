"""The commands that switch memory on and off, and that delete memories."""

from tests.drivers.api_server import ApiServer
from tests.drivers.shell import Shell

ANN = {"id": 8, "userName": "ann", "email": "ann@example.org", "isActive": True}


def test_memory_is_switched_for_oneself_and_other_preferences_stay(api: ApiServer, shell: Shell) -> None:
    api.on("GET /api/v1/users/me", ANN | {"preferences": {"theme": "THEME_DARK"}})
    api.on("PATCH /api/v1/users/me", lambda call: ANN | call.body)
    assert "Memory: yes" in shell.run("preferences", "show").stdout
    assert "Memory: no" in shell.run("preferences", "set", "--no-memory").stdout
    assert "Memory: yes" in shell.run("preferences", "set", "--memory").stdout
    sent = [call.body["preferences"] for call in api.sent("PATCH .*")]
    assert [(one["memoryOff"], one["theme"]) for one in sent] == [(True, "THEME_DARK"), (False, "THEME_DARK")]


def test_memory_is_switched_for_a_session(api: ApiServer, shell: Shell) -> None:
    session = {"id": 7, "title": "Leave"}
    api.on("PATCH /api/v1/chat-sessions/7", lambda call: session | call.body)
    api.on("POST /api/v1/chat-sessions", lambda call: session | call.body)
    api.on("GET /api/v1/chat-sessions/7", session | {"withoutMemory": True})
    shell.run("sessions", "update", "7", "--no-memory")
    shell.run("sessions", "update", "7", "--memory")
    assert [call.body for call in api.calls] == [{"withoutMemory": True}, {"withoutMemory": False}]
    assert shell.json("sessions", "add", "--no-memory")["withoutMemory"] is True
    assert "Memory: off" in shell.run("sessions", "show", "7").stdout


def test_memory_is_switched_for_everyone(api: ApiServer, shell: Shell) -> None:
    api.on("GET /api/v1/system/settings", {"linkSharing": "LINK_SHARING_ANYONE", "memoryEnabled": True})
    api.on("PATCH /api/v1/system/settings", {"linkSharing": "LINK_SHARING_ANYONE"})
    assert shell.run("memories", "allow").stdout == "on\n"
    assert shell.run("memories", "allow", "off").stdout == "off\n"
    assert api.calls[-1].body == {"memoryEnabled": False}
    assert "'no' is not one of 'on', 'off'" in shell.run("memories", "allow", "no", code=2).stderr


def test_all_memories_of_oneself_or_of_a_person_are_deleted(api: ApiServer, shell: Shell) -> None:
    api.on("GET /api/v1/users", {"users": [ANN]})
    api.on("POST /api/v1/memories:deleteAll", {"deleted": 2})
    api.on("POST /api/v1/users/8:eraseMemories", {"deleted": 1})
    assert "remembered of ann" in shell.run("memories", "purge", "--user", "ann", code=1).stderr
    assert not api.sent("POST .*")
    assert shell.run("memories", "purge", "--yes").stdout == "Deleted 2 memories, replaced ones included.\n"
    erased = shell.run("memories", "purge", "--user", "ann", "--yes").stdout
    assert erased == "Deleted 1 memory, replaced ones included.\n"
    assert [call.path for call in api.sent("POST .*")] == [
        "/api/v1/memories:deleteAll",
        "/api/v1/users/8:eraseMemories",
    ]
