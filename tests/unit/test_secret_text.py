"""Secrets are found in texts that people and models want kept; ordinary texts are left alone."""

import random
import string

import pytest

from echomind_lib.secret_text import secret_in

_RANDOM = random.Random(7)


def _word(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "aZ9" + "".join(_RANDOM.choice(letters) for _ in range(length - 3))


def _card() -> str:
    digits = [4, *(_RANDOM.randrange(10) for _ in range(14))]
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits)]
    return "".join(map(str, [*digits, -sum(doubled) % 10]))


FORMS = (
    lambda: f"The key is sk-proj-{_word(32)}.",
    lambda: f"Use ghp_{_word(36)} for the build.",
    lambda: f"AWS: AKIA{''.join(_RANDOM.choices(string.ascii_uppercase + string.digits, k=16))}",
    lambda: f"token: {_word(12)}",
    lambda: f"My password is {_word(9)}!",
    lambda: f"Das Passwort lautet {_word(10)}",
    lambda: f"postgres://app:{_word(12)}@db.example.org/app",
    lambda: f"Pay with {_card()} please.",
    lambda: f"Secret {_word(40)} was sent.",
    lambda: "-----BEGIN RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("number", range(200))
def test_planted_secrets_are_found(number: int) -> None:
    text = FORMS[number % len(FORMS)]()
    assert secret_in(text) is not None, text


@pytest.mark.parametrize(
    "text",
    [
        "Releases are made on Tuesdays before noon.",
        "The password is changed by the help desk.",
        "Write to export@example.org; the order number is 4711-0815.",
        "The handbook is at https://intranet.example.org/handbook/travel-costs-2026.html.",
        "In 2025 we sold 1,234,567,890 pieces in 12 countries.",
        "Call +49 30 123456-78 before you come.",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert secret_in(text) is None
