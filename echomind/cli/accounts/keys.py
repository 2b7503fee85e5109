"""`echomind keys`: keys for programs."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.accounts.key_options import KeyOptions, LimitOptions, OverlapHours
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import ASSISTANTS, CONNECTORS, KEYS
from echomind.cli.rendering import moment
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("API keys, with which programs call EchoMind.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of an API key.", autocompletion=completion.keys)]


@app.command("list")
async def list_keys(api: Api) -> None:
    """List your API keys, without their secrets."""
    keys = await KEYS.every(api.client)
    api.terminal.json({"apiKeys": keys})
    await show_keys(api, keys, empty="You have no key.")


async def show_keys(api: Api, keys: "list[public.ApiKey]", *, empty: str) -> None:
    """Prints keys as a table, or a sentence if there is none."""
    limits = await _limits(api, keys)
    api.terminal.table(
        ("ID", "NAME", "BEGINS WITH", "SCOPES", "ONLY", "QUOTAS", "CREATED", "LAST USED", "EXPIRES", "EARLIER SECRET"),
        (
            (
                key.id,
                key.name,
                key.prefix,
                ", ".join(scope.word for scope in key.scopes),
                limits[key.id],
                used_quotas(key),
                moment(key.creation_date),
                moment(key.last_used_at) or "never",
                moment(key.expires_at) or "never",
                _earlier(key),
            )
            for key in keys
        ),
        empty=empty,
    )


@app.command("add")
async def add_key(
    api: Api,
    name: Annotated[str, typer.Argument(help="Name of the key, for example the program that uses it.")],
    administer: Annotated[bool, typer.Option("--administer", help="Short for --scope administer.")] = False,
    options: KeyOptions = KeyOptions(),  # noqa: B008 - frozen
) -> None:
    """Create an API key and print it; it cannot be shown again.

    With --assistant or --connector, it asks, searches and reads within these limits and does nothing else, and has only
    the conversations that begin with it.

    It does no more than you may do: read, ask questions, ingest documents, manage what is yours. With administer it
    does all of that, and manages accounts and passwords. It expires no later than the key that this command uses, has
    no scope that that key lacks, and is revoked with it.
    """
    more = [words.ApiKeyScope.ADMINISTER] if administer else []
    request = {"name": name, **await options.fields(api, *more)}
    created = await api.client.call(public.ApiKeyService.create_api_key, request)
    show_secret(api, created)


@app.command("limit")
async def limit_key(
    api: Api,
    name: Name,
    options: LimitOptions = LimitOptions(),  # noqa: B008 - frozen
) -> None:
    """Limit how much may be asked with an API key.

    Keys that were created with it count together with it. --questions, --tokens and --cost are for each month, or for
    each day with --each day; what was used stays. What you do not name stays as it is, and 0 removes a limit.
    A key cannot set its own limits.
    """
    key = await KEYS.find(api, name)
    request = {"id": key.id} | options.changed(key)
    changed = await api.client.call(public.ApiKeyService.set_api_key_quotas, request)
    api.terminal.report(changed, f"{changed.name}: {used_quotas(changed) or 'no limit'}.")


@app.command("rotate")
async def rotate_key(
    api: Api,
    name: Name,
    overlap_hours: OverlapHours = 24,
) -> None:
    """Give an API key another secret and print it; it cannot be shown again.

    Programs that have the earlier secret continue to work until the overlap is over, so that they can be changed one by
    one. `keys list` shows when the earlier one was last used.
    """
    key = await KEYS.find(api, name)
    request = public.RotateApiKeyRequest(id=key.id, overlap_seconds=overlap_hours * 3600)
    rotated = await api.client.call(public.ApiKeyService.rotate_api_key, request)
    show_rotated(api, rotated)


@app.command("remove")
async def remove_key(
    api: Api,
    name: Name,
    yes: Yes = False,
) -> None:
    """Revoke an API key and the keys that were created with it.

    They stop working within a minute.
    """
    call, keys = public.ApiKeyService.delete_api_key, await KEYS.every(api.client)
    await revoke(api, call, {}, keys, name, yes=yes)


async def revoke(
    api: Api, call: Any, request: dict[str, Any], keys: "list[public.ApiKey]", name: str, *, of: str = "", yes: bool
) -> None:
    """Revokes a key and those that were created with it, after a question.

    Args:
        api: The API.
        call: The method that deletes a key.
        request: Its request; `id`, or `key_id` where that is another one's, is added.
        keys: The keys of its owner.
        name: Its name or id.
        of: Its owner, as ` of deploy`.
        yes: Whether not to ask.
    """
    key = find(keys, name, "key")
    made = made_with(key, keys)
    with_it = f" and the keys created with it: {', '.join(other.name for other in made)}" if made else ""
    await confirm(api.terminal, f"Revoke the key {key.name}{of}{with_it}", yes=yes)
    await api.client.call(call, request | {"key_id" if request else "id": key.id})
    api.terminal.report(
        {"id": str(key.id), "name": key.name, "madeWithIt": [other.name for other in made]},
        f"Revoked {key.name}{of}{with_it}.",
    )


def show_secret(api: Api, created: "public.CreateApiKeyResponse | public.CreateServiceAccountKeyResponse") -> None:
    """Prints a new key."""
    api.terminal.json(created)
    api.terminal.note("The key, shown only once:")
    api.terminal.line(created.secret)


def show_rotated(api: Api, rotated: "public.RotateApiKeyResponse | public.RotateServiceAccountKeyResponse") -> None:
    """Prints the new secret of a key, and until when the earlier one works."""
    api.terminal.json(rotated)
    end = moment(rotated.api_key.previous_expires_at) if rotated.api_key else ""
    api.terminal.note(f"The earlier secret works until {end}." if end else "The earlier secret stops within a minute.")
    api.terminal.note("The new secret, shown only once:")
    api.terminal.line(rotated.secret)


async def _limits(api: Api, keys: "list[public.ApiKey]") -> dict[int, str]:
    """Returns the names of what each key is limited to; empty without limits."""
    assistants = await ASSISTANTS.every(api.client) if any(key.assistant_ids for key in keys) else []
    connectors = await CONNECTORS.every(api.client) if any(key.connector_ids for key in keys) else []
    asked, read = {each.id: each.name for each in assistants}, {each.id: each.name for each in connectors}
    return {
        key.id: ", ".join(
            [asked.get(each, f"assistant {each}, removed") for each in key.assistant_ids]
            + [read.get(each, f"connector {each}, removed") for each in key.connector_ids]
        )
        for key in keys
    }


def used_quotas(key: "public.ApiKey") -> str:
    """Returns what is used of a key's quotas and when they renew, and its other limits; empty without any."""
    texts = []
    for quota in key.quotas:
        used = [
            f"{quota.questions:,} of {quota.max_questions:,} questions" if quota.max_questions else "",
            f"{quota.tokens:,} of {quota.max_tokens:,} tokens" if quota.max_tokens else "",
            f"${quota.cost:,.2f} of ${quota.max_cost:,.2f}" if quota.max_cost else "",
        ]
        texts.append(f"{', '.join(filter(None, used))} until {moment(quota.renews_at)}")
    if key.max_requests_per_minute:
        texts.append(f"{key.max_requests_per_minute:,} requests a minute")
    if key.max_concurrent_runs:
        texts.append(f"{key.max_concurrent_runs:,} questions at a time")
    if key.max_concurrent_streams:
        texts.append(f"{key.max_concurrent_streams:,} streams at a time")
    return "; ".join(texts)


def _earlier(key: "public.ApiKey") -> str:
    """Returns until when the secret before the last rotation works, and when it was last used; empty if it stopped."""
    if key.previous_expires_at is None:
        return ""
    used = moment(key.previous_used_at) or "never"
    return f"until {moment(key.previous_expires_at)}, last used {used}"


def made_with(key: "public.ApiKey", keys: "list[public.ApiKey]") -> "list[public.ApiKey]":
    """Returns the keys that were created with a key, and with these."""
    made = [other for other in keys if other.parent_id == key.id]
    return made + [further for other in made for further in made_with(other, keys)]
