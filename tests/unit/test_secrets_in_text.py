"""Secrets are found in texts that people write, and ordinary texts are left alone."""

import random
import string
from collections.abc import Callable

import pytest

from echomind_lib.facts.secrets import has_secret, redacted

_LETTERS = string.ascii_letters + string.digits


def _random(rng: random.Random, length: int, letters: str = _LETTERS) -> str:
    return "".join(rng.choice(letters) for _ in range(length))


def _card(rng: random.Random) -> str:
    digits = [4, *(rng.randrange(10) for _ in range(14))]
    total = sum(sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    number = "".join(map(str, [*digits, -total % 10]))
    return " ".join(number[place : place + 4] for place in range(0, 16, 4))


def planted(count: int) -> list[tuple[str, str]]:
    """Returns sentences with a secret, and the secret."""
    rng = random.Random(7)
    kinds: list[Callable[[], tuple[str, str]]] = [
        lambda: ("My AWS key is {}.", f"AKIA{_random(rng, 16, string.ascii_uppercase + string.digits)}"),
        lambda: ("Use {} for GitHub", f"ghp_{_random(rng, 36)}"),
        lambda: ("the OpenAI key: {}", f"sk-proj-{_random(rng, 40)}"),
        lambda: ("Slack says {}", f"xoxb-{_random(rng, 12, string.digits)}-{_random(rng, 24)}"),
        lambda: ("My password is {}.", f"{_random(rng, 7, string.ascii_lowercase)}{rng.randrange(10, 99)}!"),
        lambda: ("Mein Passwort lautet: {}", _random(rng, 9, string.ascii_lowercase)),
        lambda: ("I pay with {} as always", _card(rng)),
        lambda: ("postgres://app:{}@db.example.com/app", _random(rng, 12)),
        lambda: ("PIN: {}", _random(rng, 4, string.digits)),
        lambda: ("The token {} works", _random(rng, 40)),
    ]
    return [kinds[number % len(kinds)]() for number in range(count)]


def test_200_planted_secrets_are_found_and_taken_out() -> None:
    for sentence, secret in planted(200):
        text = sentence.format(secret)
        assert has_secret(text), text
        assert secret not in redacted(text), text


@pytest.mark.parametrize(
    "text",
    [
        "The person prefers green tea, and drinks three cups a day.",
        "The password policy asks for a change every year.",
        "My daughter's birthday is on 14 March 2015, and our house number is 1234.",
        "The invoice 2024-000123456 is about 1,200,000.00 euros.",
        "Die Personalnummer steht im Vertrag; das Projekt heißt Donaudampfschifffahrtsgesellschaft.",
        "Run 018f2b1e-7c3a-7b1e-9d5e-0f3a2f1c8b47 failed at /usr/local/lib/python3.11/site-packages.",
        "We use test_what_no_row_names_is_removed_and_all_else_stays as the name of a test.",
        "My token of appreciation is a cake.",
        "",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert not has_secret(text)
    assert redacted(text) == text
