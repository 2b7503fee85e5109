"""What texts call secrets, and where they say them.

Patterns are verbose regular expressions, without regard to case. In an example, the secret is between braces.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["strong", "several", "phrase", "weak", "digits"]
"""What a name says of its value.

- `strong`: nearly every value is a secret.
- `several`: a plural, after which a colon often begins a rule: "passwords: at least 12 letters".
- `phrase`: the value may be several words.
- `weak`: other things have the name, too: only values with letters and digits, or assigned ones.
- `digits`: only numbers.
"""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class NameRule:
    """Names of secrets.

    Attributes:
        kind: What they say of their value.
        pattern: The names.
        examples: Texts.
    """

    kind: Kind
    pattern: str
    examples: tuple[str, ...]


NAME_RULES: Final = (
    NameRule(
        "strong",
        "p[a4]ss[ _-]?(?:w[o0]r[dt]|code|wd)",
        ("My password is {swordfish} now", "p4ssw0rd = {Blau!Wal7}", "Passcode: {swordfish}", "Passwort: {Sommer2026}"),
    ),
    NameRule("strong", "pwd | pw", ("pwd={swordfish}", "pw {hunter2!}")),
    NameRule(
        "strong",
        r"kennwort | contraseña | mot\ de\ passe | senha | wachtwoord | hasło | пароль",
        (
            "Mein Kennwort ist {Sommer2026}",
            "contraseña es {pez7}",
            "mot de passe : {baleine}",
            "senha: {baleia}",
            "wachtwoord: {walvis}",
            "hasło: {wieloryb}",
            "пароль: {парус77}",
        ),
    ),
    NameRule(
        "strong",
        r"""(?:wi-?fi|wlan|wpa2?|network|encryption|signing|recovery|master|secret|private|access|api|ssh|host)
            [\s_-]?(?:key|schlüssel)""",
        ("Der WLAN-Schlüssel ist {Sommer2026}", "aws_secret_access_key = {swordfish}", "Wi-Fi key: {swordfish}"),
    ),
    NameRule(
        "strong",
        r"api[\s_-]?(?:token|secret) | (?:access|auth|refresh|session)[\s_-]?token | (?:client|shared)[\s_-]?secret",
        ("clientSecret = '{abcdefgh}'", "api_token={abcdefgh}", "refresh token: {abcdefgh}"),
    ),
    NameRule(
        "several",
        r"p[a4]ssw[o0]r[dt]s | passwörter | kennwörter | (?:api|access|secret)[\s_-]?keys",
        ("The passwords are {alpha1}", "Die Passwörter sind {alpha1}", "Our API keys are {ab12cd34}"),
    ),
    NameRule(
        "phrase",
        r"p[a4]ss[ _-]?phrase | (?:seed|recovery)[\s_-]?phrase | master[\s_-]?password",
        ("The passphrase is {correct horse battery staple}", "seed phrase: {abandon ability able about above absent}"),
    ),
    NameRule(
        "weak",
        "secret | geheimnis | token | credentials?",
        ("The token is {abc123def}", "secret: {swordfish}", "Das Geheimnis lautet {abc123def}"),
    ),
    NameRule("digits", "pin | puk | tan | cvc2? | cvv2?", ("my PIN is {4711}", "CVC {123}", "PUK: {12345678}")),
    NameRule(
        "digits",
        r"""(?:door|alarm|access|entry|gate|safe|lock|unlock|security|backup|recovery|tür|alarm|zugangs|tor)
            [\s_-]?code""",
        ("The alarm code is {4711}", "Der Türcode ist {4711}", "Zugangscode: {4711}"),
    ),
    NameRule("digits", "(?:zahlen)?[ck]ombination", ("The combination is {12-34-56}", "Zahlenkombination: {4711}")),
)


def alternatives(rules: Iterable[NameRule], kind: Kind) -> str:
    """Returns the pattern of all names of a kind."""
    return " | ".join(rule.pattern for rule in rules if rule.kind == kind)


OTHER_THINGS: Final = r"""
    manager|polic(?:y|ies)|reset|rotation|length|limit|budget|count|rules?|change|management|protect\w+|generator|field
    |vault|based|free|safe|plan|prize|ring|ingredient|santa|service|hash(?:es|ing)?|strength|file|path|url|name|id|type
    |scanner|scanning|store|page|link|prompt|expiry|lifetime|usage|price|window
"""
"""Second parts of compounds, which name something else: a password manager, a secret plan, a token-based sign-in."""


@dataclass(frozen=True, slots=True)
class PlaceRule:
    """A place of a secret other than after its name and a link word.

    Attributes:
        name: The name of its group.
        pattern: The place; `VALUE` stands for the mark of the secret's group.
        examples: Texts.
        must_be_odd: Whether the secret must have characters that plain words lack.
    """

    name: str
    pattern: str
    examples: tuple[str, ...]
    must_be_odd: bool = False


PLACE_RULES: Final = (
    PlaceRule(
        "used",
        r"\b(?:use|take|with|nimm|verwende)\s+(?VALUE\S{4,80})\s+(?:as|als)\s+(?:\w+\s+)?(?:password|passphrase|passwort)\b",
        ("Use {swordfish} as the password", "Nimm {Sommer2026} als Passwort"),
    ),
    PlaceRule(
        "first",
        r"(?<!\S)(?VALUE\S{4,80})\s+(?:is|ist|was|war)\s+(?:my|our|the|mein|unser|das)\s+(?:\w+\s+)?(?:password|passwort)\b",
        ("{hunter2} is my password", "{Sommer2026} ist unser Passwort"),
        must_be_odd=True,
    ),
    PlaceRule("bearer", r"\bbearer\s+(?VALUE[\w.~+/=-]{16,})", ("Authorization: Bearer {0aB1c2D3e4F5g6H7}",)),
    PlaceRule("basic", r"\bauthorization:\s*basic\s+(?VALUE[\w+/=]{8,})", ("Authorization: Basic {YW5uYTpodW50ZXIy}",)),
    PlaceRule(
        "curl",
        r"\bcurl\b[^\n]{0,80}?\s(?:-u|--user)\s+[^\s:]{1,80}:(?VALUE\S{3,80})",
        ("curl -u anna:{hunter2} https://example.org",),
    ),
    PlaceRule("pass", r"\bsshpass\s+-p\s*(?VALUE\S{3,80})", ("sshpass -p {hunter2} ssh anna@example.org",)),
    PlaceRule("option", r"--password\s+(?VALUE[^\s-]\S{2,80})", ("restic --password {hunter2} backup",)),
    PlaceRule(
        "cjk",
        r"(?:密码|密碼|口令|パスワード|暗証番号|비밀번호)\s*(?:は|是|为|為|는|:|=)\s*(?VALUE[^\s、。,]{3,80})",
        ("密码是{hunter2}", "密碼為{hunter2}", "パスワード：{hunter2}", "비밀번호는 {hunter2}"),
    ),
)

_WORDS_OF_STATES: Final = """
    required optional mandatory wrong right correct incorrect invalid valid expired leaked stolen lost forgotten
    known unknown secret secure insecure safe unsafe weak strong long longer short shorter good bad new old empty
    missing set unset reset changed stored kept hidden shared needed revoked rotated disabled enabled confidential
    private public personal case-sensitive temporary blank none null nil yes no true false str string text int bytes
    any todo tbd n/a here there below above attached mine yours his hers ours it this that what which who everything
    nothing something someone out over up gone see ask use enter type continue proceed now not unique easy hard
    simple complex broken available unavailable obsolete deprecated due fine okay sent given the two-factor and/or
    e.g i.e z.b siehe geheim ungültig gültig falsch richtig leer neu alt sicher unsicher nötig pflicht bekannt
    unbekannt weg da hier nein wahr zeichenkette login password passwort jwt uuid
"""
STATES: Final = frozenset(_WORDS_OF_STATES.split())
"""Words that describe a secret or its place, rather than its value."""
