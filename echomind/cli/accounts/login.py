"""`echomind login|logout|profiles`: which EchoMind commands use, and as whom."""

import asyncio
import platform
import sys
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.accounts.keys import made_with
from echomind.cli.accounts.secret_prompt import ask_secret
from echomind.cli.api import Api, AsJson, Target, call_api, default_data_dir, is_loopback, locate, reporting
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import KEYS
from echomind.cli.profiles import Profile, normalized, read_profiles, write_profiles
from echomind.cli.terminal import CommandError, Terminal
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Profiles: the addresses of EchoMind that you are signed in to.")

Stored = Annotated[
    str,
    typer.Argument(
        help="Address of EchoMind, or a profile's name.",
        autocompletion=completion.profiles,
        show_default="the current one",
    ),
]


def login(
    address: Annotated[
        str,
        typer.Argument(
            help="Address of EchoMind, as https://echomind.example.org.",
            show_default="that of --url or --profile, else of the EchoMind that commands use",
        ),
    ] = "",
    key: Annotated[bool, typer.Option("--key", help="Type an API key instead.")] = False,
    scope: Annotated[
        list[words.ApiKeyScope] | None,
        typer.Option(help="What the key may do; repeat it for several.", show_default="read, ask, ingest and manage"),
    ] = None,
    days: Annotated[int, typer.Option(help="Days until the key expires.", min=1, max=365)] = 90,
    url: Annotated[
        str, typer.Option("--url", envvar="ECHOMIND_URL", help="The address, where no ADDRESS is given.")
    ] = "",
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="A name for the profile, which `profiles use` and `logout` take, too.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Sign in to an EchoMind by a code that you type in the browser.

    Type the code on the page whose address is shown, in a browser where you are signed in, on any machine. The page
    shows what you approve. The commands that follow use this address. It keeps an API key in a file that only
    you can read, and sends it to this address alone. In scripts, a key is read from standard input.
    """
    terminal = Terminal(as_json=as_json)
    with reporting(terminal):
        profiles = read_profiles()
        url = normalized(address or url or profiles.named(profile) or locate("", "", None, profiles).url)
        if url.startswith("http://") and not is_loopback(url):
            terminal.note(
                f"{url} is not encrypted: others in the network can read your API key. Use https:// if you can."
            )
        if sys.stdin.isatty() and not key:
            options = {"scopes": scope or [], "days": days, "name": profile}
            asyncio.run(call_api(_sign_in, Target(url, "", url), terminal, default_data_dir(), options))
            return
        secret = _key(terminal, url)
        asyncio.run(
            call_api(_keep, Target(url, secret, url), terminal, default_data_dir(), {"key": secret, "name": profile})
        )


def logout(
    address: Stored = "",
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Revoke the key first, with the keys that were created with it.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Sign out of an EchoMind: removes its API key from this machine.

    The key itself stays valid, unless `--revoke` revokes it. If that fails, the key stays on this machine.
    """
    terminal = Terminal(as_json=as_json)
    with reporting(terminal):
        profiles = read_profiles()
        if not (address or profiles.current):
            raise CommandError("You are not signed in anywhere; `echomind profiles list` shows the addresses.")
        url = profiles.find(address or profiles.current)
        if revoke:
            key = profiles.key(url)
            arguments = {"secret": key, "yes": yes}
            asyncio.run(call_api(_revoke, Target(url, key, url), terminal, default_data_dir(), arguments))
            if terminal.status:
                terminal.note(f"The key stays on this machine. `echomind logout {url}` removes it without revoking it.")
                return
        write_profiles(profiles.without(url))
        done = f"Signed out of {url} and revoked its key." if revoke else f"Signed out of {url}."
        terminal.report({"address": url, "isRevoked": revoke}, done)


@app.callback(invoke_without_command=True, no_args_is_help=False)
def profiles_or_list(context: typer.Context, as_json: AsJson = False) -> None:
    """Profiles: the addresses of EchoMind that you are signed in to; listed where no command follows."""
    if context.invoked_subcommand is None:
        list_profiles(as_json)


@app.command("list")
def list_profiles(as_json: AsJson = False) -> None:
    """List the addresses that you are signed in to; * marks the one that commands use."""
    terminal = Terminal(as_json=as_json)
    with reporting(terminal):
        profiles = read_profiles()
        rows = [
            {
                "address": address,
                "name": profile.name,
                "userName": profile.user_name,
                "isCurrent": address == profiles.current,
            }
            for address, profile in sorted(profiles.by_address.items())
        ]
        terminal.json({"profiles": rows})
        terminal.table(
            ("", "ADDRESS", "NAME", "ACCOUNT"),
            (("*" if row["isCurrent"] else "", row["address"], row["name"], row["userName"]) for row in rows),
            empty="You are signed in nowhere; `echomind login ADDRESS` signs in.",
        )
        if rows and not profiles.current:
            terminal.note("Commands use this machine's EchoMind; `echomind profiles use ADDRESS` changes that.")


@app.command("use")
def use_profile(
    address: Annotated[
        str,
        typer.Argument(
            help="Address of EchoMind, or a profile's name.",
            autocompletion=completion.profiles,
            show_default="this machine's EchoMind",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Choose the address that commands use."""
    terminal = Terminal(as_json=as_json)
    with reporting(terminal):
        profiles = read_profiles().using(address)
        write_profiles(profiles)
        terminal.report({"address": profiles.current}, f"Commands use {profiles.current or 'this machine’s EchoMind'}.")


def _key(terminal: Terminal, url: str) -> str:
    """Returns the key that a person types, or a script sends."""
    if sys.stdin.isatty():
        terminal.note(f"You create an API key in the browser, at {url}/settings/api-keys.")
        key = ask_secret("API key")
    else:
        key = sys.stdin.readline()
    if not key.strip():
        raise CommandError("There is no API key: type one, or pass it on standard input.")
    return key.strip()


async def _sign_in(api: Api, scopes: list[words.ApiKeyScope], *, days: int, name: str) -> None:
    """Shows a code, and waits until a person has typed it in their browser.

    Raises:
        CommandError: They denied it.
    """
    request = public.StartDeviceSignInRequest(
        client_name=platform.node() or "unnamed machine",
        scopes=[public.ApiKeyScope.from_word(scope) for scope in dict.fromkeys(scopes)],
        days=days,
    )
    started = await api.client.call(public.DeviceSignInService.start_device_sign_in, request)
    api.terminal.note(f"Open {started.verification_url} where you are signed in, and type this code:")
    api.terminal.note(f"\n    {started.user_code}\n")
    api.terminal.note(f"It works for {started.expires_in_seconds // 60} minutes. Waiting for you; Ctrl-C ends it.")
    completed = await _completed(api, started.device_code, started.interval_seconds)
    signed_in = Target(api.rest.url, completed.secret, api.rest.url)
    await call_api(_keep, signed_in, api.terminal, api.data_dir, {"key": completed.secret, "name": name})


async def _completed(api: Api, device_code: str, seconds: int) -> "public.CompleteDeviceSignInResponse":
    """Polls until a sign-in is approved.

    Raises:
        CommandError: It was denied.
    """
    while True:
        await asyncio.sleep(seconds)
        polled = await api.client.call(public.DeviceSignInService.complete_device_sign_in, {"device_code": device_code})
        if polled.state is public.DeviceSignInState.APPROVED:
            return polled
        if polled.state is public.DeviceSignInState.DENIED:
            raise CommandError("The sign-in was denied in the browser.")
        seconds = polled.interval_seconds


async def _revoke(api: Api, secret: str, *, yes: bool) -> None:
    """Revokes the key of a profile, which is found by the beginning of its secret.

    Raises:
        CommandError: It is none of the account's API keys, or the person did not confirm.
    """
    keys = await KEYS.every(api.client)
    key = next((key for key in keys if secret.startswith(key.prefix)), None)
    if key is None:
        raise CommandError(f"{api.rest.url} lists no such API key of your account, so there is nothing to revoke.")
    if made := made_with(key, keys):
        names = ", ".join(other.name for other in made)
        await confirm(api.terminal, f"Revoke the key {key.name} and the keys created with it: {names}", yes=yes)
    await api.client.call(public.ApiKeyService.delete_api_key, {"id": key.id})


async def _keep(api: Api, key: str, name: str) -> None:
    """Stores a key if it works. A profile that is signed in again keeps its name unless it gets another one."""
    user = await api.client.call(public.UserService.get_current_user)
    profiles = read_profiles()
    before = profiles.by_address.get(normalized(api.rest.url))
    name = name or (before.name if before else "")
    write_profiles(profiles.with_profile(api.rest.url, Profile(key, user.user_name, name)))
    result = {"address": api.rest.url, "userName": user.user_name, "name": name}
    api.terminal.report(result, f"Signed in to {api.rest.url} as {user.user_name}.")
