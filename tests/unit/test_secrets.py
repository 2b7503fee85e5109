"""Encryption of stored secrets."""

import stat
import threading
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from echomind_lib.config import SecretsSettings
from echomind_lib.secret_key_file import KEY_FILE
from echomind_lib.secrets import Secrets, SecretUnreadableError

FIRST, SECOND = (Fernet.generate_key().decode() for _ in range(2))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_goes_in_comes_out_and_is_not_seen(text: str) -> None:
    secrets = Secrets([FIRST])
    token = secrets.encrypt(text)
    assert secrets.decrypt(token) == text
    assert len(text) < 4 or text not in token
    assert token != secrets.encrypt(text)


def test_a_new_key_in_front_leaves_old_secrets_readable() -> None:
    token = Secrets([FIRST]).encrypt("x")
    both = Secrets([SECOND, FIRST])
    assert both.decrypt(token) == "x"
    with pytest.raises(SecretUnreadableError):
        Secrets([SECOND]).decrypt(token)
    assert Secrets([SECOND]).decrypt(both.encrypt("y")) == "y"


@pytest.mark.parametrize("token", ["", "nonsense", "ü"])
def test_what_is_no_secret(token: str) -> None:
    with pytest.raises(SecretUnreadableError):
        Secrets([FIRST]).decrypt(token)


@pytest.mark.parametrize("keys", [[], ["short"], [FIRST, "ü" * 44]])
def test_a_wrong_key_is_named_by_its_place_and_not_shown(keys: list[str]) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        Secrets(keys)
    assert all(key not in str(caught.value) for key in keys)


def test_configured_keys_need_no_file(tmp_path: Path) -> None:
    settings = SecretsSettings(keys=SecretStr(f"{FIRST}, {SECOND}"))
    assert Secrets.load(settings, tmp_path).decrypt(Secrets([SECOND]).encrypt("x")) == "x"
    assert list(tmp_path.iterdir()) == []


def test_the_key_file_is_made_once_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    token = Secrets.load(SecretsSettings(), folder).encrypt("x")
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]
    assert Secrets.load(SecretsSettings(), folder).decrypt(token) == "x"


def test_processes_that_start_at_once_agree_on_a_key(tmp_path: Path) -> None:
    loaded: list[Secrets] = []
    barrier = threading.Barrier(8)

    def load() -> None:
        barrier.wait()
        loaded.append(Secrets.load(SecretsSettings(), tmp_path))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    token = loaded[0].encrypt("x")
    assert {secrets.decrypt(token) for secrets in loaded} == {"x"}
