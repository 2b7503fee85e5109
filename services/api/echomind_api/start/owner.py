"""The owner's ways in: a key for the command line on this machine, a link for the browser."""

import ipaddress
import socket
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert

from echomind_api.auth import tokens
from echomind_api.auth.passwords import hash_password
from echomind_api.auth.principals import Principals
from echomind_api.auth.sessions import WebSessions
from echomind_api.start.files import read_secret, write_secret
from echomind_lib.access import Principal
from echomind_lib.access.principal import SCOPES
from echomind_lib.db.database import Database
from echomind_lib.db.models import ApiKey, Credential
from echomind_lib.errors import UnauthenticatedError

KEY_FILE: Final = "owner-api-key"
LINK_FILE: Final = "run/sign-in-link"
"""Names in the data folder."""
MINIMUM_PASSWORD: Final = 12
"""Characters, as for passwords that people choose."""

log = structlog.get_logger(__name__)


async def ensure_key_file(database: Database, principals: Principals, owner: Principal, data_dir: Path) -> None:
    """Writes an API key of the owner into the data folder, with all scopes, unless one that works is there."""
    path = data_dir / KEY_FILE
    if key := read_secret(path):
        try:
            await principals.of_api_key(key)
        except UnauthenticatedError:
            log.info("the owner's API key file held a key that is not valid any more", path=str(path))
        else:
            return
    name = f"Owner's key file on {socket.gethostname()}"[:255]
    new = tokens.new_api_key()
    row = ApiKey(
        user_id=owner.user_id, name=name, prefix=tokens.prefix(new.text), sha256=new.sha256, scopes=list(SCOPES)
    )
    before = update(ApiKey).where(ApiKey.user_id == owner.user_id, ApiKey.name == name, ~ApiKey.revoked)
    async with database.session() as session:
        await session.execute(before.values(revoked=True))
        session.add(row)
    write_secret(path, new.text)
    await principals.of_api_key(new.text)  # caches the key, so that failures from its address never block it


async def write_link_file(sessions: WebSessions, owner: Principal, data_dir: Path, address: str) -> None:
    """Writes a one-time sign-in link for the owner into the data folder."""
    link = await sessions.create_link(owner.user_id)
    write_secret(data_dir / LINK_FILE, address + link.path)


async def ensure_password(database: Database, owner: Principal, password: str) -> None:
    """Stores the configured password of the owner, unless the owner has one already.

    Raises:
        ValueError: It is too short.
    """
    if not password:
        return
    if len(password) < MINIMUM_PASSWORD:
        raise ValueError(f"ECHOMIND_API__OWNER_PASSWORD has fewer than {MINIMUM_PASSWORD} characters: set a longer one")
    async with database.session() as session:
        if await session.get(Credential, owner.user_id) is None:
            row = {"user_id": owner.user_id, "password_hash": await hash_password(password)}
            # Another gateway may store it at the same time.
            await session.execute(insert(Credential).values(row).on_conflict_do_nothing())


async def check_address(database: Database, owner: Principal, host: str) -> None:
    """Checks that the owner has a password if the gateway listens on an address that other machines can reach.

    Raises:
        RuntimeError: The owner has no password; the message says what to do.
    """
    if _is_loopback(host):
        return
    async with database.session() as session:
        if await session.get(Credential, owner.user_id) is not None:
            return
    raise RuntimeError(
        f"The owner has no password, so EchoMind does not listen on {host}, where other machines could reach it. "
        "Start it on 127.0.0.1, sign in by the link that it prints, set a password in the settings, "
        f"and start it on {host} again. Or set ECHOMIND_API__OWNER_PASSWORD."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
