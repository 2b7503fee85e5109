"""The commands about notebooks."""

from tests.drivers.api_server import ApiServer, about, refusal
from tests.drivers.shell import Shell


def test_a_notebook_without_its_sources_is_not_kept(api: ApiServer, shell: Shell) -> None:
    api.on("NotebookService/CreateNotebook", {"id": 4, "title": "Contracts"})
    api.on(about("NotebookService/AddNotebookSources", id=4), refusal("NOT_FOUND", "There is no document 12.", 404))
    api.on(about("NotebookService/PurgeNotebook", id=4), {})
    assert "There is no document 12." in shell.run("notebooks", "add", "Contracts", "--document", "12", code=1).stderr
    assert [call.method for call in api.calls] == [
        "NotebookService/CreateNotebook",
        "NotebookService/AddNotebookSources",
        "NotebookService/PurgeNotebook",
    ]
