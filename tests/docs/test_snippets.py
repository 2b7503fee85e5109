"""Every snippet of the documentation is run by tests, or is here with the reason why it is not."""

from tests.drivers.office import PLACES
from tests.drivers.snippets import Snippet, snippets
from tests.paths import ROOT

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("clients/**/*.md")]
)
DATA = {"json", "mermaid", "text", "yaml"}
"""Languages in which nothing is run."""
NOT_RUN = {
    "installs or changes the machine": """
        README.md: make up
        clients/python/README.md: uv build
        docs/guide/containers.md: make images
        docs/guide/containers.md: make wheelhouse
        docs/guide/containers.md: podman run
        docs/guide/containers.md: podman exec
        docs/guide/containers.md: docker compose
        docs/guide/containers.md: sudo sh
        docs/guide/kubernetes.md: cat /etc/ssl
        docs/guide/kubernetes.md: kubectl create
        docs/guide/kubernetes.md: kubectl exec
        docs/guide/kubernetes.md: kubectl cp
        docs/guide/monitoring.md: systemctl kill
    """,
    "needs a service or a program of others": """
        README.md: bin/echomind llms add
        README.md: grpcurl
        docs/guide/api-keys-and-apis.md: grpcurl
        docs/guide/backup-and-upgrade.md: age-keygen
        docs/guide/embedding-models.md: echomind embedding-models activate
        docs/guide/embedding-models.md: echomind embedding-models add
        docs/guide/embedding-models.md: echomind rerankers add
        docs/guide/google-drive.md: jq -n
        docs/guide/importing-conversations.md: mongosh
        docs/guide/mcp-server.md: claude mcp
        docs/guide/mcp-servers.md: echomind assistants mcp
        docs/guide/single-sign-on.md: echomind identity-providers add
        docs/guide/teams.md: MODEL_API_KEY
    """,
    "never ends, or has values of something that went before": """
        docs/guide/api-keys-and-apis.md: curl -N -H "Authorization: Bearer $KEY" -H 'Last-Event-ID
        docs/guide/api-keys-and-apis.md: const events
        docs/guide/audit-log.md: echomind audit verify --head
        docs/guide/command-line.md: echomind login
    """,
    "tests do the same with values of their own": """
        docs/guide/audit-log.md: CREATE ROLE
        docs/guide/backup-and-upgrade.md: echomind restore
        docs/guide/backup-and-upgrade.md: echomind stop
        docs/guide/behind-a-proxy.md: tools.example.org {
        docs/guide/importing-conversations.md: echomind import conversations webui.db
    """,
}
"""Snippets by the reason why no test runs them: the page, and how the first line begins."""

ALL = [snippet for page in PAGES for snippet in snippets(page)]


def _reasons(snippet: Snippet) -> list[str]:
    """Returns the lines of `NOT_RUN` that are about a snippet."""
    named = [line.strip() for lines in NOT_RUN.values() for line in lines.strip().splitlines()]
    return [line for line in named if str(snippet).startswith(line)]


def test_snippets_are_run_or_have_a_reason() -> None:
    assert not [str(snippet) for snippet in ALL if not snippet.language], "a fence has no language"
    bare = [snippet for snippet in ALL if not snippet.is_run and snippet.language not in DATA]
    assert not [str(snippet) for snippet in bare if not _reasons(snippet)], "neither run nor with a reason"
    lines = {line.strip() for lines in NOT_RUN.values() for line in lines.strip().splitlines()}
    assert not lines - {line for snippet in bare for line in _reasons(snippet)}, "of no snippet"


def test_marked_snippets_are_those_that_tests_ask_for() -> None:
    tests = "".join(file.read_text() for file in (ROOT / "tests").rglob("*.py") if file.name != "test_snippets.py")
    for snippet in ALL:
        is_typed = snippet.language == "sh" and snippet.page in PLACES and not snippet.sets_variables
        if not snippet.is_run or is_typed:
            continue
        name = snippet.page.rpartition("/")[2]
        is_asked_for = any(f'{call}("{name}"' in tests for call in ("to_run", "request_all"))
        assert is_asked_for or snippet.page == "clients/python/README.md", str(snippet)
