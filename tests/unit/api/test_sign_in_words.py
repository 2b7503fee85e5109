"""The language of the pages of sign-in links."""

import pytest

from echomind_api.transports.http.sign_in_pages import failure_page, sign_in_page
from echomind_api.transports.http.sign_in_words import WORDS, LinkFailure, language_of


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("de-DE,de;q=0.9,en;q=0.8", "de"), ("fr, DE-at;q=0.5", "de"), ("en-GB,de;q=0.5", "en"), ("fr", "en"), ("", "en")],
)
def test_the_browser_chooses_the_language(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


@pytest.mark.parametrize("language", WORDS)
def test_every_page_has_its_words(language: str) -> None:
    for failure in LinkFailure:
        assert f'lang="{language}"' in bytes(failure_page(language, failure, 401).body).decode()
    page = bytes(sign_in_page(language, "token", "<ann>").body).decode()
    assert "&lt;ann&gt;" in page
    assert "<ann>" not in page
