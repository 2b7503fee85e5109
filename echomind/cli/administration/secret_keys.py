"""`echomind secrets`: the keys that encrypt stored secrets."""

from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import counted
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("The keys that encrypt stored secrets, such as keys of models and credentials of connectors.")

_KEYS = Table(
    "SecretKeyService.list_secret_keys",
    "KEY:id USE SECRETS:secret_count",
    "There are no keys.",
    {"USE": lambda each: "encrypts" if each.is_primary else "only decrypts"},
)


@app.command("status")
async def show_status(api: Api) -> None:
    """Show the keys, and how many stored secrets are encrypted with each."""
    found = await _listed(api)
    api.terminal.json(found)
    _KEYS.write_rows(api.terminal, found.secret_keys)
    if found.unreadable_count:
        secrets = counted(found.unreadable_count, "stored secret")
        api.terminal.note(f"No key decrypts {secrets}: enter them again, or restore the key that encrypted them.")


@app.command("rotate")
async def rotate_keys(api: Api) -> None:
    """Encrypt all stored secrets with a new key, while EchoMind runs.

    An interrupted rotation is continued, without another new key. Old keys stay until `echomind secrets retire`. Where
    ECHOMIND_SECRETS__KEYS has the keys, put a new one in front there first; this then encrypts everything with it.
    """
    found = await _listed(api)
    is_begun = any(key.secret_count and not key.is_primary for key in found.secret_keys)
    if not is_begun:
        if found.source is public.SecretKeySource.ENVIRONMENT:
            raise CommandError(
                "All secrets are encrypted with the first key of ECHOMIND_SECRETS__KEYS. To rotate, put a new key in "
                "front of it as the guide describes, restart the services, and repeat this command."
            )
        await api.client.call(public.SecretKeyService.create_secret_key, {})
    changed = 0
    while True:
        step = await api.client.call(public.SecretKeyService.reencrypt_secrets, {})
        changed += step.reencrypted_count
        if step.is_complete:
            break
        api.terminal.note(f"{counted(changed, 'secret')} so far ...")
    after = await _listed(api)
    api.terminal.report(after, f"Encrypted {counted(changed, 'stored secret')} with the key {after.secret_keys[0].id}.")


@app.command("retire")
async def retire_keys(api: Api, yes: Yes = False) -> None:
    """Remove the keys that no stored secret needs any more. Backups have the keys that they need."""
    await confirm(api.terminal, "Remove the keys that no stored secret needs", yes=yes)
    removed = await api.client.call(public.SecretKeyService.retire_secret_keys, {})
    names = ", ".join(key.id for key in removed.secret_keys)
    api.terminal.report(
        removed,
        f"Removed {names}."
        if names
        else "No key was removed: those without secrets can be, a minute after a rotation.",
    )


async def _listed(api: Api) -> "public.ListSecretKeysResponse":
    return await api.client.call(public.SecretKeyService.list_secret_keys, {})
