"""The commands that switch memory on and off, and that delete memories."""

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell

ANN = {"id": 8, "userName": "ann", "email": "ann@example.org", "isActive": True}


def test_memory_is_switched_for_oneself_and_other_preferences_stay(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/GetCurrentUser", ANN | {"preferences": {"theme": "THEME_DARK"}})
    api.on("UserService/UpdateCurrentUser", lambda call: ANN | call.body)
    assert "Memory: yes" in shell.run("preferences", "show").stdout
    assert "Memory: no" in shell.run("preferences", "set", "--no-memory").stdout
    assert "Memory: yes" in shell.run("preferences", "set", "--memory").stdout
    sent = [call.body["preferences"] for call in api.changes()]
    assert [(each["memoryOff"], each["theme"]) for each in sent] == [(True, "THEME_DARK"), (False, "THEME_DARK")]


def test_memory_is_switched_for_a_session(api: ApiServer, shell: Shell) -> None:
    session = {"id": 7, "title": "Leave"}
    api.on(about("ChatSessionService/UpdateChatSession", id=7), lambda call: session | call.body)
    api.on("ChatSessionService/CreateChatSession", lambda call: session | call.body)
    api.on(about("ChatSessionService/GetChatSession", id=7), session | {"withoutMemory": True})
    shell.run("sessions", "update", "7", "--no-memory")
    shell.run("sessions", "update", "7", "--memory")
    assert [call.body for call in api.calls] == [{"withoutMemory": True}, {"withoutMemory": False}]
    assert shell.json("sessions", "add", "--no-memory")["withoutMemory"] is True
    assert "Memory: off" in shell.run("sessions", "show", "7").stdout


def test_memory_is_switched_for_everyone(api: ApiServer, shell: Shell) -> None:
    api.on("SystemService/GetInstallationSettings", {"linkSharing": "LINK_SHARING_ANYONE", "memoryEnabled": True})
    api.on("SystemService/UpdateInstallationSettings", {"linkSharing": "LINK_SHARING_ANYONE"})
    assert shell.run("memories", "allow").stdout == "on\n"
    assert shell.run("memories", "allow", "off").stdout == "off\n"
    assert api.calls[-1].body == {"memoryEnabled": False}
    assert "'no' is not one of 'on', 'off'" in shell.run("memories", "allow", "no", code=2).stderr


def test_all_memories_of_oneself_or_of_a_person_are_deleted(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/ListUsers", {"users": [ANN]})
    api.on("MemoryService/DeleteAllMemories", {"deleted": 2})
    api.on(about("MemoryService/EraseMemories", user_id=8), {"deleted": 1})
    assert "remembered of ann" in shell.run("memories", "purge", "--user", "ann", code=1).stderr
    assert not api.changes()
    assert shell.run("memories", "purge", "--yes").stdout == "Deleted 2 memories, replaced ones included.\n"
    erased = shell.run("memories", "purge", "--user", "ann", "--yes").stdout
    assert erased == "Deleted 1 memory, replaced ones included.\n"
    assert [(call.method, call.fields) for call in api.changes()] == [
        ("MemoryService/DeleteAllMemories", {}),
        ("MemoryService/EraseMemories", {"user_id": "8"}),
    ]


def test_the_list_tells_who_changed_a_memory_last(api: ApiServer, shell: Shell) -> None:
    memory = {"memoryType": "MEMORY_TYPE_SEMANTIC", "content": "Likes tea.", "creationDate": "2026-11-01T10:00:00Z"}
    change = {"lastUpdate": "2026-11-02T10:00:00Z"}
    found = [memory | {"id": 3}, memory | change | {"id": 2}, memory | change | {"id": 1, "updatedBy": 8}]
    api.on("MemoryService/ListMemories", {"memories": found})
    never, by_itself, edited = shell.run("memories", "list").stdout.splitlines()
    assert never.endswith("Likes tea.")
    assert "(changed 2026-11-02" in by_itself
    assert by_itself.endswith("by EchoMind)")
    assert edited.endswith("by you)")
