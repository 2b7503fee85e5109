"""The page of a test of a provider: the claims of the person who has signed in there, and what they would mean here."""

import html
import json
from collections.abc import Iterable
from typing import Any, Final

from starlette.responses import HTMLResponse

from echomind_api.auth.provider_tests import Meaning, TestedSignIn
from echomind_api.transports.http.provider_words import PROVIDER_WORDS, ProviderWords
from echomind_api.transports.http.sign_in_pages import page_of

_MAX_CHARACTERS: Final = 500
"""How much of a claim's value is shown."""


def provider_test_page(language: str, title: str, tested: TestedSignIn) -> HTMLResponse:
    """Returns the page of a test.

    Args:
        language: The page's language.
        title: What people know the provider by.
        tested: What the test has found.
    """
    words = PROVIDER_WORDS[language]
    verdict = words.test_succeeded if tested.failure is None else words.failures[tested.failure]
    parts = [f"<p>{html.escape(verdict.format(provider=title))}</p>"]
    if tested.detail:
        parts.append(f"<p><code>{html.escape(tested.detail)}</code></p>")
    if tested.meaning is not None:
        parts += [f"<h2>{words.meaning}</h2>", _table(_facts(words, tested.meaning))]
    if tested.claims:
        parts += [f"<h2>{words.claims}</h2>", _table((name, _text(value)) for name, value in tested.claims.items())]
    parts.append(f'<p class="quiet">{words.test_only}</p>')
    return page_of(language, words.test_of.format(provider=html.escape(title)), "\n".join(parts))


def _facts(words: ProviderWords, meaning: Meaning) -> Iterable[tuple[str, str]]:
    profile = meaning.profile
    account = words.accounts[meaning.account].format(name=meaning.user_name)
    name = f"{profile.first_name} {profile.last_name}".strip()
    address = profile.email or words.none
    if profile.email:
        address += f" ({words.verified if profile.is_email_verified else words.unverified})"
    yield words.account, account
    yield words.name, name or words.none
    yield words.email, address
    yield words.groups, _listed(words, profile.groups)
    yield words.roles, _listed(words, profile.roles)


def _listed(words: ProviderWords, names: frozenset[str] | None) -> str:
    return words.unknown if names is None else ", ".join(sorted(names)) or words.none


def _table(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{rows}</table>"


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + " …"
