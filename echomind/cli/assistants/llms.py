"""`echomind llms`: chat models."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import LLMS
from echomind.cli.options import FieldOptions, given
from echomind.cli.rendering import last_change, moment
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Chat models, which write the answers.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of a model.", autocompletion=completion.llms)]

_LLMS = Table(
    "LlmService.list_llms",
    "_ ID NAME PROVIDER MODEL:model_id ENDPOINT ADDED:creation_date",
    "There is no chat model.",
    {
        "_": lambda each: "*" if each.is_default else "",
        "NAME": lambda each: each.name if each.is_active else f"{each.name} (inactive)",
    },
)


@dataclass(frozen=True, kw_only=True)
class LlmOptions(FieldOptions, message="Llm"):
    """Options of a chat model."""

    endpoint: str | None = None
    max_tokens: int | None = None
    context_tokens: int | None = None
    temperature: float | None = None
    input_price: float | None = None
    output_price: float | None = None
    is_default: Annotated[bool | None, typer.Option("--default", help="Make it the default model.")] = None


@app.command("list")
async def list_llms(api: Api) -> None:
    """List the chat models; `*` marks the default one."""
    await _LLMS.show(api)


@app.command("show")
async def show_llm(api: Api, name: Name) -> None:
    """Show a chat model."""
    llm = await LLMS.find(api, name)
    api.terminal.json(llm)
    api.terminal.fields(
        (
            ("Model", f"{llm.name} (id {llm.id})"),
            ("Provider", llm.provider.word),
            ("Model id", llm.model_id),
            ("Endpoint", llm.endpoint),
            ("Provider key", "stored" if llm.has_api_key else ""),
            ("Default", "yes" if llm.is_default else ""),
            ("Active", "yes" if llm.is_active else "no"),
            ("Context window", llm.context_tokens or ""),
            ("Max tokens", llm.max_tokens or ""),
            ("Temperature", "" if llm.temperature is None else llm.temperature),
            ("Price", _price(llm)),
            ("Added", moment(llm.creation_date)),
            ("Changed", last_change(llm)),
        )
    )


@app.command("add")
async def add_llm(
    api: Api,
    name: Annotated[str, typer.Argument(help="Display name.")],
    provider: Annotated[words.LlmProvider, typer.Option(help="Provider, whose protocol the model speaks.")],
    model: Annotated[str, typer.Option(help="The model's name at the provider.")],
    provider_key: Annotated[str, typer.Option(envvar="ECHOMIND_LLM_API_KEY", help="The provider's API key.")] = "",
    options: LlmOptions = LlmOptions(),
) -> None:
    """Add a chat model.

    `echomind llms test NAME` then shows whether it answers.
    """
    new = {"name": name, "provider": public.LlmProvider.from_word(provider), "model_id": model, "api_key": provider_key}
    created = await api.client.call(public.LlmService.create_llm, {"llm": new | options.given_fields()})
    api.terminal.report(
        created, f"Added {created.name} (id {created.id}){', the default model' if created.is_default else ''}."
    )


@app.command("update")
async def update_llm(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New display name.")] = None,
    model: Annotated[str | None, typer.Option(help="The model's name at the provider.")] = None,
    provider_key: Annotated[str | None, typer.Option(help="The provider's API key; empty: none.")] = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Whether it can be used for answers.")
    ] = None,
    options: LlmOptions = LlmOptions(),
) -> None:
    """Change a chat model; options that are not given stay unchanged."""
    change = options.given_fields() | given(name=new_name, model_id=model, api_key=provider_key, is_active=active)
    if not change:
        raise NothingToChangeError("Say what to change, for example --default or --model.")
    llm = await LLMS.find(api, name)
    changed = await api.client.call(public.LlmService.update_llm, {"id": llm.id, "llm": change})
    api.terminal.report(
        changed, f"Changed {changed.name} (id {changed.id}){', the default model' if changed.is_default else ''}."
    )


@app.command("test")
async def test_llm(api: Api, name: Name) -> None:
    """Test a chat model with a short question.

    The exit code is 1 when it does not answer.
    """
    llm = await LLMS.find(api, name)
    answer = await api.client.call(public.LlmService.test_llm, {"id": llm.id})
    api.terminal.json(answer)
    if answer.ok:
        api.terminal.line(f"{llm.name} answers ({answer.latency_ms} ms): {answer.message}")
    else:
        api.terminal.note(f"{llm.name} does not answer: {answer.message}")
        api.terminal.status = 1


@app.command("models")
async def list_models(
    api: Api,
    provider: Annotated[
        words.LlmProvider, typer.Option(help="Provider, whose protocol the server speaks.")
    ] = words.LlmProvider.OPENAI,
    endpoint: Annotated[str, typer.Option(help="Address of its API; empty: the provider's own.")] = "",
    provider_key: Annotated[str, typer.Option(envvar="ECHOMIND_LLM_API_KEY", help="The provider's API key.")] = "",
    of: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Ask the server of this stored model, with its key.", autocompletion=completion.llms
        ),
    ] = "",
) -> None:
    """List the models that a provider's server offers, to add one of them.

    The exit code is 1 when the server does not say.
    """
    asked: dict[str, Any] = {
        "provider": public.LlmProvider.from_word(provider),
        "endpoint": endpoint,
        "api_key": provider_key,
    }
    if of:
        llm = await LLMS.find(api, of)
        asked = {"provider": llm.provider, "endpoint": llm.endpoint, "id": llm.id}
    answer = await api.client.call(public.LlmService.list_offered_models, asked)
    api.terminal.json(answer)
    for name in answer.model_ids:
        api.terminal.line(name)
    if answer.message:
        api.terminal.note(f"The server lists no models: {answer.message}")
        api.terminal.status = 1


@app.command("remove")
async def remove_llm(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a chat model with its stored key; assistants that name it use the default model."""
    llm = await LLMS.find(api, name)
    await confirm(api.terminal, f"Remove the chat model {llm.name} with its stored key", yes=yes)
    await api.client.call(public.LlmService.delete_llm, {"id": llm.id})
    api.terminal.report({"id": str(llm.id), "name": llm.name}, f"Removed {llm.name}.")


def _price(llm: "public.Llm") -> str:
    if llm.input_price is None or llm.output_price is None:
        return ""
    return f"${llm.input_price:g} in, ${llm.output_price:g} out, for a million tokens"
