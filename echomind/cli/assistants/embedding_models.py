"""`echomind embedding-models`: models that turn text into vectors."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import EMBEDDING_MODELS
from echomind.cli.options import given
from echomind.cli.rendering import last_change, moment
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Embedding models, which find passages by their meaning.")

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name, model id or id of a model.", autocompletion=completion.embedding_models),
]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it is active.")]
_POLL_SECONDS = 1.0
_EPOCH = datetime.fromtimestamp(0, UTC)
_LANGUAGES = 5
"""More languages than these are counted, not named."""

_MODELS = Table(
    "EmbeddingModelService.list_embedding_models",
    "_ ID NAME:model_name MODEL:model_id DIMENSIONS:model_dimension INDEX:status SINCE:status_since",
    "There is no embedding model.",
    {"_": lambda each: "*" if each.is_active else ""},
)


@app.command("list")
async def list_embedding_models(api: Api) -> None:
    """List the embedding models; `*` marks the active one."""
    models = await EMBEDDING_MODELS.every(api.client)
    api.terminal.json({"embeddingModels": models})
    _MODELS.write_rows(api.terminal, models)


@app.command("show")
@app.command("status", hidden=True)  # the fixed name for scripts: docs/decisions/0062
async def show_embedding_model(
    api: Api,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name, model id or id of a model.",
            autocompletion=completion.embedding_models,
            show_default="the one whose index is being filled, else the active one",
        ),
    ] = "",
) -> None:
    """Show an embedding model, and how far its index is filled."""
    model = await _find(api, name) if name else _current(await EMBEDDING_MODELS.every(api.client))
    progress = await api.client.call(public.EmbeddingModelService.get_embedding_index_progress, {"id": model.id})
    api.terminal.json({"embeddingModel": model, "progress": progress})
    api.terminal.fields(
        (
            ("Model", f"{model.model_name} (id {model.id})"),
            ("Model id", model.model_id),
            ("Dimensions", model.model_dimension),
            ("Endpoint", model.endpoint),
            ("Protocol", model.protocol.word if model.endpoint else ""),
            ("API key", ("stored" if model.has_api_key else "none") if model.endpoint else ""),
            ("Before a question", model.query_prefix),
            ("Before a passage", model.passage_prefix),
            ("Languages", _languages(model) if model.endpoint else ""),
            ("Index", model.status.word),
            ("Since", moment(model.status_since)),
            ("Kept until", moment(model.standby_until)),
            ("Documents", f"{progress.done} of {progress.documents}"),
            ("Not copied", progress.failed or ""),
            ("Time left", _time_left(progress) if model.status.word == "building" else ""),
            ("Message", progress.message),
            ("Words", model.sparse_encoder),
            ("Passages", model.chunker),
            ("Changed", last_change(model)),
        )
    )
    for failure in progress.failures:
        api.terminal.note(f"Document {failure.document_id}: {failure.message}")


@app.command("add")
async def add_embedding_model(
    api: Api,
    name: Annotated[str, typer.Argument(help="Display name.")],
    endpoint: Annotated[str, typer.Option(help="Address of its server, for example http://gpu:8080.")],
    model: Annotated[str, typer.Option(help="The model's name at the server; empty: the display name.")] = "",
    protocol: Annotated[
        words.EmbeddingProtocol, typer.Option(help="What the server speaks.")
    ] = words.EmbeddingProtocol.OPENAI,
    provider_key: Annotated[
        str, typer.Option(envvar="ECHOMIND_EMBEDDING_MODEL_API_KEY", help="The server's API key.")
    ] = "",
    query_prefix: Annotated[
        str, typer.Option(help="Text that the model expects before a question, such as 'query: '.")
    ] = "",
    passage_prefix: Annotated[
        str, typer.Option(help="Text that it expects before a passage, such as 'passage: '.")
    ] = "",
) -> None:
    """Add an embedding model of a server, which is tested first.

    `echomind embedding-models activate NAME` then fills its index and uses it.
    """
    new = {
        "model_name": name,
        "model_id": model or name,
        "endpoint": endpoint,
        "protocol": public.EmbeddingProtocol.from_word(protocol),
        "api_key": provider_key,
        "query_prefix": query_prefix,
        "passage_prefix": passage_prefix,
    }
    created = await api.client.call(public.EmbeddingModelService.create_embedding_model, {"embedding_model": new})
    api.terminal.report(
        created,
        f"Added {created.model_name} (id {created.id}): {created.model_dimension} dimensions, "
        f"{_languages(created)}. Nothing uses it until you activate it.",
    )


@app.command("update")
async def update_embedding_model(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New display name.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="New address of its server.")] = None,
    provider_key: Annotated[str | None, typer.Option(help="The server's API key; empty: none.")] = None,
    query_prefix: Annotated[
        str | None, typer.Option(help="Text before a question; only while it has no index.")
    ] = None,
    passage_prefix: Annotated[
        str | None, typer.Option(help="Text before a passage; only while it has no index.")
    ] = None,
) -> None:
    """Change an embedding model of a server; options that are not given stay unchanged."""
    change = given(
        model_name=new_name,
        endpoint=endpoint,
        api_key=provider_key,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
    )
    if not change:
        raise NothingToChangeError("Say what to change, for example --endpoint or --provider-key.")
    model = await _find(api, name)
    request = {"id": model.id, "embedding_model": change}
    changed = await api.client.call(public.EmbeddingModelService.update_embedding_model, request)
    api.terminal.report(changed, f"Changed {changed.model_name} (id {changed.id}).")


@app.command("test")
async def test_embedding_model(api: Api, name: Name) -> None:
    """Let an embedding model find the right passages for some questions.

    The exit code is 1 when it cannot be used.
    """
    model = await _find(api, name)
    answer = await api.client.call(public.EmbeddingModelService.test_embedding_model, {"id": model.id})
    api.terminal.json(answer)
    if answer.ok:
        api.terminal.line(f"{model.model_name} can be used ({answer.latency_ms} ms): {answer.message}")
    else:
        api.terminal.note(f"{model.model_name} cannot be used: {answer.message}")
        api.terminal.status = 1


@app.command("remove")
async def remove_embedding_model(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove an embedding model of a server with its stored key; it must not have an index."""
    model = await _find(api, name)
    await confirm(api.terminal, f"Remove the embedding model {model.model_name} with its stored key", yes=yes)
    await api.client.call(public.EmbeddingModelService.delete_embedding_model, {"id": model.id})
    api.terminal.report({"id": str(model.id), "name": model.model_name}, f"Removed {model.model_name}.")


@app.command("activate")
async def activate_embedding_model(
    api: Api,
    name: Name,
    without_failed: Annotated[
        bool, typer.Option("--without-failed", help="Leave out documents that could not be copied.")
    ] = False,
    wait: Wait = True,
) -> None:
    """Make an embedding model the active one.

    Its index is filled beside the active one, which answers questions meanwhile. A model that was active within the
    last day is active again at once.
    """
    await _activate(api, await _find(api, name), without_failed=without_failed, wait=wait)


@app.command("rollback")
async def roll_back_embedding_model(api: Api, wait: Wait = True) -> None:
    """Make the model active again that was active before, while its index is kept.

    That is for a day; `echomind embedding-models show NAME` says until when.
    """
    models = await EMBEDDING_MODELS.every(api.client)
    kept = [model for model in models if model.status is public.EmbeddingModelStatus.STANDBY]
    if not kept:
        raise CommandError(
            "No index of a model that was active before is kept. `echomind embedding-models activate NAME` fills one."
        )
    await _activate(api, max(kept, key=lambda model: model.status_since or _EPOCH), without_failed=False, wait=wait)


async def _activate(api: Api, model: "public.EmbeddingModel", *, without_failed: bool, wait: bool) -> None:
    request = {"id": model.id, "without_failed": without_failed}
    model = await api.client.call(public.EmbeddingModelService.activate_embedding_model, request)
    if wait and not model.is_active:
        model = await _wait(api, model)
    if model.is_active:
        api.terminal.report(model, f"{model.model_name} is the active embedding model.")
    else:
        api.terminal.report(
            model,
            f"The index of {model.model_name} is being filled. It becomes active when it is complete; "
            f"`echomind embedding-models show {model.id}` says how far it is.",
        )


@app.command("drop-index")
async def drop_embedding_index(api: Api, name: Name, yes: Yes = False) -> None:
    """Delete the index of a model that is not active.

    That is one that is being filled, or one that is kept for the way back.
    """
    model = await _find(api, name)
    await confirm(api.terminal, f"Delete the index of {model.model_name}", yes=yes)
    model = await api.client.call(public.EmbeddingModelService.drop_embedding_index, {"id": model.id})
    api.terminal.report(model, f"The index of {model.model_name} is being deleted.")


async def _wait(api: Api, model: "public.EmbeddingModel") -> "public.EmbeddingModel":
    """Returns the model once it is active.

    Raises:
        CommandError: Filling its index does not continue by itself.
    """
    reported = ""
    while model.status.word == "building":
        progress = await api.client.call(public.EmbeddingModelService.get_embedding_index_progress, {"id": model.id})
        if progress.failed and progress.done + progress.failed >= progress.documents:
            raise CommandError(
                f"{progress.failed} documents could not be copied, for example document "
                f"{progress.failures[0].document_id}: {progress.failures[0].message} Call this again to retry them, or "
                "with --without-failed to leave them out."
            )
        line = f"{progress.done} of {progress.documents} documents, {_time_left(progress)} left"
        line += f": {progress.message}" if progress.message else ""
        if line != reported:
            api.terminal.note(line)
            reported = line
        await asyncio.sleep(_POLL_SECONDS)
        model = await api.client.call(public.EmbeddingModelService.get_embedding_model, {"id": model.id})
    if not model.is_active:
        raise CommandError(f"The index of {model.model_name} was deleted before it was complete.")
    return model


def _time_left(progress: "public.EmbeddingIndexProgress") -> str:
    if progress.seconds_left is None:
        return "unknown time"
    minutes, seconds = divmod(progress.seconds_left, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _languages(model: "public.EmbeddingModel") -> str:
    shown = ", ".join(model.languages[:_LANGUAGES])
    return f"{len(model.languages)} languages" if len(model.languages) > _LANGUAGES else f"languages {shown}"


def _current(models: "list[public.EmbeddingModel]") -> "public.EmbeddingModel":
    """Returns the model whose index is being filled, else the active one.

    Raises:
        CommandError: There is neither.
    """
    for status in (public.EmbeddingModelStatus.BUILDING, public.EmbeddingModelStatus.ACTIVE):
        for model in models:
            if model.status is status:
                return model
    raise CommandError("No embedding model is active: name one.")


async def _find(api: Api, name: str) -> "public.EmbeddingModel":
    models = await EMBEDDING_MODELS.every(api.client)
    of_model_id = [model for model in models if model.model_id == name]
    # With an index of an earlier version beside, the other one is meant.
    by_model_id = [model for model in of_model_id if not model.is_active] or of_model_id
    if by_model_id:
        return find(by_model_id, name, "embedding model", lambda model: model.model_id)
    return find(models, name, "embedding model", lambda model: model.model_name)
