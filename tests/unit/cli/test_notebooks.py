"""The commands about notebooks."""

from tests.drivers.api_server import ApiServer, refusal
from tests.drivers.shell import Shell


def test_a_notebook_without_its_sources_is_not_kept(api: ApiServer, shell: Shell) -> None:
    api.on("POST /api/v1/notebooks", {"id": 4, "title": "Contracts"})
    api.on("POST /api/v1/notebooks/4/sources:add", refusal("NOT_FOUND", "There is no document 12.", 404))
    api.on("POST /api/v1/notebooks/4:purge", {})
    assert "There is no document 12." in shell.run("notebooks", "add", "Contracts", "--document", "12", code=1).stderr
    assert [call.path for call in api.calls] == [
        "/api/v1/notebooks",
        "/api/v1/notebooks/4/sources:add",
        "/api/v1/notebooks/4:purge",
    ]
