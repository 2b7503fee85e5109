"""Small talk."""

from echomind_agent.extractive.phrases import declined, quoted_language, small_talk
from tests.drivers.tables import for_each


@for_each(
    ("message", "beginning"),
    [
        ("hello", "Hello!"),
        ("Hi there! 👋", "Hello!"),
        ("Hello, EchoMind.", "Hello!"),
        ("THANKS!!", "You are welcome."),
        ("Hello! How are you?", "I am EchoMind's built-in model"),
        ("What can you do?", "I am EchoMind's built-in model"),
        ("Hallo", "Guten Tag!"),
        ("Vielen Dank!", "Gern geschehen."),
        ("Merci beaucoup", "Je vous en prie."),
        ("你好！", "您好！"),
        ("ありがとうございます。", "どういたしまして。"),
    ],
)
def test_small_talk_is_answered_in_its_language(message: str, beginning: str) -> None:
    reply = small_talk(message)
    assert reply is not None
    assert reply.startswith(beginning)
    assert "{" not in reply


@for_each(
    "message",
    ["", "?", "hello world program", "Thanks, and in May?", "How do I say hello in French?", "help desk", "hi " * 100],
)
def test_anything_else_is_a_question(message: str) -> None:
    assert small_talk(message) is None


def test_decline_in_the_language_of_the_question() -> None:
    assert declined("de").startswith("Ihre Dokumente")
    assert declined("fi") == declined("en")


@for_each(
    ("language", "foreign", "expected"),
    [
        ("en", "de", "Quoted in the documents’ language (German):\n\n"),
        ("de", "en", "Zitate in der Sprache der Dokumente (Englisch):\n\n"),
        ("es", "zh", "Citas en el idioma de los documentos (chino):\n\n"),
        ("fi", "no", "Quoted in the documents’ language (Norwegian):\n\n"),
    ],
)
def test_languages_of_quotations_are_named_in_that_of_the_question(language: str, foreign: str, expected: str) -> None:
    assert quoted_language(language, foreign) == expected
