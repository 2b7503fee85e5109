"""Secrets are found in texts to be stored, and ordinary texts are left unchanged."""

import random
import string
from collections.abc import Callable

from echomind_lib.secret_text import redacted, secret_in
from tests.drivers.tables import for_each

_RANDOM = random.Random(7)
_LETTERS = string.ascii_letters + string.digits


def _random(length: int, letters: str = _LETTERS) -> str:
    """Returns random letters, with a digit among them when the letters hold any."""
    digit = next((letter for letter in letters if letter.isdigit()), "")
    return "".join(_RANDOM.choice(letters) for _ in range(length - len(digit))) + digit


def _card(separator: str) -> str:
    digits = [4, *(_RANDOM.randrange(10) for _ in range(14))]
    total = sum(sum(divmod(2 * digit, 10)) if position % 2 == 0 else digit for position, digit in enumerate(digits))
    number = "".join(map(str, [*digits, -total % 10]))
    return separator.join(number[position : position + 4] for position in range(0, 16, 4))


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


@for_each("text", ODD_SPELLINGS)
def test_odd_spellings_hide_no_secret(text: str) -> None:
    before, _, rest = text.partition("{")
    _, _, after = rest.partition("}")
    assert redacted(text.replace("{", "").replace("}", "")) == f"{before}[secret]{after}"


NAMED: list[str] = [
    "My password's {hunter2}",
    "My password is {hunter} now",
    "My password is {swordfish} and the user is anna",
    "The password to the safe is {swordfish}",
    "The password for anna@example.org is {swordfish.}",
    "The passwords are {alpha1}",
    "The new password will be {swordfish}",
    "I changed the password to {swordfish.}",
    "Use {swordfish} as the password",
    "{hunter2} is my password",
    "pw {hunter2!}",
    "The password - {swordfish}",
    "DB_PASSWORD={swordfish}",
    "userPassword = {swordfish}",
    "clientSecret = '{abcdefgh}'",
    "SECRET_KEY = '{django-insecure-abc}'",
    "aws_secret_access_key = {swordfish}",
    "secret: {swordfish}",
    "The token is {abc123def}",
    "The passphrase is {correct horse battery staple}",
    "seed phrase: {abandon ability able about above absent}",
    "Der WLAN-Schlüssel ist {Sommer2026}",
    "my PIN is {4711}",
    "The alarm code is {4711}",
    "CVC {123}",
    "The combination is {12-34-56}",
    "contraseña es {pez7}",
    "密码是{hunter2}",
    "パスワード：{hunter2}",
    "Authorization: Bearer {0aB1c2D3e4F5g6H7}",
    "curl -u anna:{hunter2} https://example.org",
    "redis://:{swordfish}@cache:6379",
    "Send it to {fr14 2004 1010 0505 0001 3m02 606}",
    "Pay with {3782 822463 10005} or later",
]


@for_each("text", NAMED)
def test_values_named_as_secrets_are_masked(text: str) -> None:
    before, _, rest = text.partition("{")
    _, _, after = rest.partition("}")
    assert redacted(text.replace("{", "").replace("}", "")) == f"{before}[secret]{after}"


@for_each(
    "key",
    [
        f"key-{_random(32, string.hexdigits[:16])}",
        f"{_random(32, string.hexdigits[:16])}-us12",
        f"shpat_{_random(32, string.hexdigits[:16])}",
        f"glpat-{_random(20)}",
        f"sk-ant-api03-{_random(93)}-{_random(6)}AA",
        f"gsk_{_random(52)}",
        f"rk_live_{_random(24)}",
        f"AIza{_random(35)}",
        f"hvs.{_random(24)}",
        f"xapp-1-{_random(10)}-{_random(13, string.digits)}-{_random(64, string.hexdigits[:16])}",
        f"{_random(10, string.digits)}:AA{_random(33)}",
        f"ATATT3xFfGF0{_random(60)}",
        f"NRAK-{_random(27, string.ascii_uppercase + string.digits)}",
        f"AGE-SECRET-KEY-1{_random(58, string.ascii_uppercase + string.digits)}",
        f"AccountKey={_random(86)}==",
        f"https://hooks.slack.com/services/T{_random(8)}/B{_random(8)}/{_random(24)}",
    ],
)
def test_keys_of_vendors_are_found(key: str) -> None:
    assert secret_in(f"It works with {key} since May.") is not None


PLANTED = [FORMS[number % len(FORMS)]() for number in range(200)]


def test_200_planted_secrets_are_found_and_taken_out() -> None:
    for kind, sentence, secret in PLANTED:
        text = sentence.format(secret)
        assert secret_in(text) == kind, text
        assert secret.strip() not in redacted(text), text


def test_all_but_the_secret_remains() -> None:
    text = "Anna's PIN: 4711 and her door postgres://anna:ab12@db are known, also AKIAABCDEFGHIJKLMNO1."
    assert redacted(text) == "Anna's PIN: [secret] and her door postgres://anna:[secret]@db are known, also [secret]."


@for_each(
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
        "We use test_unreferenced_data_is_removed_and_everything_else_stays as the name of a test.",
        "The slides are in /Team/Sales/Quarter-4-2026/EchoMind-2026-Release-Notes-Final.pdf there.",
        "The handbook is at https://intranet.example.org/handbook/travel-costs-2026.html.",
        "The constraint pk_session_shares_of_people is on the table; install sk-learn-contrib-packages.",
        "Write to export@example.org; the order number is 4711-0815. Call +49 30 123456-78 before you come.",
        "The time 1700000000000 is in milliseconds; the IMEI is 490154203237518 and the EAN 4006381333931.",
        # Behind the name of a secret something else is named, or how the secret is.
        r"Secret plan.\nThe move is in May. The secret plan: the move is in May",
        "The secret is out. The secret to good bread is patience. The secret ingredient is cinnamon",
        "Secret Santa: 14 December. The secret meeting is at 10:30 in room 4.",
        "The password is reset by the help desk. It is reset every 90 days. The password is required",
        "My password is forgotten; the password was leaked. The password is wrong\nThe password is optional",
        "Passwords: at least 12 letters. Passwörter: mindestens 12 Zeichen. API keys: rotate them every 90 days",
        "Das Passwort ist abgelaufen. Das Kennwort ist geheim. Das Passwort wird vom Helpdesk zurückgesetzt.",
        "Our password manager is Bitwarden. The password reset link is https://intranet.example.org/reset.",
        "The password and/or the PIN is four digits long. Die PIN ist vierstellig. PIN codes are 4 digits.",
        "His tan is dark. The pin is 300 mm long; pin 7 of the connector is ground.",
        "Credentials: see the vault. Password: see 1Password. API key: ask Anna. Two-factor token: use the app",
        "The token expires after 15 minutes; the token count is 128000. Token limit: 4096. max_tokens = 4096",
        "The API key is stored in the vault. The access key: Ctrl+Alt+K. The error code is 4711.",
        'def login(user: str, password: str) -> None:\n    password = os.environ["DB_PASSWORD"]',
        'api_key = settings.api_key\ntoken = request.headers.get("Authorization")\nif password == confirm_password:',
        "password=${DB_PASSWORD}\npassword: ${{ secrets.DB_PASSWORD }}\npassword: ********",
        "Enter the password to continue. Change the password to something longer than that.",
        "The commit is 2a20f8d0c4d5b9a1e7f3c6b8d9e0f1a2b3c4d5e6, its md5: d41d8cd98f00b204e9800998ecf8427e",
        "The function computeMeanOfSquaredErrors2 has the role/MyRole2024Admin.",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert secret_in(text) is None
    assert redacted(text) == text


@for_each(
    "unit",
    [
        "a1-",
        "a.",
        "sk-",
        "eyJ-",
        "a://b:",
        "token x ",
        "-----BEGIN A ",
        "1 ",
        "aA",
        "password: ",
        "my pin is ",
        "use a as ",
    ],
)
def test_a_long_text_takes_no_quadratic_time(unit: str) -> None:
    """A form that is tried at each position up to the end takes minutes here."""
    assert secret_in(unit * 20_000) is None
