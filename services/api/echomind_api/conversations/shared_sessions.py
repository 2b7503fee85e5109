"""Sessions as shares show them: to anyone with the link, and to the people and groups whom they are for."""

from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.rows import missing
from echomind_lib.access.assistant_choice import choose_assistant
from echomind_lib.access.sources import may_read_sources
from echomind_lib.contract import CallContext
from echomind_lib.conversations.forks import fork_session
from echomind_lib.conversations.shares import (
    OpenedShare,
    note_access,
    open_received_share,
    open_share,
    read_shared_messages,
)
from echomind_lib.errors import NotFoundError, PermissionDeniedError
from echomind_lib.events.log import EventLog
from echomind_lib.models import public

SHARED: Final = "shared conversation"
"""The resource of the error of a link that does not work."""


class SharedSessions:
    """Opens, reads and forks shared sessions. An invalid token counts as a failure of the caller's address.

    A share is opened by the token of its link, or as one of the people whom it is for.
    """

    def __init__(self, log: EventLog, failures: FailedCredentials) -> None:
        self._log = log
        self._failures = failures

    async def open(self, token: str, call: CallContext) -> OpenedShare:
        """Returns the link of a token.

        Args:
            token: The last part of the link.
            call: The call that opens it; its principal is None without sign-in.

        Raises:
            NotFoundError: The link does not work, whatever the reason.
            OverloadedError: The address has had too many failures.
        """
        with self._failures.shared_link(call.address):
            share = await open_share(self._log.pool, tokens.digest(token), is_signed_in=call.principal is not None)
            if share is None:
                raise NotFoundError(
                    "This link does not work: it may be mistyped, expired or revoked, or ask for a sign-in. Sign in, "
                    "or ask whoever has sent it for a new one.",
                    resource=SHARED,
                )
        return share

    async def open_received(self, share_id: int, call: CallContext) -> OpenedShare:
        """Returns a share that is for the caller.

        Raises:
            NotFoundError: There is none that they may open, whatever the reason.
        """
        share = await open_received_share(self._log.pool, share_id, call.principal.user_id)
        if share is None:
            raise missing("share", share_id, "open it")
        return share

    async def read(self, share: OpenedShare, call: CallContext, *, by_name: bool) -> public.SharedSession:
        """Returns what an opened share shows, and records that it was opened.

        Args:
            share: The share.
            call: The call that opens it.
            by_name: Whether it says who shared it.
        """
        await note_access(self._log.pool, share)
        can_fork = call.principal is not None and await self._may_fork(share, call)
        return (await self.show(share)).model_copy(
            update={"can_fork": can_fork, "shared_by": share.shared_by if by_name else ""}
        )

    async def show(self, share: OpenedShare) -> public.SharedSession:
        """Returns what a share shows to all of its readers."""
        messages = await read_shared_messages(self._log.pool, share)
        return public.SharedSession(
            title=share.title,
            messages=[
                public.SharedMessage(
                    role=public.MessageRole.from_word(message.role),
                    author_kind=public.AuthorKind.from_word(message.author_kind),
                    content=message.content,
                    status=public.MessageStatus.from_word(message.status),
                    basis=public.AnswerBasis.from_word(message.basis)
                    if message.basis
                    else public.AnswerBasis.UNSPECIFIED,
                    used_other_tools=message.used_other_tools,
                    citations=[_citation(number, list(of)) for number, of in groupby(message.citations, _NUMBER)],
                    creation_date=message.creation_date,
                )
                for message in messages
            ],
            shared_at=share.shared_at,
            expires_at=share.expires_at,
        )

    async def fork(self, share: OpenedShare, title: str, call: CallContext) -> int:
        """Creates a session of the caller with the messages that an opened share shows, and returns its id.

        Raises:
            NotFoundError: The caller has no assistant.
            PermissionDeniedError: They may not read all that the session has drawn on.
        """
        if not await self._may_fork(share, call):
            raise PermissionDeniedError(
                "This conversation has drawn on documents that you may not read, so you cannot fork it.",
                required="sources",
            )
        user_id = call.principal.user_id
        assistant_id = await choose_assistant(self._log.pool, user_id, share.assistant_id)
        if assistant_id is None:  # the caller may not use the owner's assistant
            assistant_id = await choose_assistant(self._log.pool, user_id, 0)
        forked = await fork_session(
            self._log,
            share.chat_session_id,
            share.head_message_id,
            user_id,
            title or share.title,
            assistant_id=assistant_id,
            words_only=True,
        )
        return forked.session_id

    async def _may_fork(self, share: OpenedShare, call: CallContext) -> bool:
        return await may_read_sources(self._log.pool, call.principal, share.chat_session_id)


_NUMBER: Final = itemgetter("number")


def _citation(number: int, passages: list[dict[str, Any]]) -> public.SharedCitation:
    return public.SharedCitation(
        number=number,
        title=passages[0]["title"],
        url=passages[0]["url"],
        passages=[
            public.SharedPassage(
                **{name: value for name, value in passage.items() if name in public.SharedPassage.model_fields}
            )
            for passage in passages
        ],
    )
