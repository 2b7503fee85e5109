"""Secrets are found in texts that people and models want kept, and ordinary texts are left alone."""

import random
import string
from collections.abc import Callable

import pytest

from echomind_lib.secret_text import redacted, secret_in

_RANDOM = random.Random(7)
_LETTERS = string.ascii_letters + string.digits


def _random(length: int, letters: str = _LETTERS) -> str:
    """Returns random letters, with a digit among them when the letters hold any."""
    digit = next((letter for letter in letters if letter.isdigit()), "")
    return "".join(_RANDOM.choice(letters) for _ in range(length - len(digit))) + digit


def _card(separator: str) -> str:
    digits = [4, *(_RANDOM.randrange(10) for _ in range(14))]
    total = sum(sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    number = "".join(map(str, [*digits, -total % 10]))
    return separator.join(number[place : place + 4] for place in range(0, 16, 4))


FORMS: list[Callable[[], tuple[str, str, str]]] = [
    lambda: ("an API key", "The key is {}.", f"sk-proj-{_random(32)}"),
    lambda: ("an API key", "Use {} for GitHub", f"ghp_{_random(36)}"),
    lambda: ("an API key", "My AWS key: {}", f"AKIA{_random(16, string.ascii_uppercase + string.digits)}"),
    lambda: ("an API key", "Slack says {}", f"xoxb-{_random(12, string.digits)}-{_random(24)}"),
    lambda: ("a signed token", "Sent with {}", f"eyJ{_random(20)}.eyJ{_random(30)}.{_random(30)}"),
    lambda: ("a private key", "It is\n{}\n", f"-----BEGIN RSA PRIVATE KEY-----\n{_random(64)}\n"),
    lambda: ("a password", "My password is {} since May.", f"{_random(7, string.ascii_lowercase)}{_random(2)}!"),
    lambda: ("a password", "My password is {}.", _random(9, string.ascii_lowercase)),
    lambda: ("a password", "Das Passwort für das Lager lautet {}, glaube ich", _random(10)),
    lambda: ("a password", "Mein Passwort lautet: {}", _random(9, string.ascii_lowercase)),
    lambda: ("a password", "password = '{}' in the settings", _random(9, string.ascii_lowercase)),
    lambda: ("a password", "The password for server2: {}", _random(6, string.ascii_lowercase)),
    lambda: ("a password", "PIN {}", _random(4, string.digits)),
    lambda: ("a password", "token: {}", _random(12)),
    lambda: ("a password in an address", "postgres://app:{}@db.example.com/app", _random(12)),
    lambda: ("a card number", "I pay with {} as always", _card(" ")),
    lambda: ("a card number", "Pay with {} please.", _card("")),
    lambda: ("an account number", "Send it to {}.", "DE89 3704 0044 0532 0130 00"),
    lambda: ("a key", "The letters {} open it", _random(40)),
    lambda: ("a key", "The digest {} opens it", _random(32, "abcdef0123456789")),
]
ODD_SPELLINGS: list[str] = [
    "My pass word is {hunter2hunter!,} and more",
    "p4ssw0rd = {Blau!Wal7}",
    "The p\u0430ssword is {correct-horse-9.}",
    "My passphrase is '{blue whale sings}' for now",
    "It is {s\u200bk-proj-4fJ9xQ2mZ8vB1nT6wR3y}.",
    "Pay with {\uff14\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11}!",
    "Pay with {4111\u20131111\u20131111\u20131111} then",
    "Pay with {4111.1111.1111.1111} then",
    "Send it to {DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000}.",
    "The id is {AKIA IOSF ODNN 7EXA MPLE}.",
]


@pytest.mark.parametrize("text", ODD_SPELLINGS)
def test_odd_spellings_hide_no_secret(text: str) -> None:
    before, _, rest = text.partition("{")
    _, _, after = rest.partition("}")
    assert redacted(text.replace("{", "").replace("}", "")) == f"{before}[secret]{after}"


PLANTED = [FORMS[number % len(FORMS)]() for number in range(200)]


@pytest.mark.parametrize(("kind", "sentence", "secret"), PLANTED)
def test_200_planted_secrets_are_found_and_taken_out(kind: str, sentence: str, secret: str) -> None:
    text = sentence.format(secret)
    assert secret_in(text) == kind
    assert secret.strip() not in redacted(text)


def test_all_but_the_secret_remains() -> None:
    text = "Anna's PIN: 4711 and her door postgres://anna:ab12@db are known, also AKIAABCDEFGHIJKLMNO1."
    assert redacted(text) == "Anna's PIN: [secret] and her door postgres://anna:[secret]@db are known, also [secret]."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The person prefers green tea, and drinks three cups a day.",
        "The password policy asks for a change every year.",
        "The password is changed by the help desk.",
        "The password was changed in March.",
        "The token is checked on each request, and the secret plan is dropped at once",
        "My token of appreciation is a cake for everybody.",
        "Get the token at https://intranet.example.org/tokens before 10:30 today.",
        "My daughter's birthday is on 14 March 2015, and our house number is 1234.",
        "The invoice 2024-000123456 is about 1,200,000.00 euros; in 2025 we sold 1,234,567,890 pieces.",
        "Die Personalnummer steht im Vertrag; das Projekt heißt Donaudampfschifffahrtsgesellschaft.",
        "Run 018f2b1e-7c3a-7b1e-9d5e-0f3a2f1c8b47 failed at /usr/local/lib/python3.11/site-packages.",
        "We use test_what_no_row_names_is_removed_and_all_else_stays as the name of a test.",
        "The slides are in /Team/Sales/Quarter-4-2026/EchoMind-2026-Release-Notes-Final.pdf there.",
        "The handbook is at https://intranet.example.org/handbook/travel-costs-2026.html.",
        "The constraint pk_session_shares_of_people is on the table; install sk-learn-contrib-packages.",
        "Write to export@example.org; the order number is 4711-0815. Call +49 30 123456-78 before you come.",
        "The time 1700000000000 is in milliseconds.",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert secret_in(text) is None
    assert redacted(text) == text


@pytest.mark.parametrize("unit", ["a1-", "a.", "sk-", "eyJ-", "a://b:", "token x ", "-----BEGIN A ", "1 "])
def test_a_long_text_takes_no_quadratic_time(unit: str) -> None:
    """A form that is tried at each place up to the end takes minutes here."""
    assert secret_in(unit * 50_000) is None
