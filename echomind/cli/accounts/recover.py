"""`echomind users recover`: a way in when nobody can sign in, from the database and without the API."""

import asyncio
import os
from contextlib import ExitStack
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import AsJson, DataDir, default_data_dir, locate, reporting
from echomind.cli.profiles import read_profiles
from echomind.cli.terminal import CommandError, Terminal


def recover_user(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="User name or e-mail address of an account.", autocompletion=completion.users
        ),
    ],
    superadmin: Annotated[
        bool, typer.Option("--superadmin", help="Also activate the account and give it the role superadmin.")
    ] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Print a one-time sign-in link, when no sign-in provider answers and no API key is left.

    It reads the database itself: on the machine of `echomind up`, or with the servers that the environment names, and
    ECHOMIND_API__PUBLIC_URL. The audit log records it.
    """
    from echomind.backup.servers import are_external, embedded_servers, external_servers
    from echomind.local.embedded.process import StartError
    from echomind_lib.config import Settings

    terminal = Terminal(as_json=as_json)
    folder = data_dir or default_data_dir()
    with reporting(terminal), ExitStack() as stack:
        try:
            external = are_external(os.environ)
            if not external and not (folder / "secrets.json").exists():
                raise CommandError(f"{folder} is no data folder of EchoMind: name one with --data-dir.")
            servers = (
                external_servers(folder) if external else stack.enter_context(embedded_servers(folder, terminal.note))
            )
        except StartError as error:
            raise CommandError(f"{error}.") from error
        user_name, path = asyncio.run(_make_link(servers.postgres_url, name, superadmin=superadmin))
    address = Settings().api.public_url.rstrip("/") if external else ""
    link = (address or locate("", "", data_dir, read_profiles()).public_url) + path
    terminal.report({"signInLink": link}, f"The link signs {user_name} in once, within 24 hours: {link}")


async def _make_link(url: str, name: str, *, superadmin: bool) -> tuple[str, str]:
    """Returns the name of an account and the path of its link."""
    from sqlalchemy import func, or_, select

    from echomind_api.auth.sessions import new_link
    from echomind_lib.db.database import Database, DatabaseUnavailableError
    from echomind_lib.db.models import AuditEntry, SignInToken, User

    try:
        database = await Database.connect(url, max_size=1, wait=5.0)
    except DatabaseUnavailableError as error:
        raise CommandError(f"The database does not answer: {error}") from error
    lower = name.lower()
    async with database, database.session() as session:
        user = await session.scalar(
            select(User)
            .where(or_(func.lower(User.user_name) == lower, func.lower(User.email) == lower))
            .order_by((func.lower(User.user_name) == lower).desc())
            .limit(1)
            .with_for_update()
        )
        if user is None:
            raise CommandError(f"There is no account {name!r}.")
        if superadmin:
            user.is_active = True
            user.roles = sorted({*user.roles, "superadmin"}, key=["user", "admin", "superadmin"].index)
        elif not user.is_active:
            raise CommandError(f"{user.user_name} is deactivated: --superadmin activates the account.")
        link, token = new_link()
        session.add(SignInToken(user_id=user.id, token_hash=token.sha256, expires_at=link.expires_at))
        detail = {"superadmin": superadmin}
        session.add(AuditEntry(actor_id=None, action="users recover", target=f"users/{user.id}", detail=detail))
        return user.user_name, link.path
