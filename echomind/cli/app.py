"""The command line."""

from typing import Annotated

import typer

from echomind.cli.accounts import (
    devices,
    erasures,
    groups,
    identity_providers,
    invitations,
    keys,
    person_exports,
    preferences,
    scim,
    service_accounts,
    users,
)
from echomind.cli.accounts import login as profiles
from echomind.cli.accounts.login import login, logout
from echomind.cli.accounts.recover import recover_user
from echomind.cli.administration import (
    audit,
    dead_letters,
    feedback,
    legal_holds,
    quotas,
    retention,
    secret_keys,
    webhooks,
)
from echomind.cli.administration.backup import backup, restore
from echomind.cli.administration.doctor import doctor
from echomind.cli.administration.local_stack import logs, status, stop
from echomind.cli.administration.up import up
from echomind.cli.administration.usage import usage
from echomind.cli.assistants import assistants, embedding_models, llms, rerankers
from echomind.cli.conversations import checkpoints, messages, runs, sessions, shares, todos
from echomind.cli.conversations.ask import ask
from echomind.cli.evaluation import evaluate
from echomind.cli.help_format import CommandGroup
from echomind.cli.knowledge import knowledge
from echomind.cli.memories import memories
from echomind.cli.notebooks import notebook_members, notebook_notes, notebook_summaries, notebooks
from echomind.cli.programs import imports
from echomind.cli.programs.mcp import mcp
from echomind.cli.sources import connected_accounts, connector_settings, connector_syncs, connectors, documents
from echomind.cli.sources.ingest import ingest
from echomind.cli.sources.search import search
from echomind.cli.sources.source_people import list_aliases, list_groups, list_people, set_alias

app = CommandGroup(
    "Cited answers from your organization's own documents.\n\n"
    "`echomind up` starts EchoMind on this machine. The other commands talk to it, or to another one after "
    "`echomind login ADDRESS`. `echomind COMMAND --help` describes a command."
)

# Sections of `echomind --help`, which lists them in the order of their first commands.
SERVER = "Run EchoMind"
ANSWERS = "Ask"
DOCUMENTS = "Documents"
CONVERSATIONS = "Conversations and their runs"
KNOWN = "What is known beyond documents"
MODELS = "Models and assistants"
PEOPLE = "People and access"

for command, section in (
    (up, SERVER),
    (status, SERVER),
    (stop, SERVER),
    (logs, SERVER),
    (doctor, SERVER),
    (backup, SERVER),
    (restore, SERVER),
    (login, SERVER),
    (logout, SERVER),
    (usage, SERVER),
    (ask, ANSWERS),
    (search, ANSWERS),
    (mcp, ANSWERS),
    (ingest, DOCUMENTS),
):
    app.command(rich_help_panel=section)(command)
for name, connector_command in (
    ("types", connector_settings.list_types),
    ("add", connector_settings.add_connector),
    ("update", connector_settings.update_connector),
    ("test", connector_settings.test_connector),
    ("sign-in", connector_settings.sign_in),
    ("accounts", connected_accounts.list_accounts),
    ("disconnect", connected_accounts.disconnect),
    ("sync", connector_syncs.sync_connector),
    ("cancel", connector_syncs.cancel_sync),
    ("syncs", connector_syncs.list_syncs),
    ("failures", connector_syncs.list_failures),
    ("confirm", connector_syncs.confirm_sync),
    ("reject", connector_syncs.reject_sync),
    ("pause", connector_syncs.pause_connector),
    ("resume", connector_syncs.resume_connector),
    ("disable", connector_syncs.disable_connector),
    ("enable", connector_syncs.enable_connector),
    ("people", list_people),
    ("groups", list_groups),
    ("alias", set_alias),
    ("aliases", list_aliases),
):
    connectors.app.command(name)(connector_command)
users.app.command("recover")(recover_user)
users.app.command("export")(person_exports.export_user)
users.app.command("purge")(erasures.purge_user)
users.app.command("erase")(erasures.erase_user)
users.app.command("erasures")(erasures.list_erasures)
notebooks.app.add_typer(notebook_notes.app, name="notes")
notebooks.app.command("join")(notebook_members.add_members)
notebooks.app.command("summary")(notebook_summaries.show_summary)
notebooks.app.command("leave")(notebook_members.remove_member)
for group, name, section in (
    (documents.app, "documents", DOCUMENTS),
    (connectors.app, "connectors", DOCUMENTS),
    (notebooks.app, "notebooks", DOCUMENTS),
    (sessions.app, "sessions", CONVERSATIONS),
    (messages.app, "messages", CONVERSATIONS),
    (shares.app, "shares", CONVERSATIONS),
    (checkpoints.app, "checkpoints", CONVERSATIONS),
    (runs.app, "runs", CONVERSATIONS),
    (todos.app, "todos", CONVERSATIONS),
    (imports.app, "import", CONVERSATIONS),
    (knowledge.app, "knowledge", KNOWN),
    (memories.app, "memories", KNOWN),
    (llms.app, "llms", MODELS),
    (embedding_models.app, "embedding-models", MODELS),
    (rerankers.app, "rerankers", MODELS),
    (assistants.app, "assistants", MODELS),
    (users.app, "users", PEOPLE),
    (groups.app, "groups", PEOPLE),
    (identity_providers.app, "identity-providers", PEOPLE),
    (service_accounts.app, "service-accounts", PEOPLE),
    (scim.app, "scim", PEOPLE),
    (invitations.app, "invitations", PEOPLE),
    (keys.app, "keys", PEOPLE),
    (devices.app, "devices", PEOPLE),
    (preferences.app, "preferences", PEOPLE),
    (profiles.app, "profiles", SERVER),
    (feedback.app, "feedback", SERVER),
    (dead_letters.app, "dead-letters", SERVER),
    (quotas.app, "quotas", SERVER),
    (secret_keys.app, "secrets", SERVER),
    (audit.app, "audit", SERVER),
    (retention.app, "retention", SERVER),
    (legal_holds.app, "legal-holds", SERVER),
    (webhooks.app, "webhooks", SERVER),
    (evaluate.app, "eval", SERVER),
):
    app.add_typer(group, name=name, rich_help_panel=section)


# Fixed names for scripts, of the same commands: docs/decisions/0062.
for group, name in ((dead_letters.app, "dlq"), (embedding_models.app, "embeddings")):
    app.add_typer(group, name=name, hidden=True)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        print(f"echomind {version('echomind')}")
        raise typer.Exit


@app.callback()
def describe(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Reads the options that stand before a command."""


def main() -> None:
    """The program `echomind`."""
    app(prog_name="echomind")
