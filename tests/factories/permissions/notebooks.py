"""The calls about notebooks."""

from typing import Any

from tests.factories.permissions.rows import (
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    HIDDEN,
    OK,
    SUPERADMINS,
    Row,
    Table,
    by_id,
    empty,
    patch,
)
from tests.factories.world import NOTEBOOK_GROUP, World, name

_IN_NOTEBOOK: Table = {"own": EVERYONE, "editor": EVERYONE, "viewer": EVERYONE}
NOTEBOOKS_READ: Table = _IN_NOTEBOOK | {"foreign": (HIDDEN, HIDDEN, OK)}
NOTEBOOKS_ASKED: Table = _IN_NOTEBOOK | {"foreign": (HIDDEN, HIDDEN, FORBIDDEN)}
NOTEBOOKS_EDITED: Table = NOTEBOOKS_ASKED | {"viewer": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
NOTEBOOKS_MANAGED: Table = NOTEBOOKS_EDITED | {"editor": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
NOTEBOOKS_REMOVED: Table = {
    "own": EVERYONE,
    "editor": SUPERADMINS,
    "viewer": SUPERADMINS,
    "foreign": (HIDDEN, HIDDEN, OK),
}
NOTES_READ: Table = _IN_NOTEBOOK | {"foreign": (HIDDEN, HIDDEN, HIDDEN)}


def _of_notebook(item: Any) -> dict[str, Any]:
    return {"notebookId": item}


ROWS: dict[str, Row] = {
    "NotebookService/ListNotebooks": Row(World.nothing, empty, ANYTHING),
    "NotebookService/GetNotebook": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/CreateNotebook": Row(World.nothing, lambda _: {"notebook": {"title": name()}}, ANYTHING),
    "NotebookService/UpdateNotebook": Row(World.notebook, patch("notebook", "title", name), NOTEBOOKS_EDITED),
    "NotebookService/DeleteNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/RestoreNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/PurgeNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/ListNotebookSources": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/AddNotebookSources": Row(World.notebook, by_id, NOTEBOOKS_EDITED),
    "NotebookService/RemoveNotebookSources": Row(
        World.notebook, lambda item: {"id": item, "sourceIds": [item]}, NOTEBOOKS_EDITED
    ),
    "NotebookService/GiveNotebookAccess": Row(
        World.notebook, lambda item: {"id": item, "sourceIds": [item]}, NOTEBOOKS_EDITED
    ),
    "NotebookService/ListNotebookMembers": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/SetNotebookMember": Row(
        World.notebook, lambda item: {"id": item, "userId": 1, "role": "NOTEBOOK_ROLE_EDITOR"}, NOTEBOOKS_MANAGED
    ),
    "NotebookService/RemoveNotebookMember": Row(
        World.notebook, lambda item: {"id": item, "userId": 1}, NOTEBOOKS_MANAGED
    ),
    "NotebookService/SetNotebookGroup": Row(
        World.notebook,
        lambda item: {"id": item, "groupId": NOTEBOOK_GROUP, "role": "NOTEBOOK_ROLE_EDITOR"},
        NOTEBOOKS_MANAGED,
    ),
    "NotebookService/RemoveNotebookGroup": Row(
        World.notebook, lambda item: {"id": item, "groupId": NOTEBOOK_GROUP}, NOTEBOOKS_MANAGED
    ),
    "NotebookService/ListNotebookSessions": Row(World.notebook, by_id, NOTEBOOKS_ASKED),
    "NotebookNoteService/ListNotebookNotes": Row(World.notebook, _of_notebook, NOTEBOOKS_ASKED),
    "NotebookNoteService/CreateNotebookNote": Row(
        World.notebook, lambda item: {"notebookId": item, "note": {"title": name(), "content": "x"}}, NOTEBOOKS_ASKED
    ),
    "NotebookNoteService/SaveNotebookNote": Row(
        World.notebook_answer, lambda item: {"notebookId": item, "messageId": item}, NOTEBOOKS_ASKED
    ),
    "NotebookNoteService/GetNotebookNote": Row(World.notebook_note, by_id, NOTES_READ),
    "NotebookNoteService/UpdateNotebookNote": Row(
        World.notebook_note, patch("note", "title", name), NOTES_READ | {"viewer": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
    ),
    "NotebookNoteService/DeleteNotebookNote": Row(
        World.notebook_note, by_id, NOTES_READ | {"viewer": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
    ),
    "NotebookService/GetNotebookSummary": Row(World.notebook, by_id, NOTEBOOKS_ASKED),
    "NotebookService/RequestNotebookSummary": Row(World.notebook, by_id, NOTEBOOKS_ASKED),
    "NotebookService/StartNotebookTemplate": Row(
        World.notebook, lambda item: {"id": item, "template": "NOTEBOOK_TEMPLATE_SUMMARY"}, NOTEBOOKS_ASKED
    ),
}
