"""`echomind shares`: what others read of conversations, by a link or as people whom a share is for."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.conversations.session_branches import BY_OTHERS
from echomind.cli.conversations.session_list import SessionId
from echomind.cli.help_format import CommandGroup
from echomind.cli.options import in_contract, word_of
from echomind.cli.rendering import moment, one_line, plain
from echomind.cli.tables import Table
from echomind_lib.models import public
from echomind_lib.models.public import words

app = CommandGroup("Shares, by which others read a session: with a link, or as people and groups that you name.")

ShareId = Annotated[int, typer.Argument(metavar="ID", help="Id of a share.", min=1, autocompletion=completion.shares)]
Link = Annotated[
    str, typer.Argument(metavar="LINK", help="A link or the last part of it, or the id of what is shared with you.")
]
Users = Annotated[list[str] | None, typer.Option("--user", help="User name or e-mail address of a person; repeatable.")]
Groups = Annotated[
    list[str] | None, typer.Option("--group", help="A group of yours; repeatable.", autocompletion=completion.groups)
]
Days = Annotated[int | None, typer.Option(help="Days until it stops working.", min=1, max=365)]


MIN_LINK = 20
"""Number of characters that the secret of a link exceeds."""

_RECEIVED = Table(
    "SessionShareService.list_received_shares",
    "ID TITLE::60 SHARED_BY::40 SHARED:shared_at EXPIRES:expires_at",
    "Nobody shares anything with you at the moment.",
)


@app.command("list")
async def list_shares(
    api: Api,
    session: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            help="Only the shares of this session.",
            min=1,
            autocompletion=completion.sessions,
            show_default="all",
        ),
    ] = None,
) -> None:
    """List your shares, the newest first, without the secrets of links."""
    await _SHARES.show(api, {"chat_session_id": session or 0})


@app.command("add")
async def add_share(
    api: Api,
    session_id: SessionId,
    message: Annotated[
        int | None, typer.Option(metavar="ID", help="Id of the last answer to show.", min=1, show_default="the newest")
    ] = None,
    days: Days = None,
    user: Users = None,
    group: Groups = None,
    link: Annotated[bool, typer.Option("--link", help="Make a link besides --user and --group.")] = False,
    quotes: Annotated[bool, typer.Option("--quotes", help="Show the cited words of the sources.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Print what readers would see; share nothing.")] = False,
) -> None:
    """Share a session as it is now, by a link or with people and groups.

    A link is printed and cannot be shown again. Readers see questions, answers, titles and pages of sources, with
    --quotes also the cited words, but never those of documents whose readers the connected system decides. Anyone with
    a link can read without signing in; people and groups need no link, and find it with `echomind shares received`.
    Later messages are not shown. A share works for 30 days unless you set another time.
    """
    requested = _requested(message, days).model_copy(
        update={"shows_quotes": quotes, "has_link": link, "recipients": _recipients(user, group)}
    )
    if preview:
        asked = public.PreviewSessionShareRequest(chat_session_id=session_id, session_share=requested)
        _show(api, await api.client.call(public.SessionShareService.preview_session_share, asked))
        return
    request = public.CreateSessionShareRequest(chat_session_id=session_id, session_share=requested)
    created = await api.client.call(public.SessionShareService.create_session_share, request)
    share = created.session_share
    assert share is not None
    address = api.link_for_others(created.path) if created.path else ""
    api.terminal.json(plain(share) | ({"link": address} if address else {}))
    if share.recipients:
        api.terminal.note(f"Shared with {_named(share)}, until {moment(share.expires_at)}.")
    if address:
        api.terminal.note(
            f"Anyone with the link can read the session, until {moment(share.expires_at)}. It is shown only once:"
        )
        api.terminal.line(address)


@app.command("give")
async def give_share(api: Api, share_id: ShareId, user: Users = None, group: Groups = None) -> None:
    """Share it with further people and groups, as it was when it was shared or updated."""
    request = public.AddSessionShareRecipientsRequest(id=share_id, recipients=_required(user, group))
    share = await api.client.call(public.SessionShareService.add_session_share_recipients, request)
    api.terminal.report(share, f"Share {share.id} is for {_named(share)}.")


@app.command("withdraw")
async def withdraw_share(api: Api, share_id: ShareId, user: Users = None, group: Groups = None) -> None:
    """Take a share back from people and groups, who cannot open it any more from this moment."""
    request = public.RemoveSessionShareRecipientsRequest(id=share_id, recipients=_required(user, group))
    share = await api.client.call(public.SessionShareService.remove_session_share_recipients, request)
    api.terminal.report(share, f"Share {share.id} is for {_named(share) or 'nobody by name'}.")


@app.command("received")
async def list_received(api: Api) -> None:
    """List what others share with you, the newest first. `echomind shares read ID` shows it."""
    await _RECEIVED.show(api)


@app.command("update")
async def update_share(
    api: Api,
    share_id: ShareId,
    message: Annotated[
        int | None, typer.Option(metavar="ID", help="Id of the last answer to show.", min=1, show_default="the newest")
    ] = None,
    days: Days = None,
    quotes: Annotated[
        bool | None,
        typer.Option("--quotes/--no-quotes", help="Show the cited words of the sources.", show_default="as it is"),
    ] = None,
) -> None:
    """Show readers of a share the session as it is now. Its link and its people stay the same."""
    requested = _requested(message, days).model_copy(update={"shows_quotes": quotes})
    request = public.RefreshSessionShareRequest(id=share_id, session_share=requested)
    share = await api.client.call(public.SessionShareService.refresh_session_share, request)
    api.terminal.report(share, f"Share {share.id} shows session {share.chat_session_id} as it is now.")


@app.command("remove")
async def remove_share(api: Api, share_id: ShareId, yes: Yes = False) -> None:
    """Revoke a share: it stops working at once and permanently, for everybody."""
    await confirm(api.terminal, f"Revoke share {share_id}, which then stops working", yes=yes)
    await api.client.call(public.SessionShareService.delete_session_share, {"id": share_id})
    api.terminal.report({"id": str(share_id)}, f"Revoked share {share_id}.")


@app.command("read")
async def read_share(api: Api, link: Link) -> None:
    """Show a conversation that is shared by a link, or with you."""
    if received := _received(link):
        shared = await api.client.call(public.SessionShareService.read_received_share, {"id": received})
    else:
        shared = await api.client.call(public.SessionShareService.read_shared_session, {"token": _token(link)})
    _show(api, shared)


@app.command("fork")
async def fork_share(
    api: Api,
    link: Link,
    title: Annotated[str, typer.Option(help="Title of the new session.", show_default="the same")] = "",
) -> None:
    """Fork a conversation that is shared by a link, or with you, into a new session of yours.

    You need the right to read all documents that the shared session has used.
    """
    if received := _received(link):
        by_name = public.ForkReceivedShareRequest(id=received, title=title)
        forked = await api.client.call(public.SessionShareService.fork_received_share, by_name)
    else:
        by_link = public.ForkSharedSessionRequest(token=_token(link), title=title)
        forked = await api.client.call(public.SessionShareService.fork_shared_session, by_link)
    api.terminal.report(forked, f"Forked into session {forked.id}: {forked.title}.")


@app.command("allow")
async def allow_sharing(
    api: Api,
    readers: Annotated[
        words.LinkSharing | None, typer.Argument(help="Who may open links; without it, print the setting.")
    ] = None,
) -> None:
    """Print or, as a superadmin, set who may open share links, for the whole installation."""
    if readers is None:
        settings = await api.client.call(public.SystemService.get_installation_settings, {})
    else:
        settings = await api.client.call(
            public.SystemService.update_installation_settings, {"settings": {"link_sharing": in_contract(readers)}}
        )
    api.terminal.report(settings, word_of(settings.link_sharing))


def _requested(message: int | None, days: int | None) -> "public.SessionShare":
    return public.SessionShare(
        head_message_id=message or 0, expires_at=datetime.now(UTC) + timedelta(days=days) if days else None
    )


def _recipients(users: list[str] | None, groups: list[str] | None) -> "list[public.SessionShareRecipient]":
    people = [public.SessionShareRecipient(user_name=name) for name in users or ()]
    return people + [public.SessionShareRecipient(group=name) for name in groups or ()]


def _required(users: list[str] | None, groups: list[str] | None) -> "list[public.SessionShareRecipient]":
    """Returns the named people and groups.

    Raises:
        BadParameter: Nobody is named.
    """
    if not (users or groups):
        raise typer.BadParameter("name somebody by --user or --group", param_hint="--user")
    return _recipients(users, groups)


def _named(share: "public.SessionShare") -> str:
    """Returns the people and groups whom a share is for."""
    return ", ".join(each.user_name or f"group {each.group}" for each in share.recipients)


def _readers(share: "public.SessionShare") -> str:
    """Returns who can read a share; a link comes first."""
    return ", ".join(filter(None, ("link" if share.has_link else "", _named(share)))) or "nobody"


def _received(link: str) -> int:
    """Returns the id of what is shared with the caller, or 0 for a link: secrets of links are longer than any id."""
    return int(link) if link.isdecimal() and len(link) < MIN_LINK else 0


def _show(api: Api, shared: "public.SharedSession") -> None:
    api.terminal.json(shared)
    api.terminal.line(shared.title)
    if shared.shared_by:
        api.terminal.line(f"(shared by {shared.shared_by})")
    for message in shared.messages:
        api.terminal.line("")
        api.terminal.line(_text(message))


def _token(link: str) -> str:
    return link.rstrip("/").rpartition("/")[2]


def _text(message: "public.SharedMessage") -> str:
    if message.role is public.MessageRole.USER:
        lines = [f"> {line}".rstrip() for line in message.content.splitlines()]
        by = BY_OTHERS.get(message.author_kind.word)
        return "\n".join([*lines, f"({by})"] if by else lines)
    return "\n".join([message.content, *(line for citation in message.citations for line in _source(citation))])


def _source(citation: "public.SharedCitation") -> list[str]:
    """Returns the lines of a source: its title with its pages, and each quote once."""
    pages = sorted({passage.page for passage in citation.passages if passage.page})
    where = f", {'page' if len(pages) == 1 else 'pages'} {', '.join(map(str, pages))}" if pages else ""
    doubt = "" if all(passage.supported for passage in citation.passages) else " (not confirmed by the source)"
    quotes = dict.fromkeys(one_line(passage.quote, 1000) for passage in citation.passages if passage.quote)
    address = f" {citation.url}" if citation.url else ""
    return [f"[{citation.number}] {citation.title}{where}{address}{doubt}", *(f"    “{quote}”" for quote in quotes)]


_SHARES = Table(
    "SessionShareService.list_session_shares",
    "ID SESSION:chat_session_id TITLE::50 READERS QUOTES STATUS SHARED:shared_at EXPIRES:expires_at "
    "LAST_OPENED:last_access_at:never",
    "You have shared nothing; `echomind shares add SESSION` makes a link, with --user or --group it is for people.",
    {
        "READERS": lambda each: one_line(_readers(each), 50),
        "QUOTES": lambda each: "yes" if each.shows_quotes else "no",
        "STATUS": lambda each: each.status.word.replace("_", " "),
    },
)
