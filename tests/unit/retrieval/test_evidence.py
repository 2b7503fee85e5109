"""What counts as evidence, by embedding model and by the languages of question and passage."""

from datetime import UTC, datetime

from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5
from echomind_lib.retrieval.documents import ReadableDocument
from echomind_lib.retrieval.evidence import ENGLISH_LIMIT, asked_about, evidence_limit
from echomind_lib.retrieval.hits import Question, make_hit
from echomind_lib.vectors import Found
from tests.drivers.tables import for_each


def test_words_that_ask_for_a_meaning_are_not_looked_for() -> None:
    assert asked_about("What does error 809 mean?") == "error 809"
    assert asked_about("what is the meaning of light 7") == "light 7"
    assert asked_about("Was bedeutet Code E17?") == "Code E17"
    assert asked_about("What does a parcel cost?") == "What does a parcel cost?"


@for_each("language", ["en", "de", "zh", ""])
@for_each("model_id", [MINILM, "", "another"])
def test_other_models_have_one_limit(model_id: str, language: str) -> None:
    assert evidence_limit(model_id, frozenset({"de"}), language) is ENGLISH_LIMIT


def test_across_languages_no_words_are_expected() -> None:
    german = frozenset({"de"})
    same, other = (evidence_limit(MULTILINGUAL_E5, german, language) for language in ("de", "en"))
    assert not same.is_met(0.35, 0.0)
    assert other.is_met(0.35, 0.0)
    assert not other.is_met(0.2, 0.0)
    assert evidence_limit(MULTILINGUAL_E5, german, "zh").is_met(0.2, 0.0)
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"zh"}), "de").is_met(0.2, 0.0)


def test_a_passage_in_a_possible_language_of_the_question_or_in_an_unknown_one_is_not_foreign() -> None:
    german = evidence_limit(MULTILINGUAL_E5, frozenset({"de"}), "de")
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"en", "de"}), "en") == german
    assert evidence_limit(MULTILINGUAL_E5, frozenset({"de"}), "") == german


def test_without_a_vector_words_decide() -> None:
    assert ENGLISH_LIMIT.is_met(None, 0.4)
    assert not ENGLISH_LIMIT.is_met(None, 0.39)


def test_a_third_of_the_pairs_of_characters_is_as_much_as_half_of_the_words() -> None:
    document = ReadableDocument(
        id=1,
        connector_id=1,
        title="Leave",
        language="zh",
        status="completed",
        chunking_session=None,
        content_type=None,
        creation_date=datetime(2026, 1, 1, tzinfo=UTC),
        signature=None,
        file_name="",
        chunk_count=1,
        is_guide=False,
    )
    payload = {"chunking_session": "", "text": "", "start": 0, "end": 0, "position": 0}

    def overlap(shared: int, *, has_pairs: bool) -> float:
        found = Found("1", 0.0, payload, None, frozenset(range(shared)))
        return make_hit(found, document, Question(None, frozenset(range(6)), has_pairs=has_pairs)).overlap

    assert overlap(2, has_pairs=True) == overlap(3, has_pairs=False) == 0.5
    assert overlap(6, has_pairs=True) == overlap(6, has_pairs=False) == 1.0
