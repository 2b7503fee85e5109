"""`echomind preferences`: the user's settings."""

from typing import Any

from echomind.cli.accounts.preference_options import PreferenceOptions, RunPreferences
from echomind.cli.api import Api
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import ASSISTANTS, LLMS
from echomind.cli.options import word_of
from echomind.cli.rendering import plain
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public

app = CommandGroup("Preferences: what you set for yourself, for every browser and terminal.")


@app.command("show")
async def show_preferences(api: Api) -> None:
    """Show your preferences."""
    await _show(api, await _preferences(api))


@app.command("set")
async def set_preferences(
    api: Api,
    options: PreferenceOptions = PreferenceOptions(),  # noqa: B008 - frozen
    run_options: RunPreferences = RunPreferences(),  # noqa: B008 - frozen
) -> None:
    """Change the preferences that are named, and show all of them."""
    changes, run_changes = await options.fields(api), await run_options.fields(api)
    if not changes and not run_changes:
        raise NothingToChangeError("Say what to change, for example --theme dark.")
    preferences = await _preferences(api)
    if run_changes:
        changes["run_options"] = (preferences.run_options or public.RunOptions()).model_copy(update=run_changes)
    # The API replaces all preferences at once.
    preferences = preferences.model_copy(update=changes)
    user = await api.client.call(public.UserService.update_current_user, {"user": {"preferences": preferences}})
    await _show(api, user.preferences or public.Preferences())


async def _show(api: Api, preferences: "public.Preferences") -> None:
    if api.terminal.as_json:
        api.terminal.json(plain(preferences))
        return
    options = preferences.run_options
    asks = options.ask_clarifications if options else None
    assistant_id, llm_id = preferences.default_assistant_id, options.llm_id if options else 0
    assistant = _name(await ASSISTANTS.every(api.client), assistant_id) if assistant_id else "the default one"
    api.terminal.fields(
        (
            ("Language", word_of(preferences.language)),
            ("Theme", word_of(preferences.theme)),
            ("Density", word_of(preferences.density)),
            ("Send key", word_of(preferences.send_key)),
            ("Follow answers", _yes(preferences.follow_answers is not False)),
            ("Notifications", _yes(preferences.notifications)),
            ("Single-key shortcuts", _yes(preferences.single_key_shortcuts is not False)),
            ("Memory", _yes(not preferences.memory_off)),
            ("Assistant", assistant),
            ("Chat model", _name(await LLMS.every(api.client), llm_id) if llm_id else "the assistant's"),
            ("Clarifying questions", "the assistant's" if asks is None else _yes(asks)),
            ("Max steps", (options and options.max_steps) or "the assistant's"),
            ("Of parallel calls it waits for", _wait(options)),
            ("Max seconds", (options and options.timeout_seconds) or "the assistant's"),
        )
    )


def _name(things: "list[Any]", thing_id: int) -> str:
    """Returns the name of a thing; its id when the caller does not see it, as when it was removed."""
    return next((thing.name for thing in things if thing.id == thing_id), f"id {thing_id}")


def _wait(options: "public.RunOptions | None") -> str:
    word = options.wait_strategy.word if options else "unspecified"
    return "as the assistant says" if word == "unspecified" else word


def _yes(value: bool) -> str:
    return "yes" if value else "no"


async def _preferences(api: Api) -> "public.Preferences":
    return (await api.client.call(public.UserService.get_current_user)).preferences or public.Preferences()
