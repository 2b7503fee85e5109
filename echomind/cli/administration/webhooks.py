"""`echomind webhooks`: addresses to which events are sent."""

from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Webhooks: addresses to which events are sent by signed requests.")

Id = Annotated[int, typer.Argument(metavar="ID", help="Id of a webhook.", min=1, autocompletion=completion.webhooks)]
Description = Annotated[str | None, typer.Option("--description", help="What it is for.", show_default=False)]
Event = Annotated[
    list[words.WebhookEventType] | None,
    typer.Option("--event", help="Type of event that it receives; repeat it for several.", show_default=False),
]

_DELIVERIES = Table(
    "WebhookService.list_webhook_deliveries",
    "ID WHEN:creation_date EVENT:event_type STATUS ATTEMPTS ANSWER:response_status: MS:duration_ms: ERROR",
    "There are no deliveries.",
)


@app.command("list")
async def list_webhooks(
    api: Api,
    installation: Annotated[
        bool, typer.Option("--installation", help="Those of the installation, for superadmins.")
    ] = False,
) -> None:
    """List your webhooks, without their secrets."""
    await _WEBHOOKS.show(api, {"of_installation": installation})


@app.command("show")
async def show_webhook(api: Api, webhook: Id) -> None:
    """Show a webhook, without its secret."""
    found = await api.client.call(public.WebhookService.get_webhook, {"id": webhook})
    api.terminal.json(found)
    api.terminal.fields(
        (
            ("Webhook", found.id),
            ("Address", found.url),
            ("Description", found.description),
            ("Events", _types(found)),
            ("Of", "the installation" if found.is_installation else found.user_name),
            ("State", _state(found)),
            ("Earlier secret until", moment(found.previous_secret_until)),
            ("Created", moment(found.creation_date)),
        )
    )


@app.command("add")
async def add_webhook(
    api: Api,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Where requests are sent, with https://.")],
    event: Event = None,
    description: Description = None,
    installation: Annotated[
        bool, typer.Option("--installation", help="For everybody's events, as a superadmin.")
    ] = False,
) -> None:
    """Add a webhook and print the secret that signs its requests; it cannot be shown again.

    Without --event, it receives events of completed, failed and waiting runs.
    """
    usual = ("run_completed", "run_failed", "run_waiting_for_input")
    given: dict[str, Any] = {
        "url": address,
        "event_types": _event_types(event or [words.WebhookEventType(word) for word in usual]),
        "description": description or "",
        "is_installation": installation,
    }
    created = await api.client.call(public.WebhookService.create_webhook, {"webhook": given})
    api.terminal.json(created)
    api.terminal.note(f"Added webhook {created.webhook.id if created.webhook else ''}. The secret, shown only once:")
    api.terminal.line(created.secret)


@app.command("update")
async def update_webhook(
    api: Api,
    webhook: Id,
    address: Annotated[str | None, typer.Option("--address", help="Another address.", show_default=False)] = None,
    event: Event = None,
    description: Description = None,
    enabled: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Whether events are sent.", show_default=False)
    ] = None,
) -> None:
    """Change a webhook."""
    given = {
        "url": address,
        "event_types": _event_types(event) if event else None,
        "description": description,
        "is_enabled": enabled,
    }
    if not (changes := {name: value for name, value in given.items() if value is not None}):
        raise typer.BadParameter("Give --address, --event, --description, --enable or --disable.")
    changed = await api.client.call(public.WebhookService.update_webhook, {"id": webhook, "webhook": changes})
    api.terminal.report(changed, f"Changed webhook {changed.id}: {_state(changed)}.")


@app.command("remove")
async def remove_webhook(api: Api, webhook: Id, yes: Yes = False) -> None:
    """Remove a webhook with its deliveries."""
    await confirm(api.terminal, f"Remove webhook {webhook}", yes=yes)
    await api.client.call(public.WebhookService.delete_webhook, {"id": webhook})
    api.terminal.report({"id": str(webhook)}, f"Removed webhook {webhook}.")


@app.command("rotate")
async def rotate_secret(
    api: Api,
    webhook: Id,
    overlap_hours: Annotated[
        int,
        typer.Option(help="Hours for which requests are also signed with the earlier secret.", max=168, min=0),
    ] = 24,
) -> None:
    """Give a webhook another secret and print it; it cannot be shown again."""
    request = {"id": webhook, "overlap_seconds": overlap_hours * 3600}
    rotated = await api.client.call(public.WebhookService.rotate_webhook_secret, request)
    api.terminal.json(rotated)
    end = moment(rotated.webhook.previous_secret_until) if rotated.webhook else ""
    api.terminal.note(f"The earlier secret also signs until {end}." if end else "The earlier secret does not sign now.")
    api.terminal.note("The new secret, shown only once:")
    api.terminal.line(rotated.secret)


@app.command("test")
async def send_test(api: Api, webhook: Id) -> None:
    """Send a test event; `echomind webhooks deliveries` shows what came of it."""
    sent = await api.client.call(public.WebhookService.test_webhook, {"id": webhook})
    api.terminal.report(sent, f"Sending delivery {sent.id} to webhook {webhook}.")


@app.command("deliveries")
async def list_deliveries(
    api: Api,
    webhook: Id,
    status: Annotated[
        words.WebhookDeliveryStatus | None, typer.Option(help="Only those with this status.", show_default="all")
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of deliveries.", min=1, max=1000)] = 20,
) -> None:
    """List the deliveries of a webhook, newest first; they are kept for 30 days."""
    request: dict[str, Any] = {"webhook_id": webhook}
    if status is not None:
        request["status"] = public.WebhookDeliveryStatus.from_word(status.value)
    await _DELIVERIES.show(api, request, limit=limit)


@app.command("replay")
async def replay_delivery(
    api: Api, delivery: Annotated[int, typer.Argument(metavar="DELIVERY", help="Id of a delivery.", min=1)]
) -> None:
    """Send a delivery again, with the same `webhook-id`."""
    sent = await api.client.call(public.WebhookService.replay_webhook_delivery, {"id": delivery})
    api.terminal.report(sent, f"Sending delivery {sent.id} again.")


def _event_types(events: list[words.WebhookEventType]) -> list[Any]:
    return [public.WebhookEventType.from_word(event.value) for event in events]


def _types(webhook: "public.Webhook") -> str:
    return ", ".join(event.word for event in webhook.event_types)


def _state(webhook: "public.Webhook") -> str:
    if not webhook.is_enabled:
        return f"disabled: {webhook.disabled_reason}" if webhook.disabled_reason else "disabled"
    return f"failing since {moment(webhook.failing_since)}" if webhook.failing_since else "enabled"


_WEBHOOKS = Table(
    "WebhookService.list_webhooks",
    "ID ADDRESS:url EVENTS STATE DESCRIPTION",
    "There are no webhooks; `echomind webhooks add` adds one.",
    {"EVENTS": _types, "STATE": _state},
)
