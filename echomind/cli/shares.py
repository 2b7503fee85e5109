"""`echomind shares`: links by which others read a conversation."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api, api_command
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.rendering import moment, one_line, plain
from echomind.cli.session_branches import BY_OTHERS
from echomind.cli.session_list import SessionId

if TYPE_CHECKING:
    from echomind_lib.models.public import SessionShare, SharedMessage

app = CommandGroup("Share links, by which others read a session.")

ShareId = Annotated[
    int,
    typer.Argument(metavar="ID", help="Id of a link.", min=1, autocompletion=completion.shares),
]
Link = Annotated[str, typer.Argument(metavar="LINK", help="A link, or the last part of it.")]
Days = Annotated[int | None, typer.Option(help="Days until it stops working.", min=1, max=365)]


class Readers(StrEnum):
    """Who may open share links."""

    ANYONE = "anyone"
    SIGNED_IN = "signed-in"
    NOBODY = "nobody"


@app.command("list")
@api_command
async def list_shares(
    api: Api,
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            help="Only the links of this session.",
            min=1,
            autocompletion=completion.sessions,
            show_default="all",
        ),
    ] = None,
) -> None:
    """List your share links, the newest first, without their secrets."""
    from echomind_lib.models.public import SessionShareService

    request = {"chat_session_id": session or 0}
    shares = (await api.client.collect(SessionShareService.list_session_shares, request, limit=10_000)).session_shares
    api.terminal.json({"sessionShares": shares})
    api.terminal.table(
        ("ID", "SESSION", "TITLE", "STATUS", "SHARED", "EXPIRES", "LAST OPENED"),
        (
            (
                share.id,
                share.chat_session_id,
                one_line(share.title, 50),
                share.status.word.replace("_", " "),
                moment(share.shared_at),
                moment(share.expires_at),
                moment(share.last_access_at) or "never",
            )
            for share in shares
        ),
        empty="You have shared nothing; `echomind shares add SESSION` makes a link.",
    )


@app.command("add")
@api_command
async def add_share(
    api: Api,
    session_id: SessionId,
    message: Annotated[
        int | None, typer.Option(metavar="ID", help="Id of the last answer to show.", min=1, show_default="the newest")
    ] = None,
    days: Days = None,
) -> None:
    """Share a session as it is now, and print the link; it cannot be shown again.

    Anyone with the link can read questions, answers and titles of sources without signing in. Later messages are not
    shown. The link works for 30 days unless you set another time.
    """
    from echomind_lib.models.public import CreateSessionShareRequest, SessionShareService

    request = CreateSessionShareRequest(chat_session_id=session_id, session_share=_wanted(message, days))
    created = await api.client.call(SessionShareService.create_session_share, request)
    link = api.link_for_others(created.path)
    share = created.session_share
    assert share is not None
    api.terminal.json(plain(share) | {"link": link})
    api.terminal.note(
        f"Anyone with the link can read the session, until {moment(share.expires_at)}. It is shown only once:"
    )
    api.terminal.line(link)


@app.command("update")
@api_command
async def update_share(
    api: Api,
    share_id: ShareId,
    message: Annotated[
        int | None, typer.Option(metavar="ID", help="Id of the last answer to show.", min=1, show_default="the newest")
    ] = None,
    days: Days = None,
) -> None:
    """Show readers of a link the session as it is now. The link itself stays the same."""
    from echomind_lib.models.public import RefreshSessionShareRequest, SessionShareService

    request = RefreshSessionShareRequest(id=share_id, session_share=_wanted(message, days))
    share = await api.client.call(SessionShareService.refresh_session_share, request)
    api.terminal.report(share, f"Link {share.id} shows session {share.chat_session_id} as it is now.")


@app.command("remove")
@api_command
async def remove_share(api: Api, share_id: ShareId, yes: Yes = False) -> None:
    """Revoke a link: it stops working at once, permanently."""
    from echomind_lib.models.public import SessionShareService

    await confirm(api.terminal, f"Revoke link {share_id}, which then stops working", yes=yes)
    await api.client.call(SessionShareService.delete_session_share, {"id": share_id})
    api.terminal.report({"id": str(share_id)}, f"Revoked link {share_id}.")


@app.command("read")
@api_command
async def read_share(api: Api, link: Link) -> None:
    """Show the conversation of a share link."""
    from echomind_lib.models.public import SessionShareService

    shared = await api.client.call(SessionShareService.read_shared_session, {"token": _token(link)})
    api.terminal.json(shared)
    api.terminal.line(shared.title)
    for message in shared.messages:
        api.terminal.line("")
        api.terminal.line(_text(message))


@app.command("fork")
@api_command
async def fork_share(
    api: Api,
    link: Link,
    title: Annotated[str, typer.Option(help="Title of the new session.", show_default="the same")] = "",
) -> None:
    """Fork the conversation of a share link into a new session of yours.

    You need the right to read all documents that the shared session has used.
    """
    from echomind_lib.models.public import ForkSharedSessionRequest, SessionShareService

    request = ForkSharedSessionRequest(token=_token(link), title=title)
    forked = await api.client.call(SessionShareService.fork_shared_session, request)
    api.terminal.report(forked, f"Forked into session {forked.id}: {forked.title}.")


@app.command("allow")
@api_command
async def allow_sharing(
    api: Api,
    readers: Annotated[
        Readers | None, typer.Argument(help="Who may open links; without it, print the setting.", show_default=False)
    ] = None,
) -> None:
    """Print or, as a superadmin, set who may open share links, for the whole installation."""
    from echomind_lib.models.public import LinkSharing, SystemService

    if readers is None:
        settings = await api.client.call(SystemService.get_installation_settings, {})
    else:
        wanted = LinkSharing.from_word(readers.value.replace("-", "_"))
        settings = await api.client.call(
            SystemService.update_installation_settings, {"settings": {"link_sharing": wanted}}
        )
    api.terminal.report(settings, settings.link_sharing.word.replace("_", "-"))


def _wanted(message: int | None, days: int | None) -> "SessionShare":
    from echomind_lib.models.public import SessionShare

    return SessionShare(
        head_message_id=message or 0, expires_at=datetime.now(UTC) + timedelta(days=days) if days else None
    )


def _token(link: str) -> str:
    return link.rstrip("/").rpartition("/")[2]


def _text(message: "SharedMessage") -> str:
    from echomind_lib.models.public import MessageRole

    if message.role is MessageRole.USER:
        lines = [f"> {line}".rstrip() for line in message.content.splitlines()]
        by = BY_OTHERS.get(message.author_kind.word)
        return "\n".join([*lines, f"({by})"] if by else lines)
    sources = [f"[{citation.number}] {citation.title}" for citation in message.citations]
    return "\n".join([message.content, *sources])
