"""`echomind rerankers`: models that order the passages of searches."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import RERANKERS
from echomind.cli.options import given
from echomind.cli.rendering import last_change
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Rerankers, which order the passages that a search has found.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or id of a reranker.", autocompletion=completion.rerankers)
]
Candidates = Annotated[
    int | None, typer.Option(min=1, max=200, help="How many passages it compares.", show_default="30")
]
Timeout = Annotated[
    int | None,
    typer.Option(
        "--timeout", metavar="MS", min=1, max=30000, help="How long a search waits for it.", show_default="1500"
    ),
]

_RERANKERS = Table(
    "RerankerService.list_rerankers",
    "_ ID NAME MODEL:model_id PROTOCOL ENDPOINT CANDIDATES TIMEOUT",
    "There is no reranker: searches have their own order.",
    {"_": lambda each: "*" if each.is_active else "", "TIMEOUT": lambda each: f"{each.timeout_ms} ms"},
)


@app.command("list")
async def list_rerankers(api: Api) -> None:
    """List the rerankers; `*` marks the active one."""
    await _RERANKERS.show(api)


@app.command("show")
async def show_reranker(api: Api, name: Name) -> None:
    """Show a reranker."""
    reranker = await RERANKERS.find(api, name)
    api.terminal.json(reranker)
    api.terminal.fields(
        (
            ("Reranker", f"{reranker.name} (id {reranker.id})"),
            ("Active", "yes" if reranker.is_active else "no"),
            ("Model", reranker.model_id),
            ("Protocol", reranker.protocol.word),
            ("Endpoint", reranker.endpoint),
            ("API key", "stored" if reranker.has_api_key else "none"),
            ("Candidates", reranker.candidates),
            ("Timeout", f"{reranker.timeout_ms} ms"),
            ("Changed", last_change(reranker)),
        )
    )


@app.command("add")
async def add_reranker(
    api: Api,
    name: Annotated[str, typer.Argument(help="Display name.")],
    endpoint: Annotated[str, typer.Option(help="Address of its server, for example http://gpu:8080.")],
    protocol: Annotated[words.RerankProtocol, typer.Option(help="What the server speaks.")],
    model: Annotated[str, typer.Option(help="The model's name at the server; empty: the display name.")] = "",
    provider_key: Annotated[str, typer.Option(envvar="ECHOMIND_RERANKER_API_KEY", help="The server's API key.")] = "",
    candidates: Candidates = None,
    timeout_ms: Timeout = None,
) -> None:
    """Add a reranker of a server. Nothing uses it until you activate it."""
    new = {
        "name": name,
        "model_id": model or name,
        "endpoint": endpoint,
        "protocol": public.RerankProtocol.from_word(protocol),
        "api_key": provider_key,
        **given(candidates=candidates, timeout_ms=timeout_ms),
    }
    created = await api.client.call(public.RerankerService.create_reranker, {"reranker": new})
    api.terminal.report(
        created,
        f"Added {created.name} (id {created.id}). Nothing uses it until `echomind rerankers activate {created.id}`.",
    )


@app.command("update")
async def update_reranker(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New display name.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="New address of its server.")] = None,
    model: Annotated[str | None, typer.Option(help="New name of the model there.")] = None,
    provider_key: Annotated[str | None, typer.Option(help="The server's API key; empty: none.")] = None,
    candidates: Candidates = None,
    timeout_ms: Timeout = None,
) -> None:
    """Change a reranker; options that are not given stay unchanged."""
    change = given(
        name=new_name,
        endpoint=endpoint,
        model_id=model,
        api_key=provider_key,
        candidates=candidates,
        timeout_ms=timeout_ms,
    )
    if not change:
        raise NothingToChangeError("Say what to change, for example --endpoint or --candidates.")
    changed = await _update(api, name, change)
    api.terminal.report(changed, f"Changed {changed.name} (id {changed.id}).")


@app.command("test")
async def test_reranker(api: Api, name: Name) -> None:
    """Let a reranker order the passages of some questions.

    The exit code is 1 when it cannot be used.
    """
    reranker = await RERANKERS.find(api, name)
    answer = await api.client.call(public.RerankerService.test_reranker, {"id": reranker.id})
    api.terminal.json(answer)
    if answer.ok:
        api.terminal.line(f"{reranker.name} can be used ({answer.latency_ms} ms a question): {answer.message}")
    else:
        api.terminal.note(f"{reranker.name} cannot be used: {answer.message}")
        api.terminal.status = 1


@app.command("activate")
async def activate_reranker(api: Api, name: Name) -> None:
    """Let searches use a reranker, which is tested first."""
    changed = await _update(api, name, {"is_active": True})
    api.terminal.report(changed, f"Searches use {changed.name}.")


@app.command("deactivate")
async def deactivate_reranker(api: Api, name: Name) -> None:
    """Let searches have their own order again."""
    changed = await _update(api, name, {"is_active": False})
    api.terminal.report(changed, f"{changed.name} is not used any more.")


@app.command("remove")
async def remove_reranker(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a reranker with its stored key."""
    reranker = await RERANKERS.find(api, name)
    await confirm(api.terminal, f"Remove the reranker {reranker.name} with its stored key", yes=yes)
    await api.client.call(public.RerankerService.delete_reranker, {"id": reranker.id})
    api.terminal.report({"id": str(reranker.id), "name": reranker.name}, f"Removed {reranker.name}.")


async def _update(api: Api, name: str, change: dict[str, object]) -> "public.Reranker":
    reranker = await RERANKERS.find(api, name)
    return await api.client.call(public.RerankerService.update_reranker, {"id": reranker.id, "reranker": change})
