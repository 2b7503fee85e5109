"""Whether people sign in with passwords, links and invitations of EchoMind, or at providers alone."""

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import AuthModeError


class LocalAccounts:
    """The setting of the environment, or else the stored one."""

    def __init__(self, database: Database, environment: bool | None) -> None:
        self._database = database
        self.environment = environment
        """What the environment says, which takes precedence; None leaves it to the stored setting."""

    async def are_on(self) -> bool:
        """Returns whether they are on."""
        if self.environment is not None:
            return self.environment
        async with self._database.session() as session:
            return await session.scalar(select(rows.InstallationSettings.local_accounts)) is not False

    async def require(self) -> None:
        """Returns if they are on.

        Raises:
            AuthModeError: They are off.
        """
        if not await self.are_on():
            raise AuthModeError(
                "Local accounts are off in this installation: sign in at a provider. If none answers, whoever runs the "
                "server prints a link with `echomind users recover`."
            )


async def end_local_sessions(session: AsyncSession) -> None:
    """Ends the web sessions that were not begun at a provider, and the links that nobody has used."""
    await session.execute(delete(rows.WebSession).where(rows.WebSession.identity_id.is_(None)))
    await session.execute(delete(rows.SignInToken).where(rows.SignInToken.used_at.is_(None)))
