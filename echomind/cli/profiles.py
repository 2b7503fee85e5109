"""API keys that `echomind login` keeps on this machine: one for each address of EchoMind."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from echomind.cli.terminal import CommandError
from echomind.local.private_files import write_private

FOLDER_VARIABLE: Final = "ECHOMIND_CONFIG_DIR"
_FILE: Final = "profiles.json"


@dataclass(frozen=True)
class Profile:
    """The account that commands use at one address."""

    api_key: str
    user_name: str
    name: str = ""
    """What a person calls the profile; empty for nothing but its address."""


@dataclass(frozen=True)
class Profiles:
    """All profiles of this operating system's account.

    Attributes:
        current: Address that commands use unless they are told another; empty for this machine's EchoMind.
        by_address: The profiles by their addresses.
    """

    current: str = ""
    by_address: Mapping[str, Profile] = field(default_factory=dict)

    def key(self, url: str) -> str:
        """Returns the API key for an address; empty when there is none. It is for this address alone."""
        profile = self.by_address.get(normalized(url))
        return profile.api_key if profile else ""

    def with_profile(self, url: str, profile: Profile) -> "Profiles":
        """Returns the profiles with one more, which becomes the current one. Its name is no other's any more."""
        address = normalized(url)
        others = {
            other: replace(kept, name="") if profile.name and kept.name == profile.name else kept
            for other, kept in self.by_address.items()
        }
        return Profiles(address, {**others, address: profile})

    def named(self, name: str) -> str:
        """Returns the address of the profile with a name; empty when there is none."""
        return next((address for address, profile in self.by_address.items() if name and profile.name == name), "")

    def without(self, url: str) -> "Profiles":
        """Returns the profiles without that of an address.

        Raises:
            CommandError: There is none for it.
        """
        address = self.find(url)
        rest = {name: profile for name, profile in self.by_address.items() if name != address}
        return Profiles("" if address == self.current else self.current, rest)

    def using(self, url: str) -> "Profiles":
        """Returns the profiles with another current one; an empty address is this machine's EchoMind.

        Raises:
            CommandError: There is none for it.
        """
        return Profiles(self.find(url) if url else "", self.by_address)

    def find(self, url: str) -> str:
        """Returns the address as it is stored, of an address or a profile's name.

        Raises:
            CommandError: There is no profile for it.
        """
        address = self.named(url) or normalized(url)
        if address not in self.by_address:
            known = ", ".join(sorted(self.by_address)) or "none"
            raise CommandError(f"There is no profile for {address}. Known: {known}. `echomind login ADDRESS` adds one.")
        return address


def normalized(url: str) -> str:
    """Returns an address in the form in which profiles are found: host in lower case, no slash at its end."""
    parts = urlsplit(url.strip())
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl().rstrip("/")


def read_profiles() -> Profiles:
    """Returns the stored profiles.

    Raises:
        CommandError: Their file is damaged or cannot be read.
    """
    file = _folder() / _FILE
    try:
        stored = json.loads(file.read_text())
        profiles = {address: Profile(**profile) for address, profile in stored["profiles"].items()}
        return Profiles(stored["current"], profiles)
    except (FileNotFoundError, NotADirectoryError):
        return Profiles()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommandError(f"{file} is damaged: remove it, and sign in again with `echomind login`.") from error


def write_profiles(profiles: Profiles) -> None:
    """Stores the profiles, in a file that only this account can read."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stored = {address: asdict(profile) for address, profile in profiles.by_address.items()}
    write_private(folder / _FILE, json.dumps({"current": profiles.current, "profiles": stored}, indent=2))


def _folder() -> Path:
    import platformdirs

    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else Path(platformdirs.user_config_dir("echomind"))
