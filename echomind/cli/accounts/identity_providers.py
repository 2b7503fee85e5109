"""`echomind identity-providers`: OpenID providers that people sign in at."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import IDENTITY_PROVIDERS
from echomind.cli.options import FieldOptions, Switch, given
from echomind.cli.rendering import last_change
from echomind.cli.tables import Table
from echomind.cli.terminal import CommandError, NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("OpenID providers that people sign in at.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or id of a provider.", autocompletion=completion.identity_providers)
]


@dataclass(frozen=True, kw_only=True)
class ProviderOptions(FieldOptions, message="IdentityProvider"):
    """Options of a provider beside its name, issuer and client id."""

    client_secret: Annotated[str | None, typer.Option(envvar="ECHOMIND_CLIENT_SECRET")] = None
    title: str | None = None
    scopes: str | None = None
    algorithms: Annotated[
        list[str] | None,
        typer.Option("--algorithm", help="Accepted signature; repeatable. Default: RS256 and ES256."),
    ] = None
    email_trust: Annotated[
        words.EmailTrust | None,
        typer.Option(help="Verified addresses: those with the claim, of --email-domain, or none."),
    ] = None
    email_domains: Annotated[
        list[str] | None,
        typer.Option("--email-domain", help="Domain whose addresses count as verified; repeatable."),
    ] = None
    create_accounts: Annotated[bool | None, typer.Option("--create-accounts/--no-create-accounts")] = None
    audience: str | None = None
    groups_claim: Annotated[str | None, typer.Option(help="Claim with a person's groups. Default: groups.")] = None
    scim_claim: Annotated[
        str | None, typer.Option(help="Claim that is a person's externalId at SCIM. Default: sub; Entra: oid.")
    ] = None
    group: Annotated[list[str] | None, typer.Option(help="THEIRS=OURS: a group by one of theirs; repeatable.")] = None
    role: Annotated[
        list[str] | None, typer.Option(help="THEIRS=admin or THEIRS=superadmin: a role by one of theirs; repeatable.")
    ] = None
    require: Annotated[list[str] | None, typer.Option(help="CLAIM=VALUE that a person must have; repeatable.")] = None
    is_active: Annotated[bool | None, typer.Option("--active/--inactive")] = None

    def fields(self, stored: "public.IdentityProvider | None" = None) -> dict[str, Any]:
        """Returns the given fields, by the contract's names.

        Args:
            stored: The provider that is changed; what the options leave out of its mapping stays.
        """
        mapping = given(
            groups_claim=self.groups_claim,
            scim_claim=self.scim_claim,
            groups=_pairs("--group", self.group),
            roles=_pairs("--role", self.role),
            required_claims=_pairs("--require", self.require),
        )
        if mapping and stored is not None and stored.mapping is not None:
            mapping = stored.mapping.model_dump(by_alias=False) | mapping
        return self.given_fields() | given(mapping=mapping or None)


@app.command("list")
async def list_identity_providers(api: Api) -> None:
    """List the providers, with those of the settings."""
    await _PROVIDERS.show(api)


@app.command("show")
async def show_identity_provider(api: Api, name: Name) -> None:
    """Show a provider with its mapping."""
    provider = await IDENTITY_PROVIDERS.find(api, name)
    api.terminal.json(provider)
    mapping = provider.mapping
    api.terminal.fields(
        (
            ("Provider", f"{provider.name} (id {provider.id})" if provider.id else provider.name),
            ("Title", provider.title),
            ("State", _state(provider)),
            ("Issuer", provider.issuer),
            ("Client id", provider.client_id),
            ("Client secret", "stored" if provider.has_client_secret else "none"),
            ("Scopes", provider.scopes),
            ("Signatures", ", ".join(provider.algorithms)),
            ("Verified addresses", " ".join([provider.email_trust.word, *provider.email_domains])),
            ("New accounts", "no" if provider.create_accounts is False else "yes"),
            ("Audience of bearer tokens", provider.audience),
            ("Groups claim", mapping.groups_claim if mapping else ""),
            ("Claim at SCIM", mapping.scim_claim if mapping else ""),
            ("Groups", _shown(mapping.groups if mapping else {})),
            ("Roles", _shown(mapping.roles if mapping else {})),
            ("Required claims", _shown(mapping.required_claims if mapping else {})),
            ("Sign-in address", f"/auth/oidc/{provider.name}"),
            ("Redirect address", f"/auth/oidc/{provider.name}/callback"),
            ("Changed", last_change(provider)),
        )
    )


@app.command("add")
async def add_identity_provider(
    api: Api,
    provider: Annotated[
        str, typer.Argument(metavar="NAME", help="Name in its addresses, which never changes: a-z, 0-9 and _.")
    ],
    issuer: Annotated[str, typer.Option(help="Its issuer, exactly as in its discovery document.")],
    client_id: Annotated[str, typer.Option(help="Client id that it has given EchoMind.")],
    options: ProviderOptions = ProviderOptions(),
) -> None:
    """Add a provider.

    `echomind identity-providers test NAME` then shows whether it answers.
    """
    new = {"name": provider, "issuer": issuer, "client_id": client_id} | options.fields()
    added = await api.client.call(public.IdentityProviderService.create_identity_provider, {"identity_provider": new})
    api.terminal.report(
        added,
        f"Added {added.name} (id {added.id}). Register the redirect address /auth/oidc/{added.name}/callback at the "
        "provider, behind the public URL of EchoMind.",
    )


@app.command("update")
async def update_identity_provider(
    api: Api,
    name: Name,
    issuer: Annotated[str | None, typer.Option(help="New issuer.")] = None,
    client_id: Annotated[str | None, typer.Option(help="New client id.")] = None,
    options: ProviderOptions = ProviderOptions(),
) -> None:
    """Change a provider. --group, --role and --require replace what is stored."""
    provider = _own(await IDENTITY_PROVIDERS.find(api, name))
    changes = given(issuer=issuer, client_id=client_id) | options.fields(provider)
    if not changes:
        raise NothingToChangeError("Say what to change, such as --title or --role.")
    request = {"id": provider.id, "identity_provider": changes}
    changed = await api.client.call(public.IdentityProviderService.update_identity_provider, request)
    api.terminal.report(changed, f"Changed {changed.name}: {_state(changed)}.")


@app.command("remove")
async def remove_identity_provider(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove a provider.

    Sessions that were begun with it end, and the groups and roles that it gave are taken back. Accounts stay. People
    sign in to them otherwise, or with the provider again when it is added again.
    """
    provider = _own(await IDENTITY_PROVIDERS.find(api, name))
    loss = f"Remove {provider.name}, with which people are signed in, and the groups and roles that it gave"
    await confirm(api.terminal, loss, yes=yes, name=provider.name)
    await api.client.call(public.IdentityProviderService.delete_identity_provider, {"id": provider.id})
    api.terminal.report({}, f"Removed {provider.name}.")


@app.command("test")
async def test_identity_provider(api: Api, name: Name) -> None:
    """Test whether a provider answers with usable addresses and keys.

    The button "Test" of the web page also signs in, and shows the claims and what they mean.
    """
    provider = await IDENTITY_PROVIDERS.find(api, name)
    result = await api.client.call(public.IdentityProviderService.test_identity_provider, {"name": provider.name})
    api.terminal.report(result, result.message)
    if not result.ok:
        raise typer.Exit(1)


@app.command("local-accounts")
async def local_accounts(
    api: Api, switch: Annotated[Switch | None, typer.Argument(help="New state.", show_default="show it")] = None
) -> None:
    """Show or set whether people sign in with passwords, links and invitations, too.

    They are turned off in the web UI alone, after a sign-in at a provider.
    """
    if switch is None:
        settings = await api.client.call(public.SystemService.get_installation_settings, {})
    else:
        change = {"settings": {"local_accounts": switch is Switch.ON}}
        settings = await api.client.call(public.SystemService.update_installation_settings, change)
    state = (Switch.ON if settings.local_accounts else Switch.OFF).value
    managed = ", by the environment of the server" if settings.is_local_accounts_managed else ""
    api.terminal.report(settings, state + managed)


async def _providers(api: Api) -> "list[public.IdentityProvider]":
    return list((await api.client.call(public.IdentityProviderService.list_identity_providers, {})).identity_providers)


def _own(provider: "public.IdentityProvider") -> "public.IdentityProvider":
    if not provider.id:
        raise CommandError(f"{provider.name} comes from the settings of the server, and is changed there.")
    return provider


def _state(provider: "public.IdentityProvider") -> str:
    state = "inactive" if provider.is_active is False else "active"
    return f"{state}, from the settings" if provider.is_managed else state


def _pairs(option: str, texts: Iterable[str] | None) -> dict[str, str] | None:
    """Returns the pairs of a repeatable option; one empty text means none."""
    if texts is None or (texts := list(texts)) == []:
        return None
    pairs: dict[str, str] = {}
    for text in filter(None, texts):
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise CommandError(f"{option} {text!r} must be written NAME=VALUE.")
        pairs[name] = value
    return pairs


def _shown(pairs: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(pairs.items()))


_PROVIDERS = Table(
    "IdentityProviderService.list_identity_providers",
    "ID:: NAME TITLE ISSUER STATE",
    "There is no provider; `echomind identity-providers add` adds one.",
    {"STATE": _state},
)
