"""Teams, their channels and chats, as Microsoft Graph shows them."""

from collections.abc import Callable

from aiohttp import web

from tests.conformance.doubles.graph.answers import RefusedError, check_top, selected
from tests.conformance.doubles.graph.description import check_answer
from tests.conformance.doubles.graph.tenant import Channel, Json, Tenant


class Teams:
    """Answers requests for channels, chats and their messages."""

    def __init__(self, tenant: Tenant, page: Callable[..., Json], find_user: Callable[[str], str]) -> None:
        self._tenant = tenant
        self._page = page
        self._find_user = find_user

    def team(self, request: web.Request, query: dict[str, str], team: str) -> Json:
        del request
        if team not in self._tenant.teams:
            raise RefusedError(404, "NotFound")
        return selected(
            {"id": team, "displayName": "Engineering", "webUrl": "https://teams.example"}, query.get("$select", "")
        )

    def channels(self, request: web.Request, query: dict[str, str], team: str) -> Json:
        if team not in self._tenant.teams:
            raise RefusedError(404, "NotFound")
        values = [_channel(channel) for channel in self._tenant.teams[team].values()]
        return self._page(request, query, "channel", values)

    def _find_channel(self, team: str, channel: str) -> Channel:
        found = self._tenant.teams.get(team, {}).get(channel)
        if found is None:
            raise RefusedError(404, "NotFound")
        return found

    def channel(self, request: web.Request, query: dict[str, str], team: str, channel: str) -> Json:
        del request
        return selected(_channel(self._find_channel(team, channel)), query.get("$select", ""))

    def channel_members(self, request: web.Request, query: dict[str, str], team: str, channel: str) -> Json:
        return self._member_page(request, query, self._find_channel(team, channel))

    def _member_page(self, request: web.Request, query: dict[str, str], channel: Channel) -> Json:
        values = [
            {
                "@odata.type": "#microsoft.graph.aadUserConversationMember",
                "id": f"opaque-{user}",
                "userId": user,
                "email": self._tenant.users[user].email,
            }
            for user in sorted(channel.members)
        ]
        return self._page(request, query, "aadUserConversationMember", values)

    def _with_replies(self, channel: Channel, message: Json) -> Json:
        replies = [reply for reply in channel.messages.values() if reply["replyToId"] == message["id"]]
        return {**message, "replies": replies}

    def messages(self, request: web.Request, query: dict[str, str], team: str, channel_id: str) -> Json:
        check_top(query)
        channel = self._find_channel(team, channel_id)
        # Documented: newest conversations first.
        firsts = [message for message in channel.messages.values() if message["replyToId"] is None][::-1]
        return self._page(request, query, "chatMessage", [self._with_replies(channel, first) for first in firsts])

    def message_delta(self, request: web.Request, query: dict[str, str], team: str, channel_id: str) -> Json:
        check_top(query)
        if "$orderby" in query:
            raise RefusedError(400, "BadRequest", "OrderBy is not supported")
        channel = self._find_channel(team, channel_id)
        since = int(query.get("$deltatoken", "0"))
        if "$deltatoken" in query and since < channel.oldest:  # documented: the code, for change lists in general
            raise RefusedError(400, "syncStateNotFound", "The sync state is not found.")
        names = list(dict.fromkeys(reversed(channel.log[since:])))[::-1]
        values = [self._with_replies(channel, channel.messages[name]) for name in names]
        return self._page(request, query, "chatMessage", values, f"$deltatoken={len(channel.log)}")

    def message(self, request: web.Request, query: dict[str, str], team: str, channel_id: str, message: str) -> Json:
        del request, query
        channel = self._find_channel(team, channel_id)
        if message not in channel.messages:
            raise RefusedError(404, "NotFound")
        check_answer("chatMessage", channel.messages[message])
        return channel.messages[message]

    def replies(self, request: web.Request, query: dict[str, str], team: str, channel_id: str, message: str) -> Json:
        check_top(query)
        channel = self._find_channel(team, channel_id)
        replies = [reply for reply in channel.messages.values() if reply["replyToId"] == message]
        return self._page(request, query, "chatMessage", replies)

    # Chats.

    def chats_of_user(self, request: web.Request, query: dict[str, str], name: str) -> Json:
        check_top(query)
        user = self._find_user(name)
        chats = [chat for chat in self._tenant.chats.values() if user in chat.members]
        return self._page(request, query, "chat", map(self._chat_answer, chats))

    def _chat_answer(self, chat: Channel) -> Json:
        members = [
            {"id": f"opaque-{user}", "displayName": self._tenant.users[user].email} for user in sorted(chat.members)
        ]
        return {
            "id": chat.id,
            "topic": chat.name,
            "chatType": "group",
            "webUrl": "https://teams.example",
            "members": members,
        }

    def _find_chat(self, chat_id: str) -> Channel:
        if chat_id not in self._tenant.chats:
            raise RefusedError(404, "NotFound")
        return self._tenant.chats[chat_id]

    def chat(self, request: web.Request, query: dict[str, str], chat_id: str) -> Json:
        del request, query
        return self._chat_answer(self._find_chat(chat_id))

    def chat_members(self, request: web.Request, query: dict[str, str], chat_id: str) -> Json:
        return self._member_page(request, query, self._find_chat(chat_id))

    def chat_messages(self, request: web.Request, query: dict[str, str], chat_id: str) -> Json:
        check_top(query)
        chat = self._find_chat(chat_id)
        order = query.get("$orderby", "createdDateTime desc")
        name, _, direction = order.partition(" ")
        if direction != "desc":
            raise RefusedError(400, "BadRequest", "Only descending order is supported")
        values = sorted(chat.messages.values(), key=lambda message: message[name], reverse=True)
        property_, operator, bound = (*query.get("$filter", "").split(" "), "", "")[:3]
        # Documented: ignored unless it names the property of the order; `createdDateTime` knows `lt` alone.
        if property_ == name:
            if property_ == "createdDateTime" and operator != "lt":
                raise RefusedError(400, "BadRequest", "createdDateTime supports lt")
            values = [message for message in values if (message[name] > bound) == (operator == "gt")]
        return self._page(request, query, "chatMessage", values)


def _channel(channel: Channel) -> Json:
    return {
        "id": channel.id,
        "displayName": channel.name,
        "membershipType": "standard",
        "webUrl": f"https://teams.example/{channel.id}",
    }
